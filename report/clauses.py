# SPDX-License-Identifier: Apache-2.0
"""The clauses of a plan by sections of the specification, for the heat map of a report."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rvtrace.report.results import ClauseRow


def sections(rows: Iterable[ClauseRow]) -> list[tuple[str, list[ClauseRow]]]:
    """The clauses of each section, in the order of the specification: 8.9 before 8.10, names after numbers."""
    found: dict[str, list[ClauseRow]] = {}
    for row in rows:
        found.setdefault(row.clause.section or "no section", []).append(row)
    return [(name, found[name]) for name in sorted(found, key=_place)]


def _place(section: str) -> tuple[bool, list[tuple[int, int, str]]]:
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|[^\d.]+", section)]
    return not section[:1].isdigit(), parts
