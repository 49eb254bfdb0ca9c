# SPDX-License-Identifier: Apache-2.0
"""`make report LIST=results`: what there is in build/results and build/compliance, when it was written, how big it is
and how it ended; then the last regressions, system by system. `make report KEEP=30d` removes what is older, and never
what is not a result (rvtrace.flow.results).
"""

from __future__ import annotations

import time

from rvtrace.flow import results
from rvtrace.flow.progress import during
from rvtrace.flow.regress import history as regressions
from rvtrace.jobs.arguments import main_guard, parse, typed
from rvtrace.jobs.builds import ROOT
from rvtrace.report import history

WORDS = {"KEEP": "remove what is older than so many days (30d), hours (12h) or weeks (2w)"}


def main(argv: list[str]) -> int:
    """List, or remove and list what was removed."""
    given = parse(argv, WORDS, "List results, or remove old ones.")
    seconds = results.age(given["KEEP"]) if "KEEP" in given else None
    with during("reading results"):
        found = results.found()
    if not found:
        print("there are no results below build/; run something first, for instance `make`")
        return 0
    if seconds is None:
        print("\n".join(kept.line(ROOT) for kept in found))
        print(f"{_count(found)}, {results.size(sum(kept.size for kept in found))}")
        if entries := regressions.read(regressions.PLACE):
            print("\n".join(["", "regressions, the newest last:", *history.text(entries)]))
            print(f"as charts: {typed('report', {})}, under Regressions")
        return 0
    removed, left = results.clean(found, seconds, time.time())
    for kept in removed:
        print(f"removed   {kept.line(ROOT)}")
    for kept, why in left:
        print(f"left      {kept.path.relative_to(ROOT)}: {why}")
    print(f"{_count(removed)} removed, {results.size(sum(kept.size for kept in removed))}")
    return 0


def _count(some: list[results.Kept]) -> str:
    return f"{len(some)} result{'s' * (len(some) != 1)}"


if __name__ == "__main__":
    main_guard(main)
