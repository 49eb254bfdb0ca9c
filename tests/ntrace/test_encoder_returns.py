# SPDX-License-Identifier: Apache-2.0
"""The encoder model's implicit returns (section 9.2, NT-4, NT-5): which returns are reported in which mode."""

from __future__ import annotations

import pytest

from rvtrace.models.riscv.retired import IType
from tests.ntrace.encoder_stream import (
    OFF,
    ON,
    Block,
    call,
    each,
    encode,
    exception,
    explained,
    linear,
    not_taken,
    plain,
    ret,
    row,
)

END = row(levels=OFF)
COUNTER, PARTIAL, FULL = 1, 2, 3
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
CALL, RETURN = call(0x100, 2), ret(0x200, 1)  # the return address is 0x104


def swap(iaddr: int, iretire: int) -> Block:
    """A block that ends with a co-routine swap."""
    return Block(IType.COROUTINE_SWAP, iaddr, iretire)


def reported(target: int, icnt: int, ref: int = 0x100) -> tuple:
    """The IndirectBranch of a return."""
    return ("IndirectBranch", 0, icnt, (target ^ ref) >> 1)


@pytest.mark.parametrize("mode", ["btm", "htm"])
@pytest.mark.parametrize("how", [COUNTER, PARTIAL, FULL])
def test_predicted(how: int, mode: str) -> None:
    """Call, return and what follows are one I-CNT."""
    trace = encode([*each([CALL, RETURN, linear(0x104, 2)]), END], implicit_return=how, mode=mode)
    assert [m.get("icnt") for m in trace.messages] == [0, 5]


def test_off() -> None:
    assert plain(encode(each([CALL, RETURN, linear(0x104, 2)])))[1:] == [reported(0x104, 3)]


@pytest.mark.parametrize("target", [0x108, 0x504, 0x904])
def test_another_target(target: int) -> None:
    """0x108 and 0x504 differ from 0x104 in bits 10 to 1, 0x904 in bit 11 alone; a counter sees no address."""
    rows = each([CALL, RETURN, linear(target, 2)])
    full = ("NT.9.2.mode_full", *reported(target, 3))
    assert explained(encode(rows, implicit_return=FULL))[1:] == [full]
    partial = [] if target == 0x904 else [("NT.9.2.mode_partial", *reported(target, 3))]
    assert explained(encode(rows, implicit_return=PARTIAL))[1:] == partial
    assert explained(encode(rows, implicit_return=COUNTER))[1:] == []


@pytest.mark.parametrize("how, clause", [(COUNTER, "NT.9.2.mode_counter"), (PARTIAL, "NT-4"), (FULL, "NT-4")])
def test_empty_stack(how: int, clause: str) -> None:
    trace = encode(each([RETURN, linear(0x104, 2)]), implicit_return=how)
    assert explained(trace)[1:] == [(clause, *reported(0x104, 1, 0x200))]


def test_a_mismatch_pops() -> None:
    """The wrong return takes the inner call's address with it; the next one finds the outer call's."""
    blocks = [CALL, call(0x200, 2), ret(0x300, 1), ret(0x400, 1), linear(0x104, 2)]
    trace = encode([*each(blocks), END], implicit_return=FULL)
    assert plain(trace)[1:] == [reported(0x400, 5), ("ProgTraceCorrelation", 4, 1, 3, 1)]


def test_coroutine_swap() -> None:
    """It pops 0x104, which is where it goes, and pushes 0x202, which the next swap finds."""
    blocks = [CALL, swap(0x200, 1), swap(0x104, 1), linear(0x202, 1)]
    assert plain(encode([*each(blocks), END], implicit_return=FULL))[1:] == [("ProgTraceCorrelation", 4, 1, 5, 1)]


