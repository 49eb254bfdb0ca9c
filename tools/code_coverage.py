"""Code coverage of the RTL: Verilator's coverage.dat files of many runs, merged by source line.

A point is one thing Verilator counts: a block of lines or a branch of an if (`line`, `branch`), a bit that must both
rise and fall (`toggle`), an expression's combination (`expr`). Instances of a module are merged.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

KINDS = ("line", "branch", "toggle", "expr")
_ENTRY = re.compile(r"^C '(.*)' (\d+)$")


class CodeCoverageError(ValueError):
    """A file that is no coverage of Verilator; the text says what to do."""


@dataclass
class FileCoverage:
    """Points of one source file: (kind, line, what) to hits."""

    path: str
    points: dict[tuple[str, int, str], int] = field(default_factory=lambda: defaultdict(int))

    def rate(self, kind: str) -> tuple[int, int]:
        """(points hit, points) of a kind."""
        hits = [n for (k, _, _), n in self.points.items() if k == kind]
        return sum(n > 0 for n in hits), len(hits)

    def missed(self, *kinds: str) -> list[tuple[int, str]]:
        """(line, what) of the points never hit, in the order of the file."""
        return sorted((line, what) for (kind, line, what), n in self.points.items() if kind in kinds and not n)


def merge(paths: Iterable[Path], root: Path) -> dict[str, FileCoverage]:
    """Coverage of the files below `root`/rtl, by path relative to `root`; CodeCoverageError if there is none to read."""
    files: dict[str, FileCoverage] = {}
    read = 0
    for path in paths:
        read += 1
        for text in path.read_text(errors="replace").splitlines():
            if found := _ENTRY.match(text):
                _count(files, dict(part.split("\x02", 1) for part in found[1].split("\x01") if "\x02" in part), int(found[2]), root)
    if not files:
        raise CodeCoverageError(f"{read} coverage.dat files tell nothing about {root / 'rtl'}; run `make cover` with SIM=verilator")
    return dict(sorted(files.items()))


def _count(files: dict[str, FileCoverage], entry: dict[str, str], hits: int, root: Path) -> None:
    path = Path(entry.get("f", ""))
    kind = entry.get("t") or entry.get("page", "").split("/")[0].removeprefix("v_")
    if not path.is_absolute() or not path.is_relative_to(root / "rtl") or kind not in KINDS:
        return
    name = str(path.relative_to(root))
    points = files.setdefault(name, FileCoverage(name)).points
    points[kind, int(entry.get("l", 0)), f"{entry.get('o', '')} {entry.get('n', '')}".strip()] += hits


def percent(rate: tuple[int, int]) -> str:
    """A rate as people read it: rounded down, so that 100 means all; a dash where there is nothing to hit."""
    hit, total = rate
    return f"{int(1000 * hit / total) / 10:g} %" if total else "-"


def lcov(files: dict[str, FileCoverage], root: Path) -> str:
    """The same as an lcov tracefile, for genhtml and editors."""
    out = []
    for file in files.values():
        lines: dict[int, int] = {}
        for (kind, line, _), n in file.points.items():
            if kind in ("line", "branch"):
                lines[line] = min(lines.get(line, n), n)
        out += [f"SF:{root / file.path}", *(f"DA:{line},{n}" for line, n in sorted(lines.items())), "end_of_record"]
    return "\n".join(out) + "\n"
