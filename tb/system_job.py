"""One run of the trace system, as plain data: `Job` with a story of tb/sequences/system.py as its source."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, fields
from difflib import get_close_matches
from pathlib import Path

from models.ntrace.config import Config
from tb.job import Job, JobError

KIND = "system"
TS_WIDTH = 48  # of system_tb


@dataclass
class SystemJob(Job):
    """A run of the system. JobError on construction if there is no such story.

    source: "system:<name>". config: options of every hart's encoder that the story leaves open. program: what the
    harts run, where the story leaves it open. size: instructions of a hart's walk.
    """

    program: str = "random"
    size: int = 1500

    def __post_init__(self) -> None:
        from tb.sequences.system import STORIES

        kind, _, name = self.source.partition(":")
        if kind != KIND or name not in STORIES:
            near = get_close_matches(name, STORIES, 1)
            hint = f"did you mean {KIND}:{near[0]}? " if near else ""
            raise JobError(f"SOURCE={self.source} is no story of the trace system; {hint}known are {', '.join(STORIES)}")

    @property
    def story(self) -> str:
        """The name of its story."""
        return self.source.partition(":")[2]

    @property
    def settings(self) -> Config:
        """The configuration of the harts' encoders; ConfigError if it is illegal."""
        return Config.from_dict({"ts_width": TS_WIDTH} | self.config)

    @property
    def rerun(self) -> str:
        """The one command that repeats this run."""
        words = [super().rerun.replace(f" TS_WIDTH={TS_WIDTH}", "")]
        if self.program != "random":
            words.append(f"PROGRAM={self.program}")
        if self.size != 1500:
            words.append(f"SIZE={self.size}")
        return " ".join(words)


def load_jobs(path: Path) -> list[SystemJob]:
    """Read what `tb.job.save_jobs` wrote."""
    known = {f.name for f in fields(SystemJob)}
    return [SystemJob(**{k: v for k, v in values.items() if k in known}) for values in json.loads(path.read_text())]


def every_story(names: Iterable[str], sim: str, seed: int = 1) -> list[SystemJob]:
    """One job for each story."""
    return [SystemJob(name, f"{KIND}:{name}", {}, seed, sim=sim) for name in names]
