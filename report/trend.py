# SPDX-License-Identifier: Apache-2.0
"""How the speed went: what `rvtrace figures speed SAVE=1` kept, as a chart of one system."""

from __future__ import annotations

from pathlib import Path

from rvtrace.flow.perf_figures import KEPT, read
from rvtrace.report.charts import Figure, Line, lines, short


def trend(ip: str, path: Path = KEPT) -> Figure | None:
    """Every figure of a system over the commits at which it was measured; None if none was kept. ArgumentError if the
    file is damaged.
    """
    kept = read(path).get(ip, {})
    if not kept:
        return None
    found = [
        Line(name, tuple((f"{commit}, {day}", value) for commit, day, value in rows))
        for name, rows in sorted(kept.items())
        if rows
    ]
    return Figure(
        "Trend",
        "What `rvtrace figures speed SAVE=1` measured, commit by commit, each figure on its own scale from 0. Ratios"
        " can be compared between machines, rates cannot.",
        lines(found),
        ("Figure", "first", "last", "at"),
        tuple((one.name, short(one.points[0][1]), short(one.points[-1][1]), one.points[-1][0]) for one in found),
    )
