# SPDX-License-Identifier: Apache-2.0
"""Code coverage with few runs: of each build those that reached most, on builds with Verilator's counters, as long as
they add lines.

Which runs that are is known from the functional coverage: runs that hit the same bins go the same ways through the RTL.
Builds that hit what none before had hit come first; a system whose last two builds added no line and no branch is done.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rvtrace.flow.cover.account import Account, CoverLot, Record
from rvtrace.flow.cover.code_coverage import CodeCoverage
from rvtrace.flow.jobs import Played
from rvtrace.jobs.job import Job

MOST_JOBS = 40  # of one build
MOST_SECONDS = 15.0
_DRY = 2
_NAME = "coverage.dat"


@dataclass
class _System:
    """What is left of a system. gain: lines and branches that its last builds added."""

    account: Account
    left: list[tuple[Any, list[Job]]]
    gain: list[int] = field(default_factory=list)
    underway: int = 0

    @property
    def over(self) -> bool:
        return not self.left or (len(self.gain) >= _DRY and not any(self.gain[-_DRY:]))


class CodeRuns:
    """The runs with code coverage of all systems, and their sum.

    folder: each build has one in it. What an earlier, interrupted run left there is counted and not run again.
    """

    def __init__(
        self, accounts: list[Account], root: Path, folder: Path, sim: str, build_of: Callable[[Job], Hashable]
    ) -> None:
        self.sum, self.folder, self.sim = CodeCoverage(root), folder, sim
        self.bad: list[dict[str, Any]] = []
        self.builds = 0
        self.systems: dict[str, _System] = {}
        for account in accounts:
            chosen = choose(account, build_of)
            there = [entry for entry in chosen if (self.place(account, entry[0]) / _NAME).exists()]
            system = self.systems[account.system.ip] = _System(
                account, [entry for entry in chosen if entry not in there]
            )
            for config, _ in there:
                self._count(system, self.place(account, config))

    def place(self, account: Account, config: Any) -> Path:
        """Where the runs of a build are."""
        key = hashlib.sha256(repr((config.bench, config.items)).encode()).hexdigest()[:12]
        return self.folder / account.system.ip / f"code-{key}"

    def lot(self) -> CoverLot | None:
        """The next build and its runs; None if nothing is left that promises a line."""
        waiting = [s for s in self.systems.values() if not s.over]
        system = max(
            waiting,
            key=lambda s: (not s.gain and not s.underway, s.gain[-1] if s.gain else 0, len(s.left)),
            default=None,
        )
        if system is None:
            return None
        config, jobs = system.left.pop(0)
        system.underway += 1
        place = self.place(system.account, config)
        jobs = [replace(job, out=str(place / job.name), sim=self.sim) for job in jobs]
        return CoverLot(config, jobs, place, system.account.system.ip)

    def ended(self, done: Played[CoverLot]) -> int:
        """Count a build's runs; the lines and branches that they added."""
        system = self.systems[done.lot.ip]
        system.underway -= 1
        system.account.cost.code_builds += done.build_cpu
        system.account.cost.code_runs += done.run_cpu
        self.bad += [result for result in done.results if result["verdict"] != "PASS"]
        return self._count(system, done.lot.place)

    def _count(self, system: _System, place: Path) -> int:
        if not (place / _NAME).exists():
            return 0
        new = self.sum.add(place / _NAME)
        self.builds += 1
        system.gain.append(new["line"] + new["branch"])
        return system.gain[-1]


def choose(account: Account, build_of: Callable[[Job], Hashable]) -> list[tuple[Any, list[Job]]]:
    """The builds of a system, those first that hit most of what none before had hit, each with few runs that hit what
    all its runs did.
    """
    groups: dict[Any, list[Record]] = {}
    for record in account.records:
        if record.verdict == "PASS":
            groups.setdefault(build_of(record.job), []).append(record)
    reached = {config: _bins(records) for config, records in groups.items()}
    chosen, known = [], set[tuple[str, str]]()
    while reached:
        config = max(reached, key=lambda c: (len(reached[c] - known), len(reached[c])))
        chosen.append((config, _few(groups[config])))
        known |= reached.pop(config)
    return chosen


def _few(records: list[Record]) -> list[Job]:
    """Runs that together hit what all of them hit, the most for their time first, until time is up."""
    left, jobs, seconds = _bins(records), [], 0.0
    pool = {id(record): (record, _bins([record])) for record in records}
    while left and pool and len(jobs) < MOST_JOBS and seconds < MOST_SECONDS:
        key, (record, bins) = max(pool.items(), key=lambda item: len(item[1][1] & left) / item[1][0].seconds)
        if not bins & left:
            break
        del pool[key]
        left -= bins
        jobs.append(record.job)
        seconds += record.seconds
    return jobs


def _bins(records: list[Record]) -> set[tuple[str, str]]:
    return {(point, name) for record in records for point, bins in record.hits.items() for name in bins}
