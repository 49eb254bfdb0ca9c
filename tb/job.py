"""One run of one stimulus through one system, as plain data: what a simulator process is given a list of."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from models.ctr.config import Config as CtrConfig
from models.etrace.config import Config as EtraceConfig
from models.hpm.config import Config as HpmConfig
from models.loop.config import Config as LoopConfig
from models.ntrace.config import Config as NtraceConfig
from models.sbi_pmu.config import Config as SbiPmuConfig
from models.subsystem.config import Config as SubsystemConfig
from models.tandem.config import Config as TandemConfig

CONFIGS: dict[str, Any] = {
    "ntrace": NtraceConfig, "etrace": EtraceConfig, "ctr": CtrConfig, "hpm": HpmConfig, "sbi_pmu": SbiPmuConfig, "loop": LoopConfig, "tandem": TandemConfig,
    "subsystem": SubsystemConfig,
}  # fmt: skip
ROWS = ("ctr", "hpm", "sbi_pmu", "loop")  # those that play rows of cycles
SIZED = (*ROWS, "tandem", "subsystem")  # SIZE= is of a program as well
DRIVES = ("bulk", "pins")
RETIREMENTS = ("block", "single")
_KINDS = ("program:<name>", "random", "scenario:<name>", "golden:<name>")


class JobError(ValueError):
    """A run that cannot be asked for; the text says what to type."""


@dataclass
class Job:
    """A run. JobError on construction if it is not possible.

    ip: the system, one of `CONFIGS`. name: of the result, unique in one run. source: "program:<name>", "random",
    "scenario:<name>" or (E-Trace) "golden:<name>". config: options of the system's `Config` (missing ones have their defaults). seed: of every random choice. drive: "bulk" or "pins".
    retirement: "block" or "single". grouping: "longest" blocks (CTR, tandem trace: cycles with all that fit) or "random" ones (tandem trace: of a program also what no recording has). size: instructions of a
    random walk (CTR: transfers, counters: cycles, tandem trace: rows, of a program instructions and traps; also of a program, default all of them). backpressure: % of cycles with out_ready_i low. gaps: % of beats with idle cycles before. exact: hold the
    encoder to its reference profile (docs/<ip>-profile.md). out: folder for result.json. keep: leave trace.bin, program.elf,
    config.json and retired.csv there as well. dut: DUT= of the IP that is in the bench, "" for our RTL; knobs: tolerances by name, instead of those
    that `exact` stands for; without: kinds of the retire stream (notify, ext_notify, vendor) that it has no port for: the hart does not tell them.
    """

    name: str
    source: str
    config: dict[str, Any] = field(default_factory=dict)
    seed: int = 1
    drive: str = "bulk"
    retirement: str = "block"
    grouping: str = "longest"
    size: int = 20_000
    backpressure: int = 0
    gaps: int = 0
    exact: bool = True
    out: str = ""
    keep: bool = False
    ip: str = "ntrace"
    sim: str = "verilator"
    dut: str = ""
    knobs: dict[str, Any] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        choices = (("ip", tuple(CONFIGS)), ("drive", DRIVES), ("retirement", RETIREMENTS), ("grouping", ("longest", "random")))
        for name, legal in choices:
            value = getattr(self, name)
            if value not in legal:
                raise JobError(f"{name.upper()}={value} is not known; give {name.upper()}={' or '.join(legal)}")
        for name in ("backpressure", "gaps"):
            value = getattr(self, name)
            if not 0 <= value <= 100:
                raise JobError(f"{name.upper()}={value} is not a percentage; give {name.upper()}=0 to 100")
        if self.size < 1:
            raise JobError(f"SIZE={self.size} is no walk; give SIZE=1 or more instructions")
        kind, _, what = self.source.partition(":")
        if self.source != "random" and (kind not in ("program", "scenario", "golden") or not what):
            raise JobError(f"SOURCE={self.source} is not known; give one of {', '.join(_KINDS)} (`make list` has the names)")
        if self.ip in ROWS and (self.backpressure or self.retirement != "block"):
            raise JobError(f"BACKPRESSURE= and RETIREMENT= mean nothing for IP={self.ip}, whose ports never wait; leave them away")
        if self.ip in ("tandem", "subsystem") and self.retirement != "block":
            raise JobError(f"RETIREMENT= means nothing for IP={self.ip}, which is told every instruction; leave it away")
        if self.backpressure == 100 and getattr(self.settings, "inst_stall_ena", 1):
            raise JobError("BACKPRESSURE=100 stalls forever, unless the encoder may lose what the hart did (INST_STALL_ENA=0); give BACKPRESSURE=99 or less")

    @property
    def settings(self) -> Any:
        """The whole configuration of its system; ConfigError if it is illegal."""
        return CONFIGS[self.ip].from_dict(self.config)

    def rng_path(self, what: str) -> str:
        """The seed of one purpose: `random.Random(job.rng_path("gaps"))`."""
        return f"{self.seed}:{self.source}:{what}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @property
    def rerun(self) -> str:
        """The one command that repeats this run: only what differs from the default."""
        words = ["make run", f"IP={self.ip}", f"SOURCE={self.source}", f"SEED={self.seed}"]
        default = {f.name: f.default for f in fields(self)}
        for name in ("sim", "drive", "retirement", "grouping", "size", "backpressure", "gaps"):
            if getattr(self, name) != default[name] and (name != "size" or self.source == "random" or self.ip in SIZED):
                words.append(f"{name.upper()}={getattr(self, name)}")
        if self.dut:
            words.append(f"DUT={shlex.quote(self.dut)}")  # which says whether it declares the profile
        elif not self.exact:
            words.append("EXACT=0")
        settings, kind = self.settings, CONFIGS[self.ip]
        if isinstance(settings, HpmConfig | LoopConfig | SubsystemConfig):
            return " ".join([*words, *(f"{k.upper()}={v}" for k, v in settings.words().items())])
        if hasattr(settings, "variant"):
            plain = kind.from_dict({"variant": settings.variant}).to_dict() | {"variant": kind().variant}
        else:
            plain = kind().to_dict()
        given = {k: v for k, v in settings.to_dict().items() if v != plain[k] and k != "trap_vectors"}  # the stimulus finds those
        words += [f"{k.upper()}={shlex.quote(_text(v))}" for k, v in given.items()]
        return " ".join(words)


def _text(value: Any) -> str:
    """A value as a command line has it."""
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def save_jobs(jobs: Iterable[Job], path: Path) -> None:
    """Write the list a simulator process reads."""
    path.write_text(json.dumps([job.to_dict() for job in jobs], indent=1))


def load_jobs(path: Path) -> list[Job]:
    """Read what `save_jobs` wrote."""
    return [Job(**values) for values in json.loads(path.read_text())]
