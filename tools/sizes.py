# SPDX-License-Identifier: Apache-2.0
"""`make sizes`: bits per instruction of every system that makes a trace, over the same programs, side by side; as
Markdown, for the README (rvtrace.flow.sizes).
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from rvtrace.flow import simulators, sizes
from rvtrace.flow.jobs import RESULTS
from rvtrace.tb.common import sizes as bits
from rvtrace.tb.common.arguments import main_guard, number, parse

WORDS = {
    "SIM": "verilator (default) or icarus",
    "N": "processes, default the number of cores",
    "OUT": "folder of the results",
}


def main(argv: list[str]) -> int:
    """0 if all runs passed."""
    given = parse(argv, WORDS, "Bits per instruction of all systems.")
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    workers = number(given, "N", os.cpu_count() or 1)
    single, side = sizes.measured(sim, Path(given.get("OUT", RESULTS / "sizes")), workers)
    for title, table in single.items():
        print(f"{title}, bits per instruction\n\n{table.markdown()}\n")
    print(f"Side by side, transport included\n\n{bits.beside(side)}\n")
    methods = sizes.TANDEM.methods
    means = [single["Tandem trace"].mean(m) for m in range(len(methods))]
    print(
        "Tandem trace, mean in bytes: "
        + ", ".join(f"{method.name} {mean[0] / 8:.2f}" for method, mean in zip(methods, means) if mean)
    )
    return 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
