"""`make sizes`: bits per instruction of every system that makes a trace, over the same programs, side by side; as Markdown, for the README.

Runs each recorded program with each encoding and with what makes every trace longer (tools/systems/*.py). Bytes of E-Trace are counted twice: the
payloads alone, which is what the published figures are, and with the transport's header, without which no packet can be told from the next.
"""

from __future__ import annotations

import os
import shutil
import sys
from dataclasses import replace
from pathlib import Path

from tools import bits, simulators, systems
from tools.arguments import main_guard, number, parse
from tools.jobs import RESULTS, run_all, trouble
from tools.sim import SimError

WORDS = {"SIM": "verilator (default) or icarus", "N": "processes, default the number of cores", "OUT": "folder of the results"}


def main(argv: list[str]) -> int:
    """0 if all runs passed."""
    given = parse(argv, WORDS, "Bits per instruction of all systems.")
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    out = Path(given.get("OUT", RESULTS / "sizes"))
    shutil.rmtree(out, ignore_errors=True)
    side, single = {}, {}
    for system in map(systems.find, systems.NAMES):
        if system.sizes is None:
            continue
        results = run_all(system.measured(), sim, out / system.ip, lambda result: None, number(given, "N", os.cpu_count() or 1))
        if bad := [result for result in results if result["verdict"] != "PASS"]:
            raise SimError(f"nothing was measured: {trouble(bad[0])}")
        single[system.title] = bits.Table.of(system.sizes, results)
        whole = replace(system.sizes, measure=system.whole)
        side[system.title] = bits.Table.of(whole, results)
    for title, table in single.items():
        print(f"{title}, bits per instruction\n\n{table.markdown()}\n")
    print(f"Side by side, transport included\n\n{bits.beside(side)}")
    return 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
