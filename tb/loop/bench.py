# SPDX-License-Identifier: Apache-2.0
"""The loop: counters, SBI PMU and control transfer records on one hart, from the event to the profiler's sample."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.loop.config import DEPTHS
from rvtrace.scoreboards.loop.judge import LoopJudge
from rvtrace.tb.loop.builds import BUILD
from rvtrace.tb.loop.coverage.points import LOOP
from rvtrace.tb.loop.stimulus.scenarios import BUILDS, SCENARIOS
from rvtrace.tb.loop.stimulus.stimulus import CYCLES

_OVERFLOWS = 5


class LoopBench(SystemBench, LoopJudge):
    """One hart with both blocks."""

    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    small: ClassVar[dict[str, Any]] = dict(BUILDS[1])
    build = BUILD
    drives = ("pins",)  # what the hart does next depends on what it saw
    synthesis_top = ""
    synthesized = ()  # its blocks are those of IP=hpm and IP=ctr
    linted = ({},)
    whole = "cycles"

    @property
    def definition(self) -> Definition:
        """tb/loop/coverage/points.py."""
        return LOOP

    def programs(self, everything: bool = False) -> list[Job]:
        """The profiler on both builds."""
        return [
            Job(
                f"profiler-rv{build.get('xlen', 64)}-{depth}",
                "random",
                {**build, "depth": depth},
                ip=self.ip,
                drive="pins",
                size=_OVERFLOWS * CYCLES,
            )
            for build in BUILDS
            for depth in DEPTHS
        ]

    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = _OVERFLOWS * CYCLES) -> Job:
        """A profiler on one of the builds."""
        rng = Random(f"{seed}:regress:config")
        options = {**rng.choice(BUILDS), "depth": rng.choice(DEPTHS), **(base or {})}
        return Job(f"seed-{seed}", "random", options, seed, "pins", size=min(size, _OVERFLOWS * CYCLES), ip=self.ip)

    def captured(self, job: Job) -> None:
        """It leaves none."""
        raise ArgumentError(self.unread)


BENCH = LoopBench()
