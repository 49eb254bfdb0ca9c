"""Segments of a decoded trace: what was told between two losses, and what a check finds wrong in one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np


@dataclass
class Segment:
    """Decoded instructions [begin, end), told by messages first..last-1, and the events among them.

    They stand for the traced instructions from `at` on. open: messages were lost (before it, behind it).
    """

    begin: int
    end: int
    first: int = 0
    last: int = 0
    open: tuple[bool, bool] = (False, False)
    events: list = field(default_factory=list)
    at: int | None = None

    def place(self, index: int) -> int | None:
        """The traced instruction for a decoded one; None in an empty segment, which may be anywhere in its hole."""
        return None if self.at is None else self.at + index - self.begin


class Problem(NamedTuple):
    """Something beside PCs, traps and edges that a segment does not tell as it was; index of the traced instruction."""

    clause: str
    headline: str
    index: int
    table: list[tuple[str, str, str]]


def common(a: np.ndarray, b: np.ndarray) -> int:
    """How many elements from the start are equal."""
    n = min(len(a), len(b))
    if not np.array_equal(a[: min(n, 16)], b[: min(n, 16)]):
        n = min(n, 16)
    differ = np.flatnonzero(a[:n] != b[:n])
    return int(differ[0]) if len(differ) else n
