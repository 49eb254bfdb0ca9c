# SPDX-License-Identifier: Apache-2.0
"""Campaigns of mutants of models and scoreboards together, as docs/reference/mutation-checks.md.

write_docs(["adapter", "ctr"])      # what build/mutate-checks has of them goes into data/mutation_checks.json first
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from rvtrace.flow.mutate.check_campaign import path_of
from rvtrace.jobs.builds import ROOT

PAGE = ROOT / "docs" / "reference" / "mutation-checks.md"
DATA = ROOT / "data" / "mutation_checks.json"
_HEAD = """# Mutation of the checks

`make mutate-checks` changes the Python of the models and scoreboards at random places, one small change at a time, and
tries on each the unit tests that call the function. A mutant that no test notices points at a test that is missing, or
it is *equivalent*: it makes no difference, and tests/&lt;ip&gt;/equivalent_checks.toml says why.
`make mutate-checks DOCS=1` writes this page;
[find-missing-checks](../how-to/find-missing-checks.md#the-checks-themselves) says how to use it.

*Noticed* is the share of the mutants that are not equivalent. Tests that simulate are not among those that are tried:
what only they would notice counts as missed. *Not called* are those of the missed whose function no unit test calls.

"""


def percent(part: int, whole: int) -> str:
    """95.0 %; 100 % of nothing."""
    return f"{100 * part / whole:.1f} %" if whole else "100 %"


def summary(result: dict[str, Any]) -> dict[str, Any]:
    """The figures of one campaign, from what it left."""
    rows = result["mutants"]
    return {
        "ip": result["ip"],
        "date": result["date"],
        "command": result["command"],
        "total": _counts(rows),
        "files": {name: _counts(row for row in rows if row["file"] == name) for name in _names(rows, "file")},
        "operators": {
            name: _counts(row for row in rows if row["operator"] == name) for name in _names(rows, "operator")
        },
    }


def _names(rows: list[dict[str, Any]], key: str) -> list[str]:
    return sorted({row[key] for row in rows})


def _counts(rows: Iterable[dict[str, Any]]) -> dict[str, int]:
    rows = list(rows)
    noticed = sum(bool(row["by"]) for row in rows)
    equivalent = sum(not row["by"] and bool(row["reason"]) for row in rows)
    idle = sum(not row["by"] and not row["reason"] and not row["tried"] for row in rows)
    missed = len(rows) - noticed - equivalent
    return {"mutants": len(rows), "noticed": noticed, "equivalent": equivalent, "missed": missed, "not called": idle}


def write_docs(systems: Iterable[str]) -> Path:
    """The page, with the campaigns that were run here to their end in place of those that the data had."""
    kept = {row["ip"]: row for row in json.loads(DATA.read_text())} if DATA.exists() else {}
    for ip in systems:
        result = json.loads(path_of(ip).read_text()) if path_of(ip).exists() else {}
        if result and len(result["mutants"]) == result.get("chosen", len(result["mutants"])):
            kept[ip] = summary(result)
    campaigns = [kept[ip] for ip in sorted(kept)]
    DATA.write_text(json.dumps(campaigns, indent=1) + "\n")
    PAGE.write_text(page(campaigns))
    return PAGE


def page(campaigns: list[dict[str, Any]]) -> str:
    """The text of the page."""
    together: Counter[str] = Counter()
    operators: dict[str, Counter[str]] = {}
    for one in campaigns:
        together.update(one["total"])
        for name, counts in one["operators"].items():
            operators.setdefault(name, Counter()).update(counts)
    lines = [*_title("system"), *(_line(one["ip"], one["total"]) for one in campaigns), _line("all", together), ""]
    lines += ["Run with", "", "```"]
    lines += [f"{one['command']}  # {one['date']}" for one in campaigns]
    lines += ["```", "", "## By operator", "", *_title("operator")]
    lines += [_line(name, operators[name]) for name in sorted(operators)]
    lines += ["", "## By file", "", *_title("file")]
    lines += [_line(name, counts) for one in campaigns for name, counts in one["files"].items()]
    return _HEAD + "\n".join(lines) + "\n"


def _title(what: str) -> list[str]:
    names = (what, "mutants", "equivalent", "noticed", "missed", "not called")
    return [f"| {' | '.join(names)} |", f"|{' --- |' * len(names)}"]


def _line(name: str, counts: dict[str, int] | Counter[str]) -> str:
    share = percent(counts["noticed"], counts["mutants"] - counts["equivalent"])
    cells = (counts["mutants"], counts["equivalent"], f"{counts['noticed']} ({share})", counts["missed"],
             counts["not called"])  # fmt: skip
    return f"| {name} | {' | '.join(map(str, cells))} |"
