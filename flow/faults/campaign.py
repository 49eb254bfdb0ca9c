# SPDX-License-Identifier: Apache-2.0
"""A campaign: mutants of one design, and of each the first check that fails.

The jobs come in phases: each scenario in one configuration, the other configurations, random seeds, programs. In each
phase the mutants that are left are compiled together for each build that has jobs; a run without a mutant gives the
time of every job. A mutant's jobs run in one process until the first that does not pass, those first that killed
mutants of the same file before. Assertions are off at first; what survives all runs again with them.
"""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from rvtrace.flow import simulation, simulators
from rvtrace.flow.faults.combine import Combined, combine
from rvtrace.flow.faults.design import Design
from rvtrace.flow.faults.generate import Chosen, Mutant
from rvtrace.flow.faults.operators import OPERATORS
from rvtrace.flow.faults.runner import Image, Kills, Watch, fresh, until_killed
from rvtrace.flow.folders import SOURCES, digest_of
from rvtrace.flow.simulation import SimError, Stopped, build, run
from rvtrace.jobs.builds import ROOT, BuildConfig
from rvtrace.jobs.job import Job

OUT = ROOT / "build" / "mutate"
WITHOUT = "+verilator+noassert"
TOGETHER = 150  # mutants of one build
_SHORT = 4.0  # seconds of a job on Icarus
_LONGER = 40.0  # and where only what is X is looked for, of a few mutants
_OF_A_BUILD = 2  # jobs of a build that the first phase does not have
_FEW = 12  # of any operator are run once more, for what is X
# What a result depends on; the design has a digest of its own.
_CHECKED = {folder: patterns for folder, patterns in SOURCES.items() if folder != "rtl"}

KILLED, SURVIVED, EQUIVALENT, REFUSED = "killed", "survived", "equivalent", "refused"
CLAUSE, ASSERTION, TIMEOUT, TRACEBACK, BUILD = "clause", "assertion", "timeout", "traceback", "build"


@dataclass
class Row:
    """The outcome of one mutant.

    state: killed, survived, equivalent, or refused by the simulator, which counts for nothing. how: of a kill, by what:
    a clause, an assertion, a timeout, or a traceback of ours. by: which clause or assertion, or the headline. job: the
    run that killed, rerun: its command. quiet: killed with assertions off. proof: of an equivalent, "yosys" or
    "equivalent.toml". kept: by an earlier version of the testbench or of other files of the RTL.
    """

    mutant: str
    operator: str
    file: str
    line: int
    state: str
    how: str = ""
    by: str = ""
    headline: str = ""
    job: str = ""
    rerun: str = ""
    quiet: bool = False
    proof: str = ""
    reason: str = ""
    alone: str = ""
    diff: str = ""
    seconds: float = 0.0
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
        return list(dict.fromkeys(_build_of(job) for phase in self.phases for job in phase))

    @property
    def folder(self) -> Path:
        """Of its results."""
        return OUT / f"{self.name}{'-quick' * self.quick}"


