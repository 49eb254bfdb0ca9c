# SPDX-License-Identifier: Apache-2.0
"""A fault, and the one format of files that have some: tests/<ip>/mutants.toml, equivalent.toml,
tests/<ip>/duts/<name>/deviations.toml, flow/cores/mutants/<core>.toml.

    [defaults]                          # of each row that does not have the key
    run = "random"

    ["hpm/hpm_counter.sv"]              # the file that the rows change
    counts_on_write = { clause = "HPM.write.wins", why = "The increment is added to the written value.", change = '''
    - counter_d = we_i ? wdata_i : sum;
    + counter_d = we_i ? wdata_i + 1 : sum;''' }

`change` is a diff: "- " begins what goes, "+ " what takes its place, two blanks what stays. What goes and stays is text
that occurs once in the file; it may begin and end inside a line. A line "@" begins another place of the same file, and
"@ <file>" one of another file: all are changed at once.

clause and run are one text, or a list of them. Which of the other keys a row has depends on who runs it; `Fault` says
what they mean.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.names import NAMES

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

FIRMWARE = "models/"
_LISTS = {"clause": "clauses", "run": "runs"}  # keys that are one text or several


class FaultError(ValueError):
    """A fault that cannot be used; the text says which and why."""


@dataclass(frozen=True)
class Part:
    """A piece of a file, from one offset to another, and the text instead of it."""

    start: int
    end: int
    text: str


def apply(text: str, parts: Iterable[Part]) -> str:
    """The text of a file with each piece exchanged."""
    for part in sorted(parts, key=lambda one: (one.start, one.end), reverse=True):
        text = text[: part.start] + part.text + text[part.end :]
    return text


@dataclass(frozen=True)
class Edit:
    """Puts `after` in the place of `before`, which occurs once in the file. lead: how many characters of both are what
    is before the change.
    """

    file: str
    before: str
    after: str
    lead: int = 0

    @property
    def path(self) -> Path:
        """The unchanged file of ours: below rtl/, or models/... for firmware in Python."""
        return ROOT / self.file if self.file.startswith(FIRMWARE) else ROOT / "rtl" / self.file

    def part(self, text: str) -> Part:
        """Where it is in the text of the file; FaultError if it is there more or less than once."""
        if (count := text.count(self.before)) != 1:
            raise FaultError(
                f"does not apply: its text occurs {count} times in {self.file}, needed once; correct `change`"
            )
        start = text.index(self.before)
        return Part(start, start + len(self.before), self.after)


@dataclass(frozen=True)
class Fault:
    """One bug, as a change of one or more files.

    clauses: of hand-written mutants, each must catch it; of deviations of a device, a finding with one of them names
    it, and the first is the one that it breaks. why: the bug in one sentence, or its kind. runs: the stimulus that
    shows it; of a device, parts of the names of its runs. config, job: of the stimulus; of a device, config is what a
    run needs. small: use the build with small counters and two blocks per cycle, in which counters become full. says: a
    finding whose text has this regular expression names it too. part: of a core, where it is. equivalent: the reason
    why nothing can show it; near: a text in the lines before the place; proof: "yosys" where Yosys proved it once.

    ip: the system whose runs show it. home: the folder below tests/ that it is from.
    """

    name: str
    edits: tuple[Edit, ...] = ()
    clauses: tuple[str, ...] = ()
    why: str = ""
    runs: tuple[str, ...] = ()
    config: dict[str, Any] = field(default_factory=dict)
    job: dict[str, Any] = field(default_factory=dict)
    small: bool = False
    says: str = ""
    part: str = ""
    equivalent: str = ""
    near: str = ""
    proof: str = ""
    ip: str = NAMES[0]
    home: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """What it changes."""
        return tuple(dict.fromkeys(edit.file for edit in self.edits))

    @property
    def firmware(self) -> bool:
        """Whether the bug is in firmware that a device runs in Python; the RTL is then unchanged."""
        return self.edits[0].file.startswith(FIRMWARE)

    def places(self, texts: Mapping[str, str]) -> dict[str, list[Part]]:
        """Of each file the pieces that change; FaultError if one is not there once. texts: of the files by name."""
        found: dict[str, list[Part]] = {}
        for edit in self.edits:
            found.setdefault(edit.file, []).append(edit.part(texts.get(edit.file, "")))
        return found

    def check(self) -> None:
        """FaultError unless it applies to our files."""
        self.places({edit.file: edit.path.read_text() for edit in self.edits if edit.path.is_file()})

    def apply(self, folder: Path) -> None:
        """Change the files below a folder; FaultError unless each place is there once."""
        texts = {file: (folder / file).read_text() for file in self.files if (folder / file).is_file()}
        for file, parts in self.places(texts).items():
            (folder / file).write_text(apply(texts[file], parts))


_KEYS = {one.name for one in fields(Fault)} - {"name", "edits", "ip", "home", *_LISTS.values()} | {*_LISTS, "change"}


def load(path: Path, ip: str = NAMES[0], needs: Sequence[str] = ("clause", "why", "run")) -> dict[str, Fault]:
    """The faults of a file by name, in its order. needs: keys of each row; "a or b" is one of two.

    FaultError for a file that cannot be read, a row that is not complete or has an unknown key, and two of one name.
    """
    try:
        tables: dict[str, Any] = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise FaultError(f"{path} cannot be read ({error}); rvtrace/flow/faults/rows.py describes it") from None
    defaults = tables.pop("defaults", {})
    found: dict[str, Fault] = {}
    for file, rows in tables.items():
        for name, row in rows.items():
            where = f"{path}: {name}"
            if name in found:
                raise FaultError(f"{where} is there twice, in {found[name].files[0]} and {file}; rename one")
            try:
                found[name] = _fault(name, file, {**defaults, **row}, needs, {"ip": ip, "home": path.parent.name})
            except (FaultError, TypeError) as error:
                raise FaultError(f"{where} {error}") from None
    return found


def _fault(name: str, file: str, row: dict[str, Any], needs: Sequence[str], more: dict[str, Any]) -> Fault:
    for need in ("change", *needs):
        if not any(row.get(key) for key in need.split(" or ")):
            raise FaultError(f"has no {need}; add it")
    if unknown := sorted(set(row) - _KEYS):
        raise FaultError(f"has the unknown key {unknown[0]}; known are {', '.join(sorted(_KEYS))}")
    edits = tuple(parsed(file, row.pop("change")))
    for key, name_of in _LISTS.items():
        if key in row:
            value = row.pop(key)
            row[name_of] = (value,) if isinstance(value, str) else tuple(value)
    return Fault(name, edits, **row, **more)


def parsed(file: str, change: str) -> Iterable[Edit]:
    """The edits of a diff; FaultError if it changes nothing, or a line of it begins otherwise."""
    lines: list[str] = []
    for line in [*change.rstrip("\n").split("\n"), "@"]:
        if not line.startswith("@"):
            lines.append(line)
            continue
        if lines:
            yield _edit(file, lines)
        file, lines = line[1:].strip() or file, []


def _edit(file: str, lines: Sequence[str]) -> Edit:
    if bad := [line for line in lines if line.strip() and line[:2] not in ("- ", "+ ", "  ", "-", "+")]:
        raise FaultError(f'has the line {bad[0]!r} in its change; each begins with "- ", "+ " or two blanks')
    before = [line[2:] for line in lines if line[:1] != "+"]
    after = [line[2:] for line in lines if line[:1] != "-"]
    if before == after:
        raise FaultError("changes nothing; add a line that goes, and one that takes its place")
    first = next(number for number, line in enumerate(lines) if line[:1] in "-+" and line)
    return Edit(file, "\n".join(before), "\n".join(after), sum(len(line[2:]) + 1 for line in lines[:first]))


def by_clause(faults: Iterable[Fault]) -> dict[str, list[str]]:
    """The names of the faults that each clause must catch, in the order of the faults."""
    found: dict[str, list[str]] = {}
    for fault in faults:
        for clause in fault.clauses:
            found.setdefault(clause, []).append(fault.name)
    return found
