"""Hardware performance counters: mcycle, minstret, mhpmcounter3 to 31, with Sscofpmf, Smcntrpmf and Shlcofideleg."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from models.hpm.config import Config
from models.hpm.model import Hpm
from models.hpm.rows import followed
from models.riscv import recording
from scoreboards.clauses import Plan
from scoreboards.hpm import check, plan
from scoreboards.hpm_capture import HpmCapture
from scoreboards.hpm_knobs import Knobs
from tb.coverage.hpm_points import HPM
from tb.coverage.model import Definition
from tb.job import Job
from tb.sequences.hpm_builds import BUILDS, DEFAULT, GUEST, PLAIN, RV32, USER
from tb.sequences.hpm_programs import missing_mode, program_rows
from tb.sequences.hpm_scenarios import SCENARIOS
from tools import draw_hpm, hpm_check, hpm_counters
from tools.arguments import ArgumentError
from tools.builds import HpmBuild
from tools.systems.rows import RowsSystem


class HpmSystem(RowsSystem):
    """The counter block."""

    ip, title, config, knobs = "hpm", "HPM counters", Config, Knobs
    left = ("program.elf", "config.json", "retired.csv", "counters.json", "counters.txt", "rows.npz", "state.npz")
    more_words: ClassVar[dict[str, str]] = {
        "COUNTERS": "option counters, which of mhpmcounter3 to 31 exist: a mask, or numbers joined by + (default all)",
        "WIDTHS": "option widths, bits of the counters: one for all, then number:bits for some, default 64",
        "SELECTORS": "option selectors, what the counters can count: one mask for all, then number:mask for some, default all",
    }
    scenarios: Mapping[str, Any] = SCENARIOS
    small: dict[str, Any] = dict(RV32)
    bench = HpmBuild.BENCH
    synthesis_top = "hpm"
    synthesized = ({"Xlen": 64}, {"Xlen": 32}, {"Xlen": 64, "Counters": 0x78})
    linted: ClassVar[tuple[dict[str, Any], ...]] = tuple(asdict(HpmBuild.of(Config.from_dict(build))) for build in BUILDS.values())
    modelled_as = "with every event counted"
    whole = counted = "cycles"
    summed = ("cycles", "accesses", "overflows")
    measured_with: ClassVar[dict[str, Any]] = {"counters": "3+4+5+6+7+8+9+10"}  # as many as a hart of today has
    shown_as = ("Counters", "What the counters held at the end of each program, read through their CSRs: numbers that are exact, since every cycle was compared.")
    own_check = staticmethod(hpm_check.main)
    own_decode = staticmethod(hpm_counters.main)

    @property
    def definition(self) -> Definition:
        """tb/coverage/hpm_points.py."""
        return HPM

    def build_of(self, job: Job) -> HpmBuild:
        """That of hpm_tb."""
        return HpmBuild.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """RV64 with everything, RV32 with narrow counters, and the leanest; all: the other implementations that can run the program as well."""
        builds = [("full", DEFAULT), ("narrow", RV32), ("plain", PLAIN), *([("user", USER), ("wide", GUEST)] if everything else [])]
        return [
            Job(f"{name}-rv{Config.from_dict(build).xlen}-{what}", f"program:{name}", dict(build), gaps=gaps, ip=self.ip)
            for name in recording.names() for gaps, (what, build) in zip((10, 0, 0, 0, 0), builds) if _runs(name, Config.from_dict(build))
        ]  # fmt: skip

    def described(self, config: Config) -> str:
        """Width, modes, how many counters."""
        modes = "".join(name for name, there in (("M", 1), ("S", config.has_s), ("U", config.has_u), ("H", config.has_h)) if there)
        return f"RV{config.xlen} {modes} {config.counters.bit_count()} counters"

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A hart at random work and random accesses, in a random implementation."""
        return draw_hpm.drawn(seed, base, size)

    def check(self, capture: HpmCapture, knobs: Knobs | None = None) -> Any:
        """Every counter in every cycle, every read value, every outcome."""
        return check(capture, knobs)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/hpm.toml."""
        return plan()

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """The model, all counters counting."""
        run, config = recording.load(program, 64), Config()
        rows = program_rows(run.retired, config, Random(f"1:{program}"))
        return [(int(rows.cycle[-1]) + 1, [("counter model", lambda: followed(rows, config, Hpm(config)))])]

    def shown(self, results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
        """The counters at the end of each program, the same program in the same configuration once."""
        found: dict[str, tuple[str, str, str]] = {}
        for result in results:
            if "counters" in result:
                config = Config.from_dict(result["config"])
                name = f"{result['source'].partition(':')[2]} {self.described(config)}"
                found.setdefault(name, (name, hpm_counters.short(result["counters"]), hpm_counters.listing(result["counters"], config, result["name"])))
        return [found[name] for name in sorted(found)]

    def captured(self, job: Job) -> None:
        """Counters are read at the end of a program."""
        if not job.source.startswith("program:"):
            raise ArgumentError(f"{job.source} has no program whose counters could be read; give PROGRAM=<name> (`make list IP=hpm` has them)")

    def finish(self, out: Path) -> Iterable[str]:
        """counters.txt: the counters for reading."""
        hpm_counters.write(out)
        return ("counters.txt",)


def _runs(name: str, config: Config) -> bool:
    return missing_mode(recording.load(name, config.xlen).retired, config) is None


SYSTEM = HpmSystem()
