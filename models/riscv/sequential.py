# SPDX-License-Identifier: Apache-2.0
"""Sequentially inferable jumps: indirect ones whose register the instruction right before loaded (N-Trace 9.1)."""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired

_JUMPS = ("jalr", "c.jr", "c.jalr")
# Rows between two instructions that do not disturb the hart: it retires the two one after the other.
_UNNOTICED = (Kind.NOTIFY, Kind.EXT_NOTIFY, Kind.VENDOR, Kind.TRACE_ON, Kind.TRACE_OFF, Kind.TOGGLE)
_RETIRES_OR_TRAPS = (Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT)


def constant(insn: Insn, xlen: int) -> tuple[int, int] | None:
    """The register that a lui, c.lui or auipc writes, and the value; None for any other instruction."""
    raw, rd = insn.raw, insn.raw >> 7 & 31
    if insn.size == 4 and raw & 0x7F in (0x37, 0x17):
        value, bits = raw & 0xFFFF_F000, 32
        base = insn.pc if raw & 0x7F == 0x17 else 0
    elif insn.size == 2 and raw & 0xE003 == 0x6001 and rd != 2:
        value, bits, base = (raw >> 12 & 1) << 17 | (raw >> 2 & 31) << 12, 18, 0
        rd = rd if value else 0  # reserved
    else:
        return None
    signed = value - (1 << bits) if value >> bits - 1 else value
    return (rd, base + signed & (1 << xlen) - 1) if rd else None


def target(before: Insn | None, jump: Insn | None, xlen: int) -> int | None:
    """Where `jump` leads if it retires right after `before`; None unless that is sequentially inferable."""
    if before is None or jump is None or jump.name not in _JUMPS or before.pc + before.size != jump.pc:
        return None
    loaded = constant(before, xlen)
    if loaded is None or loaded[0] != jump.rs1:
        return None
    offset = (jump.raw >> 20) - (jump.raw >> 31 << 12) if jump.size == 4 else 0
    return loaded[1] + offset & (1 << xlen) - 2


def mark(retired: Retired, program: Program) -> Retired:
    """The stream with `sijump` as a hart reports it, effects included.

    Marked is an uninferable jump whose register the instruction retired right before loaded with a constant, unless
    the next row shows that it went elsewhere. Trace switches and triggers between the two do not count for the
    hart: whether both are in one message is for the encoder to know.
    """
    result = retired.select(slice(None))
    result.effects = retired.effects
    result.sijump = np.zeros(len(retired), np.uint8)
    rows = np.flatnonzero(~np.isin(retired.kind, _UNNOTICED))
    kind, pc = retired.kind[rows], retired.pc[rows]
    insn = kind == Kind.INSN
    pair = insn[1:] & insn[:-1] & (program.columns(pc[1:]).flow == Flow.UNINFERABLE)
    pair &= pc[:-1] + retired.size[rows[:-1]] == pc[1:]
    known: dict[int, int | None] = {}
    for place in (np.flatnonzero(pair) + 1).tolist():
        at, before = int(pc[place]), int(pc[place - 1])
        if before not in known:
            known[before] = target(program.insn(before), program.insn(at), program.xlen)
        leads = known[before]
        follows = place + 1 < len(rows) and kind[place + 1] in _RETIRES_OR_TRAPS
        follows = follows and not (retired.kind[rows[place] : rows[place + 1]] == Kind.TRACE_ON).any()
        if leads is not None and not (follows and pc[place + 1] != leads):
            result.sijump[rows[place]] = 1
    return result
