# SPDX-License-Identifier: Apache-2.0
"""Runs the hand-written mutants of tests/<ip>/mutants.toml; its clause must catch each.

A mutant changes one place in a copy of the RTL, or of the firmware that a device runs in Python. It is red if it does
not apply, build or run, or if no check of its clause fails. Every stimulus runs first on the unchanged RTL, where it
must pass.

The mutants of one testbench are compiled together and selected at run time (rvtrace.flow.faults.combine), one build for
each set of parameters; what cannot be selected has a build of its own.

With exact off, the checks are those of a foreign device: a mutant is red if others catch it while a clause of its own
was checked and holds. What nothing catches then is a freedom that the specification leaves, or is not seen without the
reference profile.

SIM=both: a build of many mutants is Verilator's, which takes longer to compile and simulates faster. Icarus has the
others, and what Verilator did not show, as it has no X.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.faults import combine, rows
from rvtrace.flow.faults.rows import FIRMWARE, Fault, FaultError
from rvtrace.flow.faults.runner import BROKEN, EQUIVALENT, KILLED, SURVIVED, Play, Row, changed, passing, play
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulation import SimError, build, sources
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT, Bench, BuildConfig
from rvtrace.jobs.job import Job
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus.scenarios import known

OUT = ROOT / "build" / "mutants"
TIMEOUT = 300  # seconds for one mutant: the testbench polls a system that does not answer for some time
# A clause has to catch a mutant; an assertion would end the simulation before. What does not answer is given up sooner
# than elsewhere; that this is late enough for each stimulus is shown on the unchanged design.
_PLUSARGS = ("+verilator+noassert", "+give_up=5000", "+polls=500")
LOT = 40  # simulations of one process, so that each core has some of a large build
BOTH = "both"
_MANY = 6  # mutants of a build for which compiling with Verilator takes less time than simulating with Icarus


def load(home: str) -> dict[str, Fault]:
    """The mutants of tests/<home>/mutants.toml by name. home: a system, or a part of one. FaultError."""
    return rows.load(path_of(home), systems.PARTS.get(home, home))


def path_of(home: str) -> Path:
    """The file of a system, or of a part of one."""
    return ROOT / "tests" / home / "mutants.toml"


def place(mutant: Fault) -> Path:
    """Where it runs."""
    return OUT / mutant.home / mutant.name


def stimulus(mutant: Fault) -> Job:
    """The job that shows it; FaultError for a scenario that does not exist."""
    system, source = systems.bench(mutant.ip), mutant.runs[0]
    settings, base = dict(mutant.job), dict(system.small) if mutant.small else {}
    kind, _, name = source.partition(":")
    if kind in systems.PARTS:
        return known(TciJob(mutant.name, source, dict(mutant.config), **settings))
    if kind == "scenario":
        if name not in system.scenarios:
            raise FaultError(f"mutant {mutant.name} runs scenario {name}, which does not exist; `make list` has them")
        scenario = system.scenarios[name]
        settings, base = {**scenario.job, **settings}, scenario.base | base
    return Job(mutant.name, source, {**base, **mutant.config}, ip=mutant.ip, **settings)


@dataclass
class _Lot:
    """Simulations of one build, one after the other; a stimulus comes first on the unchanged design. design: what takes
    the place of rtl/. mutants: of each, None for the unchanged design. sim: the simulator. first: what it does not show
    is played again on Icarus.
    """

    config: BuildConfig
    design: Path
    plays: list[Play]
    mutants: list[Fault | None]
    sim: str
    first: bool = False


class _Run:
    """One call of `run_all`. builds: of designs with mutants, and of mutants alone."""

    def __init__(self, sim: str, keep: bool, tell: Callable[[Row], None], exact: bool = True) -> None:
        self._exact = exact
        self._both, self._sim = sim == BOTH, "icarus" if sim == BOTH else sim
        self._keep, self._tell = keep, tell
        self._plan = _every_plan()
        # of a stimulus that does not pass on the unchanged RTL in a simulator, the reason
        self._wrong: dict[tuple[str, str], str] = {}
        self._missed: list[
            tuple[Fault, Path, Sequence[int]]
        ] = []  # on Verilator; the design, and what selects it there
        self.rows: dict[tuple[str, str], Row] = {}  # by home and name
        self.builds: set[str] = set()

    def play(self, chosen: list[Fault], pool: ThreadPoolExecutor) -> None:
        """Run mutants: first those that are compiled together, then the others."""
        ready = [mutant for mutant in chosen if self._ready(mutant)]
        alone: list[Fault] = []
        lots: list[list[_Lot]] = []
        groups: dict[tuple[str, Bench], list[Fault]] = {}
        for mutant in ready:
            groups.setdefault((mutant.home, build_of(stimulus(mutant)).bench), []).append(mutant)
        for (home, bench), those in groups.items():
            design, numbers, apart = self._combined(home, bench, [mutant for mutant in those if not mutant.firmware])
            alone += apart
            lots += _lots(those, design, numbers, apart, self._sim, self._both)
        # A build that takes long begins first; while it is compiled, the others are simulated.
        lots.sort(key=lambda mine: mine[0].sim != "verilator")
        turns = [lot for turn in zip_longest(*lots) for lot in turn if lot is not None]
        for late in pool.map(self._lot, turns):
            alone += late
        for _ in pool.map(self._lot, self._again()):
            pass
        for _ in pool.map(self._alone, alone):
            pass
        if not self._keep:
            for home, bench in groups:
                shutil.rmtree(_folder(home, bench), ignore_errors=True)

    def _again(self) -> list[_Lot]:
        """On Icarus, what Verilator did not show."""
        lots: list[_Lot] = []
        for design in dict.fromkeys(design for _, design, _ in self._missed):
            numbers = {mutant.name: n for mutant, of, number in self._missed if of == design for n in number}
            those = [mutant for mutant, of, _ in self._missed if of == design]
            lots += [lot for group in _lots(those, design, numbers, [], "icarus") for lot in group]
        return lots

    def _ready(self, mutant: Fault) -> bool:
        """Whether a mutant applies to its files and has a stimulus; if not, that is its outcome."""
        try:
            mutant.check()
            return bool(stimulus(mutant))
        except FaultError as error:
            self._done(_row(mutant, BROKEN, headline=str(error)))
            return False

    def _combined(self, home: str, bench: Bench, mutants: list[Fault]) -> tuple[Path, dict[str, int], list[Fault]]:
        """A copy of rtl/ with mutants, the number of each that is in it, and those that are not."""
        rtl = ROOT / "rtl"
        paths = [path for path in sources(rtl, bench, self._sim) if path.is_relative_to(rtl)]
        files = {str(path.relative_to(rtl)): path.read_text() for path in paths}
        within = [mutant for mutant in mutants if all(file in files for file in mutant.files)]
        made = combine.combine(files, within)
        if not made.number:
            return rtl, {}, mutants
        design = changed(rtl, _folder(home, bench) / "rtl", made.files)
        return design, made.number, [mutant for mutant in mutants if mutant.name not in made.number]

    def _lot(self, lot: _Lot) -> list[Fault]:
        """Play a lot; its mutants, if it cannot be built, which then have builds of their own."""
        try:
            self._played(lot)
        except SimError as error:
            if lot.design == ROOT / "rtl":
                raise
            print(f"mutants have builds of their own, as the one of all failed: {error}", file=sys.stderr, flush=True)
            plain = [n for n, mutant in enumerate(lot.mutants) if mutant is None or mutant.firmware]
            plays, mutants = [lot.plays[n] for n in plain], [lot.mutants[n] for n in plain]
            self._lot(replace(lot, design=ROOT / "rtl", plays=plays, mutants=mutants))
            return [mutant for mutant in lot.mutants if mutant is not None and not mutant.firmware]
        return []

    def _played(self, lot: _Lot) -> None:
        image = build(lot.config, lot.sim, lot.design)
        self.builds.add(f"{image.image.parent}")
        for one, mutant in zip(lot.plays, lot.mutants):
            _prepare(one, mutant)
            for job in one.jobs:
                job.exact = job.exact and self._exact
        out = Path(lot.plays[0].jobs[0].out)
        results = play(image, lot.plays, out.parent.with_name("process") / out.name, _PLUSARGS)
        for one, mutant, result in zip(lot.plays, lot.mutants, results):
            self._judge(lot, one, mutant, result)

    def _judge(self, lot: _Lot, one: Play, mutant: Fault | None, result: dict[str, Any]) -> None:
        """Of a stimulus on the unchanged design remember what is wrong, of a mutant report what caught it."""
        stimulus = (lot.sim, one.jobs[0].rerun)
        if mutant is None:
            if result["verdict"] != "PASS":
                failed = result["failures"][0]["text"] if result["failures"] else result["error"]
                self._wrong[stimulus] = f"its stimulus does not pass on the unchanged RTL: {failed}"
        elif (wrong := self._wrong.get(stimulus)) is not None:
            self._done(_row(mutant, BROKEN, headline=wrong))
        else:
            row = (row_of if self._exact else foreign_row_of)(mutant, one.jobs[0], result, self._plan)
            if lot.first and not row.good:
                self._missed.append((mutant, lot.design, one.numbers))
            else:
                self._done(row)
            if mutant.firmware and not self._keep:
                shutil.rmtree(Path(one.jobs[0].out) / FIRMWARE, ignore_errors=True)

    def _alone(self, mutant: Fault) -> None:
        """A copy of the RTL with the mutant alone; its stimulus has been played on the unchanged one."""
        job, design = stimulus(mutant), OUT / mutant.home / "alone" / mutant.name / "rtl"
        job.out = str(place(mutant))
        try:
            mutant.apply(changed(ROOT / "rtl", design, {}))
            one = Play(mutant.name, [], [job], [TIMEOUT])
            self._played(_Lot(build_of(job), design, [one], [mutant], self._sim))
        except (FaultError, SimError) as error:
            self._done(_row(mutant, BROKEN, headline=str(error)))
        if not self._keep:
            shutil.rmtree(design, ignore_errors=True)

    def _done(self, row: Row) -> None:
        self.rows[row.home, row.fault] = row
        self._tell(row)


def _prepare(one: Play, mutant: Fault | None) -> None:
    """An empty folder, with the changed files of firmware."""
    out = Path(one.jobs[0].out)
    shutil.rmtree(out, ignore_errors=True)
    if mutant is not None and mutant.firmware:
        for edit in mutant.edits:
            copy = out / edit.file
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(edit.path, copy)
        mutant.apply(out)


def _folder(home: str, bench: Bench) -> Path:
    """Of the design of a testbench with the mutants of a home; testbenches with the same top may have other sources."""
    return OUT / "-".join((home, bench.top, *bench.rtl))


def _instead(mutant: Fault) -> dict[str, str]:
    """The modules that a mutant of the firmware changes, with their files; nothing for other mutants."""
    files, folder = mutant.files if mutant.firmware else (), place(mutant)
    return {f"rvtrace.{file.removesuffix('.py').replace('/', '.')}": str(folder / file) for file in files}


def _lots(
    mutants: list[Fault], design: Path, numbers: dict[str, int], apart: list[Fault], sim: str, both: bool = False
) -> list[list[_Lot]]:
    """The simulations of each build in lots, those of one stimulus in the same: on the unchanged design, then with its
    mutants that are not apart. both: a build of many mutants is Verilator's.
    """
    stimuli: dict[tuple[BuildConfig, bool], dict[str, list[tuple[Play, Fault | None]]]] = {}
    for mutant in mutants:
        job = stimulus(mutant)
        plays = stimuli.setdefault((build_of(job), mutant.firmware), {}).setdefault(job.rerun, [])
        if not plays:
            first = stimulus(mutant)
            first.out = str(place(mutant).parent / "clean" / mutant.name)
            plays.append((Play("", [], [first], [TIMEOUT]), None))
        if mutant not in apart:
            job.out = str(place(mutant))
            number = [] if mutant.firmware else [numbers[mutant.name]]
            plays.append((Play(mutant.name, number, [job], [TIMEOUT], _instead(mutant)), mutant))
    found = []
    for (config, _), groups in stimuli.items():
        first = both and sum(len(plays) - 1 for plays in groups.values()) >= _MANY
        lots = [_Lot(config, design, [], [], "verilator" if first else sim, first)]
        for plays in groups.values():
            if lots[-1].plays and len(lots[-1].plays) + len(plays) > LOT:
                lots.append(replace(lots[-1], plays=[], mutants=[]))
            lots[-1].plays += [one for one, _ in plays]
            lots[-1].mutants += [mutant for _, mutant in plays]
        found.append(lots)
    return found


def row_of(mutant: Fault, job: Job, result: dict[str, Any], plan: Plan) -> Row:
    """What a run of the stimulus says of its mutant."""
    failed = {clause for clause, (_, failures) in result["clauses"].items() if failures}
    caught = sorted(clause for clause in failed if not plan[clause].through or clause in mutant.clauses)
    missing = [c for c in mutant.clauses if c not in failed and not failed & set(plan[c].through)]
    seconds = round(float(result.get("stats", {}).get("seconds", {}).get("total", 0.0)), 2)
    row = _row(mutant, job=job.name, rerun=job.rerun, seconds=seconds)
    if result["verdict"] == "ERROR":
        return replace(row, state=BROKEN, headline=f"did not run: {result['error']}")
    if missing:
        return replace(row, state=SURVIVED, headline=f"caught by {', '.join(caught) or 'nothing'}")
    texts = {failure["clause"]: failure["text"] for failure in reversed(result["failures"])}
    said = next((texts[clause] for clause in mutant.clauses if clause in texts), "")
    return replace(row, how="clause", headline=said, also=tuple(c for c in caught if c not in mutant.clauses))


def foreign_row_of(mutant: Fault, job: Job, result: dict[str, Any], plan: Plan) -> Row:
    """What a run without the reference profile says of its mutant: survived if a clause that it breaks holds while
    others fail, equivalent if nothing fails.
    """
    failed = sorted(clause for clause, (_, failures) in result["clauses"].items() if failures)
    row = _row(mutant, job=job.name, rerun=job.rerun)
    if result["verdict"] == "ERROR":
        return replace(row, state=BROKEN, headline=f"did not run: {result['error']}")
    if not failed:
        return replace(row, state=EQUIVALENT, how="", headline="nothing fails without the reference profile")
    still = passing(mutant.clauses, [result])
    others = tuple(c for c in failed if c not in mutant.clauses and not plan[c].through)
    return replace(row, state=SURVIVED if still else KILLED, how="clause", also=others, passing=still)


def _row(mutant: Fault, state: str = KILLED, **more: Any) -> Row:
    return Row(mutant.name, state, mutant.home, file=mutant.files[0], by=", ".join(mutant.clauses), **more)


def run_all(
    chosen: list[Fault], sim: str, workers: int, keep: bool, tell: Callable[[Row], None], exact: bool = True
) -> tuple[list[Row], int]:
    """Run mutants, of which those of one home have different names, `workers` at a time. tell: called with each row as
    soon as it is known. exact: check against the reference profile. The rows in the order of the mutants, and the
    number of builds that were used.
    """
    running = _Run(sim, keep, tell, exact)
    with ThreadPoolExecutor(workers) as pool:
        running.play(chosen, pool)
    return [running.rows[mutant.home, mutant.name] for mutant in chosen], len(running.builds)


def _every_plan() -> Plan:
    """The clauses of all plans: a scenario of the trace system also checks the clauses of its encoders."""
    plans = [Plan.load(path) for path in sorted((ROOT / "scoreboards").glob("*/plan.toml"))]
    return Plan({name: clause for plan in plans for name, clause in plan.clauses.items()})


def simulator() -> str:
    """Both; without Icarus, which compiles a design in a second, Verilator, which takes longer for each build."""
    try:
        return BOTH if simulators.find("icarus") else ""
    except simulators.SimulatorError:
        print(
            "Icarus was not found: Verilator builds the mutants, which takes half an hour or more; "
            "`sudo apt-get install iverilog` reduces this to a few minutes",
            flush=True,
        )
        return "verilator"
