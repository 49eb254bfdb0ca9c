# SPDX-License-Identifier: Apache-2.0
"""The encoder model: exceptions and interrupts (ET-2, ET-3, ET-7, ET-8). Profile: X with prev, next; packet 3.1."""

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType, Priv
from tests.etrace.encoder_stream import NTR, REP, encode, explained, reported, sends
from tests.ntrace.encoder_stream import OFF, Block, Row, jump, linear, row, taken

START, END = linear(0x1000, 2), row(levels=OFF)


def exception(iaddr: int, iretire: int = 0, cause: int = 5) -> Block:
    return Block(IType.EXCEPTION, iaddr, iretire, cause=cause, tval=0xABC)


def interrupt(iaddr: int, iretire: int = 0, cause: int = 7) -> Block:
    return Block(IType.INTERRUPT, iaddr, iretire, cause=cause, tval=0x123)


def handled(at: int) -> list[Row | Block]:
    return [linear(at, 2), END]


HANDLER: list[Row | Block] = [linear(0x8000, 4), END]
DRAFT = {"variant": "draft_0_026"}

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "the first instruction before a trap was reported by its 3.0: no packet in front of the trap's": (
        [START, exception(0x1004), *HANDLER], [("trap", "exception", 5, 1, 0x8000), ("address", 4), REP], {},
    ),
    "back to back, the second an interrupt: the address of the thaddr-0 packet means nothing, 0": (
        [START, exception(0x1004), interrupt(0x8000), *handled(0x9000)],
        [("trap", "exception", 5, 0, 0), ("trap", "interrupt", 7, 1, 0x9000), NTR], {},
    ),
    "three traps": (
        [START, exception(0x1004), exception(0x8000, cause=2), exception(0x9000, cause=3), *handled(0xA000)],
        [("trap", "exception", 5, 0, 0x8000), ("trap", "exception", 2, 0, 0x9000), ("trap", "exception", 3, 1, 0xA000),
         NTR], {},
    ),
    # The EPC cannot be inferred. The jump is reported first, being the last before the trap.
    "at the target of a jump: 3.1 with thaddr 0 and the EPC, then 3.0 for the handler": (
        [START, jump(0x1004, 4), exception(0x5000), *handled(0x8000)],
        [("before_trap", "address", 8), ("trap_again", "trap", "exception", 5, 0, 0x5000),
         ("reported", "start", 0x8000), ("ended", *NTR)], {},
    ),
    "at the target of a jump, then another: two packets for two traps, never three (ET-2)": (
        [START, jump(0x1004, 4), exception(0x5000), exception(0x8000, cause=2), *handled(0x9000)],
        [("address", 8), ("trap", "exception", 5, 0, 0x5000), ("trap", "exception", 2, 1, 0x9000), NTR], {},
    ),
    "the target of a jump is the last before a trap: updiscon": (
        [START, jump(0x1004, 2), exception(0x5000, 2), *handled(0x8000)],
        [("address", 0x4000, "updiscon"), ("trap", "exception", 5, 1, 0x8000), NTR], {},
    ),
    "an instruction before the first trap is reported by 3.0 first": (
        [exception(0x1000, 2), *handled(0x8000)], [("trap", "exception", 5, 1, 0x8000), NTR], {},
    ),
    "a trap whose handler retires nothing is not reported; the last packet says where it came from, ended_rep": (
        [START, exception(0x1004), END], [REP], {},
    ),
    "the draft has no thaddr: only the trap whose handler retires is reported": (
        [START, jump(0x1004, 2), exception(0x5000), interrupt(0x8000), *handled(0x9000)],
        [("address", 4), ("trap", "interrupt", 7, 1, 0x9000), NTR], DRAFT,
    ),
    "an implicit exception: the handler's address is not sent; differences count from it all the same": (
        [START, exception(0x1004), *HANDLER], [("trap", "exception", 5, 1), ("address", 4), REP],
        {"implicit_exception": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


@pytest.mark.parametrize("variant", ["v2_0", "draft_0_026"])
@pytest.mark.parametrize("kind, block", [("exception", exception), ("interrupt", interrupt)])
def test_trap(kind: str, block: type, variant: str) -> None:
    """The last instruction before is reported, then 3.1 with the handler's address; in one block or in two that is the
    same.
    """
    cause = 5 if kind == "exception" else 7
    trap = ("trap", "trap", kind, cause, 1, 0x8000)
    expected = [("before_trap", "address", 8), trap, ("last", "address", 4), ("ended", *REP)]
    for rows in ([linear(0x1004, 4), block(0x100C)], [block(0x1004, 4)]):
        packet = sends([START, *rows, *HANDLER], expected, variant=variant).packets[3]
        with_tval = kind == "exception" or variant == "draft_0_026"
        assert packet.get("tval") == ((0xABC if kind == "exception" else 0x123) if with_tval else None)


def test_draft_without_tval() -> None:
    trace = encode([START, exception(0x1004), *HANDLER], notval_p=1, **DRAFT)
    assert reported(trace)[2][:4] == ("trap", "exception", 5, 1) and trace.packets[2].get("tval") is None


def test_handler_begins_with_a_branch() -> None:
    """ET-9: the outcome goes into `branch`: 0 for taken, and not into the map."""
    trace = sends([START, exception(0x1004), taken(0x8000, 2), linear(0x9000, 2), END], [..., ("address", 0x1000), REP])
    assert trace.packets[2].get("branch") == 0


def test_back_to_back() -> None:
    """ET-2: nothing of the first handler retires. EPC of the second (0x8000) is reported with the first, thaddr 0; then
    the second by 3.1.
    """
    first, second = ("trap", "exception", 5, 0, 0x8000), ("trap", "exception", 2, 1, 0x9000)
    rows = [START, exception(0x1004), exception(0x8000, cause=2), *handled(0x9000)]
    trace = sends(rows, [("trap_again", *first), ("trap", *second), ("ended", *NTR)])
    assert trace.packets[2].get("branch") == 1 and trace.packets[2].get("tval") == 0xABC


def test_privilege_before_the_change() -> None:
    """ET-7: user code calls supervisor mode, whose first instruction traps to machine mode. 3.1 with thaddr 0 reports
    the first trap: "the privilege level prior to any change". 3.1 with thaddr 1 has the privilege of the handler.
    """
    user, supervisor = {"priv": Priv.U}, {"priv": Priv.S}
    first = Block(IType.EXCEPTION, 0x1004, 0, cause=8, **user)
    second = Block(IType.EXCEPTION, 0x8000, 0, cause=12, **supervisor)
    rows = [Block(0, 0x1000, 2, **user), first, second, *handled(0x9000)]
    trace = sends(rows, [("trap", "exception", 8, 0, 0x8000), ("trap", "exception", 12, 1, 0x9000), NTR])
    assert [packet.get("privilege") for packet in trace.packets[1:4]] == [0, 0, 3]


def test_trap_first() -> None:
    """ET-3: nothing was traced before: 3.1 with thaddr 0 and the EPC, then 3.0. An implicit exception leaves out the
    handler's address, not that of a thaddr-0 packet.
    """
    rows = [exception(0x1000), *handled(0x8000)]
    assert explained(encode(rows))[1:] == [
        ("trap_again", "trap", "exception", 5, 0, 0x1000), ("reported", "start", 0x8000), ("ended", *NTR),
    ]  # fmt: skip
    assert reported(encode(rows, implicit_exception=1))[1] == ("trap", "exception", 5, 0, 0x1000)
