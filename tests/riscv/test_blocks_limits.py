# SPDX-License-Identifier: Apache-2.0
"""Grouping: what a port cannot carry, what it cannot report, and blocks that are no stream."""

import random

import pytest

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import BlocksError, from_beats, observable, to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Priv, Retired
from rvtrace.models.riscv.walk import Walk

BASE = 0x1000


@pytest.fixture(scope="module")
def program() -> Program:
    """0x1000 nop; 0x1004 c.jr x10; 0x1006 c.nop; mret."""
    b = ProgramBuilder(64, BASE)
    for name, *args in (("nop",), ("c_jr", 10), ("c_nop",), ("mret",)):
        getattr(b, name)(*args)
    return b.build()


def rows(**changes) -> Retired:
    columns = {"pc": [BASE, BASE + 4], "size": [4, 4], "kind": [0, 0]}
    return Retired.from_columns(**{**columns, **changes})


CANNOT = {
    "cause of more than 8 bits": rows(kind=[0, 1], size=[4, 0], cause=[0, 256]),
    "context of more than 32 bits": rows(context=[0, 1 << 32]),
    "neither 2 nor 4 bytes": rows(size=[4, 6]),
    "ecall or ebreak that no exception follows": rows(itype=[0, 1]),
    "row 1 is trace_on, and that level is in force": rows(kind=[Kind.TRACE_ON, Kind.TRACE_ON], size=[0, 0]),
    "row 1 at 0x1004 retires or traps in Debug Mode": rows(kind=[Kind.DEBUG_ENTRY, 0], size=[0, 4]),
}


@pytest.mark.parametrize("message", CANNOT)
def test_what_a_port_cannot_carry(message):
    with pytest.raises(BlocksError, match=message):
        to_beats(CANNOT[message])


@pytest.mark.parametrize("port", [{"lanes": 5}, {"lanes": 0}, {"retirement": "both"}, {"max_iretire": 1}])
def test_no_such_port(port):
    with pytest.raises(BlocksError, match="is not an ingress port"):
        to_beats(rows(), **port)


def test_a_block_that_does_not_fit_the_program(program):
    walk = Walk(program).step().jump(BASE)
    beats = to_beats(walk.retired())
    beats.iaddr[1, 0] = 0x1004  # ends in the middle of mret
    with pytest.raises(BlocksError, match="block at 0x1004 with iretire=3 has an instruction of 4 bytes"):
        from_beats(beats, program)
    beats.iaddr[1, 0] = 0x9000
    with pytest.raises(BlocksError, match="has no instruction at 0x9000"):
        from_beats(beats, program)


def test_a_jump_by_table_ends_its_block_in_rc7():
    """Seed Table 2 gives cm.jt itype 0; a block is contiguous all the same."""
    b = ProgramBuilder(64, BASE)
    for name, *args in (("nop",), ("cm_jt", "there"), ("nop",), ("label", "there"), ("nop",)):
        getattr(b, name)(*args)
    walk = Walk(b.build(), "rc7").step(3)
    beats = to_beats(walk.retired())
    assert (beats.iaddr.tolist(), beats.iretire.tolist()) == ([[0], [BASE], [BASE + 10]], [[0], [3], [2]])
    assert from_beats(beats, walk.program, "rc7").differs(walk.retired()) is None


@pytest.mark.parametrize("lanes", [1, 2])
def test_a_port_without_blocks(program, lanes):
    walk = Walk(program).trace_on().trace_off()
    found = from_beats(to_beats(walk.retired(), lanes), program)
    assert found.kind.tolist() == [Kind.TRACE_ON, Kind.TRACE_OFF] and found.pc.tolist() == [0, 0]
    assert len(from_beats(to_beats(Retired.from_rows([]), lanes), program)) == 0


def test_both_levels_in_one_beat_give_the_trace_row_first(program):
    beats = Beats.empty(3, 1, enable=1)
    beats.inst_tracing[:], beats.halted[:] = [0, 1, 0], [1, 0, 1]
    found = from_beats(beats, program)
    assert found.kind.tolist() == [Kind.TRACE_ON, Kind.DEBUG_EXIT, Kind.TRACE_OFF, Kind.DEBUG_ENTRY]


def test_what_a_port_cannot_say_of_control_rows(program):
    """After an indirect jump nothing says where Debug Mode begins, if the hart resumes elsewhere."""
    walk = Walk(program, priv=Priv.S).trace_on().step().debug_entry().debug_exit().jump(0x1006)
    walk.debug_entry().debug_exit(resume_pc=BASE).step().debug_entry().debug_exit(BASE, priv=Priv.M).step()
    walk.jump(0x1006).trace_off()
    retired = walk.retired()
    reported = observable(retired, program)
    changed = {int(row): int(reported.pc[row]) for row in range(len(retired)) if reported.pc[row] != retired.pc[row]}
    # debug_entry after c.jr: that of the next instruction; trace_off at the end: unknown
    assert changed == {5: BASE, 12: 0}
    assert reported.priv.tolist() == retired.priv.tolist()
    assert from_beats(to_beats(retired), program).differs(reported) is None
    assert observable(reported, program).differs(reported) is None


def test_groupings_depend_on_the_seed_only(program):
    retired = Walk(program).step().jump(0x1006).step().jump(BASE).step().retired()
    groupings = {seed: to_beats(retired, 2, rng=random.Random(seed), gaps=0.5).cycle.tobytes() for seed in range(30)}
    assert len(set(groupings.values())) > 3
    for seed, cycles in groupings.items():
        assert to_beats(retired, 2, rng=random.Random(seed), gaps=0.5).cycle.tobytes() == cycles
