# SPDX-License-Identifier: Apache-2.0
"""`make mutate KIND=written`: runs each hand-written mutant of tests/<ip>/mutants.toml; its clause must catch it
(rvtrace.flow.faults.written).
"""

from __future__ import annotations

import os
import time
from difflib import get_close_matches

from rvtrace.flow.faults import written as flow
from rvtrace.flow.faults.rows import Fault
from rvtrace.flow.faults.runner import Row
from rvtrace.flow.progress import Progress
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, typed
from rvtrace.report import faults as report

WORDS = {
    "IP": f"the system: {', '.join(systems.NAMES)}, or {', '.join(systems.PARTS)} (registers, funnel and sinks); "
    "default all",
    "MUTANT": "name of a mutant, or several with commas; default all",
    "SIM": "both (default if Icarus is installed), icarus or verilator",
    "PROCESSES": "simulations in parallel, default the number of cores",
    "EXACT": "0: check as a foreign device; red are clauses that a mutant breaks and that hold while others fail",
    "KEEP": "1: keep the changed RTL below build/mutants",
}


def main(argv: list[str]) -> int:
    """Run all mutants, or those of IP= or MUTANT=; exit code 1 if one is red."""
    given = parse(argv, WORDS, "Runs hand-written mutants of the RTL and prints which clause caught each.")
    systems.known(argv, *systems.PARTS)
    homes = [given["IP"]] if "IP" in given else _homes()
    chosen = _chosen(homes, given["MUTANT"].split(",") if given.get("MUTANT") else [])
    sim, workers = given.get("SIM") or flow.simulator(), number(given, "PROCESSES", os.cpu_count() or 1)
    exact = flag({"EXACT": "1"} | given, "EXACT")
    begin, every = time.perf_counter(), [mutant for mutants in chosen.values() for mutant in mutants]
    with Progress(len(every), "mutants", bad="red") as progress:

        def tell(row: Row) -> None:
            progress.step(not row.good)
            print(f"{row.home + ' ' if len(chosen) > 1 else ''}{row.text()}", flush=True)

        rows, builds = flow.run_all(every, sim, workers, given.get("KEEP") == "1", tell, exact)
    if len(rows) == 1:
        print(every[0].why, rows[0].headline, sep="\n\n")
    named = {name: given[name] for name in ("IP", "EXACT") if name in given}
    command = typed("mutate", {"KIND": "written", **named})
    title = f"Hand-written mutants{'' if exact else ' without the reference profile'}, {builds} builds"
    return report.ended(flow.OUT, report.summary(title, command, rows, time.perf_counter() - begin))


def _homes() -> list[str]:
    """The systems, and parts of them, that have mutants."""
    return [ip for ip in (*systems.NAMES, *systems.PARTS) if flow.path_of(ip).is_file()]


def _chosen(homes: list[str], names: list[str]) -> dict[str, list[Fault]]:
    """The mutants of each system, those of these names if there are some; ArgumentError for a name that none has."""
    listed = {home: flow.load(home) for home in homes}
    known = {name for mutants in listed.values() for name in mutants}
    for name in names:
        if name not in known:
            near = get_close_matches(name, known, 1)
            raise ArgumentError(
                f"there is no mutant {name}; {f'did you mean MUTANT={near[0]}? ' if near else ''}"
                f"the mutants are in tests/{homes[0] if len(homes) == 1 else '<ip>'}/mutants.toml"
            )
    wanted = {home: [mutants[name] for name in names or mutants if name in mutants] for home, mutants in listed.items()}
    return {home: mutants for home, mutants in wanted.items() if mutants}


if __name__ == "__main__":
    main_guard(main)
