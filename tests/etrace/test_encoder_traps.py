# SPDX-License-Identifier: Apache-2.0
"""The encoder model: exceptions and interrupts (ET-2, ET-3, ET-7, ET-8). Profile: X with prev, next; packet 3.1."""

from __future__ import annotations

import pytest

from rvtrace.models.riscv.retired import IType
from tests.etrace.encoder_stream import NTR, REP, after_start, encode, explained, reported
from tests.ntrace.encoder_stream import OFF, Block, Row, jump, linear, row, taken

START = row(linear(0x1000, 2))


def exception(iaddr: int, iretire: int = 0, cause: int = 5) -> Block:
    return Block(IType.EXCEPTION, iaddr, iretire, cause=cause, tval=0xABC)


def interrupt(iaddr: int, iretire: int = 0, cause: int = 7) -> Block:
    return Block(IType.INTERRUPT, iaddr, iretire, cause=cause, tval=0x123)


HANDLER = [row(linear(0x8000, 4)), row(levels=OFF)]


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
@pytest.mark.parametrize("kind, block", [("exception", exception), ("interrupt", interrupt)])
def test_trap(kind: str, block: type, variant: str) -> None:
    """The last instruction before is reported, then 3.1 with the handler's address; in one block or in two that is the
    same.
    """
    cause = 5 if kind == "exception" else 7
    expected = [
        ("before_trap", "address", 8),
        ("trap", "trap", kind, cause, 1, 0x8000),
        ("last", "address", 4),
        ("ended", *REP),
    ]
    for rows in ([row(linear(0x1004, 4)), row(block(0x100C))], [row(block(0x1004, 4))]):
        trace = encode([START, *rows, *HANDLER], variant=variant)
        assert explained(trace)[2:] == expected
        packet = trace.packets[3]
        with_tval = kind == "exception" or variant == "draft_0_026"
        assert packet.get("tval") == ((0xABC if kind == "exception" else 0x123) if with_tval else None)


def test_draft_without_tval() -> None:
    trace = encode([START, row(exception(0x1004)), *HANDLER], variant="draft_0_026", notval_p=1)
    assert reported(trace)[2][:4] == ("trap", "exception", 5, 1) and trace.packets[2].get("tval") is None


def test_first_instruction_before_a_trap() -> None:
    """Reported by its 3.0 already: no packet in front of the trap's."""
    assert after_start(encode([START, row(exception(0x1004)), *HANDLER])) == [
        ("trap", "exception", 5, 1, 0x8000), ("address", 4), REP,
    ]  # fmt: skip


def test_handler_begins_with_a_branch() -> None:
    """ET-9: the outcome goes into `branch`: 0 for taken, and not into the map."""
    trace = encode([START, row(exception(0x1004)), row(taken(0x8000, 2)), row(linear(0x9000, 2)), row(levels=OFF)])
    assert trace.packets[2].get("branch") == 0
    assert reported(trace)[3:] == [("address", 0x1000), REP]


def test_back_to_back() -> None:
    """ET-2: nothing of the first handler retires. EPC of the second (0x8000) is reported with the first, thaddr 0; then
    the second by 3.1.
    """
    rows = [START, row(exception(0x1004)), row(exception(0x8000, cause=2)), row(linear(0x9000, 2))]
    rows += [row(levels=OFF)]
    trace = encode(rows)
    assert explained(trace)[2:] == [
        ("trap_again", "trap", "exception", 5, 0, 0x8000), ("trap", "trap", "exception", 2, 1, 0x9000), ("ended", *NTR),
    ]  # fmt: skip
    assert trace.packets[2].get("branch") == 1 and trace.packets[2].get("tval") == 0xABC


def test_back_to_back_interrupt() -> None:
    """The address of a thaddr-0 packet means nothing if the second trap is an interrupt: 0."""
    rows = [START, row(exception(0x1004)), row(interrupt(0x8000)), row(linear(0x9000, 2)), row(levels=OFF)]
    assert after_start(encode(rows)) == [("trap", "exception", 5, 0, 0), ("trap", "interrupt", 7, 1, 0x9000), NTR]


