"""What a lossless trace must tell: instructions, traps and edges of the traced part of a retire stream.

From the ingress beats where they were seen (then cycles and lost beats are known), else from a retire stream alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from models.riscv.beats import Beats
from models.riscv.blocks import from_beats
from models.riscv.retired import IType, Kind, Retired
from scoreboards.capture import Capture


class Trap(NamedTuple):
    """A trap after `index` traced instructions; optional: it may stay untold (profile, step 1)."""

    index: int
    interrupt: bool
    epc: int
    optional: bool = False


class Edge(NamedTuple):
    """trace_on, trace_off, debug_entry or debug_exit after `index` traced instructions, with its clause."""

    index: int
    kind: str
    clause: str
    optional: bool = False


@dataclass
class Expected:
    """n traced instructions: pc, size, taken (-1 no branch), cycle (None without beats).

    block_start: index of each block's first instruction; block_cycle beside it. drop_at: instructions before each
    beat that was taken without room, None without beats (then a loss may be anywhere). open_end: the record ends while
    tracing, so the encoder may still hold the last instructions.
    """

    pc: np.ndarray
    size: np.ndarray
    taken: np.ndarray
    traps: list[Trap]
    edges: list[Edge]
    cycle: np.ndarray | None = None
    block_start: np.ndarray | None = None
    block_cycle: np.ndarray | None = None
    drop_at: np.ndarray | None = None
    open_end: bool = False
    halfwords: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.halfwords = np.concatenate(([0], np.cumsum(self.size.astype(np.int64) >> 1)))

    def __len__(self) -> int:
        return len(self.pc)


def expected(capture: Capture) -> Expected:
    """What the capture's device had to tell."""
    return _from_beats(capture, capture.beats) if capture.beats is not None else _from_retired(capture.retired)


def _traps(retired: Retired, kept: np.ndarray) -> list[Trap]:
    """The traps among the rows `kept`; the index counts the kept instructions before."""
    insn = kept & (retired.kind == Kind.INSN)
    before = np.cumsum(insn)
    rows = np.flatnonzero(kept & ((retired.kind == Kind.EXCEPTION) | (retired.kind == Kind.INTERRUPT)))
    return [Trap(int(before[r]), bool(retired.kind[r] == Kind.INTERRUPT), int(retired.pc[r])) for r in rows.tolist()]


def _optional_traps(traps: list[Trap], stops: list[tuple[int, int]]) -> list[Trap]:
    """The last trap right before each stop needs a handler's address that never came (NT-13).

    stops: (traps before the stop, instructions before the stop).
    """
    result = list(traps)
    for n_traps, index in stops:
        if n_traps and result[n_traps - 1].index == index:
            result[n_traps - 1] = result[n_traps - 1]._replace(optional=True)
    return result


def _from_beats(capture: Capture, beats: Beats) -> Expected:
    tracing = (beats.enable & beats.inst_tracing & ~beats.halted & 1).astype(bool)
    valid = beats.valid()
    busy = tracing & valid.any(axis=1)
    retired = from_beats(beats.select(busy), capture.program, capture.config.variant)
    insn = retired.kind == Kind.INSN
    pc, size, taken = retired.pc[insn], retired.size[insn], retired.taken[insn]
    halves = np.cumsum(size.astype(np.int64) >> 1)
    # blocks in order, and how many instructions are done after each and after each row
    lanes = valid & tracing[:, None]
    block_halves = np.cumsum(beats.iretire[lanes].astype(np.int64))
    block_end = np.searchsorted(halves, block_halves, side="right")
    block_start = np.concatenate(([0], block_end[:-1])) if len(block_end) else block_end
    block_row = np.nonzero(lanes)[0]
    row_end = np.concatenate(([0], block_end))[np.cumsum(lanes.sum(axis=1))]
    row_begin = np.concatenate(([0], row_end[:-1])) if len(row_end) else row_end
    owner = np.searchsorted(block_end, np.arange(len(pc)), side="right")
    cycle = beats.cycle[block_row[owner]] if len(pc) else np.zeros(0, np.uint64)
    edges = _edges(beats, tracing, busy, row_begin.tolist(), capture.config.variant)
    in_lanes = lanes & ((beats.itype == IType.EXCEPTION) | (beats.itype == IType.INTERRUPT))
    traps_begin = np.concatenate(([0], np.cumsum(in_lanes.sum(axis=1))))
    stop_rows = np.flatnonzero(np.diff(tracing.astype(np.int8), append=0) < 0) + 1  # the first row not traced
    row_begin = np.append(row_begin, len(pc))
    stops = list(zip(traps_begin[stop_rows].tolist(), row_begin[stop_rows].tolist()))
    kept = np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT))
    return Expected(
        pc, size, taken, _optional_traps(_traps(retired, kept), stops), edges, cycle, block_start,
        beats.cycle[block_row], row_begin[:-1][beats.drop.astype(bool)], bool(len(tracing) and tracing[-1]),
    )  # fmt: skip


