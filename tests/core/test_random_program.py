# SPDX-License-Identifier: Apache-2.0
"""Random programs that compute: the reference simulator comes to their end, and meets all that they are there for."""

from random import Random

import pytest

from rvtrace.flow.cores.description import Core, names
from rvtrace.flow.cores.random_program import random_program
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.riscv.program import Program

MOST = 20_000  # instructions
SEEDS = range(12)
# Exceptions that some of the programs must meet: illegal instruction, breakpoint, misaligned or access fault, calls.
WANTED = {"ibex": {2, 3, 5, 7, 8, 11}, "cv32e40p": {2, 3, 11}, "picorv32": set()}
BASE = {"lui", "auipc", "jal", "jalr", "lb", "lh", "lw", "lbu", "lhu", "sb", "sh", "sw", "addi", "slti", "sltiu",
        "xori", "ori", "andi", "slli", "srli", "srai", "add", "sub", "sll", "slt", "sltu", "xor", "srl", "sra", "or",
        "and", "beq", "bne", "blt", "bge", "bltu", "bgeu"}  # fmt: skip
MULTIPLY = {"mul", "mulh", "mulhsu", "mulhu", "div", "divu", "rem", "remu"}


def made(core: Core, seed: int) -> Program:
    return random_program(Random(f"{seed}:random_program"), core.hart, core.traps, core.faults, core.counter_addresses)


def played(core: Core, program: Program) -> tuple[set[str], set[int], set[int]]:
    """(names of the instructions executed, causes of exceptions, modes); the program must come to `halt`."""
    hart, seen, causes, modes = Hart(core.hart), set(), set(), set()
    hart.pc = program.entry
    for at, body in (*program.segments, *program.data):
        hart.memory.write(at, bytes(body))
    for _ in range(MOST):
        if hart.pc == program.symbols["halt"]:
            return seen, causes, modes
        modes.add(hart.priv)
        step = hart.execute()
        if step.trap is None:
            seen.add(step.name)
        else:
            causes.add(step.trap[1])
    raise AssertionError(f"the program is not at halt after {MOST} instructions, but at {hart.pc:#x}")


@pytest.mark.parametrize("name", names())
def test_they_end_and_meet_every_instruction_and_exception(name: str):
    core = Core.load(name)
    parts = [played(core, made(core, seed)) for seed in SEEDS]
    seen, causes, modes = (set().union(*(part[k] for part in parts)) for k in range(3))
    assert not (BASE | MULTIPLY) - seen
    assert not WANTED[name] - causes and (core.traps or not causes)
    assert modes == ({0, 3} if "u" in core.hart.modes and core.traps else {3})


def test_the_same_seed_is_the_same_program():
    core = Core.load("ibex")
    one, two = made(core, 5), made(core, 5)
    assert list(one.segments) == list(two.segments) and one.symbols == two.symbols
    assert list(made(core, 6).segments) != list(one.segments)
