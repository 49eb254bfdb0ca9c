# SPDX-License-Identifier: Apache-2.0
"""Payloads read field by field, with the table of the specification or with one that a device may have by mistake.

`read` never fails: it gives the fields up to where the payload has no more, and says what is wrong. A failure message
shows its fields as far as they go; a hypothesis reads packets with another table and sends them again as the
specification has them (`rewritten`), so that decoder and checks need to know one table only.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from rvtrace.models.common.messages import MessageType, Place, Table
from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import FILLED, FORMAT_BITS, IOPTIONS, MAX_BRANCHES, TABLES, Packet
from rvtrace.scoreboards.diagnosis.operators import JUNK

Packets = Table[MessageType]
FULL_MAP = 5  # bytes of a full map
OPTIONAL = ("branch_prediction", "jump_target_cache")  # the options that permit subformats 0 and 1 of format 0
# what absent fields mean to those after them; any other is 0
DEFAULTS = {
    "notify": 0,
    "updiscon": 0,
    "irreport": 0,
    "branch": 1,
    "interrupt": 0,
    "thaddr": 1,
    "branch_fmt": 0,
    "branches": 0,
}


class Span(NamedTuple):
    """A field of a payload: its name, first bit, bits and value; value None if irdepth says nothing."""

    name: str
    at: int
    width: int
    value: int | None


class Read(NamedTuple):
    """What a payload is: name of the packet, empty if its format is none; its fields as far as they go; what is wrong,
    empty if nothing is. rest: the bits after the last field, if they are what is wrong.
    """

    name: str
    spans: list[Span]
    problem: str
    rest: int | None = None

    @property
    def values(self) -> dict[str, Any]:
        """The fields by name."""
        return {span.name: span.value for span in self.spans}


def standard(variant: str) -> Packets:
    """The packets of the specification."""
    return TABLES[variant]


def _named(table: Packets, config: Config, options: Mapping[str, int], format: int, subformat: int) -> str:
    """The packet of a format; empty if there is none."""
    if format == 0 and not config.f0s_width_p:
        subformat = 0 if options["branch_prediction"] else 1
    elif format == 0:
        subformat &= (1 << config.f0s_width_p) - 1
    found = table.select(format=format) or table.select(format=format, subformat=subformat)
    if found is None:
        return ""
    used = found.name not in ("branch_count", "jump_target") or options[OPTIONAL[found.name == "jump_target"]]
    return found.name if used else ""


def kind_of(payload: bytes, table: Packets, config: Config, options: Mapping[str, int]) -> MessageType | None:
    """The packet that a payload is, as the table has it; None if its format is none."""
    given = int.from_bytes(payload[:2], "little")
    start = table["start"].fields
    at = FORMAT_BITS + (start[0].bits(config, {}) if start[0].key == JUNK else 0)
    subformat = table["start"].field("subformat").coding.take(given >> at & 3, Place(config, {}, 2, 0))
    name = _named(table, config, options, given & (1 << FORMAT_BITS) - 1, subformat or 0)
    return table[name] if name else None


def read(payload: bytes, table: Packets, config: Config, options: Mapping[str, int], extended: str = "sign") -> Read:
    """A payload, field by field. options: those in force. extended: what is after its last byte: its "sign", or zeros
    ("zero").
    """
    if not payload:
        return Read("", [], "a payload without bytes")
    size = 8 * len(payload)
    given = int.from_bytes(payload, "little")
    if extended == "sign" and payload[-1] >> 7:
        given -= 1 << size  # sign-extended without end
    format = given & (1 << FORMAT_BITS) - 1
    spans = [Span("format", 0, FORMAT_BITS, format)]
    kind = kind_of(payload, table, config, options)
    if kind is None:
        return Read("", spans, f"format {format} with these bits after it is not in use")
    name, due = kind.name, standard(config.variant)[kind.name].keys
    values: dict[str, Any] = {**dict.fromkeys(due, 0), **DEFAULTS, "format": format, "options": options}
    at = FORMAT_BITS
    for one in kind.fields:
        label, n = one.key, one.bits(config, values)
        if not n:
            continue
        sent = given >> at & (1 << n) - 1
        value = one.coding.take(sent, Place(config, values, n, given >> (at - 1) & 1))
        if label == "branches":
            if not sent and len(payload) == FULL_MAP:
                value = 0  # one branch, or 31 without an address: the length says which is more likely
            if value is not None and value > MAX_BRANCHES:
                return Read(name, spans, f"{value} branches, and branch_map holds at most {MAX_BRANCHES}")
        if label != JUNK:
            values[label] = value
            spans.append(Span(label, at, n, value))
        at += n
    rest = given >> at
    fine = rest == (-1 if extended == "sign" and given >> (at - 1) & 1 else 0)
    # compressed by its sign and extended with zeros, a payload whose last bit is 1 has one byte more
    if not fine or len(payload) > (at + 7) // 8 + (extended == "zero"):
        unused = (given & (1 << size) - 1) >> at
        return Read(
            name, spans, f"{len(payload)} bytes hold more than its {at} bits; the rest must be its sign", unused
        )
    return Read(name, spans, "")


def rewritten(name: str, values: dict[str, Any], config: Config, options: dict[str, int]) -> bytes | None:
    """The payload of a packet as the specification has it; values that do not fit lose their upper bits. None if a
    field that others depend on has a value that it cannot have.
    """
    packet = standard(config.variant)[name]
    sent: dict[str, Any] = {
        **dict.fromkeys(packet.keys, 0), **DEFAULTS, **values, **packet.selector, "options": options,
    }  # fmt: skip
    if not 0 <= sent.get("branches", 0) <= MAX_BRANCHES:
        return None
    for one in packet.fields:
        n, value = one.bits(config, sent), sent[one.key] or 0
        if n and one.coding is FILLED:
            sent[one.key] = value & (1 << n) - 1 if sent["irreport"] else None
        elif n and not (one.coding is IOPTIONS and config.ioptions_layout):  # which leaves bits out by itself
            sent[one.key] = value & (1 << n) - 1
    del sent["options"]
    return pack(Packet(name, sent), config, options)
