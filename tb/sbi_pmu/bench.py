# SPDX-License-Identifier: Apache-2.0
"""The SBI PMU extension: models/sbi_pmu as the firmware of a hart with the counters of rtl/hpm."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any, ClassVar

from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import Bench, BuildConfig
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv import recording
from rvtrace.models.sbi_pmu.backend_hpm import HpmBackend
from rvtrace.models.sbi_pmu.calls import Action, act
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.pmu import SbiPmu
from rvtrace.models.sbi_pmu.random_calls import random_calls
from rvtrace.scoreboards.sbi_pmu.judge import SbiPmuJudge
from rvtrace.tb.hpm.bench import HpmBench
from rvtrace.tb.sbi_pmu.builds import BUILD, SAMPLED
from rvtrace.tb.sbi_pmu.coverage.points import SBI_PMU
from rvtrace.tb.sbi_pmu.stimulus.builds import BARE, DEFAULT, RV32
from rvtrace.tb.sbi_pmu.stimulus.random_jobs import profilers, random_job
from rvtrace.tb.sbi_pmu.stimulus.scenarios import SCENARIOS

_CALLS = 10_000  # of a measurement


class SbiPmuBench(SystemBench, SbiPmuJudge):
    """The SBI implementation, on counters in RTL."""

    scenarios: Mapping[str, Any] = SCENARIOS
    random_job = staticmethod(random_job)
    definition: Definition = SBI_PMU
    small: dict[str, Any] = dict(BARE)
    build = BUILD
    synthesis_top = HpmBench.synthesis_top
    synthesized = ()  # it is the design of IP=hpm, which is linted and measured there
    linted = ()
    around: ClassVar[tuple[tuple[str, Bench, tuple[dict[str, int], ...]], ...]] = (("", SAMPLED.bench, ({},)),)
    modelled_as = "of random calls"
    whole = "calls"

    def build_of(self, job: Job) -> BuildConfig:
        """With control transfer records beside the counters, if the hart has them."""
        return (SAMPLED if job.settings.records else BUILD).of(job.settings)

    def drives_of(self, job: Job) -> tuple[str, ...]:
        """What a hart with control transfer records does next depends on what it saw."""
        return ("pins",) if job.settings.records else self.drives

    def walks(self, seed: int) -> list[Job]:
        """A profiler on each hart with control transfer records as well."""
        return [*super().walks(seed), *profilers()]

    def programs(self, everything: bool = False) -> list[Job]:
        """perf on every recorded program, RV64 and RV32; everything: without Sscofpmf as well."""
        builds = [("perf", DEFAULT, 64), ("perf", RV32, 32), *([("bare", BARE, 32)] if everything else [])]
        return [
            Job(f"{name}-rv{xlen}-{what}", f"program:{name}", dict(build), ip=self.ip)
            for name in recording.names() for what, build, xlen in builds
        ]  # fmt: skip

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """The SBI implementation on the counter model, as many random calls for each program."""
        config = Config()
        actions = list(random_calls(Random(f"1:{program}"), config.platform, _CALLS))
        return [(_CALLS, [("SBI PMU model", lambda: _called(config, actions))])]


def _called(config: Config, actions: Iterable[Action]) -> None:
    backend = HpmBackend(Hpm(config.hpm))
    pmu = SbiPmu(config.platform, backend)
    for action in actions:
        act(action, pmu, backend)


BENCH = SbiPmuBench()
