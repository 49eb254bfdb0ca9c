# SPDX-License-Identifier: Apache-2.0
"""`make cover`: close the coverage of all systems, or of those that IP= names, and measure the code coverage of their
RTL.

Runs first what is expected to hit most new bins in a second (`rvtrace.flow.cover.plan`), on the builds that tests and
`make` use as well, until every bin that can be reached was hit, SEEDS are used up or the BUDGET is; then few of these
runs on builds that count lines, branches and toggles (`rvtrace.flow.cover.code`). Ends with the holes, each with the
run that is most likely to hit it, and with what changed since the last time. Exits 1 if a hole is left, a run did not
pass, or a bin was hit that the definition calls unreachable.

Goes on where it was interrupted, unless sources or words changed. Leaves in OUT: cover.json
(`rvtrace.flow.cover.data`), history.json, functional and code coverage as Cobertura XML, the functional one as UCIS XML
too, the code's as lcov (code.info).
"""

from __future__ import annotations

import sys
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.cover import data as cover_data
from rvtrace.flow.cover.account import forget
from rvtrace.flow.cover.session import Session, accounts_of, mark_of, minutes
from rvtrace.flow.cover.summary import tell, trend
from rvtrace.flow.jobs import RESULTS
from rvtrace.jobs import front, systems
from rvtrace.jobs.arguments import flag, main_guard, parse
from rvtrace.jobs.builds import ROOT
from rvtrace.report import page

WORDS = {
    "IP": f"systems, joined by commas, default all: {', '.join(systems.NAMES)}",
    "SIM": "verilator (default) or icarus",
    "BUDGET": "minutes after which nothing more is begun, default none",
    "SEEDS": "most random walks of a system, default 400",
    "FIRST": "the first seed, default 1",
    "SIZE": "instructions of each walk, default 20000",
    "N": "processes, default the number of cores",
    "OUT": "folder of what is left, default build/cover",
    "CODE": "0: no code coverage of the RTL",
    "FRESH": "1: begin anew, even if the same was begun before",
    "TREND": "1: run nothing, say what changed between two runs",
    "A": (
        "the run to compare with: a cover.json, the first characters of a revision or date, or a number; default the"
        " one before"
    ),
    "B": "with TREND=1 the run that is compared, default the last",
}


def main(argv: list[str]) -> int:
    """0 if everything ran well and no hole is left, else 1."""
    given = parse(argv, WORDS, "Close the coverage.", ("OUT",))
    out = Path(given.get("OUT", ROOT / "build" / "cover")).resolve()
    if flag(given, "TREND"):
        print("\n".join(trend(out, given).lines()))
        return 0
    before = cover_data.find(out, given["A"]) if "A" in given else next(iter(cover_data.history(out)[-1:]), None)
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    runs = out / "runs" if "OUT" in given else RESULTS / "cover"
    code = sim == "verilator" and flag({"CODE": "1"} | given, "CODE")
    minutes(given)
    mark, accounts = mark_of(given, sim), accounts_of(out, runs, given, sim)
    session = Session(accounts, out, runs, given, sim)
    session.close()
    measured = session.measure() if code else None
    cover = session.leave(measured, before)
    if mark_of(given, sim) != mark:
        forget(out)
        print(
            front.spoken(
                "sources changed while it ran: some runs are of the old ones; the next `make cover` begins anew"
            )
        )
    good = tell(cover, session, out)
    page.write(runs, out / "report" if "OUT" in given else page.OUT / "cover")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main_guard(main))
