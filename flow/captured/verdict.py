# SPDX-License-Identifier: Apache-2.0
"""What the checks of captures share: tolerances and the budget of a search from a command line, and the clause table
in the terminal.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import fields, replace
from typing import Any

from rvtrace.jobs.arguments import number
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.diagnosis import budget

SEARCH = {"SEARCH": budget.WORD}


def searched(given: Mapping[str, str]) -> AbstractContextManager[None]:
    """Within it a search for the cause takes at most what the words say."""
    return budget.limited(number(given, "SEARCH") if "SEARCH" in given else None)


def tolerance_words(tolerances: Any, ip: str) -> dict[str, str]:
    """The tolerances of a system as words of a command line."""
    return {f.name.upper(): f"tolerance, see scoreboards/{ip}/tolerances.py" for f in fields(tolerances)}


def tolerances_of(tolerances: Any, given: Mapping[str, str], exact: bool) -> Any:
    """The tolerances, each as given, else: the reference's (exact), else what the specification leaves open."""
    return replace(tolerances() if exact else tolerances.free(), **tolerances_in(tolerances, given))


def tolerances_in(tolerances: Any, given: Mapping[str, str]) -> dict[str, Any]:
    """Those that the words of a command line name, by their names."""
    base = tolerances.free()
    chosen: dict[str, Any] = {}
    for f in fields(base):
        if (text := given.get(f.name.upper())) is not None:
            kind = type(getattr(base, f.name))
            chosen[f.name] = text if kind is str else kind(number(given, f.name.upper()))
    return chosen


def table(verdict: Any, known: Plan | None) -> list[str]:
    """A line for each clause checked, those that failed first."""
    results = verdict.book.results()
    lines = [f"{'clause':<28} {'verdict':<7} {'checked':>9} {'failed':>7}  requirement"]
    for name, (checked, failed) in sorted(results.items(), key=lambda item: item[1][1] == 0):
        what = known[name].what if known is not None and name in known else ""
        lines.append(f"{name:<28} {'FAIL' if failed else 'PASS':<7} {checked:>9,} {failed:>7,}  {what}".rstrip())
    if known is not None:
        missing = sum(v == "NOT-RUN" for v in known.verdicts(results).values())
        lines.append(f"{missing} of {len(known.clauses)} clauses of the plan: NOT-RUN, this trace did not meet them")
    return lines
