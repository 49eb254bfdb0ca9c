# SPDX-License-Identifier: Apache-2.0
"""The encoder model with implicit returns (ET-1, ET-14). Profile: implicit return, irreport."""

from __future__ import annotations

from typing import Any

from tests.etrace.encoder_stream import NTR, REP, after_start, encode, explained
from tests.ntrace.encoder_stream import OFF, Row, call, exception, interrupt, linear, ret, row, taken

# main at 0x1000 calls f at 0x2000 from 0x1004; f has one instruction before its return
START, CALL, F, BACK = row(linear(0x1000, 2)), row(call(0x1004, 2)), row(ret(0x2000, 4)), row(linear(0x1008, 2))
HANDLER = [row(linear(0x8000, 2)), row(levels=OFF)]
REPORTED = ("trap", "exception", 0, 1, 0x8000)


def reported(rows: list[Row], **config: Any) -> list[tuple]:
    """What follows the 3.0, with a return stack of 16 entries if nothing else is said."""
    return after_start(encode(rows, implicit_return=1, **config))


def test_implicit() -> None:
    """The return goes where the stack says: not reported. The end is, with depth 0, since a return is open."""
    rows = [START, CALL, F, BACK, row(levels=OFF)]
    assert reported(rows) == [("address", 8, ("irdepth", 0)), REP]
    assert after_start(encode(rows)) == [("address", 8), NTR]  # without the option it is a jump


def test_no_call_was_seen() -> None:
    """An empty stack: an uninferable jump, without irreport."""
    assert reported([START, row(ret(0x1004, 2)), row(linear(0x3000, 2)), row(levels=OFF)]) == [("address", 0x2000), NTR]


def test_elsewhere() -> None:
    """The top of the stack is 0x1008, the return goes to 0x5000: reported with the depth before its pop."""
    trace = encode([START, CALL, F, row(linear(0x5000, 2)), row(linear(0x5004, 2)), row(levels=OFF)], implicit_return=1)
    assert explained(trace)[2:] == [
        ("misreturn", "address", 0x4000, ("irdepth", 1)),
        ("last", "address", 4),
        ("ended", *REP),
    ]


def test_elsewhere_pops() -> None:
    """Two calls deep; the inner return goes elsewhere, and from there a return to the outer call is implicit."""
    rows = [START, CALL, row(call(0x2000, 2)), row(ret(0x3000, 2)), row(ret(0x5000, 2)), BACK, row(levels=OFF)]
    assert reported(rows) == [("address", 0x4000, ("irdepth", 2)), ("address", 0x1008 - 0x5000, ("irdepth", 0)), REP]


def test_sync_empties_the_stack() -> None:
    """After a trap's 3.1 the return of before is an uninferable jump."""
    rows = [START, CALL, row(exception(0x2000)), row(ret(0x8000, 2)), BACK, row(levels=OFF)]
    assert reported(rows) == [("address", 4), REPORTED, ("address", 0x1008 - 0x8000), NTR]


def test_stack_overflows() -> None:
    """Two entries: the third call drops the oldest, so the last return is reported, after two implicit ones."""
    rows = [
        START,
        CALL,
        row(call(0x2000, 2)),
        row(call(0x3000, 2)),
        row(ret(0x4000, 2)),
        row(ret(0x3004, 2)),
        row(ret(0x2004, 2)),
        BACK,
    ]
    assert reported([*rows, row(levels=OFF)], return_stack_size_p=1) == [("address", 8), NTR]
    assert reported([*rows, row(levels=OFF)], return_stack_size_p=2) == [("address", 8, ("irdepth", 0)), REP]


def test_counter() -> None:
    """A counter of one bit: the second call is not counted, so the second return is reported; where the first one goes
    is not looked at.
    """
    counter = {"call_counter_size_p": 1, "return_stack_size_p": 0}
    rows = [START, CALL, row(call(0x2000, 2)), row(ret(0x4000, 2)), row(ret(0x2004, 2)), BACK, row(levels=OFF)]
    assert reported(rows, **counter) == [("address", 8), NTR]
    assert reported([START, CALL, F, row(linear(0x5000, 2)), row(levels=OFF)], **counter) == [
        ("address", 0x4000, ("irdepth", 0)),
        REP,
    ]


def test_interrupt_after_a_return() -> None:
    """Where an interrupted return went is not reported: with an entry on the stack it counts as implicit, so 3.1 comes
    at the handler.
    """
    rows = [START, CALL, F, row(interrupt(0xDEAD)), *HANDLER]
    assert reported(rows) == [("address", 0x1004), ("trap", "interrupt", 0, 1, 0x8000), NTR]
    assert reported([START, row(ret(0x1004, 2)), row(interrupt(0xDEAD)), *HANDLER]) == [
        ("address", 4), ("trap", "interrupt", 0, 0, 0), ("start", 0x8000), NTR,
    ]  # fmt: skip


def test_exception_after_a_return() -> None:
    """At the address on the stack: implicit. Elsewhere: the EPC is reported with thaddr 0."""
    assert reported([START, CALL, F, row(exception(0x1008)), *HANDLER]) == [("address", 0x1004), REPORTED, NTR]
    assert reported([START, CALL, F, row(exception(0x1010)), *HANDLER]) == [
        ("address", 0x1004), ("trap", "exception", 0, 0, 0x1010), ("start", 0x8000), NTR,
    ]  # fmt: skip


def test_irdepth_before_a_trap() -> None:
    """Two deep, one return: the last instruction is reported with depth 1; with a branch or a call since the return
    without.
    """
    deep = [START, CALL, row(call(0x2000, 2)), row(ret(0x3000, 2))]
    assert reported([*deep, row(linear(0x2004, 4)), row(exception(0x200C)), *HANDLER]) == [
        ("address", 0x1008, ("irdepth", 1)),
        REPORTED,
        NTR,
    ]
    assert reported([*deep, row(taken(0x2004, 2)), row(exception(0x2100)), *HANDLER]) == [("T", 0x1004), REPORTED, NTR]
