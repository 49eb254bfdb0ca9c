# SPDX-License-Identifier: Apache-2.0
"""From a job to what the core shows: a random walk, a recorded program, or a directed scenario."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from random import Random

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.adapter.config import Config
from rvtrace.models.adapter.run import Run, made, walked
from rvtrace.models.adapter.rvfi import Core, to_rvfi
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.adapter.capture import Fault
from rvtrace.tb.adapter.stimulus.faults import FAULTS
from rvtrace.tb.adapter.stimulus.place import Beat, placed
from rvtrace.tb.adapter.stimulus.scenarios import SCENARIOS, Story


@dataclass
class AdapterStimulus:
    """What a job plays. fault: a rule that the core breaks. elf: of a recorded program."""

    config: Config
    run: Run
    core: Core
    beats: dict[int, Beat]
    fault: Fault | None = None
    ignore_stall: bool = False
    elf: Path | None = None


def stimulus(job: Job) -> AdapterStimulus:
    """JobError, or the error of the source, if there is none of that name."""
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    walk, elf, story = Random(job.rng_path("walk")), None, Story()
    if kind == "scenario":
        story = SCENARIOS.of(job).build()
        if story.retires is not None:
            program, retired = story.retires(config)
            run = made(program, retired, config, walk, story.debug)
        else:
            run = walked(config, walk, story.size, story.to_exception, **story.habits)
    elif kind == "program":
        found = recording.load(name, config.xlen)
        elf = Path(found.program_path)
        size = min(job.size, len(found.retired))
        run = made(found.program, found.retired.select(slice(0, size)), config, walk)
    elif job.source == "random":
        run = walked(config, walk, job.size)
    else:
        raise JobError(
            f"SOURCE={job.source} is no stimulus of the adapters; give SOURCE=program:<name>, scenario:<name> or random"
        )
    core = to_rvfi(run, config, Random(job.rng_path("core")))
    if story.halt:
        core.rows[-1]["halt"] = 1
    fault = FAULTS[story.fault](core, Random(job.rng_path("fault"))) if story.fault else None
    full = job.grouping == "longest"
    beats = placed(core, config.channels, Random(job.rng_path("cycles")), job.gaps, full, story.late)
    return AdapterStimulus(config, run, core, beats, fault, story.fault == "overflow", elf)
