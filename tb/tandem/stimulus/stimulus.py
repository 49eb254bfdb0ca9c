# SPDX-License-Identifier: Apache-2.0
"""From a job to the rows that are played: a recorded program, random rows, or a directed scenario."""

from __future__ import annotations

from pathlib import Path
from random import Random

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.tb.tandem.stimulus.programs import program_rows, reported_more
from rvtrace.tb.tandem.stimulus.random_rows import Mix
from rvtrace.tb.tandem.stimulus.rows import TandemStimulus, in_cycles, noisy
from rvtrace.tb.tandem.stimulus.scenarios import SCENARIOS


def stimulus(job: Job) -> TandemStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name.

    grouping: "longest" fills all lanes, and a program is traced as it was recorded; "random" fills some, and adds what
    else a hart could report of the program. A scenario decides on its cycles itself. Random rows of odd seeds have the
    parts that are not traced, those of even ones do not.
    """
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    rng = Random(job.rng_path("cycles"))
    program: Program | None = None
    retired: Retired | None = None
    elf: Path | None = None
    if kind == "scenario":
        rows: Rows = SCENARIOS.of(job).build(config, Random(job.rng_path("story")))
        return TandemStimulus(noisy(rows, config, rng), config)
    if kind == "program":
        run = recording.load(name, config.xlen)
        program, elf = run.program, Path(run.program_path)
        size = None if job.size == Job.size else job.size
        rows, retired = program_rows(run, config, size), run.retired.select(slice(0, size))
        if job.grouping == "random":
            rows = reported_more(rows, config, Random(job.rng_path("program")))
    elif job.source == "random":
        rows = Mix(config, Random(job.rng_path("mix")), spare=job.seed % 2 == 0).rows(job.size)
    else:
        raise JobError(
            f"SOURCE={job.source} is no stimulus of a tandem trace; give SOURCE=program:<name>, scenario:<name> or"
            " random"
        )
    rows = in_cycles(rows, config, rng, job.gaps, job.grouping == "longest")
    return TandemStimulus(noisy(rows, config, rng), config, program, retired, elf)
