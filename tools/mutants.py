# SPDX-License-Identifier: Apache-2.0
"""`make mutants IP=ntrace`: runs each hand-written mutant of tests/ntrace/mutants.toml; its clause must catch it
(rvtrace.flow.mutants).
"""

from __future__ import annotations

import os
import time
from difflib import get_close_matches

from rvtrace.flow import mutants as flow
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, main_guard, number, parse
from rvtrace.tb.common.builds import ROOT

WORDS = {
    "IP": f"the system: {', '.join(systems.NAMES)}, or {', '.join(systems.PARTS)} (registers, funnel and sinks)",
    "MUTANT": "name of a mutant, or several with commas; default all of the system",
    "SIM": "icarus (default if installed) or verilator",
    "PROCESSES": "simulations in parallel, default the number of cores",
    "KEEP": "1: keep the changed RTL below build/mutants",
}


def main(argv: list[str]) -> int:
    """Run all mutants, or those of MUTANT=; exit code 1 if one is red."""
    given = parse(argv, WORDS, "Runs hand-written mutants of the RTL one by one and prints which clause caught each.")
    systems.known(argv, *systems.PARTS)
    ip, sim = given.get("IP", systems.NAMES[0]), given.get("SIM") or flow.simulator()
    mutants = flow.load(ROOT / "tests" / ip / "mutants.toml", systems.PARTS.get(ip, ip))
    names = given["MUTANT"].split(",") if given.get("MUTANT") else list(mutants)
    for name in names:
        if name not in mutants:
            near = get_close_matches(name, mutants, 1)
            raise ArgumentError(
                f"there is no mutant {name}; {f'did you mean MUTANT={near[0]}? ' if near else ''}"
                f"the mutants are in tests/{ip}/mutants.toml"
            )
    start, workers = time.perf_counter(), number(given, "PROCESSES", os.cpu_count() or 1)
    outcomes = flow.run_all([mutants[name] for name in names], sim, workers, given.get("KEEP") == "1", _tell)
    if len(outcomes) == 1:
        print(outcomes[0].mutant.why, outcomes[0].text, sep="\n\n", end="\n\n")
    red = sum(not outcome.good for outcome in outcomes)
    clauses = {clause for outcome in outcomes if outcome.good for clause in outcome.mutant.clauses}
    print(
        f"{len(outcomes) - red} of {len(outcomes)} mutants caught by their clause, {len(clauses)} clauses, "
        f"{time.perf_counter() - start:.0f} s"
    )
    flow.leave(outcomes)
    return 1 if red else 0


def _tell(outcome: flow.Outcome) -> None:
    print(outcome.line(), flush=True)


if __name__ == "__main__":
    main_guard(main)
