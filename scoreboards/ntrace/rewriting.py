# SPDX-License-Identifier: Apache-2.0
"""Bytes of an encoder that deviates from the specification in a known way, rewritten as the specification has them.

A rewriting has up to three parts, which are taken back in this order: what happened to the bytes, how messages were
laid out in them, and what the values of fields meant.

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

from rvtrace.models.common.messages import VARIABLE, Field
from rvtrace.models.ntrace.codec import pack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import TABLES, TCODE_BITS, Message, MessageType, unknown_type
from rvtrace.models.riscv.program import Program
from rvtrace.scoreboards.diagnosis.search import Dialect

MDO_BITS = 6
VAR = 0  # width of an item that ends a byte
IDLE = 0xFF
LONGEST = 80  # bytes of a message that is read; the longest legal one has 38, a deviation may lengthen it

RESERVED = 63  # a TCODE that no message has
TCODE, SRC, TSTAMP, JUNK = "tcode", "src", "tstamp", "junk"  # keys beside those of fields; JUNK is dropped


class Item(NamedTuple):
    """One part of a message as it is sent: key and width, VAR if it ends a byte. when: as in `Field`."""

    key: str
    width: int
    is_address: bool = False
    when: tuple[str, tuple[int, ...]] | None = None
    optional: bool = False


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
Lay = Callable[[MessageType, list[Item], Rules], list[Item]]
Value = Callable[[Message], Message]


@dataclass(frozen=True)
class Rewriting:
    """How a dialect is taken back. data: of the bytes. lay: the items of a message type as it is sent, from the
    standard ones. types: TCODEs that mean another type. absent: values of fields that are not sent, by key. value:
    makes a function that is called with each message in order.
    """

    data: Bytes | None = None
    lay: Lay | None = None
    types: tuple[tuple[int, int], ...] = ()
    absent: tuple[tuple[str, int], ...] = ()
    value: Callable[[Rules], Value] | None = None


def standard(kind: MessageType, config: Config) -> list[Item]:
    """The items of a message type as the specification has them (3.2, chapter 7)."""
    items, found = [Item(TCODE, TCODE_BITS)], kind.resolved(config) or []
    for one in found:
        when = None
        if one.by >= 0 and not one.field.optional:
            by = found[one.by]
            when = (by.field.key, tuple(value for value in range(1 << by.width) if one.mask >> value & 1))
        width = VAR if one.width == VARIABLE else one.width
        items.append(Item(one.field.key, width, one.field.is_address, when, one.field.optional))
    return items


@lru_cache(maxsize=64)
def _standard_items(config: Config) -> dict[int, list[Item]]:
    """`standard` of each message of a configuration, by its TCODE: a search asks for them hundreds of times."""
    return {tcode: standard(kind, config) for tcode, kind in TABLES[config.variant].by_code.items()}


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


def fields_of(raw: bytes, items: Sequence[Item], address_bits: int = 0) -> dict[str, int] | None:
    """The values of a message laid out so; None if it is not."""
    values: dict[str, int] = {}
    acc = nbits = at = 0
    ended = True  # no variable-length field is open

    def more() -> bool:
        nonlocal acc, nbits, at, ended
        acc = nbits = 0
        if at >= len(raw):
            return False
        while at < len(raw):
            byte = raw[at]
            acc |= (byte >> 2) << nbits
            nbits += MDO_BITS
            at += 1
            if byte & 1:
                break
        ended = False
        return True

    for item in items:
        if item.when is not None and values.get(item.when[0]) not in item.when[1]:
            continue
        if ended and not more():
            if item.optional:
                break
            return None
        if item.width != VAR:
            if nbits < item.width:
                return None
            values[item.key] = acc & ((1 << item.width) - 1)
            acc >>= item.width
            nbits -= item.width
            continue
        if not nbits:
            return None
        if item.is_address and address_bits > nbits and acc >> (nbits - 1):
            acc |= (1 << address_bits) - (1 << nbits)
        values[item.key] = acc
        ended = True
    return values if at >= len(raw) and (ended or not acc) else None


class Layouts:
    """The message types of one configuration as dialects lay them out, by the TCODE that is sent."""

    def __init__(self, rules: Rules, rewritings: Iterable[Rewriting]) -> None:
        self.rules, chosen = rules, list(rewritings)
        config = rules.config
        table = TABLES[config.variant].by_code
        self.absent = {key: value for one in chosen for key, value in one.absent}
        means = dict(pair for one in chosen for pair in one.types)
        means = {tcode: RESERVED for tcode in means.values() if tcode not in means} | means  # it has that TCODE alone
        due = _standard_items(config)
        self.items: dict[int, tuple[MessageType, list[Item]]] = {}
        for tcode in {*table, *means}:
            kind = table.get(means.get(tcode, tcode))
            if kind is None:
                self.items[tcode] = (unknown_type(RESERVED), [Item(TCODE, TCODE_BITS)])
                continue
            items = due[kind.tcode]
            for one in chosen:
                if one.lay is not None:
                    items = one.lay(kind, items, rules)
            self.items[tcode] = (kind, items)
        self.changed = {
            tcode for tcode, (kind, items) in self.items.items()
            if kind.tcode != tcode or items != due[tcode]
        }  # fmt: skip
        self.same = not self.changed
        widths = {next(item.width for item in items if item.key == TCODE) for _, items in self.items.values()}
        self.tcode_at = {
            (sum(i.width for i in items[: [x.key for x in items].index(TCODE)])) for _, items in self.items.values()
        }
        self.tcode_bits = widths.pop() if len(widths) == 1 else TCODE_BITS

    def head(self, piece: Piece) -> int:
        """The TCODE of a piece; -1 if it has none of this layout."""
        bits = sum((byte >> 2) << MDO_BITS * n for n, byte in enumerate(piece.raw[:4]))
        for place in self.tcode_at:
            tcode = bits >> place & ((1 << self.tcode_bits) - 1)
            if tcode in self.items:
                return tcode
        return -1

    def read(self, piece: Piece) -> Message | None:
        """The message of a piece; None if it is none in this layout."""
        found = self.items.get(self.head(piece)) if piece.whole and len(piece.raw) <= LONGEST else None
        if found is None:
            return None
        if found[0].tcode == RESERVED:
            return Message.of(found[0], {}, piece.offset)
        values = fields_of(piece.raw, found[1], self.rules.config.address_bits)
        return None if values is None else self._message(found[0], values, piece.offset)

    @property
    def moves_tcode(self) -> bool:
        """Whether TCODE is not the first six bits."""
        return self.tcode_at != {0} or self.tcode_bits != TCODE_BITS

    def _message(self, kind: MessageType, values: dict[str, int], offset: int) -> Message | None:
        config = self.rules.config
        own: dict[str, int | None] = {SRC: values.get(SRC, config.src_id) if config.source_bits else 0}
        for field in kind.own:
            if not field.present(config, own):
                continue
            value = values.get(field.key, self._default(kind, field))
            if value is None:
                return None
            own[field.key] = value
        own[TSTAMP] = values.get(TSTAMP) if config.timestamp else None
        return Message.of(kind, own, offset)

    def _default(self, kind: MessageType, field: Field) -> int | None:
        if field.key == "cdf" and "cdf" not in self.absent:
            return None
        return int(self.rules.config.mode == "htm") if field.key == "cdf" else self.absent.get(field.key)


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
    layouts = Layouts(rules, chosen)
    makers = [one.value for one in chosen if one.value is not None]
    if layouts.same and not makers:
        return Moved(data, origin, changed, first)
    values = [make(rules) for make in makers]
    out, places = bytearray(), []
    for piece, plain in _plain(data, rules):
        made = plain
        if layouts.moves_tcode or layouts.head(piece) in layouts.changed:
            made = layouts.read(piece)
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
    layouts = Layouts(rules, ())
    return [(piece, layouts.read(piece)) for piece in pieces(data)]


def _packed(message: Message, config: Config) -> bytes | None:
    try:
        return pack(message, config.source_bits, config.address_bits)
    except ValueError:
        return None


def with_field(message: Message, key: str, value: int) -> Message:
    """The message with another value of one of its fields."""
    return message.replaced(**{key: value})


__all__ = [
    "IDLE", "JUNK", "SRC", "TCODE", "TSTAMP", "Item", "Layouts", "Moved", "Piece", "Rewriting", "Rules", "Value",
    "fields_of", "pieces", "replace", "rewrite", "standard", "with_field",
]  # fmt: skip
