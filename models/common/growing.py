# SPDX-License-Identifier: Apache-2.0
"""Columns and tables of kernels (`rvtrace.models.common.native`) that grow, as lists or as arrays."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Any

import numpy as np

_FEW = 1 << 6  # rows of a new table


def longer(column: Any) -> Any:
    """Twice as long, with -1 in what is new."""
    if isinstance(column, np.ndarray):
        made = np.full(2 * len(column), -1, column.dtype)
        made[: len(column)] = column
        return made
    column.extend([-1] * len(column) if isinstance(column, list) else array(column.typecode, [-1]) * len(column))
    return column


class Table:
    """A hash table of a kernel: `rows` of `width` entries, the first of which is the key.

    place: of the kernel, where the search for a key begins: (key, width, last index of the table) to an index.
    """

    def __init__(self, width: int, place: Callable[[int, int, int], int]) -> None:
        self.width, self.used, self._place = width, 0, place
        self.rows: Any = [-1] * (_FEW * width)

    def add(self, key: int, values: tuple[int, ...]) -> None:
        """A new row; the table grows where it would be a quarter full."""
        if 4 * (self.used + 1) * self.width > len(self.rows):
            old = [self.rows[at : at + self.width] for at in range(0, len(self.rows), self.width)]
            size = 4 * len(self.rows)
            self.rows = [-1] * size if isinstance(self.rows, list) else np.full(size, -1, np.int64)
            for row in old:
                if row[0] >= 0:
                    self._put(list(map(int, row)))
        self._put([key, *values])
        self.used += 1

    def _put(self, row: list[int]) -> None:
        most = len(self.rows) - 1
        at = self._place(row[0], self.width, most)
        while self.rows[at] >= 0:
            at = at + self.width & most
        for index, value in enumerate(row):
            self.rows[at + index] = value
