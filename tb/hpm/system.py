# SPDX-License-Identifier: Apache-2.0
"""Hardware performance counters: mcycle, minstret, mhpmcounter3 to 31, with Sscofpmf, Smcntrpmf and Shlcofideleg."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, ClassVar

from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import followed
from rvtrace.models.riscv import recording
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check, plan
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.common.coverage.model import Definition
from rvtrace.tb.common.rows_system import RowsSystem
from rvtrace.tb.hpm.builds import BUILD
from rvtrace.tb.hpm.coverage.points import HPM
from rvtrace.tb.hpm.stimulus import random_jobs
from rvtrace.tb.hpm.stimulus.builds import BUILDS, DEFAULT, GUEST, PLAIN, RV32, USER
from rvtrace.tb.hpm.stimulus.programs import missing_mode, program_rows
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS


class HpmSystem(RowsSystem):
    """The counter block."""

    ip, title, config, tolerances = "hpm", "HPM counters", Config, Tolerances
    left = ("program.elf", "config.json", "retired.csv", "counters.json", "counters.txt", "rows.npz", "state.npz")
    more_words: ClassVar[dict[str, str]] = {
        "COUNTERS": "option counters, which of mhpmcounter3 to 31 exist: a mask, or numbers joined by + (default all)",
        "WIDTHS": "option widths, bits of the counters: one for all, then number:bits for some, default 64",
        "SELECTORS": (
            "option selectors, what the counters can count: one mask for all, then number:mask for some, default all"
        ),
    }
    scenarios: Mapping[str, Any] = SCENARIOS
    small: dict[str, Any] = dict(RV32)
    build = BUILD
    synthesis_top = "hpm"
    synthesized = ({"Xlen": 64}, {"Xlen": 32}, {"Xlen": 64, "Counters": 0x78})
    linted: ClassVar[tuple[dict[str, Any], ...]] = tuple(
        BUILD.of(Config.from_dict(build)).parameters for build in BUILDS.values()
    )
    modelled_as = "with every event counted"
    whole = counted = "cycles"
    summed = ("cycles", "accesses", "overflows")
    measured_with: ClassVar[dict[str, Any]] = {"counters": "3+4+5+6+7+8+9+10"}  # as many as a hart of today has

    @property
    def definition(self) -> Definition:
        """tb/hpm/coverage/points.py."""
        return HPM

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

    def described(self, config: Config) -> str:
        """Width, modes, how many counters."""
        modes = "".join(
            name for name, there in (("M", 1), ("S", config.has_s), ("U", config.has_u), ("H", config.has_h)) if there
        )
        return f"RV{config.xlen} {modes} {config.counters.bit_count()} counters"

    def random_job(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A hart at random work and random accesses, in a random implementation."""
        return random_jobs.random_job(seed, base, size)

    def check(self, capture: HpmCapture, tolerances: Tolerances | None = None) -> Any:
        """Every counter in every cycle, every read value, every outcome."""
        return check(capture, tolerances)

    @property
    def plan(self) -> Plan | None:
        """scoreboards/hpm/plan.toml."""
        return plan()

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

    def captured(self, job: Job) -> None:
        """Counters are read at the end of a program."""
        if not job.source.startswith("program:"):
            raise ArgumentError(
                f"{job.source} has no program whose counters could be read; give PROGRAM=<name> (`make list IP=hpm` has"
                " them)"
            )


def _runs(name: str, config: Config) -> bool:
    return missing_mode(recording.load(name, config.xlen).retired, config) is None


SYSTEM = HpmSystem()
