# SPDX-License-Identifier: Apache-2.0
"""Payloads read field by field, with the layout of the specification or with one that a device may have by mistake.

`read` never fails: it gives the fields up to where the payload has no more, and says what is wrong. A failure message
shows its fields as far as they go; a hypothesis reads packets with another `Layout` and sends them again as the
specification has them (`rewritten`), so that decoder and checks need to know one layout only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

from rvtrace.models.common.messages import PLAIN, Coding, Field, Place, Table
from rvtrace.models.etrace.codec import pack
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import FILLED, FORMAT_BITS, MAX_BRANCHES, TABLES, Packet

FULL_MAP = 5  # bytes of a full map
OPTIONAL = ("branch_prediction", "jump_target_cache")  # the options that permit subformats 0 and 1 of format 0
# what absent fields mean to those after them
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
Code = tuple[int, "int | None"]  # format and subformat
UNUSED = Coding("unused")  # bits of no meaning
INVERTED = Coding("inverted", take=lambda value, place: value ^ (1 << place.width) - 1)


@dataclass(frozen=True)
class Layout:
    """Where a device has its fields. fields: of each packet, in order, with `format` before them; codings are those of
    the table and INVERTED, UNUSED. codes: format and subformat of each
    packet. extension: "sign" of the last bit, or "zero". msb_first: the order of the bits of each field. offsets: what
    is added to a field. remaps: the meaning of each value of a field.
    """

    fields: Mapping[str, tuple[Field, ...]]
    codes: Mapping[str, Code]
    extension: str = "sign"
    msb_first: bool = False
    offsets: Mapping[str, int] = field(default_factory=dict)
    remaps: Mapping[str, tuple[int, ...]] = field(default_factory=dict)

    def with_fields(self, change: Callable[[str, tuple[Field, ...]], tuple[Field, ...]], **others: Any) -> Layout:
        """The same with changed fields. change: of the packet's name and its fields."""
        return replace(self, fields={name: change(name, row) for name, row in self.fields.items()}, **others)


class Span(NamedTuple):
    """A field of a payload: its name, first bit, bits and value; value None if irdepth says nothing."""

    name: str
    at: int
    width: int
    value: int | None


class Read(NamedTuple):
    """What a payload is: name of the packet, empty if its format is none; its fields as far as they go; what is wrong,
    empty if nothing is.
    """

    name: str
    spans: list[Span]
    problem: str

    @property
    def values(self) -> dict[str, Any]:
        """The fields by name."""
        return {span.name: span.value for span in self.spans}


def standard(variant: str) -> Layout:
    """The layout of the specification."""
    return _of(TABLES[variant])


@cache
def _of(table: Table[Any]) -> Layout:
    return Layout(
        {f.name: f.fields for f in table.messages},
        {f.name: (f.selector["format"], f.selector.get("subformat")) for f in table.messages},
    )


def _named(layout: Layout, config: Config, options: Mapping[str, int], format: int, subformat: int) -> str:
    """The packet of a format; empty if there is none."""
    if format == 0 and not config.f0s_width_p:
        subformat = 0 if options["branch_prediction"] else 1
    elif format == 0:
        subformat &= (1 << config.f0s_width_p) - 1
    for name, code in layout.codes.items():
        if code == (format, None) or code == (format, subformat):
            used = name not in ("branch_count", "jump_target") or options[OPTIONAL[name == "jump_target"]]
            return name if used else ""
    return ""


def read(payload: bytes, layout: Layout, config: Config, options: Mapping[str, int]) -> Read:
    """A payload, field by field. options: those in force."""
    if not payload:
        return Read("", [], "a payload without bytes")
    size = 8 * len(payload)
    given = int.from_bytes(payload, "little")
    if layout.extension == "sign" and payload[-1] >> 7:
        given -= 1 << size  # sign-extended without end
    format, spans = _bits(given, 0, FORMAT_BITS, layout), [Span("format", 0, FORMAT_BITS, given & 3)]
    spans[0] = spans[0]._replace(value=format)
    before = layout.fields["start"][0]
    subformat_at = FORMAT_BITS + (before.bits(config, {}) if before.coding is UNUSED else 0)
    name = _named(layout, config, options, format, _bits(given, subformat_at, 2, layout))
    if not name:
        return Read("", spans, f"format {format} with these bits after it is not in use")
    values: dict[str, Any] = {**DEFAULTS, "format": format, "options": options}
    at = FORMAT_BITS
    for one in layout.fields[name]:
        label, n = one.key, one.bits(config, values)
        if not n:
            continue
        value = one.coding.take(_bits(given, at, n, layout), Place(config, values, n, given >> (at - 1) & 1))
        if label == "branches" and not value and len(payload) == FULL_MAP:
            pass  # one branch, or 31 without an address: the length says which is more likely
        elif value and label in layout.offsets or value == 0 and layout.offsets.get(label, 0) > 0:
            value += layout.offsets[label]
        if label == "branches" and value is not None and not 0 <= value <= MAX_BRANCHES:
            return Read(name, spans, f"{value} branches, and branch_map holds at most {MAX_BRANCHES}")
        if label in layout.remaps and value is not None and 0 <= value < len(layout.remaps[label]):
            value = layout.remaps[label][value]
        if one.coding is not UNUSED:
            values[label] = value
            spans.append(Span(label, at, n, value))
        at += n
    rest = given >> at
    fine = rest == (-1 if layout.extension == "sign" and given >> (at - 1) & 1 else 0)
    if not fine or len(payload) > (at + 7) // 8:
        return Read(name, spans, f"{len(payload)} bytes hold more than its {at} bits; the rest must be its sign")
    return Read(name, spans, "")


def _bits(given: int, at: int, n: int, layout: Layout) -> int:
    value = given >> at & ((1 << n) - 1)
    return int(f"{value:0{n}b}"[::-1], 2) if layout.msb_first else value


def rewritten(name: str, values: dict[str, Any], config: Config, options: dict[str, int]) -> bytes | None:
    """The payload of a packet as the specification has it; values that do not fit lose their upper bits. None if a
    field that others depend on has a value that it cannot have.
    """
    layout = standard(config.variant)
    format, subformat = layout.codes[name]
    sent: dict[str, Any] = {**DEFAULTS, **values, "format": format, "options": options}
    if subformat is not None:
        sent["subformat"] = subformat
    if not 0 <= sent.get("branches", 0) <= MAX_BRANCHES:
        return None
    for one in layout.fields[name]:
        label, n = one.key, one.bits(config, sent)
        value = sent.get(label, 0)
        if n and value is not None and one.coding is PLAIN:
            sent[label] = value & (1 << n) - 1
        elif one.coding is FILLED and n and value is not None:
            sent[label] = value & (1 << n) - 1 if sent.get("irreport") else None
        if one.coding is FILLED and n and sent.get("irreport") and value is None:
            sent[label] = 0
    del sent["options"]
    return pack(Packet(name, sent), config, options)
