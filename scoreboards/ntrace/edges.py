# SPDX-License-Identifier: Apache-2.0
"""What control levels, triggers and filters make a trace report: starts, stops, resets and markers, by instruction.

The levels of the ingress port divide a run into episodes of tracing, a filter divides an episode into runs of qualified
blocks (NT-13). Each run begins with a start and ends with a stop; resets and markers appear inside. Nothing here knows
of messages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from rvtrace.models.riscv.beats import Beats

LOW, HIGH = 0, 6  # SYNC codes of the markers: external trigger, trace event


class Edge(NamedTuple):
    """A start, stop or reset after `index` traced instructions, with its clause.

    kind: trace_on, debug_exit, wake, reset (SYNC 5, 3, 9, 1), trace_off, debug_entry or sleep (EVCODE 4, 0, 1).
    optional: it may stay not reported. empty: a stop before anything was traced since tracing was enabled.
    """

    index: int
    kind: str
    clause: str
    optional: bool = False
    empty: bool = False


class Mark(NamedTuple):
    """A marker: SYNC code 0 or 6, reported at one of the traced instructions index..last; since: where its trigger
    fired.
    """

    index: int
    last: int
    code: int
    since: int
    optional: bool = False


START_CLAUSE = {"trace_on": "NT-2", "debug_exit": "NT-2", "wake": "NT.8.5.sync9", "reset": "NT.8.5.sync1"}
STOP_CLAUSE = {"trace_off": "NT.7.12.trace_off", "debug_entry": "NT.7.12.debug_entry", "sleep": "NT.7.12.low_power"}


@dataclass
class Blocks:
    """The blocks in tracing beats, in order: row of the beats, qualified, notify (a comparator's watchpoint matched),
    and begin: the traced instructions before each, with the total after the last.
    """

    row: np.ndarray
    qualified: np.ndarray
    notify: np.ndarray
    begin: np.ndarray


def tracing_rows(beats: Beats) -> np.ndarray:
    """Mask of the beats whose blocks are traced (profile, inputs)."""
    return (beats.enable & beats.inst_tracing & ~beats.halted & ~beats.low_power & 1).astype(bool)


class Edges:
    """Edges and marks of one run, in order; stops: instructions before each place where a pending target is unseen."""

    def __init__(self, beats: Beats, blocks: Blocks, variant: str, htm: bool) -> None:
        self.beats, self.blocks = beats, blocks
        self._rc7, self._sync4 = variant == "rc7", variant == "rc7" and htm
        self.edges: list[Edge] = []
        self.silent_exits = 0  # from Debug Mode with trace disabled, of which v1_0 says nothing
        self.marks: list[Mark] = []
        self.stops: list[int] = []  # blocks (of any kind) before each stop
        self._tracing = tracing_rows(beats)
        rows = np.flatnonzero(np.diff(self._tracing.astype(np.int8), prepend=0, append=0))
        self._resets = np.flatnonzero(np.diff(beats.in_reset.astype(np.int8), prepend=0) > 0)
        self._pulses = np.flatnonzero((beats.notify | beats.ext_notify) != 0)
        self._noted = np.flatnonzero(blocks.notify)
        self._quiet = not (len(self._resets) or len(self._pulses) or len(self._noted))
        turns = np.flatnonzero(np.diff(blocks.qualified.astype(np.int8))) + 1
        done = 0
        for begin, end in zip(rows[::2].tolist(), rows[1::2].tolist()):
            self._while_off(done, begin)
            self._episode(begin, end, turns)
            done = end
        self._while_off(done, len(beats))

    def _level(self, name: str, row: int) -> int:
        return int(getattr(self.beats, name)[row]) if 0 <= row < len(self.beats) else 0

    def _rose(self, name: str, row: int) -> bool:
        return self._level(name, row) > self._level(name, row - 1)

    def _edge(self, index: int, kind: str, clause: str = "") -> None:
        self.edges.append(Edge(index, kind, clause or {**START_CLAUSE, **STOP_CLAUSE}[kind]))

    def _while_off(self, begin: int, end: int) -> None:
        """Table 26: what the hart did in rows [begin, end), in which nothing is traced."""
        beats = self.beats
        if end - begin < 2:  # the first row off is the stop itself, or the first of all
            return
        halted = beats.halted[begin:end].astype(np.int8)
        for row in (np.flatnonzero(np.diff(halted)) + begin + 1).tolist():
            on, before = self._level("enable", row), self._level("enable", row - 1)
            off = on and before and not self._level("inst_tracing", row)
            index = int(self.blocks.begin[np.searchsorted(self.blocks.row, row)])
            if self._rose("halted", row):
                if on or before:  # in the cycle in which a control changes as well, nothing says which of them is first
                    self.edges.append(Edge(index, "debug_entry", "NT.8.6.stop_while_off", optional=not off))
            elif off and self._rc7:
                self._edge(index, "trace_off", "NT.8.6.start_while_off")
            elif off:
                self.silent_exits += 1

    def _episode(self, begin: int, end: int, turns: np.ndarray) -> None:
        """Tracing in rows [begin, end)."""
        first, last = np.searchsorted(self.blocks.row, (begin, end)).tolist()
        inside = turns[np.searchsorted(turns, first, side="right") : np.searchsorted(turns, last)]
        bounds = [first, *inside.tolist(), last] if last > first else []
        index = int(self.blocks.begin[first])
        filtered, since = False, begin
        for number, (k, behind) in enumerate(zip(bounds, bounds[1:])):
            qualified = bool(self.blocks.qualified[k])
            if qualified:
                self._edge(int(self.blocks.begin[k]), "trace_on" if number else self._start_kind(begin, k))
                if not self._quiet:
                    self._inside(k, behind, since)
                index = int(self.blocks.begin[behind])
                if behind < last:
                    self._edge(index, "trace_off", "NT.4.filter_edges")
                    self.stops.append(behind)
                    since = int(self.blocks.row[behind])
            filtered = not qualified
        if end < len(self.beats):
            self._stop(index, end, filtered, not self.blocks.qualified[first:last].any())
        self.stops.append(last)

    def _stop(self, index: int, row: int, filtered: bool, empty: bool) -> None:
        kind = "debug_entry" if self._rose("halted", row) else "sleep" if self._rose("low_power", row) else "trace_off"
        if not (filtered and kind == "trace_off"):
            self.edges.append(Edge(index, kind, STOP_CLAUSE[kind], empty=empty))

    def _start_kind(self, begin: int, block: int) -> str:
        """How tracing that begins in row `begin` is reported at its first block."""
        later = np.searchsorted(self._resets, (begin + 1, int(self.blocks.row[block]) + 1))
        if later[1] > later[0]:
            return "reset"
        for name, kind in (("halted", "debug_exit"), ("low_power", "wake"), ("in_reset", "reset")):
            if self._level(name, begin - 1):
                return kind
        return "trace_on"

    def _inside(self, k: int, behind: int, since: int) -> None:
        """Resets and markers of a run of qualified blocks [k, after); markers since row `since` may wait for it."""
        blocks = self.blocks
        row, begin = blocks.row, blocks.begin
        low, high = np.searchsorted(self._resets, (int(row[k]) + 1, int(row[behind - 1]) + 1)).tolist()
        resets = sorted({int(np.searchsorted(row, r)) for r in self._resets[low:high].tolist()})
        for block in resets:
            self._edge(int(begin[block]), "reset")
            self.stops.append(block)
        pulses = self._pulses
        pulses = pulses[np.searchsorted(pulses, since) : np.searchsorted(pulses, int(row[behind - 1]))].tolist()
        marks = []
        for pulse in pulses:
            block = max(int(np.searchsorted(row, pulse, side="right")), k)
            marks += [(block, HIGH)] if self._level("notify", pulse) else []
            marks += [(block, LOW)] if self._level("ext_notify", pulse) else []
        noted = self._noted[np.searchsorted(self._noted, k) : np.searchsorted(self._noted, behind)]
        marks += [(int(block) + 1, HIGH) for block in noted.tolist()]
        if marks:
            self._marks(sorted(marks), {k, *resets}, behind)

    def _marks(self, marks: list[tuple[int, int]], taken: set[int], behind: int) -> None:
        """Place the markers, due before (block, code), one a block, code 6 first, on blocks that no other sync has
        `taken`. One that is due only after the run, at block `behind` or later, is not reported.
        """
        pending: dict[int, int] = {}  # code to the block before which it became due
        begin, block, i = self.blocks.begin, 0, 0
        waited: dict[int, list[int]] = {}  # code that waits to places in self.marks that others took meanwhile
        while i < len(marks) or pending:
            block = block if pending else max(block, marks[i][0])
            while i < len(marks) and marks[i][0] <= block:
                pending.setdefault(marks[i][1], marks[i][0])
                i += 1
            if block >= behind:
                # either could have taken the places that there were: none of them is required
                for code, since in pending.items():
                    for place in waited.get(code, ()):
                        self.marks[place] = self.marks[place]._replace(optional=True)
                    first, last = int(begin[since]), int(begin[behind - 1])
                    if since < behind:
                        self.marks.append(Mark(first, last, code, first, optional=True))
                return
            if block not in taken:
                code = max(pending)
                since = pending.pop(code)
                waited.pop(code, None)
                for other in pending:
                    waited.setdefault(other, []).append(len(self.marks))
                last = min(block + self._sync4, behind - 1)  # rc7: a full I-CNT may take the place
                # no table has an order of two markers: either may be the first, or share its place with a start
                self.marks.append(Mark(int(begin[since]), int(begin[last]), code, int(begin[since])))
            block += 1
