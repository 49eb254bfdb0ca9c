# SPDX-License-Identifier: Apache-2.0
"""Deviations of a device, one or several at a time: does the report name what is wrong, and nothing else?

A device with a `deviations.toml` beside its dut.toml (tests/<ip>/duts/<name>) is copied with every deviation built in,
each selected at run time by a bit of a plusarg: one build serves all of them.

    device = Device.load(folder)
    for experiment in experiments(device, ...): results = play(experiment, ...)

report/isolation.py compares the findings of the results with the deviations that were on.
"""

from __future__ import annotations

import json
import random
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.select import select
from rvtrace.flow.dut.workspace import workspace
from rvtrace.flow.simulation import build, run
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.scoreboards.common.clauses import toml_rows

OUT = ROOT / "build" / "isolate"
FILE = "deviations.toml"
TIMEOUT = 120  # seconds for one experiment: a device with a bug may hang
SEEDS = 2  # random walks that a row may name as seed-1, seed-2
_SELECT = "deviation_on"  # the variable that is added to a module
_HEADER = re.compile(r"^\s*(?:module|macromodule)\s+(?:automatic\s+)?(\w+)", re.MULTILINE)
_NOTHING = re.compile(r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\])*\"", re.DOTALL)


class DeviationError(ValueError):
    """A deviation that cannot be used; the text says which, where and why."""


@dataclass(frozen=True)
class Deviation:
    """One bug that can be switched on.

    kind: its class, in a few words. file: of the device, relative to its folder. find: an expression or a statement,
    text that occurs once in the file, or in `within`, which then does; instead: what takes its place. clauses: a
    finding with one of them names it; says: so does one whose text contains this regular expression. needs: options
    without which it does not show. runs: parts of the names of runs that show it.
    """

    name: str
    kind: str
    file: str
    find: str
    within: str
    statement: bool
    instead: str
    clauses: tuple[str, ...]
    says: str
    needs: dict[str, Any]
    runs: tuple[str, ...]

    def place(self, text: str) -> int:
        """Where it is in the text of its file; DeviationError if it is there more or less than once."""
        begin = 0
        if self.within:
            begin = self._once(text, self.within)
            text = self.within
        return begin + self._once(text, self.find)

    def _once(self, text: str, part: str) -> int:
        if (count := text.count(part)) != 1:
            raise DeviationError(
                f"deviation {self.name}: {part!r} occurs {count} times in {self.within or self.file}, needed once;"
                " correct it, or name more of its surroundings as `within`"
            )
        return text.index(part)

    def switched(self, number: int) -> str:
        """Its text with both forms, selected by bit `number`."""
        on = f"{_SELECT}[{number}]"
        if self.statement:
            return f"if ({on}) begin {self.instead} end else begin {self.find} end"
        return f"({on} ? ({self.instead}) : ({self.find}))"


