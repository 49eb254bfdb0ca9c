# SPDX-License-Identifier: Apache-2.0
"""The one runner of faults: a design with faults in it, the jobs of each in the order of earlier kills, what they gave.

    made = build(config, sim, changed(ROOT / "rtl", place, combine(texts, faults).files))
    results = play(made, [Play(name, [number], kills.order(file, jobs, seconds), limits)], place)

Each fault plays its jobs until one does not pass. Those of a build are children of one process (forked.py), in which
Python, the testbench and the elaborated design are there once; a core without a testbench (cores.py) has a process for
each. What became of each is a `Row`, of which report/faults.py makes the report.
"""

from __future__ import annotations

import copy
import shutil
import threading
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rvtrace.flow.dut.sources import Sources
from rvtrace.flow.faults import forked
from rvtrace.flow.faults.combine import combine
from rvtrace.flow.faults.rows import Fault, FaultError
from rvtrace.flow.simulation import Build, SimError, run
from rvtrace.jobs.builds import Bench
from rvtrace.jobs.job import Job

_START = 120.0  # seconds that a process has beside the limits of its jobs; it ends by itself
KILLED, SURVIVED, EQUIVALENT, REFUSED, BROKEN = "killed", "survived", "equivalent", "refused", "broken"


@dataclass
class Row:
    """What became of a fault, or of several that were on together (their names with + between them).

    home: the system, part, device or core that has it. kind: its operator, or where it is. file, line: what it changes.
    state: killed (of deviations: all are named; of none: the device passes), survived, equivalent, refused by the
    simulator, which counts for nothing, or broken: it could not be played. how: by what it was killed: a clause, an
    assertion, a timeout, or a traceback of ours. by: which clause or assertion, or which should have. headline: what
    was said, or what is wrong. job: the run that killed, rerun: the command that repeats it. also: what was found
    beside. passing: clauses that it breaks and that say PASS while others fail.
    """

    fault: str
    state: str
    home: str = ""
    kind: str = ""
    file: str = ""
    line: int = 0
    how: str = ""
    by: str = ""
    headline: str = ""
    job: str = ""
    rerun: str = ""
    seconds: float = 0.0
    also: tuple[str, ...] = ()
    passing: tuple[str, ...] = ()

    @property
    def good(self) -> bool:
        """Whether nothing is to be done about it."""
        return self.state in (KILLED, EQUIVALENT, REFUSED)

    def text(self) -> str:
        """One line."""
        also = f"  (also {', '.join(self.also)})" if self.also else ""
        wrong = "" if self.good else f": {self.headline or self.state}"
        again = "" if self.good or not self.rerun else f"\n      {self.rerun}"
        still = f"  BROKEN, YET PASS: {', '.join(self.passing)}" if self.passing else ""
        return f"{'ok' if self.good else 'RED':<5} {self.fault:<26} {self.by}{wrong}{also}{still}{again}"


