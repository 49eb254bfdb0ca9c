# SPDX-License-Identifier: Apache-2.0
"""A campaign: mutants of one design, and of each the first check that fails.

The jobs come in phases: each scenario in one configuration, the other configurations, random seeds, programs. In each
phase the mutants that are left are compiled together for each build that has jobs; a run without a mutant gives the
time of every job, and on Verilator which mutants it could show: the others, whose changed expression has no other value
in it, are not run in it (combine.py). A mutant's jobs run until the first that does not pass, those first that killed
mutants of the same file before (runner.py). Assertions are off at first; what survives all runs again with them.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from rvtrace.flow import simulation, simulators
from rvtrace.flow.faults.combine import Combined, combine
from rvtrace.flow.faults.design import Design
from rvtrace.flow.faults.forked import COMPUTED, NOTED
from rvtrace.flow.faults.generate import Chosen, Mutant
from rvtrace.flow.faults.operators import OPERATORS
from rvtrace.flow.faults.runner import (
    EQUIVALENT,
    KILLED,
    REFUSED,
    SURVIVED,
    Image,
    Kills,
    Play,
    Row,
    fresh,
    play,
)
from rvtrace.flow.folders import SOURCES, digest_of, named
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulation import SimError, build
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT, BuildConfig
from rvtrace.jobs.job import Job
from rvtrace.scoreboards.common.clauses import Plan

OUT = ROOT / "build" / "mutate"
WITHOUT, ONES = "+verilator+noassert", "+verilator+rand+reset+1"
TOGETHER = 150  # mutants of one build
LOT = 10  # mutants of one process: what killed them orders the jobs of the next ones
_FACTOR, _LEAST, _SLOW = 8.0, 20.0, 2.0  # of the time of a job on the unchanged RTL, in seconds, for a first try
_LONG = 120.0  # seconds of a job with a mutant: the testbench polls for some time, and then reports it
_BASELINE = 1800.0  # seconds of a job without one
_SHORT = 4.0  # seconds of a job on Icarus
_LONGER = 10.0  # and where only what is X is looked for, of a few mutants
_OF_A_BUILD = 2  # jobs of a build that the first phase does not have
_INTERPRETED = 24  # of the first phase on Icarus, where most take seconds: those that killed most so far
_FEW = 12  # of any operator are run once more, for what is X
# Seconds of the processor of all runs of a mutant, after which it survives: with assertions off, and each time that the
# survivors run once more. In eight campaigns of 30 to 40 mutants no run of the last phase killed one.
_MOST, _AGAIN = 45.0, 15.0
# What a result depends on; the design has a digest of its own.
_CHECKED = {folder: patterns for folder, patterns in SOURCES.items() if folder != "rtl"}

CLAUSE, ASSERTION, TIMEOUT, TRACEBACK, BUILD = "clause", "assertion", "timeout", "traceback", "build"


@dataclass
class Mutated(Row):
    """The outcome of one mutant.

    quiet: killed with assertions off. proof: of an equivalent, "yosys" or "equivalent.toml", and its reason. alone: why
    it had a build of its own. kept: by an earlier version of the testbench or of other files of the RTL. key: of what
    the outcome depends on; jobs: the same of a survivor.
    """

    quiet: bool = False
    proof: str = ""
    reason: str = ""
    alone: str = ""
    diff: str = ""
    key: str = ""
    kept: bool = False
    jobs: str = ""

    @property
    def change(self) -> tuple[str, str]:
        """The file and the changed lines, wherever they are in it."""
        return self.file, re.sub(r"^@@.*$", "@@", self.diff, flags=re.MULTILINE)


@dataclass
class Subject:
    """What a campaign is of. phases: its jobs. first_look: later phases are left out, and what runs after them."""

    name: str
    ip: str
    title: str
    design: Design
    phases: list[list[Job]]
    sim: str = "verilator"
    quick: bool = False
    first_look: bool = False

    @property
    def builds(self) -> list[BuildConfig]:
        """All that its jobs need."""
        return list(dict.fromkeys(build_of(job) for phase in self.phases for job in phase))

    @property
    def clauses(self) -> list[str]:
        """Those that its jobs check."""
        if self.name in systems.PARTS:
            return list(Plan.load(ROOT / "scoreboards" / self.name / "plan.toml").clauses)
        return [name for name, clause in systems.judge(self.ip).plan.clauses.items() if not clause.through]

    @property
    def folder(self) -> Path:
        """Of its results."""
        return OUT / f"{self.name}{'-quick' * self.quick}"


@dataclass(frozen=True)
class _How:
    """How jobs are run on mutants. sim: the simulator. words: of its command line. quiet: assertions are off. longest:
    only jobs of fewer seconds, 0: all. patient: what takes long or cannot be built is an outcome; else the mutant
    survives. most: seconds of the processor of all runs of a mutant.
    """

    sim: str
    words: tuple[str, ...] = ()
    quiet: bool = True
    longest: float = 0.0
    patient: bool = True
    most: float = _AGAIN

    @property
    def ones(self) -> bool:
        """Whether registers are 1 before the reset."""
        return ONES in self.words

    @property
    def clock(self) -> str:
        """What its times are kept by."""
        return f"{self.sim}{' with ones' * self.ones}"


class Campaign:
    """Runs one. tell: called with each row as it is final, how many are, how many were killed, and of how many.
    survivors: what was killed before stays killed, whatever changed since beside the lines around the mutant.
    """

    def __init__(
        self,
        subject: Subject,
        chosen: Chosen,
        workers: int,
        tell: Callable[[Mutated, int, int, int], None] = lambda row, done, killed, total: None,
        note: Callable[[str], None] = lambda text: None,
        settle: Callable[[Mutant], tuple[str, str] | None] = lambda mutant: None,
        prove: Callable[[Mutant], str] = lambda mutant: "",
        survivors: bool = False,
    ) -> None:
        self.subject, self.chosen, self.workers = subject, chosen, workers
        self.tell, self.note, self.settle, self.prove, self.survivors = tell, note, settle, prove, survivors
        self.rows: dict[str, Mutated] = {}
        self._kills = Kills()
        self._lock = threading.Lock()
        self._known = self._load()
        self._images: dict[tuple[BuildConfig, str], Image] = {}
        self._seconds: dict[tuple[str, str], float | None] = {}  # of each job on a simulator; None: not known
        # Of each job the mutants that were in its run without one, and those of them that it could show.
        self._within: dict[str, set[str]] = {}
        self._noted: dict[str, set[str]] = {}
        self._unproved: set[str] = set()
        self._spent: Counter[tuple[str, _How]] = Counter()  # seconds of the processor

    # --- What is kept -----------------------------------------------------------------------------------

    @property
    def _store(self) -> Path:
        return self.subject.folder / "rows.jsonl"

    def _load(self) -> dict[str, dict[str, Any]]:
        """Earlier rows, the last of each key; and of each mutant the run that killed it."""
        known: dict[str, dict[str, Any]] = {}
        if self._store.exists():
            for line in self._store.read_text().splitlines():
                try:
                    row = json.loads(line)
                except ValueError:
                    continue  # cut off by an end of the process
                known[row["key"]] = row
                if row["job"]:
                    self._kills.add(row["file"], row["job"])
        return known

    def key(self, mutant: Mutant) -> str:
        """Of everything that its outcome depends on."""
        parts = [(part.start, part.end, part.text) for part in mutant.parts]
        text = json.dumps([self.subject.design.digest, mutant.file, parts, self._around], sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:24]

    def _before(self, mutant: Mutant) -> dict[str, Any] | None:
        """The earlier row that holds for a mutant."""
        row = self._known.get(self.key(mutant))
        if row and row["state"] == SURVIVED and row["jobs"] != self._jobs:
            row = None
        if row is None and self.survivors:
            mine = self._row(mutant, KILLED)
            row = next((one for one in reversed(self._killed.get(mine.change, []))), None)
            row = row and {**row, "kept": True, "key": mine.key, "diff": mine.diff, "line": mine.line}
        return row

    @property
    def _killed(self) -> dict[tuple[str, str], list[dict[str, Any]]]:
        if not hasattr(self, "_killed_is"):
            self._killed_is: dict[tuple[str, str], list[dict[str, Any]]] = {}
            for row in self._known.values():
                if row["state"] == KILLED and row["how"] in (CLAUSE, ASSERTION):
                    self._killed_is.setdefault(Mutated(**row).change, []).append(row)
        return self._killed_is

    @property
    def _jobs(self) -> str:
        text = "\n".join(job.rerun for phase in self.subject.phases for job in phase)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    @property
    def _around(self) -> str:
        if not hasattr(self, "_around_is"):
            self._around_is = digest_of(_CHECKED, self.subject.sim)
        return self._around_is

    def _final(self, row: Mutated) -> None:
        with self._lock:
            self.rows[row.fault] = row
            if row.job:
                self._kills.add(row.file, row.job)
            self._store.parent.mkdir(parents=True, exist_ok=True)
            with open(self._store, "a") as store:
                store.write(json.dumps(asdict(row)) + "\n")
            self._show(row)

    def _show(self, row: Mutated) -> None:
        done = self.rows.values()
        self.tell(row, len(done), sum(one.state == KILLED for one in done), len(self.chosen.mutants))

    def _row(self, mutant: Mutant, state: str, **more: Any) -> Mutated:
        return Mutated(
            mutant.name, state, self.subject.name, mutant.operator, mutant.file, mutant.line, key=self.key(mutant),
            diff=mutant.diff(self.subject.design.texts[mutant.file]), **more,
        )  # fmt: skip

    # --- Running ----------------------------------------------------------------------------------------

    def run(self) -> list[Mutated]:
        """Every mutant; rows in the order of the mutants. SimError if the unchanged RTL does not pass its jobs."""
        left: list[Mutant] = []
        for mutant in self.chosen.mutants:
            before = self._before(mutant)
            settled = self.settle(mutant)
            if settled is not None:
                self._final(self._row(mutant, EQUIVALENT, proof=settled[0], reason=settled[1]))
            elif before is not None and not (before["state"] == EQUIVALENT and before["proof"] != "yosys"):
                row = Mutated(**{**before, "fault": mutant.name})
                self.rows[mutant.name] = row
                self._show(row)
            else:
                left.append(mutant)
        if len(left) < len(self.chosen.mutants):
            self.note(f"{len(self.chosen.mutants) - len(left)} of {len(self.chosen.mutants)} are known already")
        quiet = self.subject.sim == "verilator"
        if quiet:
            together = self._combined(left).number
            apart = [one for one in left if one.name not in together]
            rest = self._interpreted(apart, self._deadliest, "as each needs a build of its own")
            rest = self._equivalents(rest)
            left = [one for one in left if one not in apart or one in rest]
        first = _How(self.subject.sim, (WITHOUT,) if quiet else (), longest=_SHORT * self.subject.quick, most=_MOST)
        for number, phase in enumerate(self.subject.phases):
            left = self._phase(left, phase, f"phase {number + 1}", first)
            if not number:  # what is left now would run for minutes; a proof that is not found takes seconds
                left = self._equivalents(left)
        if quiet and not self.subject.first_look:
            # Verilator begins with 0, and an `if` of Icarus takes X for it: a register that has to be reset to 0.
            ones = _How("verilator", (WITHOUT, ONES), longest=_LONGER, patient=False)
            unset = [one for one in left if one.operator in _UNSET]
            rest = self._phase(unset, self._of_each_build, "once more, with 1 in registers", ones)
            left = [one for one in left if one not in unset or one in rest]
            unset = [one for one in left if one.operator in _UNSET or (len(left) <= _FEW and self._seen(one))]
            rest = self._interpreted(unset, self._of_each_build, "once more, for what is X", _LONGER)
            left = [one for one in left if one not in unset or one in rest]
        if quiet and self.subject.design.asserts and not self.subject.first_look:
            for number, phase in enumerate(self.subject.phases):
                left = self._phase(left, phase, f"phase {number + 1} with assertions", _How("verilator", quiet=False))
        for mutant in left:
            alone = self._alone.get(mutant.name, "")
            self._final(self._row(mutant, SURVIVED, alone=alone, jobs=self._jobs, headline=self._missing(mutant)))
        return [self.rows[mutant.name] for mutant in self.chosen.mutants]

    def _missing(self, mutant: Mutant) -> str:
        """Which kind of situation the runs lack, of a mutant that survived them."""
        within = [job for job, names in self._within.items() if mutant.name in names]
        shown = self._seen(mutant)
        if not within:
            return ""
        if not shown:
            return f"what it changes has no other value in any of {len(within)} runs: no stimulus is of this kind"
        return f"it has other values in {len(shown)} of {len(within)} runs, as in {shown[0]}, and no check sees them"

    def _seen(self, mutant: Mutant) -> list[str]:
        """The runs in which what a mutant changes has another value."""
        return [job for job, names in self._within.items() if mutant.name in names & self._noted[job]]

    _alone: dict[str, str] = {}

    @property
    def _deadliest(self) -> list[Job]:
        """The jobs of the first phase that killed most mutants."""
        return self._kills.order("", self.subject.phases[0])[:_INTERPRETED]

    @property
    def _of_each_build(self) -> list[Job]:
        """The deadliest jobs, and the first two of each build that they do not have."""
        jobs = self._deadliest
        count = Counter(build_of(job) for job in jobs)
        for job in (job for phase in self.subject.phases for job in phase if job not in jobs):
            config = build_of(job)
            if count[config] < _OF_A_BUILD:
                jobs.append(job)
                count[config] += 1
        return jobs

    def _equivalents(self, left: list[Mutant]) -> list[Mutant]:
        """Those that cannot be proved equivalent; each is tried once."""
        before = [mutant for mutant in left if mutant.name in self._unproved]
        left = [mutant for mutant in left if mutant.name not in self._unproved]
        if left:
            self.note(f"{len(left)} are left; Yosys looks for equivalents")
        with ThreadPoolExecutor(self.workers) as pool:
            proofs = list(pool.map(self.prove, left))
        for mutant, proof in zip(left, proofs):
            if proof:
                self._final(self._row(mutant, EQUIVALENT, proof="yosys", reason=proof))
        found = [mutant for mutant, proof in zip(left, proofs) if not proof]
        self._unproved |= {mutant.name for mutant in found}
        return before + found

    def _phase(self, left: list[Mutant], jobs: list[Job], what: str, how: _How) -> list[Mutant]:
        """Run the jobs on mutants; those that survive."""
        groups: dict[BuildConfig, list[Job]] = {}
        for job in jobs:
            groups.setdefault(build_of(job), []).append(job)
        for config, group in groups.items():
            if not left:
                break
            # Those in modules or generate blocks that the build does not have survive it.
            dead = self.subject.design.dead
            those = [
                one
                for one in left
                if self._spent[one.name, how] < how.most
                and not all(dead(one.file, part.start, config) for part in one.parts)
            ]
            if those:
                self.note(f"{what}: {len(those)} mutants, {len(group)} runs of {config.label}")
                gone = self._group(those, config, group, how)
                left = [mutant for mutant in left if mutant.name not in gone]
        return left

    def _interpreted(self, left: list[Mutant], jobs: list[Job], why: str, longest: float = _SHORT) -> list[Mutant]:
        """Run these jobs on Icarus, if it is there, those of fewer than `longest` seconds: it compiles in a second, and
        knows X.
        """
        try:
            simulators.find("icarus")
        except simulators.SimulatorError:
            return left
        return self._phase(left, jobs, f"on Icarus, {why}", _How("icarus", longest=longest, patient=False))

    def _group(self, left: list[Mutant], config: BuildConfig, jobs: list[Job], how: _How) -> set[str]:
        """Run the jobs of a build on mutants; the names of those that are final."""
        combined = self._combined(left)
        together = [one for one in left if one.name in combined.number]
        final: set[str] = set()
        for first in range(0, len(together), TOGETHER):
            part = together[first : first + TOGETHER]
            try:
                image = self._image(config, part, how)
            except SimError:
                gone = self._refused(part, config)
                final |= gone
                part = [one for one in part if one.name not in gone]
                if not gone and how.patient:
                    raise
                if not gone or not part:
                    continue  # a device that Icarus cannot read
                image = self._image(config, part, how)
            self._measure(image, jobs, how)
            with ThreadPoolExecutor(self.workers) as pool:
                for dead in pool.map(partial(self._try, image=image, jobs=jobs, how=how), _lots(part, self.workers)):
                    final |= dead
        single = [one for one in left if one.name not in combined.number]
        if single:
            try:
                if any((how.clock, job.name) not in self._seconds for job in jobs):
                    self._measure(Image(self._build(config, {}, how.sim), {}), jobs, how)
            except SimError:
                if how.patient:
                    raise
                return final
            with ThreadPoolExecutor(self.workers) as pool:
                for dead in pool.map(partial(self._try_alone, config=config, jobs=jobs, how=how), single):
                    final |= dead
        return final

    def _refused(self, left: list[Mutant], config: BuildConfig) -> set[str]:
        """The names of those that do not elaborate in a build, although they do in others: they are no mutants."""
        design = self.subject.design
        gone = [one for one in left if not design.elaborates_in(config, one.file, one.applied(design.texts[one.file]))]
        for one in gone:
            row = self._row(one, REFUSED, how=BUILD, by="slang", headline=f"does not elaborate in {config.label}")
            self._final(row)
        return {one.name for one in gone}

    def _combined(self, left: list[Mutant]) -> Combined:
        """Those of some mutants that are compiled together; of the others it is remembered why they are not."""
        combined = combine(self.subject.design.texts, [mutant for mutant in left if not mutant.built])
        self._alone = {
            **self._alone, **combined.alone, **{one.name: "computed by the elaboration" for one in left if one.built},
        }  # fmt: skip
        return combined

    def _build(self, config: BuildConfig, files: Mapping[str, str], sim: str, fast: bool = False) -> simulation.Build:
        digest = hashlib.sha256(json.dumps([sorted(files.items()), self.subject.name]).encode()).hexdigest()[:16]
        place = self.subject.folder / "rtl" / digest
        self.subject.design.copied(place, files)
        try:
            return build(config, sim, place, fast=fast)
        finally:
            if not self.subject.design.device:
                shutil.rmtree(place, ignore_errors=True)

    def _image(self, config: BuildConfig, mutants: list[Mutant], how: _How) -> Image:
        """A build with these mutants: that of an earlier phase, if it has them all."""
        before = self._images.get((config, how.sim))
        if before is not None and all(mutant.name in before.numbers for mutant in mutants):
            return before
        found = combine(self.subject.design.texts, mutants, notes=how.sim == "verilator")
        try:
            image = self._images[config, how.sim] = Image(self._build(config, found.files, how.sim), found.number)
        except SimError as error:
            raise SimError(f"the mutants of one build do not compile together: {error}") from None
        return image

    def _measure(self, image: Image, jobs: list[Job], how: _How) -> None:
        """Seconds of the jobs without a mutant and with assertions. SimError if one does not pass that has to."""
        new = [job for job in jobs if (how.clock, job.name) not in self._seconds]
        place = self.subject.folder / "baseline" / image.made.image.parent.name
        limit = how.longest * _SLOW if how.longest else _BASELINE

        def one(lot: list[Job]) -> list[dict[str, Any]]:
            plays = [Play("", [], [fresh(job)], [limit]) for job in lot]
            return play(image.made, plays, place / named(lot[0].name), how.words if how.ones else ())

        with ThreadPoolExecutor(self.workers) as pool:
            results = [result for lot in pool.map(one, _lots(new, self.workers, len(new))) for result in lot]
        if how.clock == "verilator":
            self._note(image, results)
        shutil.rmtree(place, ignore_errors=True)
        for result in results:
            good = result["verdict"] == "PASS"
            if not good and not how.longest:
                why = result["failures"][0]["text"] if result["failures"] else result["error"]
                raise SimError(f"{result['name']} does not pass without a mutant: {why}")
            self._seconds[how.clock, result["name"]] = float(result["stats"]["seconds"]["total"]) if good else None

    def _note(self, image: Image, results: list[dict[str, Any]]) -> None:
        """Keep which mutants of a build each run without one could show."""
        name_of = {number: name for name, number in image.numbers.items()}
        for result in results:
            path = Path(result["folder"]) / NOTED
            numbers = {int(line) for line in path.read_text().split()} if path.exists() else set[int]()
            self._within[result["name"]] = set(image.numbers)
            self._noted[result["name"]] = {name_of[number] for number in numbers}

    def _shows(self, job: Job, mutant: Mutant) -> bool:
        """Whether a run could show a mutant, or it is not known."""
        return mutant.name not in self._within.get(job.name, ()) or mutant.name in self._noted[job.name]

    def _runs(self, jobs: list[Job], how: _How) -> tuple[list[Job], dict[str, float]]:
        """The jobs that take fewer seconds than a mutant may, and pass; and their seconds."""
        known = {job.name: self._seconds.get((how.clock, job.name)) for job in jobs}
        most = how.longest or _BASELINE
        seconds = {name: taken for name, taken in known.items() if taken is not None and taken < most}
        return [job for job in jobs if job.name in seconds], seconds

    def _try(self, mutants: Sequence[Mutant], image: Image, jobs: list[Job], how: _How) -> set[str]:
        """Run the jobs on each mutant until one does not pass; the names of those that are killed."""
        runs, seconds = self._runs(jobs, how)
        if not runs:
            return set()
        plays = []
        for mutant in mutants:
            # What a testbench without a mutant showed of one is the same whatever the simulator is; X is not.
            mine = [job for job in runs if self._shows(job, mutant)] if how.clock == "verilator" else runs
            order = self._kills.order(mutant.file, mine, seconds)
            if not order:
                continue
            limits = [_LONG if how.patient else max(_LEAST, _FACTOR * seconds[job.name]) for job in order]
            number = [image.numbers[mutant.name]] if image.numbers else []
            plays.append(Play(mutant.name, number, order, limits, most=how.most - self._spent[mutant.name, how]))
        if not plays:
            return set()
        place = self.subject.folder / "runs" / named(mutants[0].name)
        begin, killed = time.monotonic(), set()
        results = play(image.made, plays, place, how.words)
        seconds_each = round((time.monotonic() - begin) / len(plays), 2)
        played = [next(one for one in mutants if one.name == play.name) for play in plays]
        for mutant, result in zip(played, results):
            self._spent[mutant.name, how] += result.get(COMPUTED, 0.0)
            by, what, headline = judged(result) if result["verdict"] != "PASS" else ("", "", "")
            if not by or (by == TIMEOUT and not how.patient):
                continue
            killed.add(mutant.name)
            job = next(one for one in runs if one.name == result["name"])
            self._final(self._row(
                mutant, KILLED, how=by, by=what, headline=headline, job=job.name, rerun=job.rerun, quiet=how.quiet,
                seconds=seconds_each, alone=self._alone.get(mutant.name, ""),
            ))  # fmt: skip
        shutil.rmtree(place, ignore_errors=True)
        return killed

    def _try_alone(self, mutant: Mutant, config: BuildConfig, jobs: list[Job], how: _How) -> set[str]:
        """The same for a mutant with a build of its own, which is removed afterwards."""
        texts = {mutant.file: mutant.applied(self.subject.design.texts[mutant.file])}
        try:
            made = self._build(config, texts, how.sim, fast=True)  # it serves one mutant
        except SimError as error:
            if not how.patient:  # the other simulator may take it
                return set()
            self._final(self._row(
                mutant, REFUSED, how=BUILD, by="the simulator", headline=str(error).splitlines()[-1].strip(),
                quiet=how.quiet, alone=self._alone[mutant.name],
            ))  # fmt: skip
            return {mutant.name}
        killed = self._try([mutant], Image(made, {}), jobs, how)
        if killed or not how.patient:
            shutil.rmtree(made.image.parent, ignore_errors=True)
        return killed


T = TypeVar("T")


def _lots(items: Sequence[T], workers: int, most: int = LOT) -> list[list[T]]:
    """Parts for processes, so many that each worker has one, and at most as large as given."""
    size = max(1, min(most, -(-len(items) // workers)))
    return [list(items[first : first + size]) for first in range(0, len(items), size)]


_UNSET = {one.name for one in OPERATORS if one.unset}  # only Icarus shows what has no value
_ASSERTED = re.compile(r"Assertion failed in (\S+?)(?::\s*(.*))?$", re.MULTILINE)
_STOPPED = re.compile(r"%(?:Error|Fatal)[^:\n]*: (\S+): (.*)")


def judged(result: Mapping[str, Any]) -> tuple[str, str, str]:
    """(how, by, headline) of a result that did not pass: the first clause that failed, an assertion of the RTL, a
    timeout, or an exception of ours.
    """
    error = str(result.get("error") or "")
    if result["verdict"] == "FAIL" and result["failures"]:
        first = result["failures"][0]
        return CLAUSE, str(first["clause"]), str(first.get("headline", ""))
    if asserted := _ASSERTED.search(error):
        name = asserted[1].rstrip(":")
        return ASSERTION, name.rpartition(".")[2], f"assertion {name}: {asserted[2] or 'failed'}"
    if "the simulator broke (stopped after" in error:
        return TIMEOUT, "the limit of the campaign", error.splitlines()[0]
    if "the simulator broke" in error:
        said = _STOPPED.search(error)
        return ASSERTION, "the simulator", said[0] if said else error.splitlines()[0]
    return TRACEBACK, error.split(":")[0] or "no reason", error.splitlines()[0] if error else "the run left no reason"
