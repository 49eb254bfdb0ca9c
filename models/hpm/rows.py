# SPDX-License-Identifier: Apache-2.0
"""Rows: what happened at the ports of a counter block, cycle by cycle, as arrays.

The same record is played (rdata and outcome 0) and comes back from the monitors (with what the device answered);
checks, coverage and models read it. Ports: docs/reference/hpm-profile.md.

    rows = Rows.from_rows([(0, M, Counts(retired=2), Access(WRITE, 0x323, 3))], events=8)
    rows, trace = followed(rows, config)      what the model answers, and its state at the start of each row

In the cycles between two rows nothing retires, no event happens and nothing is accessed; `priv_i`, `stopcount_i` and
`cycle_i` are those of the row before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.models.common.port_rows import ACCESS, NO_ACCESS, PortRows, RowsError
from rvtrace.models.hpm.bulk import Block, Trace, follow
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import Access

_CYCLE: dict[str, Any] = {
    "cycle": np.uint64,
    "priv": np.uint8,
    "stopcount": np.uint8,
    "running": np.uint8,
    "retired": np.uint8,
    "events": np.uint8,
    "time": np.uint64,
}
_DTYPES = _CYCLE | ACCESS
_SHORT = 64  # rows: fewer are faster one by one

Row = tuple[int, int, Counts, "Access | None", int, int]


@dataclass
class Rows(PortRows):
    """Columns of n rows (what all ports have in common: models/common/port_rows.py). priv, stopcount, retired, time:
    the ports.

    running: `cycle_i`. events: shape [n, NEvents].
    """

    DTYPES = _DTYPES

    cycle: np.ndarray
    priv: np.ndarray
    stopcount: np.ndarray
    running: np.ndarray
    retired: np.ndarray
    events: np.ndarray
    time: np.ndarray
    op: np.ndarray
    addr: np.ndarray
    wdata: np.ndarray
    mode: np.ndarray
    xlen32: np.ndarray
    rdata: np.ndarray
    outcome: np.ndarray

    @property
    def width(self) -> int:
        """How many external events there are."""
        return int(self.events.shape[1])

    @property
    def clocks(self) -> np.ndarray:
        """How many cycles each row represents: itself, and those up to the next row."""
        return np.append(np.diff(self.cycle), np.uint64(1)).astype(np.uint64) if len(self) else np.zeros(0, np.uint64)

    @classmethod
    def empty(cls, n: int, events: int) -> Rows:
        """n rows in cycles 0, 1, ... in M-mode, in which only cycles of the hart pass."""
        columns = {name: np.zeros((n, events) if name == "events" else n, dtype) for name, dtype in _DTYPES.items()}
        return cls(
            **columns
            | {
                "cycle": np.arange(n),
                "priv": np.full(n, 3),
                "running": np.ones(n),
                "op": np.full(n, NO_ACCESS),
            }
        )

    @classmethod
    def from_rows(cls, rows: Iterable[tuple[int, int, Counts, Access | None]], events: int) -> Rows:
        """From (cycle, priv, counts, access) tuples; RowsError if a row has more events than there are."""
        table = list(rows)
        out = cls.empty(len(table), events)
        out.cycle = np.array([row[0] for row in table], np.uint64)
        for k, (cycle, priv, counts, access) in enumerate(table):
            if len(counts.events) > events:
                raise RowsError(f"cycle {cycle} has {len(counts.events)} events; give at most {events}")
            out.priv[k], out.running[k], out.retired[k] = priv, counts.cycle, counts.retired
            out.events[k, : len(counts.events)], out.stopcount[k], out.time[k] = (
                counts.events,
                counts.stopcount,
                counts.time,
            )
            if access is not None:
                out.op[k], out.addr[k], out.wdata[k], out.mode[k], out.xlen32[k] = access
        out.__post_init__()
        return out

    def cycles(self) -> Iterator[Row]:
        """Each row: cycle, privilege, counts, access or None, rdata, outcome."""
        counts = map(Counts, self.running.tolist(), self.retired.tolist(), map(tuple, self.events.tolist()),
                     self.stopcount.tolist(), self.time.tolist())  # fmt: skip
        accesses = zip(
            self.op.tolist(), self.addr.tolist(), self.wdata.tolist(), self.mode.tolist(), self.xlen32.tolist()
        )
        rest = zip(
            self.cycle.tolist(), self.priv.tolist(), counts, accesses, self.rdata.tolist(), self.outcome.tolist()
        )
        for cycle, priv, count, access, rdata, outcome in rest:
            yield cycle, priv, count, None if access[0] == NO_ACCESS else Access._make(access), rdata, outcome


def followed(rows: Rows, config: Config, hpm: Hpm | None = None) -> tuple[Rows, Trace]:
    """The rows with what the model answers to each access, and the model's state at the start of each row."""
    model = hpm or Hpm(config)
    out, trace, clocks = rows.select(np.arange(len(rows))), Trace.empty(len(rows)), rows.clocks
    block = Block(rows.priv, rows.stopcount, rows.running, rows.retired, rows.events, clocks)
    begin = 0
    for quiet in _quiet(rows) if type(model) is Hpm else ():  # another device may count otherwise
        _one_by_one(model, rows, slice(begin, quiet.start), clocks, out, trace)
        for column, found in zip(trace, follow(model, block.part(quiet))):
            column[quiet] = found
        begin = quiet.stop
    _one_by_one(model, rows, slice(begin, len(rows)), clocks, out, trace)
    return out, trace


def _quiet(rows: Rows) -> Iterator[slice]:
    """Stretches without access that are worth numpy's while."""
    edges = np.concatenate(([-1], np.flatnonzero(rows.op != NO_ACCESS), [len(rows)]))
    for k in np.flatnonzero(np.diff(edges) > _SHORT).tolist():
        yield slice(int(edges[k]) + 1, int(edges[k + 1]))


def _one_by_one(model: Hpm, rows: Rows, where: slice, clocks: np.ndarray, out: Rows, trace: Trace) -> None:
    """Rows cycle by cycle."""
    part, lasts = rows.select(where), clocks[where].tolist()
    for k, (_, priv, counts, access, _, _) in enumerate(part.cycles(), where.start):
        trace.counters[k], trace.of[k] = model.counters, model.of
        trace.lcofip[k], trace.lcofie[k] = model.lcofip, model.lcofie
        answer = model.cycle(priv, counts, access)
        out.rdata[k], out.outcome[k] = (answer.rdata, answer.outcome) if answer else (0, 0)
        model.idle(priv, lasts[k - where.start] - 1, counts.cycle, counts.stopcount)


def answered(rows: Rows, config: Config) -> Rows:
    """The rows with what the reference model answers to each access: a device that is right, without a simulator."""
    return followed(rows, config)[0]
