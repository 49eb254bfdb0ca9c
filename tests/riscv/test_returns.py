# SPDX-License-Identifier: Apache-2.0
"""Returns that a return stack predicts wrongly: found by hand-made scenarios, and absent from well-behaved walks."""

import random

import pytest

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.generate import WalkProbabilities, generate, random_walk
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.models.riscv.returns import explain, misleading
from rvtrace.models.riscv.stream import check_flow, with_options
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus
from tests.common.long import some

MAIN, FUNCTION, AFTER = 0x1000, 0x1100, 0x1004


@pytest.fixture(scope="module")
def program() -> Program:
    """main: jal ra, function; c.nop...; function: c.nop; c.jr ra. Another main 0x800 bytes on."""
    b = ProgramBuilder(64, MAIN)
    for place in (MAIN, MAIN + 0x800):
        b.org(place)
        b.jal(1, "function")
        for _ in range(8):
            b.c_nop()
    b.org(FUNCTION)
    b.label("function")
    b.c_nop()
    b.c_jr(1)
    return b.build(MAIN)


def called(program: Program, start: int = MAIN) -> Walk:
    return Walk(program, start_pc=start).step(2)


def test_a_return_to_its_call_misleads_nobody(program):
    retired = called(program).jump(AFTER).step().retired()
    assert misleading(retired, 1) == misleading(retired, 2) == []


def test_a_return_elsewhere_misleads_a_counter(program):
    retired = called(program).jump(AFTER + 2).step().retired()
    assert (
        misleading(retired, 1) == [2]
        and misleading(retired, 2) == misleading(retired, 3) == misleading(retired, 0) == []
    )
    assert "IMPLICIT_RETURN=1 would believe it; give IMPLICIT_RETURN=3" in explain(retired, program, 1, [2])


def test_a_return_to_an_address_with_the_same_low_bits_misleads_mode_2(program):
    retired = called(program).jump(AFTER + 0x800).step().retired()
    assert misleading(retired, 2) == [2] and misleading(retired, 3) == []


def test_what_came_before_a_restart_is_forgotten(program):
    walk = called(program).trace_on().jump(AFTER + 2).step()
    assert misleading(walk.retired(), 1) == []
    assert misleading(called(program).notify().jump(AFTER + 2).step().retired(), 1) == [3]
    assert misleading(called(program).jump(AFTER + 2).debug_entry().debug_exit(MAIN).step().retired(), 1) == []


def test_nothing_is_pushed_for_calls_reported_as_branches(program):
    retired = with_options(called(program).jump(AFTER + 2).step().retired(), program, all_jumps=True)
    assert misleading(retired, 1) == []


@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("seed", some(range(6), 2))
def test_well_behaved_walks(xlen, seed):
    rng = random.Random(f"{seed}:returns")
    program = generate(rng, xlen, 1000, well_behaved=True)
    retired = random_walk(program, rng, 6000, WalkProbabilities(well_behaved=True))
    check_flow(retired, program)
    assert misleading(retired, 1) == []
    assert (retired.itype == IType.RETURN).sum() > 20


@pytest.mark.parametrize("all_jumps", [False, True])
def test_no_walk_misleads_partial_addresses(all_jumps):
    found = 0
    for seed in range(6):
        rng = random.Random(f"{seed}:partial")
        program = generate(rng, 64, 1000)
        retired = random_walk(program, rng, 6000, WalkProbabilities(mismatch=0.3, all_jumps=all_jumps))
        retired = with_options(retired, program, all_jumps)
        assert misleading(retired, 2) == []
        found += len(misleading(retired, 1))
    assert found > 20, "the returns go elsewhere often enough"


def test_a_program_that_cannot_be_followed_is_refused():
    """Its trap handler returns elsewhere; by a sentence, since the trace would be wrong."""
    with pytest.raises(
        JobError, match="program:traps cannot be traced so: .* is a return .* give IMPLICIT_RETURN=3, or 0"
    ):
        stimulus(Job("traps", "program:traps", {"implicit_return": 1}))
    assert len(stimulus(Job("sort", "program:sort", {"implicit_return": 1})).beats)
