# SPDX-License-Identifier: Apache-2.0
"""`make mutate KIND=core CORE=ibex`: bugs in a copy of a real core; which of them does tandem verification find?"""

from __future__ import annotations

import sys
import time
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.cores import description, suite
from rvtrace.flow.cores.description import Core
from rvtrace.flow.faults import cores as mutants
from rvtrace.flow.faults.runner import Row
from rvtrace.flow.jobs import RESULTS
from rvtrace.flow.progress import Progress
from rvtrace.jobs.arguments import main_guard, number, parse, typed
from rvtrace.report import faults as report

COUNT = 50  # programs that each mutant is played with
WORDS = {
    "CORE": f"one of {', '.join(description.names())} (default ibex), or a folder with {description.FILE}",
    "COUNT": f"random programs that each mutant is played with (default {COUNT})",
    "SEED": "number of the first of them (default 0)",
    "OUT": "folder of the results (default build/results/core-mutants)",
}


def main(argv: list[str]) -> int:
    """0 if every mutant is found, else 1."""
    given = parse(argv, WORDS, __doc__ or "", ("OUT",))
    core = Core.load(given.get("CORE", "ibex"))
    simulators.find("verilator")
    if core.install():
        print(f"installed {core.requirement}", flush=True)
    out = Path(given.get("OUT", RESULTS / "core-mutants" / core.name)).resolve()
    first = number(given, "SEED", 0)
    seeds = range(first, first + number(given, "COUNT", COUNT, least=1))
    begin, listed = time.perf_counter(), mutants.listed(core)
    made, numbers = mutants.build_mutated(core, listed)
    cases = suite.random_cases(core, seeds, out / "programs")
    progress = Progress(len(listed), "mutants", bad="missed")

    def show(row: Row) -> None:
        progress.step(not row.good)
        print(f"{row.kind:<18} {row.text()}", flush=True)

    with progress:
        rows = mutants.hunt(core, made, numbers, listed, cases, out, show)
    command = typed("mutate", {"KIND": "core", "CORE": core.shown, "COUNT": str(len(seeds))})
    seconds = time.perf_counter() - begin
    return report.ended(out, report.summary(f"Mutants of {core.title}", command, rows, seconds, selects=False))


if __name__ == "__main__":
    sys.exit(main_guard(main))
