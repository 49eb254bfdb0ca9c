# SPDX-License-Identifier: Apache-2.0
"""Messages as columns, and where each of them appeared: what the exact and the legal check share.

`MessageTable` makes one int64 column per field so that a rule is one numpy expression over all messages; `Locator`
turns a message index into the cycle, PC and surroundings that a failure message shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import compress

import numpy as np

from rvtrace.models.common.messages import Field
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder import kernel as k
from rvtrace.models.ntrace.decoder.message_log import Messages
from rvtrace.models.ntrace.table import SHARED, SRC, TABLES, TSTAMP, Message
from rvtrace.scoreboards.common.places import Places, Rows, following

ABSENT = -1  # in a column: the message has no such field
_POWERS = 1 << np.arange(63, dtype=np.int64)  # as many are not above a value as it has bits
_WIDE = 2**63 - 1  # columns keep the low 63 bits of PROCESS, DATA and a vendor's RDATA

TC_OWNERSHIP, TC_DIRECT, TC_INDIRECT, TC_ERROR, TC_SYNC = 2, 3, 4, 8, 9
TC_DIRECT_SYNC, TC_INDIRECT_SYNC, TC_FULL, TC_HIST, TC_HIST_SYNC = 11, 12, 27, 28, 29
TC_REPEAT, TC_CORRELATION = 30, 33
SYNC_TCODES = (TC_SYNC, TC_DIRECT_SYNC, TC_INDIRECT_SYNC, TC_HIST_SYNC)
BRANCHES = (TC_DIRECT, TC_INDIRECT, TC_HIST)  # branch messages that have a counterpart with SYNC
FIRST_VENDOR = 56
STARTS = (3, 5, 7, 9)  # SYNC where tracing begins (table 25)


class MessageTable:
    """Columns of n messages: tcode, offset, and each field by its key (int64, ABSENT where there is none).

    src: SRC, 0 where there is none. counts: of values beside SRC and TSTAMP. timed: which have TSTAMP; tstamp: uint64,
    0 where there is none; timed_bits: the bits it takes; time: uint64, the time reported so far (8.7).
    """

    def __init__(self, messages: Sequence[Message]) -> None:
        self.messages = messages
        n = len(messages)
        self.tcode, self.offset, self.counts, self.timed_bits = (np.zeros(n, dtype=np.int64) for _ in range(4))
        self.tstamp = np.zeros(n, dtype=np.uint64)
        self._columns: dict[str, np.ndarray] = {}
        if isinstance(messages, Messages):
            self._take_rows(messages)
            self._take(np.array(messages.odd, dtype=np.int64))
        else:
            self._take(np.arange(n))
        self.src = np.maximum(self[SRC.key], 0)
        self.timed = self[TSTAMP.key] != ABSENT
        self.time = self._times()

    def _column(self, key: str) -> np.ndarray:
        """The column of a field of some message here."""
        if key not in self._columns:
            self._columns[key] = np.full(len(self.messages), ABSENT, dtype=np.int64)
        return self._columns[key]

    def _take_rows(self, log: Messages) -> None:
        """All messages whose fields the decoder has kept as integers."""
        rows, keep = log.rows(), np.ones(len(log), dtype=bool)
        keep[log.odd] = False
        numbers = np.flatnonzero(keep)
        self.tcode[numbers], self.offset[numbers] = rows[numbers][:, [k.TCODE, k.BYTE]].T
        kinds = self.tcode[numbers]
        for tcode in np.unique(kinds).tolist():
            at = numbers[kinds == tcode]
            for key, cell in log.columns(tcode).items():
                values = rows[at, cell]
                self._column(key)[at] = values
                if key not in SHARED:
                    self.counts[at] += values != ABSENT
        stamp = self._column(TSTAMP.key)
        self.tstamp[:] = np.maximum(stamp, 0).astype(np.uint64)
        self.timed_bits[:] = np.searchsorted(_POWERS, stamp, side="right")

    def _take(self, at: np.ndarray) -> None:
        """The messages with these numbers, one by one."""
        some = [self.messages[index] for index in at.tolist()]
        n = len(some)
        tcodes = np.fromiter((m.type.tcode for m in some), np.int64, n)
        self.tcode[at] = tcodes
        self.offset[at] = np.fromiter((m.offset for m in some), np.int64, n)
        self.counts[at] = np.fromiter((len(m.body) for m in some), np.int64, n)
        stamps = [m.tstamp or 0 for m in some]
        self.tstamp[at] = np.fromiter((stamp & 2**64 - 1 for stamp in stamps), np.uint64, n)
        self.timed_bits[at] = np.fromiter((stamp.bit_length() for stamp in stamps), np.int64, n)
        for kind in {id(m.type): m.type for m in some}.values():
            where = np.fromiter((m.type is kind for m in some), bool, n)
            rows = [m.values for m in compress(some, where.tolist())]
            for key, values in zip(kind.keys, zip(*rows)):
                self._column(key)[at[where]] = [ABSENT if value is None else value & _WIDE for value in values]

    def _times(self) -> np.ndarray:
        total = np.cumsum(self.tstamp, dtype=np.uint64)
        absolute = np.flatnonzero((self["sync"] != ABSENT) & self.timed)
        if not len(absolute):
            return total
        last = np.searchsorted(absolute, np.arange(len(self)), side="right") - 1
        base = np.where(last < 0, np.uint64(0), (total - self.tstamp)[absolute[np.maximum(last, 0)]])
        return total - base

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, key: str) -> np.ndarray:
        if key not in self._columns and not any(key in table.fields for table in TABLES.values()):
            raise KeyError(f"no message has a field {key}")
        return self._column(key)

    @cached_property
    def sync(self) -> np.ndarray:
        """Mask of the synchronizing messages."""
        return self["sync"] != ABSENT

    @cached_property
    def addresses(self) -> list[int | None]:
        """The address that each message reports, without bit 0; None of one that has none."""
        found: list[int | None] = []
        reference = 0
        for full, part in zip(self["faddr"].tolist(), self["uaddr"].tolist()):
            if full == part == ABSENT:
                found.append(None)
                continue
            reference = full if full != ABSENT else reference ^ part
            found.append(reference)
        return found

    def behind(self, mask: np.ndarray, first: bool = False) -> np.ndarray:
        """Mask of the messages that follow one of `mask`, vendor-defined ones between them not counted; first: the
        first one too.
        """
        return following(mask, self.tcode < FIRST_VENDOR, first)

    def is_a(self, *tcodes: int) -> np.ndarray:
        """Mask of the messages with one of these TCODEs."""
        return np.isin(self.tcode, tcodes)


def lengths(data: bytes, offsets: np.ndarray) -> np.ndarray:
    """Bytes of the message that starts at each offset: up to the first byte with MSEO=11."""
    ends = np.flatnonzero((np.frombuffer(data, np.uint8) & 3) == 3)
    if not len(ends) or not len(offsets):
        return np.zeros(len(offsets), dtype=np.int64)
    return ends[np.minimum(np.searchsorted(ends, offsets), len(ends) - 1)] - offsets + 1


def field_text(spec: Field, value: int | None) -> str:
    """A field's value as a failure message shows it."""
    if value is None:
        return "-"
    if spec.is_address:
        return f"{value:#x} (address {value << 1:#x})"
    if not isinstance(spec.form, str) or spec.form == "hist":
        return f"{value} ({value:#b})"
    return str(value)


