# SPDX-License-Identifier: Apache-2.0
"""Bytes of an encoder that deviates from the specification in a known way, rewritten as the specification has them.

A rewriting has up to three parts, which are taken back in this order: what happened to the bytes, how messages were
laid out in them (another table of messages), and what the values of fields meant.

    written = rewrite(data, Rules(config, program), dialects)
    written.data                  bytes in the standard layout, for a decoder and for every check
    written.origin[offset]        where each of them was in the trace

A message that no dialect changes keeps its bytes, and what cannot be read in the deviating layout either is passed
through as it is, so that it is found as damage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from rvtrace.models.common import messages
from rvtrace.models.common.messages import MOST_BITS, VARIABLE, Field, FieldError, Table
from rvtrace.models.ntrace.codec import pack, runs_of
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import SRC, TABLES, TCODE_BITS, Message, MessageType, unknown_type
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.diagnosis.operators import Change
from rvtrace.scoreboards.diagnosis.search import Dialect

IDLE = 0xFF
LONGEST = 80  # bytes of a message that is read; the longest legal one has 38, a deviation may lengthen it
RESERVED = 63  # a TCODE that no message has
TCODE = Field("TCODE", TCODE_BITS, key="code")  # in `sent_table`; the selector of a message has the key "tcode"


class Moved(NamedTuple):
    """Bytes and the offset that each of them had. changed: how many messages (or stray bytes) are other than they were
    sent. first: whether the first is among them.
    """

    data: bytes
    origin: np.ndarray
    changed: int = 0
    first: bool = False


@dataclass(frozen=True)
class Rules:
    """What a dialect may know: the options, and the program that was traced (None where no program was given)."""

    config: Config
    program: Program | None = None


Bytes = Callable[[bytes], Moved]
Value = Callable[[Message], Message]
Absent = Callable[[Config], dict[str, int]]  # values of fields that are not sent, by key


@dataclass(frozen=True)
class Rewriting:
    """How a dialect is taken back. data: of the bytes. table: the device's messages, of `sent_table`. absent: what the
    fields mean that it does not send. value: makes a function that is called with each message in order.
    """

    data: Bytes | None = None
    table: Change | None = None
    absent: Absent | None = None
    value: Callable[[Rules], Value] | None = None


@lru_cache(maxsize=8)
def sent_table(variant: str) -> Table[MessageType]:
    """The messages as they are sent: TCODE is a field as any other, and no value is too long."""
    table = TABLES[variant]

    def sent(one: Field) -> Field:
        most = one.max_bits if isinstance(one.max_bits, int) else 0
        return replace(one, max_bits=max(most, MOST_BITS))

    made = (m.with_fields((TCODE, *map(sent, m.fields))) for m in table.messages)
    return replace(table, messages=tuple(made))


@lru_cache(maxsize=1024)
def _device_table(variant: str, changes: tuple[Change, ...]) -> Table[MessageType]:
    table = sent_table(variant)
    for change in changes:
        table = change(table)
    return table


class Piece(NamedTuple):
    """Bytes between two message ends: offset, and whether they can be a message (not idle, nor without an end)."""

    offset: int
    raw: bytes
    whole: bool


def pieces(data: bytes) -> Iterable[Piece]:
    """The messages and the idle bytes of a stream."""
    begin = 0
    for index, byte in enumerate(data):
        if byte & 3 == 3:
            raw = data[begin : index + 1]
            yield Piece(begin, raw, raw != b"\xff")
            begin = index + 1
    if begin < len(data):
        yield Piece(begin, data[begin:], False)


class Layout:
    """The messages of one configuration as a device lays them out, by the TCODE that is sent.

    changed: TCODEs whose messages are other ones than by the specification.
    """

    def __init__(self, rules: Rules, rewritings: Iterable[Rewriting]) -> None:
        config, chosen = rules.config, list(rewritings)
        self._config, self._standard = config, TABLES[config.variant].by_name
        self._absent: dict[str, int] = {}
        for one in chosen:
            self._absent |= {} if one.absent is None else one.absent(config)
        due = sent_table(config.variant).by_code
        changes = tuple(one.table for one in chosen if one.table is not None)
        self._kinds = _device_table(config.variant, changes).by_code
        self._tcodes = {*due, *self._kinds}
        self.changed = {tcode for tcode in self._tcodes if self._kinds.get(tcode) != due.get(tcode)}
        self._places = {self._place(kind) for kind in self._kinds.values()}
        self.moves_tcode = self._places != {(0, TCODE_BITS)}  # it is not the first six bits

    def _place(self, kind: MessageType) -> tuple[int, int]:
        """Where TCODE is in the first run of bits, and its width."""
        at, config = 0, self._config
        for one in kind.fields:
            width = one.bits(config, {})
            if one.key == TCODE.key:
                return at, width
            if width == VARIABLE:
                break
            at += width
        return 0, TCODE_BITS

    def head(self, piece: Piece) -> int:
        """The TCODE of a piece; -1 if it has none of this layout."""
        bits = sum((byte >> 2) << 6 * n for n, byte in enumerate(piece.raw[:4]))
        for at, width in self._places:
            tcode = bits >> at & ((1 << width) - 1)
            if tcode in self._tcodes:
                return tcode
        return -1

    def read(self, piece: Piece) -> Message | None:
        """The message of a piece; None if it is none in this layout."""
        tcode = self.head(piece) if piece.whole and len(piece.raw) <= LONGEST else -1
        if tcode < 0:
            return None
        kind = self._kinds.get(tcode)
        if kind is None:
            return Message.of(unknown_type(RESERVED), {}, piece.offset)
        runs = runs_of(piece.raw)
        try:
            found = messages.unpack(kind.fields, runs, self._config, self._absent)
        except (FieldError, KeyError):  # a field decides about one before it
            return None
        left = len(runs) - found.runs
        if left > 1 or (left and (not found.at or runs[-1][0] >> found.at)):
            return None  # a field too many, or more bits than padding
        return self._message(self._standard[kind.name], found.values, piece.offset)

    def _message(self, kind: MessageType, values: dict[str, int | None], offset: int) -> Message | None:
        """The standard message; None if it needs a field of which nobody knows what it means."""
        own: dict[str, int | None] = {}
        for one in kind.fields:
            if not one.bits(self._config, own):
                continue
            value = values.get(one.key, self._config.src_id if one.key == SRC.key else None)
            if value is None:
                if one.optional:
                    continue
                return None
            own[one.key] = value
        return Message.of(kind, own, offset)


def rewrite(data: bytes, rules: Rules, dialects: Sequence[Dialect]) -> Moved:
    """The bytes in the standard layout, and where they were."""
    chosen = [dialect.rewriting for dialect in dialects]
    origin = np.arange(len(data), dtype=np.int64)
    changed, first = 0, False
    for one in chosen:
        if one.data is not None:
            moved = one.data(data)
            same = len(moved.data) == len(data)
            changed += sum(a != b for a, b in zip(data, moved.data)) if same else abs(len(data) - len(moved.data))
            first |= data[:1] != moved.data[:1]
            data, origin = moved.data, origin[moved.origin]
    layout = Layout(rules, chosen)
    makers = [one.value for one in chosen if one.value is not None]
    if not layout.changed and not makers:
        return Moved(data, origin, changed, first)
    values = [make(rules) for make in makers]
    out, places = bytearray(), []
    for piece, plain in _plain(data, rules):
        made = plain
        if layout.moves_tcode or layout.head(piece) in layout.changed:
            made = layout.read(piece)
        for value in values:
            made = value(made) if made is not None else None
        raw = piece.raw
        if made is not None and (plain is None or not plain.same(made)):
            raw = (
                _packed(made, rules.config) or raw
                if made.tcode != RESERVED
                else bytes((RESERVED << 2 | raw[0] & 3,)) + raw[1:]
            )
        if raw is not piece.raw:
            changed, first = changed + 1, first or not out
        out += raw
        places.append(piece.offset + np.minimum(np.arange(len(raw)), len(piece.raw) - 1))
    return Moved(bytes(out), origin[np.concatenate(places)] if places else origin[:0], changed, first)


@lru_cache(maxsize=16)
def _plain(data: bytes, rules: Rules) -> list[tuple[Piece, Message | None]]:
    """The pieces of a stream, and the messages that they are in the standard layout."""
    layout = Layout(rules, ())
    return [(piece, layout.read(piece)) for piece in pieces(data)]


def _packed(message: Message, config: Config) -> bytes | None:
    top = (1 << config.xlen - 1) - 1  # of an address: units and extension leave more
    addresses = {f.key: value & top for f in message.type.fields if f.is_address and (value := message.get(f.key))}
    try:
        return pack(message.replaced(**addresses), config=config)
    except ValueError:
        return None


def with_field(message: Message, key: str, value: int) -> Message:
    """The message with another value of one of its fields."""
    return message.replaced(**{key: value})
