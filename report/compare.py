# SPDX-License-Identifier: Apache-2.0
"""What changed between two compliance reports, as Markdown.

The clauses whose verdict changed from A to B, worse ones first. Worse is what fails in B and did not in A, and what was
looked at in A and is not any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

ABSENT = "-"  # the report has no such clause
FAILS, LOOKED_AT = ("FAIL", "WAIVED"), ("PASS", "FAIL", "WAIVED")
KINDS = (("Worse", "worse"), ("Better", "better"), ("Otherwise", "otherwise"))


class Change(NamedTuple):
    """A clause whose verdict changed. kind: worse, better or otherwise. note: why, if the verdicts do not show it."""

    id: str
    before: str
    after: str
    kind: str
    note: str


def kind_of(before: str, after: str) -> str:
    """How a change of verdict is to be taken. What a finding hid may fail once that is repaired: nothing got worse."""
    if (before, after) == ("NOT JUDGED", "FAIL"):
        return "otherwise"
    if after == "FAIL" or before == "PASS" or (before in FAILS and after not in LOOKED_AT):
        return "worse"
    return "better" if after == "PASS" else "otherwise"


def changes(a: dict[str, Any], b: dict[str, Any]) -> list[Change]:
    """In the order of B's plan, then what only A has."""
    old, new = ({row["id"]: row for row in report["clauses"]} for report in (a, b))
    found = []
    for name in [*new, *(name for name in old if name not in new)]:
        before, after = (rows[name]["verdict"] if name in rows else ABSENT for rows in (old, new))
        if before != after and {before, after} != {ABSENT, "NOT-RUN"} and {before, after} != {ABSENT, "N/A"}:
            found.append(Change(name, before, after, kind_of(before, after), _note(new.get(name), before, after)))
    return found


def _note(row: dict[str, Any] | None, before: str, after: str) -> str:
    if row is None:
        return "not in the report any more"
    if after in FAILS:
        return str((row.get("first") or {}).get("headline", "")) + (
            f"; waived: {row.get('reason', '')}" if after == "WAIVED" else ""
        )
    if after in ("NOT JUDGED", "NOT-RUN", "N/A"):
        return str(row.get("reason", ""))
    return f"{row['checked']:,} checks" if before in FAILS else ""


def text(a: dict[str, Any], b: dict[str, Any]) -> str:
    """The comparison as Markdown."""
    found = changes(a, b)
    lines = [f"# {b['subject']['title']}: {a['subject']['name']} to {b['subject']['name']}", ""]
    counts = a["counts"], b["counts"]
    lines += ["| | A | B |", "| --- | ---: | ---: |", f"| verdict | {a['verdict']} | {b['verdict']} |"]
    lines += [
        f"| {verdict} | {counts[0].get(verdict, 0)} | {counts[1].get(verdict, 0)} |"
        for verdict in dict.fromkeys([*counts[0], *counts[1]])
    ]
    lines += [
        f"| checks | {a['checked']:,} | {b['checked']:,} |",
        f"| runs in error | {len(a['errors'])} | {len(b['errors'])} |",
        "",
    ]
    for title, kind in KINDS:
        of = [change for change in found if change.kind == kind]
        if of:
            lines += [f"## {title}: {len(of)}", "", "| clause | A | B | |", "| --- | --- | --- | --- |"]
            lines += [f"| {c.id} | {c.before} | {c.after} | {_cell(c.note)} |" for c in of] + [""]
    return "\n".join([*lines, _closing(found, a, b)])


def _cell(note: str) -> str:
    return " ".join(note.split()).replace("|", "\\|")


def worse(found: Iterable[Change], a: dict[str, Any], b: dict[str, Any]) -> bool:
    """Whether B is worse than A: in a clause, or as a whole (a run in error, evidence that cannot be used)."""
    return (
        any(change.kind == "worse" for change in found)
        or (a["verdict"] == "PASS" and b["verdict"] != "PASS")
        or len(b["errors"]) > len(a["errors"])
    )


def _closing(found: list[Change], a: dict[str, Any], b: dict[str, Any]) -> str:
    n = {kind: sum(change.kind == kind for change in found) for _, kind in KINDS}
    if not found and not worse(found, a, b):
        return f"SAME  the verdicts of all {len(b['clauses'])} clauses are the same."
    word = "WORSE" if worse(found, a, b) else "BETTER" if n["better"] else "CHANGED"
    more = (
        f"; runs in error: A {len(a['errors'])}, B {len(b['errors'])}" if len(a["errors"]) != len(b["errors"]) else ""
    )
    return f"{word}  {n['worse']} clauses worse, {n['better']} better, {n['otherwise']} otherwise{more}."
