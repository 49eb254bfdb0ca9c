"""`make plants IP=ntrace`: plant each bug of tests/plants/<ip>.toml in a copy of the RTL (or of the firmware), and see its own clause catch it.

A plant is red if it does not apply, does not build, does not run, or if no check of the clause it belongs to fails. Every
stimulus runs on the RTL as it is first, and must pass there.
"""

from __future__ import annotations

import json
import os
import shutil
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from scoreboards.clauses import Plan, toml_rows
from tb.job import Job
from tb.system_job import SystemJob
from tools import simulators, systems
from tools.arguments import ArgumentError, main_guard, number, parse
from tools.builds import ROOT, BuildConfig
from tools.jobs import build_of
from tools.sim import SimError, build, run

WORDS = {
    "IP": f"the system: {', '.join(systems.NAMES)}, or control (the trace system around its encoders)", "PLANT": "a plant by name, or several with commas; default all", "SIM": "icarus (default if installed) or verilator",
    "PROCESSES": "simulations at a time, default the number of cores", "KEEP": "1: leave the changed RTL in build/plants",
}  # fmt: skip
OUT = ROOT / "build" / "plants"
FIRMWARE = "models/"
TIMEOUT = 300  # seconds of one plant: a system that does not answer is polled for a while


class PlantError(ValueError):
    """A plant that cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Edit:
    """Replace `find`, which occurs exactly once in `file` (below rtl/; models/... is firmware: what the device runs in Python)."""

    file: str
    find: str
    replace: str

    @property
    def path(self) -> Path:
        """The file as it is."""
        return ROOT / self.file if self.file.startswith(FIRMWARE) else ROOT / "rtl" / self.file


@dataclass(frozen=True)
class Plant:
    """One planted bug. clauses: each of them must catch it. source, config, job: the stimulus it is caught with.

    small: the build with small counters and two blocks a cycle, in which they get full.
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
        """Whether the bug is in the firmware, so that the RTL stays as it is."""
        return self.edit[0].file.startswith(FIRMWARE)

    @property
    def stimulus(self) -> Job:
        """The job that shows the bug."""
        system = systems.find(self.ip)
        settings, base = dict(self.job), dict(system.small) if self.small else {}
        kind, _, name = self.source.partition(":")
        if kind == "system":
            return SystemJob(self.name, self.source, dict(self.config), **settings)
        if kind == "scenario":
            if name not in system.scenarios:
                raise PlantError(f"plant {self.name} runs scenario {name}, which does not exist; `make list` has them")
            scenario = system.scenarios[name]
            settings, base = {**scenario.job, **settings}, scenario.base | base
        return Job(self.name, self.source, {**base, **self.config}, ip=self.ip, **settings)

    def apply(self, folder: Path) -> None:
        """Change the RTL below `folder` (or the firmware); PlantError unless every `find` stands exactly once in its file."""
        for edit in self.edit:
            path = folder / edit.file
            text = path.read_text() if path.is_file() else ""
            if (count := text.count(edit.find)) != 1:
                raise PlantError(f"does not apply: its text stands {count} times in {edit.file}, needed once")
            path.write_text(text.replace(edit.find, edit.replace))


@dataclass
class Outcome:
    """What became of a plant.

    caught: the clauses that failed; missing: of its own, those that did not. trouble: why it could not be tried, else
    None. text: the failure its clause printed.
    """

    plant: Plant
    caught: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    trouble: str | None = None
    seconds: float = 0.0
    text: str = ""

    @property
    def good(self) -> bool:
        """Caught by every clause it belongs to."""
        return self.trouble is None and not self.missing

    def line(self) -> str:
        """One line of the table."""
        clauses = ", ".join(self.plant.clauses)
        if self.trouble:
            return f"RED   {self.plant.name:<26} {clauses}: {self.trouble}"
        if self.missing:
            by = ", ".join(self.caught) or "nothing"
            return f"RED   {self.plant.name:<26} {clauses}: caught by {by}"
        others = [c for c in self.caught if c not in self.plant.clauses]
        also = f"  (also {', '.join(others)})" if others else ""
        return f"ok    {self.plant.name:<26} {clauses}{also}"


def load(path: Path, ip: str = "ntrace") -> dict[str, Plant]:
    """The plants of a file by name, for runs of a system; PlantError if one is not complete or stands twice, PlanError if it is no TOML file."""
    plants: dict[str, Plant] = {}
    for row in toml_rows(path, "plant"):
        try:
            edits = tuple(Edit(**edit) for edit in row.pop("edit"))
            plant = Plant(**{**row, "clauses": tuple(row["clauses"]), "edit": edits, "ip": ip})
        except (TypeError, KeyError) as error:
            raise PlantError(f"{path}: plant {row.get('name', '?')} is not complete: {error}") from None
        if plant.name in plants:
            raise PlantError(f"{path}: plant {plant.name} stands twice; give each its own name")
        plants[plant.name] = plant
    return plants


def clean(plants: list[Plant], sim: str, pool: ThreadPoolExecutor) -> dict[str, str]:
    """Run every stimulus once on the RTL as it is; name of the plant to what went wrong."""
    groups: dict[BuildConfig, list[Job]] = {}
    first: dict[str, str] = {}  # stimulus to the first plant that uses it, whose name the job has
    for plant in plants:
        job = plant.stimulus
        if first.setdefault(job.rerun, plant.name) == plant.name:
            groups.setdefault(build_of(job), []).append(job)

    def one(number: int, config: BuildConfig) -> list[dict[str, Any]]:
        return run(build(config, sim), groups[config], OUT / "clean" / str(number))

    wrong: dict[str, str] = {}
    for results in pool.map(lambda item: one(*item), enumerate(groups)):
        for result in results:
            if result["verdict"] != "PASS":
                failed = result["failures"][0]["text"] if result["failures"] else result["error"]
                wrong[result["name"]] = f"its stimulus does not pass on the RTL as it is: {failed}"
    return {p.name: wrong[first[p.stimulus.rerun]] for p in plants if first[p.stimulus.rerun] in wrong}


