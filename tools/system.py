"""Builds of the trace system, and running its stories."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, ClassVar

from tb.sequences.system import BY_IP
from tb.system_job import HARTS, SRAM_BYTES, TS_WIDTH, SystemJob
from tools.builds import ROOT, Bench, BuildConfig, EtraceBuild
from tools.sim import build, run


@dataclass(frozen=True)
class SystemBuild(BuildConfig):
    """The parameters of system_tb with N-Trace encoders."""

    BENCH: ClassVar[Bench] = Bench("system_tb", ("ntrace", "control"), "system_files.f", "tb.envs.system_run")

    TsWidth: int = TS_WIDTH
    NHarts: int = HARTS
    SramBytes: int = SRAM_BYTES

    @classmethod
    def of_job(cls, job: SystemJob) -> SystemBuild:
        """Those of a job's configuration."""
        c = job.settings
        return cls(c.xlen, c.blocks, c.iretire_bits, c.icnt_bits, c.hist_bits, c.stack_depth, c.repeat_bits, c.ts_width, c.fifo_depth)


@dataclass(frozen=True)
class EtraceSystemBuild:
    """The parameters of system_tb with E-Trace encoders."""

    BENCH: ClassVar[Bench] = Bench("system_tb", ("etrace", "control"), "system_files.f", "tb.envs.system_run")

    Xlen: int = 64
    NBlocks: int = 1
    IAddressLsb: int = 1
    ContextWidth: int = 32
    NoContext: int = 0
    TimeWidth: int = 32
    NoTime: int = 1
    PrivilegeWidth: int = 3
    EcauseWidth: int = 6
    NoTval: int = 0
    IRetireWidth: int = 7
    BpredSize: int = 6
    CacheSize: int = 5
    CallCounterSize: int = 0
    ReturnStackSize: int = 4
    F0sWidth: int = 1
    SijumpEn: int = 1
    EncoderModeN: int = 1
    IOptionsN: int = 6
    DOptionsN: int = 0
    BcountBits: int = 32
    FifoDepth: int = 32
    Format: int = 0
    TsWidth: int = TS_WIDTH
    NHarts: int = HARTS
    SramBytes: int = SRAM_BYTES

    @classmethod
    def of_job(cls, job: SystemJob) -> EtraceSystemBuild:
        """Those of a job's configuration."""
        encoder = asdict(EtraceBuild.of(job.settings))
        return cls(Xlen=encoder.pop("IAddressWidth"), **encoder)


def build_of(job: SystemJob) -> SystemBuild | EtraceSystemBuild:
    """The build that tells a job's story."""
    return (EtraceSystemBuild if job.ip == "etrace" else SystemBuild).of_job(job)


def stories(sim: str, names: Iterable[str] | None = None, seed: int = 1, ip: str = "ntrace") -> list[SystemJob]:
    """A job for each story of a system."""
    return [SystemJob(name, f"system:{name}", {}, seed, sim=sim, ip=ip) for name in names or BY_IP[ip]]


def run_stories(jobs: list[SystemJob], sim: str, out: Path, rtl_dir: Path = ROOT / "rtl", waves: bool = False,
                tell: Callable[[dict[str, Any]], None] = lambda result: None) -> list[dict[str, Any]]:  # fmt: skip
    """Run the jobs, those of one build in one simulator process."""
    groups: dict[Any, list[SystemJob]] = {}
    for job in jobs:
        job.sim = sim
        groups.setdefault(build_of(job), []).append(job)
    results = []
    for number, (config, lot) in enumerate(groups.items()):
        for job in lot:
            job.out = str(out / job.name)
        for result in run(build(config, sim, rtl_dir, waves), lot, out / f"process-{number}"):
            results.append(result)
            tell(result)
    return results
