# SPDX-License-Identifier: Apache-2.0
"""Real programs as rows of the port: a recorded run, and as an option what else a hart could report of it.

What a recording does not have is made up as a hart would have it: counters and time that go on, the physical address of
the next pc, and bus transactions of loads and stores, also more than one for an instruction.
"""

from __future__ import annotations

from random import Random

import numpy as np

from rvtrace.models.riscv.recording import Recording
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.models.tandem.trace_data import Rows, TraceData
from rvtrace.tb.tandem.stimulus.rows import generator

_AMO = 0x2F  # opcode
_FUNCT5 = {
    0x02: 2,
    0x03: 3,
    0x01: 4,
    0x00: 5,
    0x04: 6,
    0x0C: 7,
    0x08: 8,
    0x10: 9,
    0x14: 10,
    0x18: 11,
    0x1C: 12,
}  # to operations of the trace
_CYCLES = 3  # a hart needs for an instruction, at most
_TIMER = 50  # rows between two looks at the clock


def program_rows(run: Recording, config: Config, size: int | None = None) -> Rows:
    """The rows of a run, of the first `size` instructions and traps; with a flush at the end."""
    rows = from_recording(run)
    if size is None:
        return rows
    steps = np.flatnonzero(rows.have("group") & ~rows.have("init"))  # the first is the reset
    end = int(steps[size]) + 1 if size < len(steps) else len(rows)
    return (
        Rows.concat([rows.select(slice(0, end)), rows.select(slice(len(rows) - 1, None))]) if end < len(rows) else rows
    )


def reported_more(rows: Rows, config: Config, rng: Random) -> Rows:
    """The rows of a program with counters, time, physical pc and bus transactions."""
    chosen, out = generator(rng), rows.select(np.arange(len(rows)))
    steps = rows.have("group") & ~rows.have("init") & ~rows.have("reset")
    out.mcycle = np.cumsum(np.where(steps, chosen.integers(1, _CYCLES + 1, len(rows)), 0)).astype(
        np.uint64
    ) + np.uint64((1 << 32) - 500)
    out.minstret = np.cumsum(rows.have("insn")).astype(np.uint64) + np.uint64((1 << 32) - 200)
    for name, share in (("mcycle", 0.3), ("minstret", 0.3), ("ppc", 0.1)):
        out.has[steps & (chosen.random(len(rows)) < share)] |= np.uint32(t.HAS[name])
    out.ppc = out.pc & np.uint64((1 << config.mlen) - 1)
    _transactions(out, steps & rows.have("paddr") & (chosen.random(len(rows)) < 0.8))
    return _with_time(out, steps, chosen)


def _transactions(rows: Rows, where: np.ndarray) -> None:
    """A request, and its response, of each of these accesses."""
    k = np.flatnonzero(where)
    stores, amo = rows.have("memdata")[k], (rows.insn[k] & 0x7F == _AMO) & (rows.insn16[k] == 0)
    funct5 = (rows.insn[k] >> 27).tolist()
    op = np.where(stores, t.STORE, t.LOAD)
    op[amo] = [_FUNCT5.get(funct5[n], t.LOAD) for n in np.flatnonzero(amo).tolist()]
    size = np.where(stores, rows.memdata_size[k], np.where(rows.insn16[k] == 0, rows.insn[k] >> 12 & 3, 2))
    rows.has[k] |= np.uint32(t.HAS["request"] | t.HAS["response"])
    rows.req_op[k], rows.req_size[k], rows.req_addr[k], rows.req_data[k] = op, size, rows.paddr[k], rows.memdata[k]
    rows.rsp_result[k], rows.rsp_data[k] = 0, rows.gpr[k]


def _with_time(rows: Rows, steps: np.ndarray, chosen: np.random.Generator) -> Rows:
    """With rows outside groups that report the time, and the fetches of an instruction cache."""
    at = np.flatnonzero(steps & (chosen.random(len(rows)) < 1 / _TIMER))
    parts, begin, now = [], 0, int(chosen.integers(1 << 20, 1 << 40))
    for k in at.tolist():
        parts.append(rows.select(slice(begin, k)))
        now += int(chosen.integers(1, 9))
        fetch = TraceData(
            group=False, request=(t.FETCH, 2, int(rows.pc[k]), 0), response=(0, int(chosen.integers(1 << 32)))
        )
        clock = TraceData(group=False, mtime=now)
        parts.append(Rows.from_rows([clock, fetch] if now & 1 else [clock]))
        begin = k
    return Rows.concat([*parts, rows.select(slice(begin, None))])
