# SPDX-License-Identifier: Apache-2.0
"""Deviations in the bytes: the order of bits, idle patterns, and bytes that do not belong to a message (chapter 3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from rvtrace.models.common.messages import VARIABLE
from rvtrace.models.ntrace.table import TABLES
from rvtrace.scoreboards.diagnosis.search import Dialect
from rvtrace.scoreboards.ntrace.rewriting import IDLE, Bytes, Moved, Rewriting


def _mapped(of: Callable[[int], int]) -> Bytes:
    """Every byte by itself."""
    return lambda data: Moved(data.translate(bytes(map(of, range(256)))), np.arange(len(data)))


def _kept(keep: Callable[[bytes], list[int]]) -> Bytes:
    """Some of the bytes."""

    def apply(data: bytes) -> Moved:
        places = keep(data)
        return Moved(bytes(data[place] for place in places), np.array(places, dtype=np.int64))

    return apply


def _reversed(value: int, bits: int) -> int:
    return int(f"{value:0{bits}b}"[::-1], 2)


def _swapped_mseo(byte: int) -> int:
    return byte & 0xFC | (byte & 1) << 1 | byte >> 1 & 1


def _after_each(data: bytes) -> list[int]:
    """Without the byte that follows each message."""
    places, skip, between = [], False, True
    for place, byte in enumerate(data):
        if skip:
            skip = False
            continue
        places.append(place)
        ends = byte & 3 == 3
        skip = ends and not (between and byte == IDLE)
        between = ends
    return places


def _before_each(data: bytes) -> list[int]:
    """Without the byte that precedes each message."""
    return [place + 1 for place in _after_each(data[1:])]


def _idle(value: int) -> Callable[[bytes], list[int]]:
    """Without bytes of a value between messages."""

    def keep(data: bytes) -> list[int]:
        places, between = [], True
        for place, byte in enumerate(data):
            if between and byte == value:
                continue
            places.append(place)
            between = byte & 3 == 3
        return places

    return keep


def _from(first: int) -> Callable[[bytes], list[int]]:
    return lambda data: list(range(first, len(data)))


def _doubled(data: bytes) -> list[int]:
    return list(range(0, len(data), 2))


def _ends_before(data: bytes) -> Moved:
    """MSEO=11 on the first byte of each message instead of its last."""
    out = bytearray(data)
    for place, byte in enumerate(data):
        if byte & 3 == 3:
            out[place] = byte & 0xFC
            if place:
                out[place - 1] = out[place - 1] | 3
    if out:
        out[-1] |= 3
    return Moved(bytes(out), np.arange(len(out)))


def _end_by_idle(data: bytes) -> Moved:
    """The last byte of a message has MSEO=01 as any field's, and an idle byte follows it."""
    out = bytearray(data)
    for place in range(len(out) - 1):
        if out[place] & 3 == 1 and data[place + 1] == IDLE:
            out[place] |= 3
    if out and out[-1] & 3 == 1:
        out[-1] |= 3
    return Moved(bytes(out), np.arange(len(out)))


def _ends_as_fields(data: bytes) -> Moved:
    """Messages with an address end with MSEO=01, as any field: the end is where their last field ends."""
    out = bytearray(data)
    left = -1  # variable-length fields of the message, -1 between messages
    for place, byte in enumerate(data):
        mseo = byte & 3
        if left < 0:
            if byte == IDLE:
                continue
            left = FIELDS.get(byte >> 2, MANY)
        if mseo == 1:
            left -= 1
            if not left:
                out[place] |= 3
        if mseo == 3 or not left:
            left = -1
    return Moved(bytes(out), np.arange(len(out)))


FIELDS = {
    kind.tcode: sum(spec.width == VARIABLE for spec in kind.own)
    for kind in TABLES["v1_0"].by_code.values()
    if any(spec.is_address for spec in kind.fields)
}
MANY = 1 << 20  # more fields than a message has: MSEO=11 alone ends it
_ORDER, _STRAY = "order of bits", "stray"
BYTES = (
    Dialect(
        "mseo_high", "NT.3.3.lsb_first", "MSEO is in bits 7:6 of each byte", "MSEO is in bits 1:0",
        _ORDER, Rewriting(_mapped(lambda b: (b << 2 | b >> 6) & 0xFF)),
    ),
    Dialect(
        "mseo_high_swapped", "NT.3.3.lsb_first", "the bits of each byte are in reverse", "fields are sent LSB first",
        _ORDER, Rewriting(_mapped(lambda b: _reversed(b, 8))),
    ),
    Dialect(
        "mdo_reversed", "NT.3.3.lsb_first", "the bits of MDO are in reverse", "fields are sent LSB first",
        _ORDER, Rewriting(_mapped(lambda b: _reversed(b >> 2, 6) << 2 | b & 3)),
    ),
    Dialect(
        "mseo_swapped", "NT.3.1.mseo", "the two bits of MSEO are swapped, so that fields end with 10",
        "fields end with MSEO=01, and 10 is reserved", "mseo", Rewriting(_mapped(_swapped_mseo)),
    ),
    Dialect(
        "mseo_inverted", "NT.3.1.mseo", "MSEO is inverted", "MSEO=11 ends a message and 00 is inside a field",
        "mseo", Rewriting(_mapped(lambda b: b ^ 3)),
    ),
    Dialect(
        "mseo_end_first", "NT.3.1.message_end", "MSEO=11 is on the first byte of a message",
        "MSEO=11 is on the last byte of a message", "mseo", Rewriting(_ends_before),
    ),
    Dialect(
        "mseo_end_as_field", "NT.3.1.message_end", "messages with an address end with MSEO=01, as fields do",
        "the last byte of a message has MSEO=11", "mseo", Rewriting(_ends_as_fields),
    ),
    Dialect(
        "mseo_no_end", "NT.3.1.message_end", "messages end with MSEO=01 and an idle byte",
        "the last byte of a message has MSEO=11", "mseo", Rewriting(_end_by_idle),
    ),
    Dialect(
        "bytes_doubled", "NT.3.4.idle", "each byte is sent twice", "the bytes of a message follow each other",
        _STRAY, Rewriting(_kept(_doubled)),
    ),
    Dialect(
        "byte_after_each", "NT-16", "one more byte follows each message", "only idle bytes 0xFF are between messages",
        _STRAY, Rewriting(_kept(_after_each)),
    ),
    Dialect(
        "byte_before_each", "NT-16", "one more byte precedes each message", "only idle bytes 0xFF are between messages",
        _STRAY, Rewriting(_kept(_before_each)),
    ),
    *(
        Dialect(
            f"idle_{value:02x}", "NT-16", f"bytes 0x{value:02x} are between messages",
            "idle between messages is 0xFF", _STRAY, Rewriting(_kept(_idle(value))),
        )
        for value in (0x00, 0x03, 0xFC, 0xFD, 0xFE, 0x01, 0x7F, 0xAA, 0x55)
    ),
    *(
        Dialect(
            f"stray_first_{count}", "NT-16", f"the trace begins with {count} stray byte{'s' if count > 1 else ''}",
            "only idle bytes 0xFF are between messages", "first", Rewriting(_kept(_from(count))),
        )
        for count in (1, 2, 3, 4)
    ),
)  # fmt: skip
