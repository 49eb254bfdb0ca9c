"""Rows of the files between Python and ctr_tb: `Rows` to the player's file, the recorder's file to `Rows`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from models.ctr.rows import NO_ACCESS, Rows

STIMULUS, SEEN = "stimulus.bin", "rows.bin"
_VALID = 8  # bit of the byte `access`, whose lower bits are the op
_X = 256  # bit of `priv`: a value or an outcome was X

_SLOT = np.dtype([("type", "u1"), ("misp", "u1"), ("from_", "u1"), ("to", "u1"), ("cause", "u1"), ("zero", "u1", (3,)),
                  ("source", "<u8"), ("target", "<u8")])  # fmt: skip
_SLOT_FIELDS = ("type", "misp", "from_", "to", "cause", "source", "target")
_ACCESS_FIELDS = ("mode", "xlen32", "addr", "wdata")


def _row(slots: int, seen: bool) -> np.dtype:
    head: list[Any] = [("cycle", "<u8"), ("priv", "<u4"), ("access", "u1"), ("mode", "u1"), ("xlen32", "u1"), ("outcome", "u1"),
                       ("addr", "<u2"), ("zero", "u1", (6,)), ("wdata", "<u8")]  # fmt: skip
    return np.dtype([*head, *([("rdata", "<u8")] if seen else []), ("slots", _SLOT, (slots,))])


def write_stimulus(path: Path, rows: Rows) -> None:
    """What trace_player reads: rows with the idle cycles before them as `cycle`, most significant byte first."""
    table = np.zeros(len(rows), dtype=_row(rows.slots, seen=False))
    cycle = rows.cycle.astype(np.int64)
    table["cycle"] = np.diff(cycle, prepend=cycle[:1] - 1) - 1
    table["priv"] = rows.priv
    table["access"] = np.where(rows.op != NO_ACCESS, rows.op | _VALID, 0)
    for name in _ACCESS_FIELDS:
        table[name] = getattr(rows, name)
    for name in _SLOT_FIELDS:
        table["slots"][name] = getattr(rows, name)
    np.ascontiguousarray(table.view(np.uint8).reshape(-1, table.dtype.itemsize)[:, ::-1]).tofile(path)


def read_seen(path: Path, slots: int) -> tuple[Rows, list[str]]:
    """What row_recorder saw, and a sentence about the first X."""
    table = np.fromfile(path, dtype=_row(slots, seen=True))
    there = table["access"] & _VALID != 0
    columns = {name: table[name] for name in ("cycle", "rdata", "outcome", *_ACCESS_FIELDS)}
    columns |= {name: table["slots"][name] for name in _SLOT_FIELDS}
    rows = Rows(**columns, priv=table["priv"] & 7, op=np.where(there, table["access"] & 7, NO_ACCESS))
    unknown = np.flatnonzero(table["priv"] & _X)
    return rows, [] if not len(unknown) else [unknown_at(int(table["cycle"][unknown[0]]), len(unknown))]


def unknown_at(cycle: int, count: int) -> str:
    """The sentence about answers that hold an X."""
    return f"cycle {cycle}: csr_rdata_o or csr_outcome_o is X in an access ({count} such accesses)"


def joined(retire: Rows, accesses: Rows) -> Rows:
    """One `Rows` of what the monitors of both ports saw: a row for each cycle that is in either of them."""
    cycle = np.union1d(retire.cycle, accesses.cycle)
    rows = Rows.empty(len(cycle), retire.slots)
    rows.cycle = cycle
    at = np.searchsorted(cycle, retire.cycle)
    held = np.searchsorted(retire.cycle, cycle, side="right") - 1  # what was told last
    rows.priv = retire.priv[np.maximum(held, 0)] if len(retire) else rows.priv
    for name in _SLOT_FIELDS:
        getattr(rows, name)[at] = getattr(retire, name)
    at = np.searchsorted(cycle, accesses.cycle)
    for name in ("op", *_ACCESS_FIELDS, "rdata", "outcome"):
        getattr(rows, name)[at] = getattr(accesses, name)
    return rows
