# SPDX-License-Identifier: Apache-2.0
"""Packets to payload bytes and back (payload chapter): fields LSB first, status bits as XOR chains, sign-based
compression.

`pack` makes the shortest payload; `unpack` takes any bytes and either gives a packet or says in a `PacketError` why
there is none.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.common import messages
from rvtrace.models.common.messages import FieldError, MessageType
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import FORMAT_BITS, MAX_PAYLOAD, TABLES, Packet, formats

_ENDLESS = 1024  # bits to which a payload is sign-extended: more than a packet can have
# Of format 0: the option that each subformat needs
_OPTIONAL = ("branch_prediction", "jump_target_cache")


class PacketError(ValueError):
    """Bytes that are no packet of this configuration; the text says what is wrong with them."""


def bits(packet: Packet, config: Config, options: dict[str, int] | None = None) -> tuple[int, int]:
    """(the whole payload as a number, its length in bits) before compression; ValueError if a value does not fit its
    field.
    """
    values: dict[str, Any] = packet.values | {"options": options or config.options}
    fields = formats(config.variant)[packet.name].fields
    try:
        return messages.pack(fields, values, config, values["format"], FORMAT_BITS)[-1]
    except FieldError as error:
        raise ValueError(f"{packet.name}.{error}") from None


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


def _type(payload: int, config: Config, options: dict[str, int]) -> MessageType:
    number, table = payload & 3, TABLES[config.variant]
    found = table.select(format=number)
    if found is not None:
        return found
    if number == 3:
        subformat = payload >> FORMAT_BITS & 3
    elif not config.f0s_width_p:
        subformat = 0 if options["branch_prediction"] else 1
    else:
        subformat = payload >> FORMAT_BITS & ((1 << config.f0s_width_p) - 1)
    found = table.select(format=number, subformat=subformat)
    if found is None or (number == 0 and not options[_OPTIONAL[subformat]]):
        raise PacketError(
            f"format {number} subformat {subformat} is not in use in this configuration ({config.variant})"
        )
    return found


def unpack(data: bytes, config: Config, options: dict[str, int] | None = None) -> Packet:
    """The packet of one payload. PacketError if it is none, or longer than its fields."""
    if not 1 <= len(data) <= MAX_PAYLOAD:
        raise PacketError(f"a payload of {len(data)} bytes; it has 1 to {MAX_PAYLOAD}")
    options = options or config.options
    given = int.from_bytes(data, "little")
    payload = given if not data[-1] >> 7 else given - (1 << 8 * len(data))  # sign-extended without end
    kind = _type(payload & ((1 << 64) - 1), config, options)
    known: dict[str, Any] = {"format": payload & 3, "options": options}
    if "subformat" in kind.selector:
        known["subformat"] = kind.selector["subformat"]
    values, _, at = messages.unpack(kind.fields, ((payload, _ENDLESS),), config, known, FORMAT_BITS)
    if len(data) > (at + 7) // 8 or payload >> at != (-1 if payload >> (at - 1) & 1 else 0):
        raise PacketError(f"{kind.name}: {len(data)} bytes hold more than its {at} bits; the rest must be its sign")
    del values["options"]
    return Packet(kind.name, values)


def is_shortest(data: bytes) -> bool:
    """Whether no byte of a payload could be left out."""
    return len(data) < 2 or data[-1] not in (0, 0xFF) or (data[-2] >> 7) != (data[-1] >> 7)
