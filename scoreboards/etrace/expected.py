# SPDX-License-Identifier: Apache-2.0
"""What a lossless E-Trace trace must report: instructions, traps, states, notifications, ends and starts of the traced
part of a run.

From the ingress beats where they were seen (then cycles, times and lost beats are known), else from a retire stream
alone. Nothing here knows of packets, apart from the codes of a support packet.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import PRIVILEGE, IType, Kind
from rvtrace.scoreboards.common.traced import Traced
from rvtrace.scoreboards.etrace.capture import EtraceCapture

CALLS = (IType.UNINFERABLE_CALL, IType.INFERABLE_CALL)
NO_CHANGE, ENDED_REP, TRACE_LOST, ENDED_NTR = range(4)  # qual_status
UNREPORTED, IMPRECISE, PRECISE, DISCONTINUITY, NOTIFICATION = range(
    5
)  # reports of a context: ctype of v2_0, and what the draft has besides
DRAFT_REPORTS = np.array(
    [DISCONTINUITY, PRECISE, IMPRECISE, NOTIFICATION], np.uint8
)  # by context_type, of a context that changed


class Trap(NamedTuple):
    """A trap after `index` traced instructions.

    epc: None for an interrupt whose block retires nothing: the port does not report it. handler: address of the first
    instruction of its handler, None if another trap or the end of trace comes first. optional: it may stay not
    reported. row: of the beats. level: the privilege in which it happens, as packets report it. ends: how often trace
    ended before it after the same `index`.
    """

    index: int
    interrupt: bool
    cause: int
    tval: int
    epc: int | None
    handler: int | None
    optional: bool
    row: int
    level: int
    ends: int = 0


class Support(NamedTuple):
    """A support packet after `index` traced instructions.

    statuses, options: any of these (ioptions as a number). clause: whose it is.

    last: of an end, the last instruction, None if the last that was traced is a trap. now: the options in force when
    it is due, which the end itself may report already. off: trTeInstTracing is 0 then.
    """

    index: int
    ienable: int
    statuses: tuple[int, ...]
    options: tuple[int, ...]
    clause: str
    optional: bool = False
    last: int | None = None
    now: int = 0
    off: bool = False


@dataclass
class Expected:
    """n traced instructions: pc, size, itype, taken (-1 no branch), priv (code of the packets), context, ctype (how the
    first instruction of a cycle is to report its context, UNREPORTED to NOTIFICATION; of all others 0), row (of the
    beats).

    episode: number of the uninterrupted stretch of trace each belongs to. marks: sorted instructions with a trigger or
    watchpoint. time: uint64 of each row, drop: mask of the rows taken without room (None without beats), drop_at:
    instructions before each such row; resumed: the first instruction in or after the first row with room after each
    such row. open_end: the record ends while tracing. halves: iretire of all traced blocks before each instruction's
    block, and with it.
    """

    pc: np.ndarray
    size: np.ndarray
    itype: np.ndarray
    taken: np.ndarray
    priv: np.ndarray
    context: np.ndarray
    ctype: np.ndarray
    row: np.ndarray
    episode: np.ndarray
    traps: list[Trap]
    marks: np.ndarray
    supports: list[Support]
    cycle: np.ndarray | None = None
    time: np.ndarray | None = None
    drop_at: np.ndarray | None = None
    resumed: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    open_end: bool = False
    halves: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return len(self.pc)

    @cached_property
    def traps_at(self) -> dict[int, list[Trap]]:
        """Traps by the instructions before them."""
        found: dict[int, list[Trap]] = {}
        for trap in self.traps:
            found.setdefault(trap.index, []).append(trap)
        return found

    @cached_property
    def first(self) -> np.ndarray:
        """Mask of the instructions with which trace begins: of an episode, whatever the traps before it."""
        return np.diff(self.episode, prepend=-1) != 0


def expected(capture: EtraceCapture) -> Expected:
    """What the capture's device had to report."""
    if capture.beats is not None:
        return _from_beats(capture, capture.beats)
    # what the levels were between instructions, and which blocks there were, a file does not say
    beats = to_beats(capture.retired, retirement="single", per_cycle=True)
    found = _from_beats(capture, beats)
    # "It must be issued when trace is enabled, and before the first sync packet": of a file that begins with that, the
    # first one. When the levels of the others changed, it does not say.
    begins = len(capture.retired) > 0 and capture.retired.kind[0] == Kind.TRACE_ON
    found.supports = [one._replace(optional=not (begins and k == 0)) for k, one in enumerate(found.supports)]
    found.marks, found.ctype = found.marks[:0], np.zeros_like(found.ctype)
    found.cycle = found.time = found.drop_at = None
    return found


