# SPDX-License-Identifier: Apache-2.0
"""From a job to what the hart of the subsystem does: a recorded program, a random walk, or a directed scenario, in
stretches.
"""

from __future__ import annotations

from pathlib import Path
from random import Random

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.riscv import recording
from rvtrace.models.subsystem.config import Config
from rvtrace.tb.subsystem.stimulus.rows import walk_rows
from rvtrace.tb.subsystem.stimulus.scenarios import SCENARIOS
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus, believed, played, walked
from rvtrace.tb.tandem.stimulus.programs import program_rows, reported_more


def stimulus(job: Job) -> SubsystemStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name.

    grouping: "longest" fills all slots of a cycle; "random" some, and reports more of a program than was recorded.
    backpressure: of all streams.
    """
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        return SCENARIOS.of(job).build(job, config, Random(job.rng_path("story")))
    elf = None
    if kind == "program":
        run = recording.load(name, config.xlen)
        size = None if job.size == Job.size else job.size
        program, retired, elf = run.program, run.retired.select(slice(0, size)), Path(run.program_path)
        rows = program_rows(run, config.tandem, size)
        if job.grouping == "random":
            rows = reported_more(rows, config.tandem, Random(job.rng_path("program")))
    elif job.source == "random":
        program, retired = walked(config, Random(job.rng_path("walk")), job.size)
        rows = walk_rows(retired, program, Random(job.rng_path("effects")))
    else:
        raise JobError(
            f"SOURCE={job.source} is no stimulus of the subsystem; give SOURCE=program:<name>, scenario:<name> or"
            " random"
        )
    believed(job, config, retired, program)
    return played(job, config, program, retired, rows, elf)
