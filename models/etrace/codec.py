# SPDX-License-Identifier: Apache-2.0
"""Packets to payload bytes and back (payload chapter): fields LSB first, status bits as XOR chains, sign-based
compression.

`pack` makes the shortest payload; `unpack` takes any bytes and either gives a packet or says in a `PacketError` why
there is none.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import MAX_PAYLOAD, TABLES, Format, Packet, formats

FORMAT_BITS = 2


class PacketError(ValueError):
    """Bytes that are no packet of this configuration; the text says what is wrong with them."""


def bits(packet: Packet, config: Config, options: dict[str, int] | None = None) -> tuple[int, int]:
    """(the whole payload as a number, its length in bits) before compression; ValueError if a value does not fit its
    field.
    """
    values: dict[str, Any] = packet.values | {"options": options or config.options}
    payload, length = values["format"], FORMAT_BITS
    for name, width, kind, signed in formats(config.variant)[packet.name].fields:
        n = width(config, values)
        if not n:
            continue
        value = values.get(name, 0)
        before = payload >> (length - 1) & 1
        if kind == "flag":
            value ^= before
        elif kind == "filled" and not values["irreport"]:
            value = before * ((1 << n) - 1)
        elif kind == "options" and config.ioptions_layout:
            value = config.sent_ioptions(value)
        elif signed:
            value &= (1 << n) - 1
        if value is None or value >> n:
            raise ValueError(f"{packet.name}.{name}={value} does not fit its {n} bits")
        payload |= value << length
        length += n
    return payload, length


def compress(payload: int, length: int) -> bytes:
    """The fewest bytes, at least one, that sign-extend to a payload of so many bits."""
    sign = payload >> (length - 1) & 1
    size = (length + 7) // 8
    if sign:
        payload |= (1 << 8 * size) - (1 << length)
        need = ((1 << 8 * size) - 1 - payload).bit_length() + 1
    else:
        need = payload.bit_length() + 1
    used = min(size, (need + 7) // 8) or 1
    return (payload & ((1 << 8 * used) - 1)).to_bytes(used, "little")


def pack(packet: Packet, config: Config, options: dict[str, int] | None = None) -> bytes:
    """The payload of a packet. options: those in force, by default the configuration's."""
    return compress(*bits(packet, config, options))


@cache
def _by_format(variant: str) -> dict[tuple[int, int | None], Format]:
    return {(f.select["format"], f.select.get("subformat")): f for f in TABLES[variant]}


def _format(payload: int, config: Config, options: dict[str, int]) -> tuple[Format, int | None]:
    number = payload & 3
    known = _by_format(config.variant)
    if (number, None) in known:
        return known[number, None], None
    if number == 3:
        subformat = payload >> FORMAT_BITS & 3
    elif not config.f0s_width_p:
        subformat = 0 if options["branch_prediction"] else 1
    else:
        subformat = payload >> FORMAT_BITS & ((1 << config.f0s_width_p) - 1)
    found = known.get((number, subformat))
    if found is None or (number == 0 and not options[("branch_prediction", "jump_target_cache")[subformat]]):
        raise PacketError(
            f"format {number} subformat {subformat} is not in use in this configuration ({config.variant})"
        )
    return found, subformat


def unpack(data: bytes, config: Config, options: dict[str, int] | None = None) -> Packet:
    """The packet of one payload. PacketError if it is none, or longer than its fields."""
    if not 1 <= len(data) <= MAX_PAYLOAD:
        raise PacketError(f"a payload of {len(data)} bytes; it has 1 to {MAX_PAYLOAD}")
    options = options or config.options
    given = int.from_bytes(data, "little")
    payload = given if not data[-1] >> 7 else given - (1 << 8 * len(data))  # sign-extended without end
    layout, subformat = _format(payload & ((1 << 64) - 1), config, options)
    values: dict[str, Any] = {"format": payload & 3, "options": options}
    if subformat is not None:
        values["subformat"] = subformat
    at = FORMAT_BITS
    for name, width, kind, signed in layout.fields:
        n = width(config, values)
        if not n:
            continue
        value = payload >> at & ((1 << n) - 1)
        before = payload >> (at - 1) & 1
        if kind == "flag":
            value ^= before
        elif kind == "filled" and not values["irreport"] and value == before * ((1 << n) - 1):
            value = None
        elif kind == "options":
            value = config.read_ioptions(value)
        elif signed and not options["full_address"] and value >> (n - 1):
            value -= 1 << n
        values[name] = value
        at += n
    if len(data) > (at + 7) // 8 or payload >> at != (-1 if payload >> (at - 1) & 1 else 0):
        raise PacketError(f"{layout.name}: {len(data)} bytes hold more than its {at} bits; the rest must be its sign")
    del values["options"]
    return Packet(layout.name, values)


def is_shortest(data: bytes) -> bool:
    """Whether no byte of a payload could be left out."""
    return len(data) < 2 or data[-1] not in (0, 0xFF) or (data[-2] >> 7) != (data[-1] >> 7)
