# SPDX-License-Identifier: Apache-2.0
"""Packets of a device with a deviation, read in the dialect that names it, are those of the specification."""

from __future__ import annotations

import re

import pytest
from rvtrace.models.etrace.config import Config
from rvtrace.scoreboards.common.hypotheses import Reading
from rvtrace.scoreboards.etrace.check import plan
from rvtrace.scoreboards.etrace.dialect_table import dialects
from rvtrace.scoreboards.etrace.dialects import Rewriter, rewritten_packets
from rvtrace.scoreboards.etrace.hypotheses import Packets
from rvtrace.scoreboards.etrace.layout import read, standard

from tests.etrace.deviant import Deviant
from tests.etrace.deviant_runs import deviant_run
from tests.etrace.deviations import DEVIATIONS
from tests.etrace.walks import encode, walk

LOSSY = ("branches_one_less", "notify_absent", "ecause_narrow", "thaddr_absent")  # what is not sent cannot be known
OPTIONS = "IOPTIONS"  # deviations that other parameters explain


@pytest.mark.parametrize("seed", range(4))
def test_without_a_dialect_nothing_changes(seed: int) -> None:
    what = walk(seed, 1200, bcount_bits=16)
    payloads = encode(what.config, what.beats).payloads
    assert rewritten_packets(payloads, Rewriter(what.config, what.program, ())) == payloads


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_the_packer_of_these_tests_is_the_specifications(variant: str) -> None:
    what = walk(3, 1200, variant=variant, bcount_bits=16)
    encoded = encode(what.config, what.beats)
    assert Deviant(what.config, []).payloads(encoded.packets, encoded.options) == encoded.payloads


@pytest.mark.parametrize("name", [n for n, d in DEVIATIONS.items() if OPTIONS not in d.names])
def test_a_dialect_takes_the_deviation_back(name: str) -> None:
    run = deviant_run(7, [name], 1200)
    if not run.differs:
        pytest.skip("the walk has no packet that shows it")
    config, program, wanted = run.what.config, run.what.program, run.encoded.payloads
    best = 0.0
    for dialect in dialects(config):
        if re.search(run.deviations[0].names, f"if {dialect.says};"):
            sent = rewritten_packets(run.sent, Rewriter(config, program, [dialect]))
            best = max(best, sum(a == b for a, b in zip(sent, wanted)) / len(wanted))
    assert best > (0.75 if name in LOSSY else 0.99), f"at best {best:.0%} of the packets are the specification's"


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
def test_dialects_have_names_and_clauses_of_their_own(variant: str) -> None:
    for xlen in (32, 64):
        config = Config.from_dict({"variant": variant, "iaddress_width_p": xlen, "notime_p": 0})
        table = dialects(config)
        assert len({dialect.name for dialect in table}) == len(table) > 150
        assert {dialect.clause for dialect in table} <= set(plan().clauses)


def test_fields_are_read_as_far_as_they_go() -> None:
    config = Config()
    found = read(bytes([0b11 | 0b01 << 2 | 1 << 4, 0, 0]), standard("v2_0"), config, config.options)
    assert found.name == "trap" and found.values["branch"] == 1
    # format 2, 63 + 3 + 5 bits: 73 bits are 10 bytes, and one more is too many
    found = read(bytes([2] + 9 * [0] + [1]), standard("v2_0"), config, config.options)
    assert found.name == "address" and "more than its 73 bits" in found.problem
    assert read(b"\x00", standard("v2_0"), config, config.options).name == ""  # format 0 without its options


def test_a_wrong_reading_is_seen_without_decoding_all() -> None:
    """The share of packets that cannot be decoded separates the right reading from the claimed one."""
    run = deviant_run(7, ["map_exact"], 1200)
    packets = Packets(run.capture)
    claimed = Reading(run.what.config)
    window = packets.window(claimed)
    assert window is not None
    right = Reading(run.what.config, tuple(d for d in packets.dialects if d.name == "map_length_exact"))
    assert packets.near(right, window) == 0 < 0.1 < packets.near(claimed, window)
    assert packets.window(right) is None