def passing(broken: Iterable[str], results: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """Of the clauses that a fault breaks, those that were checked and hold although others fail."""
    sums: dict[str, list[int]] = {}
    for result in results:
        for clause, (checked, failed) in result["clauses"].items():
            one = sums.setdefault(clause, [0, 0])
            one[0], one[1] = one[0] + checked, one[1] + failed
    if not any(failed for _, failed in sums.values()):
        return ()
    return tuple(clause for clause in broken if (of := sums.get(clause)) and of[0] and not of[1])


def changed(folder: Path, place: Path, files: Mapping[str, str]) -> Path:
    """A copy of a folder of RTL in `place`, with other texts of some files."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    for name, text in files.items():
        (place / name).write_text(text)
    return place


def built_in(
    title: str, sources: Sources, names: Mapping[str, Path], faults: Sequence[Fault], place: Path
) -> tuple[Sources, dict[str, int]]:
    """The sources of somebody else's design with copies of those that faults change, below `place`, and the number that
    selects each fault. title: of the design. names: its sources by the names that faults have for them.

    FaultError for a fault that is not in a source, or cannot be selected at run time.
    """
    for fault in faults:
        if lost := [file for file in fault.files if file not in names]:
            raise FaultError(f"{title}: {fault.name}: {lost[0]} is no source of it; correct the file of the row")
    used = {file for fault in faults for file in fault.files}
    texts = {name: path.read_text() for name, path in names.items() if name in used or path.suffix in _READ}
    made = combine(texts, faults)
    for name, why in made.alone.items():
        raise FaultError(f"{title}: {name} {why}; change an expression or a statement that runs instead")
    shutil.rmtree(place, ignore_errors=True)
    copies: dict[Path, Path] = {}
    for name, text in made.files.items():
        copies[names[name]] = place / name
        (place / name).parent.mkdir(parents=True, exist_ok=True)
        (place / name).write_text(text)
    return replace(sources, files=tuple(copies.get(path, path) for path in sources.files)), made.number


_READ = (".sv", ".svh", ".v", ".vh")  # sources in which something may be declared


def fresh(job: Job, out: str = "") -> Job:
    """A job for another folder; without one, that of its run."""
    found = copy.copy(job)
    found.out = out
    return found


@dataclass
class Image:
    """A build with faults in it. numbers: of each fault, what selects it; empty for a build of one. seconds: of each
    job, without one.
    """

    made: Build
    numbers: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict)


class Named(Protocol):
    """What is played, by its name."""

    @property
    def name(self) -> str: ...


N = TypeVar("N", bound=Named)


class Kills:
    """Which runs killed faults of which file."""

    def __init__(self) -> None:
        self._found: dict[str, Counter[str]] = {}
        self._lock = threading.Lock()

    def add(self, file: str, job: str) -> None:
        """One more, by the name of the run."""
        with self._lock:
            self._found.setdefault(file, Counter())[job] += 1

    def order(self, file: str, jobs: Iterable[N], seconds: Mapping[str, float] | None = None) -> list[N]:
        """Those first that killed faults of the same file, then those that killed any, then the shortest; without
        seconds, as they are given.
        """
        with self._lock:
            mine = self._found.get(file, Counter())
            every = Counter[str]()
            for one in self._found.values():
                every.update(one)
        last = {} if seconds is None else {name: (taken, name) for name, taken in seconds.items()}
        return sorted(jobs, key=lambda job: (-mine[job.name], -every[job.name], *last.get(job.name, ())))


@dataclass
class Play:
    """The jobs of a fault, of which the first that does not pass is the last. name: of the fault, empty for the
    unchanged design. numbers: what selects it, none if nothing does. limits: seconds of each job. instead: of modules
    of ours by name, the files that are imported instead. most: as `forked.Fork` has it.
    """

    name: str
    numbers: Sequence[int]
    jobs: Sequence[Job]
    limits: Sequence[float]
    instead: dict[str, str] = field(default_factory=dict)
    most: float = 0.0


@dataclass(frozen=True)
class _Forking(Bench):
    """A testbench whose jobs are played by children of one process."""

    module = forked.__name__


def play(made: Build, plays: Sequence[Play], place: Path, plusargs: Sequence[str] = ()) -> list[dict[str, Any]]:
    """Of each, the result of its first job that does not pass, or of its last one; SimError if the process broke.

    Evidence is in the folder of the first job, if it names one, else below `place`.
    """
    forks, leads = [], []
    for number, one in enumerate(plays):
        out = one.jobs[0].out or str(place / str(number))
        jobs = [fresh(job, out if len(one.jobs) == 1 else f"{out}/{n}") for n, job in enumerate(one.jobs)]
        for job in jobs:
            job.out, job.sim = str(Path(job.out).resolve()), made.sim.name
        forks.append(
            forked.Fork(list(one.numbers), list(one.limits), [job.to_dict() for job in jobs], one.instead, one.most)
        )
        leads.append(fresh(one.jobs[0], out))
    forked.leave(place, forks)
    limit = _START + forked.PATIENCE * sum(sum(one.limits) for one in plays)
    results = run(replace(made, bench=_Forking(made.bench.top, made.bench.rtl)), leads, place, limit, plusargs=plusargs)
    if not forked.ended(place):
        raise SimError(f"the process of several faults broke: {results[-1]['error']}")
    return results
