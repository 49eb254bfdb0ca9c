# SPDX-License-Identifier: Apache-2.0
"""Hardware performance counters: mcycle, minstret, mhpmcounter3 to 31, with Sscofpmf, Smcntrpmf and Shlcofideleg."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import Definition
from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import followed
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.hpm.judge import HpmJudge
from rvtrace.tb.hpm.builds import BUILD
from rvtrace.tb.hpm.coverage.points import HPM
from rvtrace.tb.hpm.stimulus.builds import BUILDS, DEFAULT, GUEST, PLAIN, RV32, USER
from rvtrace.tb.hpm.stimulus.programs import missing_mode, program_rows
from rvtrace.tb.hpm.stimulus.random_jobs import random_job
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS


class HpmBench(SystemBench, HpmJudge):
    """The counter block."""

    areas = (
        ("29 counters of 64 bits", {"Xlen": "64"}),
        ("four counters", {"Xlen": "64", "Counters": "120"}),
    )
    mutated: ClassVar[Mapping[str, tuple[str, ...]]] = {"hpm": ("hpm", "common/csr_access.sv", "common/csr_group.sv")}
    scenarios: Mapping[str, Any] = SCENARIOS
    random_job = staticmethod(random_job)
    definition: Definition = HPM
    capture_lacks = "has no program whose counters could be read"
    small: dict[str, Any] = dict(RV32)
    build = BUILD
    synthesis_top = "hpm"
    synthesized = ({"Xlen": 64}, {"Xlen": 32}, {"Xlen": 64, "Counters": 0x78})
    linted: ClassVar[tuple[dict[str, Any], ...]] = tuple(
        BUILD.of(Config.from_dict(build)).parameters for build in BUILDS.values()
    )
    modelled_as = "with every event counted"
    whole = "cycles"
    measured_with: ClassVar[dict[str, Any]] = {"counters": "3+4+5+6+7+8+9+10"}  # as many as a hart of today has

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 with everything, RV32 with narrow counters, and the leanest; all: the other implementations that can run
        the program as well.
        """
        builds = [
            ("full", DEFAULT),
            ("narrow", RV32),
            ("plain", PLAIN),
            *([("user", USER), ("wide", GUEST)] if everything else []),
        ]
        return [
            Job(
                f"{name}-rv{Config.from_dict(build).xlen}-{what}", f"program:{name}", dict(build), gaps=gaps, ip=self.ip
            )
            for name in recording.names()
            for gaps, (what, build) in zip((10, 0, 0, 0, 0), builds)
            if _runs(name, Config.from_dict(build))
        ]

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """The model, all counters counting."""
        run, config = recording.load(program, 64), Config()
        rows = program_rows(run.retired, config, Random(f"1:{program}"))
        return [(int(rows.cycle[-1]) + 1, [("counter model", lambda: followed(rows, config, Hpm(config)))])]

    def lacks(self, job: Job) -> str:
        """A mode that its program runs in."""
        kind, _, name = job.source.partition(":")
        if kind != "program":
            return ""
        mode = missing_mode(recording.load(name, job.settings.xlen).retired, job.settings)
        return "" if mode is None else f"{mode}-mode"


def _runs(name: str, config: Config) -> bool:
    return missing_mode(recording.load(name, config.xlen).retired, config) is None


BENCH = HpmBench()
