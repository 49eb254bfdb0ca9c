# SPDX-License-Identifier: Apache-2.0
"""Which of two sequences belong together where one of them lacks elements, has more of them, or has wrong ones.

Both are walked from their starts. Where they differ the shortest explanation is taken after which both agree again: one
wrong element, two that are exchanged, some that are missing or that nobody asked for.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rvtrace.scoreboards.common.matching import same_start

LOOK = 64  # elements that may be missing, or too many, at one place
FAR = 512  # the same by what elements are, not what they hold
WINDOW = 24  # elements in which a gap has to make more equal
SURE = 2  # elements that have to agree after a difference


@dataclass
class Alignment:
    """pairs: (number in the first, number in the second). missing: first and count of those that the second lacks, and
    where they would be. extra: first and count of those that the first lacks, and where. swapped: the first of two that
    are exchanged, in both.
    """

    pairs: np.ndarray
    missing: list[tuple[int, int, int]] = field(default_factory=list)
    extra: list[tuple[int, int, int]] = field(default_factory=list)
    swapped: list[tuple[int, int]] = field(default_factory=list)

    @property
    def apart(self) -> int:
        """Elements that are in one sequence alone, or not at their place."""
        return sum(count for _, count, _ in (*self.missing, *self.extra)) + 2 * len(self.swapped)


class _Walk:
    def __init__(self, wanted: Sequence[int], told: Sequence[int], kinds: tuple[Sequence[int], Sequence[int]]) -> None:
        self.wanted, self.told, self.kinds = wanted, told, kinds

    def agree(self, i: int, j: int, n: int, kinds: bool = False) -> bool:
        """Whether n elements agree from here on; fewer if both end, at least one."""
        a, b = self.kinds if kinds else (self.wanted, self.told)
        left = min(len(a) - i, len(b) - j)
        if left < n and (left < 0 or len(a) - i != len(b) - j):
            return False
        return all(a[i + k] == b[j + k] for k in range(min(n, left)))

    def resumes(self, i: int, j: int, n: int, kinds: bool) -> bool:
        """The same, but the first after a gap may say something else: what is new in it depends on what was lost."""
        if self.agree(i, j, n, kinds):
            return True
        return not kinds and self.kinds[0][i] == self.kinds[1][j] and self.agree(i + 1, j + 1, n)

    def closer(self, i: int, j: int, more: int, less: int) -> bool:
        """Whether a gap (elements of the first, of the second) explains more of what follows than it costs."""
        a, b = self.wanted, self.told
        stay = sum(x == y for x, y in zip(a[i : i + WINDOW], b[j : j + WINDOW]))
        gap = sum(x == y for x, y in zip(a[i + more : i + more + WINDOW], b[j + less : j + less + WINDOW]))
        return not stay or gap > stay + min(more + less, WINDOW // 4)

    def step(self, i: int, j: int) -> tuple[str, int]:
        """What is wrong here, and how many elements it is about."""
        wanted, told = self.wanted, self.told
        if self.agree(i + 1, j + 1, SURE):
            return "wrong", 1
        if (
            i + 1 < len(wanted)
            and j + 1 < len(told)
            and (wanted[i], wanted[i + 1]) == (told[j + 1], told[j])
            and self.agree(i + 2, j + 2, 1)
        ):
            return "swapped", 2
        if self.agree(i, j, 2 * SURE, kinds=True) and len(set(self.kinds[0][i : i + 2 * SURE])) > SURE:
            return "wrong", 1
        for kinds, most, sure in ((False, LOOK, SURE + 1), (True, FAR, 2 * SURE)):
            if kinds and self.agree(i, j, 2 * SURE, kinds=True):
                return "wrong", 1
            for n in range(1, most + 1):
                if i + n < len(wanted) and self.resumes(i + n, j, sure, kinds) and self.closer(i, j, n, 0):
                    return "missing", n
                if j + n < len(told) and self.resumes(i, j + n, sure, kinds) and self.closer(i, j, 0, n):
                    return "extra", n
        return "wrong", 1


def align(wanted: np.ndarray, told: np.ndarray, wanted_kind: np.ndarray, told_kind: np.ndarray) -> Alignment:
    """wanted, told: a number for each element that says all of it. *_kind: one that says what it is, not what it
    holds.
    """
    if len(wanted) == len(told) and bool((wanted == told).all()):
        each = np.arange(len(wanted))
        return Alignment(np.stack([each, each], axis=1))
    walk = _Walk(wanted.tolist(), told.tolist(), (wanted_kind.tolist(), told_kind.tolist()))
    out, runs, i, j = Alignment(np.zeros((0, 2), np.int64)), [], 0, 0
    while i < len(wanted) and j < len(told):
        n = same_start(wanted[i:], told[j:])
        what, count = "", 0
        if i + n < len(wanted) and j + n < len(told):
            what, count = walk.step(i + n, j + n)
            n += what == "wrong"
        runs.append((i, j, n))
        i, j = i + n, j + n
        if what == "missing":
            out.missing.append((i, count, j))
            i += count
        elif what == "extra":
            out.extra.append((j, count, i))
            j += count
        elif what == "swapped":
            out.swapped.append((i, j))
            i, j = i + count, j + count
    if i < len(wanted):
        out.missing.append((i, len(wanted) - i, j))
    if j < len(told):
        out.extra.append((j, len(told) - j, i))
    if runs:
        out.pairs = np.concatenate([np.stack([np.arange(a, a + n), np.arange(b, b + n)], axis=1) for a, b, n in runs])
    return out
