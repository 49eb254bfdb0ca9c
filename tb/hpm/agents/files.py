# SPDX-License-Identifier: Apache-2.0
"""Rows of the files between Python and hpm_tb: `Rows` to the player's file, the recorder's file to `Rows` and the state
they show.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np

from rvtrace.models.hpm.bulk import Trace
from rvtrace.models.hpm.rows import NO_ACCESS, Rows
from rvtrace.tb.common.agents import port_files
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.hpm.agents import layout

_SAME = ("retired", "time", "mode", "xlen32", "addr", "wdata")  # fields of rows with the same names
HART = tuple(bits.name for bits in layout.HART)
_COUNTERS = 32
SEEN_WRONG = {
    layout.STATE_UNKNOWN.mask: "counter_o, of_o, lcofi_o or lcofie_o is X",
    layout.STRAY.mask: "counter_o of a counter that is not there is not 0",
}


class State(NamedTuple):
    """What the state ports showed, shapes [n]. bent: where they did not continue as before, or the run ends."""

    cycle: np.ndarray
    trace: Trace
    bent: np.ndarray


def write_stimulus(path: Path, rows: Rows) -> None:
    """What trace_player reads: rows with the idle cycles before them as `cycle`, most significant byte first."""
    table = np.zeros(len(rows), dtype=layout.STIMULUS.dtype({"NEvents": rows.width}))
    table["cycle"] = port_files.gaps(rows.cycle)
    for bits in layout.HART:
        table["levels"] |= getattr(rows, bits.name).astype(np.uint32) << np.uint32(bits.lsb)
    table["access"] = port_files.accesses(rows.op, NO_ACCESS)
    table["events"][:, : rows.width] = rows.events
    for name in _SAME:
        table[name] = getattr(rows, name)
    port_files.write(path, table)


class Recording(NamedTuple):
    """What row_recorder saw of all ports. rows, state: one element for each row; problems, state_problems: of the
    answers, of the state ports.
    """

    rows: Rows
    state: Trace
    problems: list[str]
    state_problems: list[str]


def read_seen(path: Path, pins: Pins) -> Recording:
    """The recorder's file: rows as the monitors of hart and CSR port would have observed them, and the state at the
    start of each.
    """
    counts = {"NEvents": pins.blocks, "NCounters": len(pins.present)}
    table = np.fromfile(path, dtype=layout.RECORDED.dtype(counts))
    cycle, levels = table["cycle"], table["levels"]
    columns = {name: table[name] for name in ("cycle", "rdata", "outcome", *_SAME)}
    columns |= {bits.name: (levels & np.uint32(bits.mask)) >> np.uint32(bits.lsb) for bits in layout.HART}
    rows = Rows(**columns, events=table["events"][:, : pins.blocks], op=port_files.ops(table["access"], NO_ACCESS))
    for name in (*port_files.ANSWER_FIELDS, "time"):  # which may be noise
        getattr(rows, name)[rows.op == NO_ACCESS] = 0
    counters = np.zeros((len(table), _COUNTERS), np.uint64)
    counters[:, list(pins.present)] = table["counters"]
    lcofi, lcofie = ((levels & np.uint32(bits.mask) != 0).astype(np.uint8) for bits in layout.STATE)
    wrong = wrong_state(cycle, {code: levels & code != 0 for code in SEEN_WRONG})
    unknown = port_files.unknown(cycle, levels & np.uint32(layout.UNKNOWN.mask))
    return Recording(rows, Trace(counters, table["of"].copy(), lcofi, lcofie), unknown, wrong)


def wrong_state(cycle: np.ndarray, there: Mapping[int, np.ndarray]) -> list[str]:
    """A sentence for each kind of `SEEN_WRONG` that occurred, about the first cycle with it."""
    return [
        f"cycle {int(cycle[np.argmax(found)])}: {SEEN_WRONG[code]} ({int(found.sum())} such rows)"
        for code, found in there.items()
        if found.any()
    ]


def joined(hart: Rows, accesses: Rows, state: State) -> tuple[Rows, Trace]:
    """One `Rows` of what all monitors observed pin by pin, and the state at the start of each row: a row for each cycle
    that is in one of them.
    """
    cycle = np.union1d(np.union1d(hart.cycle, accesses.cycle), state.cycle[state.bent])
    rows = Rows.empty(len(cycle), hart.width)
    rows.cycle = cycle
    port_files.hold(rows, hart, HART)
    port_files.place(rows, hart, ("retired", "events"))
    port_files.place(rows, accesses, (*port_files.ACCESS_FIELDS, "time"))
    at = np.searchsorted(state.cycle, cycle)
    return rows, Trace(*(column[at] for column in state.trace))
