# SPDX-License-Identifier: Apache-2.0
"""What the encoder model makes: packets, why each was sent, and their bytes. Objects are made of columns on demand."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from rvtrace.models.common.messages import MessageType, Table
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder import kernel as k
from rvtrace.models.etrace.encoder.clauses import CLAUSES
from rvtrace.models.etrace.encoder.encapsulate import transported
from rvtrace.models.etrace.table import FORMAT_BITS, MAX_BRANCHES, TABLES, Packet, options_of

_CLAUSES = tuple(CLAUSES)
# By the coding of a field
_KINDS = {"plain": k.PLAIN, "difference": k.PLAIN, "flag": k.FLAG, "filled": k.FILLED, "options": k.CHOICE}
# Where the kernel has the value of a field, by packets
_REPORTING = {"address": k.ADDRESS, "notify": k.NOTIFIES, "updiscon": k.UPDISCON, "irreport": k.IRREPORT,
              "irdepth": k.IRDEPTH, "branches": k.NUMBER, "branch_map": k.BRANCH_MAP, "branch_count": k.BRANCH_COUNT,
              "branch_fmt": k.BRANCH_FMT, "no_mispred": k.NO_MISPRED, "index": k.INDEX, "irets": k.IRETS}  # fmt: skip
_SYNC = {"address": k.ADDRESS, "branch": k.BRANCH_BIT, "privilege": k.PRIVILEGE, "time": k.TIME,
         "context": k.CONTEXT_OF, "ecause": k.ECAUSE, "interrupt": k.INTERRUPT, "thaddr": k.THADDR,
         "tval": k.TVAL}  # fmt: skip
_SUPPORT = {"ienable": k.IENABLE, "qual_status": k.QUAL_STATUS, "ioptions": k.IOPTIONS, "encoder_mode": k.ZERO,
            "denable": k.ZERO, "dloss": k.ZERO, "doptions": k.ZERO}  # fmt: skip
_VALUES = {"start": _SYNC, "trap": _SYNC, "context": _SYNC, "support": _SUPPORT}


class Part(NamedTuple):
    """A field of a layout: where its value is (of a field that is always the same, the value), and its bits."""

    name: str
    value: int
    bits: int
    kind: int
    signed: bool


class Layout(NamedTuple):
    """A packet as it is with certain values: its name, what selects it, and its fields."""

    name: str
    select: dict[str, int]
    parts: tuple[Part, ...]


def _layout(of: MessageType, config: Config, known: dict[str, Any]) -> Layout:
    """known: the values on which the widths of fields depend. A field of which the model knows nothing is 0."""
    before: dict[str, Any] = {**of.selector, "options": options_of(0), **known}
    parts = [Part("format", of.selector["format"], FORMAT_BITS, k.FIXED, False)]
    places = _VALUES.get(of.name, _REPORTING)
    for field in of.fields:
        bits = field.bits(config, before)
        if bits and (field.key in of.selector or field.key not in places):
            parts.append(Part(field.key, of.selector.get(field.key, 0), bits, k.FIXED, False))
        elif bits:
            is_signed = field.coding.name == "difference"
            parts.append(Part(field.key, places[field.key], bits, _KINDS[field.coding.name], is_signed))
    return Layout(of.name, dict(of.selector), tuple(parts))


def layouts(config: Config) -> tuple[Layout | None, ...]:
    """By number, as the kernel has them; None for those that the variant does not have."""
    return _layouts(TABLES[config.variant], config)


@lru_cache(64)
def _layouts(table: Table, config: Config) -> tuple[Layout | None, ...]:
    found: list[Layout | None] = [None] * k.NUMBER_OF_LAYOUTS
    for number, name in ((k.L_ADDRESS, "address"), (k.L_START, "start"), (k.L_CONTEXT, "context"),
                         (k.L_SUPPORT, "support")):  # fmt: skip
        found[number] = _layout(table[name], config, {})
    for bits in range(8):
        options = options_of(k.IMPLICIT_EXCEPTION if bits & 4 else 0)
        known = {"interrupt": bits & 1, "thaddr": bits >> 1 & 1, "options": options}
        found[k.L_TRAP + bits] = _layout(table["trap"], config, known)
    if "branch_count" in table:
        for fmt in (0, 2, 3):
            found[k.L_COUNT + fmt] = _layout(table["branch_count"], config, {"branch_fmt": fmt})
    else:
        found[k.L_DRAFT_COUNT] = _layout(table["branch_map"], config, {"branches": 0, "branch_fmt": 1})
    for number in range(MAX_BRANCHES + 1):
        if "jump_target" in table:
            found[k.L_TARGET + number] = _layout(table["jump_target"], config, {"branches": number})
        found[k.L_MAP + number] = _layout(table["branch_map"], config, {"branches": number, "branch_fmt": 0})
    return tuple(found)


def layout_rows(config: Config) -> tuple[int, ...]:
    """The same as rows of the kernel."""
    return _layout_rows(TABLES[config.variant], config)


@lru_cache(64)
def _layout_rows(table: Table, config: Config) -> tuple[int, ...]:
    rows = [0] * (k.NUMBER_OF_LAYOUTS * k.LAYOUT_ROW)
    for number, layout in enumerate(_layouts(table, config)):
        if layout is not None:
            at = number * k.LAYOUT_ROW
            rows[at] = len(layout.parts)
            for index, part in enumerate(layout.parts):
                begin = at + 1 + index * k.FIELD_ROW
                rows[begin : begin + k.FIELD_ROW] = part.value, part.bits, part.kind
    return tuple(rows)


class EncodedTrace:
    """The packets of one run.

    rows: of the kernel, one for each packet. body: their payloads, one after the other. tstamp: the time in each row of
    Beats.
    """

    def __init__(self, rows: Any, body: bytes, tstamp: np.ndarray, config: Config) -> None:
        self._rows, self._body, self._tstamp, self.config = rows, body, tstamp, config

    def _column(self, index: int) -> np.ndarray:
        return np.asarray(self._rows[index :: k.PACKET_ROW], np.int64)

    @cached_property
    def packets(self) -> list[Packet]:
        """Each packet."""
        return list(self._made())

    def _made(self) -> Iterator[Packet]:
        known, rows = layouts(self.config), self._rows if isinstance(self._rows, list) else self._rows.tolist()
        for at in range(0, len(rows), k.PACKET_ROW):
            layout = known[rows[at]]
            assert layout is not None
            values: dict[str, Any] = dict(layout.select)
            for name, place, bits, kind, signed in layout.parts:
                if kind == k.FIXED:
                    continue
                value = rows[at + k.VALUE + place]
                if kind == k.FILLED and value < 0:
                    value = None
                elif not signed:
                    value &= (1 << bits) - 1
                values[name] = value
            yield Packet(layout.name, values)

    @cached_property
    def payloads(self) -> list[bytes]:
        """The payload of each packet."""
        ends = self._column(k.BEHIND).tolist()
        return [self._body[begin:end] for begin, end in zip([0, *ends], ends)]

    @cached_property
    def reasons(self) -> list[str]:
        """The clause under which each packet was sent."""
        return [_CLAUSES[clause] for clause in self._column(k.CLAUSE).tolist()]

    @cached_property
    def beat(self) -> list[int]:
        """The row of Beats that made each packet."""
        return self._column(k.BEAT).tolist()

    @cached_property
    def options(self) -> list[int]:
        """The options in force at each packet, as `ioptions`."""
        return self._column(k.OPTIONS_OF).tolist()

    @cached_property
    def time16(self) -> list[int]:
        """The low bits of the time in the row of each packet's item."""
        return (self._times() & np.uint64(0xFFFF)).tolist()

    @cached_property
    def stamps(self) -> list[int]:
        """The timestamp that the transport gives each packet: the low bits of the same time."""
        return (self._times() & np.uint64((1 << 8 * self.config.stamp_bytes) - 1)).tolist()

    def _times(self) -> np.ndarray:
        return self._tstamp[self._column(k.ITEM)]

    @cached_property
    def data(self) -> bytes:
        """The transported bytes (`rvtrace.models.etrace.encoder.encapsulate`)."""
        starts = self._column(0) == k.L_START
        return transported(self._body, self._column(k.BEHIND), starts, self._times(), self.config)