def compare_fields(expected: Message | None, actual: Message | None) -> list[tuple[str, str, str]]:
    """(field, expected, actual) rows of two messages, either of which may be missing."""
    if expected is None and actual is None:  # the bytes of both are in the headline
        return []
    rows = [("message", expected.name if expected else "none", actual.name if actual else "none")]
    specs: dict[str, Field] = {}
    for message in (expected, actual):
        if message is not None:
            specs |= {spec.key: spec for spec in message.type.fields}
    for key, spec in specs.items():
        pair = [None if m is None else m.get(key) for m in (expected, actual)]
        if key not in SHARED:
            rows.append((spec.name, field_text(spec, pair[0]), field_text(spec, pair[1])))
    for spec in (SRC, TSTAMP):
        pair = [None if m is None else m.get(spec.key) for m in (expected, actual)]
        if any(pair):
            rows.append((spec.name, field_text(spec, pair[0]), field_text(spec, pair[1])))
    return rows


class Locator(Places):
    """Places messages of one capture."""

    def cycle(self, index: int) -> int | None:
        """Clock cycle in which the message's first byte left, None if it was not observed."""
        out = self.capture.out_cycle
        if out is None or not 0 <= index < len(self.messages):
            return None
        offset = self.messages[index].offset
        return int(out[offset]) if 0 <= offset < len(out) else None

    def label(self, index: int) -> str:
        """`offset: message`."""
        return f"{self.capture.sent_at(self.messages[index].offset):#06x}: {self.messages[index]}"

    def rows(self, index: int) -> Rows:
        """The fields of a message as sent."""
        message = self.messages[index]
        return [(f.name, "", field_text(f, v)) for f in message.type.own if (v := message.get(f.key)) is not None]


def canonical(message: Message, config: Config) -> bytes:
    """The message's bytes as the shortest legal packing gives them."""
    return pack(message, config.source_bits, config.address_bits)
