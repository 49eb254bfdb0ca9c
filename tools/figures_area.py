# SPDX-License-Identifier: Apache-2.0
"""`rvtrace figures area`: cells, flip-flops and logic depth of the reference RTL by Yosys, as one table; writes
docs/reference/rtl-area.md (rvtrace.flow.synthesis).
"""

from __future__ import annotations

import sys

from rvtrace.flow import synthesis
from rvtrace.flow.progress import Progress
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, main_guard, parse
from rvtrace.jobs.builds import ROOT

WORDS = {"IP": f"only this system, without writing the page: {', '.join(systems.NAMES)}"}


def main(argv: list[str]) -> int:
    """0 if every build was synthesized, else 1."""
    given = parse(argv, WORDS, "Area and depth of the RTL.")
    systems.known(argv)
    rows = synthesis.rows(*([given["IP"]] if "IP" in given else []))
    if not rows:
        there = ", ".join(dict.fromkeys(row.ip for row in synthesis.rows()))
        raise ArgumentError(f"IP={given['IP']} has no row in the table; give one of {there}")
    costs = []
    print(synthesis.HEAD, flush=True)
    with Progress(len(rows), "builds", bad="") as progress:
        for row in rows:
            try:
                cost = synthesis.measured(row)
            except synthesis.SynthesisError as error:
                print(f"RED   {error}")
                return 1
            progress.step()
            costs.append((row, cost))
            print(synthesis.line(row, cost), flush=True)
    if "IP" not in given:
        synthesis.PAGE.write_text(synthesis.page(costs))
        print(f"\nwrote {synthesis.PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main_guard(main))
