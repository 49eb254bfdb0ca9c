# SPDX-License-Identifier: Apache-2.0
"""One run of one stimulus through one system, as plain data: a simulator process gets a list of them."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from rvtrace.jobs import front
from rvtrace.jobs.names import NAMES, config_of, judge_of

DRIVES = ("bulk", "pins")
RETIREMENTS = ("block", "single")
WAVES, TIMES = "TRACE_WAVES", "times.npz"  # set for a run that leaves a waveform; what it leaves beside that
_KINDS = ("program:<name>", "random", "scenario:<name>", "golden:<name>", "tci:<name>")


class JobError(ValueError):
    """A run that is not possible; the text says what to type."""


@dataclass
class Job:
    """A run. JobError on construction if it is not possible.

    ip: the system, one of `names.NAMES`. name: of the result, unique in one run. source: "program:<name>", "random",
    "scenario:<name>" or (E-Trace) "golden:<name>". config: options of the system's `Config` (missing ones have their
    defaults). seed: of every random choice. drive: "bulk" or "pins". retirement: "block" or "single". grouping:
    "longest" blocks (CTR, tandem trace: cycles with all that fit) or "random" ones (tandem trace: of a program also
    what no recording has). size: instructions of a random walk (CTR: transfers, counters: cycles, tandem trace: rows,
    of a program instructions and traps; also of a program, default all of them). backpressure: % of cycles with
    out_ready_i low. sink: "free", or "waiting": out_ready_i is high for a cycle after one in which the output was valid
    (DRIVE=pins). gaps: % of beats with idle cycles before. exact: check the encoder against its reference profile
    (docs/<ip>-profile.md). out: folder for result.json. keep: leave trace.bin, program.elf, config.json and retired.csv
    there as well. keep_failed: the same of a run that fails. dut: DUT= of the IP that is in the bench, "" for our RTL;
    tolerances: tolerances by name, instead of those that `exact` selects; without: kinds of the retire stream (notify,
    ext_notify, vendor) and levels (in_reset, low_power) that it has no port for: the hart does not report them. test:
    TEST= of the user's file that extends the test of the system, "" for that test itself; relative to the root. shape:
    how the ingress port of a device limits what comes in one cycle (tb/common/stimulus/shape.py). said: those of the
    tolerances that the command line names.
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
    ip: str = NAMES[0]
    sim: str = "verilator"
    dut: str = ""
    tolerances: dict[str, Any] = field(default_factory=dict)
    without: list[str] = field(default_factory=list)
    test: str = ""
    shape: dict[str, Any] = field(default_factory=dict)
    said: dict[str, Any] = field(default_factory=dict)
    sink: str = "free"
    keep_failed: bool = False

    def __post_init__(self) -> None:
        choices = (
            ("ip", NAMES),
            ("drive", DRIVES),
            ("retirement", RETIREMENTS),
            ("grouping", ("longest", "random")),
            ("sink", ("free", "waiting")),
        )
        for name, legal in choices:
            value = getattr(self, name)
            if value not in legal:
                raise JobError(f"{name.upper()}={value} is not known; give {name.upper()}={' or '.join(legal)}")
        for name in ("backpressure", "gaps"):
            value = getattr(self, name)
            if not 0 <= value <= 100:
                raise JobError(f"{name.upper()}={value} is not a percentage; give {name.upper()}=0 to 100")
        if self.size < 1:
            raise JobError(f"SIZE={self.size} is not a number of instructions; give SIZE=1 or more")
        kind, _, what = self.source.partition(":")
        if self.source != "random" and (kind not in ("program", "scenario", "golden") or not what):
            raise JobError(
                f"SOURCE={self.source} is not known; give one of {', '.join(_KINDS)} (`make list` has the names)"
            )
        if self.port == "cycles" and (self.backpressure or self.retirement != "block"):
            raise JobError(
                f"BACKPRESSURE= and RETIREMENT= mean nothing for IP={self.ip}, whose ports never wait; omit them"
            )
        if self.port == "instructions" and self.retirement != "block":
            raise JobError(f"RETIREMENT= means nothing for IP={self.ip}, whose port has every instruction; omit it")
        if self.backpressure == 100 and getattr(self.settings, "inst_stall_ena", 1):
            raise JobError(
                "BACKPRESSURE=100 stalls forever, unless the encoder may lose messages (INST_STALL_ENA=0); give"
                " BACKPRESSURE=99 or less"
            )

    @property
    def port(self) -> str:
        """What the port of its system takes (`Judge.port`)."""
        return str(judge_of(self.ip).port)

    @property
    def settings(self) -> Any:
        """The whole configuration of its system; ConfigError if it is illegal."""
        return config_of(self.ip).from_dict(self.config)

    def rng_path(self, what: str) -> str:
        """The seed of one purpose: `random.Random(job.rng_path("gaps"))`."""
        return f"{self.seed}:{self.source}:{what}"

    def to_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return asdict(self)

    @property
    def words(self) -> list[tuple[str, str]]:
        """The words of `make run` that repeat this run: only what differs from the default."""
        words = [("IP", self.ip), ("SOURCE", self.source), ("SEED", str(self.seed))]
        default = {f.name: f.default for f in fields(self)}
        sized = self.source == "random" or self.port != "blocks"  # whether SIZE= means anything
        for name in ("sim", "drive", "retirement", "grouping", "size", "backpressure", "gaps"):
            if getattr(self, name) != default[name] and (name != "size" or sized):
                words.append((name.upper(), str(getattr(self, name))))
        if self.test:
            words.append(("TEST", self.test))
        if self.dut:
            words.append(("DUT", self.dut))  # which says whether it declares the profile
        elif not self.exact:
            words.append(("EXACT", "0"))
        said = {name: int(value) if isinstance(value, bool) else value for name, value in self.said.items()}
        words += [(name.upper(), str(value)) for name, value in said.items()]
        return words + [(name.upper(), value) for name, value in self.settings.words().items()]

    @property
    def rerun(self) -> str:
        """The one command that repeats this run."""
        return front.written("run", dict(self.words))


def save_jobs(jobs: Iterable[Job], path: Path) -> None:
    """Write the list a simulator process reads."""
    path.write_text(json.dumps([job.to_dict() for job in jobs], indent=1))
