# SPDX-License-Identifier: Apache-2.0
"""Returns and calls as a trace encoder sees them: which returns its return stack predicts wrongly (N-Trace 9.2)."""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.isa import ETRACE_VARIANTS
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.models.riscv.stream import CONTROL_KINDS, RESTART_KINDS

_CALLS = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)
_RETURNS = (IType.RETURN, IType.COROUTINE_SWAP)
_PULSES = (Kind.NOTIFY, Kind.EXT_NOTIFY, Kind.VENDOR)
PARTIAL = 0x7FE
"""The bits of a return address that a stack of partial addresses keeps (implicit return, mode 2)."""


def misleading(retired: Retired, mode: int, variant: str = "v1_0") -> list[int]:
    """Rows of the returns that a return stack of this mode predicts, and that go elsewhere; none in mode 0 and 3.

    The stack is endless and forgets nothing but where the hart may have gone on anywhere; that of an encoder holds
    its upper part. What comes here is legal, but cannot be traced in that mode: mode 1 believes every return, mode 2
    one with the same bits 10 to 1. variant: of the stream; in E-Trace a co-routine swap neither pushes nor pops, and
    traps, changes of privilege and of options empty the stack as well.
    """
    if mode not in (1, 2):
        return []
    insn = retired.kind == Kind.INSN
    etrace, draft = variant in ETRACE_VARIANTS, variant == "draft_0_026"
    calls = _CALLS[:2] if etrace else _CALLS
    returns = (IType.COROUTINE_SWAP, IType.RETURN) if draft else _RETURNS[:1] if etrace else _RETURNS
    restart, switch = (
        np.isin(retired.kind, RESTART_KINDS),
        np.isin(retired.kind, CONTROL_KINDS) & ~np.isin(retired.kind, _PULSES),
    )
    if etrace:
        restart |= np.isin(retired.kind, (Kind.TOGGLE, Kind.EXCEPTION, Kind.INTERRUPT))
        restart[1:] |= insn[1:] & (retired.priv[1:] != retired.priv[:-1])
    rows = np.flatnonzero((insn & np.isin(retired.itype, (*calls, *returns))) | restart)
    told = np.flatnonzero(retired.kind <= Kind.INTERRUPT)
    places = np.searchsorted(told, rows, side="right")
    stack: list[int] = []
    wrong = []
    for row, place in zip(rows.tolist(), places.tolist()):
        if restart[row]:
            stack.clear()  # tracing starts with a synchronizing message
        itype = int(retired.itype[row])
        if itype in returns and stack and place < len(told):
            target, back = int(retired.pc[told[place]]), stack.pop()
            alike = mode == 1 or not (back ^ target) & PARTIAL
            if back != target and alike and not switch[row : told[place]].any():
                wrong.append(row)
        if itype in calls:
            stack.append(int(retired.pc[row]) + int(retired.size[row]))
    return wrong


def explain(retired: Retired, program: Program, mode: int, rows: list[int]) -> str:
    """One sentence about the first of the rows that `misleading` gave."""
    row = rows[0]
    return (
        f"{program.where(int(retired.pc[row]))} is a return (row {row}) that goes elsewhere than it was called from,"
        f" and IMPLICIT_RETURN={mode} would believe it; give IMPLICIT_RETURN=3, or 0"
    )
