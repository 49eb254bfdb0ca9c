"""Rows of the files between Python and hpm_tb: `Rows` to the player's file, the recorder's file to `Rows` and the state they show."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from models.hpm.model_bulk import Trace
from models.hpm.rows import NO_ACCESS, Rows
from tb.agents import port_files
from tb.agents.pins import Pins

_LEVELS = {"priv": (0, 7), "stopcount": (3, 1), "running": (4, 1)}  # of the levels word: lowest bit, mask
_LCOFI, _LCOFIE = 5, 6  # recorded
_STATE_X, _STRAY = 512, 1024  # recorded: a state port was X; a counter that is not there was not 0
_SAME = ("retired", "time", "mode", "xlen32", "addr", "wdata")  # fields of rows that stand there by their names
HART = ("priv", "stopcount", "running")
_COUNTERS = 32
SEEN_WRONG = {_STATE_X: "counter_o, of_o, lcofi_o or lcofie_o is X", _STRAY: "counter_o of a counter that is not there is not 0"}


class State(NamedTuple):
    """What the state ports showed. cycle: shape [n]; trace: their values; bent: where they did not go on as in the cycle before, or the run ends."""

    cycle: np.ndarray
    trace: Trace
    bent: np.ndarray


def _row(events: int, counters: int = 0) -> np.dtype:
    """counters: that are there, in what is recorded; 0 for the stimulus."""
    seen = counters > 0
    filled = (events + 3) // 4 * 4
    head: list[Any] = [("cycle", "<u8"), ("levels", "<u4"), ("retired", "u1"), ("access", "u1"), ("mode", "u1"), ("xlen32", "u1"),
                       ("addr", "<u2"), ("outcome", "u1"), ("zero", "u1", (5,)), ("wdata", "<u8"), ("time", "<u8")]  # fmt: skip
    more: list[Any] = [("of", "<u4"), ("counters", "<u8", (counters,))]
    return np.dtype([*head, *([("rdata", "<u8")] if seen else []), ("events", "u1", (filled,)), *(more if seen else [])])


def write_stimulus(path: Path, rows: Rows) -> None:
    """What trace_player reads: rows with the idle cycles before them as `cycle`, most significant byte first."""
    table = np.zeros(len(rows), dtype=_row(rows.width))
    table["cycle"] = port_files.gaps(rows.cycle)
    for name, (bit, _) in _LEVELS.items():
        table["levels"] |= getattr(rows, name).astype(np.uint32) << np.uint32(bit)
    table["access"] = port_files.accesses(rows.op, NO_ACCESS)
    table["events"][:, : rows.width] = rows.events
    for name in _SAME:
        table[name] = getattr(rows, name)
    port_files.write(path, table)


def _seen(path: Path, pins: Pins) -> np.ndarray:
    """The recorder's file, which every monitor takes its part of."""
    stat = path.stat()
    return _read(path.resolve(), stat.st_mtime_ns, stat.st_size, pins.blocks, len(pins.present))


@lru_cache(maxsize=1)
def _read(path: Path, _time: int, _size: int, events: int, counters: int) -> np.ndarray:
    return np.fromfile(path, dtype=_row(events, counters))


def read_seen(path: Path, pins: Pins) -> tuple[Rows, list[str]]:
    """What row_recorder saw on the ports, and a sentence about the first X in an answer."""
    table = _seen(path, pins)
    columns = {name: table[name] for name in ("cycle", "rdata", "outcome", *_SAME)}
    columns |= {name: table["levels"] >> np.uint32(bit) & mask for name, (bit, mask) in _LEVELS.items()}
    rows = Rows(**columns, events=table["events"][:, : pins.blocks], op=port_files.ops(table["access"], NO_ACCESS))
    return rows, port_files.unknown(table["cycle"], table["levels"] & port_files.ANSWER_X)


def read_state(path: Path, pins: Pins) -> tuple[State, list[str]]:
    """What it saw on the state ports, and a sentence about the first time that something there was wrong."""
    table = _seen(path, pins)
    levels = table["levels"]
    counters = np.zeros((len(table), _COUNTERS), np.uint64)
    counters[:, list(pins.present)] = table["counters"]
    trace = Trace(counters, table["of"].copy(),
                  (levels >> np.uint32(_LCOFI) & 1).astype(np.uint8), (levels >> np.uint32(_LCOFIE) & 1).astype(np.uint8))  # fmt: skip
    return State(table["cycle"].copy(), trace, np.ones(len(table), bool)), wrong_state(table["cycle"], {code: levels & code != 0 for code in SEEN_WRONG})


def save_state(path: Path, trace: Trace) -> None:
    """Write an .npz file."""
    np.savez_compressed(path, **trace._asdict())


def load_state(path: Path) -> Trace:
    """Read what `save_state` wrote."""
    with np.load(path) as stored:
        return Trace(**{name: stored[name] for name in Trace._fields})


def wrong_state(cycle: np.ndarray, there: Mapping[int, np.ndarray]) -> list[str]:
    """A sentence for each kind of `SEEN_WRONG` that was met, about the first cycle with it."""
    return [
        f"cycle {int(cycle[np.argmax(found)])}: {SEEN_WRONG[code]} ({int(found.sum())} such rows)" for code, found in there.items() if found.any()
    ]  # fmt: skip


def joined(hart: Rows, accesses: Rows, state: State) -> tuple[Rows, Trace]:
    """One `Rows` of what all monitors saw, and the state at the begin of each row: a row for each cycle that is in one of them."""
    if state.bent.all():  # as in a bulk run: there is one file, which has all cycles in which anything was seen
        cycle = state.cycle
    else:
        cycle = np.union1d(np.union1d(hart.cycle, accesses.cycle), state.cycle[state.bent])
    rows = Rows.empty(len(cycle), hart.width)
    rows.cycle = cycle
    port_files.hold(rows, hart, HART)
    port_files.place(rows, hart, ("retired", "events"))
    port_files.place(rows, accesses, (*port_files.ACCESS_FIELDS, "time"))
    at = np.searchsorted(state.cycle, cycle)
    return rows, Trace(*(column[at] for column in state.trace))
