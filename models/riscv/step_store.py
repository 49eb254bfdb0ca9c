# SPDX-License-Identifier: Apache-2.0
"""Where a decoder keeps its path: numbers of steps and repeats, so that a loop that runs a million times costs a few
numbers.

A step is a run of consecutive instructions between two decisions; what ends one is each decoder's own business.
"""

from __future__ import annotations

from array import array
from typing import Any, NamedTuple

import numpy as np

STEP_LIMIT = 32  # instructions of a step: bounds what overlapping steps cost
CHUNK = 1 << 16  # steps held as a list; older ones are packed


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


class Store:
    """The instructions so far. count: how many; wasted: steps that were undone."""

    def __init__(self) -> None:
        self.count = self.wasted = 0
        self._pool = Pool()
        self._steps: list[int] = []
        self._packed: list[np.ndarray] = []
        self._packed_steps = 0
        self._repeats: list[
            tuple[int, int, int]
        ] = []  # (at, n, times): before step `at` the last n instructions come `times` more

    def mark(self) -> Mark:
        """Where to return to if the next packet or message is wrong; packs old steps."""
        if len(self._steps) > CHUNK:
            self._packed.append(np.array(self._steps[:-2], dtype=np.uint32))
            self._packed_steps += len(self._steps) - 2
            self._steps = self._steps[-2:]
        return self.here()

    def here(self) -> Mark:
        """The same, for the one at hand."""
        return Mark(len(self._steps), len(self._repeats), self.count)

    def undo(self, mark: Mark) -> None:
        """Forget the instructions since the mark."""
        self.wasted += len(self._steps) - mark.steps
        del self._steps[mark.steps :]
        del self._repeats[mark.repeats :]
        self.count = mark.count

    def _repeat(self, count: int, turns: int) -> None:
        """What was walked since there were `count` instructions happened `turns` more."""
        if turns and self.count > count:
            self._repeats.append((self._packed_steps + len(self._steps), self.count - count, turns))
            self.count += turns * (self.count - count)

    def expand(self) -> tuple[np.ndarray, np.ndarray]:
        """pcs (uint64[count]) and taken (int8[count]: 1 or 0 of a branch, else -1)."""
        steps = np.concatenate([*self._packed, np.array(self._steps, dtype=np.uint32)])
        return expand(self.count, steps, self._repeats, self._pool)


def expand_columns(count: int, steps: Any, repeats: Any, pool: Pool) -> tuple[np.ndarray, np.ndarray]:
    """As `expand`, of a kernel's columns as far as they are used; of `repeats` three entries are a row."""
    rows = np.array(repeats, dtype=np.int64).reshape(-1, 3).tolist()
    return expand(count, np.array(steps, dtype=np.uint32), [(at, length, times) for at, length, times in rows], pool)


def expand(
    count: int, steps: np.ndarray, repeats: list[tuple[int, int, int]], pool: Pool
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