class Campaign:
    """Runs one. tell: called with each row as it is final, how many are, how many were killed, and of how many.
    survivors: what was killed before stays killed, whatever changed since beside the lines around the mutant.
    """

    def __init__(
        self,
        subject: Subject,
        chosen: Chosen,
        workers: int,
        tell: Callable[[Row, int, int, int], None] = lambda row, done, killed, total: None,
        note: Callable[[str], None] = lambda text: None,
        settle: Callable[[Mutant], tuple[str, str] | None] = lambda mutant: None,
        prove: Callable[[Mutant], str] = lambda mutant: "",
        survivors: bool = False,
    ) -> None:
        self.subject, self.chosen, self.workers = subject, chosen, workers
        self.tell, self.note, self.settle, self.prove, self.survivors = tell, note, settle, prove, survivors
        self.rows: dict[str, Row] = {}
        self._kills = Kills()
        self._lock = threading.Lock()
        self._known = self._load()
        self._images: dict[BuildConfig, Image] = {}
        self._interpreted_seconds: dict[tuple[BuildConfig, float], dict[str, float]] = {}
        self._seconds: dict[str, float | None] = {}  # of each job; None of one that is left out

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
                known[row["key"]] = {"jobs": ""} | row
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
                    self._killed_is.setdefault(Row(**row).change, []).append(row)
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

    def _final(self, row: Row) -> None:
        with self._lock:
            self.rows[row.mutant] = row
            if row.job:
                self._kills.add(row.file, row.job)
            self._store.parent.mkdir(parents=True, exist_ok=True)
            with open(self._store, "a") as store:
                store.write(json.dumps(asdict(row)) + "\n")
            self._show(row)

    def _show(self, row: Row) -> None:
        done = self.rows.values()
        self.tell(row, len(done), sum(one.state == KILLED for one in done), len(self.chosen.mutants))

    def _row(self, mutant: Mutant, state: str, **more: Any) -> Row:
        return Row(
            mutant.name, mutant.operator, mutant.file, mutant.line, state, key=self.key(mutant),
            diff=mutant.diff(self.subject.design.texts[mutant.file]), **more,
        )  # fmt: skip

    # --- Running ----------------------------------------------------------------------------------------

    def run(self) -> list[Row]:
        """Every mutant; rows in the order of the mutants. SimError if the unchanged RTL does not pass its jobs."""
        left: list[Mutant] = []
        for mutant in self.chosen.mutants:
            before = self._before(mutant)
            settled = self.settle(mutant)
            if settled is not None:
                self._final(self._row(mutant, EQUIVALENT, proof=settled[0], reason=settled[1]))
            elif before is not None and not (before["state"] == EQUIVALENT and before["proof"] != "yosys"):
                row = Row(**{**before, "mutant": mutant.name})
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
            rest = self._interpreted(apart, self.subject.phases[0], "as each needs a build of its own")
            dead = {one.name for one in apart} - {one.name for one in rest}
            left = [one for one in left if one.name not in dead]
        for number, phase in enumerate(self.subject.phases):
            left = self._phase(left, phase, f"phase {number + 1}", (WITHOUT,) if quiet else (), True)
        if quiet and not self.subject.first_look:
            unset = left if len(left) <= _FEW else [one for one in left if one.operator in _UNSET]
            rest = self._interpreted(unset, self._of_each_build, "once more, for what is X", _LONGER)
            dead = {one.name for one in unset} - {one.name for one in rest}
            left = [one for one in left if one.name not in dead]
        left = self._equivalents(left)  # a proof that is not found takes longer than the runs
        if quiet and self.subject.design.asserts and not self.subject.first_look:
            for number, phase in enumerate(self.subject.phases):
                left = self._phase(left, phase, f"phase {number + 1} with assertions", (), False)
        for mutant in left:
            self._final(self._row(mutant, SURVIVED, alone=self._alone.get(mutant.name, ""), jobs=self._jobs))
        return [self.rows[mutant.name] for mutant in self.chosen.mutants]

    _alone: dict[str, str] = {}

    @property
    def _of_each_build(self) -> list[Job]:
        """The jobs of the first phase, and of each build that is not in it the first two."""
        jobs = list(self.subject.phases[0])
        count = Counter(_build_of(job) for job in jobs)
        for job in (job for phase in self.subject.phases[1:] for job in phase):
            config = _build_of(job)
            if count[config] < _OF_A_BUILD:
                jobs.append(job)
                count[config] += 1
        return jobs

    def _equivalents(self, left: list[Mutant]) -> list[Mutant]:
        """Those that cannot be proved equivalent."""
        if left:
            self.note(f"{len(left)} are left; Yosys looks for equivalents")
        with ThreadPoolExecutor(self.workers) as pool:
            proofs = list(pool.map(self.prove, left))
        for mutant, proof in zip(left, proofs):
            if proof:
                self._final(self._row(mutant, EQUIVALENT, proof="yosys", reason=proof))
        return [mutant for mutant, proof in zip(left, proofs) if not proof]

    def _phase(
        self, left: list[Mutant], jobs: list[Job], what: str, plusargs: tuple[str, ...], quiet: bool
    ) -> list[Mutant]:
        groups: dict[BuildConfig, list[Job]] = {}
        for job in jobs:
            groups.setdefault(_build_of(job), []).append(job)
        for config, group in groups.items():
            if not left:
                break
            those, others = self._there(left, config)
            if those:
                self.note(f"{what}: {len(those)} mutants, {len(group)} runs of {config.label}")
                those = self._group(those, config, group, plusargs, quiet)
            left = [mutant for mutant in left if mutant in those or mutant in others]
        return left

    def _there(self, left: list[Mutant], config: BuildConfig) -> tuple[list[Mutant], list[Mutant]]:
        """The mutants that a build has, and those in modules or generate blocks that are not in it."""
        dead = self.subject.design.dead
        gone = [one for one in left if all(dead(one.file, part.start, config) for part in one.parts)]
        return [one for one in left if one not in gone], gone

    def _group(
        self, left: list[Mutant], config: BuildConfig, jobs: list[Job], plusargs: tuple[str, ...], quiet: bool
    ) -> list[Mutant]:
        """Run the jobs of a build on mutants; those that survive."""
        combined = self._combined(left)
        together = [one for one in left if one.name in combined.number]
        dead: set[str] = set()
        seconds: dict[str, float] = {}
        for first in range(0, len(together), TOGETHER):
            part = together[first : first + TOGETHER]
            try:
                image = self._image(config, part)
            except SimError:
                gone = self._refused(part, config)
                if not gone:
                    raise
                dead |= gone
                part = [one for one in part if one.name not in gone]
                image = self._image(config, part)
            image.seconds = seconds = seconds or self._measured(image, jobs)
            runs = [job for job in jobs if job.name in seconds]

            def one(mutant: Mutant, image: Image = image, runs: list[Job] = runs) -> Row | None:
                return self._try(mutant, image, runs, plusargs, quiet)

            with ThreadPoolExecutor(self.workers) as pool:
                dead |= {mutant.name for mutant, row in zip(part, pool.map(one, part)) if row is not None}
        single = [one for one in left if one.name not in combined.number]
        if single:
            if not seconds and not all(job.name in self._seconds for job in jobs):
                seconds = self._measured(Image(self._build(config, {}), {}), jobs)
            seconds = seconds or self._measured(None, jobs)
            some = [job for job in jobs if job.name in seconds]

            def alone(mutant: Mutant) -> Row | None:
                return self._try_alone(mutant, config, some, seconds, plusargs, quiet)

            with ThreadPoolExecutor(self.workers) as pool:
                dead |= {mutant.name for mutant, row in zip(single, pool.map(alone, single)) if row is not None}
        return [mutant for mutant in left if mutant.name not in dead]

    def _interpreted(self, left: list[Mutant], jobs: list[Job], why: str, longest: float = _SHORT) -> list[Mutant]:
        """Run these jobs on Icarus, if it is there, those of fewer than `longest` seconds: it compiles in a second, and
        knows X.
        """
        if not left or not _icarus():
            return left
        groups: dict[BuildConfig, list[Job]] = {}
        for job in jobs:
            groups.setdefault(_build_of(job), []).append(job)
        for config, group in groups.items():
            left, others = self._there(left, config)
            if not left:
                left = others
                continue
            self.note(f"on Icarus, {why}: {len(left)} mutants, {len(group)} runs of {config.label}")
            combined = self._combined(left)
            try:
                plain = self._build(config, {}, "icarus")
            except SimError:  # a device that Icarus cannot read
                return left + others
            try:
                together = self._build(config, combined.files, "icarus") if combined.number else plain
            except SimError:
                gone = self._refused(left, config)
                if not gone:
                    left += others
                    continue
                left = [one for one in left if one.name not in gone]
                combined = self._combined(left)
                together = self._build(config, combined.files, "icarus") if combined.number else plain
            known = self._interpreted_seconds.get((config, longest))
            seconds = known if known is not None else self._short(Image(plain, {}), group, longest)
            self._interpreted_seconds[config, longest] = seconds
            runs = [job for job in group if job.name in seconds]
            every = Image(together, combined.number, seconds)

            def one(
                mutant: Mutant, config: BuildConfig = config, runs: list[Job] = runs, took: Any = seconds,
                image: Image = every,
            ) -> Row | None:  # fmt: skip
                if mutant.name not in image.numbers:
                    return self._try_alone(mutant, config, runs, took, (), True, "icarus")
                if longest <= _SHORT:
                    return self._try(mutant, image, runs, (), True, patient=False)
                # A process for each: the job before leaves what has a value.
                for job in self._kills.order(mutant.file, runs, took):
                    if row := self._try(mutant, image, [job], (), True, patient=False):
                        return row
                return None

            with ThreadPoolExecutor(self.workers) as pool:
                dead = {mutant.name for mutant, row in zip(left, pool.map(one, left)) if row is not None}
            left = [mutant for mutant in left if mutant.name not in dead] + others
        return left

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

    def _short(self, image: Image, jobs: list[Job], longest: float = _SHORT) -> dict[str, float]:
        """Seconds of the jobs that take fewer than `longest`, and pass on Icarus."""
        place = self.subject.folder / "baseline" / image.made.image.parent.name
        found: dict[str, float] = {}

        def tell(result: dict[str, Any]) -> None:
            taken = float(result["stats"].get("seconds", {}).get("total", longest))
            if result["verdict"] == "PASS" and taken < longest:
                found[result["name"]] = taken

        watch = Watch([fresh(job) for job in jobs], {job.name: longest for job in jobs})
        todo = watch.jobs
        while todo:  # a job that takes long is left out, and the others go on
            watch = Watch(todo, {job.name: longest for job in todo})

            def both(result: dict[str, Any], watch: Watch = watch) -> None:
                tell(result)
                watch.tell({**result, "verdict": "PASS"})

            try:
                run(image.made, todo, place, timeout=86400, tell=both, stop=watch)
                break
            except Stopped:
                todo = [fresh(job) for job in todo[watch.done + 1 :]]
        shutil.rmtree(place, ignore_errors=True)
        return found

    def _build(
        self, config: BuildConfig, files: Mapping[str, str], sim: str = "", fast: bool = False
    ) -> simulation.Build:
        digest = hashlib.sha256(json.dumps([sorted(files.items()), self.subject.name]).encode()).hexdigest()[:16]
        place = self.subject.folder / "rtl" / digest
        self.subject.design.copied(place, files)
        try:
            return build(config, sim or self.subject.sim, place, fast=fast)
        finally:
            if not self.subject.design.device:
                shutil.rmtree(place, ignore_errors=True)

    def _image(self, config: BuildConfig, mutants: list[Mutant]) -> Image:
        """A build with these mutants: that of an earlier phase, if it has them all."""
        before = self._images.get(config)
        if before is not None and all(mutant.name in before.numbers for mutant in mutants):
            return Image(before.made, before.numbers)
        found = combine(self.subject.design.texts, mutants)
        try:
            self._images[config] = Image(self._build(config, found.files), found.number)
        except SimError as error:
            raise SimError(f"the mutants of one build do not compile together: {error}") from None
        return self._images[config]

    def _measured(self, image: Image | None, jobs: list[Job]) -> dict[str, float]:
        """Seconds of the jobs that are run, without a mutant and with assertions. image: None if all are known."""
        new = [job for job in jobs if job.name not in self._seconds]
        if new and image is not None:
            found = self._short(image, new) if self.subject.quick else self._baseline(image, new)
            self._seconds |= {job.name: found.get(job.name) for job in new}
        taken = {job.name: self._seconds.get(job.name) for job in jobs}
        return {name: seconds for name, seconds in taken.items() if seconds is not None}

    def _baseline(self, image: Image, jobs: list[Job]) -> dict[str, float]:
        """Seconds of each job without a mutant; SimError if one does not pass."""
        place = self.subject.folder / "baseline" / image.made.image.parent.name
        share = max(1, -(-len(jobs) // self.workers))
        lots = [jobs[i : i + share] for i in range(0, len(jobs), share)]
        words = ("+mutant=0",)

        def one(number: int) -> list[dict[str, Any]]:
            mine = [fresh(job) for job in lots[number]]
            return run(image.made, mine, place / str(number), plusargs=words)

        with ThreadPoolExecutor(self.workers) as pool:
            results = [result for lot in pool.map(one, range(len(lots))) for result in lot]
        shutil.rmtree(place, ignore_errors=True)
        for result in results:
            if result["verdict"] != "PASS":
                why = result["failures"][0]["text"] if result["failures"] else result["error"]
                raise SimError(f"{result['name']} does not pass without a mutant: {why}")
        return {result["name"]: float(result["stats"]["seconds"]["total"]) for result in results}

    def _try(
        self,
        mutant: Mutant,
        image: Image,
        jobs: list[Job],
        plusargs: tuple[str, ...],
        quiet: bool,
        patient: bool = True,
    ) -> Row | None:
        """Run a mutant until a job does not pass; its row, None if it survives. patient: a job that takes too long has
        its time; otherwise the mutant counts as one that survives.
        """
        begin = time.monotonic()
        if not jobs:
            return None
        place = self.subject.folder / "runs" / re.sub(r"\W", "_", mutant.name)
        order = self._kills.order(mutant.file, jobs, image.seconds)
        killed = until_killed(image, mutant.name, order, place, plusargs, patient)
        row = None
        if killed is not None:
            job, result = killed
            how, by, headline = judged(result)
            row = self._row(
                mutant, KILLED, how=how, by=by, headline=headline, job=job.name, rerun=job.rerun, quiet=quiet,
                seconds=round(time.monotonic() - begin, 2), alone=self._alone.get(mutant.name, ""),
            )  # fmt: skip
            self._final(row)
        shutil.rmtree(place, ignore_errors=True)
        return row

    def _try_alone(
        self,
        mutant: Mutant,
        config: BuildConfig,
        jobs: list[Job],
        seconds: Mapping[str, float],
        plusargs: tuple[str, ...],
        quiet: bool,
        sim: str = "",
    ) -> Row | None:
        """The same for a mutant with a build of its own, which is removed afterwards."""
        changed = {mutant.file: mutant.applied(self.subject.design.texts[mutant.file])}
        try:
            made = self._build(config, changed, sim, fast=True)  # it serves one mutant
        except SimError as error:
            if sim:  # the other simulator may take it
                return None
            row = self._row(
                mutant, REFUSED, how=BUILD, by="the simulator", headline=str(error).splitlines()[-1].strip(),
                quiet=quiet, alone=self._alone[mutant.name],
            )  # fmt: skip
            self._final(row)
            return row
        row = self._try(mutant, Image(made, {}, dict(seconds)), jobs, plusargs, quiet, patient=not sim)
        if row is not None or sim:
            shutil.rmtree(made.image.parent, ignore_errors=True)
        return row


def _icarus() -> bool:
    try:
        simulators.find("icarus")
    except simulators.SimulatorError:
        return False
    return True


def _build_of(job: Job) -> BuildConfig:
    from rvtrace.flow.jobs import build_of

    return build_of(job)


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
    if "the simulator was stopped after" in error:
        return TIMEOUT, "the limit of the campaign", error.splitlines()[0]
    if "the simulator broke" in error:
        said = _STOPPED.search(error)
        return ASSERTION, "the simulator", said[0] if said else error.splitlines()[0]
    return TRACEBACK, error.split(":")[0] or "no reason", error.splitlines()[0] if error else "the run left no reason"
