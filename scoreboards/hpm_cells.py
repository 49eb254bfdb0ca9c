"""What every counter should do in many cycles at once, from the state that the device shows before each of them.

`Cells` computes, for a stretch of m cycles and the c counters that are there, what the settings let through and what is left behind;
it also computes what a block that breaks one rule would do (`increments` with other settings, `left` with other increments), from
which `scoreboards.hpm_rules` tells the clauses. Steps of docs/hpm-profile.md, section A cycle.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from models.hpm.config import FIRST, Config
from models.hpm.events import CYCLES, RETIRED
from models.riscv.csr import DEBUG, HS, VS, VU, M, U
from scoreboards.hpm_steps import Steps
from scoreboards.hpm_written import NONE, Epochs, Written

FILTER = np.zeros(8, np.uint8)  # bit of a mode's filter among the five, by priv_i
for _priv, _bit in ((M, 4), (DEBUG, 4), (HS, 3), (U, 2), (VS, 1), (VU, 0)):
    FILTER[_priv] = _bit
_ONE, _ALL = np.uint64(1), np.uint64(0xFFFF_FFFF_FFFF_FFFF)


class Cells:
    """m cycles of c counters. numbers: of the counters, [c]. keep: mask of the bits of each. Matrices are [m, c]."""

    def __init__(self, config: Config, steps: Steps, epochs: Epochs, written: Written) -> None:
        self.config, self.steps, self.epochs, self.writes = config, steps, epochs, written
        self.numbers = np.array([n for n in range(32) if config.has(n)])
        self.widths = np.array([config.widths[n] for n in self.numbers])
        self.keep = np.array([(1 << int(w)) - 1 for w in self.widths], np.uint64)
        self.columns = np.full(33, NONE)
        self.columns[self.numbers] = np.arange(len(self.numbers))
        self.before, self.after = steps.before[:, self.numbers], steps.after[:, self.numbers]
        self.all = np.arange(len(steps))

    def of_row(self, column: np.ndarray) -> np.ndarray:
        """A column of `Written` for each cycle; NONE where the cycle is not that of the row."""
        return np.where(self.steps.first, column[self.steps.row], NONE)

    # --- Increments ---------------------------------------------------------------------------------

    def inhibited(self, epoch: np.ndarray) -> np.ndarray:
        """The bits of mcountinhibit."""
        return (self.epochs.inhibit[epoch][:, None] >> self.numbers.astype(np.uint32) & np.uint32(1)) != 0

    def filters(self, epoch: np.ndarray) -> np.ndarray:
        """The five filters of each counter."""
        return self.epochs.filters[epoch][:, self.numbers]

    def own(self, rows: np.ndarray, filters: np.ndarray) -> np.ndarray:
        """Whether the filter of the mode of each cycle is set."""
        return (filters >> FILTER[self.steps.priv[rows]][:, None] & np.uint8(1)) != 0

    def happened(self, rows: np.ndarray, selectors: np.ndarray) -> np.ndarray:
        """How often what each counter selects happened."""
        return np.take_along_axis(self.steps.source[rows], selectors, axis=1)

    def selectors(self, epoch: np.ndarray) -> np.ndarray:
        """The selector of each counter."""
        return self.epochs.selector[epoch][:, self.numbers]

    def increments(self, rows: np.ndarray, select: np.ndarray | None = None, inhibit: np.ndarray | None = None, filters: np.ndarray | None = None) -> np.ndarray:
        """What some cycles add if these epochs rule instead."""
        epoch = self.steps.epoch[rows]
        raw = self.happened(rows, self.selectors(epoch if select is None else select))
        off = self.inhibited(epoch if inhibit is None else inhibit) | self.own(rows, self.filters(epoch if filters is None else filters))
        raw[off | self.steps.stop[rows][:, None]] = 0
        return raw

    # --- What should be ------------------------------------------------------------------------------

    @cached_property
    def selected(self) -> np.ndarray:
        return self.selectors(self.steps.epoch)

    @cached_property
    def raw(self) -> np.ndarray:
        """What happened of what is selected, whatever stops it."""
        return self.happened(self.all, self.selected)

    @cached_property
    def inhibit(self) -> np.ndarray:
        return self.inhibited(self.steps.epoch)

    @cached_property
    def filtered(self) -> np.ndarray:
        return self.own(self.all, self.filters(self.steps.epoch))

    @cached_property
    def counted(self) -> np.ndarray:
        """Step 1: the increment of each counter, also of one that is written."""
        return np.where(self.inhibit | self.filtered | self.steps.stop[:, None], np.uint64(0), self.raw)

    @cached_property
    def written(self) -> np.ndarray:
        """Column of the counter that is written in each cycle, NONE if none is."""
        return self.columns[self.of_row(self.writes.counter)]

    @cached_property
    def value(self) -> np.ndarray:
        """What is written to it."""
        return self.writes.value[self.steps.row]

    @cached_property
    def wraps(self) -> np.ndarray:
        """Step 3, for every counter: whether the increment takes it beyond its width, also where a write drops the increment."""
        sums = self.before + self.counted
        return np.where(self.widths == 64, sums < self.before, sums > self.keep)

    @cached_property
    def overflows(self) -> np.ndarray:
        """Step 3: whether it overflows."""
        out = self.wraps.copy()
        rows = np.flatnonzero(self.written >= 0)
        out[rows, self.written[rows]] = False
        return out

    @cached_property
    def want(self) -> np.ndarray:
        """Every counter behind the cycle."""
        return self.left(self.all, self.counted)

    def left(self, rows: np.ndarray, increments: np.ndarray) -> np.ndarray:
        """What some cycles leave if they add that."""
        out = (self.before[rows] + increments) & self.keep
        inside = np.flatnonzero(self.written[rows] >= 0)
        out[inside, self.written[rows][inside]] = self.value[rows][inside]
        return out

    # --- OF, LCOFIP ---------------------------------------------------------------------------------

    @cached_property
    def programmable(self) -> np.ndarray:
        """Columns of the counters with OF."""
        return np.flatnonzero(self.numbers >= FIRST)

    def of_bits(self, mask: np.ndarray) -> np.ndarray:
        """OF of those counters out of masks, [m, c - 2]."""
        return (mask[:, None] >> self.numbers[self.programmable].astype(np.uint32) & np.uint32(1)) != 0

    @cached_property
    def of_written(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Cycles in which OF is written, its column among those, and the value."""
        of = self.of_row(self.writes.of)
        rows = np.flatnonzero(of >= 0)
        column = np.searchsorted(self.numbers[self.programmable], self.writes.event[self.steps.row[rows]])
        there = self.columns[self.writes.event[self.steps.row[rows]]] >= 0
        return rows[there], column[there], of[rows][there] != 0

    @property
    def cycles(self) -> np.ndarray:
        return self.steps.source[:, CYCLES]

    @property
    def retired(self) -> np.ndarray:
        return self.steps.source[:, RETIRED]
