# SPDX-License-Identifier: Apache-2.0
"""The call stack of a decoded trace as intervals of instructions, for a flame chart.

Calls, returns and jumps to another function are known from the itype of each instruction; a trap opens a frame, and the
xRET that ends its handler closes it. Where the trace began, was lost or was switched on nobody knows the callers: the
stack begins anew, and a return without a call ends the outermost frame.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import NO_TARGET
from rvtrace.models.riscv.retired import IType

CALLS = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL)
TAILS = (IType.UNINFERABLE_TAIL_CALL, IType.INFERABLE_TAIL_CALL)
SEARCHED = 64  # frames in which a return address is looked for
ROOT, CALL, TRAP = range(3)  # kind of a frame
_UNSEEN = -2  # function of a frame whose first instruction trapped: known when the handler returns


@dataclass
class Code:
    """What is known of each distinct instruction: address, bytes, `IType`, `Flow`, direct target (else NO_TARGET), and
    the number of its function (-1: none).
    """

    pc: np.ndarray
    size: np.ndarray
    itype: np.ndarray
    flow: np.ndarray
    target: np.ndarray
    function: np.ndarray


class Frames(NamedTuple):
    """Intervals [begin, end) of instructions by depth, then by begin: those of one depth do not overlap. kind: ROOT,
    CALL or TRAP. function: of its first instruction.
    """

    begin: np.ndarray
    end: np.ndarray
    depth: np.ndarray
    function: np.ndarray
    kind: np.ndarray


def breaks(rows: np.ndarray, code: Code) -> np.ndarray:
    """Indices of the instructions that the one before cannot lead to: traps, and places where something is missing."""
    if len(rows) < 2:
        return np.zeros(0, np.int64)
    before, now = rows[:-1], rows[1:]
    after = code.pc + code.size.astype(np.uint64)
    direct = np.isin(code.flow, (Flow.BRANCH, Flow.INFERABLE)) & (code.target != NO_TARGET)
    plain = (code.flow == Flow.SEQUENTIAL) | (code.flow == Flow.BRANCH) | (code.flow == Flow.TRAP)
    joins = (code.flow == Flow.UNINFERABLE)[before]
    joins |= plain[before] & (code.pc[now] == after[before])
    joins |= direct[before] & (code.pc[now] == np.where(direct, code.target, 0)[before])
    return np.flatnonzero(~joins) + 1


def frames(rows: np.ndarray, code: Code, traps: set[int], cuts: set[int]) -> Frames:
    """The frames of instructions `rows` (numbers in `code`). traps: instructions before which a trap was taken. cuts:
    before which the callers are not known.
    """
    count = len(rows)
    moves = np.isin(code.itype, (*CALLS, *TAILS, IType.COROUTINE_SWAP, IType.RETURN, IType.XRET))
    changes = np.flatnonzero(moves[rows]) + 1
    places = np.union1d(changes, np.array(sorted(traps | cuts), np.int64))
    places = places[(places > 0) & (places < count)]
    found: list[tuple[int, int, int, int, int]] = []  # depth, begin, end, function, kind
    stack: list[tuple[int, int, int, int]] = []  # begin, function, kind, return address
    if not count:
        return _columns(found)

    def close(to: int, at: int) -> None:
        while len(stack) > to:
            begin, function, kind, _ = stack.pop()
            if at > begin:
                found.append((len(stack), begin, at, max(function, -1), kind))

    functions, pcs, sizes, itypes = code.function.tolist(), code.pc.tolist(), code.size.tolist(), code.itype.tolist()
    now, before = rows[places].tolist(), rows[places - 1].tolist()
    stack.append((0, functions[int(rows[0])], TRAP if 0 in traps else ROOT, -1))
    for at, row, last in zip(places.tolist(), now, before):
        kind, trapped = itypes[last], at in traps
        function = _UNSEEN if trapped else functions[row]
        if at in cuts:
            close(0, at)
        elif kind in CALLS:
            stack.append((at, function, CALL, pcs[last] + sizes[last]))
        elif kind in TAILS:
            if function != stack[-1][1] and stack[-1][2] != TRAP:  # a handler keeps the name of its entry
                _, _, sort, back = stack[-1]
                close(len(stack) - 1, at)
                stack.append((at, function, sort, back))
        elif kind == IType.XRET:
            close(next((n for n in range(len(stack) - 1, -1, -1) if stack[n][2] == TRAP), 0), at)
            if stack and stack[-1][1] == _UNSEEN and not trapped:
                stack[-1] = (stack[-1][0], function, *stack[-1][2:])
        elif kind in (IType.RETURN, IType.COROUTINE_SWAP):
            target = -1 if trapped else pcs[row]
            lowest = max(len(stack) - SEARCHED, 0)
            level = next((n for n in range(len(stack) - 1, lowest - 1, -1) if stack[n][3] == target), len(stack) - 1)
            close(level if target >= 0 else len(stack) - 1, at)
            if kind == IType.COROUTINE_SWAP:
                stack.append((at, function, CALL, pcs[last] + sizes[last]))
        if not stack:
            stack.append((at, function, ROOT, -1))
        if trapped:
            stack.append((at, functions[row], TRAP, -1))
    close(0, count)
    return _columns(found)


def _columns(found: list[tuple[int, int, int, int, int]]) -> Frames:
    table = np.array(sorted(found), np.int64).reshape(-1, 5)
    return Frames(table[:, 1], table[:, 2], table[:, 0], table[:, 3], table[:, 4])
