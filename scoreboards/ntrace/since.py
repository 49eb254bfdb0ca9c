# SPDX-License-Identifier: Apache-2.0
"""Between which bytes something is wrong, where a decoder can only say which message contradicts the program.

A decoder tries a target by what the following messages report from it, so that a wrong U-ADDR is contradicted later: by
the next message, or after many branches that the wrong code happens to have as well. The last message whose
count fits bounds this. If its jump is a return and goes to an address that follows no call, it is the likely place.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.ntrace.decoder.decoded import DecodedTrace, Diagnostic
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.expected import PUSHES
from rvtrace.scoreboards.ntrace.table import MessageTable
from rvtrace.scoreboards.ntrace.wrong_field import FLOW

CALLS = (*PUSHES, IType.UNINFERABLE_TAIL_CALL, IType.INFERABLE_TAIL_CALL)
JUMP = 0  # B-TYPE
SIZES = (2, 4)  # bytes of an instruction


def bounded(
    capture: NtraceCapture, decoded: DecodedTrace, table: MessageTable, diagnostics: list[Diagnostic]
) -> list[Diagnostic]:
    """The diagnostics of a trace without a retire stream, each that contradicts the program with the bytes between
    which the cause lies.
    """
    found: list[Diagnostic] = []
    resumed = 0  # the first message with which decoding went on after the diagnostic before
    for one in diagnostics:
        number = int(np.searchsorted(table.offset, one.offset))
        if one.clause in FLOW and number < len(table) and table.offset[number] == one.offset:
            last = _last(table, resumed, number)
            found.append(one if last is None else _bounded(capture, decoded, table, one, last))
        else:
            found.append(one)
        resumed = max(resumed, int(np.searchsorted(table.offset, one.offset + max(one.lost_bytes, 1))))
    return found


def _last(table: MessageTable, resumed: int, number: int) -> int | None:
    """The last message before one whose count ends where it must; None if there is none."""
    counts = (table["icnt"] != t.ABSENT) & ~table.is_a(t.TC_FULL)
    fits = np.flatnonzero(counts[resumed:number])
    return resumed + int(fits[-1]) if len(fits) else None


def _bounded(
    capture: NtraceCapture, decoded: DecodedTrace, table: MessageTable, one: Diagnostic, last: int
) -> Diagnostic:
    begin, end = capture.sent_at(int(table.offset[last])), capture.sent_at(one.offset)
    text = f"{one.text}; what is wrong is likely between byte {begin}, the last message that fits, and byte {end}"
    at, address = int(decoded.first_pc[last + 1]), table.addresses[last]
    if (
        at
        and address is not None
        and table["btype"][last] == JUMP
        and _returns_to_none(capture, int(decoded.pcs[at - 1]), address << 1)
    ):
        where = capture.program.place(address << 1)
        text += f", and at byte {begin}: the return that it reports goes to {where}, which follows no call"
    return one._replace(text=text)


def _returns_to_none(capture: NtraceCapture, pc: int, target: int) -> bool:
    """Whether the instruction at `pc` is a return, and none of the instructions that end at `target` is a call."""
    program, variant = capture.program, capture.config.variant
    if not _is_a(program, variant, pc, (IType.RETURN,)):
        return False
    ending = [target - size for size in SIZES if program.columns(np.array([target - size])).size[0] == size]
    return not any(_is_a(program, variant, place, CALLS) for place in ending)


def _is_a(program: Program, variant: str, pc: int, kinds: tuple[IType, ...]) -> bool:
    return int(program.columns(np.array([pc], np.uint64)).itype[variant][0]) in kinds
