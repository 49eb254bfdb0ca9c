"""Lossless: a decoder that has only the bytes and the program tells what the hart did.

Compares the decoder's PCs, branch directions, traps and edges with the retire stream that was traced, whatever choices the
encoder made. Instructions may be missing only where an Error stands and the output queue was full.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from models.ntrace.decoder import DecodedTrace
from models.riscv.isa import Flow
from scoreboards.capture import Capture
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.ntrace_expected import Edge, Expected, Trap

EDGES = ("trace_on", "trace_off", "debug_entry", "debug_exit")
TOLD = (*EDGES, "trap")
LOSSES = ("error", "gap")


@dataclass
class Segment:
    """Decoded instructions [begin, end) and the events among them; they stand for the traced ones from `at` on."""

    begin: int
    end: int
    events: list = field(default_factory=list)
    at: int | None = None

    def place(self, index: int) -> int | None:
        """The traced instruction for a decoded one; None in an empty segment, which may be anywhere in its hole."""
        return None if self.at is None else self.at + index - self.begin


class Lossless:
    """One comparison of a capture with what its decoder told."""

    def __init__(self, capture: Capture, book: ClauseBook, expected: Expected, decoded: DecodedTrace) -> None:
        self.capture, self.book, self.expected, self.decoded = capture, book, expected, decoded
        self.holes: list[tuple[int, int]] = []  # traced instructions [a, b] among which anything may be untold
        self.segments = self._split()

    def run(self) -> None:
        """All comparisons; stops after a PC mismatch, since everything behind it differs as well."""
        flow = self.capture.program.columns(self.expected.pc).flow
        indirect = np.count_nonzero((flow == Flow.UNINFERABLE) | (flow == Flow.TRAP))
        branches = np.count_nonzero(self.expected.taken >= 0)
        self.book.count("NT.11.pcs", len(self.expected))
        self.book.count("NT.10.branches", branches)
        self.book.count("NT.10.indirect", indirect)
        self.book.count("NT.8.4.count", len(self.decoded.messages))
        if self._align() and self._directions():
            self._traps()
            self._edges()

    # Where decoded instructions belong

    def _split(self) -> list[Segment]:
        """The decoded trace between its losses."""
        segments = [Segment(0, len(self.decoded.pcs))]
        for event in self.decoded.events:
            if event.kind in LOSSES:
                segments[-1].end = event.index
                segments.append(Segment(event.index, len(self.decoded.pcs)))
            else:
                segments[-1].events.append(event)
        return segments

    def _align(self) -> bool:
        """Find each run of decoded instructions in the traced stream; False if one fits nowhere.

        The earliest place that fits is right for all but the last, which must reach the end: a later place of one
        leaves less room for those behind it.
        """
        position, n = 0, len(self.expected)
        filled = [s for s in self.segments if s.begin < s.end]
        for segment in filled:
            first = segment is self.segments[0]
            to_end = segment is self.segments[-1]
            if not (self._place_first(segment) if first else self._place(segment, position, to_end)):
                return False
            if segment.at > position or not first:
                self.holes.append((position, segment.at))
            position = segment.at + segment.end - segment.begin
        if position == n or self.expected.open_end:
            self.holes += [(position, n)] if position < n else []
            self.holes += [(n, n)] if len(self.segments) > 1 else []
            return True
        if self.segments[-1].begin == self.segments[-1].end and len(self.segments) > 1:
            self.holes.append((position, n))
            return self.book.check("NT-14", self._may_lose(position) is not None, lambda: self._unlost(position))
        if self.decoded.diagnostics:  # the decoder gave up on something, which is a failure of its own
            return False
        self.book.fail(self._failure(
            "NT.7.12.stop", f"the trace ends {n - position} instructions before the hart stopped being traced", position,
            [("instructions", str(n), str(position))]))  # fmt: skip
        return False

    def _may_lose(self, position: int) -> int | None:
        """Instructions done when a beat at or after `position` was taken without room; None if there is none."""
        drops = self.expected.drop_at
        if drops is None:
            return position
        index = int(np.searchsorted(drops, position))
        return int(drops[index]) if index < len(drops) else None

    def _place_first(self, segment: Segment) -> bool:
        told = self.decoded.pcs[: segment.end]
        if not np.array_equal(self.expected.pc[: segment.end], told):
            self._pc_failure(told, 0)
            return False
        segment.at = 0
        return True

    def _place(self, segment: Segment, position: int, to_end: bool) -> bool:
        """Where a segment after a loss belongs: not before the first beat that was taken without room."""
        first = self._may_lose(position)
        if first is None:
            self.book.fail(self._unlost(position))
            return False
        told, pcs = self.decoded.pcs[segment.begin : segment.end], self.expected.pc
        candidates = np.flatnonzero(pcs[first:] == told[0]) + first
        if self.expected.block_start is not None:
            candidates = candidates[np.isin(candidates, self.expected.block_start)]
        best, length, fitting = first, -1, []
        for at in candidates.tolist():
            same = _common(pcs[at : at + len(told)], told)
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
            self.book.fail(self._failure("NT.8.5.sync7", "trace goes on after the loss where the hart was not", first,
                                         [("pc", "-", f"{int(told[0]):#x}")]))  # fmt: skip
        else:
            self._pc_failure(told, best)
        return False

    def _rest_fits(self, segment: Segment, at: int) -> bool:
        """Whether branch directions and edges agree as well: in a loop the PCs alone fit at many places."""
        told = self.decoded.taken[segment.begin : segment.end]
        if np.any((told >= 0) & (told != self.expected.taken[at : at + len(told)])):
            return False
        known, shift = self._known_places, at - segment.begin
        if not all((shift + e.index, _sort(e)) in known for e in segment.events if e.kind in TOLD):
            return False
        edges = self.expected.edges  # in order: those strictly inside must all be told
        first = bisect_right(edges, at, key=lambda e: e.index)
        inside = edges[first : bisect_left(edges, at + segment.end - segment.begin, key=lambda e: e.index)]
        here = {(shift + e.index, e.kind) for e in segment.events}
        return all(edge.optional or (edge.index, edge.kind) in here for edge in inside)

    @cached_property
    def _known_places(self) -> set[tuple[int, str]]:
        places = {(edge.index, edge.kind) for edge in self.expected.edges}
        for trap in self.expected.traps:
            places |= {(trap.index, "trap"), (trap.index, "interrupt" if trap.interrupt else "exception")}
        return places

    # Failures

    def _failure(self, clause: str, headline: str, index: int, table: list[tuple[str, str, str]]) -> Failure:
        """A failure at traced instruction `index`, which is the first not told rightly."""
        n = len(self.expected)
        at = min(index, n - 1)
        failure = Failure(clause, headline, table=table)
        if n:
            failure.pc = int(self.expected.pc[at])
            failure.place = self.capture.program.where(failure.pc)
            failure.cycle = int(self.expected.cycle[at]) if self.expected.cycle is not None else None
        first = self.decoded.first_pc
        place = int(np.searchsorted(first, self._told_index(index), side="right"))
        failure.before = [f"{m.offset:#06x}: {m}" for m in self.decoded.messages[max(0, place - 3) : place]]
        return failure

    def _told_index(self, index: int) -> int:
        """The decoded instruction that stands for traced instruction `index`."""
        for segment in reversed(self.segments):
            if segment.at is not None and segment.at <= index:
                return segment.begin + index - segment.at
        return index

    def _unlost(self, position: int) -> Failure:
        return self._failure("NT-14", "the trace tells a loss, but no beat was taken without room", position, [])

    def _pc_failure(self, told: np.ndarray, position: int) -> None:
        """The first PC that differs, and the clause of what should have led there."""
        theirs = self.expected.pc[position : position + len(told)]
        n = min(len(theirs), len(told))
        differ = np.flatnonzero(theirs[:n] != told[:n])
        index = int(differ[0]) if len(differ) else n
        clause = self._pc_clause(position, index)
        if index >= len(theirs):
            text = f"{len(told) - index} instructions too many were told"
            want = "none"
        else:
            want = self.capture.program.place(int(theirs[index]))
            text = f"instruction {position + index} is not the one that retired"
        have = self.capture.program.place(int(told[index])) if index < len(told) else "none"
        self.book.fail(self._failure(clause, text, position + index, [("pc", want, have)]))

    def _pc_clause(self, position: int, index: int) -> str:
        """Clause by what stands before the wrong PC."""
        if any(e.index == position + index and e.kind in ("trace_on", "debug_exit") for e in self.expected.edges):
            return "NT.8.1.faddr"
        if index == 0:
            return "NT.8.1.faddr"
        if any(t.index == position + index for t in self.expected.traps):
            return "NT.10.traps"
        insn = self.capture.program.insn(int(self.expected.pc[position + index - 1]))
        flow = insn.flow if insn else Flow.SEQUENTIAL
        if flow == Flow.BRANCH:
            return "NT.10.branches"
        return "NT.10.indirect" if flow == Flow.UNINFERABLE else "NT.8.4.count"

    # What was told beside the PCs

    def _directions(self) -> bool:
        for segment in self.segments:
            if segment.at is None:
                continue
            told = self.decoded.taken[segment.begin : segment.end]
            want = self.expected.taken[segment.at : segment.at + len(told)]
            wrong = np.flatnonzero((told >= 0) & (told != want))
            if len(wrong):
                index = int(wrong[0])
                self.book.fail(self._failure("NT-1", "the branch is told in the wrong direction", segment.at + index,
                                             [("taken", str(want[index]), str(told[index]))]))  # fmt: skip
                return False
        return True

    def _told(self, kinds: tuple[str, ...]) -> list[tuple[int | None, Any]]:
        """(traced instruction, event) of these kinds in order."""
        return [(s.place(e.index), e) for s in self.segments for e in s.events if e.kind in kinds]

    def _in_hole(self, index: int) -> bool:
        return any(a <= index <= b for a, b in self.holes)

    def _traps(self) -> None:
        told = self._told(("trap",))
        self.book.count("NT.10.traps", len(self.expected.traps))
        self._match(self.expected.traps, told, self._same_trap, self._trap_clause, "trap")

    def _same_trap(self, trap: Trap, at: int | None, event: Any) -> bool:
        if at is not None and trap.index != at:
            return False
        if event.btype in (2, 3) and trap.interrupt != (event.btype == 3):
            return False
        return event.epc is None or event.epc == trap.epc or self._call_epc(trap, event.epc)

    def _call_epc(self, trap: Trap, epc: int) -> bool:
        """rc7: ecall and ebreak retire, so a decoder sees the trap behind them."""
        insn = self.capture.program.insn(trap.epc)
        return self.capture.config.variant == "rc7" and insn is not None and insn.flow == Flow.TRAP \
            and epc == trap.epc + insn.size  # fmt: skip

    def _trap_clause(self, trap: Trap) -> str:
        return "NT.10.traps"

    def _edges(self) -> None:
        told = self._told(EDGES)
        for edge in self.expected.edges:
            self.book.count(edge.clause)
        self._match(self.expected.edges, told, lambda e, at, event: at in (None, e.index) and e.kind == event.kind,
                    lambda e: e.clause, "edge")  # fmt: skip

    def _match(self, wanted: list, told: list, same: Callable, clause_of: Callable, what: str) -> None:
        """Walk both lists; the first that is missing, extra or different is the failure."""
        i = 0
        for at, event in told:
            while i < len(wanted) and not same(wanted[i], at, event) and (
                wanted[i].optional or self._in_hole(wanted[i].index)
            ):
                i += 1
            if i == len(wanted) or not same(wanted[i], at, event):
                self._mismatch(wanted[i] if i < len(wanted) else None, at, event, clause_of, what)
                return
            i += 1
        left = [w for w in wanted[i:] if not (w.optional or self._in_hole(w.index))]
        if left:
            self._mismatch(left[0], None, None, clause_of, what)

    def _mismatch(
        self, wanted: Trap | Edge | None, at: int | None, event: Any, clause_of: Callable, what: str
    ) -> None:
        clause = clause_of(wanted) if wanted is not None else {"trap": "NT.10.traps"}.get(what, "NT-2")
        name = "none"
        if wanted is not None:
            name = wanted.kind if isinstance(wanted, Edge) else "interrupt" if wanted.interrupt else "exception"
        have = "none" if event is None else event.kind if what == "edge" else f"trap B-TYPE={event.btype}"
        table = [(what, name, have),
                 ("after instructions", "-" if wanted is None else str(wanted.index), "-" if at is None else str(at))]  # fmt: skip
        if isinstance(wanted, Trap) and event is not None:
            table.append(("EPC", f"{wanted.epc:#x}", "-" if event.epc is None else f"{event.epc:#x}"))
        index = wanted.index if wanted is not None else at or 0
        headline = f"{have} was told where the hart had {name}" if event is not None else f"{name} was not told"
        self.book.fail(self._failure(clause, headline, index, table))


def _sort(event: Any) -> str:
    """What an event must be at its place: an edge by its kind, a trap by its B-TYPE."""
    return {2: "exception", 3: "interrupt"}.get(event.btype, "trap") if event.kind == "trap" else event.kind


def _common(a: np.ndarray, b: np.ndarray) -> int:
    """How many elements from the start are equal."""
    n = min(len(a), len(b))
    if not np.array_equal(a[: min(n, 16)], b[: min(n, 16)]):
        n = min(n, 16)
    differ = np.flatnonzero(a[:n] != b[:n])
    return int(differ[0]) if len(differ) else n
