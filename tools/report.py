# SPDX-License-Identifier: Apache-2.0
"""One HTML page about everything that was run: `make report`, or of one folder `make report IN=build/results/run`.

Reads every result.json below IN and writes OUT/index.html (self-contained; a page of all systems begins with a
comparison) and OUT/coverage (for existing viewers). Exits 1 if the verdict is not PASS: a failed or broken run, an
unreadable result, nothing run at all; or if a goal of GOALS= is missed. `LIST=coverage` prints the coverage points
instead, as Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rvtrace.flow.regress import history
from rvtrace.jobs.arguments import ArgumentError, json_of, main_guard, parse
from rvtrace.jobs.builds import ROOT
from rvtrace.report import coverage_points, dashboard, goals, junit, page
from rvtrace.tools import report_kept

WORDS = {
    "IN": "folder with result.json files at any depth (default build/results)",
    "OUT": "folder to write (default build/report)",
    "COVER": (
        "cover.json of `make cover`, for code coverage and trend (default build/cover/cover.json if everything is"
        " reported)"
    ),
    "PLAN": "folder with the plans <ip>.toml (default tests/plan)",
    "JUNIT": junit.WORD,
    "GOALS": goals.WORD,
    "JSON": dashboard.WORD,
    "LIST": "results: only list what is below build/, or coverage: the coverage points as Markdown",
    "KEEP": report_kept.WORDS["KEEP"],
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    given = parse(argv, WORDS, "Write the report.", ("OUT", "JUNIT", "JSON"))
    if given.get("LIST") == "results":
        return report_kept.main([])
    if "LIST" in given:
        if given["LIST"] != "coverage":
            raise ArgumentError(f"LIST={given['LIST']} is not known; give LIST=results or LIST=coverage")
        print(coverage_points.markdown())
        return 0
    results, out = Path(given.get("IN", "build/results")), Path(given.get("OUT", page.OUT))
    regressions = None if "IN" in given else history.PLACE
    plans, cover = Path(given.get("PLAN", page.PLANS)), _cover(given)
    junit_file = given.get("JUNIT")
    asked = goals.read(Path(given["GOALS"]), plans) if "GOALS" in given else []
    passed = page.write(
        results, out, plans, cover, junit_file=junit_file, regressions=regressions, goals=asked,
        json_file=given.get("JSON"),
    )  # fmt: skip
    return 0 if passed else 1


def _cover(given: Mapping[str, str]) -> dict[str, Any] | None:
    """The cover.json that was named, or that of the last `make cover` for a page about everything; ArgumentError if it
    cannot be used.
    """
    path = Path(given.get("COVER", ROOT / "build" / "cover" / "cover.json"))
    if "COVER" not in given and ("IN" in given or not path.exists()):
        return None
    try:
        cover = json_of(path.read_text())
        return {key: cover[key] for key in ("written", "revision", "closed", "systems", "code", "trend")}
    except (OSError, ValueError, KeyError, TypeError):
        raise ArgumentError(f"COVER={path} is no cover.json; give one that `make cover` has left") from None


if __name__ == "__main__":
    main_guard(main)
