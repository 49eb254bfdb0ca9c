# SPDX-License-Identifier: Apache-2.0
"""What the files of all blocks that play rows have in common, and how the rows that several monitors observed are put
together.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np

VALID = 8  # bit of the byte `access`, whose lower bits are the op
ANSWER_FIELDS = ("addr", "wdata", "mode", "xlen32", "rdata", "outcome")  # of an access, besides op
ACCESS_FIELDS = ("op", *ANSWER_FIELDS)


def gaps(cycle: np.ndarray) -> np.ndarray:
    """The idle cycles before each row."""
    signed = cycle.astype(np.int64)
    return np.diff(signed, prepend=signed[:1] - 1) - 1


def write(path: Path, table: np.ndarray) -> None:
    """A table of rows as trace_player reads them: most significant byte first."""
    np.ascontiguousarray(table.view(np.uint8).reshape(-1, table.dtype.itemsize)[:, ::-1]).tofile(path)


def accesses(op: np.ndarray, none: int) -> np.ndarray:
    """The column `access` of some ops."""
    return np.where(op != none, op | VALID, 0)


def ops(access: np.ndarray, none: int) -> np.ndarray:
    """The ops of a column `access`."""
    return np.where(access & VALID != 0, access & 7, none)


def unknown_at(cycle: int, count: int) -> str:
    """The sentence about answers that hold an X."""
    return f"cycle {cycle}: csr_rdata_o or csr_outcome_o is X in an access ({count} such accesses)"


def unknown(cycle: np.ndarray, there: np.ndarray) -> list[str]:
    """A sentence about the first answer that holds an X."""
    found = np.flatnonzero(there)
    return [unknown_at(int(cycle[found[0]]), len(found))] if len(found) else []


def place(rows: Any, part: Any, names: Iterable[str]) -> None:
    """Put columns of a part of the rows where they belong."""
    at = np.searchsorted(rows.cycle, part.cycle)
    for name in names:
        getattr(rows, name)[at] = getattr(part, name)


def hold(rows: Any, part: Any, names: Iterable[str]) -> None:
    """Put columns of a part of the rows where they belong; up to the next row the values do not change."""
    if len(part):
        held = np.maximum(np.searchsorted(part.cycle, rows.cycle, side="right") - 1, 0)
        for name in names:
            setattr(rows, name, getattr(part, name)[held])
