# SPDX-License-Identifier: Apache-2.0
"""Where a decoder keeps its path: numbers of steps and repeats, so that a loop that runs a million times costs a few
numbers.

A step is a run of consecutive instructions between two decisions; what ends one is each decoder's own business.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

STEP_LIMIT = 32  # instructions of a step: bounds what overlapping steps cost
CHUNK = 1 << 16  # steps expanded at once


class Pool:
    """The instructions of every step number.

    pcs: at most STEP_LIMIT for each pc ever asked for. start, length: where in it a step's instructions are;
    taken: direction of its last one, -1 if it is not a branch or not known.
    """

    def __init__(self) -> None:
        self.pcs = array("Q")
        self.start, self.length, self.taken = array("Q"), array("H"), array("b")

    def new(self, start: int, length: int, taken: int) -> int:
        """Number of a new step on instructions in the pool."""
        self.start.append(start)
        self.length.append(length)
        self.taken.append(taken)
        return len(self.start) - 1

    def last_pc(self, step: int) -> int:
        """pc of the step's last instruction."""
        return self.pcs[self.start[step] + self.length[step] - 1]

    def columns(self) -> Columns:
        """All of it for numpy; no steps may be added while that is in use."""
        return Columns(*(np.array(c) for c in (self.start, self.length, self.taken, self.pcs)))


class Columns(NamedTuple):
    """A `Pool` as arrays."""

    start: np.ndarray
    length: np.ndarray
    taken: np.ndarray
    pcs: np.ndarray

    def instructions(self, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """pcs and taken of consecutive steps, none of them empty."""
        sizes = self.length[steps].astype(np.int64)
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        index = np.arange(total) + np.repeat(self.start[steps].astype(np.int64) - (ends - sizes), sizes)
        taken = np.full(total, -1, dtype=np.int8)
        taken[ends - 1] = self.taken[steps]
        return self.pcs[index], taken


class Mark(NamedTuple):
    """A place to return to when a packet or message turns out to be wrong."""

    steps: int
    repeats: int
    count: int


def expand(
    count: int, steps: np.ndarray, repeats: Iterable[tuple[int, ...]], pool: Pool
) -> tuple[np.ndarray, np.ndarray]:
    """pcs (uint64[count]) and taken (int8[count]: 1 or 0 of a branch, else -1) of a path.

    repeats: (at, n, times): before step `at` the last n instructions come `times` more.
    """
    pcs, taken = np.empty(count, dtype=np.uint64), np.full(count, -1, dtype=np.int8)
    columns = pool.columns()
    at, done = 0, 0
    for place, length, times in [*repeats, (len(steps), 0, 0)]:
        for first in range(done, place, CHUNK):
            some_pcs, some_taken = columns.instructions(steps[first : min(first + CHUNK, place)])
            pcs[at : at + len(some_pcs)] = some_pcs
            taken[at : at + len(some_pcs)] = some_taken
            at += len(some_pcs)
        if times:
            end = at + times * length
            for column in (pcs, taken):
                column[at:end].reshape(times, length)[:] = column[at - length : at]
            at = end
        done = place
    return pcs, taken
