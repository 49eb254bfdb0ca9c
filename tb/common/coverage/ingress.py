# SPDX-License-Identifier: Apache-2.0
"""What coverage of the ingress port and of the retire stream is made of, the same for both encoders: names of bins, and
how arrays become bins.
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.tb.common.coverage.tally import Tally, classes

ITYPES = tuple(f"{int(i)} {i.name.lower().replace('_', ' ')}" for i in IType)
IRETIRE_CLASSES = ("0 (trap alone)", "1", "2", "3 to 15", "16 or more", "widest")
TRAP_PLACES = (
    "first thing traced", "on straight code", "after a branch not taken", "at a taken branch's target",
    "at a direct jump's target", "at an indirect jump's target", "at a return's target", "after xRET", "back to back",
    "same place again", "last before trace stops",
)  # fmt: skip
STOP_AFTER = ("straight code", "branch not taken", "taken branch", "direct jump", "indirect jump", "trap")
LEVELS = ("enable rises", "enable falls", "tracing rises", "tracing falls", "halt", "resume", "several at once")
EFFECTS = ("starts", "stops", "stays off")
GAPS = ("none", "1 cycle", "2 to 15 cycles", "16 or more")
BACKLOGS = ("0 or 1 message", "2 to 3 messages", "4 to 7 messages", "8 or more")
PRIVS = tuple(p.name for p in Priv)
SIZES = ("16 bit", "32 bit")

_TRAPS = (Kind.EXCEPTION, Kind.INTERRUPT)
INDIRECT = np.isin(np.arange(16), [3, 6, 8, 10, 12, 13, 14])
DIRECT_JUMP = np.isin(np.arange(16), [9, 11, 15])
_PRIV_INDEX = np.full(256, -1)
_PRIV_INDEX[[int(v) for v in Priv]] = np.arange(len(Priv))
_SWITCHES = ((Kind.TRACE_ON, Kind.TRACE_OFF), (Kind.DEBUG_EXIT, Kind.DEBUG_ENTRY), (Kind.RESET_EXIT, Kind.RESET_ENTRY))


def traced(kind: np.ndarray) -> np.ndarray:
    """Whether tracing was on when each row of the stream happened (that of a control row: before it)."""
    on = np.ones(len(kind) + 1, dtype=bool)
    for rise, fall in _SWITCHES:
        rows = np.flatnonzero((kind == rise) | (kind == fall))
        if len(rows):
            level = np.concatenate([[kind[rows[0]] == fall], kind[rows] == rise])
            on &= np.repeat(level, np.diff(np.concatenate([[0], rows + 1, [len(on)]])))
    return on[:-1]


def privileges(tally: Tally, r: Retired) -> None:
    """privilege_cg: of two events that follow each other."""
    kind = r.kind
    moved = np.flatnonzero((r.priv[1:] != r.priv[:-1]) & (kind[1:] < Kind.TRACE_ON) & (kind[:-1] < Kind.TRACE_ON))
    tally.array("privilege_cg", (PRIVS, _PRIV_INDEX[r.priv[moved]]), (PRIVS, _PRIV_INDEX[r.priv[moved + 1]]))


def traps(tally: Tally, r: Retired, on: np.ndarray) -> None:
    """trap_cg: where traps struck while tracing was on."""
    trap = np.flatnonzero((r.kind <= Kind.INTERRUPT) & (r.kind != Kind.INSN) & on)
    for place, mask in zip(TRAP_PLACES, _trap_places(r, on, trap)):
        tally.array(
            "trap_cg", (TRAP_PLACES, TRAP_PLACES.index(place)), (("exception", "interrupt"), r.kind[trap[mask]] - 1)
        )


def kind_before(r: Retired, rows: np.ndarray) -> np.ndarray:
    """Index into STOP_AFTER of the row before each row: what was pending."""
    code, kind = r.itype[rows - 1], r.kind[rows - 1]
    choices = [kind != Kind.INSN, code == IType.NOT_TAKEN, code == IType.TAKEN, DIRECT_JUMP[code], INDIRECT[code]]
    return np.select(choices, [5, 1, 2, 3, 4], 0)


def _trap_places(r: Retired, on: np.ndarray, trap: np.ndarray) -> list[np.ndarray]:
    """For each of TRAP_PLACES a mask over the traps; a trap can be in several."""
    before = np.maximum(trap - 1, 0)
    insn = (r.kind[before] == Kind.INSN) & (trap > 0) & on[before]
    code = np.where(insn, r.itype[before], 16)
    after = np.minimum(trap + 1, len(r) - 1)
    _, first_at, number = np.unique(r.pc[trap], return_index=True, return_inverse=True)
    # ecall and ebreak of rc7 retire with itype 1 and are on straight code.
    return [
        (trap == 0) | (r.kind[before] >= Kind.TRACE_ON), (code == IType.NONE) | (code == IType.EXCEPTION),
        code == IType.NOT_TAKEN, code == IType.TAKEN, np.append(DIRECT_JUMP, False)[code],
        np.isin(code, [6, 8, 10, 12, 14]), code == IType.RETURN, code == IType.XRET,
        (trap > 0) & np.isin(r.kind[before], _TRAPS), first_at[number] != np.arange(len(trap)),
        (r.kind[after] == Kind.TRACE_OFF) | (r.kind[after] == Kind.DEBUG_ENTRY),
    ]  # fmt: skip


def itypes(tally: Tally, code: np.ndarray, variants: tuple[str, ...], variant: str) -> None:
    """itype_cg and itype_pair_cg."""
    tally.array("itype_cg", (variants, variants.index(variant)), (ITYPES, code))
    tally.array("itype_pair_cg", (ITYPES, code[:-1]), (ITYPES, code[1:]))


def blocks(tally: Tally, b: Beats, block: np.ndarray, widest: int, itype: np.ndarray | None = None) -> None:
    """iretire_cg and ilastsize_cg of the blocks in a mask. widest: half-words within one instruction of the field's
    end; itype: if not that of b.
    """
    iretire = b.iretire[block].astype(np.int64)
    tally.array("iretire_cg", (IRETIRE_CLASSES, np.where(iretire >= widest, 5, classes(iretire, 1, 2, 3, 16))))
    last = np.where(iretire > 0, b.ilastsize[block].astype(np.int64), -1)
    code = (b.itype if itype is None else itype)[block].astype(np.int64)
    tally.array("ilastsize_cg", (ITYPES, code), (SIZES, last))


def controls(tally: Tally, b: Beats, tracing: np.ndarray) -> None:
    """control_cg and edge_block_cg. tracing: whether the levels of each row make it traced."""
    if len(b) == 0:
        return
    was = np.concatenate([[False], tracing[:-1]])  # after reset all levels are 0
    changes = [np.diff(level.astype(np.int8), prepend=np.int8(0)) for level in (b.enable, b.inst_tracing, b.halted)]
    many = sum(np.abs(c) for c in changes)
    level = np.select([many > 1] + [c == way for c in changes for way in (1, -1)], [6, 0, 1, 2, 3, 4, 5], -1)
    effect = np.where(tracing & ~was, 0, np.where(was & ~tracing, 1, 2))
    tally.array("control_cg", (LEVELS, level), (EFFECTS, effect))
    edge = np.where(tracing != was, effect, -1)
    tally.array("edge_block_cg", (("starts", "stops"), edge), (("with a block", "without"), ~b.valid().any(axis=1)))


def gaps(tally: Tally, cycle: np.ndarray, begin: np.ndarray) -> None:
    """back_pressure_cg: cycles between two bytes of one message. begin: index of the first byte of each."""
    inside = np.ones(len(cycle), dtype=bool)
    inside[begin] = False
    gap = np.diff(cycle)[inside[1:]] - 1
    tally.array("back_pressure_cg", (GAPS, np.where(gap < 0, 0, classes(gap, 1, 2, 16))))


def backlog(tally: Tally, b: Beats, made_in: np.ndarray, left: np.ndarray, stalls: bool) -> None:
    """stall_cg: messages waiting while the port was stalled. made_in: row that made each message; left: cycle in which
    its last byte left.
    """
    accepted = b.cycle.astype(np.int64)
    still = np.flatnonzero(np.diff(accepted) > 1)
    made = np.searchsorted(made_in, still, side="right")
    waiting = made - np.searchsorted(left, accepted[still] + 1, side="right")
    tally.array("stall_cg", (("stall", "overflow"), int(not stalls)), (BACKLOGS, classes(waiting, 2, 4, 8)))
