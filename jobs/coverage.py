# SPDX-License-Identifier: Apache-2.0
"""What a coverage point is, and how counts of many runs become one number.

Counts are plain dicts, `{point: {bin: hits}}`, so that JSON holds them. The entry `definition` in them carries the
hash of the definition they were counted with: counts of another definition cannot be merged by accident.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from fnmatch import translate
from functools import cached_property
from itertools import product

Counts = dict[str, dict[str, int]]
STAMP = "definition"  # entry of Counts: {hash: runs}
CROSS = " x "  # between the names of a cross


class CoverageError(ValueError):
    """Counts that do not belong to the definition; the text says which and what to do."""


@dataclass(frozen=True)
class Point:
    """One coverage point.

    name: ends in `_cg`. what: what a bin means, in one line. why: which mistake an empty bin could hide.
    axes: what each axis is, and its bins by name; more than one axis makes a cross, whose bins are `a x b`.
    excluded: glob over bin names to the reason why no run can reach them; they do not count as holes.
    """

    name: str
    what: str
    why: str
    axes: Mapping[str, tuple[str, ...]]
    excluded: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.name.endswith("_cg"):
            raise CoverageError(f"the coverage point {self.name} must be named {self.name}_cg")
        if len(set(self.bins)) != len(self.bins):
            raise CoverageError(f"{self.name} has two bins of one name")
        if idle := [glob for glob in self.excluded if not any(map(_matcher(glob), self.bins))]:
            raise CoverageError(f"{self.name} excludes {idle[0]}, which is none of its bins")

    @cached_property
    def bins(self) -> tuple[str, ...]:
        """All bins, the last axis running fastest."""
        return tuple(CROSS.join(names) for names in product(*self.axes.values()))

    @cached_property
    def unreachable(self) -> dict[str, str]:
        """Each excluded bin and the reason."""
        globs = [(_matcher(glob), why) for glob, why in self.excluded.items()]
        reasons = ((name, next((why for matches, why in globs if matches(name)), None)) for name in self.bins)
        return {name: why for name, why in reasons if why is not None}

    @cached_property
    def reachable(self) -> tuple[str, ...]:
        """The bins that count."""
        return tuple(name for name in self.bins if name not in self.unreachable)

    def holes(self, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
        """The reachable bins without a hit."""
        hits = counts.get(self.name, {})
        return [name for name in self.reachable if not hits.get(name)]

    def surprises(self, counts: Mapping[str, Mapping[str, int]]) -> list[str]:
        """The excluded bins that were hit all the same: a reason is wrong, or the device did what it must not."""
        hits = counts.get(self.name, {})
        return [name for name in self.unreachable if hits.get(name)]


def _matcher(glob: str) -> Callable[[str], object]:
    """What is true of the names that a glob matches: compiled once, as it is asked for every bin."""
    return re.compile(translate(glob)).match if set("*?[") & set(glob) else glob.__eq__


@dataclass(frozen=True)
class Definition:
    """All coverage points of one system, in the order of the report."""

    ip: str
    points: tuple[Point, ...]

    @cached_property
    def by_name(self) -> dict[str, Point]:
        """Points by name."""
        return {point.name: point for point in self.points}

    @cached_property
    def hash(self) -> str:
        """Twelve hex digits that change with every name, meaning, bin or exclusion."""
        table = [(p.name, p.what, p.bins, sorted(p.excluded)) for p in self.points]
        return hashlib.sha256(json.dumps([self.ip, table]).encode()).hexdigest()[:12]

    def stamped(self, counts: Counts) -> Counts:
        """Counts of one run with this definition's stamp, without empty entries; CoverageError for an unknown bin."""
        self._know(counts)
        kept = {point: {name: int(n) for name, n in bins.items() if n} for point, bins in counts.items()}
        return {STAMP: {self.hash: 1}, **{point: bins for point, bins in kept.items() if bins}}

    def merge(self, parts: Iterable[Mapping[str, Mapping[str, int]]]) -> Counts:
        """The sum of stamped counts; CoverageError if one of them was counted with another definition."""
        total: Counts = {STAMP: {self.hash: 0}}
        for part in parts:
            stamps = part.get(STAMP, {})
            if set(stamps) != {self.hash}:
                found = f"definition {'+'.join(sorted(stamps))}" if stamps else "no definition"
                raise CoverageError(
                    f"coverage of {found} cannot be merged into {self.ip} definition {self.hash}; run the jobs again"
                )
            self._know(part)
            for point, bins in part.items():
                into = total.setdefault(point, {})
                for name, hits in bins.items():
                    into[name] = into.get(name, 0) + hits
        return total

    def _know(self, counts: Mapping[str, Mapping[str, int]]) -> None:
        for name, bins in counts.items():
            if name == STAMP:
                continue
            point = self.by_name.get(name)
            if point is None:
                raise CoverageError(f"{name} is no coverage point of {self.ip}; run the jobs again")
            if unknown := bins.keys() - set(point.bins):
                raise CoverageError(f"{name} has no bin {min(unknown)!r}; run the jobs again")

    def hit(self, counts: Mapping[str, Mapping[str, int]]) -> tuple[int, int]:
        """(bins hit, bins that count) over all points."""
        total = sum(len(p.reachable) for p in self.points)
        return total - sum(len(p.holes(counts)) for p in self.points), total

    def percent(self, counts: Mapping[str, Mapping[str, int]], point: str | None = None) -> float:
        """Per cent of the reachable bins hit, of one point; of all: the mean of the points, so that none drowns."""
        if point is None:
            return sum(self.percent(counts, p.name) for p in self.points) / len(self.points)
        wanted = self.by_name[point]
        return 100.0 * (1 - len(wanted.holes(counts)) / len(wanted.reachable)) if wanted.reachable else 100.0
