# SPDX-License-Identifier: Apache-2.0
"""What a lossless trace must report: instructions, traps, edges, markers, contexts and vendor data of the traced part
of a run.

From the ingress beats where they were seen (then cycles, times and lost beats are known), else from a retire stream
alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

import numpy as np

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType, Kind, Retired
from rvtrace.scoreboards.common.traced import Traced
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.edges import HIGH, LOW, Blocks, Edge, Edges, Mark, tracing_rows


class Trap(NamedTuple):
    """A trap after `index` traced instructions; optional: it may stay not reported (profile, step 1)."""

    index: int
    interrupt: bool
    epc: int
    optional: bool = False


class Vendor(NamedTuple):
    """A vendor-defined message to pass through, after `index` traced instructions."""

    index: int
    tcode: int
    data: int


@dataclass
class States:
    """Privilege and context of consecutive blocks (of instructions where no beats were seen), oldest first.

    begin: traced instructions before each. value: {hcontext, context, priv} as one number, see `state`.
    """

    begin: np.ndarray
    value: np.ndarray

    @classmethod
    def of(cls, begin: np.ndarray, priv: np.ndarray, context: np.ndarray, hcontext: np.ndarray) -> States:
        return cls(begin, state(priv.astype(np.uint64), context.astype(np.uint64), hcontext.astype(np.uint64)))


PUSHES = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL, IType.COROUTINE_SWAP)  # of the return stack
POPS = (IType.RETURN, IType.COROUTINE_SWAP)
N = TypeVar("N", np.ndarray, int)


def state(priv: N, context: N, hcontext: N) -> N:
    """{hcontext[15:0], context[31:0], priv[2:0]}."""
    if isinstance(priv, np.ndarray):
        return hcontext << np.uint64(35) | context << np.uint64(3) | priv
    return hcontext << 35 | context << 3 | priv


@dataclass
class Expected:
    """n traced instructions: pc, size, itype, taken (-1 no branch), sijump, cycle (None without beats).

    block_start: index of each block's first instruction; block_cycle and block_time (the timestamp then) beside it.
    drop_at: instructions before each beat that was taken without room, None without beats (then a loss may be
    anywhere). open_end: the record ends while tracing, so the encoder may still hold the last instructions.
    silent_exits: of edges.Edges.
    """

    pc: np.ndarray
    size: np.ndarray
    itype: np.ndarray
    taken: np.ndarray
    sijump: np.ndarray
    traps: list[Trap]
    edges: list[Edge]
    marks: list[Mark]
    vendor: list[Vendor]
    states: States
    cycle: np.ndarray | None = None
    block_start: np.ndarray | None = None
    block_cycle: np.ndarray | None = None
    block_time: np.ndarray | None = None
    drop_at: np.ndarray | None = None
    open_end: bool = False
    silent_exits: int = 0
    halfwords: np.ndarray = field(init=False)

    def __post_init__(self) -> None:
        self.halfwords = np.concatenate(([0], np.cumsum(self.size.astype(np.int64) >> 1)))

    def __len__(self) -> int:
        return len(self.pc)


def expected(capture: NtraceCapture) -> Expected:
    """What the capture's device had to report."""
    if capture.beats is not None:
        return _from_beats(capture, capture.beats)
    if not capture.config.filter:
        return _from_retired(capture, capture.retired)
    # what a filter qualifies is reported by blocks; here every instruction is one
    told = _from_beats(capture, to_beats(capture.retired, retirement="single"))
    told.edges = [edge._replace(optional=True) for edge in told.edges]
    told.marks = [mark._replace(index=mark.since, last=len(told), optional=True) for mark in told.marks]
    told.vendor = []
    told.cycle = told.block_start = told.block_cycle = told.block_time = told.drop_at = None
    return told


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


def _taken(config: Config, retired: Retired, flow: np.ndarray) -> np.ndarray:
    """Branch directions; with all jumps a direct jump is a taken branch."""
    return np.where((flow == Flow.INFERABLE) & bool(config.all_jumps), 1, retired.taken).astype(np.int8)


