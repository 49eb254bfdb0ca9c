# SPDX-License-Identifier: Apache-2.0
"""What every play of faults has: a build with some of them in it, the jobs of one fault in the order of earlier kills,
and a run that ends at the first job that does not pass.
"""

from __future__ import annotations

import copy
import shutil
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rvtrace.flow.simulation import Build, Stopped, run
from rvtrace.jobs.job import Job

_FACTOR, _LEAST = 8.0, 20.0  # of the time of a job on the unchanged RTL, in seconds, before its fault is stopped
_LONG = 120.0  # seconds for the one job that was stopped, alone: the testbench polls for some time
_START = 15.0  # seconds until the first job begins


def changed(folder: Path, place: Path, files: Mapping[str, str]) -> Path:
    """A copy of a folder of RTL in `place`, with other texts of some files."""
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(folder, place)
    for name, text in files.items():
        (place / name).write_text(text)
    return place


def fresh(job: Job) -> Job:
    """A job whose folder a run may set."""
    found = copy.copy(job)
    found.out = ""
    return found


@dataclass
class Image:
    """A build with faults in it. numbers: of each fault, the value of +mutant; empty for a build of one. seconds: of
    each job, without one.
    """

    made: Build
    numbers: dict[str, int]
    seconds: dict[str, float] = field(default_factory=dict)


class Watch:
    """Ends a run at its first job that does not pass, or that takes too long. It is what `run` asks to stop."""

    def __init__(self, jobs: list[Job], limits: Mapping[str, float]) -> None:
        self.jobs, self.limits = jobs, limits
        self.done = 0
        self.found: dict[str, Any] | None = None
        self.overdue: Job | None = None
        self.begin = time.monotonic()

    def tell(self, result: dict[str, Any]) -> None:
        self.done, self.begin = self.done + 1, time.monotonic()
        if self.found is None and result["verdict"] != "PASS":
            self.found = result

    def is_set(self) -> bool:
        if self.found is not None:
            return True
        if self.done < len(self.jobs):
            limit = self.limits[self.jobs[self.done].name] + (_START if not self.done else 0.0)
            # The last two are reported together, at the end of the process.
            limit += self.limits[self.jobs[-1].name] if self.done >= len(self.jobs) - 2 else 0.0
            if time.monotonic() - self.begin > limit:
                self.overdue = self.jobs[self.done]
                return True
        return False


class Kills:
    """Which runs killed faults of which file."""

    def __init__(self) -> None:
        self._found: dict[str, Counter[str]] = {}
        self._lock = threading.Lock()

    def add(self, file: str, job: str) -> None:
        """One more, by the name of the run."""
        with self._lock:
            self._found.setdefault(file, Counter())[job] += 1

    def order(self, file: str, jobs: Iterable[Job], seconds: Mapping[str, float]) -> list[Job]:
        """Those first that killed faults of the same file, then those that killed any, then the shortest."""
        with self._lock:
            mine = self._found.get(file, Counter())
            every = Counter[str]()
            for one in self._found.values():
                every.update(one)
            return sorted(jobs, key=lambda job: (-mine[job.name], -every[job.name], seconds[job.name], job.name))


def until_killed(
    image: Image, name: str, jobs: Iterable[Job], place: Path, plusargs: tuple[str, ...], patient: bool = True
) -> tuple[Job, dict[str, Any]] | None:
    """Run the jobs on a fault until one does not pass: that, and its result; None if it survives. patient: a job that
    takes too long is run again with more time; otherwise the fault counts as one that survives.
    """
    words = (*plusargs, f"+mutant={image.numbers[name]}") if image.numbers else plusargs
    mine = [fresh(job) for job in jobs]
    watch = Watch(mine, {name: max(_LEAST, _FACTOR * taken) for name, taken in image.seconds.items()})
    try:
        results = run(image.made, mine, place, timeout=86400, tell=watch.tell, stop=watch, plusargs=words)
        found = next((result for result in results if result["verdict"] != "PASS"), None)
    except Stopped:
        found = watch.found
    job = watch.overdue
    if job is None and found is not None:
        job = next(one for one in mine if one.name == found["name"])
    if job is None or (watch.overdue is not None and not patient):
        return None
    if watch.overdue is not None:  # alone and with more time: a scenario of the testbench may report it yet
        found = run(image.made, [fresh(job)], place / "alone", timeout=_LONG, plusargs=words)[0]
    return (job, found) if found is not None and found["verdict"] != "PASS" else None
