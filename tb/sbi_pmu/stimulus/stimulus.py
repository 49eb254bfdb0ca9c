# SPDX-License-Identifier: Apache-2.0
"""From a job to the supervisor that is played: random calls and perf sessions, perf on a recorded program, or a
directed scenario.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.csr import Access
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.sbi_pmu.calls import Script
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.tb.hpm.stimulus.programs import rows_of_program
from rvtrace.tb.sbi_pmu.stimulus.perf import perf, runs_of
from rvtrace.tb.sbi_pmu.stimulus.play import Cycles, Hart, on_model
from rvtrace.tb.sbi_pmu.stimulus.profiler import CYCLES, SampledStimulus
from rvtrace.tb.sbi_pmu.stimulus.random_rows import random_supervisor
from rvtrace.tb.sbi_pmu.stimulus.scenarios import SCENARIOS

_PERIOD = 200  # events between two samples of a program
_OVERFLOWS = 6  # of a scenario that samples


@dataclass
class SbiPmuStimulus:
    """What a job plays. script: makes the supervisor, always the same one. cycles: seed of what happens in cycles of
    accesses, None: nothing.

    program, retired, elf: of a real program, else None. On construction it is played on the counter model: `rows` is
    the values on its ports, `model` what happened, `result` what the script returned.
    """

    config: Config
    script: Callable[[], Script[Any]]
    cycles: str | None = None
    program: Program | None = None
    retired: Retired | None = None
    elf: Path | None = None
    rows: Rows = field(init=False)
    model: Record = field(init=False)
    result: Any = field(init=False)

    def __post_init__(self) -> None:
        hart, rows = self.hart(), list[tuple[int, int, Counts, "Access | None"]]()
        on_model(self.playing(hart), Hpm(self.config.hpm), rows)
        self.rows = Rows.from_rows(rows, self.config.events)
        self.model, self.result = hart.record, hart.result

    def hart(self) -> Hart:
        """A hart as reset leaves it."""
        return Hart(self.config, None if self.cycles is None else Random(self.cycles))

    def playing(self, hart: Hart) -> Cycles[None]:
        """Its cycles while the supervisor runs."""
        return hart.playing(self.script())


def stimulus(job: Job) -> SbiPmuStimulus | SampledStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name."""
    return _sampled(job, job.settings) if job.settings.records else supervised(job)


def supervised(job: Job) -> SbiPmuStimulus:
    """That of a hart without control transfer records."""
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        scenario = SCENARIOS.of(job)
        return SbiPmuStimulus(config, lambda: scenario.build(config, Random(job.rng_path("story"))))
    if kind == "program":
        return _program(job, config, name)
    if job.source != "random":
        raise JobError(
            f"SOURCE={job.source} is no stimulus of the SBI PMU; give SOURCE=program:<name>, scenario:<name> or random"
        )
    busy = Random(job.rng_path("busy")).random() < 0.5
    return SbiPmuStimulus(
        config,
        lambda: random_supervisor(config, Random(job.rng_path("calls")), job.size),
        job.rng_path("cycles") if busy else None,
    )


def _sampled(job: Job, config: Config) -> SampledStimulus:
    """A profiler: so many overflows, everything else chosen at random."""
    if job.drive != "pins":
        raise JobError("DRIVE=bulk: what a hart with records does next depends on what it saw; give DRIVE=pins")
    overflows, wanted = max(2, job.size // CYCLES), None
    if job.source != "random":
        scenario = SCENARIOS.of(job) if job.source.startswith("scenario:") else None
        if scenario is None or "records" not in scenario.needs:
            raise JobError(
                f"SOURCE={job.source} does not sample control transfer records; give SOURCE=random or"
                " scenario:sample_<name>, or RECORDS=0"
            )
        overflows, wanted = _OVERFLOWS, scenario.build(config, Random(job.rng_path("story")))
    return SampledStimulus(config, job.rng_path("story"), overflows, wanted)


def _program(job: Job, config: Config, name: str) -> SbiPmuStimulus:
    """perf around a program, from its first instruction to its last (or its first cycles with something in them)."""
    run = recording.load(name, config.xlen)
    rows = rows_of_program(run.retired, config, Random(job.rng_path("program")), job.gaps)
    runs = runs_of(rows if job.size == Job.size else rows.select(slice(0, job.size)))
    return SbiPmuStimulus(
        config, lambda: perf(config, runs, _PERIOD), None, run.program, run.retired, Path(run.program_path)
    )
