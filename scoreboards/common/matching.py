# SPDX-License-Identifier: Apache-2.0
"""What had to be reported and what was reported, in order: where they first disagree."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np


def same_start(a: Sequence[Any] | np.ndarray, b: Sequence[Any] | np.ndarray) -> int:
    """How many elements at the start of both are equal."""
    n = min(len(a), len(b))
    if not isinstance(a, np.ndarray):
        return next((i for i, (one, other) in enumerate(zip(a, b)) if one != other), n)
    if not np.array_equal(a[: min(n, 16)], b[: min(n, 16)]):  # most of what differs does so early
        n = min(n, 16)
    differ = np.flatnonzero(a[:n] != b[:n])
    return int(differ[0]) if len(differ) else n


def first_mismatch(
    wanted: Sequence[Any],
    reported: Sequence[Any],
    same: Callable[[Any, Any], bool],
    may_miss: Callable[[Any], bool],
    optional: Callable[[Any], bool] | None = None,
) -> tuple[int | None, int | None] | None:
    """(index in wanted, index in reported) of the first that is missing (reported None), extra (wanted None) or
    different; None if all agree.

    same: whether an element of `reported` reports one of `wanted`. may_miss: whether one of `wanted` may be missing.
    optional: which of those leave the one event to an equal one that must be reported; default all.
    """
    optional = optional or may_miss
    i = 0

    def fits(index: int, number: int) -> bool:
        return index < len(wanted) and number < len(reported) and same(wanted[index], reported[number])

    for number, event in enumerate(reported):
        while i < len(wanted) and not same(wanted[i], event) and may_miss(wanted[i]):
            i += 1
        # equal ones of which some may be missing: the one event is the one that must be reported
        if i < len(wanted) and optional(wanted[i]):
            must = next((k for k in range(i + 1, len(wanted)) if not optional(wanted[k])), len(wanted))
            if fits(must, number) and not fits(must, number + 1):
                i = must
        if not fits(i, number):
            return (i if i < len(wanted) else None), number
        i += 1
    left = next((k for k in range(i, len(wanted)) if not may_miss(wanted[k])), None)
    return None if left is None else (left, None)
