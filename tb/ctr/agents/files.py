# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and ctr_tb: `Rows` to the player's file, the recorder's file to `Rows`."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from rvtrace.models.ctr.rows import NO_ACCESS, Rows
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.ctr.agents.layout import RECORDED, STIMULUS

_PRIV, _UNKNOWN = (RECORDED.field("priv").part(name) for name in ("priv", "unknown"))
_SLOT_FIELDS = ("type", "misp", "from_", "to", "cause", "source", "target")
_ACCESS_FIELDS = ("mode", "xlen32", "addr", "wdata")


def write_stimulus(path: Path, rows: Rows) -> None:
    """What trace_player reads: rows with the idle cycles before them as `cycle`, most significant byte first."""
    table = np.zeros(len(rows), dtype=STIMULUS.dtype({"NTransfers": rows.slots}))
    table["cycle"] = port_files.gaps(rows.cycle)
    table["priv"] = rows.priv
    table["access"] = port_files.accesses(rows.op, NO_ACCESS)
    for name in _ACCESS_FIELDS:
        table[name] = getattr(rows, name)
    for name in _SLOT_FIELDS:
        table["slots"][name] = getattr(rows, name)
    port_files.write(path, table)


class Recording(NamedTuple):
    """What row_recorder saw of both ports, and sentences about answers that hold an X."""

    rows: Rows
    problems: list[str]


def read_seen(path: Path, pins: Pins) -> Recording:
    """The recorder's file: rows as the monitors of both ports would have observed them."""
    table = np.fromfile(path, dtype=RECORDED.dtype({"NTransfers": pins.blocks}))
    columns = {name: table[name] for name in ("cycle", "rdata", "outcome", *_ACCESS_FIELDS)}
    columns |= {name: table["slots"][name] for name in _SLOT_FIELDS}
    rows = Rows(**columns, priv=table["priv"] & _PRIV.mask, op=port_files.ops(table["access"], NO_ACCESS))
    return Recording(_observed(rows), port_files.unknown(table["cycle"], table["priv"] & _UNKNOWN.mask))


def _observed(rows: Rows) -> Rows:
    """Rows with transfers, another privilege or an access; 0 for the fields of what is absent, which may be noise."""
    retired = (rows.type != 0).any(axis=1) | (np.diff(rows.priv.astype(np.int8), prepend=np.int8(-1)) != 0)
    accessed = rows.op != NO_ACCESS
    for names, there in ((port_files.ANSWER_FIELDS, accessed), (_SLOT_FIELDS, retired)):
        for name in names:
            getattr(rows, name)[~there] = 0
    return rows if (kept := retired | accessed).all() else rows.select(kept)


def joined(retire: Rows, accesses: Rows) -> Rows:
    """One `Rows` of what the monitors of both ports observed pin by pin: a row for each cycle that is in either of
    them.
    """
    cycle = np.union1d(retire.cycle, accesses.cycle)
    rows = Rows.empty(len(cycle), retire.slots)
    rows.cycle = cycle
    port_files.hold(rows, retire, ("priv",))
    port_files.place(rows, retire, _SLOT_FIELDS)
    port_files.place(rows, accesses, port_files.ACCESS_FIELDS)
    return rows
