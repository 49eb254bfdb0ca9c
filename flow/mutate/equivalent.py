# SPDX-License-Identifier: Apache-2.0
"""tests/<ip>/equivalent.toml and, for Python, equivalent_checks.toml: mutants that no check can kill, each with the
reason.

    [[equivalent]]
    file = "ctr/ctr_record.sv"
    original = "8'd1) & last_i;"
    mutated = "8'd3) & last_i;"
    reason = "..."

A row is of every mutant of its file that makes of the line or lines of `original` those of `mutated`; white space does
not count. Where a line occurs more than once, `near` names a text of the lines before, and `previous` the one directly
before it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from rvtrace.jobs.builds import ROOT

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

RTL, CHECKS = "equivalent.toml", "equivalent_checks.toml"
_KEYS = ("file", "original", "mutated", "reason")
_MORE = ("near", "previous", "proof")


class EquivalentError(ValueError):
    """A row that cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Equivalent:
    """One row. near: a text before it, previous: the text that ends where it begins, "" for any. proof: "yosys" where
    Yosys proved it once.
    """

    file: str
    original: str
    mutated: str
    reason: str
    near: str = ""
    previous: str = ""
    proof: str = ""


class Mutant(Protocol):
    """A change of a file, of the RTL or of Python."""

    @property
    def file(self) -> str: ...

    @property
    def span(self) -> tuple[int, int]: ...

    def applied(self, text: str) -> str: ...


def path_of(ip: str, name: str = RTL) -> Path:
    """The file of a system. name: RTL or CHECKS."""
    return ROOT / "tests" / ip / name


def load(path: Path) -> list[Equivalent]:
    """The rows of a file, none if there is no such file; EquivalentError."""
    if not path.exists():
        return []
    try:
        rows: list[dict[str, Any]] = tomllib.loads(path.read_text()).get("equivalent", [])
    except tomllib.TOMLDecodeError as error:
        raise EquivalentError(f"{path}: {error}") from None
    found = []
    for number, row in enumerate(rows, 1):
        missing = [key for key in _KEYS if not isinstance(row.get(key), str) or not row[key].strip()]
        unknown = [key for key in row if key not in (*_KEYS, *_MORE)]
        if missing or unknown:
            what = f"has no {missing[0]}" if missing else f"has the unknown key {unknown[0]}"
            raise EquivalentError(f"{path}: row {number} {what}; a row has {', '.join(_KEYS)}")
        found.append(Equivalent(**row))
    return found


def changed_lines(mutant: Mutant, text: str) -> tuple[str, str, int]:
    """The whole lines that a mutant changes, before and after, and the offset of the first."""
    start, end = mutant.span
    begin = text.rfind("\n", 0, start) + 1
    stop = text.find("\n", end)
    stop = len(text) if stop < 0 else stop
    after = mutant.applied(text)
    return text[begin:stop], after[begin : len(after) - (len(text) - stop)], begin


def row_of(mutant: Mutant, text: str, rows: Iterable[Equivalent]) -> Equivalent | None:
    """The row that settles a mutant."""
    before, after, offset = changed_lines(mutant, text)
    ahead = _bare(text[max(0, offset - 4000) : offset])
    for row in rows:
        same = row.file == mutant.file and _bare(row.original) == _bare(before) and _bare(row.mutated) == _bare(after)
        if same and _bare(row.near) in ahead and ahead.endswith(_bare(row.previous)):
            return row
    return None


def stale(rows: Iterable[Equivalent], texts: dict[str, str], name: str = RTL) -> list[str]:
    """A sentence for each row whose text its file no longer has. name: of the file of rows."""
    bare = {name: _bare(text) for name, text in texts.items()}
    return [
        f"{row.file} has no {row.original.strip()!r} any more; remove its row of {name}, or correct it"
        for row in rows
        if _bare(row.original) not in bare.get(row.file, "")
    ]


def suggested(mutant: Mutant, text: str) -> str:
    """The row to add for a mutant, with a reason to be written."""
    before, after, _ = changed_lines(mutant, text)
    return "\n".join(
        ["[[equivalent]]", f'file = "{mutant.file}"', f"original = {_quoted(before)}", f"mutated = {_quoted(after)}",
         'reason = ""'],
    )  # fmt: skip


def _quoted(text: str) -> str:
    text = text.strip()
    return f"'''{text}'''" if "\n" in text or "'" in text else f"'{text}'"


def _bare(text: str) -> str:
    return "".join(text.split())