def _from_beats(capture: NtraceCapture, beats: Beats) -> Expected:
    config, program = capture.config, capture.program
    tracing, valid = tracing_rows(beats), beats.valid()
    in_trace = valid & tracing[:, None]
    lanes, notify = in_trace, np.zeros(0, dtype=bool)
    if config.filter:
        from rvtrace.models.common.filters import FilterSettings

        qualified, notified = FilterSettings.parse(config.filter, config.xlen).qualify(beats, capture.filters)
        lanes, notify = in_trace & qualified, (notified & qualified)[in_trace]
    traced = Traced.of(beats, lanes, program, config.variant)
    retired, insn, pc, size = traced.retired, traced.insn, traced.pc, traced.size
    cycle = beats.cycle[traced.row[traced.owner]] if len(pc) else np.zeros(0, np.uint64)
    qualified = lanes[in_trace]
    begin = traced.done[np.concatenate(([0], np.cumsum(qualified)))]
    blocks = Blocks(np.nonzero(in_trace)[0], qualified, notify, begin)
    edges = Edges(beats, blocks, config.variant, config.mode == "htm")
    is_trap = (beats.itype == IType.EXCEPTION) | (beats.itype == IType.INTERRUPT)
    traps_before = np.concatenate(([0], np.cumsum((is_trap & lanes)[in_trace])))
    stops = [(int(traps_before[block]), int(begin[block])) for block in edges.stops]
    kept = np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION, Kind.INTERRUPT))
    sijump = np.zeros(len(pc), dtype=bool)
    sijump[traced.end[(beats.sijump[lanes] != 0) & (beats.iretire[lanes] != 0)] - 1] = True
    vendor = np.flatnonzero((beats.vendor != 0) & (beats.enable != 0))
    row_begin = traced.before_row
    row_end = np.append(row_begin[1:], len(pc))
    return Expected(
        pc, size, retired.itype[insn], _taken(config, retired, program.columns(retired.pc).flow)[insn], sijump,
        _optional_traps(_traps(retired, kept), stops), edges.edges, edges.marks,
        [Vendor(int(row_end[r]), int(beats.vendor[r]), int(beats.vendor_data[r])) for r in vendor.tolist()],
        States.of(traced.begin, beats.priv[lanes], beats.context[lanes], beats.hcontext[lanes]),
        cycle, traced.begin, beats.cycle[traced.row], beats.tstamp[traced.row], row_begin[beats.drop.astype(bool)],
        bool(len(tracing) and tracing[-1]), edges.silent_exits,
    )  # fmt: skip


# Levels of a retire stream: row kinds that set and clear them; the rows' names as edges
_LEVELS = ((Kind.TRACE_ON, Kind.TRACE_OFF), (Kind.DEBUG_EXIT, Kind.DEBUG_ENTRY), (Kind.WAKE, Kind.SLEEP))
_EDGE_NAMES = {Kind.TRACE_ON: "trace_on", Kind.TRACE_OFF: "trace_off", Kind.DEBUG_ENTRY: "debug_entry",
               Kind.DEBUG_EXIT: "debug_exit", Kind.SLEEP: "sleep", Kind.WAKE: "wake", Kind.RESET_ENTRY: "reset",
               Kind.RESET_EXIT: "reset"}  # fmt: skip


def _from_retired(capture: NtraceCapture, retired: Retired) -> Expected:
    """Without beats: TRACE_ON/OFF are levels of trTeInstTracing, DEBUG_ENTRY/EXIT of Debug Mode, SLEEP/WAKE of low
    power.

    What a file cannot report for sure (whether an edge or marker was seen) is optional; vendor-defined messages are the
    device's.
    """
    kind = retired.kind
    traced = np.logical_and.reduce([_level(kind, up, down, True) for up, down in _LEVELS])
    is_trap = (kind == Kind.EXCEPTION) | (kind == Kind.INTERRUPT)
    kept = traced & ((kind == Kind.INSN) | is_trap)
    insn = kept & (kind == Kind.INSN)
    done = np.cumsum(insn)
    n = int(done[-1]) if len(done) else 0
    rows = np.flatnonzero(np.isin(kind, list(_EDGE_NAMES))).tolist()
    edges = [Edge(int(done[r]), _EDGE_NAMES[Kind(int(kind[r]))], "NT-2", optional=True) for r in rows]
    codes = {Kind.NOTIFY: HIGH, Kind.EXT_NOTIFY: LOW}
    marks = [Mark(int(done[r]), n, codes[Kind(int(kind[r]))], int(done[r]), optional=True)
             for r in np.flatnonzero(np.isin(kind, list(codes))).tolist()]  # fmt: skip
    n_traps = np.cumsum(kept & is_trap)
    stops = [(int(n_traps[r]), int(done[r])) for r in [*rows, len(kind) - 1] if r >= 0]
    flow = capture.program.columns(retired.pc).flow
    return Expected(
        retired.pc[insn], retired.size[insn], retired.itype[insn], _taken(capture.config, retired, flow)[insn],
        retired.sijump[insn].astype(bool), _optional_traps(_traps(retired, kept), stops), edges, marks, [],
        States.of((done - insn)[kept], retired.priv[kept], retired.context[kept], retired.hcontext[kept]),
        open_end=bool(len(traced) and traced[-1]),
    )  # fmt: skip


def _level(kind: np.ndarray, up: int, down: int, default: bool) -> np.ndarray:
    """A level per row that `up` rows set and `down` rows clear; before the first it is what that one changes."""
    rows = np.flatnonzero((kind == up) | (kind == down))
    if not len(rows):
        return np.full(len(kind), default)
    values = np.concatenate(([kind[rows[0]] == down], kind[rows] == up))
    return values[np.searchsorted(rows, np.arange(len(kind)), side="right")]
