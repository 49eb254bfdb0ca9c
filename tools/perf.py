# SPDX-License-Identifier: Apache-2.0
"""`make perf`: the speed we promise, measured in one run as ratios, and where the time goes (rvtrace.flow.perf)."""

from __future__ import annotations

import sys

from rvtrace.flow import perf, simulators
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, main_guard, parse

WORDS = {
    "IP": f"the system: {' or '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "PROGRAM": "to play, default sort",
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
    kept = perf.drives(system, sim, program)
    kept &= perf.models(system)
    kept &= perf.cells(system)
    print("every promise is kept" if kept else "a promise is not kept; see LOW or RED above")
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main_guard(main))
