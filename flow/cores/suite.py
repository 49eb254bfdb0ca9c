# SPDX-License-Identifier: Apache-2.0
"""Tandem verification of a core on many programs: random ones, or all ELF files of a folder, in few processes.

    results = verify_all(core, random_cases(core, range(1000), folder), folder)

The core is simulated without trace sources, many programs one after the other in one simulator, and each is judged from
its recorded RVFI (flow/cores/verify.py).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from rvtrace.flow.cores import builds
from rvtrace.flow.cores.counters import Difference, compare
from rvtrace.flow.cores.description import Core, CoreError
from rvtrace.flow.cores.programs import Chosen, fitting, tohost
from rvtrace.flow.cores.random_program import random_program
from rvtrace.flow.cores.run import mismatches, prepare
from rvtrace.flow.cores.verify import verify_all_good
from rvtrace.flow.processes import cores
from rvtrace.flow.simulation import Build, build, run
from rvtrace.jobs.job import Job
from rvtrace.jobs.names import MAIN
from rvtrace.models.riscv.program import Program, ProgramError
from rvtrace.tb.cores.agents.files import read_rvfi

LIMIT = 200_000  # cycles of one program
TOGETHER = 50  # programs of one simulator process


@dataclass(frozen=True)
class Case:
    """A program of a suite. name: of results. path: its ELF file, which is there when the case is run. rerun: the
    command that repeats it.
    """

    name: str
    path: Path
    rerun: str


@dataclass
class Outcome:
    """What was found of one program. verdict: PASS, FAIL (the core retired something else than the simulator) or ERROR
    (that was not compared; `error` says why). first: instructions before the first mismatch. failures: as text.
    """

    name: str
    verdict: str
    instructions: int = 0
    matched: int = 0
    first: int | None = None
    failures: list[str] = field(default_factory=list)
    error: str = ""
    rerun: str = ""


def random_cases(core: Core, seeds: Iterable[int], folder: Path) -> list[Case]:
    """Random programs, written to the folder; the same seed gives the same program."""
    out = []
    for seed in seeds:
        case = Case(
            f"random-{seed}",
            folder / f"random-{seed}.elf",
            f"make core SET=random CORE={core.shown} SEED={seed} COUNT=1",
        )
        case.path.parent.mkdir(parents=True, exist_ok=True)
        random_program(
            Random(f"{seed}:random_program"), core.hart, core.traps, core.faults, core.counter_addresses
        ).to_elf(case.path)
        out.append(case)
    return out


def verify_all(
    core: Core, cases: Sequence[Case], out: Path, report: Callable[[Outcome], None] = lambda one: None,
    made: Build | None = None, limit: int = LIMIT, select: int = 0,
) -> list[Outcome]:  # fmt: skip
    """Run and judge all of them; `report` gets each outcome as soon as it is there. made: the build, if it is not that
    of the core; select: which mutant of it (flow/faults/cores.py).
    """
    if not cases:
        return []
    if made is None:
        made = build(builds.alone(core)[0], "verilator", builds.alone(core)[1])
    groups = [cases[at : at + TOGETHER] for at in range(0, len(cases), TOGETHER)]
    results: list[Outcome] = []
    with ProcessPoolExecutor(min(cores(), len(groups)) or 1) as pool:
        for outcomes in pool.map(partial(_group, core, made, out, limit, select), groups):
            for outcome in outcomes:
                report(outcome)
            results += outcomes
    return results


def _group(
    core: Core, made: Build, out: Path, limit: int, select: int, cases: Sequence[Case]
) -> list[Outcome]:  # fmt: skip
    ready: dict[str, tuple[Case, Chosen]] = {}
    outcomes: dict[str, Outcome] = {}
    for case in cases:
        try:
            chosen = _chosen(core, case)
        except (CoreError, ProgramError) as error:
            outcomes[case.name] = Outcome(case.name, "ERROR", error=str(error), rerun=case.rerun)
            continue
        prepare(chosen, out / case.name, limit, case.rerun)
        ready[case.name] = case, chosen
    jobs = [Job(name, f"program:{name}", ip=MAIN, out=str(out / name)) for name in ready]
    if jobs:
        plusargs = [f"+mutants={1 << select:x}"] if select else []
        for result in run(made, jobs, out / f"process-{cases[0].name}", plusargs=plusargs):
            case, chosen = ready[result["name"]]
            outcomes[case.name] = judge(core, case, chosen, out / case.name, result)
    return [outcomes[case.name] for case in cases]


def _chosen(core: Core, case: Case) -> Chosen:
    return fitting(Chosen(case.name, case.path, Program.from_elf(case.path), tohost(case.path)), core)


def judge(core: Core, case: Case, chosen: Chosen, folder: Path, result: dict[str, Any]) -> Outcome:
    """The outcome of a program that was run."""
    outcome = Outcome(case.name, result["verdict"], error=result["error"] or "", rerun=case.rerun)
    if not (folder / "rvfi.bin").exists():
        return outcome
    # A core that went astray does not come to its end; what it retired is judged all the same.
    rows, traps = read_rvfi(folder)
    verified, broken = verify_all_good(core, chosen, rows, traps, stop_after=10)
    if verified is not None:
        report = verified.report
        outcome.instructions, outcome.matched = report.instructions, report.matched
        if report.findings:
            outcome.verdict, outcome.error = "FAIL", ""
            outcome.first = report.findings[0].group
            outcome.failures = [failure.text() for failure in mismatches(core, verified, chosen, rows, case.rerun)]
            return outcome
    if core.counters and (wrong := compare(core, rows).differences):
        outcome.verdict, outcome.error = "FAIL", ""
        outcome.first, outcome.failures = wrong[0].second, [_counted(chosen, rows, wrong[0])]
        return outcome
    if broken is not None:
        outcome.verdict, outcome.error = "ERROR", str(broken)
    elif verified is None or (not verified.report.ok and outcome.verdict == "PASS"):
        outcome.verdict, outcome.error = "ERROR", "tandem verification compared no instruction"
    return outcome


def _counted(chosen: Chosen, rows: np.ndarray, wrong: Difference) -> str:
    places = [chosen.program.where(int(rows["pc"][k])) for k in (wrong.first, wrong.second)]
    return (
        f"{wrong.counter} went on by {wrong.actual} between two reads, and RVFI has {wrong.expected} of {wrong.event}"
        f" between them\n  first     {places[0]}\n  second    {places[1]}"
    )


def save(path: Path, outcomes: Iterable[Outcome]) -> None:
    """As JSON."""
    path.write_text(json.dumps([vars(outcome) for outcome in outcomes], indent=1) + "\n")
