# SPDX-License-Identifier: Apache-2.0
"""From a retire stream and its rows of the tandem trace to the values on the hart port, beat by beat."""

from __future__ import annotations

from random import Random

import numpy as np

from rvtrace.models.riscv.operands import NONE, operands
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, IType, Kind, Priv, Retired
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.encoder.from_retired import from_retired
from rvtrace.models.tandem.table import HAS
from rvtrace.models.tandem.trace_data import FLUSH, Rows, TraceData
from rvtrace.tb.subsystem.agents.files import EXTERNAL_BITS, EXTERNAL_LSB, REPORTED, STOPPED, HartRows
from rvtrace.tb.tandem.stimulus.rows import generator, noisy

_MISP = 0.1  # share of branches and jumps that were predicted wrong
_COUNTERS = 0.02  # of rows that have mcycle or minstret
_EXTERNAL = 0.03  # of beats with an external event
_TRAP_CSRS = {
    Priv.M: (0x341, 0x342, 0x343),
    Priv.S: (0x141, 0x142, 0x143),
    Priv.VS: (0x241, 0x242, 0x243),
}  # xepc, xcause, xtval


def walk_rows(retired: Retired, program: Program, rng: Random) -> Rows:
    """Rows of a walk, which computes nothing: what its instructions write and access is made up; a trap writes its
    CSRs.
    """
    chosen, n = generator(rng), len(retired)
    pcs, index = np.unique(retired.pc, return_inverse=True)
    table = np.zeros((len(pcs), 3), np.int64)
    for entry, address in zip(table, pcs.tolist()):
        insn = program.insn(address)
        o = operands(insn.raw, insn.size, program.xlen) if insn else NONE
        entry[:] = o.rd, o.size, o.store
    rd, size, store = np.where(retired.kind == Kind.INSN, table.T[:, index], 0)
    mask = np.uint64((1 << program.xlen) - 1)
    values = chosen.integers(0, 1 << 64, (4, n), np.uint64) & mask
    small = chosen.random(n) < 0.3  # values near those before, so that short forms are met
    values[0][small] &= np.uint64(0xFF)
    row, address, value = _trap_csrs(retired, program.xlen)
    effects = Effects(
        rd=rd.astype(np.uint8),
        rd_value=np.where(rd > 0, values[0], 0),
        mem_addr=values[1] & ~np.uint64(7),
        mem_size=size.astype(np.uint8),
        mem_store=store.astype(np.uint8),
        mem_value=values[2]
        & np.uint64(0xFFFF_FFFF_FFFF_FFFF) >> (np.uint64(64) - np.uint64(8) * np.maximum(size, 1).astype(np.uint64)),
        csr_row=row,
        csr_addr=address,
        csr_value=value,
    )
    traced = retired.select(slice(None))
    traced.effects = effects
    rows = from_retired(traced, program)
    back = np.flatnonzero((retired.kind == Kind.INSN) & (retired.itype == IType.XRET))  # uret and mnret too
    rows.has[back] |= np.uint32(HAS["priv"])
    rows.priv[back] = np.append(retired.priv[1:], retired.priv[-1:])[back] & 3
    begin = Rows.from_rows([TraceData(reset=True, pc=int(retired.pc[0]), priv=int(retired.priv[0]) & 3)])
    return Rows.concat([begin, rows, Rows.from_rows([FLUSH])])


