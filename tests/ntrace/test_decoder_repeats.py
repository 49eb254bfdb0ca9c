# SPDX-License-Identifier: Apache-2.0
"""RepeatBranch (7.11, NT-6), with and without a return stack."""

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

F, UP, DOWN = 0x2000, 0x2100, 0x2200


def stack_program() -> Program:
    b = ProgramBuilder(64, MAIN)
    b.label("loop")
    b.jal(1, F)
    b.bne(1, 2, "loop")  # MAIN + 4
    b.c_jr(10)
    b.org(F)
    b.c_nop()
    b.c_jr(1)  # F + 2
    b.org(UP)
    b.c_jalr(10)  # calls what a0 holds: itself
    b.c_jr(1)  # UP + 2
    b.org(DOWN)
    b.c_jr(1)
    b.org(HANDLER)
    b.c_nop()
    b.mret()
    return b.build()


def test_repeat_with_a_return_inside() -> None:
    """BTM: each turn calls F, which returns without a message."""
    w = Writer(stack_program(), mode="btm", implicit_return=3, repeat_branch=1).start(MAIN)
    for turn in range(1001):
        w.step(2).infer(MAIN + 4)
        w.retire(1)
        w.pc, w.icnt = MAIN, 0 if turn else w.icnt
        if not turn:
            w.send("DirectBranch", w.counts()[0])
    w.send("RepeatBranch", 1000).step(2).infer(MAIN + 4).branch(0).stop().check()


@pytest.mark.parametrize("times", [1, 5, 40, 3000])
def test_repeats_that_push(times: int) -> None:
    """An indirect call to itself, repeated: every turn adds to the stack, and the returns after it know it."""
    w = Writer(stack_program(), implicit_return=3, repeat_branch=1).start(UP).jump(UP)
    for _ in range(times):
        w.retire()
    w.icnt = 0
    w.send("RepeatBranch", times)
    for _ in range(min(times, 32)):
        w.jump(DOWN) if w.pc == UP else w.infer(UP + 2)
    w.infer(UP + 2).stop().check()


def test_repeats_that_pop() -> None:
    """Returns that are reported take their entries off, in the repeats as well: one call is left for the last
    return.
    """
    w = Writer(stack_program(), implicit_return=3, repeat_branch=1).start(UP).jump(UP).jump(UP).jump(UP).jump(DOWN)
    w.jump(DOWN)
    w.retire()
    w.retire()
    w.icnt = 0
    w.send("RepeatBranch", 2).infer(UP + 2).stop().check()


@pytest.mark.parametrize("times, second", [(1, MAIN + 4), (2, F + 2), (3, MAIN + 4)])
def test_readings_differ_where_uaddr_is_not_0(times: int, second: int) -> None:
    """NT-6: the first reading repeats the target; the second XORs U-ADDR anew, and comes to every other address."""
    w = (
        Writer(stack_program(), repeat_branch=1)
        .start(MAIN + 4)
        .send("IndirectBranchHist", 3, 0, (MAIN + 4 ^ F + 2) >> 1, 1)
    )
    w.traps.append((0, MAIN + 4, 3))
    w.traps += [(0, F + 2, 3)] * times
    trace = w.send("RepeatBranch", times).send("ProgTraceSync", 2, 0, F + 2 >> 1).stop().check()
    (reading,) = trace.readings
    assert (reading.first, reading.second, reading.other) == (F + 2, second, MAIN + 4)
    assert (reading.message.name, reading.repeated.name, reading.index) == ("RepeatBranch", "IndirectBranchHist", 0)
    assert [n.clause for n in trace.notes] == ["NT-6"]


def test_all_readings_agree_on_uaddr_0_and_direct_branches() -> None:
    w = Writer(sample_program(), repeat_branch=1).start(0x101A).step().jump(0x101A).step().jump(0x101A)
    w.pcs += [0x101A, 0x101C] * 7
    w.taken += [-1] * 14
    trace = w.send("RepeatBranch", 7).stop().check()
    assert not trace.readings and not trace.notes


def test_repeat_after_repeat_and_ownership() -> None:
    """Counts that overflow come in several messages; a message that is no branch may come between."""
    w = Writer(sample_program(), mode="btm", repeat_branch=1, ownership=1).start(0x1006).step().branch(1)
    w.send("RepeatBranch", 3).send("Ownership", 0xC).send("RepeatBranch", 4)
    w.pcs += [0x1006, 0x100A] * 7
    w.taken += [-1, 1] * 7
    w.step().branch(0).stop().check()
