# SPDX-License-Identifier: Apache-2.0
"""From a job to the rows that are played: a recorded program with its events, random ones, or a directed scenario."""

from __future__ import annotations

from pathlib import Path
from random import Random

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.hpm.config import Config
from rvtrace.models.riscv import recording
from rvtrace.tb.common.stimulus.rows_stimulus import RowsStimulus, heard
from rvtrace.tb.hpm.stimulus.choices import clipped, foreign
from rvtrace.tb.hpm.stimulus.programs import missing_mode, program_rows
from rvtrace.tb.hpm.stimulus.random_rows import Mix
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS


def stimulus(job: Job) -> RowsStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name."""
    what = _resolved(job)
    if len(job.settings.event_widths) > 1:
        what.rows = clipped(what.rows, job.settings)
    if not job.exact:
        what.rows = foreign(what.rows, job.settings, job.without, what.program is not None)
    return heard(job, what)


def _resolved(job: Job) -> RowsStimulus:
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        return RowsStimulus(SCENARIOS.of(job).build(config, Random(job.rng_path("story"))), config)
    if kind == "program":
        run = recording.load(name, config.xlen)
        if (mode := missing_mode(run.retired, config)) is not None:
            raise JobError(
                f"program {name} runs in {mode}-mode, which this hart does not have; give HAS_S=1, or another PROGRAM="
            )
        size = None if job.size == Job.size else job.size
        rows = program_rows(run.retired, config, Random(job.rng_path("program")), job.gaps, size)
        return RowsStimulus(rows, config, run.program, run.retired, Path(run.program_path))
    if job.source != "random":
        raise JobError(
            f"SOURCE={job.source} is no stimulus of the counters; give SOURCE=program:<name>, scenario:<name> or random"
        )
    return RowsStimulus(Mix(config, Random(job.rng_path("mix")), job.gaps).play(job.size).rows(), config)
