# SPDX-License-Identifier: Apache-2.0
"""What every counter should do in many cycles at once, from the state that the device shows before each of them.

`Cells` computes, for a stretch of m cycles and the c counters that are there, what the settings let through and what is
left after; it also computes what a block that breaks one rule would do (`increments` with other settings, `left` with
other increments), from which `rvtrace.scoreboards.hpm.rules` reports the clauses. Steps of
docs/reference/hpm-profile.md, section A cycle.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.config import FIRST, Config
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U

NONE = -1
LOW, HIGH, WHOLE = 1, 2, 3  # halves of a register that a write reaches


@dataclass
class Epochs:
    """Settings that rule, one of e epochs in each row.

    of_row: [rows]. selector, asked (as it was written, what is no selector is 0), filters (VUINH to MINH, bits 0 to 4):
    [e, 32]. inhibit: mcountinhibit, [e].
    """

    of_row: np.ndarray
    selector: np.ndarray
    asked: np.ndarray
    filters: np.ndarray
    inhibit: np.ndarray


@dataclass
class Written:
    """What the access of each row writes; NONE: nothing.

    access: whether there is one. counter, event: number of the one written. refused: of the one that a refused write
    would have written. half: LOW, HIGH, WHOLE. value: of the counter after the write; raw: before the bits that it does
    not have are dropped. operand: on its 64 bits. op: csr_op. of: OF as written. mip, mie: LCOFIP and LCOFIE as
    written.
    """

    access: np.ndarray
    counter: np.ndarray
    event: np.ndarray
    refused: np.ndarray
    half: np.ndarray
    op: np.ndarray
    of: np.ndarray
    mip: np.ndarray
    mie: np.ndarray
    value: np.ndarray
    raw: np.ndarray
    operand: np.ndarray

    @classmethod
    def empty(cls, n: int) -> Written:
        """Nothing is written."""
        small = {
            name: np.full(n, NONE, np.int8)
            for name in ("access", "counter", "event", "refused", "half", "op", "of", "mip", "mie")
        }
        return cls(**small, **{name: np.zeros(n, np.uint64) for name in ("value", "raw", "operand")})


@dataclass
class Steps:
    """m cycles, those of the rows first. All columns have m elements, counters [m, 32].

    row: index of the row it belongs to. weight: how many cycles it represents. source: what each selector's event did,
    [m, 3 + NEvents]. epoch, late, early: which settings rule, ruled in the cycle before, and rule in the next. first:
    the cycle of the row itself.
    """

    row: np.ndarray
    weight: np.ndarray
    first: np.ndarray
    priv: np.ndarray
    stop: np.ndarray
    running: np.ndarray
    source: np.ndarray
    epoch: np.ndarray
    late: np.ndarray
    early: np.ndarray
    before: np.ndarray
    after: np.ndarray
    of: tuple[np.ndarray, np.ndarray]
    lcofip: tuple[np.ndarray, np.ndarray]
    lcofie: tuple[np.ndarray, np.ndarray]

    def __len__(self) -> int:
        return len(self.row)


def steps(rows: Rows, state: Trace, epochs: Epochs, begin: int, end: int) -> Steps:
    """The cycles of rows begin to end, the row `end` (which shows what they left) excluded."""
    k = np.arange(begin, end)
    length = (rows.cycle[k + 1] - rows.cycle[k]).astype(np.int64)
    long_ = np.flatnonzero(length > 1)
    before, after = state.counters[k], state.counters[k + 1]
    moved = (after[long_] - before[long_]).view(np.int64) // length[
        long_, None
    ]  # each cycle; what is not linear is found as a wrong count
    middle, last = after.copy(), after[long_] - moved.view(np.uint64)
    middle[long_] = before[long_] + moved.view(np.uint64)
    row = np.concatenate((k, k[long_]))
    first = np.arange(len(row)) < len(k)
    source = np.zeros((len(row), FIRST_EVENT + rows.width), np.uint64)
    source[:, CYCLES] = rows.running[row]
    source[: len(k), RETIRED] = rows.retired[k]
    source[: len(k), FIRST_EVENT:] = rows.events[k]
    rules = epochs.of_row
    behind = rules[k[long_] + 1]
    epoch = np.concatenate((rules[k], behind))
    close = (k > 0) & (rows.cycle[k] == rows.cycle[np.maximum(k - 1, 0)] + np.uint64(1))
    late = np.concatenate(
        (np.where(close, rules[np.maximum(k - 1, 0)], rules[k]), np.where(length[long_] == 2, rules[k[long_]], behind))
    )

    def both(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.concatenate((column[k], column[k[long_] + 1])), np.concatenate((column[k + 1], column[k[long_] + 1]))

    return Steps(
        row,
        np.concatenate((np.ones(len(k), np.int64), length[long_] - 1)),
        first,
        rows.priv[row],
        rows.stopcount[row] != 0,
        rows.running[row] != 0,
        source,
        epoch,
        late,
        np.concatenate((rules[k + 1], behind)),
        np.concatenate((before, last)),
        np.concatenate((middle, after[long_])),
        both(state.of),
        both(state.lcofip),
        both(state.lcofie),
    )


def broken(rows: Rows, state: Trace) -> np.ndarray:
    """Rows after which the record is not linear up to the next one: no whole number of events in each cycle."""
    length = np.diff(rows.cycle.astype(np.int64))
    long_ = np.flatnonzero(length > 1)
    moved = (state.counters[long_ + 1] - state.counters[long_]).view(np.int64)
    return long_[((moved % length[long_, None]) != 0).any(axis=1)]


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

    def increments(
        self,
        rows: np.ndarray,
        select: np.ndarray | None = None,
        inhibit: np.ndarray | None = None,
        filters: np.ndarray | None = None,
    ) -> np.ndarray:
        """What some cycles add if these epochs rule instead."""
        epoch = self.steps.epoch[rows]
        raw = self.happened(rows, self.selectors(epoch if select is None else select))
        off = self.inhibited(epoch if inhibit is None else inhibit) | self.own(
            rows, self.filters(epoch if filters is None else filters)
        )
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
        """Step 3, for every counter: whether the increment takes it beyond its width, also where a write drops the
        increment.
        """
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
        """Every counter after the cycle."""
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