def test_three_traps() -> None:
    rows = [
        START,
        row(exception(0x1004)),
        row(exception(0x8000, cause=2)),
        row(exception(0x9000, cause=3)),
        *_handled(0xA000),
    ]
    assert after_start(encode(rows)) == [
        ("trap", "exception", 5, 0, 0x8000),
        ("trap", "exception", 2, 0, 0x9000),
        ("trap", "exception", 3, 1, 0xA000),
        NTR,
    ]


def _handled(at: int) -> list[Row]:
    return [row(linear(at, 2)), row(levels=OFF)]


def test_at_the_target_of_a_jump() -> None:
    """The EPC cannot be inferred: 3.1 with thaddr 0 and the EPC, then 3.0 for the handler. The jump is reported first,
    being the last before the trap.
    """
    rows = [START, row(jump(0x1004, 4)), row(exception(0x5000)), *_handled(0x8000)]
    trace = encode(rows)
    assert explained(trace)[2:] == [
        ("before_trap", "address", 8),
        ("trap_again", "trap", "exception", 5, 0, 0x5000),
        ("reported", "start", 0x8000),
        ("ended", *NTR),
    ]


def test_at_the_target_of_a_jump_then_another() -> None:
    """ET-2: two packets for two traps, never three: the first is reported at once, the second at its handler."""
    rows = [START, row(jump(0x1004, 4)), row(exception(0x5000)), row(exception(0x8000, cause=2)), *_handled(0x9000)]
    assert after_start(encode(rows)) == [
        ("address", 8), ("trap", "exception", 5, 0, 0x5000), ("trap", "exception", 2, 1, 0x9000), NTR,
    ]  # fmt: skip


def test_jump_target_then_trap() -> None:
    """The target of a jump is the last before a trap: updiscon. Its difference is 0x4000 from 0x1000."""
    rows = [START, row(jump(0x1004, 2)), row(exception(0x5000, 2)), *_handled(0x8000)]
    assert after_start(encode(rows)) == [("address", 0x4000, "updiscon"), ("trap", "exception", 5, 1, 0x8000), NTR]


def test_trap_first() -> None:
    """ET-3: nothing was traced before: 3.1 with thaddr 0 and the EPC, then 3.0; an instruction before it would be
    reported by 3.0 first.
    """
    assert explained(encode([row(exception(0x1000)), *_handled(0x8000)]))[1:] == [
        ("trap_again", "trap", "exception", 5, 0, 0x1000), ("reported", "start", 0x8000), ("ended", *NTR),
    ]  # fmt: skip
    assert reported(encode([row(exception(0x1000, 2)), *_handled(0x8000)]))[1:] == [
        ("start", 0x1000), ("trap", "exception", 5, 1, 0x8000), NTR,
    ]  # fmt: skip


def test_trap_last() -> None:
    """A trap whose handler retires nothing is not reported; the last packet says where it came from, ended_rep."""
    assert after_start(encode([START, row(exception(0x1004)), row(levels=OFF)])) == [REP]


def test_draft_reports_one_of_two() -> None:
    """No thaddr: only the trap whose handler retires is reported."""
    rows = [START, row(jump(0x1004, 2)), row(exception(0x5000)), row(interrupt(0x8000)), *_handled(0x9000)]
    trace = encode(rows, variant="draft_0_026")
    assert after_start(trace) == [("address", 4), ("trap", "interrupt", 7, 1, 0x9000), NTR]


def test_implicit_exception() -> None:
    """The handler's address is not sent, that of a thaddr-0 packet is;
    differences count from the handler all the same.
    """
    rows = [START, row(exception(0x1004)), *HANDLER]
    assert after_start(encode(rows, implicit_exception=1)) == [("trap", "exception", 5, 1), ("address", 4), REP]
    rows = [row(exception(0x1000)), *_handled(0x8000)]
    assert reported(encode(rows, implicit_exception=1))[1] == ("trap", "exception", 5, 0, 0x1000)