def _edges(beats: Beats, tracing: np.ndarray, busy: np.ndarray, begin: list[int], variant: str) -> list[Edge]:
    """The edges a trace tells (7.12, 8.5, table 26), from the control levels."""
    levels = np.stack((beats.enable, beats.inst_tracing, beats.halted), axis=1).astype(bool)
    before = np.concatenate((np.zeros((1, 3), dtype=bool), levels[:-1]))
    on_before = np.concatenate(([False], tracing[:-1]))
    rows = np.flatnonzero((levels != before).any(axis=1))
    next_busy = np.concatenate((np.where(busy, np.arange(len(busy)), len(busy)), [len(busy)]))
    next_busy = np.minimum.accumulate(next_busy[::-1])[::-1]
    off_rows = np.concatenate((np.flatnonzero(~tracing), [len(tracing)]))
    edges = []
    for row in rows.tolist():
        enable, inst, halted = levels[row]
        was_enable, _, was_halted = before[row]
        index = begin[row]
        if on_before[row] and not tracing[row]:
            entry = halted and not was_halted
            edges.append(Edge(index, "debug_entry" if entry else "trace_off",
                              "NT.7.12.debug_entry" if entry else "NT.7.12.trace_off"))  # fmt: skip
        elif tracing[row] and not on_before[row]:
            stop = off_rows[np.searchsorted(off_rows, row)]
            told = next_busy[row] < stop  # without a block there is no address to start from
            if told:
                edges.append(Edge(index, "debug_exit" if was_halted else "trace_on", "NT-2"))
        elif not tracing[row] and enable and was_enable and not inst:
            if halted and not was_halted:
                edges.append(Edge(index, "debug_entry", "NT.8.6.stop_while_off"))
            elif was_halted and not halted:
                edges.append(Edge(index, "trace_off", "NT.8.6.start_while_off", optional=False)) if variant == "rc7" else None
    return edges


def _from_retired(retired: Retired) -> Expected:
    """Without beats: TRACE_ON/OFF are levels of trTeInstTracing, DEBUG_ENTRY/EXIT of Debug Mode."""
    kind = retired.kind
    on = _level(kind, Kind.TRACE_ON, Kind.TRACE_OFF, True)
    running = _level(kind, Kind.DEBUG_EXIT, Kind.DEBUG_ENTRY, True)
    traced = on & running
    kept = traced & np.isin(kind, (Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT))
    insn = kept & (kind == Kind.INSN)
    done = np.cumsum(insn)
    names = {Kind.TRACE_ON: "trace_on", Kind.TRACE_OFF: "trace_off", Kind.DEBUG_ENTRY: "debug_entry",
             Kind.DEBUG_EXIT: "debug_exit"}  # fmt: skip
    rows = np.flatnonzero(np.isin(kind, list(names))).tolist()
    edges = [Edge(int(done[r]), names[Kind(int(kind[r]))], "NT-2", optional=True) for r in rows]
    n_traps = np.cumsum(kept & ((kind == Kind.EXCEPTION) | (kind == Kind.INTERRUPT)))
    stops = [(int(n_traps[r]), int(done[r])) for r in [*rows, len(kind) - 1] if r >= 0]
    return Expected(retired.pc[insn], retired.size[insn], retired.taken[insn],
                    _optional_traps(_traps(retired, kept), stops), edges,
                    open_end=bool(len(traced) and traced[-1]))  # fmt: skip


def _level(kind: np.ndarray, up: int, down: int, default: bool) -> np.ndarray:
    """A level per row that `up` rows set and `down` rows clear; before the first it is what that one changes."""
    rows = np.flatnonzero((kind == up) | (kind == down))
    if not len(rows):
        return np.full(len(kind), default)
    values = np.concatenate(([kind[rows[0]] == down], kind[rows] == up))
    return values[np.searchsorted(rows, np.arange(len(kind)), side="right")]
