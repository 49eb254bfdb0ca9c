# SPDX-License-Identifier: Apache-2.0
"""Repeated history: every way in which 9.3 lets the same branches be encoded."""

import random

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import MAIN, Writer


def two_branches() -> Program:
    """A loop whose branches go 0, 1: the pattern of the example in 9.3."""
    b = ProgramBuilder(64, MAIN)
    b.label("loop")
    b.c_beqz(8, "out")
    b.c_bnez(9, "loop")
    b.label("out")
    b.c_nop()
    return b.build()


def turn(w: Writer) -> None:
    """Once round the loop, its branches reported elsewhere."""
    w.retire(0)
    w.pc += 2
    w.retire(1)
    w.pc = MAIN


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
    """300 branches, encoded in each way 9.3 allows."""
    w = Writer(two_branches(), repeated_history=1).start(MAIN)
    for message in messages:
        w.send("ResourceFull", *message)
    for _ in range(150):
        turn(w)
    w.stop().check()


def test_any_split_of_a_random_history() -> None:
    """Runs of equal patterns as HREPEAT of any pattern and count, I-CNT in pieces between them."""
    rng = random.Random("9.3")
    for _ in range(100):
        w = Writer(two_branches(), repeated_history=1).start(MAIN)
        for _ in range(rng.randrange(1, 8)):
            times, size = rng.randrange(1, 40), rng.randrange(1, 6)
            for _ in range(times * size):
                turn(w)
            w.send("ResourceFull", 2, int("1" + "01" * size, 2), times)
            if rng.random() < 0.3:
                w.full_icnt()
        w.branch(1).step().stop().check()
