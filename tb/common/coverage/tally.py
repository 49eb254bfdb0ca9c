# SPDX-License-Identifier: Apache-2.0
"""Counting bins, whole arrays at a time."""

from __future__ import annotations

from typing import Any

import numpy as np

from rvtrace.jobs.coverage import CROSS, Counts


class Tally:
    """Counts under construction; an index below 0 means: no bin."""

    def __init__(self) -> None:
        self.counts: Counts = {}

    def one(self, point: str, *names: str, hits: int = 1) -> None:
        bins = self.counts.setdefault(point, {})
        name = CROSS.join(names)
        bins[name] = bins.get(name, 0) + hits

    def array(self, point: str, *axes: tuple[tuple[str, ...], Any], hits: np.ndarray | None = None) -> None:
        """axes: (bin names, array of bin numbers), all arrays of one length, or one number for all. hits: of each
        element, 1 without.
        """
        shape = [len(names) for names, _ in axes]
        numbers = np.broadcast_arrays(*(np.atleast_1d(values) for _, values in axes))
        keep = np.logical_and.reduce([n >= 0 for n in numbers])
        flat = np.ravel_multi_index([n[keep].astype(np.int64) for n in numbers], shape)
        many = np.bincount(flat, None if hits is None else hits[keep])
        for index in np.flatnonzero(many):
            place = np.unravel_index(index, shape)
            self.one(point, *(names[i] for (names, _), i in zip(axes, place)), hits=int(many[index]))


def classes(values: np.ndarray, *limits: int) -> np.ndarray:
    """Class of each value: 0 below limits[0], 1 below limits[1], and so on."""
    return np.searchsorted(np.array(limits), values, side="right")


def bit_length(values: np.ndarray) -> np.ndarray:
    """int.bit_length of each value (all below 2**63)."""
    length = np.zeros(len(values), dtype=np.int64)
    rest = values.copy()
    for step in (32, 16, 8, 4, 2, 1):
        large = rest >= (1 << step)
        length += np.where(large, step, 0)
        rest = np.where(large, rest >> step, rest)
    return length + (rest > 0)
