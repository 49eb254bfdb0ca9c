"""Builds of the trace system, and running its stories."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from tb.sequences.system import PARAMS, STORIES
from tb.system_job import SystemJob
from tools.sim import ROOT, Bench, BuildConfig, build, run


@dataclass(frozen=True)
class SystemBuild(BuildConfig):
    """The parameters of system_tb."""

    BENCH: ClassVar[Bench] = Bench("system_tb", ("ntrace", "control"), "system_files.f", "tb.envs.system_run")

    TsWidth: int = PARAMS.ts_width
    NHarts: int = PARAMS.harts
    SramBytes: int = PARAMS.sram_bytes

    @classmethod
    def of_job(cls, job: SystemJob) -> SystemBuild:
        """Those of a job's configuration."""
        c = job.settings
        return cls(c.xlen, c.blocks, c.iretire_bits, c.icnt_bits, c.hist_bits, c.stack_depth, c.repeat_bits, c.ts_width, c.fifo_depth)


def stories(sim: str, names: Iterable[str] = STORIES, seed: int = 1) -> list[SystemJob]:
    """A job for each story."""
    return [SystemJob(name, f"system:{name}", {}, seed, sim=sim) for name in names]


def run_stories(jobs: list[SystemJob], sim: str, out: Path, rtl_dir: Path = ROOT / "rtl", waves: bool = False,
                tell: Callable[[dict[str, Any]], None] = lambda result: None) -> list[dict[str, Any]]:  # fmt: skip
    """Run the jobs, those of one build in one simulator process."""
    groups: dict[SystemBuild, list[SystemJob]] = {}
    for job in jobs:
        job.sim = sim
        groups.setdefault(SystemBuild.of_job(job), []).append(job)
    results = []
    for number, (config, lot) in enumerate(groups.items()):
        for job in lot:
            job.out = str(out / job.name)
        for result in run(build(config, sim, rtl_dir, waves), lot, out / f"process-{number}"):
            results.append(result)
            tell(result)
    return results
