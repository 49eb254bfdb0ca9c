# SPDX-License-Identifier: Apache-2.0
"""The reference E-Trace encoder: which packets, and so which bytes, a stream of blocks becomes.

`Encoder(config).run(beats)` predicts, byte for byte, an encoder that declares docs/reference/etrace-profile.md. Each
packet comes with the clause that made the encoder send it (`CLAUSES`), so that a difference names the rule that was
broken.

Here are levels, options, loss and what an item does. `output` has what packets are made of, `input` how beats are read.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from typing import Any

import numpy as np
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.clauses import CLAUSES
from rvtrace.models.etrace.encoder.input import (
    AFTER_JUMP,
    AFTER_RETURN,
    AFTER_TRAP,
    BEFORE,
    BRANCH,
    BRANCH_PREDICTION,
    CALL,
    CONTEXT,
    FIRST,
    FULL_ADDRESS,
    IMPLICIT_RETURN,
    JUMP_TARGET_CACHE,
    LAST,
    NEVER,
    NEXT_ASYNC,
    NEXT_PPCCD,
    NEXT_PRIVILEGE,
    NEXT_TRAP,
    NOT_TAKEN,
    NOTIFY,
    PACKETS,
    PPCCD,
    QUIET,
    RESYNC,
    RETURN,
    SEQUENTIAL,
    SLOTS,
    SPECIAL,
    TAIL,
    TRAP,
    UNINFERABLE,
    Change,
    EncoderError,
    Item,
    PortRecord,
    Segment,
    read,
)
from rvtrace.models.etrace.encoder.output import ENDED_NTR, ENDED_REP, NO_CHANGE, TRACE_LOST, EncodedTrace, Lost, Sender
from rvtrace.models.etrace.table import MAX_BRANCHES
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import PRIVILEGE, IType

FAR = 1 << 62  # an item that does not come
_WEAK = 1  # a predictor entry after a sync: not taken, may change at once
# Predictor entries, [state][taken]: the upper bit predicts, the lower one is the last outcome
_TRAINED = ((0, 1), (0, 3), (0, 3), (2, 3))
__all__ = ["CLAUSES", "EncodedTrace", "Encoder", "EncoderError", "encode"]


class Encoder(Sender):
    """The state machine of docs/reference/etrace-profile.md; each `run` starts from reset."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._address_bits = config.iaddress_width_p - config.iaddress_lsb_p
        self._counter = config.call_counter_size_p > 0
        self._depth_limit = (1 << config.call_counter_size_p) - 1 if self._counter else 1 << config.return_stack_size_p
        self._cause_mask = (1 << config.ecause_width_p) - 1
        self._byte_mask = (1 << config.iaddress_width_p) - 1
        self._compared: dict[tuple[Any, ...], bool] = {}  # programs loop: most addresses come again
        self._most_packets = config.sync_interval if config.inst_sync_mode == PACKETS else FAR
        self._reset_items()

    def run(self, beats: Beats) -> EncodedTrace:
        """Encode all beats. Cycles without a row have no block, no pulse, and the levels and drop of the row before.

        EncoderError if the beats do not fit the configuration.
        """
        self._reset_items()
        self._record = record = read(beats, self.config)
        self._lanes = beats.lanes
        self._drops = beats.drop.tolist() if beats.drop.any() else None
        self._resumed = NEVER  # the row in which there was room again after a loss
        self._ended = NEVER  # the row in which a trace ended last
        # In a row, a change of levels comes before the blocks.
        for step in sorted([*record.changes, *record.segments], key=_place):
            if isinstance(step, Change):
                self._change(step)
            else:
                self._segment(step)
        return self._trace(beats.tstamp)

    def _change(self, change: Change) -> None:
        """`enable` or the options change; the trace has ended."""
        if change.row <= self._resumed or (not change.enable and self._ended == change.row):
            return
        clause = "ET.alg.reconfigured" if change.was_enabled else "ET.alg.enable"
        self._row, self._options = change.row, self._record.options[change.row]
        try:
            self._send_support(change.enable, NO_CHANGE, clause if change.enable else "ET.alg.disable")
        except Lost:
            self._recover()

    def _segment(self, segment: Segment) -> None:
        """One trace, or what is left of it after a loss."""
        record = self._record
        while True:
            begin = max(segment.begin, int(np.searchsorted(record.row_of, self._resumed)))
            if begin >= segment.end:
                return
            self._options = record.options[segment.begin_row]
            items = record.items[
                bisect_left(record.items, (SLOTS * begin,)) : bisect_left(record.items, (SLOTS * segment.end,))
            ]
            try:
                if begin > segment.begin:
                    items = self._restart(begin, items)
                self._follow(items)
                self._ended = segment.end_row
                return
            except Lost:
                self._recover()

    def _restart(self, begin: int, items: list[Item]) -> list[Item]:
        """Begin a trace at a block that was in the middle of one; returns the items after its first."""
        key = self._record.next_key(SLOTS * begin - 1)
        if items and items[0][0] == key:
            (_, flags, *rest), items = items[0], items[1:]
        else:
            _, flags, *rest = self._record.plain(key)
        flags = flags & ~BEFORE | FIRST
        if key % SLOTS == TAIL and flags & SEQUENTIAL:  # what made it sequential is not traced
            flags ^= SEQUENTIAL
            if not flags & LAST:
                self._forced, self._forced_flags = self._record.next_key(key), AFTER_JUMP
        if rest[-1] != NEVER:
            self._item(key, flags, *rest)
        return items

    def _recover(self) -> None:
        """The packets of this row are lost, and all up to the next row with room: there a support packet reports it."""
        lost = self._row
        self._take_back(lost)
        self._forced = FAR
        room = np.flatnonzero(self._record.beats.drop[lost:] == 0)
        self._resumed = lost + int(room[0]) if len(room) else FAR
        if len(room):
            self._row, self._options = self._resumed, self._record.options[self._resumed]
            self._send_support(int(self._record.beats.enable[self._row]), TRACE_LOST, "ET.alg.lost")

    # What one item does to branch map, predictor, caches and addresses

    def _reset_items(self) -> None:
        self._reset_sender()
        self._record: PortRecord
        self._lanes = 1
        self._last = 0  # address last sent, shifted
        self._forced, self._forced_flags = FAR, 0  # an item with more flags than the blocks give
        self._cause: dict[str, int] = {}  # of the trap before, and whether it was reported
        self._reported = False
        self._forget()

    def _forget(self) -> None:
        """What a sync resets."""
        self._predicting = self._options & BRANCH_PREDICTION != 0
        self._table = [_WEAK] * (1 << self.config.bpred_size_p) if self._predicting else []
        self._cache: dict[int, int] = {}
        # Addresses after calls; of a call counter only their number counts
        self._stack: deque[int] = deque(maxlen=self._depth_limit)
        self._popped: tuple[int, int] = (0, 0)  # (depth, top) before the last return
        self._ret_open = False
        self._irets = 0  # implicit returns since the last packet or branch, if ret_open
        self._count = 0
        self._due = FAR  # the item from which on a special one asks for a resynchronization
        self._clear()

    def _clear(self) -> None:
        """What each packet with branches or an address resets."""
        self._branches = self._map = 0
        self._right = (
            0 if self._predicting else NEVER
        )  # branches since the last packet, NEVER if not all were predicted
        self._irets = 0

    # The items of one trace

    def _follow(self, items: list[Item]) -> None:
        """Items in order. Most are branches that only fill the map or the count, and are dealt with here."""
        most = self.config.max_pbc - 1
        branches = table = None  # of this object's state, while it is out here
        for key, flags, address, extra, row in items:
            if branches is None:
                branches, branch_map, right = self._branches, self._map, self._right
                table, soon = self._table, min(self._due, self._forced)
            if flags < QUIET and key < soon:
                outcome = ~flags & NOT_TAKEN
                hit = table and table[extra] >> 1 == outcome
                if branches < MAX_BRANCHES - 1 or (hit and 0 <= right < most):
                    if table:
                        table[extra] = _TRAINED[table[extra]][outcome]
                        right = right + 1 if hit and right >= 0 else NEVER
                    if branches < MAX_BRANCHES:
                        branch_map |= (flags & NOT_TAKEN) << branches
                        branches += 1
                    self._ret_open = False
                    continue
            self._branches, self._map, self._right = branches, branch_map, right
            branches = None
            if key >= self._forced:
                flags |= self._force(key)
            if row != NEVER:
                self._item(key, flags, address, extra, row)
        if branches is not None:
            self._branches, self._map, self._right = branches, branch_map, right

    def _force(self, key: int) -> int:
        """The flags to be added to this item; an item before it that needed some is dealt with."""
        forced, flags = self._forced, self._forced_flags
        self._forced = FAR
        if forced == key:
            return flags
        plain = self._record.plain(forced)
        self._item(forced, plain[1] | flags, *plain[2:])
        return 0

    def _item(self, key: int, flags: int, address: int, extra: int, row: int) -> None:
        place = int(self._record.place[key // SLOTS])
        self._row, self._item_row = row, place // self._lanes
        if flags & AFTER_RETURN and self._implicit(address, flags, place):
            flags &= ~AFTER_JUMP
            self._irets = self._irets + 1 if self._ret_open else 1
            self._ret_open = True
        if flags & TRAP:
            self._trap(key, flags, address, place)
            told = False
        else:
            told = self._instruction(key, flags, address, extra, place)
        if self._count >= self._most_packets:
            self._due = min(self._due, key + 1)
        if flags & LAST:
            self._send_support(int(self._record.beats.enable[row]), ENDED_NTR if told else ENDED_REP, "ET.alg.ended")

    def _implicit(self, address: int, flags: int, place: int) -> bool:
        """Whether the return before went where a decoder expects it; an interrupt does not report where it went."""
        depth, top = self._popped
        unknown = flags & TRAP and self._record.beats.itype.flat[place] == IType.INTERRUPT
        return depth > 0 and (self._counter or bool(unknown) or top == address)

    # I with prev, next

    def _instruction(self, key: int, flags: int, address: int, extra: int, place: int) -> bool:
        """One instruction. Returns whether the trace may end after it without having said so (ended_ntr)."""
        synced = flags & (AFTER_TRAP | FIRST | PPCCD | RESYNC)
        if synced:
            self._sync_instruction(key, flags, address, extra, place)
            told = True
        else:
            told = self._other(key, flags, address, extra, place)
        if flags & RETURN:
            self._popped = (len(self._stack), self._stack[-1] if self._stack else 0)
            if self._stack:
                self._stack.pop()
        elif flags & CALL and self._options & IMPLICIT_RETURN:
            self._stack.append(extra & self._byte_mask)
            self._ret_open = False
        return told

    def _sync_instruction(self, key: int, flags: int, address: int, extra: int, place: int) -> None:
        """Rules 1 and 2."""
        taken = bool(flags & BRANCH) and not flags & NOT_TAKEN
        not_taken = bool(flags & BRANCH) and not taken
        values = {
            "branch": int(not_taken if self._drafted else not taken),
            "address": address >> self.config.iaddress_lsb_p,
        }
        if flags & AFTER_TRAP and (self._drafted or not self._reported):
            self._send_sync("trap", "ET.alg.trap", key, place, values | self._cause | {"thaddr": 1})
        else:
            reasons = ((AFTER_TRAP, "reported"), (FIRST, "first"), (PPCCD, "ppccd"), (RESYNC, "resync"))
            clause = next(f"ET.alg.{word}" for flag, word in reasons if flags & flag)
            self._send_sync("start", clause, key, place, values)
        self._last = values["address"]
        if flags & BRANCH and self._predicting:
            self._table[extra] = _TRAINED[_WEAK][taken]

    def _other(self, key: int, flags: int, address: int, extra: int, place: int) -> bool:
        """Rules 3 to 5."""
        before, own = max(self._right, 0), flags & NOT_TAKEN if flags & BRANCH else None
        failed = bool(flags & BRANCH) and self._enter(flags, extra)
        self._counted = (before, own) if before >= MAX_BRANCHES else None
        resync_next = key >= self._due and flags & (SPECIAL | BRANCH) and not flags & (NEXT_TRAP | LAST)
        if resync_next:
            self._forced, self._forced_flags = self._record.next_key(key), RESYNC
        if flags & CONTEXT:
            self._send("context", "ET.alg.context", self._owner(place))
        if flags & AFTER_JUMP:
            updiscon = bool(flags & (NEXT_TRAP | NEXT_PPCCD) or resync_next)
            depth = self._popped[0] if flags & AFTER_RETURN else 0
            self._tell(
                address,
                "ET.opt.misreturn" if depth else "ET.alg.updiscon",
                failed,
                updiscon=updiscon,
                depth=depth or None,
                cache=True,
            )
            return not updiscon
        jumps = flags & (UNINFERABLE | SEQUENTIAL) == UNINFERABLE
        anchor = bool(flags & CALL) and self._ret_open and not jumps and not self._drafted
        clause = self._why(flags, bool(resync_next), jumps, anchor)
        if clause:
            notify = anchor or bool(flags & NOTIFY)
            self._tell(address, clause, failed, notify=notify, depth=len(self._stack) if self._ret_open else None)
            return notify and not self._drafted
        if failed:
            self._send_count(0, "ET.alg.mispredicted", {})
            self._clear()
        elif self._right == self.config.max_pbc:
            if self._drafted:
                self._send_count(1, "ET.alg.count_full", {})
                self._clear()
            else:
                self._tell(address, "ET.alg.count_full", failed)
        elif self._branches == MAX_BRANCHES and self._right < 0:
            self._send("branch_map", "ET.alg.full_map", {"branches": 0, "branch_fmt": 0, "branch_map": self._map})
            self._clear()
        return False

    def _why(self, flags: int, resync_next: bool, jumps: bool, anchor: bool) -> str:
        """The clause of rule 4, if it applies. jumps: somewhere that a decoder cannot infer."""
        if flags & NOTIFY:
            return "ET.alg.notify"
        if flags & NEXT_TRAP:
            return "ET.alg.before_trap"
        if flags & LAST:
            return "ET.alg.last"
        unclear = self._branches or self._ret_open or (jumps and not flags & NEXT_PRIVILEGE)
        if flags & NEXT_ASYNC or (unclear and (flags & NEXT_PPCCD or resync_next)):
            return "ET.alg.before_sync"
        return "ET.opt.anchor" if anchor else ""

    def _enter(self, flags: int, entry: int) -> bool:
        """Put a branch into map or count, and train the predictor. Returns whether it ends a count of 31 or more."""
        outcome = ~flags & NOT_TAKEN
        failed = False
        self._ret_open = False
        if self._predicting:
            state = self._table[entry]
            self._table[entry] = _TRAINED[state][outcome]
            if self._right >= 0 and state >> 1 == outcome:
                self._right += 1
            elif self._right >= MAX_BRANCHES:
                failed = True
            else:
                self._right = NEVER
        if self._branches < MAX_BRANCHES:
            self._map |= (flags & NOT_TAKEN) << self._branches
            self._branches += 1
        return failed

    # X with prev, next

    def _trap(self, key: int, flags: int, address: int, place: int) -> None:
        beats = self._record.beats
        interrupt = int(beats.itype.flat[place] == IType.INTERRUPT)
        cause = {
            "ecause": int(beats.cause.flat[place]) & self._cause_mask,
            "interrupt": interrupt,
            "tval": int(beats.tval.flat[place]) & self._byte_mask,
        }
        told = None
        if flags & AFTER_TRAP:
            told = None if self._reported else self._cause
            self._reported = False
        else:
            self._reported = bool(flags & (FIRST | AFTER_JUMP))
            told = cause if self._reported else None
        if told and not self._drafted:
            where = 0 if interrupt else address >> self.config.iaddress_lsb_p
            self._send_sync(
                "trap", "ET.alg.trap_again", key, place, {"branch": 1, "thaddr": 0, "address": where} | told
            )
        self._cause = cause

    # Packets

    def _owner(self, place: int) -> dict[str, int]:
        """Privilege, time and context of an item."""
        beats = self._record.beats
        return {
            "privilege": PRIVILEGE[int(beats.priv.flat[place])],
            "time": int(beats.tstamp[self._item_row]) & self._time_mask,
            "context": int(beats.context.flat[place]) & self._context_mask,
        }

    def _send_sync(self, name: str, clause: str, key: int, place: int, values: dict[str, int]) -> None:
        self._send(name, clause, values | self._owner(place))
        self._forget()
        if self.config.inst_sync_mode > PACKETS:
            due = int(self._record.base[key // SLOTS]) + self.config.sync_interval
            self._due = SLOTS * int(np.searchsorted(self._record.meter, due))

    def _send_count(self, no_mispred: int, clause: str, more: dict[str, Any]) -> None:
        """Predicted branches without an address, or (v2_0) with that in `more`."""
        values = {"branches": 0, "branch_count": self._right - MAX_BRANCHES, "branch_fmt": 0}
        if self._drafted:
            self._send("branch_map", clause, values | {"branch_fmt": 1, "no_mispred": no_mispred})
        else:
            self._send("branch_count", clause, values | more)

    def _tell(
        self,
        address: int,
        clause: str,
        failed: bool,
        notify: bool = False,
        updiscon: bool = False,
        depth: int | None = None,
        cache: bool = False,
    ) -> None:
        """**address** of the profile. depth: irdepth, None if it says nothing."""
        shifted = address >> self.config.iaddress_lsb_p
        difference = shifted
        if not self._options & FULL_ADDRESS:
            half = 1 << (self._address_bits - 1)
            difference = (shifted - self._last + half) % (2 * half) - half
        self._last = shifted
        if self._drafted or not self._options & IMPLICIT_RETURN:
            depth = None
        values = {
            "address": difference,
            "notify": int(notify),
            "updiscon": int(updiscon),
            "irreport": int(depth is not None),
            "irdepth": depth,
            "irets": self._irets * self._ret_open,
            "branches": self._branches,
            "branch_map": self._map,
        }
        index = shifted & ((1 << self.config.cache_size_p) - 1)
        cached = False
        if cache and self._options & JUMP_TARGET_CACHE:
            cached = self._cache.get(index) == shifted and not updiscon
            self._cache[index] = shifted
        if self._drafted and self._counted:
            before, own = self._counted
            self._send(
                "branch_map",
                clause,
                {"branches": 0, "branch_fmt": 1, "branch_count": before - MAX_BRANCHES, "no_mispred": 1},
            )
            alone = {} if own is None else {"branches": 1, "branch_map": int(bool(own))}
            self._send("branch_map" if alone else "address", clause, values | alone)
        elif self._right >= MAX_BRANCHES and not self._drafted:
            self._send_count(0, clause, values | {"branch_fmt": 3 if failed else 2})
        else:
            name = "branch_map" if self._branches else "address"
            if cached and self._shorter("jump_target", name, values | {"index": index}):
                name = "jump_target"
            self._send(name, clause, values | {"index": index})
        self._clear()

    def _shorter(self, one: str, other: str, values: dict[str, Any]) -> bool:
        """Whether the first of two packets has fewer bytes."""
        key = (other, self._options, *values.values())
        known = self._compared.get(key)
        if known is None:
            packets = (self._layouts.packet(name, self._options, values) for name in (one, other))
            first, second = (len(self._payload(packet, self._options)) for packet in packets)
            known = self._compared[key] = first < second
        return known


def _place(step: Change | Segment) -> tuple[int, bool]:
    return (step.row, False) if isinstance(step, Change) else (step.begin_row, True)


def encode(beats: Beats, config: Config) -> EncodedTrace:
    """The packets of one run from reset: retired blocks of one hart, as its trace ingress port carries them; see
    `Encoder`.

    EncoderError if the beats do not fit the configuration.
    """
    return Encoder(config).run(beats)
