"""Lossless: a decoder that has only the packets and the program tells what the hart did.

Compares the decoder's PCs, branch directions, traps, privileges, contexts, times, notifications, starts and ends with the run that was traced, whatever
choices the encoder made. Something may be missing only where a support packet tells a loss and a beat was taken without room.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.riscv.isa import Flow
from scoreboards.clauses import ClauseBook
from scoreboards.etrace_align import Alignment
from scoreboards.etrace_capture import EtraceCapture
from scoreboards.etrace_expected import NO_CHANGE, TRACE_LOST, Expected, Support, Trap, flows
from scoreboards.etrace_knobs import Knobs
from scoreboards.etrace_resync import check_resync
from scoreboards.etrace_states import States
from scoreboards.etrace_table import PacketTable
from scoreboards.matching import first_mismatch


class Lossless(Alignment):
    """One comparison of a capture with what its decoder told."""

    def __init__(
        self, capture: EtraceCapture, book: ClauseBook, expected: Expected, decoded: Any, table: PacketTable, knobs: Knobs
    ) -> None:
        super().__init__(capture, book, expected, decoded, table)
        self.knobs = knobs
        self.mask = (1 << capture.config.iaddress_width_p) - 1

    def run(self) -> None:
        """All comparisons; stops after a PC mismatch, since everything behind it differs as well."""
        want = self.expected
        flow = flows(self.capture.program, want.pc)
        for clause, times in (
            ("ET.bt.sequential", len(want)), ("ET.bt.branches", np.count_nonzero(want.taken >= 0)),
            ("ET.bt.inferable", np.count_nonzero(flow == Flow.INFERABLE)), ("ET.bt.uninferable", np.count_nonzero(flow == Flow.UNINFERABLE)),
            ("ET.bt.traps", len(want.traps)), ("ET.bt.sync", np.count_nonzero(want.first)), ("ET.bt.end", 1),
            ("ET.alg.lost", np.count_nonzero(self.table["qual_status"] == TRACE_LOST)),
            ("ET.opt.implicit_return", np.count_nonzero(self.table.options("implicit_return"))),
            ("ET.ing.filters", len(want) if self.capture.config.filter else 0),
        ):  # fmt: skip
            self.book.count(clause, times)
        if self.capture.config.inst_stall_ena:
            self._stalled()
        if self.align() and self._directions():
            self._traps()
            self._supports()
            States(self).check()
            check_resync(self)

    def _stalled(self) -> None:
        """Nothing is lost while the hart can be stalled, not even with a support packet that tells so."""
        lost = np.flatnonzero(self.table["qual_status"] == TRACE_LOST)
        self.book.bulk("ET.ing.stall", len(self.expected), lost, lambda i: self.failure(
            "ET.ing.stall", "packets were lost, although inst_stall_ena=1 lets the encoder stall the hart", 0, None, i))  # fmt: skip

    def _directions(self) -> bool:
        for piece in self.pieces:
            if piece.at is None:
                continue
            want = self.expected.taken[piece.at : piece.at + piece.length]
            told = self.decoded.taken[piece.first : piece.first + len(want)]
            wrong = np.flatnonzero((told != want) & ((told >= 0) | (want >= 0)))
            if len(wrong):
                index = int(wrong[0])
                self.book.fail(self.failure("ET.bt.branches", "the branch is told in the wrong direction", piece.at + index,
                                            [("taken", str(want[index]), str(told[index]))]), counted=True)  # fmt: skip
                return False
        return True

    # Traps

    def same_trap(self, trap: Trap, event: Any) -> bool:
        """Whether the event tells this trap, all of it."""
        return all(name == "handler" and event.handler is None for _, name, _, _ in self._trap_rows(trap, event))

    def _tval(self, trap: Trap) -> int | None:
        """The trap value that must be told; None for no matter."""
        if self.draft:
            return None if self.capture.config.notval_p else trap.tval & self.mask
        return None if trap.interrupt else trap.tval & self.mask

    def _trap_rows(self, trap: Trap, event: Any) -> list[tuple[str, str, str, str]]:
        """(clause, field, expected, actual) of what is told otherwise."""
        rows: list[tuple[str, str, str, str]] = []
        cause = trap.cause & (1 << self.capture.config.ecause_width_p) - 1
        handler = "ET.opt.implicit_exception" if self.capture.config.implicit_exception else "ET.bt.traps"
        for clause, name, want, have in (
            ("ET.pay.ecause", "interrupt", int(trap.interrupt), event.interrupt), ("ET.pay.ecause", "ecause", cause, event.ecause),
            ("ET.pay.tval", "tval", self._tval(trap), event.tval), (handler, "handler", trap.handler, event.handler),
        ):  # fmt: skip
            if name == "handler" and have is None and self.in_hole(trap.index):
                continue  # the packet that tells it was lost
            if want is not None and want != have:
                rows.append((clause, name, f"{want:#x}", "-" if have is None else f"{have:#x}"))
        if None not in (trap.epc, event.epc) and trap.epc != event.epc:
            rows.append(("ET.bt.epc", "EPC", f"{trap.epc:#x}", f"{event.epc:#x}"))
        return rows

    def _traps(self) -> None:
        wanted, told = self.expected.traps, list(self.placed("trap"))
        exceptions = sum(not trap.interrupt for trap in wanted)
        for clause, times in (("ET.pay.ecause", len(told)), ("ET.bt.epc", sum(e.epc is not None for _, e in told)),
                              ("ET.pay.tval", len(told) if self.draft else exceptions)):  # fmt: skip
            self.book.count(clause, times)
        if self.capture.config.implicit_exception:
            self.book.count("ET.opt.implicit_exception", len(told))

        def same(trap: Trap, entry: tuple[int | None, Any]) -> bool:
            return entry[0] in (None, trap.index) and not self._trap_rows(trap, entry[1])

        # One told between two losses, with no instruction to place it by: any trap that was lost there.
        for low, high, event in self.unplaced("trap"):
            there = [trap for trap in wanted if low <= trap.index <= high]
            self.book.check("ET.bt.traps", any(self.same_trap(trap, event) for trap in there), lambda low=low, event=event: self.failure(
                "ET.bt.traps", "a trap is told between two losses, and the hart had none such there", low, None, event.packet))  # fmt: skip
        told = [(at, event) for at, event in told if at is not None]
        found = first_mismatch(wanted, told, same, lambda trap: trap.optional or self.in_hole(trap.index))
        if found is None:
            return
        trap, (at, event) = None if found[0] is None else wanted[found[0]], (None, None) if found[1] is None else told[found[1]]
        if trap is not None and event is not None and at in (None, trap.index):
            for clause, name, want, have in self._trap_rows(trap, event):
                self.book.fail(self.failure(clause, f"{name} of a trap is told wrongly", trap.index, [(name, want, have)], event.packet), counted=True)
            return
        kinds = ["none" if i is None else "interrupt" if i else "exception" for i in (trap and trap.interrupt, event and event.interrupt)]
        places = ["-" if i is None else str(i) for i in (trap and trap.index, at)]
        text = "a trap was not told" if event is None else f"{kinds[1]} was told where the hart had {kinds[0]}"
        self.book.fail(self.failure(
            "ET.bt.traps", text, trap.index if trap else at or 0, [("trap", *kinds), ("after instructions", *places)],
            None if event is None else event.packet), counted=True)  # fmt: skip

    # Starts and ends

    def _supports(self) -> None:
        status = self.table["qual_status"]
        told = [(at, e) for at, e in self.placed("support") if status[e.packet] != TRACE_LOST]
        # An end that falls into a loss left nothing to end: what follows trace_lost is enable or disable alone.
        wanted = [
            s._replace(statuses=(*s.statuses, NO_CHANGE)) if s.clause == "ET.alg.ended" and self.in_hole(s.index) else s for s in self.expected.supports
        ]  # fmt: skip
        if self.knobs.support_extra:  # then the ends alone are known
            told = [(at, e) for at, e in told if status[e.packet] != NO_CHANGE]
            wanted = [support for support in wanted if support.statuses != (NO_CHANGE,)]
        for support in wanted:
            self.book.count(support.clause)
            self.book.count("ET.pay.qual_status")
        self.book.count("ET.pay.ioptions", len(told))
        rows = lambda support, event: [row for row in self._support_rows(support, event.packet) if row[1] != row[2]]  # noqa: E731

        def same(support: Support, entry: tuple[int | None, Any]) -> bool:
            return entry[0] in (None, support.index) and not rows(support, entry[1])

        def may_miss(support: Support) -> bool:
            # the record's last level may come too late for the encoder
            return support.optional or self.in_hole(support.index)

        found = first_mismatch(wanted, told, same, may_miss)
        if found is None:
            return
        support, (at, event) = None if found[0] is None else wanted[found[0]], (None, None) if found[1] is None else told[found[1]]
        if support is None or event is None or at not in (None, support.index):
            text = "a support packet is missing" if event is None else "a support packet nothing calls for"
            clause = "ET.pay.support" if support is None else support.clause
            if support is not None and event is not None and at is not None and at < support.index:
                clause = "ET.pay.support"
            places = ["-" if i is None else str(i) for i in (support and support.index, at)]
            table = [("after instructions", *places)]
        else:
            table = rows(support, event)
            text = "a support packet tells otherwise"
            clause = {"qual_status": "ET.pay.qual_status", "ienable": support.clause}.get(table[0][0], "ET.pay.ioptions")
        index = support.index if support is not None else at or 0
        self.book.fail(self.failure(clause, text, index, table, None if event is None else event.packet), counted=True)

    def _support_rows(self, support: Support, packet: int) -> list[tuple[str, str, str]]:
        status, enable, options = (int(self.table[name][packet]) for name in ("qual_status", "ienable", "ioptions"))
        either = "ended" if support.statuses != (NO_CHANGE,) else "0"
        return [
            ("qual_status", str(status) if status in support.statuses else either, str(status)), ("ienable", str(support.ienable), str(enable)),
            ("ioptions", str(options) if options in support.options else f"{support.options[0]:#x}", str(options)),
        ]  # fmt: skip
