# SPDX-License-Identifier: Apache-2.0
"""A file whose transport is not the one claimed: the difference is the first finding, and its packets are judged."""

import re
from dataclasses import replace
from typing import Any

import pytest

from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import check
from tests.etrace.deviant_runs import MUCH, deviant_run

BIT = 0x80  # of the header: a timestamp follows


def file_verdict(data: bytes, claim: dict[str, Any]) -> Verdict:
    """The verdict on a file of bytes."""
    run = deviant_run(7, [], 1000)
    config = replace(run.what.config, encapsulation="messaging", framing="none", index_width=0, flow=0, timestamp=0)
    config = replace(config, **claim)
    payloads, _, damage = deframe(data, config)
    capture = EtraceCapture(config, run.what.program, payloads, data=data, beats=run.what.beats, exact=False)
    capture.problems = [str(d) for d in damage]
    return check(capture)


def payloads() -> list[bytes]:
    """What the encoder sends."""
    return deviant_run(7, [], 1000).encoded.payloads


def transported(**transport: Any) -> bytes:
    """The bytes of a device with such a transport."""
    run = deviant_run(7, [], 1000)
    plain = {"encapsulation": "messaging", "framing": "none", "index_width": 0, "flow": 0, "timestamp": 0}
    config = replace(run.what.config, **{**plain, **transport})
    starts = [p.name == "start" for p in run.encoded.packets]
    return encapsulate(payloads(), starts, [0x1234] * len(starts), config)


@pytest.mark.parametrize("sent, claim", [(16, 0), (0, 8)])
def test_another_transport_is_the_finding(sent: int, claim: int) -> None:
    verdict = file_verdict(transported(index_width=sent), {"index_width": claim})
    named = f"INDEX_WIDTH={sent}; INDEX_WIDTH={claim} was claimed"
    assert named in verdict.failures[0].headline, verdict.failures[0].headline
    assert verdict.stats["judged"] > MUCH * verdict.stats["instructions"]


@pytest.mark.parametrize(
    "data, says",
    [
        (b"".join(bytes([len(p) + 1]) + p for p in payloads()), "counts the header"),
        (b"".join(bytes([len(p) << 3]) + p for p in payloads()), "bits 7:3"),
        (b"".join(bytes([len(p) | BIT]) + b"\x12" + p for p in payloads()), "timestamp has 8 bits"),
        (b"".join(bytes([len(p) | BIT]) + p + b"\x12\x34" for p in payloads()), "after the payload"),
        (b"".join(bytes([len(p)]) + p + b"\x5a" for p in payloads()), "stray byte is after each packet"),
    ],
)
def test_another_header_is_the_finding(data: bytes, says: str) -> None:
    verdict = file_verdict(data, {"timestamp": int("timestamp" in says or "payload" in says)})
    assert re.search(says, verdict.failures[0].headline), verdict.failures[0].headline
    assert verdict.failures[0].clause.startswith("ET.tra.")
    assert verdict.stats["judged"] > MUCH * verdict.stats["instructions"]


def test_a_right_file_has_no_finding() -> None:
    assert file_verdict(transported(), {}).passed
