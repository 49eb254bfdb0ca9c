# SPDX-License-Identifier: Apache-2.0
"""Lossless: a decoder that has only the bytes and the program reports what the hart did.

Compares the decoder's PCs, branch directions, traps, edges, markers, contexts, vendor-defined messages and times with
the run that was traced, whatever choices the encoder made. Something may be missing only where an Error appears and the
output queue was full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.models.ntrace.decoder.decoded import Diagnostic, Event
from rvtrace.models.riscv.isa import Flow
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import RULE
from rvtrace.scoreboards.common.matching import first_mismatch
from rvtrace.scoreboards.common.places import Rows, ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import CUSTOM, EDGES, Alignment, Problem, Segment
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.context import Context
from rvtrace.scoreboards.ntrace.edges import START_CLAUSE, STOP_CLAUSE, Edge
from rvtrace.scoreboards.ntrace.expected import Expected, Trap
from rvtrace.scoreboards.ntrace.inferred import MODE_CLAUSE, Inferred
from rvtrace.scoreboards.ntrace.markers import Beside
from rvtrace.scoreboards.ntrace.proven import Proven, Wrong
from rvtrace.scoreboards.ntrace.restart import check_restart
from rvtrace.scoreboards.ntrace.table import MessageTable
from rvtrace.scoreboards.ntrace.time import Clock
from rvtrace.scoreboards.ntrace.tolerances import Tolerances
from rvtrace.scoreboards.ntrace.wrong_field import WrongField

EXTRA = {
    "wake": START_CLAUSE["wake"],
    "reset": START_CLAUSE["reset"],
    "sleep": STOP_CLAUSE["sleep"],
}  # reported, but not so
FIELDS = {  # of messages, and the clauses that hold if decoding goes on rightly after them
    "faddr": ("NT.8.1.faddr",),
    "uaddr": ("NT.8.1.uaddr", "NT.8.1.xor"),
    "btype": ("NT.6.2.btype",),
    "bcnt": ("NT.7.11.repeat",),
}
STARTS_OFF = "NT.8.6.start_while_off"
VENDOR_EVCODE = 8  # and above (table 23)
PLAIN_STARTS = (
    "wake",
    "reset",
)  # what may be reported as SYNC=5; that "must not be used for exit from debug mode" (table 25)


class Lossless(Alignment):
    """One comparison of a capture with what its decoder reported."""

    def __init__(
        self,
        capture: NtraceCapture,
        book: ClauseBook,
        expected: Expected,
        decoded: DecodedTrace,
        table: MessageTable,
        tolerances: Tolerances,
    ) -> None:
        super().__init__(capture, book, expected, decoded, table)
        self._codes_optional = tolerances.start_codes_optional
        if self._codes_optional:
            expected.edges = [edge._replace(optional=edge.optional or edge.kind == "reset") for edge in expected.edges]
        if tolerances.empty_windows:  # the entry into Debug Mode is required, whatever came before
            expected.edges = [
                edge._replace(optional=edge.optional or (edge.empty and edge.kind != "debug_entry"))
                for edge in expected.edges
            ]
        self._beside = Beside(self, tolerances)
        self._context = Context(self)
        self._clock = Clock(self, capture.exact or tolerances.event_time)
        self._inferred = Inferred(self, tolerances)
        self.field = WrongField(self)
        self.wrong: list[Wrong] = []  # what was found

    def failure(
        self, clause: str, headline: str, index: int, table: Rows | None = None, packet: int | None = None
    ) -> Failure:
        """As in `Comparison`; remembered for the clauses that it leaves in doubt."""
        failure = super().failure(clause, headline, index, table, packet)
        self.wrong.append(Wrong(failure.at or 0, clause, index))
        return failure

    def beside(self, segment: Segment, at: int) -> Problem | None:
        """Markers, vendor-defined messages, privilege and context, time."""
        parts = (self._beside, self._context, self._clock)
        return next((found for found in (part.problem(segment, at) for part in parts) if found), None)

    def wrong_field(self, told: int, at: int) -> tuple[str, str] | None:
        """A U-ADDR that leads elsewhere, or an I-CNT that counts an instruction which trapped."""
        if self.field.counts_trapped(told, at):
            have = self.capture.program.place(int(self.decoded.pcs[told]))
            return "NT.8.4.icnt", f"I-CNT counts {have}, which did not retire"
        message = self.field.leads(told, at)
        if message is None:
            return None
        due = int(self.expected.pc[at])
        return self.field.clause(message, due >> 1), self.field.text(message, due)

    def run(self) -> None:
        """All comparisons; stops after a PC mismatch, since everything after it differs as well."""
        flow = self.capture.program.columns(self.expected.pc).flow
        indirect = np.count_nonzero((flow == Flow.UNINFERABLE) | (flow == Flow.TRAP))
        branches = np.count_nonzero(self.expected.taken >= 0)
        self.book.count("NT.11.pcs", len(self.expected))
        self.book.count("NT.10.branches", branches)
        self.book.count("NT.10.indirect", indirect)
        self.book.count("NT.8.4.count", len(self.table))
        if self.capture.config.filter:
            self.book.count("NT.4.filters", len(self.expected))
        self.book.count(
            "NT.10.1.custom", np.count_nonzero((flow == Flow.SEQUENTIAL) & np.isin(self.expected.itype, CUSTOM))
        )
        if self.capture.config.all_jumps:
            self.book.count("NT.2.all_jumps", np.count_nonzero(flow == Flow.INFERABLE))
        aligned = self.align()
        self._addresses()
        self._clock.check_sent()
        self._clock.check_order()
        if aligned and self._directions():
            self._traps()
            self._edges()
            self._others()
            self._inferred.check()
            check_restart(self)

    def prove(self, diagnostics: list[Diagnostic]) -> None:
        """Count what the comparison has proven, the decoder's diagnostics that count beside its own failures."""
        known = [Wrong(int(np.searchsorted(self.table.offset, d.offset)), d.clause) for d in diagnostics]
        rules = [Wrong(f.at, f.clause) for f in self.book.failures if f.at is not None and f.found == RULE]
        proven = Proven(self, [*known, *self.wrong], rules, self.field)
        for clause, times in proven.counts().items():
            self.book.count(clause, times)
        kept = {failure.at for failure in self.book.failures}  # the others have none to follow from
        for failure in proven.doubts():
            if failure.at in kept:
                self.book.fail(failure)

    def excused(self, segment: Segment, at: int, index: int, told: int | None) -> bool:
        """A return that modes 1 and 2 predict wrongly: the trace cannot be followed from there (9.2)."""
        after = ends(self.decoded.first_pc, len(self.decoded))
        if told is None:  # the decoder lost its way, after the last message that reported this much
            resumed = self.table.offset[min(segment.last, len(self.table) - 1)]
            last = self.table.offset[min(np.searchsorted(after, segment.begin + index), len(after) - 1)]
            lost = [d.offset for d in self.decoded.diagnostics if last <= d.offset <= resumed]
        else:
            lost = self.table.offset[np.searchsorted(after, segment.begin + index, side="right") :].tolist()[:1]
        if not lost or not self._inferred.misled(segment, at, index, told, lost[0]):
            return False
        self.followed_to = lost[0]
        self.book.count(MODE_CLAUSE[self.capture.config.implicit_return])
        return True

    def _others(self) -> None:
        for kind in self._beside.kinds:
            self.book.count(kind.clause, len(kind.wanted))
        self.book.count(Context.CLAUSE, self._context.changes)
        for segment in self.segments:
            found = self.beside(segment, segment.start) if segment.certain else None
            if found is not None:
                self.fail(*found)

    def _addresses(self) -> None:
        """The fields that led to instructions which were compared, and the messages repeated."""
        after, table = ends(self.decoded.first_pc, len(self.decoded)), self.table
        compared = np.zeros(len(self.decoded) + 1, dtype=bool)
        for segment in self.segments:
            if segment.at is not None:
                compared[segment.begin : segment.end] = True
        led = compared[after] if len(table) else np.zeros(0, dtype=bool)
        for key, clauses in FIELDS.items():
            for clause in clauses:
                self.book.count(clause, np.count_nonzero(led & (table[key] != t.ABSENT)))

    # What was reported beside the PCs

    def _directions(self) -> bool:
        wrong = self.wrong_direction(silent=False)
        if wrong is not None:
            self.book.fail(self.failure("NT-1", "the branch is reported in the wrong direction", *wrong))
        return wrong is None

    def _told(self, kinds: tuple[str, ...]) -> list[tuple[int | None, Any]]:
        """(traced instruction, event) of these kinds in order."""
        return [(s.place(e.index), e) for s in self.segments for e in s.events if e.kind in kinds]

    def _traps(self) -> None:
        told = self._told(("trap",))
        self.book.count("NT.10.traps", len(self.expected.traps))
        self._match(self.expected.traps, told, self._same_trap, lambda trap: "NT.10.traps", "trap")

    def _same_trap(self, trap: Trap, at: int | None, event: Any) -> bool:
        if at is not None and trap.index != at:
            return False
        if event.btype in (2, 3) and trap.interrupt != (event.btype == 3):
            return False
        return event.epc is None or event.epc == trap.epc or self._call_epc(trap, event.epc)

    def _call_epc(self, trap: Trap, epc: int) -> bool:
        """rc7: ecall and ebreak retire, so a decoder sees the trap after them."""
        insn = self.capture.program.insn(trap.epc)
        return self.capture.config.variant == "rc7" and insn is not None and insn.flow == Flow.TRAP \
            and epc == trap.epc + insn.size  # fmt: skip

    def _edges(self) -> None:
        told = self._told(EDGES)
        reported = {(at, event.kind) for at, event in told}
        for edge in self.expected.edges:
            self.book.count(edge.clause, not edge.optional or (edge.index, edge.kind) in reported)
        if self._match(self.expected.edges, told, self._same_edge, lambda e: e.clause, "edge"):
            self.book.count(STARTS_OFF, self.expected.silent_exits)

    def _same_edge(self, edge: Edge, at: int | None, event: Any) -> bool:
        plain = self._codes_optional and event.kind == "trace_on" and edge.kind in PLAIN_STARTS
        own = (
            edge.kind == "sleep" and event.message.get("evcode", 0) >= VENDOR_EVCODE
        )  # "Optional": a vendor may have its own code
        return at in (None, edge.index) and (edge.kind == event.kind or plain or own)

    def _off_already(self, event: Event) -> bool:
        """Whether a stop is reported where trace had stopped, which v1_0 has for an entry into Debug Mode alone."""
        told = [one.kind for _, one in self._told(EDGES) if one.message.offset < event.message.offset]
        stopped = not told or told[-1] in STOP_CLAUSE
        return event.kind == "trace_off" and stopped and self.capture.config.variant == "v1_0"

    def _match(self, wanted: list, told: list, same: Callable, clause_of: Callable, what: str) -> bool:
        """Whether all agree: the first of them that is missing, extra or different is the failure."""
        found = first_mismatch(
            wanted,
            told,
            lambda one, entry: same(one, *entry),
            lambda one: one.optional or self.in_hole(one.index),
            lambda one: one.optional,
        )
        if found is not None:
            first, number = found
            at, event = (None, None) if number is None else told[number]
            self._mismatch(None if first is None else wanted[first], at, event, clause_of, what)
        return found is None

    def _mismatch(self, wanted: Trap | Edge | None, at: int | None, event: Any, clause_of: Callable, what: str) -> None:
        if isinstance(wanted, Edge) and at is not None and at < wanted.index:
            wanted = None  # what was reported is one too many
        clause = clause_of(wanted) if wanted is not None else {"trap": "NT.10.traps", **EXTRA}.get(event.kind, "NT-2")
        if isinstance(event, Event) and self._off_already(event):
            wanted, clause = None, STARTS_OFF
        name = "none"
        if wanted is not None:
            name = wanted.kind if isinstance(wanted, Edge) else "interrupt" if wanted.interrupt else "exception"
        have = "none" if event is None else event.kind if what == "edge" else f"trap B-TYPE={event.btype}"
        table = [
            (what, name, have),
            ("after instructions", "-" if wanted is None else str(wanted.index), "-" if at is None else str(at)),
        ]
        if isinstance(wanted, Trap) and event is not None:
            table.append(("EPC", f"{wanted.epc:#x}", "-" if event.epc is None else f"{event.epc:#x}"))
        index = wanted.index if wanted is not None else at or 0
        headline = f"{have} is reported where the hart had {name}" if event is not None else f"{name} was not reported"
        self.book.fail(self.failure(clause, headline, index, table))
