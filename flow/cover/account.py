# SPDX-License-Identifier: Apache-2.0
"""What `make cover` knows of a system: every run with the bins it hit, and the sum of them; kept on disk as the runs
leave it.
"""

from __future__ import annotations

import contextlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from rvtrace.flow.folders import SOURCES, digest_of
from rvtrace.flow.jobs import Lot
from rvtrace.jobs.arguments import json_of
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import STAMP, Counts, CoverageError
from rvtrace.jobs.job import Job
from rvtrace.tb.tci.job import job_of

_STATE, _COST = "state.json", "cost.json"
_OF_A_WALK = ("ip", "filter", "trap_vectors")
_LEAST = 0.01  # seconds: what no run is cheaper than


@dataclass
class Record:
    """One run. hits: point to the bins it hit. new: how many of them no earlier run hit. seconds: of the run alone."""

    job: Job
    verdict: str
    seconds: float
    hits: dict[str, frozenset[str]]
    new: int = 0

    @cached_property
    def options(self) -> dict[str, str]:
        """Those of its job."""
        return options_of(self.job)


def options_of(job: Job) -> dict[str, str]:
    """The options of a run, each value as JSON, but those that belong to one walk."""
    return {name: json.dumps(value) for name, value in job.settings.to_dict().items() if name not in _OF_A_WALK}


@dataclass
class CoverLot(Lot):
    """Jobs of one build of a system. ip: that of the account they count for."""

    ip: str = ""


@dataclass
class Cost:
    """CPU seconds of a system, by what they were spent for, and how many builds there were."""

    builds: float = 0.0
    runs: float = 0.0
    code_builds: float = 0.0
    code_runs: float = 0.0
    lots: int = 0

    @property
    def total(self) -> float:
        """All of them."""
        return self.builds + self.runs + self.code_builds + self.code_runs


@dataclass
class Account:
    """The runs of one system. jobs: by name those that were run."""

    system: SystemBench
    records: list[Record] = field(default_factory=list)
    counts: Counts = field(default_factory=dict)
    bad: int = 0
    cost: Cost = field(default_factory=Cost)
    names: set[str] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.definition = self.system.definition
        self.counts = self.definition.merge([])
        self._open = {(p.name, name) for p in self.definition.points for name in p.reachable}

    def add(self, job: Job, result: dict[str, Any], busy: float = 1.0) -> Record:
        """Count a run; CoverageError if its coverage is of another definition. busy: how much of its time by the clock
        the CPU was its own.
        """
        self.names.add(job.name)
        coverage: Counts = result.get("coverage") or {}
        hits = {point: frozenset(bins) for point, bins in coverage.items() if point != STAMP}
        if coverage:
            self.definition.merge([coverage])  # is it ours at all?
            for point, bins in coverage.items():
                into = self.counts.setdefault(point, {})
                for name, number in bins.items():
                    into[name] = into.get(name, 0) + number
        found = {(point, name) for point, bins in hits.items() for name in bins} & self._open
        self._open -= found
        seconds = max(clock(result) * busy, _LEAST)
        record = Record(job, result["verdict"], seconds, hits, len(found))
        self.records.append(record)
        self.bad += record.verdict != "PASS"
        return record

    @property
    def open(self) -> int:
        """How many bins that count were not hit."""
        return len(self._open)

    def holes(self) -> list[tuple[str, str]]:
        """(point, bin) of every bin still to be hit, in the order of the definition."""
        return [(p.name, name) for p in self.definition.points for name in p.reachable if (p.name, name) in self._open]

    def surprises(self) -> list[tuple[str, str]]:
        """(point, bin) of every excluded bin that was hit."""
        return [(p.name, name) for p in self.definition.points for name in p.surprises(self.counts)]

    def hit(self) -> tuple[int, int]:
        """(bins hit, bins that count)."""
        total = sum(len(p.reachable) for p in self.definition.points)
        return total - self.open, total

    @property
    def said(self) -> str:
        """How far it is closed."""
        hit, total = self.hit()
        bad = f", {self.bad} not passed" if self.bad else ""
        return f"{hit} of {total} bins in {len(self.records)} runs{bad}"


def clock(result: dict[str, Any]) -> float:
    """Seconds of a run by the clock."""
    return float(result.get("stats", {}).get("seconds", {}).get("total", 0.0))


def fingerprint(words: dict[str, str]) -> str:
    """A hash of the sources that results depend on and of the words that change what is run."""
    return digest_of(SOURCES, json.dumps(words, sort_keys=True))


def same_as_before(folder: Path, mark: str) -> bool:
    """Whether the runs in a folder are of these sources and words; from now on they are said to be."""
    path = folder / _STATE
    try:
        same = json_of(path.read_text()).get("fingerprint") == mark
    except (OSError, ValueError, AttributeError):
        same = False
    folder.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({"fingerprint": mark}))
    return same


def forget(folder: Path) -> None:
    """The runs in a folder are of no one state of the sources: the next time begins anew."""
    (folder / _STATE).unlink(missing_ok=True)


def resume(account: Account, folder: Path) -> int:
    """Count what an earlier, interrupted `make cover` left in `folder`; how many runs that were.

    An ERROR is not kept: it says that a run broke, not what it found.
    """
    with contextlib.suppress(OSError, ValueError, TypeError):
        account.cost = Cost(**json_of((folder / _COST).read_text()))
    found: list[tuple[Job, dict[str, Any]]] = []
    for listed in sorted(folder.glob("process-*/jobs.json"), key=lambda path: path.stat().st_mtime):
        for job in _jobs(listed):
            with contextlib.suppress(OSError, ValueError, KeyError):  # it had not ended when the others were
                result = json_of((Path(job.out) / "result.json").read_text())
                if result["verdict"] in ("PASS", "FAIL"):
                    found.append((job, result))
    clocks = sum(clock(result) for _, result in found)
    busy = min(1.0, account.cost.runs / clocks) if clocks and account.cost.runs else 1.0
    for job, result in found:
        if job.name not in account.names:
            with contextlib.suppress(CoverageError):
                account.add(job, result, busy)
    return len(account.records)


def save_cost(account: Account, folder: Path) -> None:
    """Keep what a system has cost so far, for `resume`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / _COST).write_text(json.dumps(asdict(account.cost)))


def _jobs(path: Path) -> Iterable[Job]:
    try:
        listed = json_of(path.read_text())
    except (OSError, ValueError):
        return
    for values in listed:
        yield job_of(values)


def by_source(records: Iterable[Record]) -> dict[str, list[Record]]:
    """The runs of each stimulus."""
    found: dict[str, list[Record]] = defaultdict(list)
    for record in records:
        found[record.job.source].append(record)
    return found
