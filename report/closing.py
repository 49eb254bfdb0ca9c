# SPDX-License-Identifier: Apache-2.0
"""How the clauses that were not run can be: few steps, each with the clauses that it would close."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol

from rvtrace.jobs import front
from rvtrace.scoreboards.common.clauses import Clause

_RTL, _RETIRED, _LATER = "`make check DUT=`", "give RETIRED=", "later"  # in reasons, as front.spoken has them
_NAMED = 4  # options or situations that a sentence names


class Row(Protocol):
    """A clause and why it was not run."""

    @property
    def id(self) -> str: ...

    @property
    def clause(self) -> Clause: ...

    @property
    def reason(self) -> str: ...


@dataclass(frozen=True)
class Step:
    """head: what to do. parts: its options or situations, each with the clauses that it closes. rows: all clauses that
    the step closes. possible: whether a user can do it.
    """

    head: str
    parts: dict[str, list[Row]]
    rows: list[Row]
    possible: bool = True

    def line(self, of: int) -> str:
        """What to do, and how many it closes of all that were not run."""
        names = list(self.parts)
        more = len(names) - _NAMED
        named = ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        return f"{self.head} {len(self.rows)} of {of}" + (f": {named}" if named else "")


def steps(not_run: Iterable[Row]) -> list[Step]:
    """What closes the clauses that were not run, the step that closes most first; each clause is in one of them."""
    groups: dict[str, list[Row]] = {}
    for row in not_run:
        groups.setdefault(_kind(row), []).append(row)
    made = [_step(kind, rows) for kind, rows in groups.items()]
    return sorted(made, key=lambda step: (not step.possible, -len(step.rows)))


def _kind(row: Row) -> str:
    if row.clause.status == "later":
        return _LATER
    if front.spoken(_RTL) in row.reason:
        return _RTL
    if front.spoken(_RETIRED) in row.reason:
        return _RETIRED
    if row.clause.needs:
        return "options"
    return "situations" if _situations(row) else "other"


def _step(kind: str, rows: list[Row]) -> Step:
    if kind == _LATER:
        return Step("No check of this version reaches", {}, rows, possible=False)
    if kind == _RTL:
        return Step(front.spoken(f"A check of the RTL, which sees the ports ({_RTL}), closes"), {}, rows)
    if kind == _RETIRED:
        return Step(front.spoken("The retire stream of the hart (RETIRED=) closes"), {}, rows)
    if kind == "options":
        parts = _fewest(rows, _options)
        values: dict[str, int] = {}
        for name in parts:
            values[name.partition(" = ")[0]] = values.get(name.partition(" = ")[0], 0) + 1
        captures = max(values.values())  # one has all options, unless an option has to have several values
        return Step(f"{captures} run{'s' * (captures > 1)} with other options {_close(captures)}", parts, rows)
    if kind == "situations":
        parts = _fewest(rows, _situations)
        return Step(f"Programs with {len(parts)} situation{'s' * (len(parts) > 1)} close", parts, rows)
    return Step("Longer runs, or other programs, close", _fewest(rows, lambda row: [row.clause.chapter]), rows)


def _close(n: int) -> str:
    return "closes" if n == 1 else "close"


def _fewest(rows: Iterable[Row], names_of: Callable[[Row], list[str]]) -> dict[str, list[Row]]:
    """Few names so that each row has one of its own, the name that most of the rows left have before the others."""
    left, found = list(rows), {}
    while left:
        having: dict[str, list[Row]] = {}
        for row in left:
            for name in names_of(row):
                having.setdefault(name, []).append(row)
        name = max(having, key=lambda name: len(having[name]))
        found[name] = having[name]
        left = [row for row in left if not any(row is one for one in having[name])]
    return found


def _options(row: Row) -> list[str]:
    """The option that a clause needs, the rarest of several, which is the last that the plan names."""
    name, _, value = row.clause.needs[-1].split("|")[0].partition("=")
    if name.endswith("!"):
        return [f"{name[:-1].replace('_', ' ')} other than {value}"]
    return [name.replace("_", " ") + (f" = {value}" if value else "")]


def _situations(row: Row) -> list[str]:
    found = (test.partition(":") for test in row.clause.tests)
    return [name.replace("_", " ") for kind, _, name in found if kind == "scenario"]
