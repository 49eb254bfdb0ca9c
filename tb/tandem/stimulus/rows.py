# SPDX-License-Identifier: Apache-2.0
"""What a job of the tandem-trace encoder plays: rows in their cycles and lanes, with noise on unused ports."""

from __future__ import annotations

from functools import cached_property
from random import Random
from typing import Any

import numpy as np

from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.table import CSR_SLOTS, PARTS, column_width
from rvtrace.models.tandem.trace_data import DTYPES, Rows
from rvtrace.tb.common.stimulus.rows_stimulus import RowsStimulus
from rvtrace.tb.tandem.agents.files import Lanes


class TandemStimulus(RowsStimulus):
    """Rows of the port."""

    @cached_property
    def beats(self) -> Lanes:
        """The rows by cycles and lanes."""
        return Lanes.of(self.rows, self.config)


def generator(rng: Random) -> np.random.Generator:
    """Numpy's generator for one purpose."""
    return np.random.default_rng(rng.getrandbits(64))


def in_cycles(rows: Rows, config: Config, rng: Random, gaps: int = 0, full: bool = True) -> Rows:
    """The rows in cycles: as many as there are lanes in each, or a random number. gaps: % of cycles with idle ones
    before.
    """
    chosen = generator(rng)
    n = len(rows)
    new = np.arange(n) % config.lanes == 0
    if not full and config.lanes > 1:
        new = chosen.random(n) < 0.6
        for lane in range(config.lanes, n):
            new[lane] |= not new[lane - config.lanes + 1 : lane].any()
    new[:1] = True
    step = new.astype(np.int64)
    step += new * (chosen.random(n) < gaps / 100) * chosen.integers(1, 9, n)
    return Rows(n, **rows.columns() | {"cycle": np.cumsum(step) - 1})


def noisy(rows: Rows, config: Config, rng: Random) -> Rows:
    """The rows with anything on the ports whose part they do not have."""
    chosen, columns = generator(rng), rows.columns()
    for part in PARTS:
        for column in part.columns:
            kept, width, dtype = columns[column.name], column_width(config, column), DTYPES[column.name]
            noise = (
                chosen.integers(0, 1 << 64, kept.shape, np.uint64, endpoint=False)
                if width > 32
                else chosen.integers(0, 1 << max(width, 1), kept.shape, np.uint64)
            )
            noise = (noise & np.uint64((1 << width) - 1)).astype(dtype)
            if column.count > 1:
                there: Any = np.stack([rows.have(f"csr{slot}") for slot in range(CSR_SLOTS)], axis=1)
            else:
                there = rows.have(part.name)
            columns[column.name] = np.where(there, kept, noise)
    return Rows(len(rows), **columns)
