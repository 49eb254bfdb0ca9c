"""Rows as a bench records them: a row in every cycle in which the outputs do not move as in the cycle before."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from models.hpm.config import Config
from models.hpm.rows import NO_ACCESS, Rows, followed
from scoreboards.hpm_capture import HpmCapture

_NEAR = 4096  # idle cycles behind a row, and before the next, that get rows of their own where that is needed


def captured(rows: Rows, config: Config) -> HpmCapture:
    """What a device that is as the reference model leaves behind."""
    return HpmCapture(config, *followed(expanded(rows, config), config))


def expanded(rows: Rows, config: Config) -> Rows:
    """The rows, and those that a recorder adds to them."""
    length = rows.clocks.astype(np.int64)
    where = np.repeat(np.arange(len(rows)), np.minimum(length, 2 * _NEAR))
    step = np.arange(len(where)) - np.searchsorted(where, where)
    step = np.where((length[where] > 2 * _NEAR) & (step >= _NEAR), step + length[where] - 2 * _NEAR, step)
    columns = {f.name: getattr(rows, f.name)[where] for f in fields(Rows)}
    columns["cycle"] = columns["cycle"] + step.astype(np.uint64)
    for name in ("retired", "events", "addr", "wdata", "mode", "xlen32"):
        columns[name][step > 0] = 0
    columns["op"][step > 0] = NO_ACCESS
    out = Rows(**columns)
    state = followed(out, config)[1]
    shown = np.column_stack([state.counters, state.of, state.lcofip, state.lcofie]).astype(np.uint64)
    moved = np.diff(shown, axis=0)
    apart = np.diff(out.cycle.astype(np.int64)) != 1
    bent = (moved[1:] != moved[:-1]).any(axis=1) | apart[1:] | apart[:-1]
    keep = (step == 0) | np.concatenate(([True], bent, [True]))
    return out.select(keep)
