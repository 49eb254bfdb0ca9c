# SPDX-License-Identifier: Apache-2.0
"""Messages to bytes and back: the transmission protocol of chapter 3.

A byte is MDO[5:0] << 2 | MSEO[1:0]. A message starts with MSEO=00; 01 ends a variable-length field, 11 the
message; 0xFF between messages is idle. `pack` makes bytes, `Unpacker` reads any bytes whatever they are, in
memory bounded by `MAX_CUSTOM`. What is custom (a vendor-defined message, or ResourceFull with a vendor's RCODE) may
have any fields, larger than those of the standard (chapter 3): of those that are not understood, TCODE and SRC are
reported.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import (
    RESERVED_RCODES,
    TABLES,
    TCODE_BITS,
    VAR,
    VENDOR_CODES,
    VENDOR_TCODES,
    Field,
    Message,
    MessageType,
    unknown_type,
)

MAX_MESSAGE = 64  # bytes kept of one message; the longest legal one has 38 (section 3)
MAX_CUSTOM = 4096  # the same of a custom one. The text has no bound for them; a decoder needs one, this is ours
RESOURCE_FULL = 27
MDO_BITS = 6
_MAX_FIELD = (1 << 64) - 1
_IDLE = 0xFF


class Damage(NamedTuple):
    """Bytes that are no message: where, how many, why, and the requirement they break."""

    offset: int
    length: int
    reason: str
    clause: str


def pack(message: Message, src_bits: int = 0, address_bits: int = 0) -> bytes:
    """The bytes of one message (3.1, 3.2; NT-7: a variable field of value 0 on a byte boundary takes one byte).

    src_bits: width of SRC. address_bits: if not 0, MDO groups at the top of an address are left out where the decoder
    gets them back by extending the last bit sent to so many bits (8.2).
    ValueError if a value does not fit its fixed-length field.
    """
    out = bytearray()
    acc = message.type.tcode | message.src << TCODE_BITS
    nbits = TCODE_BITS + src_bits
    values = message.values
    last = len(values) - 1 if message.tstamp is None else len(values)
    for index, (spec, value) in enumerate(zip(message.type.fields, values)):
        if spec.width != VAR:
            if value >> spec.width:
                raise ValueError(f"{message.name}.{spec.name}={value} does not fit its {spec.width} bits")
            acc |= value << nbits
            nbits += spec.width
            continue
        width = max(1, value.bit_length())
        if spec.is_address and address_bits:
            width, value = _extended(value, address_bits)
        _end_field(out, acc | value << nbits, nbits + width, 3 if index == last else 1)
        acc = nbits = 0
    if message.tstamp is not None:
        _end_field(out, message.tstamp, max(1, message.tstamp.bit_length()), 3)
    return bytes(out)


def _extended(value: int, bits: int) -> tuple[int, int]:
    """(bits sent, their value): the fewest whole MDO groups whose last bit extends to `value` of so many bits."""
    for width in range(MDO_BITS, bits, MDO_BITS):
        low = value & ((1 << width) - 1)
        if _extend(low, width, bits) == value:
            return width, low
    return bits, value


def _extend(value: int, width: int, bits: int) -> int:
    """The value with its top bit (width - 1) copied up to bit bits - 1."""
    if width < bits and value >> (width - 1):
        value |= (1 << bits) - (1 << width)
    return value


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
        self, config: Config, on_message: Callable[[Message], None], on_damage: Callable[[Damage], None]
    ) -> None:
        self._table = TABLES[config.variant]
        self._src_bits = config.source_bits
        self._address_bits = config.address_bits
        self._has_tstamp = bool(config.timestamp)
        self._on_message = on_message
        self._on_damage = on_damage
        self._raw = bytearray()  # the open message
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
        tcode, code = self._raw[0] >> 2, 0
        for place, byte in enumerate(self._raw[1:4]):  # SRC of at most 12 bits, then RCODE
            code |= (byte >> 2) << MDO_BITS * place
        return tcode in VENDOR_TCODES or tcode == RESOURCE_FULL and code >> self._src_bits & 15 in VENDOR_CODES["rcode"]

    def _unknown(self, tcode: int, acc: int, nbits: int) -> Message:
        """A message of which only TCODE and SRC are known (3.2: SRC is the second field of every message)."""
        src = acc & ((1 << self._src_bits) - 1) if nbits >= self._src_bits else 0
        return Message(unknown_type(tcode), (), self._start, src)

    def _parse(self) -> None:
        try:
            message = self._message()
        except _BadMessage as error:
            tcode = self._raw[0] >> 2
            if tcode in VENDOR_TCODES:  # laid out by another vendor
                acc, nbits = _groups(self._raw[:MAX_MESSAGE] + b"\x03")[0]  # a first field that is longer ends there
                self._on_message(self._unknown(tcode, acc >> TCODE_BITS, nbits - TCODE_BITS))
                self._raw.clear()
                return
            self._on_damage(Damage(self._start, len(self._raw), str(error), error.clause))
        else:
            self._on_message(message)
        self._raw.clear()

    def _message(self) -> Message:
        raw = self._raw
        groups = _groups(raw)
        tcode = raw[0] >> 2
        kind = self._table.get(tcode)
        acc, nbits = groups[0]
        acc >>= TCODE_BITS
        nbits -= TCODE_BITS
        if kind is None:
            return self._unknown(tcode, acc, nbits)
        if nbits < self._src_bits:
            raise _BadMessage(f"{kind.name} has no room for SRC of {self._src_bits} bits", "NT-17")
        src = acc & ((1 << self._src_bits) - 1)
        acc >>= self._src_bits
        nbits -= self._src_bits
        values: list[int] = []
        group = 0
        rcode = acc & 15 if tcode == RESOURCE_FULL else 0
        for spec in kind.fields:
            if spec.when is not None and values[kind.keys.index(spec.when[0])] not in spec.when[1]:
                continue
            if group >= len(groups):
                raise _BadMessage(f"{kind.name} ends before its field {spec.name}", f"NT.{kind.section}.fields")
            if spec.width != VAR:
                if nbits < spec.width:
                    raise _BadMessage(f"{kind.name} ends inside its field {spec.name}", f"NT.{kind.section}.fields")
                values.append(acc & ((1 << spec.width) - 1))
                acc >>= spec.width
                nbits -= spec.width
                continue
            if spec.is_address and self._address_bits:
                acc = _extend(acc, nbits, self._address_bits)
            custom = rcode in VENDOR_CODES["rcode"]  # its RDATA may have any size: 64 bits are reported
            values.append(
                self._variable(kind, spec, acc & _MAX_FIELD if custom else acc, nbits, 64 if custom else spec.max_bits)
            )
            group += 1
            acc, nbits = groups[group] if group < len(groups) else (0, 0)
        if rcode in RESERVED_RCODES:  # what comes after RDATA may be more of it, or TSTAMP
            return Message(kind, tuple(values), self._start, src)
        tstamp = None
        if self._has_tstamp and group < len(groups):
            tstamp = acc
            group += 1
        if group != len(groups):
            raise _BadMessage(f"{kind.name} has {len(groups) - group} field(s) too many", f"NT.{kind.section}.fields")
        return Message(kind, tuple(values), self._start, src, tstamp)

    @staticmethod
    def _variable(kind: MessageType, spec: Field, value: int, nbits: int, most: int) -> int:
        if nbits == 0:
            raise _BadMessage(f"{kind.name}.{spec.name} has no bits", f"NT.{kind.section}.fields")
        if value >> most:
            raise _BadMessage(f"{kind.name}.{spec.name}={value:#x} has more than {most} bits", "NT.6.2.max_field")
        return value


class _BadMessage(ValueError):
    def __init__(self, text: str, clause: str) -> None:
        super().__init__(text)
        self.clause = clause


def _groups(raw: bytes | bytearray) -> list[tuple[int, int]]:
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


def unpack(data: bytes, config: Config) -> tuple[list[Message], list[Damage]]:
    """All messages and all damage of a complete stream."""
    messages: list[Message] = []
    damages: list[Damage] = []
    unpacker = Unpacker(config, messages.append, damages.append)
    unpacker.feed(data)
    unpacker.finish()
    return messages, damages
