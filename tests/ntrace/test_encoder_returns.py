# SPDX-License-Identifier: Apache-2.0
"""The encoder model's flow changes without a message: implicit returns (section 9.2, NT-4, NT-5), sequential jumps
(9.1), and the all-jumps option (chapter 2).
"""

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType
from tests.ntrace.encoder_stream import (
    HART_RESET,
    OFF,
    Block,
    call,
    encode,
    exception,
    linear,
    not_taken,
    plain,
    ret,
    row,
    sends,
)

END, IN_RESET = row(levels=OFF), row(levels=HART_RESET)
COUNTER, PARTIAL, FULL = 1, 2, 3
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
CALL, RETURN, BACK = call(0x100, 2), ret(0x200, 1), linear(0x104, 2)  # the return address is 0x104
RET: dict[str, Any] = {"implicit_return": FULL}
RC7 = {"variant": "rc7"}


def swap(iaddr: int, iretire: int) -> Block:
    """A block that ends with a co-routine swap."""
    return Block(IType.COROUTINE_SWAP, iaddr, iretire)


def reported(target: int, icnt: int, ref: int = 0x100) -> tuple:
    """The IndirectBranch of a return."""
    return ("IndirectBranch", 0, icnt, (target ^ ref) >> 1)


def stop(icnt: int, hist: int = 1) -> tuple:
    return ("ProgTraceCorrelation", 4, 1, icnt, hist)


def trap(icnt: int, ref: int = 0x100) -> tuple:
    """The exception with its handler at 0x800."""
    return ("IndirectBranch", 2, icnt, (ref ^ 0x800) >> 1)


LATE = [call(0x100, 15), ret(0x200, 15)]  # the return makes it 30, and goes to 0x11E
HANDLER = linear(0x800, 2)
WITH_HISTORY = [not_taken(0xF0, 1), call(0xF2, 1), call(0x100, 13), ret(0x200, 15), ret(0x11A, 1), linear(0xF4, 1)]
PREDICTED = [("NT.8.4.4.predicted", "ResourceFull", 0, 30), ("NT.7.12.trace_off", *stop(1))]

# What follows the start
RETURNS: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "off": ([CALL, RETURN, BACK], [reported(0x104, 3)], {}),
    "a mismatch pops: the wrong return takes the inner call's address, the next one finds the outer call's": (
        [CALL, call(0x200, 2), ret(0x300, 1), ret(0x400, 1), BACK, END], [reported(0x400, 5), stop(3)], RET,
    ),
    "a co-routine swap pops 0x104, which is where it goes, and pushes 0x202, which the next swap finds": (
        [CALL, swap(0x200, 1), swap(0x104, 1), linear(0x202, 1), END], [stop(5)], RET,
    ),
    "a swap on an empty stack is reported, and pushes all the same": (
        [swap(0x100, 1), ret(0x400, 1), linear(0x102, 1), END],
        [("NT-4", *reported(0x400, 1)), ("NT.7.12.trace_off", *stop(2))], RET,
    ),
    "uninferable calls push": (
        [Block(IType.UNINFERABLE_CALL, 0x100, 2), RETURN, BACK], [reported(0x200, 2)], RET,
    ),
    "tail calls do not": ([Block(IType.INFERABLE_TAIL_CALL, 0x100, 2), RETURN, BACK], [reported(0x104, 3)], RET),
    "a stop empties the stack": ([CALL, END, RETURN, BACK], [..., ..., reported(0x104, 1, 0x200)], RET),
    "a trap and its return between call and return keep the stack (NT-5)": (
        [CALL, exception(0x200), Block(IType.XRET, 0x800, 2), RETURN, BACK, END], [..., ..., stop(3)], RET,
    ),
    "a full I-CNT after a predicted return is reported when the next block shows that nothing else reports it": (
        [*LATE, linear(0x11E, 1), END], PREDICTED, RET | SMALL,
    ),
    "rc7: the same": ([*LATE, linear(0x11E, 1), END], PREDICTED, RET | SMALL | RC7),
    "v1_0: a full I-CNT keeps HIST": (
        [*WITH_HISTORY, END], [("ResourceFull", 0, 30), stop(2, 0b10)], RET | SMALL,
    ),
    "rc7: both with SYNC=4, which empties the stack: the outer return is reported": (
        WITH_HISTORY,
        [("NT.8.4.4.sync4", "IndirectBranchHistSync", 4, 0, 30, 0x11A >> 1, 0b10), ("NT-4", *reported(0xF4, 1, 0x11A))],
        RET | SMALL | RC7,
    ),
    # At the target of a predicted return
    "a trap: its I-CNT has call and return, and the reference is still the start": (
        [CALL, RETURN, exception(0x104), HANDLER], [("NT.2.exception", *trap(3))], RET,
    ),
    "a trap after a full I-CNT: ResourceFull takes the half-words, the trap has none left": (
        [*LATE, exception(0x11E), HANDLER],
        [("NT.8.4.4.predicted", "ResourceFull", 0, 30), ("NT.2.exception", *trap(0))], RET | SMALL,
    ),
    "a trap at a return that is reported: the return with the trapping address, then the trap with I-CNT=0 (NT-12)": (
        [RETURN, exception(0x104), HANDLER], [("NT-4", *reported(0x104, 1, 0x200)), ("NT-12", *trap(0, 0x104))], RET,
    ),
    "a mark finds nothing pending: ProgTraceSync with the half-words of call and return": (
        [CALL, row(RETURN, notify=1), BACK], [("NT.8.5.sync6", "ProgTraceSync", 6, 3, 0x82)], RET,
    ),
    "so does a periodic sync": (
        [row(CALL, cycle=100), RETURN, row(BACK, cycle=116)], [("NT.8.5.sync2_linear", "ProgTraceSync", 2, 3, 0x82)],
        RET | {"inst_sync_mode": 2},
    ),
    "a mark at a full I-CNT: the sync message carries the full count, no ResourceFull": (
        [LATE[0], row(LATE[1], ext_notify=1), linear(0x11E, 2)],
        [("NT.8.5.sync0", "ProgTraceSync", 0, 30, 0x11E >> 1)], RET | SMALL,
    ),
    "tracing stops before the target is seen: the return is the last instruction reported": (
        [CALL, RETURN, END], [("NT.7.12.open_target", *stop(3))], RET,
    ),
    # The stack address is that of the reset vector: no prediction may hide the reset.
    "the hart is reset before the target is seen": (
        [CALL, RETURN, IN_RESET, BACK], [("NT.8.5.sync1", "ProgTraceSync", 1, 3, 0x82)], RET,
    ),
}  # fmt: skip