@dataclass(frozen=True)
class Device:
    """A device with its deviations.

    name: of its folder. dut: a copy of it in which all are built in. jobs: the runs that apply to it.
    """

    name: str
    dut: Dut
    deviations: tuple[Deviation, ...]
    jobs: tuple[Job, ...]

    @classmethod
    def load(cls, folder: Path, sim: str) -> Device:
        """The device of a folder, copied to build/isolate. DutError or DeviationError with the first thing wrong."""
        dut = Dut.load(folder)
        rows = deviations(folder / FILE)
        copied = built_in(dut, rows, OUT / dut.ip / folder.name / "rtl")
        found = select(copied, systems.bench(dut.ip), SEEDS, sim)
        return cls(folder.name, copied, rows, tuple(found.jobs))

    def runs_of(self, rows: Iterable[Deviation]) -> list[Job]:
        """Of each part of a name that a row asks for the first run that has its options. DeviationError if there is
        none.
        """
        found: dict[str, Job] = {}
        for row in rows:
            for part in row.runs:
                job = next((job for job in self.jobs if part in job.name and _has(job, row.needs)), None)
                if job is None:
                    raise DeviationError(
                        f"{self.name}: deviation {row.name} needs a run with {part} in its name"
                        + (f" and {row.needs}" if row.needs else "")
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


def deviations(path: Path) -> tuple[Deviation, ...]:
    """The rows of a file. DeviationError if one is not complete, or two have one name."""
    found: dict[str, Deviation] = {}
    for number, row in enumerate(toml_rows(path, "deviation"), 1):
        where = f"{path}: deviation {row.get('name', number)}"
        if ("expr" in row) == ("statement" in row):
            raise DeviationError(f"{where} needs expr or statement, one of them")
        try:
            one = Deviation(
                name=row.pop("name"),
                kind=row.pop("class"),
                file=row.pop("file"),
                statement="statement" in row,
                find=row.pop("statement", None) or row.pop("expr"),
                within=row.pop("within", ""),
                instead=row.pop("instead"),
                clauses=tuple(row.pop("clauses", ())),
                says=row.pop("says", ""),
                needs=row.pop("with", {}),
                runs=tuple(row.pop("runs")),
            )
        except KeyError as error:
            raise DeviationError(f"{where} has no {error.args[0]}") from None
        if row:
            raise DeviationError(f"{where} has the unknown key {next(iter(row))}")
        if not one.clauses and not one.says or not one.runs:
            raise DeviationError(f"{where} needs clauses or says, by which a finding is recognized, and runs")
        if one.name in found:
            raise DeviationError(f"{path}: two deviations are called {one.name}; give each its own name")
        found[one.name] = one
    return tuple(found.values())


def built_in(dut: Dut, rows: Sequence[Deviation], place: Path) -> Dut:
    """The device with copies of the files that deviations change, below `place`."""
    edits: dict[Path, list[tuple[int, Deviation, str]]] = {}
    for number, row in enumerate(rows):
        path = (dut.folder / row.file).resolve()
        if path not in dut.sources.files:
            raise DeviationError(f"{dut.name}: deviation {row.name}: {row.file} is no source of the device")
        text = path.read_text()
        edits.setdefault(path, []).append((row.place(text), row, row.switched(number)))
    texts = {path: _edited(dut.name, path.read_text(), found) for path, found in edits.items()}
    shutil.rmtree(place, ignore_errors=True)
    copies = {}
    for path, text in texts.items():
        copy = place / path.relative_to(dut.folder.resolve())
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(selectable(text, len(rows)))
        copies[path] = copy
    files = tuple(copies.get(path, path) for path in dut.sources.files)
    return replace(dut, sources=replace(dut.sources, files=files))


def _edited(name: str, text: str, edits: list[tuple[int, Deviation, str]]) -> str:
    last, after = len(text), ""
    for begin, row, switched in sorted(edits, key=lambda edit: -edit[0]):
        end = begin + len(row.find)
        if end > last:
            raise DeviationError(f"{name}: deviations {row.name} and {after} change the same text; choose other places")
        text = text[:begin] + switched + text[end:]
        last, after = begin, row.name
    return text


def selectable(text: str, count: int) -> str:
    """The text of a file with the selection of deviations in each module that uses it, on the line of its header."""
    blank = _NOTHING.sub(lambda match: re.sub(r"[^\n]", " ", match[0]), text)  # as long, without comments
    heads = [match.start() for match in _HEADER.finditer(blank)]
    added = (
        f' logic [{max(count, 2) - 1}:0] {_SELECT}; initial if (!$value$plusargs("deviations=%h", {_SELECT}))'
        f" {_SELECT} = '0;"
    )
    for begin, end in reversed(list(zip(heads, [*heads[1:], len(text)], strict=True))):
        if _SELECT in text[begin:end]:
            place = _header_end(blank, begin) + 1
            text = text[:place] + added + text[place:]
    return text


def _header_end(text: str, begin: int) -> int:
    """The semicolon that ends a module's header: not one of an import, which ends with a list of ports after it."""
    depth = 0
    for place in range(begin, len(text)):
        depth += {"(": 1, ")": -1}.get(text[place], 0)
        if text[place] == ";" and not depth and not re.search(r"\bimport\b[^;()]*$", text[begin:place]):
            return place
    raise DeviationError("a module of the device has no end of its header")


@dataclass(frozen=True)
class Experiment:
    """Deviations of a device that are on together, and the runs. name: of its results."""

    device: Device
    rows: tuple[Deviation, ...]
    jobs: list[Job] = field(compare=False)

    @property
    def name(self) -> str:
        """The names of the deviations."""
        return "+".join(row.name for row in self.rows) or "none"

    @property
    def plusarg(self) -> str:
        """Which are on, as the RTL reads it."""
        every = [row.name for row in self.device.deviations]
        return f"+deviations={sum(1 << every.index(row.name) for row in self.rows):x}"

    @property
    def rerun(self) -> str:
        """The command that repeats it."""
        return (
            f"make isolate IP={self.device.dut.ip} DUT={self.device.name}"
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
        yield Experiment(device, rows, device.runs_of(rows))


def play(experiment: Experiment, sim: str) -> list[dict[str, Any]]:
    """The results of its runs."""
    device = experiment.device
    system = systems.bench(device.dut.ip)
    groups: dict[Any, list[Job]] = {}
    for job in experiment.jobs:
        job.out = ""
        groups.setdefault(system.build_of(job), []).append(job)
    results: list[dict[str, Any]] = []
    for number, (config, jobs) in enumerate(groups.items()):
        made = build(config, sim, workspace(device.dut, system, config))
        place = OUT / device.dut.ip / device.name / "runs" / experiment.name / str(number)
        shutil.rmtree(place, ignore_errors=True)
        results += run(made, jobs, place, timeout=TIMEOUT, plusargs=(experiment.plusarg,))
    return results


def play_all(
    todo: Sequence[Experiment],
    sim: str,
    workers: int,
    tell: Callable[[Experiment, list[dict[str, Any]]], None],
) -> None:
    """Each experiment, `workers` at a time; `tell` is given each as it ends, in the order of `todo`."""
    with ThreadPoolExecutor(workers) as pool:
        for experiment, results in zip(todo, pool.map(lambda one: play(one, sim), todo), strict=True):
            tell(experiment, results)


def find(device: Device, names: Iterable[str]) -> tuple[Deviation, ...]:
    """Deviations by name; DeviationError for one that the device does not have."""
    known = {row.name: row for row in device.deviations}
    for name in names:
        if name not in known:
            raise DeviationError(f"{device.name} has no deviation {name}; it has {', '.join(known)}")
    return tuple(known[name] for name in names)


def save(ip: str, rows: list[dict[str, Any]]) -> Path:
    """Write build/isolate/<ip>.json."""
    OUT.mkdir(parents=True, exist_ok=True)
    path = OUT / f"{ip}.json"
    path.write_text(json.dumps(rows, indent=1))
    return path


__all__ = [
    "Deviation",
    "DeviationError",
    "Device",
    "DutError",
    "Experiment",
    "built_in",
    "devices",
    "draws",
    "play_all",
]
