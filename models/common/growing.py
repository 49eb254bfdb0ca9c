# SPDX-License-Identifier: Apache-2.0
"""Columns of integers of kernels (`rvtrace.models.common.native`) that grow, as lists or as arrays."""

from __future__ import annotations

from array import array
from typing import Any

import numpy as np


def longer(column: Any) -> Any:
    """Twice as long, with -1 in what is new."""
    if isinstance(column, np.ndarray):
        made = np.full(2 * len(column), -1, column.dtype)
        made[: len(column)] = column
        return made
    column.extend([-1] * len(column) if isinstance(column, list) else array(column.typecode, [-1]) * len(column))
    return column