def jump(iaddr: int, iretire: int, ilastsize: int = 1, itype: int = IType.OTHER_UNINFERABLE_JUMP) -> Block:
    """A block that ends with a sequentially inferable jump."""
    return Block(itype, iaddr, iretire, ilastsize, sijump=1)


ON, ALL = {"sequential_jump": 1}, {"all_jumps": 1}
SEVEN, TARGET = Block(IType.RESERVED, 0x100, 2), linear(0x500, 1)  # itype 7 in rc7: a direct jump, with all-jumps
ALONE = ("NT.9.1.sequential_jump", "IndirectBranch", 0, 2)

JUMPS: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "a jump at the start: its lui is not traced": (
        [jump(0x104, 2), TARGET], [(*ALONE, (0x104 ^ 0x500) >> 1)], ON,
    ),
    "the lui is the 16th half-word: ResourceFull comes between it and its jump": (
        [linear(0x100, 14), linear(0x11C, 2), jump(0x120, 2), TARGET],
        [("NT.8.4.4.resource_full", "ResourceFull", 0, 16), (*ALONE, (0x100 ^ 0x500) >> 1)], ON | SMALL,
    ),
    "the mark after the lui is reported at the jump's block, before the jump is counted": (
        [row(linear(0x100, 2), notify=1), jump(0x104, 2), TARGET],
        [("NT.8.5.sync6", "ProgTraceSync", 6, 2, 0x82), (*ALONE, (0x104 ^ 0x500) >> 1)], ON,
    ),
    "auipc and jalr ra push 0x108": (
        [jump(0x100, 4, itype=IType.UNINFERABLE_CALL), ret(0x500, 1), linear(0x108, 1), END], [stop(6)], ON | RET,
    ),
    "a return after auipc pops it although its target need not be reported": (
        [jump(0x100, 4, itype=IType.UNINFERABLE_CALL), jump(0x500, 4, itype=IType.RETURN), ret(0x600, 1),
         linear(0x108, 1)],
        [("NT-4", "IndirectBranch", 0, 9, (0x100 ^ 0x108) >> 1)], ON | RET,
    ),
    "a trap at the target": (
        [jump(0x100, 4), exception(0x500), linear(0x800, 1)], [("NT.2.exception", *trap(4))], ON,
    ),
    "all-jumps in BTM reports each jump (table 4)": (
        [SEVEN, linear(0x200, 1), END],
        [("NT.2.all_jumps", "DirectBranch", 2), ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 0, 1)],
        ALL | RC7 | {"mode": "btm"},
    ),
    "all-jumps in HTM shifts a 1 into HIST (table 4)": ([SEVEN, linear(0x200, 1), END], [stop(3, 0b11)], ALL | RC7),
    "itype 7 without the option is no flow change": ([SEVEN, linear(0x104, 1), END], [stop(3)], RC7),
    "nor in v1_0": ([SEVEN, linear(0x104, 1), END], [stop(3)], ALL),
    "a call that the port reports as itype 5 leaves the stack empty: its return is reported": (
        [Block(IType.TAKEN, 0x100, 2), ret(0x200, 1), linear(0x104, 1)],
        [("IndirectBranchHist", 0, 3, (0x100 ^ 0x104) >> 1, 0b11)], ALL | RET,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [*RETURNS.values(), *JUMPS.values()], ids=[*RETURNS, *JUMPS])
