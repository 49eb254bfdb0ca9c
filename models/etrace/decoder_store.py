"""Where a decoder keeps its path: numbers of steps and repeats, so that a loop that runs a million times costs a few numbers."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from models.ntrace.decoder_steps import Pool

CHUNK = 1 << 16  # steps held as a list; older ones are packed


class Contradiction(Exception):
    """What a packet says cannot have happened in this program; `clause` is the requirement it breaks."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(text)
        self.clause = clause


class LimitReached(Exception):
    """The trace tells of more instructions than the decoder is to follow."""


class Mark(NamedTuple):
    """A place to return to when a packet turns out to be wrong."""

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
        self._repeats: list[tuple[int, int, int]] = []  # (at, n, times): before step `at` the last n instructions come `times` more

    def mark(self) -> Mark:
        """Where to return to if the next packet is wrong; packs old steps."""
        if len(self._steps) > CHUNK:
            self._packed.append(np.array(self._steps[:-2], dtype=np.uint32))
            self._packed_steps += len(self._steps) - 2
            self._steps = self._steps[-2:]
        return self.here()

    def here(self) -> Mark:
        """The same, for the packet at hand."""
        return Mark(len(self._steps), len(self._repeats), self.count)

    def undo(self, mark: Mark) -> None:
        """Forget the instructions since the mark."""
        self.wasted += len(self._steps) - mark.steps
        del self._steps[mark.steps :]
        del self._repeats[mark.repeats :]
        self.count = mark.count

    def _repeat(self, count: int, turns: int) -> None:
        """What was walked since there were `count` instructions happened `turns` more."""
        if turns:
            self._repeats.append((self._packed_steps + len(self._steps), self.count - count, turns))
            self.count += turns * (self.count - count)

    def expand(self) -> tuple[np.ndarray, np.ndarray]:
        """pcs (uint64[count]) and taken (int8[count]: 1 or 0 of a branch, else -1)."""
        pcs, taken = np.empty(self.count, dtype=np.uint64), np.full(self.count, -1, dtype=np.int8)
        steps = np.concatenate([*self._packed, np.array(self._steps, dtype=np.uint32)])
        columns = self._pool.columns()
        at, done = 0, 0
        for place, length, times in [*self._repeats, (len(steps), 0, 0)]:
            for first in range(done, place, CHUNK):
                told_pcs, told_taken = columns.instructions(steps[first : min(first + CHUNK, place)])
                pcs[at : at + len(told_pcs)] = told_pcs
                taken[at : at + len(told_pcs)] = told_taken
                at += len(told_pcs)
            if times:
                end = at + times * length
                for column in (pcs, taken):
                    column[at:end].reshape(times, length)[:] = column[at - length : at]
                at = end
            done = place
        return pcs, taken
