"""Rows of the files between Python and ctr_tb: `Rows` to the player's file, the recorder's file to `Rows`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from models.ctr.rows import NO_ACCESS, Rows
from tb.agents import port_files
from tb.agents.pins import Pins

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
    table["cycle"] = port_files.gaps(rows.cycle)
    table["priv"] = rows.priv
    table["access"] = port_files.accesses(rows.op, NO_ACCESS)
    for name in _ACCESS_FIELDS:
        table[name] = getattr(rows, name)
    for name in _SLOT_FIELDS:
        table["slots"][name] = getattr(rows, name)
    port_files.write(path, table)


def read_seen(path: Path, pins: Pins) -> tuple[Rows, list[str]]:
    """What row_recorder saw, and a sentence about the first X."""
    table = np.fromfile(path, dtype=_row(pins.blocks, seen=True))
    columns = {name: table[name] for name in ("cycle", "rdata", "outcome", *_ACCESS_FIELDS)}
    columns |= {name: table["slots"][name] for name in _SLOT_FIELDS}
    rows = Rows(**columns, priv=table["priv"] & 7, op=port_files.ops(table["access"], NO_ACCESS))
    return rows, port_files.unknown(table["cycle"], table["priv"] & port_files.ANSWER_X)


def joined(retire: Rows, accesses: Rows) -> Rows:
    """One `Rows` of what the monitors of both ports saw: a row for each cycle that is in either of them."""
    cycle = np.union1d(retire.cycle, accesses.cycle)
    rows = Rows.empty(len(cycle), retire.slots)
    rows.cycle = cycle
    port_files.hold(rows, retire, ("priv",))
    port_files.place(rows, retire, _SLOT_FIELDS)
    port_files.place(rows, accesses, port_files.ACCESS_FIELDS)
    return rows