def _from_beats(capture: EtraceCapture, beats: Beats) -> Expected:
    config, program = capture.config, capture.program
    valid = beats.valid()
    tracing = (beats.enable & beats.inst_tracing & ~beats.halted & ~beats.in_reset & 1).astype(bool)
    qualified, watched = valid, np.zeros_like(valid)
    if config.filter:
        qualified, watched = FilterSettings.parse(config.filter, config.xlen).qualify(beats, capture.filters)
    lanes = valid & tracing[:, None] & qualified
    traced = Traced.of(beats, lanes, program, config.variant)
    retired, insn, row = traced.retired, traced.insn, traced.row
    breaks = _Breaks(beats, config.ioptions, tracing, valid, lanes)
    episode = breaks.before(np.nonzero(lanes))
    owner = traced.owner
    retires = beats.iretire[lanes] != 0
    # what holds for the first traced block of a row
    opens = np.diff(row, prepend=-1) != 0
    ctype = np.zeros(len(traced.pc), np.uint8)
    starters = np.flatnonzero(opens & retires)
    ctype[traced.begin[starters]] = _reports(capture, beats, lanes, episode)[starters]
    # a trigger means the last block of its beat that retires; a watchpoint its own block
    triggered = np.zeros_like(lanes)
    pulses = np.flatnonzero(beats.notify)
    if len(pulses):
        has = beats.iretire[pulses] != 0
        last = beats.lanes - 1 - np.argmax(has[:, ::-1], axis=1)
        triggered[pulses[has.any(axis=1)], last[has.any(axis=1)]] = True
    noted = (triggered | watched)[lanes] & retires
    privileges = np.full(256, 255, np.uint8)
    privileges[list(PRIVILEGE)] = list(PRIVILEGE.values())
    total = np.concatenate(([0], np.cumsum(beats.iretire[lanes].astype(np.int64))))
    drop = beats.drop.astype(bool)
    before_row = traced.before_row
    resumed = np.flatnonzero(~drop[1:] & drop[:-1]) + 1
    return Expected(
        traced.pc,
        traced.size,
        retired.itype[insn],
        retired.taken[insn],
        privileges[beats.priv[lanes]][owner],
        beats.context[lanes][owner],
        ctype,
        row[owner],
        episode[owner],
        _traps(capture, beats, traced, episode),
        traced.end[noted] - 1,
        breaks.supports(row, traced, episode),
        beats.cycle[row[owner]],
        beats.tstamp,
        before_row[drop],
        np.unique(before_row[resumed]),
        bool(len(tracing) and tracing[-1]),
        (total[owner], total[owner + 1]),
    )


def _reports(capture: EtraceCapture, beats: Beats, lanes: np.ndarray, episode: np.ndarray) -> np.ndarray:
    """How each traced block reports its context, if it is the first of its cycle.

    v2_0 says so with each block. The draft only says what to do "when context changes": where the traced block before
    has the same, nothing.
    """
    config, ctype = capture.config, beats.ctype[np.nonzero(lanes)[0]]
    if config.variant != "draft_0_026":
        return ctype
    seen = 0 if config.nocontext_p else (1 << config.context_width_p) - 1
    context = beats.context[lanes].astype(np.int64) & seen
    changed = (np.diff(context, prepend=-1) != 0) & (np.diff(episode, prepend=-1) == 0)
    return np.where(changed, DRAFT_REPORTS[ctype & 3], np.uint8(UNREPORTED))


