# SPDX-License-Identifier: Apache-2.0
"""What a bench records of a device that is as the reference model, or as a model with a bug."""

from dataclasses import fields
from random import Random
from typing import Any

import numpy as np

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.rows import NO_ACCESS, Rows, followed
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS

_NEAR = 4096  # idle cycles after a row, and before the next, that get separate rows where that is needed


def captured(rows: Rows, config: Config, device: type[Hpm] = Hpm) -> HpmCapture:
    """What the monitors see of a device that plays rows."""
    return HpmCapture(config, *followed(expanded(rows, config, device), config, device(config)))


def scenario_run(name: str, options: dict[str, Any], device: type[Hpm] = Hpm) -> HpmCapture:
    """The same of a directed scenario."""
    config = Config.from_dict(options)
    return captured(SCENARIOS[name].build(config, Random(1)), config, device)


def expanded(rows: Rows, config: Config, device: type[Hpm] = Hpm) -> Rows:
    """The rows, and those that a recorder adds: one in every cycle in which the outputs do not move as in the cycle
    before.
    """
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
    state = followed(out, config, device(config))[1]
    shown = np.column_stack([state.counters, state.of, state.lcofip, state.lcofie]).astype(np.uint64)
    moved = np.diff(shown, axis=0)
    apart = np.diff(out.cycle.astype(np.int64)) != 1
    bent = (moved[1:] != moved[:-1]).any(axis=1) | apart[1:] | apart[:-1]
    keep = (step == 0) | np.concatenate(([True], bent, [True]))
    return out.select(keep)
