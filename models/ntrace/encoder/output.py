# SPDX-License-Identifier: Apache-2.0
"""The sending side of the encoder model: messages in order, what is held back before them, and their times.

Two things are held back in the hope of more of the same: a full HIST (section 9.3) and a branch message
(section 7.11). Every other message flushes them, so that a decoder reads what happened in order.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.input import VENDOR_DATA_SHIFT, vendor_tcode
from rvtrace.models.ntrace.table import TABLES, VENDOR_TCODES, Message, MessageType

RCODE_ICNT, RCODE_HIST, RCODE_REPEATED = 0, 1, 2
ETYPE_OVERRUN, ECODE_PROGRAM, ECODE_OWNERSHIP, ECODE_VENDOR = 0, 4, 8, 0x80
EMPTY_HIST = 1  # the stop bit alone

Branch = tuple[int, tuple[int, ...], int]  # TCODE, values without U-ADDR, target


@dataclass
class EncodedTrace:
    """The messages of one run; of the same length, the clause each was sent under and its row of Beats.

    src_bits, address_bits: how `packed` sends SRC and addresses (`codec.pack`).
    """

    messages: list[Message]
    reasons: list[str]
    beat: list[int]
    src_bits: int = 0
    address_bits: int = 0

    @cached_property
    def packed(self) -> list[bytes]:
        """The bytes of each message."""
        known: dict[tuple[int, tuple[int, ...], int | None], bytes] = {}  # programs loop: most messages come again
        packed = []
        for message in self.messages:
            key = (message.type.tcode, message.values, message.tstamp)  # the source is one and the same
            chunk = known.get(key)
            if chunk is None:
                chunk = known[key] = pack(message, self.src_bits, self.address_bits)
            packed.append(chunk)
        return packed

    @cached_property
    def data(self) -> bytes:
        """The bytes of the whole stream, without idle bytes."""
        return b"".join(self.packed)


@lru_cache(maxsize=1 << 16)
def pattern(hist: int) -> tuple[int, int]:
    """(pattern, rest) of a full HIST, each with its stop bit (9.3): whole periods of the oldest branches, and the rest.

    The period is the smallest of at most half the branches after which every branch repeats; without one it is all of
    them.
    """
    branches = hist.bit_length() - 1
    body = hist ^ 1 << branches
    for period in range(1, branches // 2 + 1):
        if body >> period == body & ((1 << branches - period) - 1):
            break
    else:
        period = branches
    rest = branches % period
    return hist >> rest, 1 << rest | hist & ((1 << rest) - 1)


class Sender:
    """Sends messages and holds back what may repeat (`flush` in docs/reference/ntrace-profile.md)."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self._sync_mode = config.inst_sync_mode
        self._interval = config.sync_interval if config.inst_sync_mode else float("inf")
        self._most = (1 << config.repeat_bits) - 1  # of HREPEAT and B-CNT
        by_name = {kind.name: kind for kind in TABLES[config.variant].values()}
        self._correlation = by_name["ProgTraceCorrelation"]
        self._program_sync = by_name["ProgTraceSync"]
        self._direct, self._direct_sync = by_name["DirectBranch"], by_name["DirectBranchSync"]
        self._branch, self._branch_sync = by_name["IndirectBranch"], by_name["IndirectBranchSync"]
        self._branch_hist = by_name["IndirectBranchHist"]
        self._branch_hist_sync = by_name["IndirectBranchHistSync"]
        self._resource_full, self._error = by_name["ResourceFull"], by_name["Error"]
        self._repeat_branch, self._ownership = by_name["RepeatBranch"], by_name["Ownership"]
        self._vendor = {tcode: TABLES[config.variant][tcode] for tcode in VENDOR_TCODES}
        self._reset_sender()

    def _reset_sender(self) -> None:
        # type, values, clause, row of Beats, row whose time counts
        self._out: list[tuple[MessageType, tuple[int, ...], str, int, int]] = []
        self._row = self._at = 0
        # Counts the unit of inst_sync_mode, messages, cycles or half-words, to when the next periodic sync is due.
        self._clock = 0
        self._due = self._interval
        # What a sync message takes back: the owner last reported, and the return addresses (a push drops the oldest).
        self._own: int | None = None
        self._stack: deque[int] = deque(maxlen=self.config.stack_depth)
        self._hold_nothing()

    def _hold_nothing(self) -> None:
        self._rb: Branch | None = None  # the branch message that RepeatBranch would repeat
        self._rb_count = 0
        self._rep_hist = 0  # a HIST held back, 0 if none: it equals no HIST
        self._rep_count = 0

    # Messages

    def _send(self, kind: MessageType, values: tuple[int, ...], clause: str) -> None:
        if self._rb or self._rep_hist:
            self._flush()
        self._out.append((kind, values, clause, self._row, self._at))
        if self._sync_mode == 1:
            self._clock += 1

    def _send_sync(self, kind: MessageType, values: tuple[int, ...], clause: str) -> None:
        self._send(kind, values, clause)
        self._due = self._clock + self._interval
        self._own = None
        self._stack.clear()  # NT-5

    def _tell(self, kind: MessageType, values: tuple[int, ...], clause: str, target: int, countable: bool) -> None:
        """A branch message without SYNC, or one more for RepeatBranch (7.11, NT-6).

        countable: it may be left out, because Ownership does not follow it.
        """
        if not self.config.repeat_branch:
            self._send(kind, values, clause)
            return
        indirect = kind is not self._direct
        if indirect:
            btype, icnt, uaddr, *hist = values
        branch = (kind.tcode, (btype, icnt, *hist) if indirect else values, target)
        if branch == self._rb and countable:
            self._rb_count += 1
            if self._rb_count == self._most:
                self._at = self._row
                self._flush("NT.V.hrepeat")
            return
        self._send(kind, values, clause)
        if not indirect or uaddr == 0:
            self._rb = branch

    def _send_vendor(self, pulses: int) -> None:
        """Passed through beside the trace: it flushes nothing and is not counted."""
        kind = self._vendor[vendor_tcode(pulses)]
        self._out.append((kind, (pulses >> VENDOR_DATA_SHIFT,), "NT.6.1.vendor", self._row, self._at))

    def _error_last(self) -> bool:
        """NT-14: after an Error nothing but a synchronizing message may be sent."""
        return bool(self._out) and self._out[-1][0] is self._error

    # What is held back

    def _hold(self, hist: int) -> int:
        """Take whole patterns of a full HIST; returns the HIST that stays (9.3)."""
        self._flush()
        self._rep_hist, rest = pattern(hist)
        self._rep_count = 1
        return rest

    def _hold_again(self) -> None:
        """The HIST that is held came once more."""
        self._rep_count += 1
        if self._rep_count == self._most:
            self._flush("NT.V.hrepeat")

    def _flush(self, clause: str = "") -> None:
        """Send what is held back. clause: of the cause, if it is not the next message."""
        branches, hist, count = self._rb_count, self._rep_hist, self._rep_count
        self._hold_nothing()  # first: these messages are sent like any other
        if branches:
            self._send(self._repeat_branch, (branches,), clause or "NT.7.11.repeat")
        elif count == 1:
            self._send(self._resource_full, (RCODE_HIST, hist), clause or "NT.8.3.1.hist_full")
        elif count:
            whole = hist.bit_length() == self.config.hist_bits
            clause = clause or ("NT.9.3.repeated_history" if whole else "NT.9.3.pattern")
            self._send(self._resource_full, (RCODE_REPEATED, hist, count), clause)

    # Overflow

    def _discard(self, sent: int) -> int:
        """Messages from number `sent` on are lost; returns what ECODE says of that (7.4)."""
        kinds = [message[0] for message in self._out[sent:]]
        del self._out[sent:]
        self._hold_nothing()
        ecode = ECODE_PROGRAM
        if self._ownership in kinds:
            ecode |= ECODE_OWNERSHIP
        if any(kind.tcode in VENDOR_TCODES for kind in kinds):
            ecode |= ECODE_VENDOR
        return ecode

    # The result

    def _trace(self, tstamp: np.ndarray) -> EncodedTrace:
        """The messages with SRC and TSTAMP. tstamp: the time of each row."""
        config = self.config
        kinds, values, reasons, beat, at = map(list, zip(*self._out)) if self._out else ([], [], [], [], [])
        src = config.src_id if config.source_bits else 0
        if config.timestamp:
            stamps = _stamps([kind.has_sync for kind in kinds], tstamp[np.array(at, int)].tolist())
            messages = [Message(k, v, -1, src, stamp) for k, v, stamp in zip(kinds, values, stamps)]
        elif src:
            messages = [Message(k, v, -1, src) for k, v in zip(kinds, values)]
        else:
            messages = list(map(Message, kinds, values))
        return EncodedTrace(messages, reasons, beat, config.source_bits, config.address_bits)


def _stamps(absolute: list[bool], times: list[int]) -> list[int]:
    """TSTAMP of each message: the time itself, else what it is later than the time last reported (8.7, NT-15)."""
    told, stamps = 0, []
    for whole, time in zip(absolute, times):
        if whole:
            told = time
            stamps.append(time)
        else:
            later = max(0, time - told)
            told += later
            stamps.append(later)
    return stamps
