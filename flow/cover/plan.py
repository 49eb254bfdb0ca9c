# SPDX-License-Identifier: Apache-2.0
"""Which run comes next: the one that is expected to hit most new bins in a second of its simulator.

A family is what is run of one stimulus: a program, a scenario, a system scenario, the random walks, the tries at
holes. What is expected of a family is what its last runs added, less as the bins that are open get fewer; of one that
was not run yet, what the first runs of its kind added. So one configuration of each scenario comes first, and a family
that adds nothing comes late.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from typing import Any

from rvtrace.flow.cover.account import Account, Record
from rvtrace.jobs.job import Job

LOT_SECONDS = 12.0  # of runs in one process: so long nobody looks at what they add
LOT_JOBS = 100
START_SECONDS = 1.0  # a simulator process begins
_OF_FAMILY = 8  # runs of one process
_WEIGHT = 0.5  # of the last run in what is expected of a family
_GUESS = {
    "scenario": (10.0, 0.15),
    "random": (20.0, 1.0),
    "tci": (30.0, 2.0),
    "program": (10.0, 1.0),
}  # new bins and seconds of a first run
_FRUITLESS = 10  # tries
_PATIENCE = 150  # runs that add nothing, when all that has a name was run
_WALKS = 60  # that are chosen at random at once
_SCENARIO_SEEDS = (1, 2, 3)


@dataclass
class Family:
    """Runs of one stimulus that were not started. kind: of its source. bins, seconds: expected of the next. holes: how
    many were open then.
    """

    kind: str
    jobs: deque[Job] = field(default_factory=deque)
    bins: float | None = None
    seconds: float = 0.0
    holes: int = 0


class Plan:
    """The runs of one system that are left, and which of them are worth most.

    tries: runs aimed at holes, asked for when nothing else promises as much; seeds: how many random walks there may be.
    """

    def __init__(
        self,
        account: Account,
        sim: str,
        size: int,
        first: int,
        seeds: int,
        build_of: Callable[[Job], Hashable],
        tries: Callable[[Account, int], list[Job]] = lambda account, number: [],
    ) -> None:
        self.account, self.size, self.next_seed, self.build_of, self._tries = account, size, first, build_of, tries
        self.last_seed = first + seeds - 1
        self.families: dict[Hashable, Family] = {}
        self._builds: dict[str, Hashable] = {}  # of each run by its name
        self.kinds: dict[str, list[float]] = {}  # kind: expected bins and seconds of a first run
        self.tried = sum(name.startswith("try-") for name in account.names)  # none has the name of an earlier one
        self._turn = 0
        self._barren = 0  # runs since one added something
        self._fruitless = 0  # tries since a run added something
        for job in self._listed(sim):
            self._pool(job)
        for record in account.records:
            self._learn(record)

    def _listed(self, sim: str) -> list[Job]:
        """Scenarios, programs and system scenarios, each in all its configurations."""
        system = self.account.system
        scenarios = [
            replace(job, name=f"system-{job.name}-{seed}")
            for seed in _SCENARIO_SEEDS
            for job in system.tci_jobs(sim, seed=seed)
        ]
        return [*system.directed(sim), *system.programs(everything=True), *scenarios]

    def _family(self, job: Job) -> Family:
        """The family of a run. Walks of each build are a separate one: its first walk hits what only this build can."""
        key = ("random", self._build(job)) if job.source == "random" else job.source
        return self.families.setdefault(key, Family(job.source.partition(":")[0]))

    def _build(self, job: Job) -> Hashable:
        if job.name not in self._builds:
            self._builds[job.name] = self.build_of(job)
        return self._builds[job.name]

    def _pool(self, job: Job) -> None:
        if job.name not in self.account.names:
            self._family(job).jobs.append(job)

    def expected(self, family: Family) -> tuple[float, float]:
        """(new bins, seconds) of its next run."""
        if family.bins is None:
            bins, seconds = self.kinds.get(family.kind) or _GUESS.get(family.kind, (1.0, 1.0))
            return bins, seconds
        return family.bins * min(1.0, (self.account.open + 1) / (family.holes + 1)), family.seconds

    def learn(self, records: list[Record]) -> None:
        """What these runs added."""
        for record in records:
            self._learn(record)
            self._barren = 0 if record.new else self._barren + 1
        if any(record.new for record in records):
            self._fruitless = 0

    def _learn(self, record: Record) -> None:
        family = self._family(record.job)
        if family.bins is None:
            kind = self.kinds.setdefault(family.kind, list(_GUESS.get(family.kind, (1.0, 1.0))))
            kind[0] += 0.2 * (record.new - kind[0])
            kind[1] += 0.2 * (record.seconds - kind[1])
            family.bins, family.seconds = float(record.new), record.seconds
        else:
            family.bins += _WEIGHT * (record.new - family.bins)
            family.seconds += _WEIGHT * (record.seconds - family.seconds)
        family.holes = self.account.open

    def lot(self) -> list[Job]:
        """The next runs, all of one build; none if nothing is open, nothing is left to run, or nothing has added
        anything for long.
        """
        named = any(family.jobs for family in self.families.values() if family.kind != "random")
        if not self.account.open or (self._barren >= _PATIENCE and self._fruitless >= _FRUITLESS and not named):
            return []
        self._walks()
        lots = [
            self._filled(build)
            for build in {self._build(job) for family in self.families.values() for job in family.jobs}
        ]
        worth, best = max(lots, key=lambda lot: lot[0], default=(0.0, []))
        if worth * LOT_SECONDS < 1 and self.account.records:
            # Nothing promises much: aim at holes, end what has a name, and go on with what promises most, in turn.
            self._turn = (self._turn + 1) % 3
            if self._turn == 0 and self._fruitless < _FRUITLESS and (aimed := self._aimed()):
                return aimed
            best = (self._rest() if self._turn == 1 else []) or best
        for job in best:
            self._family(job).jobs.remove(job)
        return best or (self._aimed() if self._fruitless < _FRUITLESS else [])

    def _rest(self) -> list[Job]:
        """Runs that have a name, of the build that has most of them, the shortest first."""
        groups: dict[Hashable, list[tuple[float, Job]]] = {}
        for family in self.families.values():
            for job in family.jobs if family.kind != "random" else ():
                groups.setdefault(self._build(job), []).append((self.expected(family)[1], job))
        lot, seconds = [], 0.0
        for takes, job in sorted(max(groups.values(), key=len, default=[]), key=lambda entry: entry[0])[:LOT_JOBS]:
            if lot and seconds + takes > LOT_SECONDS:
                break
            lot.append(job)
            seconds += takes
        return lot

    def _filled(self, build: Hashable) -> tuple[float, list[Job]]:
        """The best runs of a build for one process, and the new bins a second that are expected of them.

        Of a family each further run is worth half of the one before. A process takes time to begin: one with few runs
        takes also what promises little.
        """
        pool = []
        for family in self.families.values():
            bins, seconds = self.expected(family)
            half = 1.0 if family.kind == "random" else 0.5
            of_build = [job for job in family.jobs if self._build(job) == build]
            pool += [
                (bins * half**n / seconds, bins * half**n, seconds, job) for n, job in enumerate(of_build[:_OF_FAMILY])
            ]
        pool.sort(key=lambda entry: -entry[0])
        lot: list[Job] = []
        bins, seconds = 0.0, START_SECONDS
        for worth, more, takes, job in pool:
            full = seconds > START_SECONDS + LOT_SECONDS or len(lot) == LOT_JOBS
            if lot and (full or (seconds > LOT_SECONDS / 2 and worth < pool[0][0] / 20)):
                break
            lot.append(job)
            bins, seconds = bins + more, seconds + takes
        return bins / seconds, lot

    def _walks(self) -> None:
        """Make random walks where there are none left."""
        walks = sum(len(family.jobs) for family in self.families.values() if family.kind == "random")
        if walks < _WALKS // 2:
            for seed in range(self.next_seed, min(self.next_seed + _WALKS, self.last_seed + 1)):
                self._pool(self.account.system.random_job(seed, size=self.size))
                self.next_seed = seed + 1

    def _aimed(self) -> list[Job]:
        """Tries at the holes, those of one build."""
        self._fruitless += 1
        groups: dict[Any, list[Job]] = {}
        for job in self._tries(self.account, self.tried):
            groups.setdefault(self.build_of(job), []).append(job)
        self.tried += 1
        return max(groups.values(), key=len)[:LOT_JOBS] if groups else []
