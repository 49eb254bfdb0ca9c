# SPDX-License-Identifier: Apache-2.0
"""Lossless: a decoder that has only the packets and the program reports what the hart did.

Compares the decoder's PCs, branch directions, traps, privileges, contexts, times, notifications, starts and ends with
the run that was traced, whatever choices the encoder made. Something may be missing only where a support packet reports
a loss and a beat was taken without room.
"""

from __future__ import annotations

from collections import Counter
from functools import cached_property
from typing import Any

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.clauses import ClauseBook
from rvtrace.scoreboards.common.matching import first_mismatch
from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.align import Alignment
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.expected import (
    CALLS,
    DISCONTINUITY,
    ENDED_NTR,
    ENDED_REP,
    IMPRECISE,
    NO_CHANGE,
    NOTIFICATION,
    PRECISE,
    TRACE_LOST,
    Expected,
    Support,
    Trap,
)
from rvtrace.scoreboards.etrace.table import PacketTable
from rvtrace.scoreboards.etrace.tolerances import Tolerances


def check_depths(of: Lossless) -> None:
    """ET-14 and ET.pay.irdepth on an alignment that succeeded; the draft reports no depth."""
    want, table, stops = of.expected, of.table, of.stops
    packets = np.flatnonzero(table["irreport"] == 1)
    packets = packets[stops[packets] > 0]
    if not len(packets):
        return
    at = stops[packets]
    syncs = sorted({place for _, place in of.sync_places})
    behind_return = want.itype[at - 1] == IType.RETURN
    if not of.tolerances.irreport_extra:
        n = np.arange(len(want))
        returns, branches, calls = (np.maximum.accumulate(np.where(mask, n, -1)) for mask in (
            want.itype == IType.RETURN, want.taken >= 0, np.isin(want.itype, CALLS)))  # fmt: skip
        known = np.array([-1, *syncs])
        since = np.maximum(np.maximum(branches[at], calls[at - 1]), known[np.searchsorted(syncs, at, side="right")])
        bad = np.flatnonzero((returns[at - 1] <= since) & ~behind_return)
        text = "irdepth is reported where no return has to be distinguished"
        of.bulk("ET-14", len(packets), bad, text, at, packet=packets)
    depth = _Depths(of, syncs)
    told = table["irdepth"][packets]
    # at the address; or, of a return that was predicted wrongly, before it
    values = [{depth.before(int(a)), *([depth.before(int(a) - 1)] if b else [])} for a, b in zip(at, behind_return)]
    bad = [i for i, value in enumerate(values) if int(told[i]) not in value]
    rows = lambda i: [("irdepth", " or ".join(map(str, sorted(values[i]))), str(told[i]))]  # noqa: E731
    of.bulk("ET.pay.irdepth", len(packets), bad, "irdepth is not the number of calls that are open", at, rows, packets)


class _Depths:
    """Entries of a return stack, or the count of calls, before each traced instruction."""

    def __init__(self, of: Lossless, syncs: list[int]) -> None:
        want, config = of.expected, of.capture.config
        size = config.return_stack_size_p
        most = 1 << size if size else (1 << config.call_counter_size_p) - 1
        step = np.isin(want.itype, CALLS).astype(np.int64) - (want.itype == IType.RETURN)
        rows = np.flatnonzero(step)
        events = sorted([*((row, 1, int(step[row])) for row in rows.tolist()), *((sync, 0, 0) for sync in syncs)])
        self._rows, self._depths, depth = [-1], [0], 0
        for row, _, change in events:  # a synchronization comes before the instruction's own call or return
            depth = max(min(depth + change, most), 0) if change else 0
            # the depth after a row; a sync is after the row before it
            self._rows.append(row if change else row - 1)
            self._depths.append(depth)
        self._at = np.array(self._rows)

    def before(self, index: int) -> int:
        """Before the instruction's own call or return."""
        return self._depths[int(np.searchsorted(self._at, index - 1, side="right")) - 1]


CLAUSE = {"privilege": "ET.pay.privilege", "context": "ET.pay.context", "time": "ET.pay.time"}
UNSEEN = -1
FEW_CONTEXTS = 4  # of those that the hart had, shown beside one that it did not have


