# SPDX-License-Identifier: Apache-2.0
"""A report in a page of Markdown, for the pages of a hosted CI: the verdict, a row for each system, the first failures.

`leave` writes summary.md, and appends it to the file that $GITHUB_STEP_SUMMARY names, if it names one.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rvtrace.jobs import files
from rvtrace.report.compliance_model import VERDICTS, Compliance

if TYPE_CHECKING:
    from rvtrace.report.results import Report

FILE = "summary.md"
_SHOWN = 10  # failures
_LINES = 30  # of each failure


def of_reports(
    title: str, passed: bool, sentences: Sequence[str], reports: Iterable[Report], titles: Mapping[str, str]
) -> str:
    """That of runs. titles: of systems, by their names."""
    reports = list(reports)
    rows = [
        [
            titles[r.ip],
            _mark(r.passed),
            f"{r.verdicts['PASS']} of {len(r.results)}",
            f"{r.clause_count('PASS')} of {len(r.clauses)}",
            str(r.clause_count("FAIL")),
            str(r.clause_count("NOT-RUN")),
            f"{sum(row.checked for row in r.clauses):,}",
            f"{r.definition.percent(r.coverage):.1f} %" if r.definition else "",
        ]
        for r in reports
    ]
    head = ["system", "verdict", "runs passed", "clauses held", "failed", "not run", "checks", "coverage"]
    lines = [f"## {_mark(passed)}: {title}", "", *(cell(text) + "  " for text in sentences), "", *table(head, rows)]
    buckets = [bucket for r in reports for bucket in r.buckets]
    for bucket in buckets[:_SHOWN]:
        lines += failure(f"{bucket.clause}: {bucket.headline}", bucket.text, bucket.rerun)
    if len(buckets) > _SHOWN:
        lines += ["", f"And {len(buckets) - _SHOWN} more kinds of failures."]
    return "\n".join([*lines, ""])


def of_compliance(compliance: Compliance) -> str:
    """That of a device."""
    c = compliance
    title = f"{c.subject.name}, {c.subject.title}"
    counts = [[str(c.counts[verdict]) for verdict in VERDICTS]]
    lines = [f"## {c.verdict}: {cell(title)}", "", cell(c.sentence), "", *table(VERDICTS, counts)]
    found = c.found("FAIL")
    for finding in found[:_SHOWN]:
        lines += failure(f"{finding.id}: {finding.first.headline}", finding.text(), finding.first.rerun)
    if len(found) > _SHOWN:
        lines += ["", f"And {len(found) - _SHOWN} more findings."]
    return "\n".join([*lines, ""])


def leave(text: str, folder: Path) -> None:
    """Write it, and append it to the page of a hosted job."""
    files.write(folder / FILE, text)
    if page := os.environ.get("GITHUB_STEP_SUMMARY"):
        try:
            with open(page, "a", encoding="utf-8") as file:
                file.write(text + "\n")
        except OSError as error:
            print(f"note: GITHUB_STEP_SUMMARY={page} cannot be written ({error.strerror})", file=sys.stderr)


def failure(headline: str, text: str, rerun: str) -> list[str]:
    """One failure, folded."""
    shown = text.splitlines()
    more = [f"... and {len(shown) - _LINES} more lines"] if len(shown) > _LINES else []
    again = [f"  rerun     {rerun}"] if rerun and rerun not in "\n".join(shown[:_LINES]) else []
    body = [*shown[:_LINES], *more, *again]
    fence = "`" * max([3, *(len(part) + 1 for line in body for part in _ticks(line))])
    return ["", f"<details><summary>{_html(headline)}</summary>", "", fence, *body, fence, "", "</details>"]


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> list[str]:
    """A table of Markdown; the first column is text, the others are numbers."""
    lines = [head, ["---", *["---:"] * (len(head) - 1)], *([cell(text) for text in row] for row in rows)]
    return [f"| {' | '.join(line)} |" for line in lines]


def cell(text: str) -> str:
    """A text without what Markdown or HTML would take for something else."""
    return _html(" ".join(text.split())).replace("|", "\\|").replace("*", "\\*").replace("_", "\\_")


def _html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _ticks(line: str) -> list[str]:
    """The runs of backquotes in a line."""
    return [part for part in "".join(c if c == "`" else " " for c in line).split() if part]


def _mark(passed: bool) -> str:
    return "PASS" if passed else "FAIL"
