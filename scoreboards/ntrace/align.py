# SPDX-License-Identifier: Apache-2.0
"""Alignment: which traced instructions the decoded ones represent, with holes where messages were lost.

Without a loss it is one comparison of arrays. After a loss the PCs alone may fit at many places of a loop, so that
traps, edges and directions have to fit as well. What fits nowhere is a failure, attributed by what appears before the
first PC that differs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.comparison import Comparison, Run
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.edges import START_CLAUSE, STOP_CLAUSE
from rvtrace.scoreboards.ntrace.expected import Expected
from rvtrace.scoreboards.ntrace.table import Locator, MessageTable


@dataclass
class Segment(Run):
    """Decoded instructions [begin, end), reported by messages first..last-1, and the events among them.

    They represent the traced instructions from `at` on. open: messages were lost (before it, after it). gap: before it
    the decoder lost its way, which is a failure by itself and no loss that the trace reports.
    """

    first: int = 0
    last: int = 0
    open: tuple[bool, bool] = (False, False)
    gap: bool = False

    @property
    def start(self) -> int:
        """`at`, of a segment whose place is known."""
        assert self.at is not None
        return self.at

    @property
    def certain(self) -> bool:
        """Whether `at` is its place: of an empty segment after a loss it is only the first place that is possible."""
        return self.at is not None and (self.end > self.begin or not self.open[0])

    def place(self, index: int) -> int | None:
        """The traced instruction for a decoded one; None in an empty segment, which may be anywhere in its hole."""
        return None if self.at is None else self.at + index - self.begin


class Problem(NamedTuple):
    """Something other than PCs, traps and edges that a segment reports wrongly; index of the traced instruction."""

    clause: str
    headline: str
    index: int
    table: list[tuple[str, str, str]]


EDGES = (*START_CLAUSE, *STOP_CLAUSE)
TOLD = (*EDGES, "trap")
LOSSES = ("error", "gap")
RESTART = 7  # SYNC after Error
MOST_STRAYS = 100  # wrong PCs of one trace after which it is compared again
VENDOR_ETYPE = 8  # and above (table 15)
CUSTOM = (
    IType.UNINFERABLE_JUMP,
    IType.OTHER_UNINFERABLE_JUMP,
)  # what a custom instruction that jumps is reported as (10.1)


class Alignment(Comparison):
    """Decoded segments on the traced stream."""

    where: Locator

    def __init__(self, capture: NtraceCapture, book: ClauseBook, expected: Expected, decoded: DecodedTrace,
                 table: MessageTable) -> None:  # fmt: skip
        super().__init__(capture, book, expected, decoded, table, Locator)
        self.followed_to: int | None = None  # byte offset from which the trace cannot be followed (NT.9.2.mode_*)
        self._stray: tuple[int, int, int] | None = None  # of the last wrong PC: place of its segment, index, message
        self._strays = 0  # wrong PCs after which the trace was compared again
        self._edges_told = 0  # position in expected.edges after the last one that was reported
        self.segments = self.runs = self._split()

    @property
    def judged(self) -> int:
        """Traced instructions that were compared, or that need not be reported since messages were lost."""
        placed = sum(s.end - s.begin for s in self.segments if s.at is not None)
        holes = 0 if self.decoded.diagnostics or self._strays else sum(b - a for a, b in self.holes)
        return min(placed + holes, len(self.expected)) if len(self.decoded) else 0

    # Where decoded instructions belong

    def _split(self) -> list[Segment]:
        """The decoded trace between its losses."""
        total, n = len(self.decoded.pcs), len(self.table)
        segments = [Segment(0, total, 0, n)]
        for event in self.decoded.events:
            if event.kind in LOSSES:
                before, message = segments[-1], int(np.searchsorted(self.table.offset, event.message.offset))
                before.end, before.last, before.open = event.index, message, (before.open[0], True)
                segments.append(Segment(event.index, total, message, n, (True, False), gap=_astray(event)))
            else:
                segments[-1].events.append(event)
        return segments

    def followed(self, diagnostics: list) -> list:
        """Those of the decoder's diagnostics that count.

        Where the trace cannot be followed it may say anything; where nothing was traced there is nothing to find; and
        the order of times is judged by the check that knows the clock (`time.py`).
        """
        ours = {"NT.8.7.monotonic", *(() if len(self.expected) else ("NT-24",))}
        return [
            d for d in diagnostics if (self.followed_to is None or d.offset < self.followed_to) and d.clause not in ours
        ]

    def excused(self, segment: Segment, at: int, index: int, told: int | None) -> bool:
        """Whether a segment at `at` may report another PC for its instruction `index`, or none that can be followed."""
        return False

    def beside(self, segment: Segment, at: int) -> Problem | None:
        """What a segment at `at` reports wrongly beside PCs, directions, traps and edges."""
        return None

    def wrong_field(self, told: int, at: int) -> tuple[str, str] | None:
        """Clause and headline where decoded instruction `told` is not traced instruction `at` because of one field."""
        return None

    def align(self) -> bool:
        """Find each run of decoded instructions in the traced stream; False if one fits nowhere.

        The earliest place that fits is right for all but the last, which must reach the end: a later place of one
        leaves less room for those after it.
        """
        position, n = 0, len(self.expected)
        for number, segment in enumerate(self.segments):
            if segment.begin == segment.end:
                position = self._place_empty(segment, position)
                continue
            first, placed = number == 0, [s for s in self.segments[:number] if s.at is not None and s.end > s.begin]
            to_end = segment is self.segments[-1]
            if placed and self.excused(placed[-1], placed[-1].start, position - placed[-1].start, None):
                return False
            placed_here = self._place_first(segment) if first else self._place(segment, position, to_end)
            if not placed_here and not self._cut(segment):
                return False
            if segment.start > position or not first:
                self.holes.append((position, segment.start))
            position = segment.start + segment.end - segment.begin
            for event in segment.events:
                self._consume(segment.place(event.index), event.kind)
        if position == n or self.expected.open_end or self._strays:
            self.holes += [(position, n)] if position < n else []
            self.holes += [(n, n)] if len(self.segments) > 1 else []
            return True
        if self.segments[-1].begin == self.segments[-1].end and len(self.segments) > 1:
            self.holes.append((position, n))
            return self.segments[-1].gap or self.book.check(
                "NT-14", self._may_lose(position, self.segments[-1]) is not None, lambda: self._unlost(position)
            )
        if self.decoded.diagnostics:  # the decoder gave up on something, which is a separate failure
            last = self.segments[-1]
            if last.at is not None:
                self.excused(last, last.at, position - last.at, None)
            return False
        self.book.fail(
            self.failure(
                "NT.4.filters" if self._filtered(position) else "NT.7.12.stop",
                f"the trace ends {n - position} instructions before the hart stopped being traced",
                position,
                [("instructions", str(n), str(position))],
            )
        )
        return False

    def _cut(self, segment: Segment) -> bool:
        """After a wrong PC: keep what is right of a segment, and compare again from the next synchronizing message on.

        False if the segment is wrong in another way.
        """
        if self._stray is None or self._strays >= MOST_STRAYS:
            return False
        (position, index, message), self._stray = self._stray, None
        self._strays += 1
        syncs = np.flatnonzero(self.table.sync[message + 1 : segment.last]) + message + 1
        end, last, events = segment.end, segment.last, segment.events
        segment.at, segment.end = position, segment.begin + index
        segment.events = [event for event in events if event.index < segment.end]
        if len(syncs):
            first = int(syncs[0])
            begin = int(self.decoded.first_pc[first + 1]) if first + 1 < len(self.table) else len(self.decoded)
            segment.last = first
            if begin < end:
                after = [event for event in events if event.message.offset >= self.table.offset[first]]
                rest = Segment(begin, end, first, last, (True, segment.open[1]), gap=True, events=after)
                self.segments.insert(self.segments.index(segment) + 1, rest)
        segment.open = (segment.open[0], True)
        return True

    def _may_lose(self, position: int, segment: Segment) -> int | None:
        """Instructions done when a beat at or after `position` was taken without room; None if there is none.

        What a vendor-defined Error represents is not known: it needs no such beat. Nor does a gap, where the trace
        could not be decoded.
        """
        drops = self.expected.drop_at
        if (
            segment.gap
            or drops is None
            or self.table["etype"][segment.first : segment.first + 1].max(initial=0) >= VENDOR_ETYPE
        ):
            return position
        index = int(np.searchsorted(drops, position))
        return int(drops[index]) if index < len(drops) else None

    def _place_first(self, segment: Segment) -> bool:
        told = self.decoded.pcs[: segment.end]
        if not np.array_equal(self.expected.pc[: segment.end], told):
            self._pc_failure(segment, told, 0)
            return False
        segment.at = 0
        return True

    def _place(self, segment: Segment, position: int, to_end: bool) -> bool:
        """Where a segment after a loss belongs: not before the first beat that was taken without room."""
        first = self._may_lose(position, segment)
        if first is None:
            self.book.fail(self._unlost(position))
            return False
        told, pcs = self.decoded.pcs[segment.begin : segment.end], self.expected.pc
        candidates = np.flatnonzero(pcs[first:] == told[0]) + first
        if self.expected.block_start is not None:
            candidates = candidates[np.isin(candidates, self.expected.block_start)]
        best, length, fitting = first, -1, []
        for at in candidates.tolist():
            same = same_start(pcs[at : at + len(told)], told)
            if same == len(told):
                fitting.append(at)
                if self._rest_fits(segment, at) and (not to_end or at + same == len(pcs)):
                    segment.at = at
                    return True
            if same > length:
                best, length = at, same
        if fitting:
            segment.at = fitting[-1] if to_end else fitting[0]
            return True
        if length < 0:
            self.book.fail(self.failure("NT.8.5.sync7", "trace goes on after the loss where the hart was not", first,
                                         [("pc", "-", f"{int(told[0]):#x}")]))  # fmt: skip
        else:
            self._pc_failure(segment, told, best)
        return False

    def _place_empty(self, segment: Segment, position: int) -> int:
        """A start or stop reported between two losses: the first such edge from `position` on that is not reported yet.

        Traps reported beside it without an instruction between must be there as well.
        """
        traps = {(e.epc, _sort(e)) for e in segment.events if e.kind == "trap" and e.epc is not None}
        for event in segment.events:
            edges = self.expected.edges[self._edges_told :] if event.kind in EDGES else []
            edge = next((e for e in edges if e.kind == event.kind and e.index >= position
                         and traps <= self._traps_at.get(e.index, set())), None)  # fmt: skip
            if edge is not None:
                self.holes.append((position, edge.index))
                position = segment.at = edge.index
                self._consume(edge.index, edge.kind)
        return position

    def _consume(self, index: int | None, kind: str) -> None:
        """An edge was reported: it and those before it cannot be reported again."""
        later = [place for place in self._edge_places.get((index, kind), ()) if place >= self._edges_told]
        if later:
            self._edges_told = later[0] + 1

    @cached_property
    def _edge_places(self) -> dict[tuple[int | None, str], list[int]]:
        """(instruction, kind) to the positions in expected.edges."""
        places: dict[tuple[int | None, str], list[int]] = {}
        for place, edge in enumerate(self.expected.edges):
            places.setdefault((edge.index, edge.kind), []).append(place)
        return places

    @cached_property
    def _traps_at(self) -> dict[int, set[tuple[int, str]]]:
        """Instruction to the (EPC, kind) of the traps there, of unknown kind too."""
        places: dict[int, set[tuple[int, str]]] = {}
        for trap in self.expected.traps:
            kinds = ("trap", "interrupt" if trap.interrupt else "exception")
            places.setdefault(trap.index, set()).update((trap.epc, kind) for kind in kinds)
        return places

    def _rest_fits(self, segment: Segment, at: int) -> bool:
        """Whether branch directions and edges agree as well: in a loop the PCs alone fit at many places."""
        told = self.decoded.taken[segment.begin : segment.end]
        if np.any((told >= 0) & (told != self.expected.taken[at : at + len(told)])):
            return False
        known, shift = self._known_places, at - segment.begin
        if not all((shift + e.index, _sort(e)) in known for e in segment.events if e.kind in TOLD):
            return False
        traps = ((shift + e.index, (e.epc, _sort(e))) for e in segment.events if e.kind == "trap" and e.epc is not None)
        if not all(trap in self._traps_at[index] for index, trap in traps):
            return False
        starts = (self._edge_places[shift + e.index, e.kind] for e in segment.events if e.kind in EDGES)
        if any(places[-1] < self._edges_told for places in starts):
            return False
        edges = self.expected.edges  # in order: those strictly inside must all be reported
        first = bisect_right(edges, at, key=lambda e: e.index)
        inside = edges[first : bisect_left(edges, at + segment.end - segment.begin, key=lambda e: e.index)]
        here = {(shift + e.index, e.kind) for e in segment.events}
        return (
            all(edge.optional or (edge.index, edge.kind) in here for edge in inside)
            and self.beside(segment, at) is None
        )

    @cached_property
    def _known_places(self) -> set[tuple[int, str]]:
        edges = {(edge.index, edge.kind) for edge in self.expected.edges}
        return edges | {(index, kind) for index, traps in self._traps_at.items() for _, kind in traps}

    # Failures

    def _unlost(self, position: int) -> Failure:
        return self.failure("NT-14", "the trace reports a loss, but no beat was taken without room", position, [])

    def _pc_failure(self, segment: Segment, told: np.ndarray, position: int) -> None:
        """The first PC that differs, and the clause of what should have led there."""
        theirs = self.expected.pc[position : position + len(told)]
        index = same_start(theirs, told)
        both = index < min(len(theirs), len(told))
        if both and self.excused(segment, position, index, int(told[index])):
            return
        clause, found = self._pc_clause(position, index), None
        if both:
            found = self.wrong_field(segment.begin + index, position + index)
        if self.capture.config.filter and self._edge_before(segment, position, index):
            clause, found = "NT.4.filters", None
        if index >= len(theirs):
            text = f"{len(told) - index} instructions too many are reported"
            want = "none"
        else:
            want = self.capture.program.place(int(theirs[index]))
            text = f"instruction {position + index} is not the one that retired"
        have = self.capture.program.place(int(told[index])) if index < len(told) else "none"
        clause, text = found or (clause, text)
        rows, packet = [("pc", want, have)], None
        if both and not self.capture.config.filter and (early := self._stops_early(segment, position, index)):
            packet, missing = early
            clause, rows = "NT.7.12.stop", [("instructions", f"{missing} more", "none"), *rows]
            text = f"{self.table.messages[packet].name} ends {missing} instructions before trace stopped"
        failure = self.failure(clause, text, position + index, rows, packet)
        self.book.fail(failure)
        assert failure.at is not None
        self._stray = (position, index, failure.at)
        self.astray(failure)

    def _stops_early(self, segment: Segment, position: int, index: int) -> tuple[int, int] | None:
        """The message that ends trace at the first PC that differs, and the instructions that are missing there, if
        the hart was traced on to a later stop, and what is reported next begins where it started again.
        """
        here = [event for event in segment.events if event.index == segment.begin + index]
        stop = next((event for event in here if event.kind in STOP_CLAUSE), None)
        if stop is None or (position + index, stop.kind) in self._edge_places:
            return None
        pc = int(self.decoded.pcs[segment.begin + index])
        later = (
            edge.index for edge in self.expected.edges if edge.kind in STOP_CLAUSE and edge.index > position + index
        )
        end = next(later, len(self.expected))
        if end >= len(self.expected) or int(self.expected.pc[end]) != pc:
            return None
        return int(np.searchsorted(self.table.offset, stop.message.offset)), end - position - index

    def _filtered(self, index: int) -> bool:
        """Whether a filter may have left out what comes from traced instruction `index` on: an edge is there."""
        return bool(self.capture.config.filter) and any(e.index == index for e in self.expected.edges)

    def _edge_before(self, segment: Segment, position: int, index: int) -> bool:
        """Whether an edge is reported at the first PC that differs, or a stop before it where the hart had none."""
        for event in segment.events:
            told = event.index - segment.begin
            if told == index and event.kind in EDGES:
                return True
            if told < index and event.kind in STOP_CLAUSE and (position + told, event.kind) not in self._edge_places:
                return True
        return False

    def _pc_clause(self, position: int, index: int) -> str:
        """Clause by what appears before the wrong PC."""
        if self._filtered(position + index):
            return "NT.4.filters"
        if index == 0 or any(e.index == position + index and e.kind in START_CLAUSE for e in self.expected.edges):
            return "NT.8.1.faddr"
        if any(t.index == position + index for t in self.expected.traps):
            return "NT.10.traps"
        insn = self.capture.program.insn(int(self.expected.pc[position + index - 1]))
        flow = insn.flow if insn else Flow.SEQUENTIAL
        if flow == Flow.BRANCH:
            return "NT.10.branches"
        if self.expected.itype[position + index - 1] in CUSTOM and flow == Flow.SEQUENTIAL:
            return "NT.10.1.custom"
        if flow == Flow.INFERABLE and self.capture.config.all_jumps:
            return "NT.2.all_jumps"
        return "NT.10.indirect" if flow == Flow.UNINFERABLE else "NT.8.4.count"


def _astray(event: Any) -> bool:
    """Whether the decoder resumes after it lost its way, not after a loss that an Error announced."""
    return event.kind == "gap" and event.message.get("sync") != RESTART


def _sort(event: Any) -> str:
    """What an event must be at its place: an edge by its kind, a trap by its B-TYPE."""
    return {2: "exception", 3: "interrupt"}.get(event.btype, "trap") if event.kind == "trap" else event.kind