class States:
    """One run of these checks on an alignment that succeeded."""

    def __init__(self, of: Lossless) -> None:
        self.of, self.want, self.table, self.book, self.tolerances = of, of.expected, of.table, of.book, of.tolerances
        self.masks, self._columns = of.masks, of.columns
        self.syncs = of.sync_places
        self.stops = of.stops

    def check(self) -> None:
        """All of them; each reports its own first failures."""
        self._told_at_syncs()
        self._repeated_traps()
        self._handlers_after()
        self._needed_syncs()
        self._contexts()
        self._marks()
        self._flags()
        check_depths(self.of)
        self._ended()

    def _told_at_syncs(self) -> None:
        packets = np.array([packet for packet, _ in self.syncs], np.int64)
        places = np.array([place for _, place in self.syncs], np.int64)
        for name, column in self._columns.items():
            told = self.table[name][packets]
            bad = np.flatnonzero((told != column[places]) & (told != t.ABSENT))
            rows = lambda i, n=name, c=column, told=told: [(n, f"{c[places[i]]:#x}", f"{told[i]:#x}")]  # noqa: E731
            text = f"{name} of a synchronization packet is reported wrongly"
            self.of.bulk(CLAUSE[name], len(packets), bad, text, places, rows, packets)

    def _repeated_traps(self) -> None:
        """3.1 with thaddr=0: the privilege is that before the change that its trap makes (ET-7); time and context are
        those of the trap's cycle, or of the cycle of the trap that follows it.
        """
        if self.of.draft:
            return
        beats, by_index = self.of.capture.beats, self.want.traps_at
        cause_bits = (1 << self.of.capture.config.ecause_width_p) - 1
        for at, event in self.of.placed("trap"):
            if self.table["thaddr"][event.packet] or at is None or at not in by_index:
                continue
            traps = by_index[at]
            own = [t for t in traps if t.interrupt == event.interrupt and t.cause & cause_bits == event.ecause] or traps
            allowed = {"privilege": {trap.level & self.masks["privilege"] for trap in own}}
            for name, column in (("context", beats.context[:, 0]), ("time", beats.tstamp)) if beats is not None else ():
                allowed[name] = {int(column[trap.row]) & self.masks[name] for trap in traps}
            for name, values in allowed.items():
                if self.masks[name]:
                    reported = int(self.table[name][event.packet])
                    rows = [(name, " or ".join(map(hex, sorted(values))), f"{reported:#x}")]
                    text = f"{name} of a packet with thaddr=0 is not that of its trap"
                    self.of.check(CLAUSE[name], reported in values, text, at, rows, event.packet)

    def _handlers_after(self) -> None:
        """After a 3.1 with thaddr=0 a packet 3.0 reports the handler, unless another trap or the end comes first."""
        synced = {place for packet, place in self.syncs if self.table.kind[packet] == t.START}
        for at, event in self.of.placed("trap"):
            if self.table["thaddr"][event.packet] or at is None or at >= len(self.want) or not self.of.covered[at]:
                continue
            traps = self.want.traps_at.get(at)
            if traps and traps[-1].handler is not None and not self.of.in_hole(at):
                following, status = event.packet + 1, self.table["qual_status"]
                while following < len(status) and status[following] == NO_CHANGE:
                    following += 1
                other = following < len(status) and (
                    (self.table.kind[following] == t.TRAP and len(traps) > 1) or status[following] != t.ABSENT
                )
                text = "no packet 3.0 reports the handler of a trap that was reported with thaddr=0"
                self.of.check("ET.alg.reported", other or at in synced, text, at, packet=event.packet)

    def _needed_syncs(self) -> None:
        want = self.want
        synced = np.zeros(len(want) + 1, bool)
        synced[[place for _, place in self.syncs]] = True
        synced = synced[: len(want)]
        placed = self.of.covered
        trapped = np.zeros(len(want) + 1, bool)
        trapped[list(want.traps_at)] = True
        trapped = trapped[: len(want)]
        other = np.diff(want.priv.astype(np.int64), prepend=-1) != 0
        precise = (
            np.isin(want.ctype, (PRECISE, DISCONTINUITY))
            if not self.of.capture.config.nocontext_p
            else np.zeros(len(want), bool)
        )
        for clause, of, text in (
            ("ET.bt.sync", want.first, "trace begins"),
            ("ET.alg.ppccd", other & ~want.first & ~trapped, "the privilege changes"),
            ("ET.ing.ctype", precise & ~other & ~want.first & ~trapped, "the context changes precisely"),
        ):
            of = of & placed
            bad = np.flatnonzero(of & ~synced)
            self.of.bulk(clause, int(of.sum()), bad, f"{text}, and no synchronization packet reports the instruction")

    def _contexts(self) -> None:
        """Packets 3.2 against the imprecise changes that no synchronization packet reports."""
        want, table, tolerances = self.want, self.table, self.tolerances
        if want.time is None:
            return
        synced = {place for _, place in self.syncs} - self._doubtful
        changes = [i for i in np.flatnonzero(want.ctype == IMPRECISE).tolist() if i not in synced]
        told = [(place, event.packet) for place, event in self.of.placed("context")]
        strange = self._strange_contexts([packet for _, packet in told])
        self.book.count("ET.alg.context", max(sum(bool(self.of.covered[i]) for i in changes), len(told)))
        found = first_mismatch(changes, told, self._meant, self._may_miss)
        if tolerances.context_repeated:  # then what is reported may be more
            matched = self._matched(changes, told)
            missing = [i for i, change in enumerate(changes) if i not in matched and not self._may_miss(change)]
            found = (missing[0], None) if missing else None
        if found is not None:
            change, entry = (
                None if found[0] is None else changes[found[0]],
                None if found[1] is None else told[found[1]],
            )
            text = (
                "a change of context is not reported"
                if entry is None
                else "a context is reported that the hart did not have"
            )
            rows = (
                [
                    (n, "-" if change is None else f"{c[change]:#x}", f"{table[n][entry[1]]:#x}")
                    for n, c in self._columns.items()
                ]
                if entry
                else []
            )
            place = change if change is not None else (entry and entry[0]) or 0
            packet = entry[1] if entry else strange[0] if strange else None  # which says the change wrongly
            self.of.fail("ET.alg.context", text, place, rows, packet)
        elif tolerances.context_order:
            self._context_places(changes, told)

    def _strange_contexts(self, packets: list[int]) -> list[int]:
        """The packets 3.2, of these, with a context that the hart never had: which of those that it had is due is
        compared with the changes, as packets before and after may be of any round of a loop.
        """
        beats, column = self.of.capture.beats, self._columns.get("context")
        if beats is None or column is None or not len(column):
            return []
        had = np.unique(beats.context[:, 0].astype(np.int64) & self.masks["context"])
        values = self.table["context"]
        bad = [packet for packet in packets if values[packet] not in had]
        due = " or ".join(map(hex, had[:FEW_CONTEXTS].tolist()))
        text = "the hart did not have the context that is reported"
        places = [max(int(self.stops[packet]), 0) for packet in bad]
        rows = [[("context", due, hex(values[packet]))] for packet in bad]
        self.of.bulk("ET.pay.context", len(packets), range(len(bad)), text, places, lambda i: rows[i], bad)
        return bad

    @cached_property
    def _doubtful(self) -> set[int]:
        """Instructions of a loop that a resynchronization reports in this round or in another."""
        return {piece.at for piece in self.of.pieces if piece.lands and piece.at is not None}

    def _may_miss(self, change: int) -> bool:
        return self.of.in_hole(change) or change in self._doubtful

    def _meant(self, change: int, entry: tuple[int | None, int]) -> bool:
        """Whether a 3.2 (traced instruction, packet) may report this change: its values, and no place that is lost
        after it.
        """
        place, packet = entry
        passed = self.tolerances.context_order and place is not None and place > change and self._may_miss(change)
        return not passed and self._tells(packet, change)

    def _matched(self, changes: list[int], told: list[tuple[int | None, int]]) -> dict[int, tuple[int | None, int]]:
        """The packet of each change, by its number, in order.

        Where contexts are reported again, that is the first that may be it, or what follows would be missed.
        """
        pairs, number = {}, 0
        if self.tolerances.context_repeated:
            for at, change in enumerate(changes):
                found = next((i for i in range(number, len(told)) if self._meant(change, told[i])), None)
                if found is not None and not self._may_miss(change):
                    pairs[at], number = told[found], found + 1
            return pairs
        for entry in told:
            following = next((i for i in range(number, len(changes)) if self._meant(changes[i], entry)), None)
            if following is not None and all(self._may_miss(changes[i]) for i in range(number, following)):
                pairs[following], number = entry, following + 1
        return pairs

    def _context_places(self, changes: list[int], told: list[tuple[int | None, int]]) -> None:
        """Each 3.2 comes before the packet of the instruction that has the context first, and after those before it."""
        telling = np.flatnonzero(~self.table.is_a(t.CONTEXT, t.SUPPORT))
        for number, (place, packet) in self._matched(changes, told).items():
            change = changes[number]
            after = (
                np.searchsorted(telling, packet) + 1
            )  # one more: what the next one reports may be known with the one after it alone
            known = not self.of.rounds  # else the packets after it may be of another round of a loop
            early = known and after < len(telling) and UNSEEN < self.stops[telling[after]] < change
            if (place is not None and place > change) or early:
                rows = [("before instruction", str(change), str(place))]
                self.of.fail("ET.alg.context", "a change of context is reported at another place", change, rows, packet)

    def _tells(self, packet: int, change: int) -> bool:
        return all(self.table[name][packet] in (t.ABSENT, column[change]) for name, column in self._columns.items())

    def _marks(self) -> None:
        """Triggers, watchpoints and the draft's notifications: reported by the flag, by a synchronization packet, or as
        the target of an uninferable jump.
        """
        want, config = self.want, self.of.capture.config
        flagged = {place: event.packet for place, event in self.of.placed("notify") if place is not None}
        reported = {*flagged, *(place for _, place in self.syncs)}
        asked = {
            "ET.alg.notify": (want.marks, "a trigger or watchpoint"),
            "ET.ing.ctype": (np.flatnonzero(want.ctype == NOTIFICATION), "a notification"),
        }
        for clause, (marks, who) in asked.items():
            self._asked(clause, who, marks, reported)
        if want.time is None:
            return
        marks = set(want.marks.tolist())
        for place, packet in flagged.items():
            anchor = (
                self.tolerances.anchors
                and config.return_stack_size_p + config.call_counter_size_p
                and int(want.itype[place]) in CALLS
            )
            if not (place in marks or (anchor and self.table.options("implicit_return")[packet])):
                self.book.fail(
                    self.of.failure(
                        "ET.pay.notify",
                        "notify is reported, and no trigger or watchpoint requested it",
                        place,
                        None,
                        packet,
                    )
                )

    def _flags(self) -> None:
        """The target of an uninferable jump right before a synchronization packet has the updiscon flag; the draft has
        none.
        """
        slips, stops, table = self.of.slips, self.stops, self.table
        packets = np.flatnonzero(slips.flagless & table.addressed & (stops > 0))
        syncs = {place for _, place in self.syncs}
        bad = []
        for packet, at in zip(packets.tolist(), stops[packets].tolist()):
            jumped = slips.jumps_to(at, int(table.ioptions[packet])) and not self.of.in_hole(at)
            fresh = at + 1 < len(self.want) and self.want.first[at + 1]
            if jumped and not fresh and (at + 1 in syncs or slips.synchronized(at)) and self.of.sure(at):
                bad.append(slips.unflagged(packet, at))
        self.book.bulk("ET.pay.updiscon", 0, range(len(bad)), lambda i: self.of.failure(
            bad[i].clause, bad[i].text, bad[i].at, bad[i].rows, bad[i].packet))  # fmt: skip

    def _asked(self, clause: str, who: str, marks: np.ndarray, reported: set[int]) -> None:
        """The instructions in `marks` are reported: those in `reported` are, and those that a packet with their address
        may mean.
        """
        want = self.want
        # the decoder may have met the target of a jump before, by inference: it knows with the next packet alone
        stops = np.sort(self.stops[self.table.addressed & (self.stops >= 0)])
        last = (
            stops[np.maximum(np.searchsorted(stops, marks, side="right") - 1, 0)]
            if len(stops)
            else np.zeros_like(marks)
        )
        flow = self.of.capture.program.columns(want.pc[np.maximum(marks - 1, 0)]).flow
        told = (want.pc[last] == want.pc[marks]) & ((flow == Flow.UNINFERABLE) | self.of.draft) & (len(stops) > 0)
        reported = reported | set(marks[told].tolist())
        missing = [
            i
            for i in sorted(set(marks.tolist()) - reported)
            if self.of.covered[i] and not self.of.in_hole(i) and self.of.sure(i)
        ]
        text = f"{who} requested this address, and it is not reported"
        self.of.bulk(clause, len(set(marks.tolist())), missing, text)

    def _ended(self) -> None:
        """ET-16: ended_ntr where the last packet was due anyway, else ended_rep; judged where the program reports
        which.
        """
        code, status = self.tolerances.ended_code, self.table["qual_status"]
        if code == "either":
            return
        told: dict[int, list[int]] = {}
        for place, event in self.of.placed("support"):
            if place is not None and status[event.packet] in (ENDED_REP, ENDED_NTR):
                told.setdefault(place, []).append(event.packet)
        wanted: dict[int, list[int | None]] = {}
        for support in self.want.supports:
            if support.clause == "ET.alg.ended":
                wanted.setdefault(support.index, []).append(support.last)
        for place, packets in told.items():
            if len(packets) != len(wanted.get(place, [])):
                continue  # said where ends are compared, or within a loss
            for packet, last in zip(packets, wanted[place]):
                due = False if code == "rep" or last is None else self._due(last)
                if due is not None:
                    rows = [("qual_status", str(ENDED_NTR if due else ENDED_REP), str(status[packet]))]
                    text = "qual_status of the end does not match its last packet"
                    self.of.check("ET-16", (status[packet] == ENDED_NTR) == due, text, place, rows, packet)

    def _due(self, last: int) -> bool | None:
        """Whether the last instruction had to be reported without an end of trace; None if the options hide it."""
        if last in self._reported:
            return True
        if not last or self.want.first[last]:
            return False
        before, options = last - 1, self.of.capture.config
        leaves = self.of.capture.program.columns(self.want.pc[before : before + 1]).flow[0]
        jump = leaves == Flow.UNINFERABLE and not (self.of.draft and self.want.itype[before] == IType.RETURN)
        beats = self.of.capture.beats
        clever = options.implicit_return or options.sijump or (beats is not None and beats.toggle.any())
        return None if jump and clever else jump

    @cached_property
    def _reported(self) -> set[int]:
        """Instructions reported by a synchronization packet or with the notify flag."""
        return {place for _, place in self.syncs} | {
            place for place, _ in self.of.placed("notify") if place is not None
        }


