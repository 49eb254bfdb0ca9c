# SPDX-License-Identifier: Apache-2.0
"""Which field of a message is wrong, where a decoder can only say that its message contradicts the program.

A decoder that goes where a wrong U-ADDR sent it stumbles over the message after, and of a wrong I-CNT it only sees that
the code leads elsewhere. With the instructions that retired it can be said: up to the message before all was reported
rightly, so the address is wrong if the hart went on at another one, and the count is wrong if the hart needed another
one to get where the message says. A message that is missing before explains the same and is left to its own clause.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rvtrace.models.ntrace.decoder.decoded import Diagnostic
from rvtrace.models.riscv.isa import Flow
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import Alignment
from rvtrace.scoreboards.ntrace.edges import START_CLAUSE, STOP_CLAUSE
from rvtrace.scoreboards.ntrace.expected import POPS
from rvtrace.scoreboards.ntrace.legal_addresses import extends

FLOW = ("NT.8.1.faddr", "NT.8.3.hist", "NT.8.4.count", "NT.10.branches", "NT.10.indirect", "NT.11.pcs")
COUNTS_TRAPPED = "NT.8.4.icnt"  # of a decoder that meets an instruction which traps inside a count
LOW_BITS = 31  # of an address whose upper bits are missing, at least
MANY = 200  # places where decoding may have gone on that are looked at
LATER = 6  # events further on of which a message may be, if those before were not reported


class Step(NamedTuple):
    """Something that must be reported: the traced instruction after it, whether it is a trap, whether it may be
    inferred.
    """

    index: int
    trap: bool
    optional: bool


def cut(address: int, due: int) -> bool:
    """Whether the upper bits of an address are missing."""
    return address < due and not (address ^ due) & ((1 << LOW_BITS) - 1)


class WrongField:
    """Names the field of one comparison that was aligned."""

    def __init__(self, alignment: Alignment) -> None:
        self._alignment, self._table = alignment, alignment.table
        self._config, self._expected = alignment.capture.config, alignment.expected
        self._place = alignment.capture.program.place

    def named(self, diagnostics: list[Diagnostic]) -> list[Diagnostic]:
        """The decoder's diagnostics, each under the clause of the field that is wrong, at its message."""
        return [self._named(diagnostic) for diagnostic in diagnostics]

    def _named(self, diagnostic: Diagnostic) -> Diagnostic:
        if diagnostic.clause not in (*FLOW, COUNTS_TRAPPED):
            return diagnostic
        number = int(np.searchsorted(self._table.offset, diagnostic.offset))
        if number >= len(self._table) or self._table.offset[number] != diagnostic.offset:
            return diagnostic
        if self._table.tcode[number] == t.TC_REPEAT:
            return diagnostic._replace(clause="NT.7.11.repeat")
        before, halves = self._counted_before(number)
        if before is None or halves is None:
            return diagnostic
        if diagnostic.clause == COUNTS_TRAPPED:
            passed = [self._passed(diagnostic, number, at, halves) for at in self.traced(number)]
            return next((one for one in passed if one is not None), diagnostic)
        named = [self._at(diagnostic, number, before, at, halves) for at in self.traced(number)]
        return named[0] if len({one.clause for one in named}) == 1 else diagnostic

    def _at(self, diagnostic: Diagnostic, number: int, before: int, at: int, halves: int) -> Diagnostic:
        """The diagnostic, if what comes before its message ends at a traced instruction."""
        if self._table.tcode[before] != t.TC_FULL and (wrong := self._address(before, at, diagnostic)) is not None:
            return wrong
        return (
            self._inferable(number, at, halves, diagnostic) or self._count(number, at, halves, diagnostic) or diagnostic
        )

    def _counted_before(self, number: int) -> tuple[int | None, int | None]:
        """The last message before one that counts or has an address, and what ResourceFull adds to the count of this
        one; None where messages between are not understood.
        """
        halves = 0
        for before in range(number - 1, -1, -1):
            tcode, rcode = self._table.tcode[before], self._table["rcode"][before]
            if tcode == t.TC_FULL and rcode == 0:
                halves += int(self._table["rdata"][before])
            elif tcode == t.TC_FULL or tcode in (t.TC_REPEAT, t.TC_ERROR):
                return None, None
            elif self._table["icnt"][before] != t.ABSENT:
                return before, halves
        return None, None

    def traced(self, number: int) -> list[int]:
        """The traced instructions that may follow what the messages before one report."""
        told, segments = int(self._alignment.decoded.first_pc[number]), self._alignment.segments
        for place, segment in enumerate(segments):
            if not (segment.first < number <= segment.last or (not place and number == 0)):
                continue
            if segment.at is not None and segment.begin < told <= segment.end:
                return [segment.start + told - segment.begin]
            if told == segment.begin:
                return self._resumed(place) if place else [0]
        return []

    def _resumed(self, place: int) -> list[int]:
        """The traced instructions at which decoding may have gone on with a segment; none if they are many."""
        segments = self._alignment.segments
        message = segments[place].first
        address = self._table.addresses[message]
        before = [s.start + s.end - s.begin for s in segments[:place] if s.at is not None and s.end > s.begin]
        after = [s.start for s in segments[place:] if s.at is not None and s.end > s.begin]
        first, last = max(before[-1:] or [0]), min(after[:1] or [len(self._expected)])
        fits = np.flatnonzero(self._expected.pc[first : last + 1] >> np.uint64(1) == address) + first
        if self._table["sync"][message] == t.ABSENT:
            fits = fits[np.isin(fits, [step.index for step in self.steps])]
        if self._table["sync"][message] in t.STARTS:
            starts = {edge.index for edge in self._expected.edges if edge.kind in START_CLAUSE}
            fits = np.array(sorted(index for index in starts if first <= index <= last), dtype=np.int64)
        return fits.tolist() if len(fits) <= MANY else []

    # The address of the message before

    def _address(self, before: int, at: int, diagnostic: Diagnostic) -> Diagnostic | None:
        """The message before led elsewhere than the hart went."""
        address = self._table.addresses[before]
        if address is None or at >= len(self._expected) or int(self._expected.pc[at]) >> 1 == address:
            return None
        trap = int(self._table["btype"][before]) > 0
        if self._trapped(at, address << 1):
            return None  # the hart was there
        if not self._turns(at, trap) and not self._starts(before, at):
            return None
        message, went = self._table.messages[before], int(self._expected.pc[at])
        return diagnostic._replace(
            offset=message.offset, clause=self.clause(before, went >> 1), text=self.text(before, went),
            lost_bytes=diagnostic.lost_bytes and diagnostic.lost_bytes + diagnostic.offset - message.offset,
        )  # fmt: skip

    def text(self, message: int, went: int) -> str:
        """That the address of a message is wrong, and where the hart went."""
        if went >> 1 and self._table["uaddr"][message] == went >> 1:
            return f"{self._table.messages[message]}: U-ADDR is the address itself, {self._place(went)}"
        address = self._table.addresses[message] or 0
        leads = self._place(address << 1)
        text = f"{self._table.messages[message]}: the address leads to {leads}, the hart went to {self._place(went)}"
        return f"{text}: its upper bits are missing" if cut(address, went >> 1) else text

    def clause(self, message: int, due: int) -> str:
        """The clause of the wrong address of a message. due: the right one, without bit 0."""
        address = self._table.addresses[message]
        if due and self._table["uaddr"][message] == due:
            return "NT.8.1.xor"
        if address is not None and extends(address ^ due, self._config.xlen - 1) and self._config.extend_addr_msb:
            return "NT.8.2.extend"
        if address is not None and cut(address, due):
            return "NT.8.1.faddr"  # of which U-ADDR is made, too
        return "NT.8.1.uaddr" if self._table["uaddr"][message] != t.ABSENT else "NT.8.1.faddr"

    def leads(self, told: int, at: int) -> int | None:
        """The message whose U-ADDR led to decoded instruction `told`, where the hart went elsewhere, to traced
        instruction `at`, when that message says that it left the code; None if there is none.
        """
        pc = int(self._alignment.decoded.pcs[told]) >> 1
        if self._trapped(at, pc << 1):
            return None  # the hart was there
        number = int(np.searchsorted(self._alignment.decoded.first_pc, told, side="right")) - 1
        for message in (number, number - 1):
            if message < 0 or self._table.addresses[message] != pc or self._table["uaddr"][message] == t.ABSENT:
                continue
            if self._turns(at, int(self._table["btype"][message]) > 0):
                return message
        return None

    def counts_trapped(self, told: int, at: int) -> bool:
        """Whether decoded instruction `told` is the one that trapped before traced instruction `at`, and its trap is
        reported after it: it was counted although it did not retire.
        """
        decoded, pc = self._alignment.decoded, int(self._alignment.decoded.pcs[told])
        if not self._trapped(at, pc):
            return False
        goes_on = told + 1 < len(decoded) and decoded.pcs[told + 1] == self._expected.pc[at]
        if goes_on and any(event.kind == "trap" and event.index == told + 1 for event in decoded.events):
            return True
        number = int(np.searchsorted(decoded.first_pc, told, side="right"))
        near = self._table.offset[max(number - 1, 0) : number + 1].tolist()
        return any(d.clause == "NT.8.4.icnt" and d.offset in near for d in decoded.diagnostics)

    def _trapped(self, at: int, pc: int) -> bool:
        """Whether the instruction at `pc` trapped right before a traced one."""
        return any(trap.index == at and trap.epc == pc for trap in self._expected.traps)

    def _turns(self, at: int, trap: bool) -> bool:
        """Whether the hart trapped, or jumped where the program does not say, right before a traced instruction."""
        first = bisect_right(self.steps, at - 1, key=lambda step: step.index)
        return any(step.index == at and step.trap == trap for step in self.steps[first : first + LATER])

    def _starts(self, message: int, at: int) -> bool:
        """Whether trace started at a traced instruction, as a message says."""
        if self._table["sync"][message] not in t.STARTS:
            return False
        return not at or any(edge.index == at and edge.kind in START_CLAUSE for edge in self._expected.edges)

    def _inferable(self, number: int, at: int, halves: int, diagnostic: Diagnostic) -> Diagnostic | None:
        """The message reports an instruction after which the program says itself where the hart goes."""
        icnt, table, expected = int(self._table["icnt"][number]), self._table, self._expected
        if icnt == t.ABSENT or not table.is_a(t.TC_INDIRECT, t.TC_HIST)[number] or table["btype"][number]:
            return None
        end = int(np.searchsorted(expected.halfwords, expected.halfwords[at] + icnt + halves))
        if not at < end < len(expected) or self._halves(at, end) != icnt + halves:
            return None
        if int(expected.pc[end]) >> 1 != self._table.addresses[number] or any(step.index == end for step in self.steps):
            return None
        last = self._place(int(expected.pc[end - 1]))
        text = f"{table.messages[number]}: it reports {last} as an indirect jump, whose target the program says itself"
        return diagnostic._replace(clause="NT.10.inferable", text=text)

    # The count of a message

    def _passed(self, diagnostic: Diagnostic, number: int, at: int, halves: int) -> Diagnostic | None:
        """The message counts beyond an instruction that trapped, and neither it nor one before it reports the trap."""
        step, icnt = self._next(at, number)[0], int(self._table["icnt"][number])
        passes = icnt != t.ABSENT and icnt + halves > self._halves(at, min(step.index, len(self._expected)))
        if not step.trap or step.optional or not passes or self._table["btype"][number] > 0:
            return None
        epc = next(trap.epc for trap in self._expected.traps if trap.index == step.index)
        text = f"{self._table.messages[number]}: the trap of {self._place(epc)} is not reported, and I-CNT passes it"
        return diagnostic._replace(clause="NT.10.traps", text=text)

    def _count(self, number: int, at: int, halves: int, diagnostic: Diagnostic) -> Diagnostic | None:
        """The message reports what happened next, with another count than the hart needed for it."""
        icnt, tcode = int(self._table["icnt"][number]), self._table.tcode[number]
        address, synced = self._table.addresses[number], self._table["sync"][number] != t.ABSENT
        if icnt == t.ABSENT or diagnostic.clause == "NT.8.4.count":
            return None
        steps = self._next(at, number)
        if steps[0].optional:
            return None
        end, pcs = steps[0].index, self._expected.pc
        if tcode == t.TC_DIRECT:
            fits = [end] if not steps[0].trap and self._expected.taken[end - 1] == 1 else []
        elif tcode == t.TC_CORRELATION:
            stop = next(
                (edge.index for edge in self._expected.edges if edge.index >= at and edge.kind in STOP_CLAUSE), -1
            )
            fits = [stop] if at <= stop <= end else []
        elif synced:
            last = min(end, len(pcs) - 1)
            fits = (np.flatnonzero(pcs[at + 1 : last + 1] >> np.uint64(1) == address) + at + 1).tolist()
        else:
            fits = [end] if end < len(pcs) and int(pcs[end]) >> 1 == address else []
            trap = int(self._table["btype"][number]) > 0
            if fits and steps[0].trap != trap:
                right = self._halves(at, end) == icnt + halves
                return self._kind(number, end, steps[0].trap, diagnostic) if right else None
        if not fits or any(self._halves(at, fit) == icnt + halves for fit in fits):
            return None
        if any(self._fits(step, number) for step in self._later(steps, at, icnt + halves)):
            return None  # messages of what came before it are missing
        goes_on = [s.start for s in self._alignment.segments if s.at is not None and s.first == number and s.at in fits]
        due = {self._halves(at, fit) for fit in goes_on[:1] or fits}
        said = f"I-CNT is {icnt}" + (f" after {halves} in ResourceFull" if halves else "")
        retired = f"{due.pop()} half-words retired" if len(due) == 1 else "another number of half-words retired"
        where = self._place(int(pcs[fits[0] - 1]))
        text = f"{self._table.messages[number]}: {said}, and {retired} up to {where}"
        return diagnostic._replace(clause="NT.8.4.count", text=text)

    def _kind(self, number: int, at: int, trap: bool, diagnostic: Diagnostic) -> Diagnostic:
        """Count and address are right; B-TYPE is not."""
        kind = next((trap.interrupt for trap in self._expected.traps if trap.index == at), None) if trap else None
        had = {None: "a jump", True: "an interrupt", False: "an exception"}[kind]
        return diagnostic._replace(clause="NT.6.2.btype", text=f"{self._table.messages[number]}: the hart had {had}")

    def _halves(self, begin: int, end: int) -> int:
        return int(self._expected.halfwords[end] - self._expected.halfwords[begin])

    def _later(self, steps: list[Step], at: int, count: int) -> Iterator[Step]:
        """Those after the first with which a count agrees, from `at` on or from one of them on."""
        for place, step in enumerate(steps[1:], 1):
            begins = [at, *(one.index for one in steps[:place])]
            if any(self._halves(begin, step.index) == count for begin in begins):
                yield step

    def _fits(self, step: Step, number: int) -> bool:
        """Whether a message reports that the hart went where it did after a step."""
        address = self._table.addresses[number]
        if address is None:
            return True
        return step.index < len(self._expected) and int(self._expected.pc[step.index]) >> 1 == address

    def _next(self, at: int, number: int) -> list[Step]:
        """What must be reported from a traced instruction on that messages before one do not report, the next first."""
        told, offset = self._alignment.decoded.first_pc[number], self._table.offset[number]
        known = sum(
            event.kind == "trap" and event.index == told and event.message.offset < offset
            for event in self._alignment.decoded.events
        )
        first = bisect_right(self.steps, at, key=lambda step: step.index)
        traps = [s for s in self.steps[max(first - LATER, 0) : first] if s.index == at and s.trap]
        end = Step(len(self._expected), False, False)  # of the trace
        return [*traps[known:], *self.steps[first : first + LATER], end]

    @cached_property
    def steps(self) -> list[Step]:
        """Traps, jumps that cannot be inferred, and in BTM branches that were taken."""
        expected, config = self._expected, self._config
        flow = self._alignment.capture.program.columns(expected.pc).flow
        jumps = flow == Flow.UNINFERABLE
        if config.mode == "btm":
            jumps = jumps | (expected.taken == 1)
        inferred = (expected.sijump != 0) & bool(config.sequential_jump)
        inferred |= np.isin(expected.itype, POPS) & bool(config.implicit_return)
        steps = [Step(row + 1, False, bool(inferred[row])) for row in np.flatnonzero(jumps).tolist()]
        steps += [Step(trap.index, True, trap.optional) for trap in expected.traps]
        return sorted(steps, key=lambda step: step.index)
