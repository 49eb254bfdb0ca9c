# SPDX-License-Identifier: Apache-2.0
"""Failures name the place and the clause of what went wrong, and nothing that only follows from it."""

from typing import Any

import numpy as np
import pytest

from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.encoder.encapsulate import encapsulate
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.check import Verdict, check
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from tests.etrace.checked_scenarios import scenario_run

UNREADABLE = bytes([0b1100, *[0xA5] * 3, 0x10])  # format 0, which is not in use without its options


def broken(framing: str, payload: bytes, exact: bool = False) -> Verdict:
    """The verdict on a trace of which the fourth packet is something else, transported as the encoder gave it."""
    config, program, beats, encoded = scenario_run("stops", (("framing", framing),))
    packets = [*encoded.payloads[:3], payload, *encoded.payloads[4:]]
    starts = [p.name == "start" for p in encoded.packets]
    time16 = [0] * len(packets)
    given: dict[str, Any] = {"beats": beats, "exact": exact}
    if 1 <= len(payload) <= 31:
        given |= {"data": encapsulate(packets, starts, time16, config), "start": starts}
    else:  # a header that has five bits for the length
        given |= {"data": b"".join(bytes([len(p) & 31]) + p for p in packets)}
    return check(EtraceCapture(config, program, packets, **given), None if exact else Tolerances.free())


@pytest.mark.parametrize("framing", ["none", "zeros", "blocks"])
@pytest.mark.parametrize("payload", [UNREADABLE, b"", bytes(range(1, 41))])
def test_transport_is_not_blamed_for_a_packet(framing: str, payload: bytes) -> None:
    """What cannot be read, or described by a header, is a failure of the packet alone."""
    failed = broken(framing, payload).book.failed
    assert failed and not any(clause.startswith("ET.tra.") for clause in failed), failed


@pytest.mark.parametrize("payload", [UNREADABLE, b""])
def test_text_is_for_people(payload: bytes) -> None:
    for exact in (False, True):
        for failure in broken("none", payload, exact).failures:
            assert "Damage(" not in failure.text()
            assert all(row[1:] != ("none", "none") for row in failure.table), failure.text()
            assert not any("- " + "-" in line for line in failure.before)


def test_packet_that_cannot_be_read_is_named_so() -> None:
    failure = broken("none", UNREADABLE, exact=True).failures[0]
    assert failure.table[0][2] == "unreadable" and failure.table[-1][2] == UNREADABLE.hex()


def test_before_shows_what_came_before() -> None:
    """Packets after the one that cannot be read say nothing of it."""
    verdict = broken("none", UNREADABLE)
    numbers = [int(line.partition(" ")[0].lstrip("#")) for f in verdict.failures for line in f.before]
    assert numbers and max(numbers) < len(verdict.decoded.packets) - 2


def too_long(length: int = 13, last: bytes = b"\x01") -> Verdict:
    """The verdict on a trace of which one packet 2 has bytes after its fields, or at least bits."""
    config, program, beats, encoded = scenario_run("stops", ())
    at = next(i for i, packet in enumerate(encoded.packets) if packet.name == "address")
    longer = encoded.payloads[at].ljust(length, b"\x00") + last  # 2 + 63 + 3 bits and irdepth are 9 bytes and a half
    packets = [*encoded.payloads[:at], longer, *encoded.payloads[at + 1 :]]
    starts, time16 = [p.name == "start" for p in encoded.packets], [0] * len(packets)
    data = encapsulate(packets, starts, time16, config)
    return check(EtraceCapture(config, program, packets, beats=beats, exact=False, data=data, start=np.array(starts)))


def test_damaged_packet_is_shown_field_by_field() -> None:
    """With its bytes, the bits of each field, and the length that it should have."""
    failure = next(f for f in too_long().failures if f.clause == "ET.pay.fields")
    rows = {name: (want, have) for name, want, have in failure.table}
    assert rows["bytes"][1].endswith("00 01") and rows["packet"][1] == "address"
    assert rows["format"][1] == "2 (bits 0..1)" and rows["notify"][1].endswith("(bit 65)")
    assert rows["length"] == ("at most 10 bytes", "14 bytes")  # 2 + 63 + 3 + 5 bits: address, flags, irdepth


def test_bits_after_the_last_field_are_shown() -> None:
    """A payload of the right length: not its length is said to be wrong, but the bits that have to be the sign."""
    failure = next(f for f in too_long(9, b"\x40").failures if f.clause == "ET.pay.fields")
    rows = {name: (want, have) for name, want, have in failure.table}
    assert "length" not in rows and rows["after it"] == ("the sign of the last field", "0x20 (bits 73..79)")


def test_packets_are_placed_in_the_transported_bytes() -> None:
    failure = next(f for f in too_long().failures if f.clause == "ET.pay.fields")
    assert failure.before[0].startswith("#0 (byte 0x0): support(")


def test_transport_that_is_damaged_in_a_file_is_no_failure_of_a_port() -> None:
    """A capture of files has no ports; the bytes that are no packet keep the clause of the transport."""
    config, program, beats, encoded = scenario_run("stops", ())
    data = (
        encapsulate(encoded.payloads, [False] * len(encoded.packets), [0] * len(encoded.packets), config) + b"\x1f\x01"
    )
    payloads, _, damage = deframe(data, config)
    assert [str(d) for d in damage] == [
        f"byte {len(data) - 2:#x}: a packet of 32 bytes is cut off at the end [ET.tra.messaging]"
    ]
    for given in (data, None):
        capture = EtraceCapture(config, program, payloads, data=given, beats=beats, exact=False)
        capture.problems = [str(d) for d in damage]
        failed = check(capture).book.failed
        assert failed == ["ET.tra.messaging"], (given is None, failed)