class Lossless(Alignment):
    """One comparison of a capture with what its decoder reported."""

    def __init__(
        self,
        capture: EtraceCapture,
        book: ClauseBook,
        expected: Expected,
        decoded: Any,
        table: PacketTable,
        tolerances: Tolerances,
    ) -> None:
        super().__init__(capture, book, expected, decoded, table)
        self.tolerances = tolerances
        self.mask = (1 << capture.config.iaddress_width_p) - 1

    def run(self) -> bool:
        """All comparisons; stops after a PC mismatch, since everything after it differs as well.

        Returns whether all were made.
        """
        want = self.expected
        flow = self.capture.program.columns(want.pc).flow
        for clause, times in (
            ("ET.bt.sequential", len(want)),
            ("ET.bt.branches", np.count_nonzero(want.taken >= 0)),
            ("ET.bt.inferable", np.count_nonzero(flow == Flow.INFERABLE)),
            ("ET.bt.uninferable", np.count_nonzero(flow == Flow.UNINFERABLE)),
            ("ET.bt.traps", len(want.traps)),
            ("ET.bt.sync", np.count_nonzero(want.first)),
            ("ET.bt.end", 1),
            ("ET.alg.lost", np.count_nonzero(self.table["qual_status"] == TRACE_LOST)),
            ("ET.opt.implicit_return", np.count_nonzero(self.table.options("implicit_return"))),
            ("ET.ing.filters", len(want) if self.capture.config.filter else 0),
        ):
            self.book.count(clause, times)
        if self.capture.config.inst_stall_ena:
            self._stalled()
        self._sent()
        if self.align() and self._directions():
            self._traps()
            self._supports()
            States(self).check()
            return True
        return False

    def _sent(self) -> None:
        """No time is later than that of the port when its packet was sent, whatever else is wrong with the trace."""
        beats, cycles, table = self.capture.beats, self.capture.packet_cycle, self.table
        rows = np.flatnonzero(table["time"] != t.ABSENT)
        if beats is None or cycles is None or not len(beats) or not len(rows):
            return
        clock = beats.tstamp & np.uint64(2**63 - 1)
        if np.any(clock[1:] < clock[:-1]) or int(clock[-1]) > self.masks["time"]:
            return  # the field holds less than the time
        following = np.searchsorted(beats.cycle, np.asarray(cycles)[rows], side="right")
        known = following < len(clock)  # after the last beat nobody saw the time
        latest = clock[np.minimum(following, len(clock) - 1)].astype(np.int64)
        late = rows[known & (table["time"][rows] > latest)]
        self.book.bulk("ET.pay.time", int(known.sum()), late, lambda i: self.where.failure(
            "ET.pay.time", "the time reported is later than the packet was sent", i,
            [("time", f"{latest[np.searchsorted(rows, i)]:#x} or earlier", f"{table['time'][i]:#x}")]))  # fmt: skip

    def _stalled(self) -> None:
        """Nothing is lost while the hart can be stalled, not even with a support packet that reports so."""
        lost = np.flatnonzero(self.table["qual_status"] == TRACE_LOST)
        text = "packets were lost, although inst_stall_ena=1 lets the encoder stall the hart"
        start = np.zeros(len(self.table), np.int64)
        self.bulk("ET.ing.stall", len(self.expected), lost, text, start, packet=range(len(self.table)))

    def _directions(self) -> bool:
        wrong = self.wrong_direction(silent=True)
        if wrong is not None:
            self.fail("ET.bt.branches", "the branch is reported in the wrong direction", *wrong)
        return wrong is None

    # Traps

    def same_trap(self, trap: Trap, event: Any) -> bool:
        """Whether the event reports this trap, all of it."""
        return all(name == "handler" and event.handler is None for _, name, _, _ in self._trap_rows(trap, event))

    def _tval(self, trap: Trap) -> int | None:
        """The trap value that must be reported; None for no matter."""
        if self.draft:
            return None if self.capture.config.notval_p else trap.tval & self.mask
        return None if trap.interrupt else trap.tval & self.mask

    def _trap_rows(self, trap: Trap, event: Any) -> list[tuple[str, str, str, str]]:
        """(clause, field, expected, actual) of what is reported otherwise."""
        rows: list[tuple[str, str, str, str]] = []
        cause = trap.cause & (1 << self.capture.config.ecause_width_p) - 1
        handler = "ET.opt.implicit_exception" if self.capture.config.implicit_exception else "ET.bt.traps"
        for clause, name, want, have in (
            ("ET.pay.ecause", "interrupt", int(trap.interrupt), event.interrupt),
            ("ET.pay.ecause", "ecause", cause, event.ecause),
            ("ET.pay.tval", "tval", self._tval(trap), event.tval),
            (handler, "handler", trap.handler, event.handler),
        ):
            if name == "handler" and have is None and self.in_hole(trap.index):
                continue  # the packet that reports it was lost
            if want is not None and want != have:
                rows.append((clause, name, f"{want:#x}", "-" if have is None else f"{have:#x}"))
        if self._tells_epc(trap, event) and trap.epc != event.epc:
            rows.append(("ET.bt.epc", "EPC", f"{trap.epc:#x}", f"{event.epc:#x}"))
        return rows

    def _tells_epc(self, trap: Trap, event: Any) -> bool:
        """Whether both have an EPC, and the specification says that the event's is one."""
        defined = self.tolerances.undefined_epc or not event.undefined
        return defined and None not in (trap.epc, event.epc)

    def _traps(self) -> None:
        wanted, told = self.expected.traps, list(self.placed("trap"))
        exceptions = sum(not trap.interrupt for trap in wanted)
        known = sum(e.epc is not None and (self.tolerances.undefined_epc or not e.undefined) for _, e in told)
        for clause, times in (("ET.pay.ecause", len(told)), ("ET.bt.epc", known),
                              ("ET.pay.tval", len(told) if self.draft else exceptions)):  # fmt: skip
            self.book.count(clause, times)
        if self.capture.config.implicit_exception:
            self.book.count("ET.opt.implicit_exception", len(told))

        ends = self._ends_before_traps()

        def same(trap: Trap, entry: tuple[int | None, Any]) -> bool:
            known = ends.get(entry[1].packet, trap.ends) == trap.ends
            return entry[0] in (None, trap.index) and known and not self._trap_rows(trap, entry[1])

        # One reported between two losses, with no instruction to place it by: any trap that was lost there.
        for low, high, event in self.unplaced("trap"):
            there = [trap for trap in wanted if low <= trap.index <= high]
            text = "a trap is reported between two losses, and the hart took no such trap there"
            same_trap = any(self.same_trap(trap, event) for trap in there)
            self.check("ET.bt.traps", same_trap, text, low, packet=event.packet)
        told = [(at, event) for at, event in told if at is not None]
        found = first_mismatch(wanted, told, same, lambda trap: trap.optional or self.in_hole(trap.index))
        if found is None:
            return
        trap, (at, event) = (
            None if found[0] is None else wanted[found[0]],
            (None, None) if found[1] is None else told[found[1]],
        )
        if trap is not None and event is not None and self._skipped(wanted, told, found):
            at = event = None  # it is right about the trap that follows this one
        wrong = [] if trap is None or event is None else self._trap_rows(trap, event)
        if trap is not None and event is not None and wrong and at in (None, trap.index):
            for clause, name, want, have in wrong:
                self.fail(
                    clause, f"{name} of a trap is reported wrongly", trap.index, [(name, want, have)], event.packet
                )
            return
        kinds = [
            "none" if i is None else "interrupt" if i else "exception"
            for i in (trap and trap.interrupt, event and event.interrupt)
        ]
        places = ["-" if i is None else str(i) for i in (trap and trap.index, at)]
        text = f"{kinds[1]} is reported where the hart had {kinds[0]}"
        if event is None:
            text = "a trap is not reported"
        elif kinds[0] == kinds[1]:
            text = f"the {kinds[0]} that the hart had is reported at another place"
        self.fail(
            "ET.bt.traps",
            text,
            trap.index if trap else at or 0,
            [("trap", kinds[0], kinds[1]), ("after instructions", places[0], places[1])],
            None if event is None else event.packet,
        )

    def _ends_before_traps(self) -> dict[int, int]:
        """Of the packet of a trap, the ends reported after the same instructions and before it; only where as many are
        reported there as trace has.
        """
        due = Counter(support.index for support in self.expected.supports if support.clause == "ET.alg.ended")
        seen: Counter[int] = Counter()
        found: dict[int, tuple[int, int]] = {}
        for at, event in self.placed("trap", "support"):
            if at is None:
                continue
            if event.kind == "trap":
                found[event.packet] = at, seen[at]
            elif self.is_end(event):
                seen[at] += 1
        return {packet: ends for packet, (at, ends) in found.items() if seen[at] == due[at]}

    def _skipped(self, wanted: list[Trap], told: list[Any], found: tuple[int | None, int | None]) -> bool:
        """Whether the packet reports the next trap of the same place, and no other packet does.

        Where a trap happened does not count: the decoder takes that from the packets before it.
        """
        number, which = found
        if number is None or which is None or number + 1 >= len(wanted):
            return False
        following, here = wanted[number + 1], wanted[number].index

        def same(trap: Trap, event: Any) -> bool:
            return all(row[1] == "EPC" for row in self._trap_rows(trap, event))

        if following.index != here or same(wanted[number], told[which][1]):
            return False
        return [event for at, event in told[which:] if at == here and same(following, event)] == [told[which][1]]

    # Starts and ends

    def _supports(self) -> None:
        status = self.table["qual_status"]
        told = [(at, e) for at, e in self.placed("support") if status[e.packet] != TRACE_LOST]
        # An end that falls into a loss left nothing to end: what follows trace_lost is enable or disable alone.
        wanted = [
            s._replace(statuses=(*s.statuses, NO_CHANGE)) if s.clause == "ET.alg.ended" and self.in_hole(s.index) else s
            for s in self.expected.supports
        ]
        if self.tolerances.support_extra:  # then the ends alone are known, and what must be reported before a start
            self._required_supports([support for support in wanted if support.statuses == (NO_CHANGE,)])
            told = [(at, e) for at, e in told if status[e.packet] != NO_CHANGE]
            wanted = [s._replace(options=(*s.options, s.now)) for s in wanted if s.statuses != (NO_CHANGE,)]
        for support in wanted:
            self.book.count(support.clause)
            self.book.count("ET.pay.qual_status")
            self.book.count("ET.pay.ienable")
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
        support, (at, event) = (
            None if found[0] is None else wanted[found[0]],
            (None, None) if found[1] is None else told[found[1]],
        )
        silent = None if support is None else self._without_end(support)
        if support is not None and silent is not None:
            text = "a support packet where trace ends does not say that it ends"
            rows_of = self._support_rows(support, silent)[:1]
            self.fail("ET.pay.qual_status", text, support.index, rows_of, silent)
            self.fail(support.clause, text, support.index, rows_of, silent)
            return
        if support is None or event is None or at not in (None, support.index):
            text = "a support packet is missing" if event is None else "a support packet that is not expected"
            clause = "ET.pay.support" if support is None else support.clause
            if support is not None and event is not None and at is not None and at < support.index:
                clause = "ET.pay.support"
            if clause == "ET.pay.support" and event is not None and self.capture.config.filter and self.is_end(event):
                clause, text = "ET.ing.filters", "trace is reported to end where the filters accept what comes next"
            places = ["-" if i is None else str(i) for i in (support and support.index, at)]
            table = [("after instructions", places[0], places[1])]
        else:
            table = rows(support, event)
            text = "a support packet has wrong fields"
            # where one that reports a change of enable alone is missing, the one after it has another ienable
            ienable = support.clause if support.clause == "ET.alg.disable" else "ET.pay.ienable"
            clause = {"qual_status": "ET.pay.qual_status", "ienable": ienable}.get(table[0][0], "ET.pay.ioptions")
        index = support.index if support is not None else at or 0
        self.fail(clause, text, index, table, None if event is None else event.packet)

    def _required_supports(self, wanted: list[Support]) -> None:
        """A support packet "must be issued when trace is enabled, and before the first sync packet", and when options
        change; when exactly is not said.
        """
        told: dict[int, list[int]] = {}
        for place, event in self.placed("support"):
            if place is not None:
                told.setdefault(place, []).append(event.packet)
        # of several changes before an instruction the last one is what its decoder has to know
        last = {s.index: s for s in wanted if s.ienable and s.index < len(self.expected)}
        for support in last.values():
            if self.draft or support.optional or self.in_hole(support.index):
                continue
            there = told.get(support.index, [])
            if there:
                said = any(self.table["ienable"][k] == 1 for k in there)
                text = "a support packet says that the encoder is disabled, and it is enabled"
                self.check("ET.pay.ienable", said, text, support.index, [("ienable", "1", "0")], there[-1])
            reported = any(
                self.table["ienable"][k] == 1 and self.table["ioptions"][k] in support.options for k in there
            )
            rows = [("ienable", "1", "-"), ("ioptions", f"{support.options[0]:#x}", "-")]
            if there:
                rows = self._support_rows(support, there[-1])[1:]
            text = "no support packet reports the options before trace starts with them"
            self.check(support.clause, reported, text, support.index, rows)

    def _without_end(self, support: Support) -> int | None:
        """The packet that should report an end and reports no change, where no other packet reports the end."""
        if support.clause != "ET.alg.ended":
            return None
        there = [event for at, event in self.placed("support") if at == support.index]
        if any(self.is_end(event) for event in there):
            return None
        return next((e.packet for e in there if self.table["qual_status"][e.packet] == NO_CHANGE), None)

    def _enabled(self, packet: int) -> int:
        """ienable once the support packets that follow each other are read: one may end trace, the next disable it."""
        kind, last = self.table.kind, packet
        while self.tolerances.support_extra and last + 1 < len(kind) and kind[last + 1] == t.SUPPORT:
            last += 1
            if self.table["ienable"][last] == 0:
                return 0
        return int(self.table["ienable"][packet])

    def _support_rows(self, support: Support, packet: int) -> list[tuple[str, str, str]]:
        status, options = (int(self.table[name][packet]) for name in ("qual_status", "ioptions"))
        enable = self._enabled(packet) if not support.ienable else int(self.table["ienable"][packet])
        either = "ended" if support.statuses != (NO_CHANGE,) else "0"
        return [
            ("qual_status", str(status) if status in support.statuses else either, str(status)),
            # an encoder may be enabled by trTeEnable alone, or by both of its controls
            ("ienable", str(enable if support.off and self.tolerances.support_extra else support.ienable), str(enable)),
            ("ioptions", str(options) if options in support.options else f"{support.options[0]:#x}", str(options)),
        ]
