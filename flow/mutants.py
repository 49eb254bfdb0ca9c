# SPDX-License-Identifier: Apache-2.0
"""Runs the hand-written mutants of tests/<ip>/mutants.toml; its clause must catch each.

A mutant changes one place in a copy of the RTL, or of the firmware that a device runs in Python. It is red if it does
not apply, build or run, or if no check of its clause fails. Every stimulus runs first on the unchanged RTL, where it
must pass.
"""

from __future__ import annotations

import json
import shutil
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.jobs import build_of
from rvtrace.flow.simulation import SimError, build, run
from rvtrace.scoreboards.common.clauses import Plan, toml_rows
from rvtrace.tb import systems
from rvtrace.tb.common.builds import ROOT, BuildConfig
from rvtrace.tb.common.job import Job
from rvtrace.tb.tci.job import TciJob

OUT = ROOT / "build" / "mutants"
FIRMWARE = "models/"
TIMEOUT = 300  # seconds for one mutant: the testbench polls a system that does not answer for some time


class MutantError(ValueError):
    """A mutant that cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Edit:
    """Replace `find`, which occurs exactly once in `file`: below rtl/, or models/... for firmware in Python."""

    file: str
    find: str
    replace: str

    @property
    def path(self) -> Path:
        """The unchanged file."""
        return ROOT / self.file if self.file.startswith(FIRMWARE) else ROOT / "rtl" / self.file


@dataclass(frozen=True)
class Mutant:
    """One hand-written mutant.

    clauses: each of them must catch it. why: the bug in one sentence. source, config, job: the stimulus that shows it.
    small: use the build with small counters and two blocks per cycle, in which counters become full.
    """

    name: str
    clauses: tuple[str, ...]
    why: str
    source: str
    edit: tuple[Edit, ...]
    config: dict[str, Any] = field(default_factory=dict)
    job: dict[str, Any] = field(default_factory=dict)
    small: bool = False
    ip: str = "ntrace"

    @property
    def firmware(self) -> bool:
        """Whether the bug is in the firmware; the RTL is then unchanged."""
        return self.edit[0].file.startswith(FIRMWARE)

    @property
    def stimulus(self) -> Job:
        """The job that shows the bug."""
        system = systems.find(self.ip)
        settings, base = dict(self.job), dict(system.small) if self.small else {}
        kind, _, name = self.source.partition(":")
        if kind == "tci":
            return TciJob(self.name, self.source, dict(self.config), **settings)
        if kind == "scenario":
            if name not in system.scenarios:
                raise MutantError(
                    f"mutant {self.name} runs scenario {name}, which does not exist; `make list` has them"
                )
            scenario = system.scenarios[name]
            settings, base = {**scenario.job, **settings}, scenario.base | base
        return Job(self.name, self.source, {**base, **self.config}, ip=self.ip, **settings)

    def apply(self, folder: Path) -> None:
        """Change the files below `folder`; MutantError unless every `find` occurs exactly once in its file."""
        for edit in self.edit:
            path = folder / edit.file
            text = path.read_text() if path.is_file() else ""
            if (count := text.count(edit.find)) != 1:
                raise MutantError(
                    f"does not apply: its text occurs {count} times in {edit.file}, needed once; correct `find`"
                )
            path.write_text(text.replace(edit.find, edit.replace))


@dataclass
class Outcome:
    """The result of one mutant.

    caught: the clauses that failed. missing: its own clauses that did not fail. trouble: why it could not be run, else
    None. text: the failure message of its clause.
    """

    mutant: Mutant
    caught: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    trouble: str | None = None
    seconds: float = 0.0
    text: str = ""

    @property
    def good(self) -> bool:
        """Caught by each of its clauses."""
        return self.trouble is None and not self.missing

    def line(self) -> str:
        """One line of the table."""
        clauses = ", ".join(self.mutant.clauses)
        if self.trouble:
            return f"RED   {self.mutant.name:<26} {clauses}: {self.trouble}"
        if self.missing:
            by = ", ".join(self.caught) or "nothing"
            return f"RED   {self.mutant.name:<26} {clauses}: caught by {by}"
        others = [c for c in self.caught if c not in self.mutant.clauses]
        also = f"  (also {', '.join(others)})" if others else ""
        return f"ok    {self.mutant.name:<26} {clauses}{also}"


def load(path: Path, ip: str = "ntrace") -> dict[str, Mutant]:
    """The mutants of a file by name, for runs of the system `ip`.

    A row has file, find and replace, or several [[mutant.edit]] tables with them. [defaults] as in plans.
    MutantError if a mutant is not complete or two have the same name, PlanError if the file cannot be read.
    """
    mutants: dict[str, Mutant] = {}
    number: dict[str, int] = {}
    for index, row in enumerate(toml_rows(path, "mutant"), 1):
        single = {key: row.pop(key) for key in ("file", "find", "replace") if key in row}
        try:
            edits = tuple(Edit(**edit) for edit in ([single] if single else []) + row.pop("edit", []))
            mutant = Mutant(**{**row, "clauses": tuple(row["clauses"]), "edit": edits, "ip": ip})
        except (TypeError, KeyError) as error:
            raise MutantError(f"{path}: mutant {row.get('name', index)} is not complete: {error}") from None
        if not edits:
            raise MutantError(f"{path}: mutant {mutant.name} changes nothing; add file, find and replace")
        if mutant.name in mutants:
            raise MutantError(
                f"{path}: duplicate mutant name {mutant.name} in rows {number[mutant.name]} and {index}; "
                "give each mutant its own name"
            )
        mutants[mutant.name], number[mutant.name] = mutant, index
    return mutants


def by_clause(mutants: Iterable[Mutant]) -> dict[str, list[str]]:
    """The names of the mutants that each clause must catch, in the order of the mutants."""
    found: dict[str, list[str]] = {}
    for mutant in mutants:
        for clause in mutant.clauses:
            found.setdefault(clause, []).append(mutant.name)
    return found


def clean(mutants: list[Mutant], sim: str, pool: ThreadPoolExecutor) -> dict[str, str]:
    """Run every stimulus once on the unchanged RTL; name of each mutant whose stimulus did not pass, to the reason."""
    groups: dict[BuildConfig, list[Job]] = {}
    first: dict[str, str] = {}  # stimulus to the first mutant that uses it, whose name the job has
    for mutant in mutants:
        job = mutant.stimulus
        if first.setdefault(job.rerun, mutant.name) == mutant.name:
            groups.setdefault(build_of(job), []).append(job)

    def one(number: int, config: BuildConfig) -> list[dict[str, Any]]:
        return run(build(config, sim), groups[config], OUT / "clean" / str(number))

    wrong: dict[str, str] = {}
    for results in pool.map(lambda item: one(*item), enumerate(groups)):
        for result in results:
            if result["verdict"] != "PASS":
                failed = result["failures"][0]["text"] if result["failures"] else result["error"]
                wrong[result["name"]] = f"its stimulus does not pass on the unchanged RTL: {failed}"
    return {p.name: wrong[first[p.stimulus.rerun]] for p in mutants if first[p.stimulus.rerun] in wrong}


def try_mutant(mutant: Mutant, sim: str, plan: Plan, keep: bool) -> Outcome:
    """Apply the mutant to a copy of its files, run its stimulus, collect the clauses that failed."""
    start = time.perf_counter()
    changed, outcome = OUT / mutant.name / ("firmware" if mutant.firmware else "rtl"), Outcome(mutant)
    shutil.rmtree(changed.parent, ignore_errors=True)
    if mutant.firmware:
        # modules are imported as rvtrace.models...; `rvtrace` without __init__ is a portion of the namespace package
        copy = changed / "rvtrace"
        shutil.copytree(ROOT / FIRMWARE, copy / FIRMWARE, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        copy = changed
        shutil.copytree(ROOT / "rtl", copy)
    try:
        mutant.apply(copy)
        job = mutant.stimulus
        image = build(build_of(job), sim) if mutant.firmware else build(build_of(job), sim, changed)
        result = run(image, [job], OUT / mutant.name, timeout=TIMEOUT, first=changed if mutant.firmware else None)[0]
        if result["verdict"] == "ERROR":
            outcome.trouble = f"did not run: {result['error']}"
        failed = {clause for clause, (_, failures) in result["clauses"].items() if failures}
        outcome.caught = tuple(
            sorted(clause for clause in failed if not plan[clause].through or clause in mutant.clauses)
        )
        texts = {failure["clause"]: failure["text"] for failure in reversed(result["failures"])}
        outcome.text = next((texts[clause] for clause in mutant.clauses if clause in texts), "")
        outcome.missing = tuple(c for c in mutant.clauses if c not in failed and not failed & set(plan[c].through))
    except (MutantError, SimError) as error:
        outcome.trouble = str(error)
    if not keep:
        shutil.rmtree(changed, ignore_errors=True)
    outcome.seconds = time.perf_counter() - start
    return outcome


def run_all(chosen: list[Mutant], sim: str, workers: int, keep: bool, tell: Callable[[Outcome], None]) -> list[Outcome]:
    """Run mutants, `workers` at a time. tell: called with each outcome, at the end with those whose stimulus is no
    good, which are the first of what is returned.
    """
    plan = _every_plan()
    with ThreadPoolExecutor(workers) as pool:
        wrong = clean(chosen, sim, pool)
        todo = [mutant for mutant in chosen if mutant.name not in wrong]
        outcomes = [Outcome(mutant, trouble=wrong[mutant.name]) for mutant in chosen if mutant.name in wrong]
        for outcome in pool.map(lambda mutant: try_mutant(mutant, sim, plan, keep), todo):
            outcomes.append(outcome)
            tell(outcome)
    for outcome in outcomes[: len(wrong)]:
        tell(outcome)
    return outcomes


def _every_plan() -> Plan:
    """The clauses of all plans: a scenario of the trace system also checks the clauses of its encoders."""
    plans = [Plan.load(path) for path in sorted((ROOT / "scoreboards").glob("*/plan.toml"))]
    return Plan({name: clause for plan in plans for name, clause in plan.clauses.items()})


def simulator() -> str:
    """Icarus, which compiles a changed design in a second; without it Verilator, which takes ten times as long."""
    try:
        return simulators.find("icarus").name
    except simulators.SimulatorError:
        print(
            "Icarus was not found: Verilator builds each mutant, which takes 15 minutes or more; "
            "`sudo apt-get install iverilog` reduces this to a few minutes",
            flush=True,
        )
        return "verilator"


def leave(outcomes: list[Outcome]) -> None:
    """Write build/mutants/mutants.json; rows of mutants that earlier calls ran and this one did not are kept."""
    path, now = OUT / "mutants.json", {o.mutant.name for o in outcomes}
    before = json.loads(path.read_text()) if path.exists() else []
    rows = [row for row in before if row["mutant"] not in now] + [
        {
            "mutant": o.mutant.name,
            "clauses": o.mutant.clauses,
            "why": o.mutant.why,
            "good": o.good,
            "caught": o.caught,
            "trouble": o.trouble,
            "seconds": round(o.seconds, 2),
        }
        for o in outcomes
    ]
    OUT.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1))
