# SPDX-License-Identifier: Apache-2.0
"""From a job of N-Trace to its stimulus: the program, its retired instructions and the beats of the ingress port."""

from __future__ import annotations

import random
from pathlib import Path

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import IType, Retired
from rvtrace.models.riscv.returns import explain, misleading
from rvtrace.models.riscv.sequential import mark
from rvtrace.models.riscv.stream import with_options, with_variant
from rvtrace.models.riscv.walk_probabilities import WalkProbabilities
from rvtrace.tb.common.stimulus.stimulus import Stimulus, closed, connected, heard, of_scenario, traced
from rvtrace.tb.ntrace.stimulus.scenarios import SCENARIOS

COUNTER = 1  # trTeInstImplicitReturnMode: returns are counted and believed, so none may go elsewhere


def stimulus(job: Job) -> Stimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name."""
    config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        return connected(job, of_scenario(job, SCENARIOS, reported))
    elf = None
    if kind == "program":
        run = recording.load(name, config.xlen)
        elf = Path(run.program_path)
        program, retired = run.program, with_variant(run.retired, run.program, config.variant)
        retired = mark(traced(retired, program), program)
    else:
        program, rng = random_program(job)
        probabilities = WalkProbabilities(
            well_behaved=config.implicit_return == COUNTER, all_jumps=bool(config.all_jumps)
        )
        retired = closed(random_walk(program, rng, job.size, probabilities, config.variant), program)
    retired = reported(job, heard(job, retired), program)
    if wrong := misleading(retired, config.implicit_return):
        raise JobError(f"{job.source} cannot be traced so: {explain(retired, program, config.implicit_return, wrong)}")
    return connected(job, Stimulus(program, retired, beats_of(job, retired), config, elf))


def random_program(job: Job) -> tuple[Program, random.Random]:
    """The program of a random walk, and what the walk goes on drawing from."""
    rng = random.Random(job.rng_path("walk"))
    return generate(rng, job.settings.xlen, well_behaved=job.settings.implicit_return == COUNTER), rng


def reported(job: Job, retired: Retired, program: Program) -> Retired:
    """The stream as the hart of this configuration reports it: in rc7 all-jumps may be said with the reserved itype as
    well.
    """
    config = job.settings
    reserved = config.variant == "rc7" and random.Random(job.rng_path("itype")).random() < 0.25
    itype = IType.RESERVED if reserved and job.source == "random" else IType.TAKEN
    return with_options(retired, program, bool(config.all_jumps), itype)


def beats_of(job: Job, retired: Retired) -> Beats:
    """The stream as the job's blocks, gaps and blocks a cycle have it."""
    config = job.settings
    rng = random.Random(job.rng_path("blocks")) if job.grouping == "random" or job.gaps else None
    most = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
    return to_beats(retired, config.blocks, job.retirement, most, rng, job.gaps / 100)
