"""The loop: counters, SBI PMU and control transfer records on one hart, from the event to the profiler's sample."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any, ClassVar

from models.loop.config import DEPTHS, Config
from scoreboards.clauses import Plan
from scoreboards.loop import check, plan
from scoreboards.sbi_pmu_knobs import Knobs
from tb.coverage.loop_points import LOOP
from tb.coverage.model import Definition
from tb.job import Job
from tb.sequences.loop_scenarios import BUILDS, SCENARIOS
from tb.sequences.loop_stimulus import CYCLES
from tools.arguments import ArgumentError
from tools.builds import LoopBuild
from tools.systems.rows import RowsSystem

_OVERFLOWS = 5


def _while_it_runs(argv: list[str]) -> int:
    raise ArgumentError("the loop is checked while it runs and leaves no capture; type `make run IP=loop SOURCE=random SEED=1`")


class LoopSystem(RowsSystem):
    """One hart with both blocks."""

    ip, title, config, knobs = "loop", "Counters and CTR in a loop", Config, Knobs
    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    small: ClassVar[dict[str, Any]] = dict(BUILDS[1])
    bench = LoopBuild.BENCH
    drives = ("pins",)  # what the hart does next depends on what it saw
    synthesis_top = ""
    synthesized = ()  # its blocks are those of IP=hpm and IP=ctr
    linted = ({},)
    whole = counted = "cycles"
    summed = ("overflows", "transfers", "cycles")
    own_check = own_decode = staticmethod(_while_it_runs)

    @property
    def definition(self) -> Definition:
        """tb/coverage/loop_points.py."""
        return LOOP

    def build_of(self, job: Job) -> LoopBuild:
        """That of loop_tb."""
        return LoopBuild.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """The profiler on both builds."""
        return [
            Job(f"profiler-rv{build.get('xlen', 64)}-{depth}", "random", {**build, "depth": depth}, ip=self.ip, drive="pins", size=_OVERFLOWS * CYCLES)
            for build in BUILDS for depth in DEPTHS
        ]  # fmt: skip

    def described(self, config: Config) -> str:
        """Width, depth."""
        return f"RV{config.xlen} {config.depth} entries, counters of {config.width} bits"

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = _OVERFLOWS * CYCLES) -> Job:
        """A profiler on one of the builds."""
        rng = Random(f"{seed}:regress:config")
        options = {**rng.choice(BUILDS), "depth": rng.choice(DEPTHS), **(base or {})}
        return Job(f"seed-{seed}", "random", options, seed, "pins", size=min(size, _OVERFLOWS * CYCLES), ip=self.ip)

    def captured(self, job: Job) -> None:
        """It leaves none."""
        _while_it_runs([])

    def check(self, capture: Any, knobs: Any = None) -> Any:
        """Every step."""
        return check(capture)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/loop.toml."""
        return plan()


SYSTEM = LoopSystem()
