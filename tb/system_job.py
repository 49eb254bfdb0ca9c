"""One run of the trace system, as plain data: `Job` with a story of tb/sequences/system.py as its source."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from models.control.layout import Params
from tb.job import CONFIGS, Job, JobError

KIND = "system"
HARTS, TS_WIDTH, SRAM_BYTES = 2, 48, 1 << 16  # of system_tb
DEFAULTS: dict[str, dict[str, Any]] = {"ntrace": {"ts_width": TS_WIDTH}, "etrace": {"framing": "zeros", "index_width": 8, "bcount_bits": 16}}


def params_of(config: Any) -> Params:
    """What a trace system with the encoders of a configuration has, as its registers say it."""
    size = {"harts": HARTS, "ts_width": TS_WIDTH, "sram_bytes": SRAM_BYTES}
    if config.to_dict().get("ip") != "etrace":
        return Params(**size)
    returns = (3,) * bool(config.return_stack_size_p) + (1,) * bool(config.call_counter_size_p)
    return Params.etrace(
        **size, xlen=config.xlen, implicit_return_modes=returns, sequential_jump=bool(config.sijump_p),
        branch_prediction=bool(config.bpred_size_p), jump_target_cache=bool(config.cache_size_p), contexts=(1 - config.nocontext_p,),
    )  # fmt: skip


@dataclass
class SystemJob(Job):
    """A run of the system. JobError on construction if there is no such story.

    source: "system:<name>". config: options of every hart's encoder that the story leaves open. program: what the
    harts run, where the story leaves it open. size: instructions of a hart's walk.
    """

    program: str = "random"
    size: int = 1500

    def __post_init__(self) -> None:
        from tb.sequences.system import BY_IP

        known = BY_IP.get(self.ip, {})
        kind, _, name = self.source.partition(":")
        if kind != KIND or name not in known:
            near = get_close_matches(name, known, 1)
            hint = f"did you mean {KIND}:{near[0]}? " if near else ""
            raise JobError(f"SOURCE={self.source} is no story of the trace system with IP={self.ip}; {hint}known are {', '.join(known)}")

    @property
    def story(self) -> str:
        """The name of its story."""
        return self.source.partition(":")[2]

    @property
    def settings(self) -> Any:
        """The configuration of the harts' encoders; ConfigError if it is illegal."""
        return CONFIGS[self.ip].from_dict(DEFAULTS[self.ip] | self.config)

    @property
    def params(self) -> Params:
        """What its trace system has."""
        return params_of(self.settings)

    @property
    def rerun(self) -> str:
        """The one command that repeats this run."""
        words = [super().rerun]
        for name, value in DEFAULTS[self.ip].items():
            words[0] = words[0].replace(f" {name.upper()}={value}", "")
            if getattr(self.settings, name) != value and f" {name.upper()}=" not in words[0]:
                words.append(f"{name.upper()}={getattr(self.settings, name)}")
        if self.program != "random":
            words.append(f"PROGRAM={self.program}")
        if self.size != 1500:
            words.append(f"SIZE={self.size}")
        return " ".join(words)


def load_jobs(path: Path) -> list[SystemJob]:
    """Read what `tb.job.save_jobs` wrote."""
    known = {f.name for f in fields(SystemJob)}
    return [SystemJob(**{k: v for k, v in values.items() if k in known}) for values in json.loads(path.read_text())]


def every_story(names: Iterable[str], sim: str, seed: int = 1, ip: str = "ntrace") -> list[SystemJob]:
    """One job for each story."""
    return [SystemJob(name, f"{KIND}:{name}", {}, seed, sim=sim, ip=ip) for name in names]
