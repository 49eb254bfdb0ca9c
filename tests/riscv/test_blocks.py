# SPDX-License-Identifier: Apache-2.0
"""Grouping: every legal grouping of a stream reads back as that stream, and the groupings are legal."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import from_beats, to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.generate import generate, random_walk
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.models.riscv.walk import Walk

BASE = 0x1000
EXC, INT = Kind.EXCEPTION, Kind.INTERRUPT


@pytest.fixture(scope="module")
def program() -> Program:
    """0x1000 nop; c.nop; ecall; 0x100A c.jr x10; 0x100C c.nop; mret."""
    b = ProgramBuilder(64, BASE)
    for name, *args in (("nop",), ("c_nop",), ("ecall",), ("c_jr", 10), ("c_nop",), ("mret",)):
        getattr(b, name)(*args)
    return b.build()


def blocks(beats: Beats) -> list[list[tuple]]:
    """Per beat the (itype, iaddr, iretire, ilastsize) of its blocks."""
    columns = [getattr(beats, name).tolist() for name in ("itype", "iaddr", "iretire", "ilastsize")]
    rows = (list(zip(*lanes)) for lanes in zip(*columns))
    return [[block for block, valid in zip(row, mask) if valid] for row, mask in zip(rows, beats.valid())]


def short(program: Program, variant: str) -> Retired:
    walk = Walk(program, variant).trace_on().step(2).trap(11, 0x100C)
    walk.trap(7, 0x100C, interrupt=True).step().jump(0x100C).step().jump(0x100A).jump(BASE).step(2)
    return walk.trace_off().retired()


def test_longest_blocks_in_v1_0(program):
    assert blocks(to_beats(short(program, "v1_0"), lanes=2)) == [
        [], [],  # before, and trace_on
        [(1, BASE, 3, 0)],  # the ecall does not retire; its trap ends the block before it
        [(2, 0x100C, 0, 0)],  # back to back: alone, and at most one trap a cycle
        [(3, 0x100C, 3, 1), (3, 0x100C, 3, 1)], [(10, 0x100A, 1, 0), (0, BASE, 3, 0)], [],
    ]  # fmt: skip


def test_longest_blocks_in_rc7(program):
    found = blocks(to_beats(short(program, "rc7")))
    assert found[2] == [(1, BASE, 5, 1)]  # the ecall is the last instruction of its block, the EPC its address
    assert found[6] == [(14, 0x100A, 1, 0)]


def test_single_retirement(program):
    assert blocks(to_beats(short(program, "v1_0"), retirement="single"))[2:6] == [
        [(0, BASE, 2, 1)], [(1, BASE + 4, 1, 0)], [(2, 0x100C, 0, 0)], [(0, 0x100C, 1, 0)]
    ]  # fmt: skip


def test_a_trap_after_a_flow_change_is_alone(program):
    walk = Walk(program, start_pc=0x100A).jump(BASE).trap(2, 0x100C).step()
    assert blocks(to_beats(walk.retired(), lanes=4))[1:] == [
        [(10, 0x100A, 1, 0), (1, BASE, 0, 0)], [(0, 0x100C, 1, 0)]
    ]  # fmt: skip


def levels(beats: Beats) -> list[tuple]:
    return list(zip(beats.enable.tolist(), beats.inst_tracing.tolist(), beats.halted.tolist()))


def test_levels_and_initial_levels(program):
    walk = Walk(program).trace_on().step().debug_entry().debug_exit().step().trace_off()
    beats = to_beats(walk.retired())
    assert levels(beats) == [(0, 0, 0), (1, 1, 0), (1, 1, 0), (1, 1, 1), (1, 1, 0), (1, 1, 0), (1, 0, 0)]
    started = Walk(program).debug_exit().step().trace_off().retired()
    assert levels(to_beats(started)) == [(0, 1, 1), (1, 1, 0), (1, 1, 0), (1, 0, 0)]
    assert levels(to_beats(Walk(program).step().retired(), tracing=True))[1] == (1, 1, 0)


CASES = st.fixed_dictionaries({
    "seed": st.integers(0, 10_000), "xlen": st.sampled_from([32, 64]),
    "variant": st.sampled_from(["v1_0", "rc7"]),
})  # fmt: skip
PORTS = st.fixed_dictionaries({
    "lanes": st.integers(1, 4), "retirement": st.sampled_from(["single", "block"]),
    "max_iretire": st.sampled_from([2, 3, 8, 127]), "gaps": st.sampled_from([0.0, 0.3]),
})  # fmt: skip


def wandering(seed: int, xlen: int, variant: str) -> tuple[Program, Retired]:
    program = generate(random.Random(f"{seed}:program"), xlen, 200)
    return program, random_walk(program, random.Random(f"{seed}:walk"), 400, variant=variant)


@given(case=CASES, port=PORTS, shuffle=st.booleans())
@settings(max_examples=60, deadline=None)
def test_every_grouping_is_legal_and_reads_back(case, port, shuffle):
    program, retired = wandering(**case)
    rng = random.Random(f"{case['seed']}:grouping") if shuffle else None
    beats = to_beats(retired, rng=rng, **port)
    assert from_beats(beats, program, case["variant"]).differs(retired) is None
    valid = beats.valid()
    assert (np.diff(beats.cycle.astype(np.int64)) > 0).all()
    assert (valid[:, :-1] >= valid[:, 1:]).all(), "lanes fill from 0"
    assert not valid[beats.halted == 1].any() and not valid[0].any()
    assert beats.iretire.max() <= port["max_iretire"]
    for row in np.flatnonzero(valid.any(axis=1)):
        used = valid[row].sum()
        assert not np.isin(beats.itype[row, : used - 1], (EXC, INT)).any(), "a trap is in the newest block"
        for name in ("priv", "context", "hcontext"):
            assert len(set(getattr(beats, name)[row, :used].tolist())) == 1, f"one {name} a cycle"
    for row, lane in zip(*np.nonzero(valid)):
        values = [int(getattr(beats, n)[row, lane]) for n in FIELDS]
        check_block(program, case["variant"], *values, port=port)


def goes_straight(insn: isa.Insn) -> bool:
    """rc7 reports cm.jt with itype 0: to the next address it looks like any other instruction."""
    return insn.name == "cm.jt" and insn.target == insn.pc + 2


FIELDS = ("itype", "iaddr", "iretire", "ilastsize")


def check_block(program, variant, itype, pc, halves, ilastsize, port):
    """E-Trace 2.0 chapter 4: contiguous instructions, of which only the last may change the flow."""
    end, insns = pc + 2 * halves, []
    while pc < end:
        insns.append(program.insn(pc))
        pc += insns[-1].size
    assert pc == end and ilastsize == (bool(insns) and insns[-1].size == 4)
    assert not any(insn.flow and not goes_straight(insn) for insn in insns[:-1])
    assert len(insns) <= 1 or port["retirement"] == "block"
    if insns and itype in (EXC, INT):  # the trap follows instructions that do not change the flow
        last = insns[-1]
        assert not last.flow or goes_straight(last) or (variant, itype, last.flow) == ("rc7", EXC, Flow.TRAP)
    elif insns:
        jumped = {IType.OTHER_UNINFERABLE_JUMP} if isa.is_custom(insns[-1]) else set()
        assert itype in {isa.itype(insns[-1], variant, taken) for taken in (False, True)} | jumped
