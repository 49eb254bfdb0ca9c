# SPDX-License-Identifier: Apache-2.0
"""A file whose transport is not the one claimed: the difference is the first finding, and its packets are judged."""

import re
from dataclasses import replace
from typing import Any

import pytest

from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.common.judge import CaptureError
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.captured import CAPTURED
from rvtrace.scoreboards.etrace.check import check
from rvtrace.scoreboards.etrace.judge import JUDGE
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.deviant_runs import MUCH, deviant_run

PLAIN: dict[str, Any] = {"encapsulation": "messaging", "framing": "none"} | dict.fromkeys(
    ("index_width", "flow", "timestamp", "src_bits", "src_id", "type_bits", "timestamp_bytes", "async_freq"), 0
)
ENCAP = {"encapsulation": "encap_1_0"}
SOURCED, STAMPED = {"src_bits": 8, "src_id": 0x31}, {"timestamp_bytes": 3, "timestamp": 1}
DATA_PACKET = b"\x02\x0b\x00"  # length 2; type 1 and a byte of payload
BIT = 0x80  # of the header: a timestamp follows


def file_verdict(data: bytes, claim: dict[str, Any]) -> Verdict:
    """The verdict on a file of bytes."""
    run = deviant_run(7, [], 1000)
    config = replace(run.what.config, **{**PLAIN, **claim})
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
    config = replace(run.what.config, **{**PLAIN, **transport})
    starts = [p.name == "start" for p in run.encoded.packets]
    return encapsulate(payloads(), starts, [0x1234 + 7 * n for n in range(len(starts))], config)


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


@pytest.mark.parametrize(
    "sent, claim, named",
    [
        (SOURCED, {"src_bits": 6, "src_id": 0x31}, "SRC_BITS=8; SRC_BITS=6 was claimed"),
        (SOURCED, {}, "SRC_BITS=8; SRC_BITS=0 was claimed"),
        (STAMPED, {"timestamp_bytes": 2, "timestamp": 1}, "TIMESTAMP_BYTES=3; TIMESTAMP_BYTES=2 was claimed"),
        (STAMPED, {}, "TIMESTAMP_BYTES=3; TIMESTAMP_BYTES=0 was claimed"),
        (
            {"type_bits": 2},
            {},
            "SRC_BITS=2; SRC_BITS=0 was claimed",
        ),  # a type that is always 0 is no other than a srcID
    ],
)
def test_another_width_of_encapsulation_is_the_finding(sent: dict[str, int], claim: dict[str, int], named: str) -> None:
    """A wrong width of srcID, timestamp or type: which one decodes."""
    verdict = file_verdict(transported(**ENCAP, **sent), ENCAP | claim)
    assert named in verdict.failures[0].headline, verdict.failures[0].headline
    assert verdict.failures[0].clause.startswith("ET.enc.")
    assert verdict.stats["judged"] > MUCH * verdict.stats["instructions"]


@pytest.mark.parametrize("claim, says", [
    ({"src_bits": 8, "src_id": 5}, r"no packet has the source ID 0x5, [\d,]+ have 0x31; .*SRC_BITS=8 SRC_ID=0x31"),
    ({"src_bits": 12, "src_id": 0x31}, "no packet has the source ID 0x31, .*SRC_BITS=8 SRC_ID=0x31"),
])  # fmt: skip
def test_no_packet_of_the_source(claim: dict[str, int], says: str) -> None:
    run = deviant_run(7, [], 1000)
    config = replace(run.what.config, **{**PLAIN, **ENCAP, **claim})
    with pytest.raises(CaptureError, match=says):
        JUDGE.capture(config, run.what.program, transported(**ENCAP, **SOURCED), None, None, "")


def test_packets_of_data_trace_are_skipped_and_said() -> None:
    """Type 1 is a data trace packet: no damage, and no instruction trace."""
    own = transported(**ENCAP, type_bits=1)
    config = replace(deviant_run(7, [], 1000).what.config, **{**PLAIN, **ENCAP, "type_bits": 1})
    assert deframe(own, config)[0] == payloads()
    capture = JUDGE.capture(config, deviant_run(7, [], 1000).what.program, own + DATA_PACKET, None, None, "")
    assert capture.packets == payloads() and capture.skipped == 1
    verdict = CAPTURED.check(capture, Tolerances())
    assert verdict.passed and "1 packets of data trace (type 1) were skipped: data trace is not judged" in verdict.notes


def test_a_right_file_has_no_finding() -> None:
    assert file_verdict(transported(), {}).passed