def _traps(capture: EtraceCapture, beats: Beats, traced: Traced, episode: np.ndarray) -> list[Trap]:
    itype = beats.itype[traced.lanes]
    blocks = np.flatnonzero((itype == IType.EXCEPTION) | (itype == IType.INTERRUPT))
    rows = np.flatnonzero(np.isin(traced.retired.kind, (Kind.EXCEPTION, Kind.INTERRUPT)))
    iretire, pc, program = beats.iretire[traced.lanes], traced.pc, capture.program
    draft = capture.config.variant == "draft_0_026"
    last = np.flatnonzero(np.diff(episode))  # before each end
    ends = last.searchsorted(blocks) - traced.end[last].searchsorted(traced.end[blocks])
    found: list[Trap] = []
    for block, at, before in zip(blocks.tolist(), rows.tolist(), ends.tolist()):
        index, interrupt = int(traced.end[block]), bool(itype[block] == IType.INTERRUPT)
        follows = block + 1 < len(itype) and episode[block + 1] == episode[block]
        handler = int(pc[index]) if follows and iretire[block + 1] else None
        # another trap comes first: v2_0 reports it with thaddr=0, the draft not at all
        optional = handler is None and (draft or not follows)
        epc = None if interrupt and not iretire[block] else int(traced.retired.pc[at])
        if draft and not iretire[block] and not (index and _inferable(program, int(pc[index - 1]), found, index)):
            epc = None  # the draft reports no EPC, and a trap before another one not at all
        found.append(
            Trap(
                index,
                interrupt,
                int(traced.retired.cause[at]),
                int(traced.retired.tval[at]),
                epc,
                handler,
                optional,
                int(traced.row[block]),
                PRIVILEGE.get(int(traced.retired.priv[at]), 255),
                before,
            )
        )
    return found


def _inferable(program: Program, before: int, found: list[Trap], index: int) -> bool:
    """Whether the program reports what comes after the instruction at `before`, and no trap is there already."""
    return program.columns(np.array([before], np.uint64)).flow[0] != Flow.UNINFERABLE and not (
        found and found[-1].index == index
    )


class _Breaks:
    """Where trace ends, as keys that order rows and the blocks in them."""

    def __init__(self, beats: Beats, ioptions: int, tracing: np.ndarray, valid: np.ndarray, lanes: np.ndarray) -> None:
        self._step = beats.lanes + 2
        self._enable = beats.enable.astype(np.int64)
        self._inst_tracing = beats.inst_tracing.astype(bool)
        self._options = ioptions ^ beats.toggle.astype(np.int64)
        self._changed = np.zeros(len(beats), bool)
        self._changed[1:] = self._options[1:] != self._options[:-1]
        self._traps = np.isin(beats.itype[lanes], (IType.EXCEPTION, IType.INTERRUPT))
        blocks = np.nonzero(valid & ~lanes & tracing[:, None])
        levels = np.flatnonzero(~tracing | self._changed) * self._step
        self.keys = np.sort(np.concatenate((levels, self._keys(blocks))))

    def _keys(self, blocks: tuple[np.ndarray, ...]) -> np.ndarray:
        return blocks[0] * self._step + blocks[1] + 1

    def before(self, blocks: tuple[np.ndarray, ...]) -> np.ndarray:
        """How many breaks come before each traced block: equal for the blocks of one episode."""
        self._blocks = self._keys(blocks)
        return np.searchsorted(self.keys, self._blocks)

    def supports(self, row: np.ndarray, traced: Traced, episode: np.ndarray) -> list[Support]:
        """The support packets of a run without losses, in order."""
        found: list[tuple[int, int, Support]] = []
        ends = np.flatnonzero(np.diff(episode, append=-1)) if len(episode) else episode
        ended = set()
        for block in ends.tolist():
            if episode[block] == len(self.keys):  # the record ends first
                continue
            key = int(self.keys[episode[block]])
            ended.add(key)
            at = key // self._step
            options = (int(self._options[row[block]]),)  # of the last item
            last = None if self._traps[block] else int(traced.end[block]) - 1
            found.append(
                (
                    key,
                    0,
                    Support(
                        int(traced.end[block]),
                        int(self._enable[at]),
                        (ENDED_REP, ENDED_NTR),
                        options,
                        "ET.alg.ended",
                        last=last,
                        now=int(self._options[at]),
                        off=not self._inst_tracing[at],
                    ),
                )
            )
        steps = np.diff(self._enable, prepend=0)
        for at in np.flatnonzero((steps != 0) | (self._changed & (self._enable != 0))).tolist():
            key = at * self._step
            index = int(traced.done[np.searchsorted(self._blocks, key)])
            if steps[at] >= 0:
                clause = "ET.alg.enable" if steps[at] else "ET.alg.reconfigured"
                found.append((key, 1, Support(index, 1, (NO_CHANGE,), (int(self._options[at]),), clause)))
            elif key not in ended:
                old = int(self._options[max(at - 1, 0)])
                found.append(
                    (key, 1, Support(index, 0, (NO_CHANGE,), tuple({int(self._options[at]), old}), "ET.alg.disable"))
                )
        return [support for _, _, support in sorted(found, key=lambda entry: entry[:2])]
