# SPDX-License-Identifier: Apache-2.0
"""Open bins, and for each the run that is most likely to hit it: from what the runs so far have hit beside it.

Beside a hole are the bins of its point that were hit; the more of their axes are the hole's, and the nearer the others,
the closer. The stimulus that hit the closest ones is the one to try. A value needs an option if all runs that hit
something with this value share the option, and the others do not: a value that only RV32 runs have needs XLEN=32.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count, islice
from typing import Any

from rvtrace.flow.cover.account import Account, Record, options_of
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import CROSS, Point
from rvtrace.jobs.job import Job

_CHANCE = 0.02  # an option that all those runs share by chance so likely is not needed
_OPTION = 0.9  # how close another value is that an option changes
_SOURCES = 4  # stimuli that are considered for a hole
_CONFIGS = 3  # of a stimulus
_SHOWN = 4  # needed
_AT_ONCE = 24  # tries


@dataclass(frozen=True)
class Near:
    """A stimulus that hit bins beside a hole. close: 1 would be the hole itself. bins: how many of those closest ones;
    runs of all its runs did.
    """

    source: str
    close: float
    bins: int
    runs: int
    all: int
    example: str

    @property
    def likely(self) -> tuple[float, float]:
        """For ranking: the larger, the likelier."""
        return self.close, self.bins * self.runs / self.all


@dataclass(frozen=True)
class Try:
    """A hole and the run to try. near: stimuli, the likeliest first. needed: options that its values seem to need. job:
    None if nothing is known.
    """

    point: str
    bin: str
    near: tuple[Near, ...]
    needed: dict[str, Any]
    job: Job | None

    @property
    def command(self) -> str:
        """What to type, or an empty text."""
        return self.job.rerun if self.job else ""

    @property
    def why(self) -> str:
        """Why this run."""
        if not self.near:
            return "nothing near was ever hit: no run hit any bin of this point"
        best = next((near for near in self.near if self.job and near.source == self.job.source), self.near[0])
        said = (
            f"{best.source} hit {best.example!r}"
            + (f" and {best.bins - 1} as close" if best.bins > 1 else "")
            + f" in {best.runs} of {best.all} runs"
        )
        if self.needed:
            words = [f"{name.upper()}={_text(value)}" for name, value in list(self.needed.items())[:_SHOWN]]
            said += f"; its values need {' '.join(words)}{' and more' if len(self.needed) > _SHOWN else ''}"
        return said

    def to_dict(self) -> dict[str, Any]:
        """For cover.json."""
        return {
            "point": self.point,
            "bin": self.bin,
            "try": self.command,
            "why": self.why,
            "near": [near.__dict__ for near in self.near],
        }


def stimuli(system: SystemBench, sim: str) -> dict[str, list[Job]]:
    """What a system runs by name: scenarios, programs and system scenarios, each in its configurations."""
    found: dict[str, list[Job]] = defaultdict(list)
    for job in [*system.directed(sim), *system.programs(everything=True), *system.tci_jobs(sim)]:
        found[job.source].append(job)
    return found


@dataclass
class Holes:
    """The holes of an account, looked at from all that was run. listed: of `stimuli`."""

    account: Account
    listed: Mapping[str, list[Job]]
    _needed: dict[tuple[str, int, str], dict[str, Any]] = field(default_factory=dict)

    @cached_property
    def _of_source(self) -> Counter[str]:
        return Counter(record.job.source for record in self.account.records)

    @cached_property
    def _hit(self) -> dict[str, dict[str, list[Record]]]:
        """Point: bin: the runs that hit it."""
        found: dict[str, dict[str, list[Record]]] = defaultdict(lambda: defaultdict(list))
        for record in self.account.records:
            for point, bins in record.hits.items():
                for name in bins:
                    found[point][name].append(record)
        return found

    @cached_property
    def _runs(self) -> dict[str, dict[str, dict[str, set[int]]]]:
        """Point: bin: stimulus: its runs that hit it."""
        found: dict[str, dict[str, dict[str, set[int]]]] = {}
        for point, bins in self._hit.items():
            of_point = found[point] = {}
            for name, records in bins.items():
                into = of_point.setdefault(name, {})
                for record in records:
                    into.setdefault(record.job.source, set()).add(id(record))
        return found

    @cached_property
    def _options(self) -> dict[str, Counter[str]]:
        """Option: how many runs have each of its values."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        for record in self.account.records:
            for name, value in record.options.items():
                found[name][value] += 1
        return found

    def ranked(self, most: int = 400) -> list[Try]:
        """A try for each hole, those first that are likeliest to be hit."""
        tries = [self.of(point, name) for point, name in self.account.holes()[:most]]
        return sorted(tries, key=lambda t: t.near[0].likely if t.near else (0.0, 0.0), reverse=True)

    def of(self, point: str, name: str, number: int = 0) -> Try:
        """The try of a hole; of `number` 1 and more others than the likeliest."""
        known = self.account.definition.by_name[point]
        near = self.near(known, name)
        needed = self.needed(known, name)
        jobs = self._candidates(near, needed, number) if near else []
        return Try(point, name, tuple(near), needed, jobs[number % len(jobs)] if jobs else None)

    def _candidates(self, near: list[Near], needed: Mapping[str, Any], number: int) -> list[Job]:
        """Runs, the best first: near and with most of the needed, then configurations that were not run. Walks only if
        one was near.
        """
        found = []
        for place, n in enumerate(near):
            entries = (
                [(_share(job, needed), False, job) for job in self._walk(needed, number)]
                if n.source == "random"
                else self._listed(n.source, needed, number)
            )
            found += [(-round(n.close * (1 + share), 1), ran, place, job) for share, ran, job in entries]
        found.sort(key=lambda entry: entry[:3])
        return [job for *_, job in found]

    def near(self, point: Point, name: str) -> list[Near]:
        """The stimuli that hit what is closest to a bin, the likeliest first."""
        places = [{bin_: n for n, bin_ in enumerate(axis)} for axis in point.axes.values()]
        target = name.split(CROSS) if len(point.axes) > 1 else [name]
        free = [
            len(point.axes) > 1 and bool(self._needed_of(point, n, value)) for n, value in enumerate(target)
        ]  # an option changes it
        best: dict[str, tuple[float, list[str], set[int]]] = {}
        for other, sources in self._runs.get(point.name, {}).items():
            values = other.split(CROSS) if len(point.axes) > 1 else [other]
            parts = (
                1.0 if a == b else _OPTION if free_ else 0.5 / (1 + abs(axis[a] - axis[b]))
                for axis, a, b, free_ in zip(places, target, values, free)
            )
            close = round(sum(parts) / len(places), 3)
            for source, runs in sources.items():
                had = best.get(source)
                if had is None or close > had[0]:
                    best[source] = (close, [other], set(runs))
                elif close == had[0]:
                    had[1].append(other)
                    had[2].update(runs)
        found = [
            Near(source, close, len(bins), len(runs), self._of_source[source], bins[0])
            for source, (close, bins, runs) in best.items()
        ]
        return sorted(found, key=lambda n: n.likely, reverse=True)[:_SOURCES]

    def needed(self, point: Point, name: str) -> dict[str, Any]:
        """The options that the values of a bin seem to need: named by their axes, else shared by the runs that hit them
        in other bins.
        """
        values = name.split(CROSS) if len(point.axes) > 1 else [name]
        found = {option: value for axis, text in zip(point.axes, values) for option, value in self._named(axis, text)}
        for axis, value in enumerate(values):
            if len(values) > 1:
                for option, wanted in self._needed_of(point, axis, value).items():
                    found.setdefault(option, wanted)
        return found

    def _named(self, axis: str, text: str) -> list[tuple[str, Any]]:
        """(option, value) if an axis has the name of an option whose values are numbers, and its value names one: xlen
        and RV32.
        """
        option, digits = axis.lower().replace(" ", "_"), re.search(r"\d+", text)
        default = self._defaults.get(option)
        return [(option, int(digits[0]))] if digits and isinstance(default, int) else []

    @cached_property
    def _defaults(self) -> dict[str, Any]:
        return dict(self.account.system.config().to_dict())

    def _needed_of(self, point: Point, axis: int, value: str) -> dict[str, Any]:
        key = (point.name, axis, value)
        if key not in self._needed:
            having = {
                id(r): r
                for name, runs in self._hit.get(point.name, {}).items()
                if name.split(CROSS)[axis] == value
                for r in runs
            }
            configs = [record.options for record in having.values()]
            found = {}
            for option, all_ in self._options.items() if configs else ():
                values = {config.get(option) for config in configs}
                if len(values) == 1 and len(all_) > 1:
                    (only,) = values
                    if only is not None and (all_[only] / sum(all_.values())) ** len(configs) < _CHANCE:
                        found[option] = json.loads(only)
            self._needed[key] = found
        return self._needed[key]

    def _listed(self, source: str, needed: Mapping[str, Any], number: int) -> list[tuple[float, bool, Job]]:
        """(share of the needed values, whether run with another seed, run) of a stimulus in its configurations."""
        ran: dict[str, set[int]] = defaultdict(set)
        for record in self.account.records:
            if record.job.source == source:
                ran[json.dumps(record.options)].add(record.job.seed)
        found = []
        for job in self.listed.get(source, []):
            used = ran.get(json.dumps(options_of(job)), set())
            free = (seed for seed in count(1) if seed not in used)
            found.append(
                (_share(job, needed), bool(used), replace(job, seed=next(islice(free, number if used else 0, None))))
            )
        return sorted(found, key=lambda entry: (-entry[0], entry[1]))[:_CONFIGS]

    def _walk(self, needed: Mapping[str, Any], number: int) -> list[Job]:
        """A random walk with these options; without them if they do not go together."""
        seed = 10_000 + len(self.account.records) + number
        for base in (dict(needed), {}):
            try:
                job = self.account.system.random_job(seed, base)
                job.settings  # noqa: B018  a ConfigError says that they do not
                return [job]
            except ValueError:
                continue
        return []


def _share(job: Job, needed: Mapping[str, Any]) -> float:
    """How many of the needed a run has."""
    options = options_of(job)
    return (
        sum(options.get(name) == json.dumps(value) for name, value in needed.items()) / len(needed) if needed else 1.0
    )


def aimed(account: Account, listed: Mapping[str, list[Job]], number: int) -> list[Job]:
    """Runs that are likely to hit holes, none twice."""
    holes = Holes(account, listed)
    jobs: dict[str, Job] = {}
    for point, name in _spread(account.holes(), _AT_ONCE):
        job = holes.of(point, name, number).job
        if job is not None and job.rerun not in jobs:
            jobs[job.rerun] = replace(job, name=f"try-{number}-{len(jobs)}")
    return list(jobs.values())


def _spread(holes: list[tuple[str, str]], number: int) -> Iterable[tuple[str, str]]:
    """Some of the holes, of each point about as many."""
    groups: dict[str, list[tuple[str, str]]] = defaultdict(list)
    for hole in holes:
        groups[hole[0]].append(hole)
    taken: list[tuple[str, str]] = []
    while len(taken) < number and any(groups.values()):
        taken += [group.pop() for group in groups.values() if group]
    return taken[:number]


def _text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
