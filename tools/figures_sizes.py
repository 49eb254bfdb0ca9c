# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures sizes`: bits per instruction of every system that makes a trace, over the same programs, side by
side; as Markdown, for the README (rvtrace.flow.sizes).

`rvtrace figures sizes SET=riscv-tests`: of the encoder models on programs with published figures; writes
data/sizes.json, of which docs/hooks.py makes a page, and its chart (rvtrace.flow.programs.figures).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path

from rvtrace.flow import simulators, sizes
from rvtrace.flow.jobs import RESULTS
from rvtrace.flow.programs import figures
from rvtrace.flow.progress import during
from rvtrace.jobs import sizes as bits
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, short
from rvtrace.report import published_sizes

WORDS = {
    "SIM": "verilator (default) or icarus",
    "N": "processes, default the number of cores",
    "OUT": "folder of the results",
    "SET": "riscv-tests: nine benchmarks and CoreMark, beside published figures, with the encoder models",
    "SAVE": "with SET: 0 only measures; default 1 writes the data and the chart",
}


def main(argv: list[str]) -> int:
    """0 if all runs passed."""
    given = parse(argv, WORDS, "Bits per instruction of all systems.", ("OUT",))
    if "SET" in given:
        return _published(given)
    if "SAVE" in given:
        raise ArgumentError(
            "SAVE= is of the programs with published figures; give SET=riscv-tests as well, or omit SAVE"
        )
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


def _published(given: Mapping[str, str]) -> int:
    if given["SET"] != "riscv-tests":
        raise ArgumentError(f"SET={given['SET']} has no published figures; give SET=riscv-tests")
    workers = number(given, "N", os.cpu_count() or 1)
    with during("measuring programs"):
        data = figures.measured(workers, tell=lambda row: print(published_sizes.line(row), flush=True))
    for program, key, ours, told in published_sizes.more(data):
        print(f"more than published: {program}, {key}: {ours:.3f}, published {told:.3f}")
    if flag({"SAVE": "1"} | dict(given), "SAVE"):
        published_sizes.save(data)
        print(f"wrote {', '.join(short(path) for path in published_sizes.FILES)}")
    return 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
