"""Counts collisions: what happens to one counter in a cycle, and in the same cycle, the next, and the one after (HPM-7)."""

from __future__ import annotations

import numpy as np

from models.hpm.config import Config
from scoreboards.hpm_cells import Cells
from scoreboards.hpm_overflow import Overflow
from scoreboards.hpm_written import NONE
from tb.coverage.hpm_points import COLLIDING, DISTANCES
from tb.coverage.tally import Tally


class Pairs:
    """Collisions of the counters with OF, of one run."""

    def __init__(self, tally: Tally, config: Config) -> None:
        self.tally, self.config = tally, config

    def add(self, c: Cells, o: Overflow) -> None:
        """Those of some cycles; what spans two stretches of them is not counted."""
        s, rows = c.steps, np.flatnonzero(c.steps.first)
        cycle = np.concatenate(([0], np.cumsum(self._lengths(c, rows))))[:-1]
        happens = [matrix[rows] for matrix in self._kinds(c, o)]
        for distance, name in enumerate(DISTANCES):
            first, then = self._apart(cycle, distance)
            for a, one in enumerate(happens):
                for b, other in enumerate(happens):
                    if distance == 0 and (a != COLLIDING.index("overflow") or b == a):
                        continue
                    hits = int((one[first] & other[then]).sum())
                    if hits:
                        self.tally.one("pair_cg", COLLIDING[a], COLLIDING[b], name, hits=hits)
        assert len(s) >= len(rows)

    @staticmethod
    def _lengths(c: Cells, rows: np.ndarray) -> np.ndarray:
        """Cycles of each row."""
        length = np.ones(len(rows), np.int64)
        more = np.flatnonzero(~c.steps.first)
        length[c.steps.row[more] - c.steps.row[rows[0]]] += c.steps.weight[more]
        return length

    @staticmethod
    def _apart(cycle: np.ndarray, distance: int) -> tuple[np.ndarray, np.ndarray]:
        """Pairs of rows so many cycles apart."""
        where = np.searchsorted(cycle, cycle + distance)
        there = (where < len(cycle)) & (cycle[np.minimum(where, len(cycle) - 1)] == cycle + distance)
        return np.flatnonzero(there), where[there]

    def _kinds(self, c: Cells, o: Overflow) -> list[np.ndarray]:
        """A matrix of cycles and counters for each of COLLIDING."""
        numbers = c.numbers[c.programmable]
        event = c.of_row(c.writes.event)[:, None] == numbers
        cleared = np.zeros(o.of.shape, bool)
        rows, columns, values = c.of_written
        cleared[rows, columns] = ~values & o.of_before[rows, columns]
        inhibit = (c.inhibited(c.steps.epoch) != c.inhibited(c.steps.early))[:, c.programmable] & c.steps.first[:, None]
        lcofip = np.repeat((o.mip != NONE)[:, None], len(numbers), axis=1)
        return [inhibit, c.of_row(c.writes.counter)[:, None] == numbers, event & ~cleared, o.over, lcofip, cleared]
