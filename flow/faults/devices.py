# SPDX-License-Identifier: Apache-2.0
"""Deviations of a device, one or several at a time: does the report name what is wrong, and nothing else?

A device with a `deviations.toml` beside its dut.toml (tests/<ip>/duts/<name>) is copied with every deviation built in,
any of them selected at run time: one build serves all of them.

    device = Device.load(folder, "verilator")
    play_all(list(singles(device)), "verilator", 2, tell)

report/faults.py compares the findings of the results with the deviations that were on.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import combinations, islice
from pathlib import Path
from typing import Any

from rvtrace.flow.dut.description import Dut
from rvtrace.flow.dut.select import select
from rvtrace.flow.dut.workspace import workspace
from rvtrace.flow.faults import runner
from rvtrace.flow.faults.rows import Fault, FaultError, load
from rvtrace.flow.simulation import build
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job

OUT = ROOT / "build" / "isolate"
FILE = "deviations.toml"
TIMEOUT = 120  # seconds for one run: a device with a bug may hang
LOT = 8  # experiments of one process
SEEDS = 2  # random walks that a row may name as seed-1, seed-2


@dataclass(frozen=True)
class Device:
    """A device with its deviations.

    name: of its folder. dut: a copy of it in which all are built in, each selected by its number. jobs: the runs that
    apply to it.
    """

    name: str
    dut: Dut
    deviations: tuple[Fault, ...]
    jobs: tuple[Job, ...]
    numbers: dict[str, int] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path, sim: str) -> Device:
        """The device of a folder, copied to build/isolate. DutError or FaultError with the first thing wrong."""
        dut = Dut.load(folder)
        rows = deviations(folder / FILE)
        copied, numbers = built_in(dut, rows, OUT / dut.ip / folder.name / "rtl")
        found = select(copied, systems.bench(dut.ip), SEEDS, sim)
        return cls(folder.name, copied, rows, tuple(found.jobs), numbers)

    def runs_of(self, rows: Iterable[Fault]) -> list[Job]:
        """Of each part of a name that a row asks for the first run that has its options; FaultError if none has."""
        found: dict[str, Job] = {}
        for row in rows:
            for part in row.runs:
                job = next((job for job in self.jobs if part in job.name and _has(job, row.config)), None)
                if job is None:
                    raise FaultError(
                        f"{self.name}: deviation {row.name} needs a run with {part} in its name"
                        + (f" and {row.config}" if row.config else "")
                        + ", and none applies to the device; `make check DUT=` prints their names"
                    )
                found.setdefault(job.name, job)
        return [replace(job, config=dict(job.config)) for job in found.values()]


def _has(job: Job, needs: dict[str, Any]) -> bool:
    settings = job.settings
    return all(getattr(settings, name) == value for name, value in needs.items())


def devices(ip: str) -> list[Path]:
    """Folders of the devices of a system that have deviations."""
    return sorted(path.parent for path in (ROOT / "tests" / ip / "duts").glob(f"*/{FILE}"))


def deviations(path: Path) -> tuple[Fault, ...]:
    """The rows of a file, in its order. FaultError if one is not complete."""
    return tuple(load(path, needs=("clause or says", "why", "run")).values())


def built_in(dut: Dut, rows: Sequence[Fault], place: Path) -> tuple[Dut, dict[str, int]]:
    """The device with copies of the files that deviations change, below `place`, and the number that selects each."""
    folder = dut.folder.resolve()
    names = {str(path.relative_to(folder)): path for path in dut.sources.files if path.is_relative_to(folder)}
    sources, numbers = runner.built_in(dut.name, dut.sources, names, rows, place)
    return replace(dut, sources=sources), numbers


@dataclass(frozen=True)
class Experiment:
    """Deviations of a device that are on together, and the runs. name: of its results."""

    device: Device
    rows: tuple[Fault, ...]
    jobs: list[Job] = field(compare=False)

    @property
    def name(self) -> str:
        """The names of the deviations."""
        return "+".join(row.name for row in self.rows) or "none"

    @property
    def numbers(self) -> list[int]:
        """What selects them."""
        return [self.device.numbers[row.name] for row in self.rows]

    @property
    def rerun(self) -> str:
        """The command that repeats it."""
        return (
            f"make mutate KIND=devices IP={self.device.dut.ip} DUT={self.device.name}"
            f" DEVIATION={','.join(row.name for row in self.rows)}"
        )


def singles(device: Device) -> Iterator[Experiment]:
    """None, on all runs that any deviation uses; then each deviation alone."""
    yield Experiment(device, (), device.runs_of(device.deviations))
    for row in device.deviations:
        yield Experiment(device, (row,), device.runs_of([row]))


def draws(found: Sequence[Device], count: int, together: int, seed: int) -> Iterator[Experiment]:
    """Random sets of deviations, the devices in turn."""
    rng = random.Random(f"{seed}:isolate")
    for number in range(count):
        device = found[number % len(found)]
        rows = tuple(rng.sample(device.deviations, min(together, len(device.deviations))))
        while _overlap(rows):
            rows = tuple(rng.sample(device.deviations, len(rows)))
        yield Experiment(device, rows, device.runs_of(rows))


def _overlap(rows: Sequence[Fault]) -> bool:
    """Whether two of them change the same text, so that one would hide the other."""
    edits = [edit for row in rows for edit in row.edits]
    return any(
        one.file == other.file and (one.before in other.before or other.before in one.before)
        for one, other in combinations(edits, 2)
    )


def play(todo: Sequence[Experiment], config: Any, sim: str, place: Path) -> list[list[dict[str, Any]]]:
    """Of experiments of one device, the results of those of their runs that need a build."""
    device = todo[0].device
    system = systems.bench(device.dut.ip)
    made = build(config, sim, workspace(device.dut, system, config))
    jobs = [[job for job in one.jobs if system.build_of(job) == config] for one in todo]
    plays = [
        runner.Play(one.name, one.numbers, [runner.fresh(job, str(place / one.name / job.name))], [TIMEOUT])
        for one, mine in zip(todo, jobs)
        for job in mine
    ]
    shutil.rmtree(place, ignore_errors=True)
    results = iter(runner.play(made, plays, place / "process"))
    return [list(islice(results, len(mine))) for mine in jobs]


def play_all(
    todo: Sequence[Experiment],
    sim: str,
    workers: int,
    tell: Callable[[Experiment, list[dict[str, Any]]], None],
) -> None:
    """All experiments, in `workers` processes at a time; `tell` is given each as it ends, in the order of `todo`."""
    with ThreadPoolExecutor(workers) as pool:
        for begin in range(0, len(todo), LOT * workers):
            for one, results in zip(part := todo[begin : begin + LOT * workers], _played(part, sim, begin, pool)):
                tell(one, results)


def _played(todo: Sequence[Experiment], sim: str, begin: int, pool: ThreadPoolExecutor) -> list[list[dict[str, Any]]]:
    """Experiments of any devices, those of one device and build in lots; the results of each."""
    groups: dict[Any, list[int]] = {}
    for number, one in enumerate(todo):
        configs = dict.fromkeys(systems.bench(one.device.dut.ip).build_of(job) for job in one.jobs)
        for config in configs:
            groups.setdefault((one.device.name, config), []).append(number)
    lots = [(config, of[first : first + LOT]) for (_, config), of in groups.items() for first in range(0, len(of), LOT)]

    def lot(number: int) -> list[list[dict[str, Any]]]:
        config, of = lots[number]
        device = todo[of[0]].device
        place = OUT / device.dut.ip / device.name / "runs" / f"{begin}-{number}"
        return play([todo[one] for one in of], config, sim, place)

    found: list[list[dict[str, Any]]] = [[] for _ in todo]
    for (_, of), results in zip(lots, pool.map(lot, range(len(lots)))):
        for one, mine in zip(of, results):
            found[one] += mine
    return found


def find(device: Device, names: Iterable[str]) -> tuple[Fault, ...]:
    """Deviations by name; FaultError for one that the device does not have."""
    known = {row.name: row for row in device.deviations}
    for name in names:
        if name not in known:
            raise FaultError(f"{device.name} has no deviation {name}; it has {', '.join(known)}")
    return tuple(known[name] for name in names)
