# SPDX-License-Identifier: Apache-2.0
"""Messages to bytes and back: the transmission protocol of chapter 3.

A byte is MDO[5:0] << 2 | MSEO[1:0]. A message starts with MSEO=00; 01 ends a variable-length field, 11 the
message; 0xFF between messages is idle. `pack` makes bytes, `Unpacker` reads any bytes whatever they are, in
memory bounded by `MAX_CUSTOM` and a number of messages. What is custom (a vendor-defined message, or ResourceFull
with a vendor's RCODE) may have any fields, larger than those of the standard (chapter 3): of those that are not
understood, TCODE and SRC are reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rvtrace.models.common import messages
from rvtrace.models.common.messages import FieldError, Table
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import (
    MDO_BITS,
    RCODE,
    RESERVED_RCODES,
    SRC,
    TABLES,
    TCODE_BITS,
    VENDOR_TCODES,
    Message,
    MessageType,
    unknown_type,
)

MAX_MESSAGE = 64  # bytes kept of one message; the longest legal one has 38 (section 3)
MAX_CUSTOM = 4096  # the same of a custom one. The text has no bound for them; a decoder needs one, this is ours
_MOST_KNOWN = 1 << 12  # messages that a reader keeps, to know them when they come again
_IDLE = 0xFF


class Damage(NamedTuple):
    """Bytes that are no message: where, how many, why, and the requirement they break."""

    offset: int
    length: int
    reason: str
    clause: str


class _Sent(NamedTuple):
    """What packing asks of a configuration if none is given: that a value is there says that its option is on."""

    source_bits: int
    address_bits: int

    def __getattr__(self, name: str) -> int:
        return 1


def pack(message: Message, src_bits: int = 0, address_bits: int = 0, config: Config | None = None) -> bytes:
    """The bytes of one message (3.1, 3.2; NT-7: a variable field of value 0 on a byte boundary takes one byte).

    src_bits: width of SRC. address_bits: if not 0, MDO groups at the top of an address are left out where the decoder
    gets them back by extending the last bit sent to so many bits (8.2). config: of the encoder, in place of both.
    ValueError if a value does not fit its fixed-length field.
    """
    kind, values = message.type, message.by_key()
    fields = [f for f in kind.fields if f.key in values or f.present is messages.always]
    try:
        runs = messages.pack(fields, values, config or _Sent(src_bits, address_bits), kind.tcode, TCODE_BITS)
    except FieldError as error:
        raise ValueError(f"{kind.name}.{error}") from None
    out = bytearray()
    for number, length in runs[:-1]:
        _end_field(out, number, length, 1)
    _end_field(out, *runs[-1], 3)
    return bytes(out)


def _end_field(out: bytearray, acc: int, nbits: int, mseo: int) -> None:
    """Append all but the last MDO group with MSEO=00, the last with `mseo`."""
    while nbits > MDO_BITS:
        out.append((acc & 0x3F) << 2)
        acc >>= MDO_BITS
        nbits -= MDO_BITS
    out.append(acc << 2 | mseo)


class Unpacker:
    """Reads a byte stream of one configuration; feed it in pieces of any size.

    on_message and on_damage are called in the order of the stream. After damage it goes on after the next byte with
    MSEO=11 (NT-16). A stream that was cut at the front (wrapped buffer) is damage up to the first message end
    unless it happens to start with a message.
    """

    def __init__(
        self,
        config: Config,
        on_message: Callable[[Message], None],
        on_damage: Callable[[Damage], None],
        table: Table[MessageType] | None = None,
    ) -> None:
        self._table = (table or TABLES[config.variant]).by_code
        self._config = config
        self._on_message = on_message
        self._on_damage = on_damage
        self._raw = bytearray()  # the open message
        self._known: dict[bytes, Message] = {}  # programs loop: most messages come again
        self._start = 0  # its offset
        self._offset = 0  # of the next byte
        self._skip: tuple[int, str, str] | None = None  # where damage began, why, clause

    def feed(self, data: bytes) -> None:
        """Take the next bytes of the stream."""
        raw, base = self._raw, self._offset
        for index, byte in enumerate(data):
            mseo = byte & 3
            if self._skip is not None:
                if mseo == 3:
                    self._end_skip(base + index + 1)
            elif not raw:
                if mseo == 0:
                    self._start = base + index
                    raw.append(byte)
                elif byte != _IDLE:
                    self._begin_skip(base + index, base + index + 1, mseo, "no message is open")
            elif mseo == 2:
                self._begin_skip(self._start, base + index + 1, mseo, "MSEO=10 is reserved")
            else:
                raw.append(byte)
                if len(raw) > MAX_MESSAGE and len(raw) > (most := MAX_CUSTOM if self._is_custom() else MAX_MESSAGE):
                    self._skip = (self._start, f"a message of more than {most} bytes", "NT.3.max_message")
                    raw.clear()
                    if mseo == 3:
                        self._end_skip(base + index + 1)
                elif mseo == 3:
                    self._parse()
        self._offset = base + len(data)

    @property
    def is_open(self) -> bool:
        """Whether the bytes so far end inside a message, or inside damage."""
        return self._skip is not None or bool(self._raw)

    def skip(self, count: int) -> None:
        """So many bytes of whole messages were read elsewhere."""
        self._offset += count

    def finish(self) -> None:
        """End of the stream: an open message is damage (a truncated trace)."""
        if self._skip is None and self._raw:
            self._skip = (self._start, "the stream ends inside a message", "NT.3.1.end")
        if self._skip is not None:
            self._end_skip(self._offset)
        self._raw.clear()

    def _begin_skip(self, start: int, end: int, mseo: int, reason: str) -> None:
        self._raw.clear()
        self._skip = (start, f"MSEO={mseo:02b}: {reason}", "NT.3.1.mseo")
        if mseo == 3:
            self._end_skip(end)

    def _end_skip(self, end: int) -> None:
        assert self._skip is not None
        start, reason, clause = self._skip
        self._skip = None
        self._on_damage(Damage(start, end - start, reason, clause))

    def _is_custom(self) -> bool:
        """Whether a vendor laid out the open message, of which there are some bytes."""
        tcode = self._raw[0] >> 2
        if tcode in VENDOR_TCODES:
            return True
        kind = self._table.get(tcode)
        if kind is None or RCODE.key not in kind.index:
            return False
        before = kind.fields[: kind.index[RCODE.key] + 1]
        runs = runs_of(self._raw[:MAX_MESSAGE] + b"\x03")
        try:
            return messages.unpack(before, runs, self._config, at=TCODE_BITS).values[RCODE.key] in RCODE.vendor
        except FieldError:
            return False

    def _unknown(self, tcode: int, number: int, length: int) -> Message:
        """A message of which only TCODE and SRC are known (3.2: SRC is the second field of every message)."""
        bits = self._config.source_bits
        src = number >> TCODE_BITS & (1 << bits) - 1 if length - TCODE_BITS >= bits else 0
        return Message.of(unknown_type(tcode), {SRC.key: src}, self._start)

    def _parse(self) -> None:
        tcode = self._raw[0] >> 2
        try:
            message = self._message(tcode)
        except FieldError as error:
            if tcode in VENDOR_TCODES:  # laid out by another vendor; a first field that is longer ends there
                self._on_message(self._unknown(tcode, *runs_of(self._raw[:MAX_MESSAGE] + b"\x03")[0]))
            else:
                self._on_damage(Damage(self._start, len(self._raw), *_complaint(self._table[tcode], error)))
        else:
            self._on_message(message)
        self._raw.clear()

    def _message(self, tcode: int) -> Message:
        raw = bytes(self._raw)
        if (known := self._known.get(raw)) is not None:
            return Message(known.type, known.values, self._start)
        runs = runs_of(raw)
        kind = self._table.get(tcode)
        if kind is None:
            return self._unknown(tcode, *runs[0])
        found = messages.unpack(kind.fields, runs, self._config, at=TCODE_BITS)
        left = len(runs) - found.runs
        if left and found.values.get(RCODE.key) not in RESERVED_RCODES:
            raise FieldError(kind.fields[-1], "left", f"has {left} field(s) too many")
        message = Message.of(kind, found.values, self._start)
        if len(self._known) < _MOST_KNOWN and len(raw) <= MAX_MESSAGE:
            self._known[raw] = message
        return message


def _complaint(kind: MessageType, error: FieldError) -> tuple[str, str]:
    """What is wrong with a message, and the requirement that it breaks."""
    text = f"{kind.name}.{error}" if error.reason in ("empty", "long") else f"{kind.name} {error}"
    clause = "NT.6.2.max_field" if error.reason == "long" else f"NT.{kind.section}.fields"
    return text, error.field.clause if error.reason in ("cut", "missing") and error.field.key == SRC.key else clause


def runs_of(raw: bytes | bytearray) -> list[messages.Run]:
    """(value, bits) of each run of bytes up to one with MSEO 01 or 11."""
    groups = []
    acc = nbits = 0
    for byte in raw:
        acc |= (byte >> 2) << nbits
        nbits += MDO_BITS
        if byte & 1:
            groups.append((acc, nbits))
            acc = nbits = 0
    return groups


def unpack(data: bytes, config: Config, table: Table[MessageType] | None = None) -> tuple[list[Message], list[Damage]]:
    """All messages and all damage of a complete stream. table: of the messages, by default that of the variant."""
    found: list[Message] = []
    damages: list[Damage] = []
    unpacker = Unpacker(config, found.append, damages.append, table)
    unpacker.feed(data)
    unpacker.finish()
    return found, damages
