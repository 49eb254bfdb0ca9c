# SPDX-License-Identifier: Apache-2.0
"""ioptions in the order of a device: "Number of bits and definitions implementation dependent"."""

from dataclasses import replace

import pytest

from rvtrace.models.common.options import ConfigError
from rvtrace.models.etrace.codec import pack, unpack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import Packet
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from tests.etrace.checked_scenarios import scenario_run, sent

SUPPORT = Packet(
    "support",
    {"format": 3, "subformat": 3, "ienable": 1, "encoder_mode": 0, "qual_status": 0, "ioptions": 0, "denable": 0,
     "dloss": 0},
)  # fmt: skip
FULL_ADDRESS, IMPLICIT_RETURN = 4, 1  # as `packets.OPTIONS` numbers them


def support(ioptions: int) -> Packet:
    return Packet("support", {**SUPPORT.values, "ioptions": ioptions})


def test_bits_are_where_the_device_has_them() -> None:
    config = Config(ioptions_layout="-,full_address,implicit_return", implicit_return=1)
    # format and subformat 4 bits, ienable, encoder_mode, qual_status 2: ioptions begins at bit 8
    assert pack(support(FULL_ADDRESS | IMPLICIT_RETURN), config) == bytes([0b0001_1111, 0b110])
    assert unpack(bytes([0b0001_1111, 0b110]), config).get("ioptions") == FULL_ADDRESS | IMPLICIT_RETURN
    # the bit that means something else may be anything; what has no bit is as configured
    assert unpack(bytes([0b0001_1111, 0b011]), config).get("ioptions") == FULL_ADDRESS
    without = replace(config, ioptions_layout="full_address")
    assert unpack(bytes([0b0001_1111, 0b001]), without).get("ioptions") == FULL_ADDRESS | IMPLICIT_RETURN


def test_layout_that_is_none() -> None:
    for layout in ("full_address,full_address", "speed", "full_address,,sijump"):
        with pytest.raises(ConfigError, match="IOPTIONS_LAYOUT"):
            Config(ioptions_layout=layout)


@pytest.mark.parametrize("layout", ["sijump,full_address,-,branch_prediction", "-,-,-,-,-,-,-,full_address"])
def test_verdict_with_the_layout_declared_and_without(layout: str) -> None:
    config, program, beats, encoded = scenario_run("full_addresses", (("full_address", 1),))
    theirs = replace(config, ioptions_layout=layout)
    packets = sent(encoded).payloads(theirs)
    verdict = check(EtraceCapture(theirs, program, packets, beats=beats, exact=False))
    assert verdict.passed, verdict.failures[0].text()
    assert not check(EtraceCapture(config, program, packets, beats=beats, exact=False)).passed
