# SPDX-License-Identifier: Apache-2.0
"""The ingress port as E-Trace uses it: itypes of its variants, triggers of instructions, changes of options, reports of
contexts.
"""

import random

import numpy as np
import pytest

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.blocks import (
    BlocksError,
    from_beats,
    observable,
    report_contexts,
    to_beats,
    without_stray_triggers,
)
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.riscv.stream import with_itype_width, with_variant
from rvtrace.models.riscv.walk_probabilities import WalkProbabilities
from tests.common.long import some
from tests.common.there import there

PROBABILITIES = WalkProbabilities(
    notify=0.05, ext_notify=0, vendor=0, sleep=0, hcontext=0, toggle=0.01, toggled=63, trap=0.05
)


def stream(seed: int, variant: str = "v2_0", **probabilities: object) -> tuple[Program, Retired]:
    """A walk that E-Trace can encode."""
    program = generate(random.Random(f"{seed}:program"), 64, 400)
    walk = random_walk(
        program,
        random.Random(f"{seed}:walk"),
        1500,
        WalkProbabilities(**{**PROBABILITIES.__dict__, **probabilities}),
        variant,
    )
    return program, observable(without_stray_triggers(walk), program)


@pytest.mark.parametrize("variant", isa.ETRACE_VARIANTS)
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_beats_are_read_back_as_the_stream(variant, seed):
    program, retired = stream(seed, variant)
    rng = random.Random(f"{seed}:blocks")
    assert {Kind.NOTIFY, Kind.TOGGLE} <= set(retired.kind.tolist())
    for lanes, coin in ((1, None), (2, rng), (4, rng)):
        beats = to_beats(retired, lanes, rng=coin, gaps=0.1, per_cycle=True)
        assert from_beats(beats, program, variant).differs(retired) is None


def test_a_beat_has_one_mode_and_nothing_after_its_trap_or_its_trigger():
    _, retired = stream(3)
    beats = to_beats(retired, 4, rng=random.Random("3:blocks"), per_cycle=True)
    valid, trap = beats.valid(), np.isin(beats.itype, (IType.EXCEPTION, IType.INTERRUPT))
    assert not (valid[:, 1:] & trap[:, :-1]).any() and trap.any()
    for name in ("priv", "context"):
        column = getattr(beats, name)
        assert (column == column[:, :1])[valid].all()
    noted = beats.notify == 1
    merged = noted & ((trap & (beats.iretire != 0)).any(axis=1) | (trap & valid)[:, 1:].any(axis=1))
    assert merged.any() and ((beats.iretire != 0).any(axis=1))[noted].all()


def test_a_trigger_without_an_instruction_is_refused():
    retired = Retired.from_columns(kind=[Kind.TRACE_ON, Kind.NOTIFY], pc=[0, 0], size=[0, 0])
    with pytest.raises(BlocksError, match="row 1 is a trigger that follows no instruction"):
        to_beats(retired, per_cycle=True)


def test_ctype_comes_with_the_first_block_of_a_context():
    _, retired = stream(3)
    beats = to_beats(retired, 2, per_cycle=True)
    reported = report_contexts(beats, "2", random.Random(0))
    rows = np.flatnonzero(beats.valid()[:, 0])
    context = beats.context[rows, 0]
    assert reported.ctype[rows[1:]].tolist() == [
        2 * (a != b) for a, b in zip(context[1:].tolist(), context[:-1].tolist())
    ]
    assert set(report_contexts(beats, "mixed", random.Random(0)).ctype.tolist()) == {0, 1, 2, 3}


def test_ctype_of_the_draft_says_nothing_while_the_context_is_the_same():
    _, retired = stream(3, "draft_0_026")
    beats = to_beats(retired, 2, per_cycle=True)
    reported = report_contexts(beats, "3", random.Random(0), "draft_0_026")
    rows = np.flatnonzero(beats.valid()[:, 0])
    changed = np.diff(beats.context[rows, 0].astype(np.int64)) != 0
    assert (reported.ctype[rows[1:]][changed] == 3).all() and set(reported.ctype[rows[1:]][~changed].tolist()) == {
        0,
        1,
        2,
    }
    assert not reported.ctype[~beats.valid()[:, 0]].any()


def test_a_port_of_3_bits_knows_uninferable_jumps_and_nothing_else():
    _, retired = stream(1)
    narrow = with_itype_width(retired, 3)
    insn = retired.kind == Kind.INSN
    assert set(narrow.itype[insn].tolist()) == {0, 3, 4, 5, 6}
    assert set(retired.itype[insn & (narrow.itype == 6)].tolist()) <= {8, 10, 12, 13, 14}


def test_variants_differ_in_returns_and_swaps_and_ecall_does_not_retire():
    program, retired = stream(2, "v1_0")
    v2, draft = (with_variant(retired, program, variant) for variant in isa.ETRACE_VARIANTS)
    insn = v2.kind == Kind.INSN
    assert (v2.itype == retired.itype).all() and len(v2) == len(draft)
    assert (draft.itype[insn & (v2.itype == IType.RETURN)] == 12).all() and (
        draft.itype[insn & (v2.itype == 12)] == 7
    ).all()
    assert not (program.columns(v2.pc[insn]).flow == isa.Flow.TRAP).any()


@pytest.mark.parametrize("variant", isa.VARIANTS)
def test_a_jump_from_x0_is_uninferable(variant: str):
    """Although its target is in the instruction: is_inferable_jump of E-Trace and table 2 of N-Trace have no jalr."""
    builder = ProgramBuilder(64, 0x100)
    builder.jalr(1, 0, 0x124)
    insn = there(builder.build().insn(0x100))
    assert insn.target == 0x124 and isa.itype(insn, variant) == IType.UNINFERABLE_CALL


def test_a_walk_keeps_to_what_the_port_has():
    _, retired = stream(4, virtualized=False, causes=4, vectors=True)
    assert set(retired.priv.tolist()) <= {Priv.U, Priv.S, Priv.M}
    traps = (retired.kind == Kind.EXCEPTION) | (retired.kind == Kind.INTERRUPT)
    assert retired.cause[traps].max() < 16
