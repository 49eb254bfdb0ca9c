# SPDX-License-Identifier: Apache-2.0
"""tests/<ip>/equivalent.toml: mutants that no check can kill, each with the reason (rvtrace.flow.faults.rows).

A row is of every mutant of its file that makes of the line or lines that go those that take their place; white space
does not count. Where a line occurs more than once, a line of context before it, or `near`, says which is meant.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Protocol

from rvtrace.flow.faults.rows import Edit, Fault, load
from rvtrace.jobs.builds import ROOT

FILE = "equivalent.toml"
_NEAR = 4000  # characters before a place in which `near` is looked for


class Mutant(Protocol):
    """A change of one file."""

    @property
    def file(self) -> str: ...

    @property
    def span(self) -> tuple[int, int]: ...

    def applied(self, text: str) -> str: ...


def rows(ip: str) -> list[Fault]:
    """Those of a system, none if it has no file; FaultError."""
    path = path_of(ip)
    return list(load(path, ip, ("equivalent",)).values()) if path.exists() else []


def path_of(ip: str) -> Path:
    """The file of a system."""
    return ROOT / "tests" / ip / FILE


def changed_lines(mutant: Mutant, text: str) -> tuple[str, str, int]:
    """The whole lines that a mutant changes, before and after, and the offset of the first."""
    start, end = mutant.span
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    after = mutant.applied(text)
    return text[begin:stop], after[begin : len(after) - (len(text) - stop)], begin


def row_of(mutant: Mutant, text: str, listed: Iterable[Fault]) -> Fault | None:
    """The row that settles a mutant."""
    before, after, offset = changed_lines(mutant, text)
    ahead = _bare(text[max(0, offset - _NEAR) : offset])
    for row in listed:
        edit = row.edits[0]
        lead, *same = (_bare(one) for one in _pieces(edit))
        changes = edit.file == mutant.file and same == [_bare(before), _bare(after)]
        if changes and _bare(row.near) in ahead and ahead.endswith(lead):
            return row
    return None


def _pieces(edit: Edit) -> tuple[str, str, str]:
    """The text before the change, what goes, and what takes its place."""
    return edit.before[: edit.lead], edit.before[edit.lead :], edit.after[edit.lead :]


def stale(listed: Iterable[Fault], texts: dict[str, str]) -> list[str]:
    """A sentence for each row whose text its file no longer has."""
    bare = {name: _bare(text) for name, text in texts.items()}
    return [
        f"{edit.file} has no {_pieces(edit)[1].strip()!r} any more; remove {row.name} of {FILE}, or correct it"
        for row in listed
        for edit in row.edits
        if _bare(_pieces(edit)[1]) not in bare.get(edit.file, "")
    ]


def suggested(mutant: Mutant, text: str, name: str = "name") -> str:
    """The row to add for a mutant, with a name and a reason to be written."""
    before, after, _ = changed_lines(mutant, text)
    lines = [f"- {line.strip()}" for line in before.splitlines()] + [f"+ {line.strip()}" for line in after.splitlines()]
    return "\n".join([f'["{mutant.file}"]', f"{name} = {{ equivalent = \"\", change = '''", *lines]) + "''' }"


def _bare(text: str) -> str:
    return "".join(text.split())
