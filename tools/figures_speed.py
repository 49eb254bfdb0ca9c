# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures speed`: the speed we promise, measured in one run as ratios, and where the time goes
(rvtrace.flow.perf).
"""

from __future__ import annotations

import sys

from rvtrace.flow import perf, simulators
from rvtrace.flow.perf_figures import Figures
from rvtrace.flow.progress import during
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, parse

WORDS = {
    "IP": f"the system: {' or '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "PROGRAM": "to play, default sort",
    "SAVE": "1: keep the figures in data/perf.json, with commit and date",
}


def main(argv: list[str]) -> int:
    """0 if every promise is kept, else 1."""
    given = parse(argv, WORDS, "Measure the speed.")
    system = systems.of(argv)
    if not system.modelled_as:
        raise ArgumentError(
            f"IP={system.ip} is made of blocks that are measured by themselves; give one of theirs, such as IP=ntrace"
            " or IP=ctr"
        )
    sim, program = given.get("SIM", "verilator"), given.get("PROGRAM", "sort")
    print(f"simulator {simulators.find(sim).version}")
    figures = Figures(system.ip)
    with during("measuring simulations"):
        kept = perf.drives(system, sim, program, figures)
    with during("starting the command"):
        kept &= perf.starts(system, sim, figures)
    with during("measuring models"):
        kept &= perf.models(system, figures)
    with during("counting cells"):
        kept &= perf.cells(system)
    if flag(given, "SAVE"):
        print(f"kept in {figures.keep()}")
    print("every promise is kept" if kept else "a promise is not kept; see LOW or RED above")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main_guard(main))
