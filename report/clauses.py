# SPDX-License-Identifier: Apache-2.0
"""The clauses of a plan by chapters of the specification, for the lists of reports."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol, TypeVar

from rvtrace.scoreboards.common.clauses import PROFILE, RULINGS, Clause


class _OfClause(Protocol):
    @property
    def clause(self) -> Clause: ...


Row = TypeVar("Row", bound=_OfClause)


def _place(section: str) -> tuple[bool, list[tuple[int, int, str]]]:
    parts = [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|[^\d.]+", section)]
    return not section[:1].isdigit(), parts


def chapter(clause: Clause) -> str:
    """The title under which a report has a clause."""
    return clause.chapter or clause.section or "Not in the plan"


def chapters(rows: Iterable[Row]) -> list[tuple[str, list[Row]]]:
    """The clauses of each chapter of the specification, in its order; the rulings and our own profile come last."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(chapter(row.clause), []).append(row)
    named = [name for name in found if name not in (PROFILE, RULINGS)]
    if all(name[:1].isdigit() for name in named):
        named.sort(key=_place)
    return [(name, found[name]) for name in (*named, PROFILE, RULINGS) if name in found]
