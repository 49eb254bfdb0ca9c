"""Repeated history (9.3) and RepeatBranch (7.11, NT-6), with and without a return stack."""

from __future__ import annotations

import random

import pytest

from models.riscv.builder import ProgramBuilder
from models.riscv.program import Program
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

F, UP, DOWN, OTHER = 0x2000, 0x2100, 0x2200, 0x2300


def two_branches() -> Program:
    """A loop whose branches go 0, 1: the pattern of the example in 9.3."""
    b = ProgramBuilder(64, MAIN)
    b.label("loop")
    b.c_beqz(8, "out")
    b.c_bnez(9, "loop")
    b.label("out")
    b.c_nop()
    return b.build()


PATTERN = 0b1_01 << 28 | 0x5555555  # stop bit and 01 fifteen times


@pytest.mark.parametrize("messages", [
    [(1, PATTERN)] * 10,  # 9.3: ten messages
    [(2, PATTERN, 10)],  # instead of them, one
    [(2, 0b101, 150)],  # or a shorter pattern with a larger count
    [(2, 0b10101, 75)],
    [(2, 0b101, 100), (2, 0b101, 50)],  # HREPEAT overflows: several messages add up
    [(1, 0b10), (2, 0b110, 149), (1, 0b11)],  # the pattern the other way round, split anywhere
    [(2, PATTERN, 1), (1, 0b101), (2, 0b1010101, 44), (2, 0b101, 2)],
])  # fmt: skip
def test_9_3(messages: list[tuple[int, ...]]) -> None:
    """300 branches, told in each way 9.3 allows."""
    w = Writer(two_branches(), repeated_history=1).start(MAIN)
    for message in messages:
        w.send("ResourceFull", *message)
    for _ in range(150):
        w.branch(0)
        w.hist = 1
        w.retire(1)
        w.pc = MAIN
    w.stop().check()


def test_any_split_of_a_random_history() -> None:
    """Runs of equal patterns as HREPEAT of any pattern and count, I-CNT in pieces between them."""
    rng = random.Random("9.3")
    for _ in range(100):
        w = Writer(two_branches(), repeated_history=1).start(MAIN)
        for _ in range(rng.randrange(1, 8)):
            times, size = rng.randrange(1, 40), rng.randrange(1, 6)
            for _ in range(times * size):
                w.retire(0)
                w.pc += 2
                w.retire(1)
                w.pc = MAIN
            w.send("ResourceFull", 2, int("1" + "01" * size, 2), times)
            if rng.random() < 0.3:
                w.full_icnt()
        w.branch(1).step().stop().check()


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
    b.org(OTHER)
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
    """An indirect call to itself, repeated: every turn adds to the stack, and the returns behind know it."""
    w = Writer(stack_program(), implicit_return=3, repeat_branch=1).start(UP).jump(UP)
    for _ in range(times):
        w.retire()
    w.icnt = 0
    w.send("RepeatBranch", times)
    for _ in range(min(times, 32)):
        w.jump(DOWN) if w.pc == UP else w.infer(UP + 2)
    w.infer(UP + 2).stop().check()


def test_repeats_that_pop() -> None:
    """Returns that are told take their entries off: what is left is known."""
    w = Writer(stack_program(), implicit_return=3, repeat_branch=1).start(MAIN).step(2).jump(UP).jump(DOWN).jump(UP)
    w.jump(UP).jump(DOWN)  # the stack: UP + 2 three times, less one
    w.retire()
    w.indirect(0, DOWN, None)
    w.retire()
    w.icnt = 0
    w.send("RepeatBranch", 1).stop().check()


@pytest.mark.parametrize("times, second", [(1, MAIN + 4), (2, F + 2), (3, MAIN + 4)])
def test_readings_differ_where_uaddr_is_not_0(times: int, second: int) -> None:
    """NT-6: the first reading repeats the target; the second XORs U-ADDR anew, and comes to every other address."""
    w = Writer(stack_program(), repeat_branch=1).start(MAIN + 4).send("IndirectBranchHist", 3, 0, (MAIN + 4 ^ F + 2) >> 1, 1)
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
    """Counts that overflow come in several messages; a message that is no branch may stand between."""
    w = Writer(sample_program(), mode="btm", repeat_branch=1, ownership=1).start(0x1006).step().branch(1)
    w.send("RepeatBranch", 3).send("Ownership", 0xC).send("RepeatBranch", 4)
    w.pcs += [0x1006, 0x100A] * 7
    w.taken += [-1, 1] * 7
    w.step().branch(0).stop().check()
