# SPDX-License-Identifier: Apache-2.0
"""Alignment: which traced instructions the decoded ones represent, with holes where packets were lost.

Without a loss it is one comparison of arrays. After a loss, and where the decoder had to stop by inference (an
"ambiguous" event: the hart may have gone round a loop that leaves no packet), the place is searched for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.retired import IType
from rvtrace.models.riscv.sequential import target
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.comparison import Comparison, Run
from rvtrace.scoreboards.common.matching import same_start
from rvtrace.scoreboards.common.places import Rows, ends
from rvtrace.scoreboards.etrace.capture import EtraceCapture
from rvtrace.scoreboards.etrace.expected import ENDED_NTR, ENDED_REP, TRACE_LOST, Expected, Trap
from rvtrace.scoreboards.etrace.slips import Slips
from rvtrace.scoreboards.etrace.table import ABSENT, Locator, PacketTable


@dataclass
class Piece(Run):
    """Decoded instructions [begin, end) and the events among them; `length` of them from `first` on represent the
    traced ones from `at` on.

    join: what is before it: "start", "lost" or "ambiguous". packets: number of the first packet after it. doubtful: the
    round of a loop with which it ends may not have been. lands: the doubt is about its first instruction, not about the
    one before it. jumped: its last instruction was no target of a jump, so the piece after it begins with the jump that
    was.
    """

    join: str
    packets: int = 0
    doubtful: bool = False
    lands: bool = False
    first: int = 0
    length: int = 0
    jumped: bool = False

    @property
    def behind_gap(self) -> bool:
        """Whether instructions may be missing before it."""
        return self.join in ("lost", "damaged")

    @property
    def origin(self) -> int:
        return self.first

    @property
    def count(self) -> int:
        return self.length

    def place(self, index: int) -> int | None:
        """The traced instruction for a decoded one; None in a piece that was not placed, which may be anywhere in its
        hole.

        Events of the instruction right before an ambiguous stop may come after it.
        """
        return None if self.at is None else self.at + min(max(index - self.first, -1), self.length)


def split(decoded: Any, table: PacketTable) -> list[Piece]:
    """The decoded trace between its losses, damaged packets and ambiguous stops."""
    total, n = len(decoded.pcs), len(table)
    pieces = [Piece(0, total, "start", packets=n)]
    damaged = [d.packet + d.lost_packets for d in decoded.diagnostics]  # where decoding goes on
    damaged = sorted({at for at in damaged if at < n and table.sync[at]})[:BRIDGED]

    def bridge(upto: int) -> None:
        while damaged and damaged[0] <= upto:
            packet = damaged.pop(0)
            pieces[-1].end, pieces[-1].packets = int(decoded.first_pc[packet]), packet
            pieces.append(Piece(pieces[-1].end, total, "damaged", n))

    for event in decoded.events:
        bridge(event.packet)
        last = pieces[-1]
        lost = event.kind == "support" and table["qual_status"][event.packet] == TRACE_LOST
        if lost or event.kind == "ambiguous":
            own = [
                e
                for e in last.events[-1:]
                if not lost and e.kind == "sync" and (e.index, e.packet) == (event.index, event.packet)
            ]
            behind = event.index + (not lost and not own)
            if own:  # the doubt is about the way to a resynchronization
                last.events.pop()
            last.end, last.packets, last.doubtful = behind, event.packet, event.again == "before"
            pieces.append(Piece(behind, total, "lost" if lost else "ambiguous", n, lands=bool(own), events=own))
        else:
            last.events.append(event)
    bridge(n)
    return pieces


RETURNS = (IType.RETURN, IType.COROUTINE_SWAP)  # in the draft 13 and 12
BRIDGED = 32  # damaged places after which the trace is compared; each may have many places in the traced stream
ROUNDS = 1 << 20  # instructions looked at for rounds of a loop
SECOND = 64  # second-best places kept
TRIED = 100_000  # places tried before a trace fits nowhere


class Alignment(Comparison):
    """Decoded pieces on the traced stream."""

    where: Locator

    def __init__(
        self, capture: EtraceCapture, book: ClauseBook, expected: Expected, decoded: Any, table: PacketTable
    ) -> None:
        super().__init__(capture, book, expected, decoded, table, Locator)
        self.draft = capture.config.variant == "draft_0_026"
        self.rounds = 0  # uses of the tolerance for "ambiguous"
        self.predicted = False  # every packet is the one that the encoder model predicts
        self.followed_to: int | None = (
            None  # draft: the packet after which the decoder may have gone astray, None if it did not
        )
        self.unmade: frozenset[int] = frozenset()  # packets with a round that was not, of the pieces that fit somewhere
        self._followed = len(expected)  # traced instructions before the first that nothing could be compared with
        self.broken: list[tuple[int, Failure]] = []  # traced instruction, what differs there
        self.pieces = self.runs = split(decoded, table)

    def failure(
        self, clause: str, headline: str, index: int, table: Rows | None = None, packet: int | None = None
    ) -> Failure:
        """As of every comparison; kept for what follows from it."""
        made = super().failure(clause, headline, index, table, packet)
        self.broken.append((index, made))
        return made

    @property
    def followed(self) -> int:
        """Traced instructions before the first that nothing could be compared with."""
        return self._followed

    @property
    def judged(self) -> int:
        """Traced instructions that were compared, or that need not be reported since packets were lost."""
        unread = sum(b - a for a, b in self.holes) if self.decoded.diagnostics else 0
        return max(self._followed - unread, 0) if len(self.decoded) else 0

    @cached_property
    def masks(self) -> dict[str, int]:
        """The bits of privilege, context and time that packets have; 0 where they have none."""
        config = self.capture.config
        return {
            "privilege": (1 << config.privilege_width_p) - 1,
            "context": 0 if config.nocontext_p else (1 << config.context_width_p) - 1,
            "time": 0 if config.notime_p else (1 << min(config.time_width_p, 63)) - 1,
        }

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """Privilege, context and time of every traced instruction, as the packets report them."""
        want = self.expected
        columns = {"privilege": want.priv.astype(np.int64), "context": want.context.astype(np.int64)}
        if want.time is not None:
            columns["time"] = (want.time & np.uint64(2**63 - 1)).astype(np.int64)[want.row]
        return {name: column & self.masks[name] for name, column in columns.items() if self.masks[name]}

    def placed(self, *kinds: str) -> Iterator[tuple[int | None, Any]]:
        """(traced instructions before it, event) of these kinds in order."""
        for piece in self.pieces:
            for event in piece.events:
                if event.kind in kinds:
                    yield piece.place(event.index), event

    def sure(self, index: int) -> bool:
        """Whether traced instruction `index` is reported for certain: not after a loss by a piece that fits at other
        places of its hole as well.
        """
        number = next(
            (k for k, p in enumerate(self.pieces) if p.at is not None and p.at <= index < p.at + p.length), None
        )
        if number is None or not self.pieces[number].behind_gap:
            return True
        piece = self.pieces[number]
        behind = next((p.at for p in self.pieces[number + 1 :] if p.at is not None), len(self.expected))
        places = (
            at
            for at in self._behind_loss(piece, self._position(number))
            if at != piece.at and at + piece.length <= behind
        )
        return not any(self._fits(piece, at, piece.first, piece.length) for at in places)

    def unplaced(self, kind: str) -> Iterator[tuple[int, int, Any]]:
        """(first and last place it may have, event) of the events of a kind in pieces that appear nowhere in their
        hole.
        """
        for number, piece in enumerate(self.pieces):
            if piece.at is None:
                behind = next((p.at for p in self.pieces[number + 1 :] if p.at is not None), len(self.expected))
                yield from ((self._position(number), behind, event) for event in piece.events if event.kind == kind)

    @cached_property
    def sync_places(self) -> list[tuple[int, int]]:
        """(packet, traced instruction) of each synchronization packet that reports one."""
        found = []
        for at, event in self.placed("sync", "trap"):
            told = event.kind == "sync" or self.table["thaddr"][event.packet] != 0
            if told and at is not None and at < len(self.expected):
                found.append((event.packet, at))
        return found

    @cached_property
    def slips(self) -> Slips:
        """What single packets should have reported."""
        return Slips(self.capture, self.expected, self.decoded, self.table)

    @cached_property
    def stops(self) -> np.ndarray:
        """int64[packets]: the traced instruction up to which each packet reports, -1 where that is not known."""
        first = np.asarray(self.decoded.first_pc)
        last = ends(first, len(self.decoded.pcs)) - 1
        result = np.full(len(first), -1, np.int64)
        for piece in self.pieces:
            if piece.at is not None:
                inside = (last >= piece.first) & (last < piece.end)
                result[inside] = piece.at + np.minimum(last[inside] - piece.first, piece.length - 1)
        return result

    @cached_property
    def covered(self) -> np.ndarray:
        """Mask of the traced instructions that were reported."""
        mask = np.zeros(len(self.expected), bool)
        for piece in self.pieces:
            if piece.at is not None:
                mask[piece.at : piece.at + piece.length] = True
        return mask

    def align(self) -> bool:
        """Find each piece in the traced stream; False if one fits nowhere.

        Of several places the first is right with which all others fit.
        """
        self._slipped()
        found = self.misplaced
        if found is not None:
            self.followed_to = self._doubt(found[0])
            if self.followed_to is None:
                self._misfit(*found)
                self._unreported()
            return False
        self._unreported()
        for piece, number in zip(self.pieces, range(len(self.pieces))):
            before = self._position(number)
            if piece.behind_gap and piece.at is not None:
                self.holes.append((before, piece.at))
            self.rounds += piece.join == "ambiguous" and piece.at != before
            self.rounds += piece.at is not None and piece.length != piece.end - piece.begin
        return self._end(self._position(len(self.pieces)), len(self.expected))

    def _unreported(self) -> None:
        """The instructions that no packet reports where a device sent what cannot be read: nothing else lost them."""
        if self.capture.beats is None:
            return
        found = {d.packet + d.lost_packets: d.packet for d in self.decoded.diagnostics}
        for number, piece in enumerate(self.pieces):
            begin, end = self._position(number), piece.at
            if piece.join != "damaged" or end is None or end <= begin:
                continue
            flow = self.capture.program.columns(self.expected.pc[begin : end - 1]).flow
            _, after = np.unique(flow, return_index=True)
            first = {self._pc_clause(at): at for at in sorted((begin, *(begin + 1 + after).tolist()), reverse=True)}
            text = f"instructions {begin:,} to {end - 1:,} are not reported"
            packet = found.get(self.pieces[number - 1].packets)
            for clause, at in first.items():
                self.book.fail(self.failure(clause, text, at, packet=packet))

    @cached_property
    def misplaced(self) -> tuple[int, int] | None:
        """The first piece that fits nowhere, and the position before it; None if all have a place."""
        return self._place()

    @cached_property
    def reach(self) -> int:
        """Traced instructions up to the first that differs, wherever the pieces have to be."""
        if self.misplaced is None:
            return self._position(len(self.pieces))
        number, position = self.misplaced
        piece = self.pieces[min(number, len(self.pieces) - 1)]
        return position + same_start(self.expected.pc[position:], self.decoded.pcs[piece.begin : piece.end])

    def _doubt(self, number: int) -> int | None:
        """Draft: the packet with which piece `number`, or one right before it, became a guess; None if the way to it
        was reported.

        The draft has no updiscon and no irdepth: after an ambiguous stop the decoder may take another way than the
        hart, and then cannot follow. That is the draft's fault only if every packet is as predicted.
        """
        doubtful = [
            p.packets for p, q in zip(self.pieces[:number], self.pieces[1 : number + 1]) if q.join == "ambiguous"
        ]
        return doubtful[-1] if self.draft and self.predicted and doubtful else None

    def _place(self) -> tuple[int, int] | None:
        """Place all pieces; else the first that fits nowhere, and the position before it."""
        for piece in self.pieces:
            piece.at = None
        steps, deepest, position = [self._options(0, 0)], 0, 0
        for _ in range(TRIED + len(self.pieces)):
            found = next(steps[-1], None)
            if found is None:
                steps.pop()
                if not steps:
                    break
                self.pieces[len(steps) - 1].at = None
                continue
            piece = self.pieces[len(steps) - 1]
            piece.at, piece.first, piece.length, piece.jumped = found
            after = self._position(len(steps))
            if len(steps) > deepest:
                deepest, position = len(steps), after
                placed = (p for p in self.pieces[:deepest] if p.doubtful and p.length != p.end - p.first)
                self.unmade = frozenset(p.packets for p in placed)
            if len(steps) == len(self.pieces):
                return None
            steps.append(self._options(len(steps), after))
        return deepest, position

    def _position(self, number: int) -> int:
        """Traced instructions before piece `number`, as those before it were placed."""
        for piece in reversed(self.pieces[:number]):
            if piece.at is not None:
                return piece.at + piece.length
        return 0

    def _options(self, number: int, position: int) -> Iterator[tuple[int | None, int, int, bool]]:
        """(at, first, length, jumped): where a piece may appear after `position`, and what of it."""
        piece = self.pieces[number]
        first = piece.begin
        if number and self.pieces[number - 1].jumped:
            first = self._next_jump(piece.begin - 1) + 1
        told = self.decoded.pcs[first : piece.end]
        forms = [(len(told), False)]
        if (
            piece.doubtful and len(told) > 1
        ):  # the round of a loop with which it ends may not have been, or its last step
            before = np.flatnonzero(told[:-1] == told[-1])
            forms += [(int(before[-1]) + 1, False), (len(told) - 1, True)] if len(before) else []
        if piece.behind_gap:
            if not len(told) and (piece.join == "damaged" or self._lost(position)):
                yield None, first, 0, False
            places: Iterable[int] = self._behind_loss(piece, position)
        else:
            places = [0] if piece.join == "start" else self._rounds(position, piece.lands)
        # places where the synchronization packets report another privilege, context, time or trap: only if no other
        # fits
        second = []
        for at in places:
            for length, jumped in forms:
                if self._fits(piece, at, first, length):
                    if piece.join == "start" or self._agrees(piece, at - first):
                        yield at, first, length, jumped
                    elif len(second) < SECOND:
                        second.append((at, first, length, jumped))
        yield from second

    def _next_jump(self, index: int) -> int:
        """The first uninferable jump of the decoded instructions from `index` on."""
        flow = self.capture.program.columns(self.decoded.pcs[index : index + ROUNDS]).flow
        found = np.flatnonzero(flow == Flow.UNINFERABLE)
        return index + int(found[0]) if len(found) else len(self.decoded.pcs) - 1

    def _misfit(self, number: int, position: int) -> None:
        """Piece `number` fits nowhere after `position`."""
        piece = self.pieces[min(number, len(self.pieces) - 1)]
        if piece.join == "lost" and not self._lost(position):
            self._followed = position
            self.book.fail(
                self.failure("ET.alg.lost", "the trace reports a loss, but no beat was taken without room", position)
            )
            return
        piece.at, piece.first, piece.length = position, piece.begin, piece.end - piece.begin
        if piece.behind_gap:
            piece.at = next(iter(self._behind_loss(piece, position)), position)
        self._pc_failure(piece, self.decoded.pcs[piece.begin : piece.end], piece.at)

    def _end(self, position: int, n: int) -> bool:
        last = self.pieces[-1]
        if position == n:
            self.holes += [(n, n)] if last.at is None else []
            return True
        if last.at is None or self._may_end():
            self.holes.append((position, n))
            return True
        self._followed = position
        if not self.decoded.diagnostics:  # else the decoder gave up on something, which is a separate failure
            self.book.fail(
                self.failure(
                    "ET.ing.filters" if self.capture.config.filter and self.expected.first[position] else "ET.bt.end",
                    f"the trace ends {n - position} instructions before the hart stopped being traced",
                    position,
                    [("instructions", str(n), str(position))],
                )
            )
        return False

    def _may_end(self) -> bool:
        """Whether the last instructions need not be reported: the record ends while tracing, or during a loss."""
        beats = self.capture.beats
        return bool(self.expected.open_end or (beats is not None and len(beats) and beats.drop[-1]))

    def _lost(self, position: int, upto: int | None = None) -> bool:
        """Whether a beat was taken without room at or after a position, as far as anybody watched."""
        drops = self.expected.drop_at
        if drops is None:
            return True
        index = int(np.searchsorted(drops, position))
        return index < len(drops) and (upto is None or drops[index] <= upto)

    def _behind_loss(self, piece: Piece, position: int) -> Iterator[int]:
        """Where a piece may go on: with the first beat that found room, or else wherever its first instruction is."""
        if piece.begin == piece.end:
            return
        first = self.decoded.pcs[piece.begin]
        pcs, resumed = self.expected.pc, self.expected.resumed
        known = resumed[(resumed >= position) & (resumed < len(pcs))]
        for at in (
            *known[pcs[known] == first].tolist(),
            *(position + np.flatnonzero(pcs[position:] == first)).tolist(),
        ):
            if piece.join == "damaged" or self._lost(position, at):
                yield at

    def _sequential(self, at: int) -> bool:
        """Whether the indirect jump to traced instruction `at` needs no packet, since the instruction before the jump
        loads its register.
        """
        want, program, config = self.expected, self.capture.program, self.capture.config
        if at < 2 or not self.table.options("sijump").any() or at - 1 in want.traps_at:
            return False
        if config.ignores_sijump_of_returns and int(want.itype[at - 1]) in RETURNS:
            return False
        load, jump = (program.insn(int(pc)) for pc in want.pc[at - 2 : at])
        return want.episode[at - 2] == want.episode[at - 1] and target(load, jump, program.xlen) == int(want.pc[at])

    def _fits(self, piece: Piece, at: int, first: int, length: int) -> bool:
        """PCs, traps and ends of trace: what reports one place of a loop from another."""
        told, n = self.decoded.pcs[first : first + length], len(self.expected)
        if at + length > n or not np.array_equal(self.expected.pc[at : at + length], told):
            return False
        if piece.join == "start":
            return True  # what else is wrong is reported better where it is compared
        taken, want = self.decoded.taken[first : first + length], self.expected.taken[at : at + length]
        if ((taken != want) & (taken >= 0) & (want >= 0)).any():
            return False
        traps = self.expected.traps_at
        for event in piece.events:
            there = traps.get(at + min(max(event.index - first, 0), length), ()) if event.kind == "trap" else None
            if there is not None and not any(Alignment.same_trap(self, trap, event) for trap in there):
                return False
        if self._ended and any(at + e.index - first not in self._ended for e in piece.events if self.is_end(e)):
            return False
        return piece is not self.pieces[-1] or at + length == n or self._may_end()

    def same_trap(self, trap: Trap, event: Any) -> bool:
        """Whether the event reports this trap."""
        return int(trap.interrupt) == event.interrupt

    def _agrees(self, piece: Piece, shift: int) -> bool:
        """Whether the synchronization packets of a piece report what the instructions `shift` after the decoded ones
        were.
        """
        for event in piece.events:
            index = event.index + shift
            if event.kind not in ("sync", "trap") or not 0 <= index < len(self.expected):
                continue
            there = self.expected.traps_at.get(index, ()) if event.kind == "trap" else ()
            if there and not any(self.same_trap(trap, event) for trap in there):
                return False
            if event.kind == "trap" and not self.table["thaddr"][event.packet]:
                continue
            if any(
                self.table[name][event.packet] not in (ABSENT, column[index]) for name, column in self.columns.items()
            ):
                return False
        return True

    @cached_property
    def _ended(self) -> frozenset[int]:
        """The traced instructions before which trace ended."""
        return frozenset(support.index for support in self.expected.supports if support.clause == "ET.alg.ended")

    def is_end(self, event: Any) -> bool:
        """Whether a support packet reports that trace ended."""
        return event.kind == "support" and int(self.table["qual_status"][event.packet]) in (ENDED_REP, ENDED_NTR)

    def _rounds(self, position: int, lands: bool) -> Iterator[int]:
        """At an ambiguous stop: here, or after rounds of a loop without branch or packet that leads back to the same
        pc.
        """
        yield position
        begin = position if lands else position - 1  # the instruction that may come again
        want, jumps = self.expected, 0
        if not 0 <= begin < len(want):
            return
        flow = self.capture.program.columns(want.pc[begin : begin + ROUNDS]).flow
        for at in range(begin + 1, min(begin + ROUNDS, len(want))):
            before = at - 1
            if want.taken[before] >= 0 or at in want.traps_at or want.episode[at] != want.episode[before]:
                return
            if flow[before - begin] == Flow.UNINFERABLE and not self._sequential(at):
                if not self.draft:
                    return
                jumps += int(want.itype[before]) not in RETURNS
                if jumps > 1:
                    return
            if want.pc[at] == want.pc[begin]:
                yield at + (not lands)

    # Failures

    def _pc_failure(self, piece: Piece, told: np.ndarray, at: int) -> None:
        """The first PC that differs, and the clause of what should have led there."""
        theirs = self.expected.pc[at : at + len(told)]
        index = same_start(theirs, told)
        place = self.capture.program.place
        if index == len(theirs) == len(told):
            self._other_failure(piece, at)
            return
        have, due = (column[:index] for column in (self.decoded.taken[piece.begin :], self.expected.taken[at:]))
        wrong = np.flatnonzero((have != due) & (have >= 0) & (due >= 0))
        slip = None if self.draft else self.slips.find(piece.begin + index, at + index)
        if len(wrong) and not self.draft:  # it shows only here
            slip = self.slips.find(piece.begin + int(wrong[0]), at + int(wrong[0])) or slip
        if slip is not None:
            failure = self.failure(slip.clause, slip.text, slip.at, slip.rows, slip.packet)
            self.book.fail(failure)
            self._followed = at + index
            self.astray(failure)
            return
        if index >= len(theirs):
            text, want = f"{len(told) - index} instructions too many are reported", "none"
        else:
            text, want = f"instruction {at + index} is not the one that retired", place(int(theirs[index]))
        have = place(int(told[index])) if index < len(told) else "none"
        clause = self._pc_clause(at + index)
        if self.capture.config.filter and self._ended_early(piece, at, index):
            clause = "ET.ing.filters"
        failure = self.failure(clause, text, at + index, [("pc", want, have)])
        self.book.fail(failure)
        self._followed = at + index
        self.astray(failure)

    def _slipped(self) -> None:
        """Where a packet before the first damaged place led the decoder astray, that packet is what is wrong."""
        place = next((d.packet for d in self.decoded.diagnostics), len(self.decoded.first_pc))
        if self.draft or place >= len(self.decoded.first_pc):
            return
        told = int(self.decoded.first_pc[place])
        if np.array_equal(self.decoded.pcs[:told], self.expected.pc[:told]) and (slip := self.slips.find(told, told)):
            failure = self.failure(slip.clause, slip.text, slip.at, slip.rows, slip.packet)
            self.book.fail(failure)
            self.astray(failure)

    def _ended_early(self, piece: Piece, at: int, index: int) -> bool:
        """Whether the trace is reported to end where it did not, before the first PC that differs."""
        ends = (e.index - piece.begin for e in piece.events if self.is_end(e))
        return any(end <= index and at + end not in self._ended for end in ends)

    def _other_failure(self, piece: Piece, at: int) -> None:
        """Every PC of the piece is right: a branch direction, a trap, or the place of an end is not."""
        n = piece.end - piece.begin
        have, want = self.decoded.taken[piece.begin : piece.end], self.expected.taken[at : at + n]
        wrong = np.flatnonzero((have != want) & (have >= 0) & (want >= 0))
        if len(wrong):
            index = int(wrong[0])
            rows = [("taken", str(want[index]), str(have[index]))]
            failure = self.failure("ET.bt.branches", "the branch is reported in the wrong direction", at + index, rows)
        else:
            index = n
            trap = next((e for e in piece.events if e.kind == "trap"), None)
            if trap is None:
                text = "trace is reported to end or go on where the hart did not"
                failure = self.failure("ET.bt.end", text, at + n)
            else:
                text = "the trap reported is not the one that the hart took here"
                failure = self.failure("ET.bt.traps", text, at + min(trap.index - piece.begin, n), None, trap.packet)
        self.book.fail(failure)
        self._followed = at + index
        self.astray(failure)

    def _pc_clause(self, index: int) -> str:
        """Clause by what appears before the wrong PC."""
        want = self.expected
        if self.capture.config.filter and (index >= len(want) or want.first[index]):
            return "ET.ing.filters"
        if index >= len(want):
            return "ET.bt.end"
        if want.first[index]:
            return "ET.bt.sync"
        if index in want.traps_at:
            return "ET.bt.traps"
        flow = self.capture.program.columns(want.pc[index - 1 : index]).flow[0]
        if flow == Flow.UNINFERABLE:
            options = self.capture.config
            if int(want.itype[index - 1]) in RETURNS and options.implicit_return:
                return "ET.opt.implicit_return"
            return "ET.bt.uninferable"
        return {Flow.BRANCH: "ET.bt.branches", Flow.INFERABLE: "ET.bt.inferable"}.get(flow, "ET.bt.sequential")
