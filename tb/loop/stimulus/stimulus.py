# SPDX-License-Identifier: Apache-2.0
"""From a job to the profiler that is played: so many overflows, everything else randomized from the seed."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.loop.config import Config
from rvtrace.models.loop.sample import Sample
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.tb.loop.stimulus.play import LoopCycle, LoopHart, Seen, on_models
from rvtrace.tb.loop.stimulus.profiler import Profiler, Wanted
from rvtrace.tb.loop.stimulus.scenarios import SCENARIOS

OVERFLOWS = 6  # of a scenario
CYCLES = 500  # of one overflow, about: SIZE= is in cycles


@dataclass
class LoopStimulus:
    """What a job plays. On construction it is played on the models: model_record, model_samples. hart: what happened on
    the device, once `playing` was played.
    """

    config: Config
    path: str
    overflows: int
    wanted: tuple[Wanted, ...] | None = None
    program: Any = None
    model_record: Record = field(init=False)
    model_samples: list[Sample] = field(init=False)
    hart: LoopHart = field(init=False)

    def __post_init__(self) -> None:
        on_models(self.playing(), self.config)
        self.model_record, self.model_samples = self.hart.record, self.hart.result or []

    def playing(self) -> Generator[LoopCycle, Seen, None]:
        """The cycles of a new hart."""
        self.hart = LoopHart(self.config)
        profiler = Profiler(self.hart, Random(self.path), self.wanted)
        return self.hart.playing(profiler.script(self.overflows))  # type: ignore[arg-type, return-value]


def stimulus(job: Job) -> LoopStimulus:
    """JobError if the source of the job is neither random nor a scenario."""
    overflows, wanted = max(2, job.size // CYCLES), None
    if job.source.startswith("scenario:"):
        overflows, wanted = OVERFLOWS, SCENARIOS.of(job).build()
    elif job.source != "random":
        raise JobError(f"SOURCE={job.source} is no stimulus of the loop; give SOURCE=random or scenario:<name>")
    return LoopStimulus(job.settings, job.rng_path("story"), overflows, wanted)
