# SPDX-License-Identifier: Apache-2.0
"""The bytes of a kernel's rows (`rvtrace.models.common.native`), each row packed by itself, where Python runs it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


def packed_rows(
    m: Any, used: int, row_size: int, first: int, end: int, pack_one: Callable[[Any, int, int], int]
) -> bytes:
    """The bytes of all rows; where those of each end is written to its entry `end`.

    m: the kernel's columns, of which m[1] has the rows and m[2] is free. used: entries of all rows. A row is its first
    entry, and those from `first` to `end`. Programs loop: most rows come again, and what has been packed once is not
    packed again.
    """
    rows, scratch = m[1], m[2]
    known: dict[tuple[Any, ...], bytes] = {}
    packed, size = [], 0
    for at in range(0, used, row_size):
        key = (rows[at], *rows[at + first : at + end])
        chunk = known.get(key)
        if chunk is None:
            chunk = known[key] = bytes(scratch[: pack_one(m, at, 0)])
        packed.append(chunk)
        size += len(chunk)
        rows[at + end] = size
    return b"".join(packed)