def _trap_csrs(retired: Retired, xlen: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """xepc, xcause and xtval of every trap, in the mode that takes it."""
    traps = np.flatnonzero(retired.kind != Kind.INSN)
    after = np.append(retired.priv[1:], retired.priv[-1:])[traps]
    out: list[tuple[int, int, int]] = []
    for row, priv in zip(traps.tolist(), after.tolist()):
        cause = int(retired.cause[row]) | int(retired.kind[row] == Kind.INTERRUPT) << xlen - 1
        addresses = _TRAP_CSRS.get(priv, _TRAP_CSRS[Priv.M])
        out += [
            (row, address, value)
            for address, value in zip(addresses, (int(retired.pc[row]), cause, int(retired.tval[row])))
        ]
    columns = list(zip(*out)) or [(), (), ()]
    return np.array(columns[0], np.int64), np.array(columns[1], np.uint16), np.array(columns[2], np.uint64)


def reported_of(rows: Rows, retired: Retired, rng: Random) -> dict[str, np.ndarray]:
    """What the hart reports beside the rows; those of the retire stream are the groups of instructions and traps, in
    order.
    """
    is_reported = rows.have("group") & ~rows.have("init") & ~rows.have("reset")
    if int(is_reported.sum()) != len(retired):
        raise ValueError(
            f"there are {int(is_reported.sum())} rows of instructions and traps, and {len(retired)} retired; give rows"
            " of this retire stream"
        )
    chosen, insn = generator(rng), retired.kind == Kind.INSN
    itype = np.where(insn, retired.itype, retired.kind)
    predicted = insn & (itype >= IType.NOT_TAKEN)
    values = {
        "pc": retired.pc,
        "tval": retired.tval,
        "context": retired.context,
        "cause": retired.cause & np.uint64(0xFF),
        "itype": itype,
        "mode": retired.priv,
        "mode_next": np.append(retired.priv[1:], retired.priv[-1:]),
        "reported": np.ones(len(retired)),
        "misp": predicted & (chosen.random(len(retired)) < _MISP),
    }
    out = {name: np.zeros(len(rows), dtype) for name, dtype in REPORTED.items()}
    for name, column in values.items():
        out[name][is_reported] = column
    return out


def with_counters(rows: Rows, rng: Random) -> Rows:
    """The rows, some of which have mcycle and minstret; the values are those of the counters."""
    chosen, steps = generator(rng), rows.have("group") & ~rows.have("init") & ~rows.have("reset")
    out = rows.select(slice(None))
    for name in ("mcycle", "minstret"):
        out.has[steps & (chosen.random(len(rows)) < _COUNTERS)] |= np.uint32(HAS[name])
    return out


def on_port(
    rows: Rows, reported: dict[str, np.ndarray], config: Config, rng: Random, gaps: int = 0, full: bool = True
) -> HartRows:
    """The rows in beats: as many as fit in each, or fewer; those reported in one beat have one mode and context, a trap
    is the last of them.

    gaps: % of beats with idle cycles before; in some of those the hart waits (the cycle does not count).
    """
    chosen = generator(rng)
    beat = _beats(reported, config.retire, chosen.random(len(rows)) < (0 if full else 0.4))
    n = int(beat[-1]) + 1 if len(beat) else 0
    gap = ((chosen.random(n) < gaps / 100) * chosen.integers(1, 9, n)).astype(np.uint64)
    events = chosen.integers(1, 1 << EXTERNAL_BITS, n) * (chosen.random(n) < _EXTERNAL)
    levels = (events << EXTERNAL_LSB).astype(np.uint32)
    placed = noisy(rows, config.tandem, rng)
    placed.cycle = beat.astype(np.uint64)
    return _waiting(HartRows(placed, reported, gap, levels), chosen, gaps)


def _beats(reported: dict[str, np.ndarray], slots: int, coin: np.ndarray) -> np.ndarray:
    """The number of the beat of each row."""
    columns = zip(
        *(reported[name].tolist() for name in ("reported", "mode", "context", "itype")),
        coin.tolist(),
    )
    out, number, used = [], -1, slots
    before: tuple[int, int, bool] | None = None  # mode, context, trap of what is reported last in this beat
    for is_reported, mode, context, itype, alone in columns:
        apart = is_reported and before is not None and (before[2] or before[:2] != (mode, context))
        if used == slots or apart or alone:
            number, used, before = number + 1, 0, None
        if is_reported:
            before = mode, context, itype in (IType.EXCEPTION, IType.INTERRUPT)
        used += 1
        out.append(number)
    return np.array(out, np.int64)


def _waiting(hart: HartRows, chosen: np.random.Generator, gaps: int) -> HartRows:
    """Some idle cycles become beats in which the hart waits."""
    n = len(hart)
    waits = (hart.gap > 0) & (chosen.random(n) < 0.3) if gaps else np.zeros(n, bool)
    place = np.arange(n) + np.cumsum(waits)  # of each beat among the old and the new
    total = n + int(waits.sum())
    gap, levels = np.zeros(total, np.uint64), np.full(total, STOPPED, np.uint32)
    gap[place], levels[place] = np.where(waits, hart.gap - (hart.gap > 0), hart.gap), hart.levels
    rows = hart.rows.select(slice(None))
    rows.cycle = place[rows.cycle.astype(np.int64)].astype(np.uint64)
    return HartRows(rows, hart.reported, gap, levels)
