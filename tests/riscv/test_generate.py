# SPDX-License-Identifier: Apache-2.0
"""Generated programs and random walks: everything that can happen happens, and the same seed gives the same
bytes."""

import random
from functools import cache

import numpy as np
import pytest

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.generate import LAYOUTS, WalkProbabilities, generate, random_walk
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.riscv.walk import WalkError, check_flow
from tests.common.there import there

SEEDS = range(12)
INSN, INT = Kind.INSN, Kind.INTERRUPT
PARTS = [(xlen, variant) for xlen in (32, 64) for variant in isa.VARIANTS]


@cache
def walks(xlen: int, variant: str) -> list[tuple[Program, Retired]]:
    """The same dozen walks for every test."""
    made = []
    for seed in SEEDS:
        program = generate(
            random.Random(f"{seed}:program"), xlen, 700, sorted(LAYOUTS[xlen])[seed % len(LAYOUTS[xlen])]
        )
        made.append((program, random_walk(program, random.Random(f"{seed}:walk"), 4000, variant=variant)))
    return made


@pytest.mark.parametrize(("xlen", "variant"), PARTS)
def test_every_walk_follows_its_program(xlen, variant):
    for program, retired in walks(xlen, variant):
        check_flow(retired, program)
        assert 4000 <= (retired.kind == INSN).sum() <= 4030


@pytest.mark.parametrize(("xlen", "variant"), PARTS)
def test_every_itype_and_every_mnemonic_appears(xlen, variant):
    itypes, names = set(), set()
    for program, retired in walks(xlen, variant):
        itypes |= set(retired.itype.tolist())
        names |= {there(program.insn(pc)).name for pc in np.unique(retired.pc[retired.kind == INSN]).tolist()}
    never = {IType.UNINFERABLE_JUMP, IType.RESERVED}  # the first is for 3-bit ports
    if variant == "rc7":
        never |= {IType.UNINFERABLE_TAIL_CALL, IType.INFERABLE_TAIL_CALL}
    elif variant == "draft_0_026":  # 7 is a co-routine swap, 12 a return, 13 one that needs no report
        never = {IType.UNINFERABLE_JUMP, IType.RETURN}
    assert itypes == set(IType) - never
    wanted = {"beq", "bne", "blt", "bge", "bltu", "bgeu", "c.beqz", "c.bnez", "jal", "jalr", "c.j", "c.jr", "c.jalr"}
    wanted |= {"cm.jt", "cm.jalt", "cm.popret", "cm.popretz", "mret", "sret", "uret", "mnret", ""}
    wanted |= {"c.jal"} if xlen == 32 else set()
    wanted |= {"ecall", "ebreak", "c.ebreak"} if variant == "rc7" else set()
    assert names == wanted


@pytest.mark.parametrize("xlen", [32, 64])
def test_same_seed_same_bytes(xlen, tmp_path):
    for name in "ab":
        program = generate(random.Random("3:program"), xlen, 500)
        program.to_elf(tmp_path / f"{name}.elf")
        random_walk(program, random.Random("3:walk"), 2000).to_csv(tmp_path / f"{name}.csv")
    for suffix in ("elf", "csv"):
        assert (tmp_path / f"a.{suffix}").read_bytes() == (tmp_path / f"b.{suffix}").read_bytes()
    other = generate(random.Random("4:program"), xlen, 500)
    assert other.segments != program.segments


def test_a_walk_of_the_written_elf_is_the_same(tmp_path):
    program, retired = walks(64, "v1_0")[0]
    program.to_elf(tmp_path / "p.elf")
    again = random_walk(Program.from_elf(tmp_path / "p.elf"), random.Random("0:walk"), 4000)
    assert again.differs(retired) is None


def test_probabilities():
    program = generate(random.Random("1:program"), 64, 500)
    quiet = random_walk(
        program, random.Random("1:walk"), 3000, WalkProbabilities.plain(priv=Priv.S, switch=0.0, context=0)
    )
    assert not np.isin(quiet.kind, (INT, Kind.DEBUG_ENTRY)).any() and (quiet.kind == Kind.TRACE_ON).sum() == 1
    assert set(quiet.context.tolist()) == {0}
    noisy = random_walk(program, random.Random("1:walk"), 3000, WalkProbabilities(trap=0.3, interrupt=1.0))
    assert (noisy.kind == INT).sum() > 30
    without = Program(64, [(0, b"\x73\0\0\0")])
    with pytest.raises(WalkError, match="no function of the program ends in mret"):
        random_walk(without, random.Random(0), 10)


def test_without_zcm_other_tools_can_read_the_program():
    program = generate(random.Random("5:program"), 64, 500, zcm=False)
    assert not program.zcmp and not program.zcmt and not program.data
