# SPDX-License-Identifier: Apache-2.0
"""What N-Trace and E-Trace have as systems because their encoders may be part of the trace system of tci_tb."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.arguments import number
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import BuildConfig
from rvtrace.jobs.job import Job
from rvtrace.tb.tci.builds import TCI_BUILDS
from rvtrace.tb.tci.job import DEFAULTS, KIND, TciJob
from rvtrace.tb.tci.stimulus.scenarios import BY_IP, known

_EVERY = 10  # in a regression one seed in so many is a run of the trace system


class EncoderBench(SystemBench):
    """An encoder, alone in its bench or with the trace system around it.

    random_tci_job: a random system scenario, by seed and options that are fixed, in a random configuration of what the
    scenario does not set.
    """

    random_tci_job: ClassVar[Callable[..., TciJob]]

    def build_of(self, job: Job) -> BuildConfig:
        """The build of its bench, or of tci_tb."""
        return TCI_BUILDS[self.ip].of(job.settings) if isinstance(job, TciJob) else super().build_of(job)

    def regressed(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """The encoder alone for most seeds, for every tenth the whole trace system."""
        return self.random_job(seed, base, size) if seed % _EVERY else self.random_tci_job(seed, base)

    def tci_jobs(self, sim: str, seed: int = 1) -> list[Job]:
        """Every system scenario."""
        return [TciJob(name, f"{KIND}:{name}", {}, seed, sim=sim, ip=self.ip) for name in sorted(BY_IP[self.ip])]

    def tci_job(self, given: Mapping[str, str]) -> Job:
        """A run of the trace system: PROGRAM= is what its harts run."""
        job = TciJob(
            given["SOURCE"].partition(":")[2], given["SOURCE"],
            self.config.from_dict(DEFAULTS[self.ip] | self.options(given)).to_dict(), number(given, "SEED", 1),
            sim=given.get("SIM", "verilator"), program=given.get("PROGRAM", "random"), ip=self.ip,
        )  # fmt: skip
        job.size = number(given, "SIZE", job.size)
        return known(job)
