# SPDX-License-Identifier: Apache-2.0
"""The printed failure message (scoreboards/common/clauses.py, `Failure.text`) taken apart, for pages that show each of
its parts once: what happened in words, where, expected and actual, and the rest.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_LABEL = 12  # columns of a line's label
_ELSEWHERE = ("clause", "source", "fields", "rerun", "pc", "cycle")  # a page has them in places of their own
_AT = re.compile(r"^(?:at )?((?:byte|packet|message|row|entry|snapshot|cycle) #?\w+)[:,]?\s+(?=\S)")
_MESSAGE = re.compile(r"^(?:[A-Z]\w+(?: [A-Z][A-Z-]*=\S+(?: \([^)]*\))?)+|\w+\((?:\w+=\S+ ?)+\)): ")


@dataclass(frozen=True)
class Shown:
    """words: what happened. place: where. wanted, got: expected and actual, never empty. fields: (field, expected,
    actual, whether they differ); an empty list if there are none. more: (label, text) of the other parts. rerun: the
    command that repeats the run, if the message has one.
    """

    words: str
    place: str
    wanted: str
    got: str
    fields: list[tuple[str, str, str, bool]]
    more: list[tuple[str, str]]
    rerun: str = ""


def shown(headline: str, text: str, requirement: str) -> Shown:
    """The parts of a message. requirement: the clause's text, which is expected where no field says more."""
    parts = _parts(text)
    fields = _fields(parts.get("fields", []))
    at, words = "", headline
    if found := _AT.match(headline):
        at, words = found[1], headline[found.end() :]
    if message := _MESSAGE.match(words):
        words = words[message.end() :]
    pc, cycle = ("\n".join(parts.get(name, [])) for name in ("pc", "cycle"))
    place = ", ".join(filter(None, (at, f"cycle {cycle}" if cycle else "", pc and f"pc {pc.partition(':')[0]}")))
    wrong = [row for row in fields if row[3]]
    wanted = "; ".join(f"{name} = {wanted}" for name, wanted, _, _ in wrong)
    got = "; ".join(f"{name} = {got or 'absent'}" for name, _, got, _ in wrong)
    placed = set(_ELSEWHERE) - (set() if fields else {"fields"})
    more = [(name, "\n".join(lines)) for name, lines in parts.items() if name not in placed]
    if message:
        more.insert(0, ("message", message[0].removesuffix(": ")))
    rerun = "\n".join(parts.get("rerun", []))
    return Shown(words, place, wanted or requirement or "that the clause holds", got or words, fields, more, rerun)


def _parts(text: str) -> dict[str, list[str]]:
    """The lines after the first by their label."""
    found: dict[str, list[str]] = {}
    label = "text"
    for line in text.splitlines()[1:]:
        if line[:2] == "  " and (name := line[2:_LABEL].strip()):
            label = name
        found.setdefault(label, []).append(line[_LABEL:] if line[:2] == "  " else line)
    return found


def _fields(lines: list[str]) -> list[tuple[str, str, str, bool]]:
    """The rows of a table, whose columns begin where those of its head do."""
    if not lines or not {"expected", "actual"} <= set(lines[0].split()):
        return []
    first, second = lines[0].index("expected"), lines[0].index("actual")
    rows = []
    for line in lines[1:]:
        differs = line.endswith(" <")
        line = line[:-2] if differs else line
        rows.append((line[:first].strip(), line[first:second].strip(), line[second:].strip(), differs))
    return rows