def test_case(case: tuple[list[Any], list[Any], dict[str, Any]]) -> None:
    rows, expected, config = case
    sends(rows, [..., *expected], **config)


def test_full_counts_are_reported_when_nothing_else_does() -> None:
    """After a predicted return by the next block; after a sequential jump, where nothing is pending, at once."""
    assert encode([*LATE, linear(0x11E, 1), END], **RET, **SMALL).beat[1:] == [3, 4]
    rows = [linear(0x100, 15), jump(0x11E, 2), TARGET]
    assert sends(rows, [..., ("NT.8.4.4.resource_full", "ResourceFull", 0, 17)], **ON, **SMALL).beat[1:] == [2]


@pytest.mark.parametrize("mode", ["btm", "htm"])
@pytest.mark.parametrize("how", [COUNTER, PARTIAL, FULL])
def test_predicted(how: int, mode: str) -> None:
    """Call, return and what follows are one I-CNT."""
    trace = encode([CALL, RETURN, BACK, END], implicit_return=how, mode=mode)
    assert [m.get("icnt") for m in trace.messages] == [0, 5]


@pytest.mark.parametrize("target", [0x108, 0x504, 0x904])
def test_another_target(target: int) -> None:
    """0x108 and 0x504 differ from 0x104 in bits 10 to 1, 0x904 in bit 11 alone; a counter sees no address."""
    rows = [CALL, RETURN, linear(target, 2)]
    sends(rows, [..., ("NT.9.2.mode_full", *reported(target, 3))], implicit_return=FULL)
    partial = [] if target == 0x904 else [("NT.9.2.mode_partial", *reported(target, 3))]
    sends(rows, [..., *partial], implicit_return=PARTIAL)
    sends(rows, [...], implicit_return=COUNTER)


@pytest.mark.parametrize("how, clause", [(COUNTER, "NT.9.2.mode_counter"), (PARTIAL, "NT-4"), (FULL, "NT-4")])
def test_empty_stack(how: int, clause: str) -> None:
    sends([RETURN, BACK], [..., (clause, *reported(0x104, 1, 0x200))], implicit_return=how)


@pytest.mark.parametrize("how", [COUNTER, PARTIAL, FULL])
def test_overflow_drops_the_oldest(how: int) -> None:
    """Depth 2: the third call drops the first return address; the two inner returns are predicted."""
    rows = [CALL, call(0x200, 2), call(0x300, 2), ret(0x400, 1), ret(0x304, 1), ret(0x204, 1), BACK]
    sends(rows, [..., reported(0x104, 9)], implicit_return=how, stack_depth=2)


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("pulse", ["notify", "ext_notify"])
def test_every_sync_empties_the_stack(pulse: str, variant: str) -> None:
    """NT-5, in rc7 too: a mark is reported at the return's block, after the call."""
    pulses: dict[str, Any] = {pulse: 1}
    sends([row(CALL, **pulses), RETURN, BACK], [..., ..., reported(0x104, 1, 0x200)], variant=variant, **RET)


@pytest.mark.parametrize(
    "blocks",
    [
        [jump(0x100, 4)],  # lui and jalr, 32 bits each
        [jump(0x100, 2, ilastsize=0)],  # c.lui and c.jr
        [linear(0x100, 2), jump(0x104, 2)],  # two blocks
        [linear(0x100, 1), jump(0x102, 1, ilastsize=0)],
    ],
)
@pytest.mark.parametrize("mode", ["btm", "htm"])
def test_inferable(mode: str, blocks: list[Block]) -> None:
    """The pair is in one message: the target is not reported. Without the option it is."""
    rows = [*blocks, TARGET, END]
    half_words = sum(block.iretire for block in blocks)
    trace = encode(rows, mode=mode, **ON)
    assert [(m.name, m.get("icnt")) for m in trace.messages[1:]] == [("ProgTraceCorrelation", half_words + 1)]
    assert plain(encode(rows, mode=mode))[1] == ("IndirectBranch", 0, half_words, (0x100 ^ 0x500) >> 1)


@pytest.mark.parametrize("itype", [IType.EXCEPTION, IType.INTERRUPT, IType.XRET])
def test_traps_are_reported(itype: int) -> None:
    assert encode([jump(0x100, 4, itype=itype), TARGET], **ON).messages[1].get("icnt") == 4