def test_swap_on_an_empty_stack() -> None:
    """It is reported, and pushes all the same."""
    trace = encode([*each([swap(0x100, 1), ret(0x400, 1), linear(0x102, 1)]), END], implicit_return=FULL)
    assert explained(trace)[1:] == [
        ("NT-4", *reported(0x400, 1)),
        ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 2, 1),
    ]


@pytest.mark.parametrize("how", [COUNTER, PARTIAL, FULL])
def test_overflow_drops_the_oldest(how: int) -> None:
    """Depth 2: the third call drops the first return address; the two inner returns are predicted."""
    calls = [CALL, call(0x200, 2), call(0x300, 2)]
    returns = [ret(0x400, 1), ret(0x304, 1), ret(0x204, 1), linear(0x104, 2)]
    trace = encode(each([*calls, *returns]), implicit_return=how, stack_depth=2)
    assert plain(trace)[1:] == [reported(0x104, 9)]


def test_which_calls_push() -> None:
    """Uninferable calls do, tail calls do not."""
    blocks = [Block(IType.UNINFERABLE_CALL, 0x100, 2), RETURN, linear(0x104, 2)]
    assert plain(encode(each(blocks), implicit_return=FULL))[1:] == [reported(0x200, 2)]
    blocks[0] = Block(IType.INFERABLE_TAIL_CALL, 0x100, 2)
    assert plain(encode(each(blocks), implicit_return=FULL))[1:] == [reported(0x104, 3)]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("pulse", ["notify", "ext_notify"])
def test_every_sync_empties_the_stack(pulse: str, variant: str) -> None:
    """NT-5, in rc7 too: a mark is reported at the return's block, after the call."""
    rows = [row(CALL, levels=ON, **{pulse: 1}), row(RETURN), row(linear(0x104, 2))]
    trace = encode(rows, implicit_return=FULL, variant=variant)
    assert plain(trace)[2:] == [reported(0x104, 1, 0x200)]


def test_stop_empties_the_stack() -> None:
    rows = [row(CALL), END, row(RETURN), row(linear(0x104, 2))]
    assert plain(encode(rows, implicit_return=FULL))[3:] == [reported(0x104, 1, 0x200)]


def test_traps_keep_the_stack() -> None:
    """NT-5: a trap and its return between call and return."""
    blocks = [CALL, exception(0x200), Block(IType.XRET, 0x800, 2), RETURN, linear(0x104, 2)]
    trace = encode([*each(blocks), END], implicit_return=FULL)
    assert plain(trace)[-1] == ("ProgTraceCorrelation", 4, 1, 3, 1)


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_full_icnt_after_a_predicted_return(variant: str) -> None:
    """The return makes it 30: reported when the next block shows that nothing else reports it."""
    rows = [*each([call(0x100, 15), ret(0x200, 15), linear(0x11E, 1)]), END]
    trace = encode(rows, implicit_return=FULL, variant=variant, **SMALL)
    assert explained(trace)[1:] == [
        ("NT.8.4.4.predicted", "ResourceFull", 0, 30),
        ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 1, 1),
    ]
    assert trace.beat[1:] == [3, 4]


def test_full_icnt_with_history() -> None:
    """v1_0 keeps HIST; rc7 reports both with SYNC=4, which empties the stack: the outer return is reported."""
    blocks = [not_taken(0xF0, 1), call(0xF2, 1), call(0x100, 13), ret(0x200, 15), ret(0x11A, 1), linear(0xF4, 1)]
    trace = encode([*each(blocks), END], implicit_return=FULL, **SMALL)
    assert plain(trace)[1:] == [("ResourceFull", 0, 30), ("ProgTraceCorrelation", 4, 1, 2, 0b10)]
    trace = encode(each(blocks), implicit_return=FULL, variant="rc7", **SMALL)
    assert explained(trace)[1:] == [
        ("NT.8.4.4.sync4", "IndirectBranchHistSync", 4, 0, 30, 0x11A >> 1, 0b10),
        ("NT-4", *reported(0xF4, 1, 0x11A)),
    ]
