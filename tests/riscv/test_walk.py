# SPDX-License-Identifier: Apache-2.0
"""Walks: what they record, what they refuse, the two variants, and streams that no hart could have
produced."""

import dataclasses

import numpy as np
import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, Kind, Priv, Retired
from rvtrace.models.riscv.walk import Walk, WalkError, with_variant
from tests.common.there import there

MAIN, LOOP, CALL, ECALL, AFTER, FUNCTION, HANDLER = 0x1000, 0x1004, 0x100A, 0x100E, 0x1012, 0x1014, 0x1016


@pytest.fixture(scope="module")
def program() -> Program:
    b = ProgramBuilder(64, MAIN)
    assert b.label("main") == b.nop() == MAIN
    assert b.label("loop") == b.c_nop() == LOOP
    b.bne(1, 2, "loop")
    assert b.jal(1, "function") == CALL
    assert b.ecall() == ECALL
    assert b.c_j("main") == AFTER
    assert b.label("function") == b.c_jr(1) == FUNCTION
    assert b.label("handler") == b.mret() == HANDLER
    return b.build()


def program_walk(program: Program, variant: str) -> Walk:
    walk = Walk(program, variant, priv=Priv.U, context=7).trace_on()
    walk.step(2).branch(True).step().branch(False).step().jump(ECALL)
    walk.trap(8, HANDLER, tval=3).jump(AFTER, priv=Priv.U).trap(7, HANDLER, interrupt=True)
    walk.debug_entry().debug_exit().jump(AFTER, priv=Priv.U, context=9).step().trace_off()
    return walk


INSN, U, M = Kind.INSN, Priv.U, Priv.M
ROWS = [  # kind, pc, size, itype, taken, cause, tval, priv, context
    (Kind.TRACE_ON, MAIN, 0, 0, -1, 0, 0, U, 7), (INSN, MAIN, 4, 0, -1, 0, 0, U, 7),
    (INSN, LOOP, 2, 0, -1, 0, 0, U, 7), (INSN, LOOP + 2, 4, 5, 1, 0, 0, U, 7),
    (INSN, LOOP, 2, 0, -1, 0, 0, U, 7), (INSN, LOOP + 2, 4, 4, 0, 0, 0, U, 7),
    (INSN, CALL, 4, 9, -1, 0, 0, U, 7), (INSN, FUNCTION, 2, 13, -1, 0, 0, U, 7),
    (Kind.EXCEPTION, ECALL, 0, 1, -1, 8, 3, U, 7), (INSN, HANDLER, 4, 3, -1, 0, 0, M, 7),
    (Kind.INTERRUPT, AFTER, 0, 2, -1, 7, 0, U, 7), (Kind.DEBUG_ENTRY, HANDLER, 0, 0, -1, 0, 0, M, 7),
    (Kind.DEBUG_EXIT, HANDLER, 0, 0, -1, 0, 0, M, 7), (INSN, HANDLER, 4, 3, -1, 0, 0, M, 7),
    (INSN, AFTER, 2, 11, -1, 0, 0, U, 9), (Kind.TRACE_OFF, MAIN, 0, 0, -1, 0, 0, U, 9),
]  # fmt: skip


def test_scenario_row_by_row(program):
    assert program_walk(program, "v1_0").retired().differs(Retired.from_rows(ROWS)) is None
    assert program_walk(program, "v1_0").count == sum(row[0] == INSN for row in ROWS)


def test_ecall_retires_in_rc7_only(program):
    rows = [(*row[:3], 15, *row[4:]) if row[3] == 11 else row for row in ROWS]
    rows.insert(8, (INSN, ECALL, 4, 1, -1, 0, 0, U, 7))
    assert program_walk(program, "rc7").retired().differs(Retired.from_rows(rows)) is None


def test_an_ecall_that_cannot_be_fetched_does_not_retire(program):
    walk = Walk(program, "rc7", ECALL).trap(12, HANDLER)
    assert walk.retired().kind.tolist() == [Kind.EXCEPTION]
    assert len(with_variant(walk.retired(), program, "rc7")) == 1


def test_variants_turn_into_each_other_with_their_effects(program):
    v1_0, rc7 = (program_walk(program, variant).retired() for variant in ("v1_0", "rc7"))
    zero = np.zeros(len(v1_0), dtype=np.uint64)
    rows = np.arange(len(v1_0))
    effects = Effects(rows + 1, rows * 10, zero, zero, zero, zero, np.array([8, 8, 9]), np.arange(3), np.arange(3))
    v1_0.effects = effects
    changed = with_variant(v1_0, program, "rc7")
    assert changed.differs(rc7) is None
    moved = there(changed.effects)
    assert moved.rd.tolist() == [*range(1, 9), 0, *range(9, 17)]  # the ecall's own row does nothing
    assert moved.csr_row.tolist() == [9, 9, 10]  # the trap wrote its CSRs
    back = with_variant(changed, program, "v1_0")
    assert back.differs(v1_0) is None
    for name in (f.name for f in dataclasses.fields(Effects)):
        assert getattr(back.effects, name).tolist() == getattr(effects, name).tolist(), name


REFUSED = {
    "use branch": lambda w: w.step(3),
    "not a branch": lambda w: w.branch(True),
    "not an indirect jump": lambda w: w.jump(MAIN),
    "must be even": lambda w: w.trap(2, MAIN + 1),
    "only mret": lambda w: w.step(2).branch(False).step().jump(MAIN, priv=Priv.U),
    "use trap": lambda w: w.step(2).branch(False).step().jump(ECALL).step(),
    "use jump": lambda w: w.step(2).branch(False).step(2),
    "tracing is on already": lambda w: w.trace_on().trace_on(),
    "tracing is off already": lambda w: w.trace_off().trace_off(),
    "call debug_exit": lambda w: w.debug_entry().step(),
    "in Debug Mode": lambda w: w.debug_entry().trap(2, HANDLER),
    "call debug_entry": lambda w: w.debug_entry().debug_exit().debug_exit(),
    "left the program": lambda w: w.trap(2, 0x9000).step(),
    "use branch.taken.$": lambda w: w.run_to(CALL),
}


@pytest.mark.parametrize("message", REFUSED)
def test_walk_refuses_what_the_program_does_not_allow(program, message):
    with pytest.raises(WalkError, match=message):
        REFUSED[message](Walk(program))


def test_endless_loop_is_refused():
    builder = ProgramBuilder(64, MAIN)
    builder.c_j(MAIN)
    with pytest.raises(WalkError, match="not reached in 50 instructions"):
        Walk(builder.build()).run_to(AFTER, limit=50)


def test_run_retires_up_to_a_flow_change_a_stop_or_the_limit(program):
    walk = Walk(program, stops=frozenset({LOOP}))
    assert there(walk.run()).pc == LOOP and there(walk.run()).pc == LOOP and walk.count == 1
    assert there(Walk(program).run()).pc == LOOP + 2 and there(Walk(program).run(1)).pc == LOOP
