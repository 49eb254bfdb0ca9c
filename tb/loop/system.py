# SPDX-License-Identifier: Apache-2.0
"""The loop: counters, SBI PMU and control transfer records on one hart, from the event to the profiler's sample."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.job import Job
from rvtrace.models.loop.config import DEPTHS, Config
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.loop.check import check, plan
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances
from rvtrace.tb.common.coverage.model import Definition
from rvtrace.tb.common.rows_system import RowsSystem
from rvtrace.tb.loop.builds import BUILD
from rvtrace.tb.loop.coverage.points import LOOP
from rvtrace.tb.loop.stimulus.scenarios import BUILDS, SCENARIOS
from rvtrace.tb.loop.stimulus.stimulus import CYCLES

_OVERFLOWS = 5


class LoopSystem(RowsSystem):
    """One hart with both blocks."""

    ip, title, config, tolerances = "loop", "Counters and CTR in a loop", Config, Tolerances
    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    small: ClassVar[dict[str, Any]] = dict(BUILDS[1])
    build = BUILD
    drives = ("pins",)  # what the hart does next depends on what it saw
    synthesis_top = ""
    synthesized = ()  # its blocks are those of IP=hpm and IP=ctr
    linted = ({},)
    whole = counted = "cycles"
    summed = ("overflows", "transfers", "cycles")
    unread = "the loop is checked while it runs and leaves no capture; type `make run IP=loop SOURCE=random SEED=1`"

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

    def described(self, config: Config) -> str:
        """Width, depth."""
        return f"RV{config.xlen} {config.depth} entries, counters of {config.width} bits"

    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = _OVERFLOWS * CYCLES) -> Job:
        """A profiler on one of the builds."""
        rng = Random(f"{seed}:regress:config")
        options = {**rng.choice(BUILDS), "depth": rng.choice(DEPTHS), **(base or {})}
        return Job(f"seed-{seed}", "random", options, seed, "pins", size=min(size, _OVERFLOWS * CYCLES), ip=self.ip)

    def captured(self, job: Job) -> None:
        """It leaves none."""
        raise ArgumentError(self.unread)

    def check(self, capture: Any, tolerances: Any = None) -> Any:
        """Every step."""
        return check(capture)

    @property
    def plan(self) -> Plan | None:
        """scoreboards/loop/plan.toml."""
        return plan()


SYSTEM = LoopSystem()
