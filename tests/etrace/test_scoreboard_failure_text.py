# SPDX-License-Identifier: Apache-2.0
"""Failures name the place and the clause of what went wrong, and nothing that only follows from it."""

from __future__ import annotations

from typing import Any

import pytest
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
    numbers = [int(line.partition(":")[0].lstrip("#")) for f in verdict.failures for line in f.before]
    assert numbers and max(numbers) < len(verdict.decoded.packets) - 2
