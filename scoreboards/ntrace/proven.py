# SPDX-License-Identifier: Apache-2.0
"""Clauses that the lossless comparison proves: how often each was met, up to the first place that differs.

A decoder that has only the bytes and the program finds what the hart did only if each field on the way meant what the
specification says: that I-CNT counted retired half-words, that HIST had one bit for each branch, that an xRET was a
message with B-TYPE 0. So each of them counts for its clause. Where the comparison fails, the clauses of what happened
there are in doubt: they fail as consequences, which a report shows as not judged.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.findings import COMPARED
from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import CUSTOM, EDGES, Alignment
from rvtrace.scoreboards.ntrace.expected import POPS, Trap
from rvtrace.scoreboards.ntrace.inferred import MODE_CLAUSE
from rvtrace.scoreboards.ntrace.wrong_field import WrongField

JUMPS = {
    "NT.2.xret": (IType.XRET,),
    "NT.2.uninferable_jump": (IType.UNINFERABLE_JUMP, IType.UNINFERABLE_TAIL_CALL, IType.OTHER_UNINFERABLE_JUMP),
    "NT.2.uninferable_call": (IType.UNINFERABLE_CALL,),
    "NT.2.coroutine_swap": (IType.COROUTINE_SWAP,),
    "NT.2.return": (IType.RETURN,),
}  # tables 2 and 3: "Emit Indirect Branch message with B-TYPE=0"
STARTS = {"debug_exit": "NT.8.5.sync3", "trace_on": "NT.8.5.sync5"}
BYTES = ("NT.3.1.field_end", "NT.3.1.message_end", "NT.3.3.lsb_first", "NT-7")
COUNTS = ("NT.8.4.icnt", "NT.8.4.3.icnt_reset")
HISTORIES = ("NT-1", "NT.8.3.hist", "NT.8.3.hist_reset")
HIST_FULL, BOTH_FULL, ICNT_FULL = "NT.8.3.1.hist_full", "NT.7.8.both_full", "NT.8.4.4.resource_full"
PREDICTED = "NT.8.4.4.predicted"
INFERABLE, DIRECT, REFERENCE, HIST_EMPTY = "NT.10.inferable", "NT.7.2.direct_branch", "NT-19", "NT-9"
LINEAR, AT_BRANCH, AT_JUMP = "NT.8.5.sync2_linear", "NT.8.5.sync2_direct", "NT.8.5.sync2_indirect"
TRAPS = {True: "NT.2.interrupt", False: "NT.2.exception"}
AGAIN, AT_START, AT_TARGET = "NT.8.6.back_to_back_traps", "NT.8.6.trap_at_start", "NT-12"
STAMPED, SOURCE, PROCESS, VENDOR_FIELDS = "NT.8.7.enabled", "NT.3.2.src", "NT.7.1.process", "NT.6.1.fields"
RELATIVE, ALL_TRAPS, REPEATED = ("NT.8.1.uaddr", "NT.8.1.xor"), "NT.10.traps", "NT-6"
FILTERED, REPEAT, REPEATS = ("NT.4.filters", "NT.4.filter_edges"), "NT.7.11.repeat", "NT.V.hrepeat"
CUSTOM_JUMP, PREDICTIONS = "NT.10.1.custom", ("NT-4", "NT-5", "NT.9.2.implicit_return")
QUEUE, AT_TRAPS = "NT.3.fifo", "NT.7.1.trap"
LOSS, LOSS_AT_END = "NT.7.4.error", "NT.7.4.error_alone"
INDIRECT = (t.TC_INDIRECT, t.TC_INDIRECT_SYNC, t.TC_HIST, t.TC_HIST_SYNC)
MESSAGES = 2  # of the largest: "internal FIFOs are designed to hold at least two" (chapter 3)
PLACES = 4  # where decoding may have gone on that are looked at
MOST = 20  # places in doubt of one run; a report shows the first of a clause

# Which of the clauses above a failure leaves in doubt, by its own clause; the first that fits counts.
ABOUT_BYTES = re.compile(r"NT\.3\.|NT-1[678]$|NT\.6\.2\.max_field|.*\.fields$")
ABOUT_EDGES = re.compile(r"NT-2$|NT\.7\.12\.|NT\.8\.6\.st|NT\.8\.5\.start_message")
ABOUT_ADDRESSES = re.compile(r"NT\.8\.[12]\.(?!suppressed|extend)")  # the value of these was compared
ABOUT_COUNTS = re.compile(r"NT\.8\.4\.")
ABOUT_HISTORIES = re.compile(r"NT\.8\.3\.|NT\.10\.branches|NT-1$")
ABOUT_CONTEXTS = re.compile(r"NT\.7\.1\.")
ABOUT_VENDORS = re.compile(r"NT\.6\.1\.vendor")
ABOUT_FLOW = re.compile(r"NT\.1[01]\.|NT\.[29]\.|NT\.6\.2\.btype|NT-1[24]$|NT\.8\.5\.sync7|NT\.7\.11\.repeat")


class Wrong(NamedTuple):
    """A failure of the comparison or of its decoder: message, clause, and traced instruction where that is known."""

    message: int
    clause: str
    index: int | None = None


class Proven:
    """One comparison that was made. wrong: what was found wrong, or could not be decoded; beside: what rules about
    single messages found.
    """

    def __init__(self, lossless: Alignment, wrong: Iterable[Wrong], beside: list[Wrong], field: WrongField) -> None:
        self._beside = beside
        self._lossless, self._table, self._expected = lossless, lossless.table, lossless.expected
        self._wrong, self._field = sorted(wrong, key=lambda one: one.message), field
        self._htm = lossless.capture.config.mode == "htm"
        n = len(self._table)
        self._begin, self._end = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
        self._good, self._led = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
        self._place()

    def _place(self) -> None:
        """Of each message the traced instructions that it reports, and whether those and the next were compared."""
        decoded = self._lossless.decoded
        after, first = ends(decoded.first_pc, len(decoded)), np.asarray(decoded.first_pc)
        for segment in self._lossless.segments:
            if not segment.certain:
                continue
            rows = np.arange(segment.first, min(segment.last, len(after)))
            shift = segment.start - segment.begin
            self._begin[rows], self._end[rows] = first[rows] + shift, after[rows] + shift
            self._good[rows] = after[rows] <= segment.end
            self._led[rows] = after[rows] < segment.end
        if self._wrong:
            self._good[self._wrong[0].message :] = False
        self._led &= self._good

    @cached_property
    def _flow(self) -> np.ndarray:
        return self._lossless.capture.program.columns(self._expected.pc).flow

    @cached_property
    def _last(self) -> np.ndarray:
        """The last traced instruction of each message, 0 where there is none."""
        return np.maximum(np.minimum(self._end, len(self._expected)) - 1, 0)

    @cached_property
    def _before(self) -> np.ndarray:
        """The message before each that is neither Ownership nor vendor-defined, -1 if there is none."""
        table = self._table
        kept = (table.tcode != t.TC_OWNERSHIP) & (table.tcode < t.FIRST_VENDOR)
        last = np.maximum.accumulate(np.where(kept, np.arange(len(table)), -1))
        return np.append([-1], last[:-1])

    @cached_property
    def _traps_at(self) -> dict[int | None, list[Trap]]:
        found: dict[int | None, list[Trap]] = {}
        for trap in self._expected.traps:
            found.setdefault(trap.index, []).append(trap)
        return found

    def _turned(self) -> np.ndarray:
        """Mask of the messages whose last instruction is an uninferable jump."""
        if not len(self._expected):
            return np.zeros(len(self._table), dtype=bool)
        return (self._end > 0) & (self._flow[self._last] == Flow.UNINFERABLE)

    def counts(self) -> Counter[str]:
        """How often each clause was met and held."""
        found: Counter[str] = Counter()
        if not len(self._table) or not len(self._expected):
            return found
        self._bytes(found)
        self._counted(found)
        self._jumps(found)
        self._synchronized(found)
        self._trapped(found)
        self._lost(found)
        self._waiting(found)
        return found

    def _bytes(self, found: Counter[str]) -> None:
        table, good = self._table, self._good
        variable = sum((table[key] != t.ABSENT).astype(np.int64) for key in ("icnt", "faddr", "uaddr", "hist", "bcnt"))
        found["NT.3.1.message_end"] += _number(good)
        found["NT.3.3.lsb_first"] += _number(good)
        found["NT.3.1.field_end"] += _number(good & (variable > 1))
        if self._lossless.capture.config.src_bits and self._lossless.capture.config.inhibit_src:
            found[SOURCE] += _number(good)
        found["NT-7"] += _number(self._led & (table["uaddr"] == 0))
        found[REFERENCE] += _number(self._led & (table["uaddr"] != t.ABSENT))

    def _counted(self, found: Counter[str]) -> None:
        """I-CNT and HIST."""
        table, good = self._table, self._good
        rcode, sync = table["rcode"], table["sync"]
        icnt, full = good & (table["icnt"] != t.ABSENT), good & (rcode == 0)
        found["NT.8.4.icnt"] += _number(icnt | full)
        found["NT.8.4.3.icnt_reset"] += _number(icnt | full)
        by_sync = (sync == 4) & (not self._htm)
        found[ICNT_FULL] += _number(full | good & by_sync)
        hist_full = good & np.isin(rcode, (1, 2))
        value = np.where(np.isin(rcode, (1, 2)), table["rdata"], table["hist"])
        has, filled = good & (value != t.ABSENT), good & (value > 1)
        found["NT-1"] += _number(filled)
        found["NT.8.3.hist"] += _number(filled)
        before = np.flatnonzero(has)
        found["NT.8.3.hist_reset"] += _number(filled[before[:-1]])
        found[HIST_FULL] += _number(hist_full)
        pair = (full[:-1] & hist_full[1:]) | (hist_full[:-1] & full[1:])
        found[BOTH_FULL] += _number(pair)

    def _jumps(self, found: Counter[str]) -> None:
        table, expected = self._table, self._expected
        jump = self._led & table.is_a(*INDIRECT) & (table["btype"] == 0) & self._turned()
        itype = expected.itype[self._last]
        for clause, kinds in JUMPS.items():
            found[clause] += _number(jump & np.isin(itype, [int(kind) for kind in kinds]))
        branch = self._led & table.is_a(t.TC_DIRECT, t.TC_DIRECT_SYNC) & (expected.taken[self._last] == 1)
        found[DIRECT] += _number(branch)
        silent = (self._flow == Flow.INFERABLE) & (not self._lossless.capture.config.all_jumps)
        if not self._htm:
            silent |= expected.taken == 0
        until = self._compared_until()
        found[INFERABLE] += _number(silent[:until])

    def _compared_until(self) -> int:
        """Traced instructions up to the first place that differs or was lost."""
        holes = [begin for begin, end in self._lossless.holes if end > begin]
        places = self._end[self._good]
        return min([int(places.max(initial=0)), *holes[:1]])

    def _synchronized(self, found: Counter[str]) -> None:
        table = self._table
        periodic = self._led & (table["sync"] == 2)
        direct = periodic & table.is_a(t.TC_DIRECT_SYNC)
        turn = periodic & table.is_a(*INDIRECT) & (self._turned() | (table["btype"] > 0))
        found[AT_BRANCH] += _number(direct)
        found[AT_JUMP] += _number(turn)
        found[LINEAR] += _number(periodic & ~direct & ~turn)
        if self._htm:
            found[HIST_EMPTY] += _number(self._led & table.is_a(t.TC_SYNC))
        for _, number, event in self._events(STARTS):
            kind = {edge.kind for edge in self._expected.edges if edge.index == int(self._end[number])}
            if self._good[number] and event.kind in kind:
                found[STARTS[event.kind]] += 1

    def _events(self, kinds: Iterable[str]) -> Iterator[tuple[int | None, int, Any]]:
        """(traced instruction, message, event) of these kinds."""
        for segment in self._lossless.segments:
            for event in segment.events:
                if event.kind in kinds:
                    number = int(np.searchsorted(self._table.offset, event.message.offset))
                    if number < len(self._table):
                        yield segment.place(event.index), number, event

    def _trapped(self, found: Counter[str]) -> None:
        """Traps, and those with nothing between them and what came before."""
        table, end, before = self._table, self._end, self._before
        for index, number, event in self._events(("trap",)):
            if self._good[number]:
                kinds = {trap.interrupt for trap in self._traps_at.get(index, ()) if event.epc in (None, trap.epc)}
                if len(kinds) == 1:
                    found[TRAPS[kinds.pop()]] += 1
        alone = self._good & (table["btype"] > 0) & (table["icnt"] == 0) & (self._begin == end) & (before >= 0)
        alone &= (end[before] == end) & self._good[before]
        again = alone & (table["btype"][before] > 0)
        started = alone & table.is_a(t.TC_SYNC)[before] & np.isin(table["sync"][before], t.STARTS)
        arrived = alone & table.is_a(*INDIRECT)[before] & self._turned()[before] & ~again
        found[AGAIN] += _number(again)
        found[AT_START] += _number(started)
        found[AT_TARGET] += _number(arrived)
        self._predicted(found)
        self._owned(found)

    def _owned(self, found: Counter[str]) -> None:
        """Ownership right after what reports that a trap, or the return from one, changed the privilege."""
        states, table = self._expected.states, self._table
        if not self._lossless.capture.config.ownership or not len(states.begin):
            return
        xret = table.is_a(*INDIRECT) & self._turned() & (self._expected.itype[self._last] == IType.XRET)
        rows = np.flatnonzero(self._led & ((table["btype"] > 0) | xret) & (self._end > 0))
        priv = (states.value & np.uint64(7)).astype(np.int64)
        ran, runs = (np.searchsorted(states.begin, self._end[rows] - k, side="right") - 1 for k in (1, 0))
        owned = np.append(table.tcode[1:], 0)[rows] == t.TC_OWNERSHIP
        found[AT_TRAPS] += _number(owned & (priv[ran] != priv[runs]))

    def _predicted(self, found: Counter[str]) -> None:
        """A full I-CNT with a return inside its count, which no message reports."""
        if not self._lossless.capture.config.implicit_return:
            return
        returns = (self._expected.itype == IType.RETURN) & (self._flow == Flow.UNINFERABLE)
        until = np.concatenate(([0], np.cumsum(returns)))
        n, table = len(self._expected), self._table
        full = self._good & (table["rcode"] == 0)
        jump = np.append(
            table.is_a(*INDIRECT)[1:] & (self._begin[1:] == self._end[1:]), False
        )  # of the last of the count
        begin, end = np.clip(self._begin, 0, n), np.clip(self._end - jump, 0, n)
        found[PREDICTED] += _number(full & (until[np.maximum(end, begin)] > until[begin]))

    def _lost(self, found: Counter[str]) -> None:
        table, wrong = self._table, self._wrong[0].message if self._wrong else len(self._table)
        for segment in self._lossless.segments[1:]:
            number = segment.first
            if segment.gap or number >= wrong or table.tcode[number] != t.TC_ERROR:
                continue
            if number == len(table) - 1:
                found[LOSS_AT_END] += 1
            elif table["sync"][number + 1] != t.ABSENT and segment.certain:
                found[LOSS] += 1

    def _waiting(self, found: Counter[str]) -> None:
        """Losses while two messages at least had not left although what they report had happened."""
        beats, out, cycle = self._lossless.capture.beats, self._lossless.capture.out_cycle, self._expected.cycle
        if beats is None or out is None or cycle is None or not beats.drop.any():
            return
        rows = np.flatnonzero(self._good & (self._end > 0))
        happened = cycle[self._last[rows]].astype(np.int64)
        last = np.append(self._table.offset[1:], len(out))[rows] - 1
        left = np.asarray(out, dtype=np.int64)[last]
        for lost in beats.cycle[beats.drop.astype(bool)].astype(np.int64).tolist():
            found[QUEUE] += _number((happened < lost) & (left > lost)) >= MESSAGES

    # In doubt

    def doubts(self) -> Iterator[Failure]:
        """Consequences of what was found wrong: the clauses of what happened there, each once."""
        seen: set[str] = set()
        for wrong in sorted([*self._wrong, *self._beside], key=lambda one: one.message)[:MOST]:
            for clause in dict.fromkeys(self._doubted(wrong)):
                if clause != wrong.clause and clause not in seen:
                    seen.add(clause)
                    text = f"cannot be told where {wrong.clause} does not hold"
                    failure = self._lossless.where.failure(clause, text, wrong.message)
                    failure.at, failure.found = wrong.message, COMPARED
                    yield failure

    def _doubted(self, wrong: Wrong) -> Iterator[str]:
        clause, index, config = wrong.clause, wrong.index, self._lossless.capture.config
        yield from [SOURCE] if config.src_bits and config.inhibit_src and wrong in self._wrong else []
        if ABOUT_BYTES.match(clause):
            yield from (*BYTES, STAMPED)
            yield from [SOURCE] if config.src_bits else []
        elif ABOUT_EDGES.match(clause):
            yield from (STARTS[e.kind] for e in self._expected.edges if e.index == index and e.kind in STARTS)
            yield from self._unreported()
            yield from self._repeated(wrong)
            yield from FILTERED if config.filter else []
        elif ABOUT_CONTEXTS.match(clause):
            before = -1 if index is None or not 0 < index <= len(self._expected) else index - 1
            returned = before >= 0 and self._expected.itype[before] == IType.XRET
            yield from [AT_TRAPS] if returned or index in self._traps_at else []
            yield PROCESS
        elif ABOUT_VENDORS.match(clause):
            yield VENDOR_FIELDS
        elif ABOUT_ADDRESSES.match(clause):
            yield from (REFERENCE, *RELATIVE)
            yield from self._repeated(wrong)
            yield from self._unreported()
        elif any(about.match(clause) for about in (ABOUT_COUNTS, ABOUT_HISTORIES, ABOUT_FLOW)):
            if wrong.message < len(self._table):
                yield from self._fields(wrong)
            yield from self._repeated(wrong)
            yield from self._next(wrong)
            yield from self._unreported()
            custom = np.isin(self._expected.itype, [int(kind) for kind in CUSTOM]) & (self._flow == Flow.SEQUENTIAL)
            yield from [CUSTOM_JUMP] if custom.any() else []

    def _unreported(self) -> Iterator[str]:
        """The clauses of starts, stops and resets that nothing reports."""
        reported = {(index, event.kind) for index, _, event in self._events(EDGES)}
        for edge in self._expected.edges:
            if (edge.index, edge.kind) not in reported:
                yield edge.clause

    def _repeated(self, wrong: Wrong) -> Iterator[str]:
        """The clauses of repeats, at or right before a message or possible there."""
        config, rows = self._lossless.capture.config, slice(max(wrong.message - 2, 0), wrong.message + 1)
        repeat = self._table.is_a(t.TC_REPEAT)[rows].any()
        yield from (REPEAT, REPEATED) if config.repeat_branch else ()
        yield from [REPEATS] if repeat or (self._table["rcode"][rows] == 2).any() else []

    def _fields(self, wrong: Wrong) -> Iterator[str]:
        """The clauses of the fields of the message that is wrong."""
        table, number = self._table, wrong.message
        value = {key: int(table[key][number]) for key in ("icnt", "rcode", "sync")}
        undecoded = wrong.index is None or ABOUT_COUNTS.match(wrong.clause)
        if undecoded and (value["icnt"] != t.ABSENT or value["rcode"] == 0):
            yield from COUNTS
        if self._htm and ABOUT_HISTORIES.match(wrong.clause):
            yield from HISTORIES
            yield from [HIST_EMPTY] if table.tcode[number] == t.TC_SYNC else []
        for before in (number, number - 1):
            rcode = int(table["rcode"][before]) if before >= 0 else t.ABSENT
            yield from [ICNT_FULL] if rcode == 0 else [HIST_FULL] if rcode in (1, 2) else []
        if value["sync"] == 2:
            turn = table.is_a(*INDIRECT)[number] and (self._turned()[number] or table["btype"][number] > 0)
            yield AT_BRANCH if table.tcode[number] == t.TC_DIRECT_SYNC else AT_JUMP if turn else LINEAR

    def _next(self, wrong: Wrong) -> Iterator[str]:
        """The clauses of what the hart did next."""
        if wrong.index is not None:
            yield from self._around(wrong, wrong.index)
        elif wrong.message < len(self._table):
            for begin in self._field.traced(wrong.message)[:PLACES]:
                steps = self._field.steps
                later = (step.index for step in steps if step.index > begin or (step.trap and step.index == begin))
                yield from self._around(wrong, next(later, 0))

    def _around(self, wrong: Wrong, index: int) -> Iterator[str]:
        """The clauses of what led to a traced instruction."""
        if not 0 < index <= len(self._expected):
            return
        itype, jumped = int(self._expected.itype[index - 1]), self._flow[index - 1] == Flow.UNINFERABLE
        traps = self._traps_at.get(index, [])
        yield from (TRAPS[trap.interrupt] for trap in traps)
        if itype in POPS and (mode := self._lossless.capture.config.implicit_return):
            yield from (*PREDICTIONS, MODE_CLAUSE[mode])
        yield from [ALL_TRAPS] if traps else []
        yield from [AGAIN] if len(traps) > 1 else []
        yield from [AT_TARGET] if traps and jumped else []
        if jumped and wrong.clause != "NT.10.traps":
            yield from (name for name, kinds in JUMPS.items() if itype in kinds)
        if not self._htm and self._expected.taken[index - 1] == 1 and not traps:
            yield DIRECT


def _number(mask: np.ndarray) -> int:
    return int(np.count_nonzero(mask))
