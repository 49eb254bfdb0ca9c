# SPDX-License-Identifier: Apache-2.0
"""The subsystem: one hart, five trace sources, and which of them disagrees with the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.riscv import recording
from rvtrace.models.subsystem.config import ALL_MODES, Config
from rvtrace.scoreboards.subsystem.judge import SubsystemJudge
from rvtrace.tb.subsystem.builds import BUILD
from rvtrace.tb.subsystem.coverage.points import SUBSYSTEM
from rvtrace.tb.subsystem.stimulus.builds import BUILDS, DEFAULT, DUAL, LEAN, RV32
from rvtrace.tb.subsystem.stimulus.random_jobs import random_job
from rvtrace.tb.subsystem.stimulus.scenarios import SCENARIOS

WALKS = 10  # of the main job
# What programs run with: RV64 almost as it comes out of reset, RV32 with what makes traces short; and what makes them
# long.
PLAIN: dict[str, Any] = {**DEFAULT, "timestamp": 1}
SHORT: dict[str, Any] = {
    **RV32,
    "mode": "htm",
    "ntrace_returns": 3,
    "repeated_history": 1,
    "ownership": 1,
    "implicit_return": 1,
    "branch_prediction": 1,
    "ctr_depth": 32,
    "events": "interrupt,mispredict,exception,taken_branch,jump,call,load,external0",
}
BRANCHES: dict[str, Any] = {
    **DUAL,
    "mode": "btm",
    "jump_target_cache": 1,
    "full_address": 1,
    "timestamp": 1,
    "sync_mode": 2,
    "ctr_ctl": sum(CtrConfig().bit(name) for name in (*ALL_MODES, "NTBREN")),
    "events": "return,store,branch,external1,external2,external3,interrupt,0",
}
_BUILT = [BUILD.of(Config.from_dict(build)) for build in (DEFAULT, RV32)]


class SubsystemBench(SystemBench, SubsystemJudge):
    """All five on one hart port."""

    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {"subsystem": ("subsystem", "common/csr_groups.sv")}
    scenarios: ClassVar[Mapping[str, Any]] = SCENARIOS
    random_job = staticmethod(random_job)
    definition: Definition = SUBSYSTEM
    small: ClassVar[dict[str, Any]] = dict(RV32)
    build = BUILD
    synthesis_top = "trace_subsystem"
    synthesized = ()  # its blocks are measured by themselves
    linted: ClassVar[tuple[dict[str, Any], ...]] = tuple(
        BUILD.of(Config.from_dict(build)).parameters for build in BUILDS.values()
    )

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 as it comes, RV32 two a cycle with an output that waits; all: the other builds as well."""
        builds: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
            ("plain", PLAIN, {}), ("short", SHORT, {"grouping": "random", "gaps": 10, "backpressure": 20}),
        ]  # fmt: skip
        if everything:
            builds += [("branches", BRANCHES, {"gaps": 5}), ("lean", LEAN, {})]
        return [
            Job(f"{name}-rv{build.get('xlen', 64)}-{what}", f"program:{name}", dict(build), ip=self.ip, **more)
            for name in recording.names() for what, build, more in builds
        ]  # fmt: skip

    def walks(self, seed: int) -> list[Job]:
        """On the two builds that the programs have."""
        return [
            self.random_job(seed + n, (DEFAULT, RV32)[n % 2] or {"xlen": 64, "retire": 1, "incremental": 1}, 5000)
            for n in range(WALKS)
        ]

    def daily(self, sim: str) -> list[Job]:
        """Those on the two builds that the programs have; `make cover` and `make test` play the others too."""
        return [job for job in self.directed(sim) if self.build_of(job) in _BUILT]

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """Its models are those of the other systems."""
        return []

    def captured(self, job: Job) -> None:
        """Any run leaves its traces."""


BENCH = SubsystemBench()
