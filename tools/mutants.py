# SPDX-License-Identifier: Apache-2.0
"""`make mutants`: runs each hand-written mutant of tests/<ip>/mutants.toml; its clause must catch it
(rvtrace.flow.faults.written).
"""

from __future__ import annotations

import os
import time
from difflib import get_close_matches

from rvtrace.flow.faults import written as flow
from rvtrace.flow.faults.rows import Fault
from rvtrace.flow.progress import Progress
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse

WORDS = {
    "IP": f"the system: {', '.join(systems.NAMES)}, or {', '.join(systems.PARTS)} (registers, funnel and sinks); "
    "default all",
    "MUTANT": "name of a mutant, or several with commas; default all",
    "SIM": "both (default if Icarus is installed), icarus or verilator",
    "PROCESSES": "simulations in parallel, default the number of cores",
    "KEEP": "1: keep the changed RTL below build/mutants",
}


def main(argv: list[str]) -> int:
    """Run all mutants, or those of IP= or MUTANT=; exit code 1 if one is red."""
    given = parse(argv, WORDS, "Runs hand-written mutants of the RTL and prints which clause caught each.")
    systems.known(argv, *systems.PARTS)
    homes = [given["IP"]] if "IP" in given else _homes()
    chosen = _chosen(homes, given["MUTANT"].split(",") if given.get("MUTANT") else [])
    sim, workers = given.get("SIM") or flow.simulator(), number(given, "PROCESSES", os.cpu_count() or 1)
    begin, every = time.perf_counter(), [mutant for mutants in chosen.values() for mutant in mutants]
    with Progress(len(every), "mutants", bad="red") as progress:

        def tell(outcome: flow.Outcome) -> None:
            progress.step(not outcome.good)
            print(f"{outcome.mutant.home + ' ' if len(chosen) > 1 else ''}{outcome.line()}", flush=True)

        outcomes, builds = flow.run_all(every, sim, workers, given.get("KEEP") == "1", tell)
    flow.leave(outcomes)
    if len(chosen) > 1:
        for home in chosen:
            mine = [outcome for outcome in outcomes if outcome.mutant.home == home]
            print(f"{home}: {sum(outcome.good for outcome in mine)} of {len(mine)} mutants caught by their clause")
    if len(outcomes) == 1:
        print(outcomes[0].mutant.why, outcomes[0].text, sep="\n\n", end="\n\n")
    print(_summary(outcomes, builds, begin))
    return 0 if all(outcome.good for outcome in outcomes) else 1


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


def _summary(outcomes: list[flow.Outcome], builds: int, start: float) -> str:
    good = [outcome for outcome in outcomes if outcome.good]
    clauses = {clause for outcome in good for clause in outcome.mutant.clauses}
    return (
        f"{len(good)} of {len(outcomes)} mutants caught by their clause, {len(clauses)} clauses, {builds} builds, "
        f"{time.perf_counter() - start:.0f} s"
    )


if __name__ == "__main__":
    main_guard(main)
