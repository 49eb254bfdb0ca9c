# SPDX-License-Identifier: Apache-2.0
"""The runs of a report as cells: one for each run, those of a stimulus in a row, with the seconds that they took."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from rvtrace.report.charts import Bar, bars
from rvtrace.report.results import Report

_CELLS = 200  # of a row


@dataclass(frozen=True)
class Cell:
    """One run: its verdict, what is said of it, and its seconds."""

    verdict: str
    text: str
    seconds: float


@dataclass(frozen=True)
class RunRow:
    """The runs of one stimulus, those that did not pass first. more: runs without a cell. share: of the seconds of the
    longest row, in percent.
    """

    source: str
    cells: list[Cell]
    more: int
    seconds: float
    share: float


def rows(report: Report) -> list[RunRow]:
    """A row for each stimulus, in the order of the report."""
    by_source: dict[str, list[Cell]] = {}
    for result in report.results:
        by_source.setdefault(result["source"], []).append(_cell(result))
    sums = {source: sum(cell.seconds for cell in cells) for source, cells in by_source.items()}
    most = max(sums.values(), default=0.0) or 1.0
    found = []
    for one in report.sources:
        cells = sorted(by_source[one.source], key=lambda cell: cell.verdict == "PASS")
        seconds = sums[one.source]
        found.append(RunRow(one.source, cells[:_CELLS], len(cells[_CELLS:]), seconds, 100 * seconds / most))
    return found


def _cell(result: dict[str, Any]) -> Cell:
    seconds = float(result["stats"].get("seconds", {}).get("total", 0.0))
    return Cell(
        result["verdict"], f"{result['name']}, seed {result['seed']}: {result['verdict']}, {seconds:.1f} s", seconds
    )


def speeds(report: Report) -> Markup:
    """What each simulator and drive played in a second, as bars."""
    return bars([Bar(f"{row.sim}, {row.drive}", row.rate, kind=0) for row in report.speed], digits=0)
