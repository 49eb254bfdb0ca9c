"""The record of a run as single cycles: the state before and behind each, and what was on the ports.

A row stands for its own cycle and for those up to the next row, in which nothing happens but cycles of the hart. Every output is
linear there (`HpmCapture`), so two cycles say it all: that of the row, and the last one before the next row.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from models.hpm.events import CYCLES, FIRST_EVENT, RETIRED
from models.hpm.model_bulk import Trace
from models.hpm.rows import Rows
from scoreboards.hpm_written import Epochs


@dataclass
class Steps:
    """m cycles, those of the rows first. All columns have m elements, counters [m, 32].

    row: index of the row it belongs to. weight: how many cycles it stands for. source: what each selector's event did, [m, 3 + NEvents].
    epoch, late, early: which settings rule, ruled in the cycle before, and rule in the next. first: the cycle of the row itself.
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
    moved = (after[long_] - before[long_]).view(np.int64) // length[long_, None]  # each cycle; what is not linear is found as a wrong count
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
    late = np.concatenate((np.where(close, rules[np.maximum(k - 1, 0)], rules[k]), np.where(length[long_] == 2, rules[k[long_]], behind)))

    def both(column: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return np.concatenate((column[k], column[k[long_] + 1])), np.concatenate((column[k + 1], column[k[long_] + 1]))

    return Steps(
        row, np.concatenate((np.ones(len(k), np.int64), length[long_] - 1)), first, rows.priv[row], rows.stopcount[row] != 0, rows.running[row] != 0,
        source, epoch, late, np.concatenate((rules[k + 1], behind)), np.concatenate((before, last)), np.concatenate((middle, after[long_])),
        both(state.of), both(state.lcofip), both(state.lcofie),
    )  # fmt: skip


def broken(rows: Rows, state: Trace) -> np.ndarray:
    """Rows behind which the record is not linear up to the next one: the counters moved by no whole number each cycle."""
    length = np.diff(rows.cycle.astype(np.int64))
    moved = (state.counters[1:] - state.counters[:-1]).view(np.int64)
    return np.flatnonzero(((moved % np.maximum(length, 1)[:, None]) != 0).any(axis=1))


