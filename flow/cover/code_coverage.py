# SPDX-License-Identifier: Apache-2.0
"""Code coverage of the RTL: Verilator's coverage.dat files of many runs, merged by source line.

A point is one thing Verilator counts: a block of lines or a branch of an if (`line`, `branch`), a bit that must both
rise and fall (`toggle`), an expression's combination (`expr`). A line is hit if a block or branch that contains it was.
Instances of a module are merged, and so are builds with other parameters.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rvtrace.tb.common.coverage.export import Line, Source

KINDS = ("line", "branch", "toggle", "expr")
_ENTRY = re.compile(r"^C '(.*)' (\d+)$")
_INSTANCE = re.compile(r"\x01h\x02[^\x01]*")
_VARIANT = re.compile(
    r"\x01page\x02[^\x01]*"
)  # the module with its parameters, unless it is the only place that has the kind
_RANGE = re.compile(r"(\d+)(?:-(\d+))?")


class CodeCoverageError(ValueError):
    """A file that is no coverage of Verilator; the text says what to do."""


@dataclass
class FileCoverage:
    """Points of one source file: (kind, line, what) to hits; lines: the hits of each line that holds a statement."""

    path: str
    points: dict[tuple[str, int, str], int] = field(default_factory=lambda: defaultdict(int))
    lines: dict[int, int] = field(default_factory=lambda: defaultdict(int))

    def rate(self, kind: str) -> tuple[int, int]:
        """(hit, all) of a kind: of `line` the lines, else the points."""
        hits = list(self.lines.values()) if kind == "line" else [n for (k, _, _), n in self.points.items() if k == kind]
        return sum(n > 0 for n in hits), len(hits)

    def missed(self, *kinds: str) -> list[tuple[int, str]]:
        """(line, what) of the points never hit, in the order of the file."""
        return sorted((line, what) for (kind, line, what), n in self.points.items() if kind in kinds and not n)

    def source(self) -> Source:
        """For viewers: its lines, each with the branches that begin there."""
        branches: dict[int, list[int]] = defaultdict(list)
        for (kind, line, _), hits in self.points.items():
            if kind == "branch":
                branches[line].append(hits)
        return Source(
            Path(self.path).name,
            self.path,
            [
                Line(n, self.lines.get(n, max(branches.get(n, [0]))), tuple(branches.get(n, ())))
                for n in sorted({*self.lines, *branches})
            ],
        )


class CodeCoverage:
    """The sum of coverage.dat files.

    root: the folder that holds rtl/; what was built of another checkout is the same file if it is at the same place
    below it.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.hits: dict[str, int] = {}
        self.read = 0

    def add(self, path: Path) -> Counter[str]:
        """Add a file; by kind, how many points are hit now that were not before."""
        self.read += 1
        new: Counter[str] = Counter()
        for text in path.read_text(errors="replace").splitlines():
            if "rtl/" in text and (found := _ENTRY.match(text)):
                key, hits = _INSTANCE.sub("", found[1]), int(found[2])
                key = _VARIANT.sub("", key) if "\x01t\x02" in key else key
                before = self.hits.get(key, 0)
                self.hits[key] = before + hits
                if hits and not before:
                    new[_kind(key)] += 1
        return new

    def files(self) -> dict[str, FileCoverage]:
        """By path relative to the root; CodeCoverageError if there is none."""
        files: dict[str, FileCoverage] = {}
        for text, hits in self.hits.items():
            _count(files, dict(part.split("\x02", 1) for part in text.split("\x01") if "\x02" in part), hits, self.root)
        if not files:
            raise CodeCoverageError(
                f"{self.read} coverage.dat files contain nothing about {self.root / 'rtl'}; run `make cover` with"
                " SIM=verilator"
            )
        return dict(sorted(files.items()))


def merge(paths: Iterable[Path], root: Path) -> dict[str, FileCoverage]:
    """Coverage of the files below `root`/rtl, by path relative to `root`; CodeCoverageError if there is none."""
    total = CodeCoverage(root)
    for path in paths:
        total.add(path)
    return total.files()


def _count(files: dict[str, FileCoverage], entry: dict[str, str], hits: int, root: Path) -> None:
    kind = entry.get("t") or entry.get("page", "").split("/")[0].removeprefix("v_")
    name = _name(entry.get("f", ""), root)
    if not name or kind not in KINDS:
        return
    file = files.setdefault(name, FileCoverage(name))
    line = int(entry.get("l", 0))
    file.points[kind, line, f"{entry.get('o', '')} {entry.get('n', '')}".strip()] += hits
    if kind in ("line", "branch"):
        for first, last in _RANGE.findall(entry.get("S", "" if kind == "branch" else str(line))):
            for number in range(int(first), int(last or first) + 1):
                file.lines[number] = max(file.lines[number], hits)


def _kind(text: str) -> str:
    found = re.search(r"\x01(?:t\x02|page\x02v_)(\w+)", text)
    return found[1] if found else ""


def _name(path: str, root: Path) -> str:
    """rtl/<folder>/<file> of a path that a build has seen, empty if it is none of ours."""
    if not Path(path).is_absolute():
        return ""
    before, found, rest = path.rpartition("/rtl/")
    name = f"rtl/{rest}"
    return name if found and (before == str(root) or (root / name).is_file()) else ""


def percent(rate: tuple[int, int]) -> str:
    """A rate as people read it: rounded down, so that 100 means all; a dash where there is nothing to hit."""
    hit, total = rate
    return f"{int(1000 * hit / total) / 10:g} %" if total else "-"


def total(files: Mapping[str, FileCoverage]) -> dict[str, tuple[int, int]]:
    """(hit, all) of each kind over all files."""
    rates = {kind: [file.rate(kind) for file in files.values()] for kind in KINDS}
    return {kind: (sum(hit for hit, _ in of), sum(count for _, count in of)) for kind, of in rates.items()}


def lcov(files: dict[str, FileCoverage], root: Path) -> str:
    """The same as an lcov tracefile, for genhtml and editors."""
    out = []
    for file in files.values():
        out += [
            f"SF:{root / file.path}",
            *(f"DA:{line},{n}" for line, n in sorted(file.lines.items())),
            "end_of_record",
        ]
    return "\n".join(out) + "\n"
