"""Privilege, context, time, notifications and the code of an end: what a trace tells beside instructions and traps.

Synchronization packets tell privilege, context and time of their instruction; a context that changes imprecisely has a packet 3.2 of its own.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from models.riscv.isa import Flow
from models.riscv.retired import PRIVILEGE, IType
from scoreboards import etrace_table as t
from scoreboards.etrace_depths import CALLS, check_depths
from scoreboards.etrace_expected import (
    DISCONTINUITY,
    ENDED_NTR,
    ENDED_REP,
    IMPRECISE,
    NOTIFICATION,
    PRECISE,
    flows,
)
from scoreboards.matching import first_mismatch

if TYPE_CHECKING:
    from scoreboards.etrace_lossless import Lossless

CLAUSE = {"privilege": "ET.pay.privilege", "context": "ET.pay.context", "time": "ET.pay.time"}
UNSEEN = -1


class States:
    """One run of these checks on an alignment that succeeded."""

    def __init__(self, of: Lossless) -> None:
        self.of, self.want, self.table, self.book, self.knobs = of, of.expected, of.table, of.book, of.knobs
        self.masks, self._columns = of.masks, of.columns
        self.syncs = of.sync_places
        self.stops = of.stops

    def check(self) -> None:
        """All of them; each reports its own first failures."""
        self._told_at_syncs()
        self._repeated_traps()
        self._needed_syncs()
        self._contexts()
        self._marks()
        check_depths(self.of)
        self._ended()

    def _told_at_syncs(self) -> None:
        packets = np.array([packet for packet, _ in self.syncs], np.int64)
        places = np.array([place for _, place in self.syncs], np.int64)
        for name, column in self._columns.items():
            told = self.table[name][packets]
            bad = np.flatnonzero((told != column[places]) & (told != t.ABSENT))
            self.book.bulk(CLAUSE[name], len(packets), bad, lambda i, n=name, c=column, told=told: self.of.failure(
                CLAUSE[n], f"{n} of a synchronization packet is told wrongly", int(places[i]),
                [(n, f"{c[places[i]]:#x}", f"{told[i]:#x}")], int(packets[i])))  # fmt: skip

    def _repeated_traps(self) -> None:
        """3.1 with thaddr=0: those of the trap's cycle, or of the cycle of the trap that follows it (ET-7)."""
        beats = self.of.capture.beats
        if beats is None or self.of.draft:
            return
        by_index = self.want.traps_at
        for at, event in self.of.placed("trap"):
            if self.table["thaddr"][event.packet] or at not in by_index:
                continue
            rows = [trap.row for trap in by_index[at]]
            for name, column in (("privilege", None), ("context", beats.context[:, 0]), ("time", beats.tstamp)):
                if not self.masks[name]:
                    continue
                values = self._privileges(rows) if column is None else {int(column[r]) & self.masks[name] for r in rows}
                told = int(self.table[name][event.packet])
                self.book.check(CLAUSE[name], told in values, lambda n=name, v=values, told=told, at=at, event=event: self.of.failure(
                    CLAUSE[n], f"{n} of a trap with thaddr=0 is that of no trap there", at,
                    [(n, " or ".join(map(hex, sorted(v))), f"{told:#x}")], event.packet))  # fmt: skip

    def _privileges(self, rows: list[int]) -> set[int]:
        priv = self.of.capture.beats.priv[:, 0]
        return {PRIVILEGE.get(int(priv[row]), UNSEEN) & self.masks["privilege"] for row in rows}

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
        precise = np.isin(want.ctype, (PRECISE, DISCONTINUITY)) if not self.of.capture.config.nocontext_p else np.zeros(len(want), bool)
        for clause, of, text in (
            ("ET.bt.sync", want.first, "trace begins"), ("ET.alg.ppccd", other & ~want.first & ~trapped, "the privilege changes"),
            ("ET.ing.ctype", precise & ~other & ~want.first & ~trapped, "the context changes precisely"),
        ):  # fmt: skip
            of = of & placed
            bad = np.flatnonzero(of & ~synced)
            self.book.bulk(clause, int(of.sum()), bad, lambda i, c=clause, text=text: self.of.failure(
                c, f"{text}, and no synchronization packet tells the instruction", i))  # fmt: skip

    def _contexts(self) -> None:
        """Packets 3.2 against the imprecise changes that no synchronization packet tells."""
        want, table, knobs = self.want, self.table, self.knobs
        if want.time is None:
            return
        synced = {place for _, place in self.syncs}
        changes = [i for i in np.flatnonzero(want.ctype == IMPRECISE).tolist() if i not in synced]
        told = [(place, event.packet) for place, event in self.of.placed("context")]
        self.book.count("ET.alg.context", max(sum(self.of.covered[i] for i in changes), len(told)))
        found = first_mismatch(changes, told, self._meant, self._may_miss)
        if knobs.context_repeated:  # then what is told may be more
            matched = self._matched(changes, told)
            missing = [i for i, change in enumerate(changes) if i not in matched and not self._may_miss(change)]
            found = (missing[0], None) if missing else None
        if found is not None:
            change, entry = None if found[0] is None else changes[found[0]], None if found[1] is None else told[found[1]]
            text = "a change of context is not told" if entry is None else "a context is told that did not change so"
            rows = [(n, "-" if change is None else f"{c[change]:#x}", f"{table[n][entry[1]]:#x}") for n, c in self._columns.items()] if entry else []
            place = change if change is not None else entry[0] or 0
            self.book.fail(self.of.failure("ET.alg.context", text, place, rows, entry and entry[1]), counted=True)
        elif knobs.context_order:
            self._context_places(changes, told)

    def _may_miss(self, change: int) -> bool:
        return not self.of.covered[change] or self.of.in_hole(change)

    def _meant(self, change: int, entry: tuple[int | None, int]) -> bool:
        """Whether a 3.2 (traced instruction, packet) may tell this change: its values, and no place that is lost behind it."""
        place, packet = entry
        passed = self.knobs.context_order and place is not None and place > change and self._may_miss(change)
        return not passed and self._tells(packet, change)

    def _matched(self, changes: list[int], told: list[tuple[int | None, int]]) -> dict[int, tuple[int | None, int]]:
        """The packet of each change, by its number, in order. Where contexts are told again, that is the first that may be it, or what follows would be missed."""
        pairs, number = {}, 0
        if self.knobs.context_repeated:
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
        """Each 3.2 comes before the packet of the instruction that has the context first, and behind those before it."""
        telling = np.flatnonzero(~self.table.is_a(t.CONTEXT, t.SUPPORT))
        for number, (place, packet) in self._matched(changes, told).items():
            change = changes[number]
            after = np.searchsorted(telling, packet) + 1  # one more: what the next one tells may be known with the one behind it alone
            early = after < len(telling) and UNSEEN < self.stops[telling[after]] < change
            if (place is not None and place > change) or early:
                rows = [("before instruction", str(change), str(place))]
                self.book.fail(self.of.failure("ET.alg.context", "a change of context is told at another place", change, rows, packet), counted=True)

    def _tells(self, packet: int, change: int) -> bool:
        return all(self.table[name][packet] in (t.ABSENT, column[change]) for name, column in self._columns.items())

    def _marks(self) -> None:
        """Triggers, watchpoints and the draft's notifications: told by the flag, by a synchronization packet, or as the target of an uninferable jump."""
        want, config = self.want, self.of.capture.config
        flagged = {place: event.packet for place, event in self.of.placed("notify") if place is not None}
        reported = {*flagged, *(place for _, place in self.syncs)}
        asked = {"ET.alg.notify": (want.marks, "a trigger or watchpoint"), "ET.ing.ctype": (np.flatnonzero(want.ctype == NOTIFICATION), "a notification")}
        for clause, (marks, who) in asked.items():
            self._asked(clause, who, marks, reported)
        if want.time is None:
            return
        marks = set(want.marks.tolist())
        for place, packet in flagged.items():
            anchor = self.knobs.anchors and config.return_stack_size_p + config.call_counter_size_p and int(want.itype[place]) in CALLS
            if not (place in marks or (anchor and self.table.options("implicit_return")[packet])):
                self.book.fail(self.of.failure("ET.pay.notify", "notify is told, and nothing asked for it", place, None, packet))

    def _asked(self, clause: str, who: str, marks: np.ndarray, reported: set[int]) -> None:
        """The instructions in `marks` are told: those in `reported` are, and those that a packet with their address may mean."""
        want = self.want
        # the decoder may have met the target of a jump before, by inference: it knows with the next packet alone
        stops = np.sort(self.stops[self.table.addressed & (self.stops >= 0)])
        last = stops[np.maximum(np.searchsorted(stops, marks, side="right") - 1, 0)] if len(stops) else np.zeros_like(marks)
        flow = flows(self.of.capture.program, want.pc[np.maximum(marks - 1, 0)])
        told = (want.pc[last] == want.pc[marks]) & ((flow == Flow.UNINFERABLE) | self.of.draft) & (len(stops) > 0)
        reported = reported | set(marks[told].tolist())
        missing = [i for i in sorted(set(marks.tolist()) - reported) if self.of.covered[i] and not self.of.in_hole(i) and self.of.sure(i)]
        self.book.bulk(clause, len(set(marks.tolist())), missing, lambda i: self.of.failure(
            clause, f"{who} asked for this address, and it was not told", i))  # fmt: skip

    def _ended(self) -> None:
        """ET-16: ended_ntr where the last packet was due anyway, else ended_rep; judged where the program tells which."""
        code, status = self.knobs.ended_code, self.table["qual_status"]
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
                    self.book.check("ET-16", (status[packet] == ENDED_NTR) == due, lambda d=due, p=place, k=packet: self.of.failure(
                        "ET-16", "the code of the end is not that of its last packet", p,
                        [("qual_status", str(ENDED_NTR if d else ENDED_REP), str(status[k]))], k))  # fmt: skip

    def _due(self, last: int) -> bool | None:
        """Whether the last instruction had to be told although trace did not end; None where the options hide it."""
        if last in self._reported:
            return True
        if not last or self.want.first[last]:
            return False
        before, options = last - 1, self.of.capture.config
        leaves = flows(self.of.capture.program, self.want.pc[before : before + 1])[0]
        jump = leaves == Flow.UNINFERABLE and not (self.of.draft and self.want.itype[before] == IType.RETURN)
        beats = self.of.capture.beats
        clever = options.implicit_return or options.sijump or (beats is not None and beats.toggle.any())
        return None if jump and clever else jump

    @cached_property
    def _reported(self) -> set[int]:
        """Instructions told by a synchronization packet or with the notify flag."""
        return {place for _, place in self.syncs} | {place for place, _ in self.of.placed("notify") if place is not None}
