"""The SBI PMU extension: models/sbi_pmu as the firmware of a hart with the counters of rtl/hpm."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from random import Random
from typing import Any, ClassVar

from models.hpm.model import Hpm
from models.riscv import recording
from models.sbi_pmu.backend_hpm import HpmBackend
from models.sbi_pmu.calls import Action, act
from models.sbi_pmu.config import Config
from models.sbi_pmu.pmu import SbiPmu
from models.sbi_pmu.random_calls import random_calls
from scoreboards.clauses import Plan
from scoreboards.sbi_pmu import plan
from scoreboards.sbi_pmu_capture import SbiPmuCapture
from scoreboards.sbi_pmu_knobs import Knobs
from scoreboards.sbi_pmu_run import check_run
from tb.coverage.model import Definition
from tb.coverage.sbi_pmu_points import SBI_PMU
from tb.job import Job
from tb.sequences.sbi_pmu_builds import BARE, DEFAULT, RV32
from tb.sequences.sbi_pmu_perf import listing
from tb.sequences.sbi_pmu_scenarios import SCENARIOS
from tools import draw_sbi_pmu, sbi_pmu_calls, sbi_pmu_check
from tools.builds import SbiPmuBuild
from tools.systems import hpm
from tools.systems.rows import RowsSystem

_CALLS = 10_000  # of a measurement


class SbiPmuSystem(RowsSystem):
    """The SBI implementation, on counters in RTL."""

    ip, title, config, knobs = "sbi_pmu", "SBI PMU", Config, Knobs
    left = ("config.json", "calls.jsonl", "calls.txt", "rows.npz")
    more_words: ClassVar[dict[str, str]] = hpm.HpmSystem.more_words | {
        "FIRMWARE": "option firmware, logical indices of firmware counters, default 40+41+43",
        "POLICY": "option policy, default strict; a named set and changes: opensbi,minh=asked (docs/sbi-pmu.md)",
    }  # fmt: skip
    scenarios: Mapping[str, Any] = SCENARIOS
    small: dict[str, Any] = dict(BARE)
    bench = SbiPmuBuild.BENCH
    synthesis_top = hpm.HpmSystem.synthesis_top
    synthesized = ()  # it is the design of IP=hpm, which is linted and measured there
    linted = ()
    modelled_as = "of random calls"
    whole = counted = "calls"
    summed = ("calls", "operations", "cycles")
    shown_as = ("perf stat", "What a supervisor counted of each program through SBI PMU calls: exact numbers, since every counter is; events that are sampled with their overflows.")
    own_check = staticmethod(sbi_pmu_check.main)
    own_decode = staticmethod(sbi_pmu_calls.main)

    @property
    def definition(self) -> Definition:
        """tb/coverage/sbi_pmu_points.py."""
        return SBI_PMU

    def build_of(self, job: Job) -> SbiPmuBuild:
        """That of hpm_tb."""
        return SbiPmuBuild.of(job.settings)

    def programs(self, everything: bool = False) -> list[Job]:
        """perf on every recorded program, RV64 and RV32; everything: without Sscofpmf as well."""
        builds = [("perf", DEFAULT, 64), ("perf", RV32, 32), *([("bare", BARE, 32)] if everything else [])]
        return [
            Job(f"{name}-rv{xlen}-{what}", f"program:{name}", dict(build), ip=self.ip)
            for name in recording.names() for what, build, xlen in builds
        ]  # fmt: skip

    def described(self, config: Config) -> str:
        """Width, policy, counters."""
        return f"RV{config.xlen} {config.policy} {len(config.platform.counters)} counters"

    def drawn(self, seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
        """A random supervisor on a random platform under a random policy."""
        return draw_sbi_pmu.drawn(seed, base, size)

    def check(self, capture: SbiPmuCapture, knobs: Knobs | None = None) -> Any:
        """Every answer, every operation, every view of the supervisor."""
        return check_run(capture, knobs)

    @property
    def plan(self) -> Plan | None:
        """tests/plan/sbi_pmu.toml."""
        return plan()

    def modelled(self, program: str) -> list[tuple[int, list[tuple[str, Callable[[], Any]]]]]:
        """The SBI implementation on the counter model, as many random calls for each program."""
        config = Config()
        actions = list(random_calls(Random(f"1:{program}"), config.platform, _CALLS))
        return [(_CALLS, [("SBI PMU model", lambda: _called(config, actions))])]

    def shown(self, results: Iterable[Mapping[str, Any]]) -> list[tuple[str, str, str]]:
        """What perf counted of each program."""
        found: dict[str, tuple[str, str, str]] = {}
        for result in results:
            if "counted" in result:
                config = Config.from_dict(result["config"])
                name = f"{result['source'].partition(':')[2]} {self.described(config)}"
                line = ", ".join(f"{row['count']:,} {row['event']}" for row in result["counted"][:2])
                found[name] = name, line, listing(result["counted"])
        return [found[name] for name in sorted(found)]

    def finish(self, out: Path) -> Iterable[str]:
        """calls.txt, the record for reading; of a program counted.txt, what perf would print."""
        sbi_pmu_calls.write(out)
        if not (counted := out / "counted.json").exists():
            return ("calls.txt",)
        (out / "counted.txt").write_text(listing(json.loads(counted.read_text())))
        return ("calls.txt", "counted.txt")


def _called(config: Config, actions: Iterable[Action]) -> None:
    backend = HpmBackend(Hpm(config.hpm))
    pmu = SbiPmu(config.platform, backend)
    for action in actions:
        act(action, pmu, backend)


SYSTEM = SbiPmuSystem()