def try_plant(plant: Plant, sim: str, plan: Plan, keep: bool) -> Outcome:
    """Plant it, run its stimulus, see who caught it."""
    begin = time.perf_counter()
    changed, outcome = OUT / plant.name / ("firmware" if plant.firmware else "rtl"), Outcome(plant)
    shutil.rmtree(changed.parent, ignore_errors=True)
    if plant.firmware:
        shutil.copytree(ROOT / FIRMWARE, changed / FIRMWARE, ignore=shutil.ignore_patterns("__pycache__"))
    else:
        shutil.copytree(ROOT / "rtl", changed)
    try:
        plant.apply(changed)
        job = plant.stimulus
        image = build(build_of(job), sim) if plant.firmware else build(build_of(job), sim, changed)
        result = run(image, [job], OUT / plant.name, timeout=TIMEOUT, first=changed if plant.firmware else None)[0]
        if result["verdict"] == "ERROR":
            outcome.trouble = f"did not run: {result['error']}"
        failed = {clause for clause, (_, failures) in result["clauses"].items() if failures}
        outcome.caught = tuple(sorted(clause for clause in failed if not plan[clause].through or clause in plant.clauses))
        texts = {failure["clause"]: failure["text"] for failure in reversed(result["failures"])}
        outcome.text = next((texts[clause] for clause in plant.clauses if clause in texts), "")
        outcome.missing = tuple(c for c in plant.clauses if c not in failed and not failed & set(plan[c].through))
    except (PlantError, SimError) as error:
        outcome.trouble = str(error)
    if not keep:
        shutil.rmtree(changed, ignore_errors=True)
    outcome.seconds = time.perf_counter() - begin
    return outcome


def main(argv: list[str]) -> int:
    """Try all plants, or one; exit code 1 if one is red."""
    given = parse(argv, WORDS, "Plants bugs in the RTL one by one and prints which clause caught each.")
    systems.known(argv, *systems.PARTS)
    ip, sim = given.get("IP", systems.NAMES[0]), given.get("SIM") or _simulator()
    plants = load(ROOT / "tests" / "plants" / f"{ip}.toml", systems.PARTS.get(ip, ip))
    plan = _every_plan()
    names = given["PLANT"].split(",") if given.get("PLANT") else list(plants)
    for name in names:
        if name not in plants:
            near = get_close_matches(name, plants, 1)
            raise ArgumentError(f"there is no plant {name}; {f'did you mean PLANT={near[0]}? ' if near else ''}"
                                f"they are in tests/plants/{ip}.toml")  # fmt: skip
    chosen = [plants[name] for name in names]
    begin = time.perf_counter()
    with ThreadPoolExecutor(number(given, "PROCESSES", os.cpu_count() or 1)) as pool:
        wrong = clean(chosen, sim, pool)
        todo = [plant for plant in chosen if plant.name not in wrong]
        outcomes = [Outcome(plant, trouble=wrong[plant.name]) for plant in chosen if plant.name in wrong]
        for outcome in pool.map(lambda p: try_plant(p, sim, plan, given.get("KEEP") == "1"), todo):
            outcomes.append(outcome)
            print(outcome.line(), flush=True)
    for outcome in outcomes[: len(wrong)]:
        print(outcome.line())
    if len(chosen) == 1:
        print(outcomes[0].plant.why, outcomes[0].text, sep="\n\n", end="\n\n")
    red = sum(not outcome.good for outcome in outcomes)
    clauses = {clause for outcome in outcomes if outcome.good for clause in outcome.plant.clauses}
    print(f"{len(outcomes) - red} of {len(outcomes)} plants caught by the clause they belong to, {len(clauses)} clauses, "
          f"{time.perf_counter() - begin:.0f} s")  # fmt: skip
    _leave(outcomes)
    return 1 if red else 0


def _every_plan() -> Plan:
    """The clauses of all plans: a story of the trace system checks those of its encoders as well."""
    plans = [Plan.load(path) for path in sorted((ROOT / "tests" / "plan").glob("*.toml"))]
    return Plan({name: clause for plan in plans for name, clause in plan.clauses.items()})


def _simulator() -> str:
    """Icarus compiles a changed design in a second; without it Verilator does, in ten times as long."""
    try:
        return simulators.find("icarus").name
    except simulators.SimulatorError:
        print("Icarus was not found: Verilator builds each plant, which takes a quarter of an hour in all; "
              "`sudo apt-get install iverilog` makes it minutes", flush=True)  # fmt: skip
        return "verilator"


def _leave(outcomes: list[Outcome]) -> None:
    """build/plants/plants.json, for the report; what was tried before and not now stays."""
    path, tried = OUT / "plants.json", {o.plant.name for o in outcomes}
    before = json.loads(path.read_text()) if path.exists() else []
    rows = [row for row in before if row["plant"] not in tried] + [
        {"plant": o.plant.name, "clauses": o.plant.clauses, "why": o.plant.why, "good": o.good, "caught": o.caught,
         "trouble": o.trouble, "seconds": round(o.seconds, 2)}
        for o in outcomes
    ]  # fmt: skip
    OUT.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main_guard(main)
