# SPDX-License-Identifier: Apache-2.0
"""Packets as columns, and where each of them appeared: what the exact, the lossless and the legal check share.

`PacketTable` makes one column per field so that a rule is one numpy expression over all packets; `Locator` turns a
packet index into the cycle, PC and surroundings that a failure message shows.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.deframe import deframe
from rvtrace.models.etrace.table import IOPTIONS, TABLES, Packet, field_of, options_of
from rvtrace.scoreboards.common.places import Places, Rows, following
from rvtrace.scoreboards.etrace.layout import read, standard

ABSENT = -1  # in a column: the packet has no such field
NAMES = ("none", *dict.fromkeys(f.name for table in TABLES.values() for f in table.messages))
NONE, BRANCH_COUNT, JUMP_TARGET, BRANCH_MAP, ADDRESS, START, TRAP, CONTEXT, SUPPORT = range(
    9
)  # codes of `PacketTable.kind`
assert NAMES == ("none", "branch_count", "jump_target", "branch_map", "address", "start", "trap", "context", "support")
_WIDE = 2**63 - 1


class PacketTable:
    """Columns of n packets: kind, and each field by its name as int64 (ABSENT where there is none, the low 63 bits of
    wider ones).

    messages: the packets, None for a payload that is none.
    """

    def __init__(self, packets: Sequence[Packet | None], config: Config) -> None:
        self.messages = packets
        self.config = config
        numbers: dict[int, int] = {}  # payloads that are the same share a packet: each is looked at once
        self._which = np.fromiter((numbers.setdefault(id(p), len(numbers)) for p in packets), np.int64, len(packets))
        places = np.full(len(numbers), -1)
        places[self._which[::-1]] = np.arange(len(packets))[::-1]
        self._different = [packets[place] for place in places.tolist()]
        codes = {name: code for code, name in enumerate(NAMES)}
        kinds = np.array([NONE if p is None else codes[p.name] for p in self._different], np.int64)
        self.kind: np.ndarray = kinds[self._which]
        self._columns: dict[str, np.ndarray] = {}

    def __len__(self) -> int:
        return len(self.messages)

    def __getitem__(self, name: str) -> np.ndarray:
        if name not in self._columns:
            values = (None if p is None else p.values.get(name) for p in self._different)
            column = np.array([ABSENT if v is None else v & _WIDE for v in values], np.int64)
            self._columns[name] = column[self._which]
        return self._columns[name]

    def is_a(self, *kinds: int) -> np.ndarray:
        """Mask of the packets of these kinds."""
        return np.isin(self.kind, kinds)

    @cached_property
    def sync(self) -> np.ndarray:
        """Mask of 3.0 and 3.1."""
        return self.is_a(START, TRAP)

    @cached_property
    def format3(self) -> np.ndarray:
        """Mask of format 3."""
        return self.is_a(START, TRAP, CONTEXT, SUPPORT)

    @cached_property
    def addressed(self) -> np.ndarray:
        """Mask of formats 0 to 2 that report an address, by a cache index as well."""
        branches, fmt, kind = self["branches"], self["branch_fmt"], self.kind
        count = (kind == BRANCH_COUNT) & (fmt >= 2)
        return count | (kind == JUMP_TARGET) | ((kind == BRANCH_MAP) & (branches > 0)) | (kind == ADDRESS)

    @cached_property
    def ioptions(self) -> np.ndarray:
        """int64[n]: options in force at each packet, those of a support packet from it on."""
        support = np.flatnonzero(self.kind == SUPPORT)
        values = np.concatenate(([self.config.ioptions], self["ioptions"][support]))
        return values[np.searchsorted(support, np.arange(len(self)), side="right")]

    def options(self, name: str) -> np.ndarray:
        """Mask of the packets while an option is on."""
        bit = list(options_of(0)).index(name)
        return (self.ioptions >> bit & 1).astype(bool)

    def behind(self, mask: np.ndarray, skip: np.ndarray, first: bool = False) -> np.ndarray:
        """Mask of the packets that follow one of `mask`, those of `skip` not counted; first: the first one too."""
        return following(mask, ~skip, first)

    def ahead(self, mask: np.ndarray, skip: np.ndarray, last: bool = True) -> np.ndarray:
        """Mask of the packets that one of `mask` follows, those of `skip` not counted; last: the last one too."""
        places = np.flatnonzero(~skip)
        result = np.zeros(len(self), dtype=bool)
        if len(places):
            following = np.append(mask[places], last)
            result[:] = following[np.searchsorted(places, np.arange(len(self)), side="right")]
        return result


def field_text(name: str, value: int | None, shift: int) -> str:
    """A field's value as a failure message shows it."""
    if value is None:
        return "-"
    found = field_of(name)
    if found is not None and found.is_address:
        return f"{value:#x} (address {value << shift:#x})"
    if found is not None and found.coding is IOPTIONS:
        return f"{value:#x}"
    return str(value) if found is None else found.text(value)


def compare_fields(expected: Packet | None, actual: Packet | None, shift: int) -> Rows:
    """(field, expected, actual) rows of two packets, either of which may be missing."""
    rows = [("packet", expected.name if expected else "none", actual.name if actual else "none")]
    names = dict.fromkeys(name for p in (expected, actual) if p is not None for name in p.values)
    for name in names:
        if name not in ("format", "subformat"):
            pair = ["-" if p is None else field_text(name, p.get(name), shift) for p in (expected, actual)]
            rows.append((name, pair[0], pair[1]))
    return rows


class Locator(Places):
    """Places packets of one capture."""

    def cycle(self, index: int) -> int | None:
        """Clock cycle in which the encoder sent the packet, None if it was not observed."""
        cycles = self.capture.packet_cycle
        return int(cycles[index]) if cycles is not None and 0 <= index < len(cycles) else None

    def label(self, index: int) -> str:
        """`number: packet`, with its byte offset where the transported bytes are known."""
        base, number = self.capture.base, self.capture.number + index
        offset = f" (byte {base + self._offsets[index]:#x})" if index < len(self._offsets) else ""
        packet = self.messages[index]
        if packet is not None:
            return f"#{number}{offset}: {packet}"
        if index >= len(self.capture.carried):
            return f"#{number}{offset}: no packet"
        return f"#{number}{offset}: unreadable, {self.capture.carried[index].hex(' ')}"

    def rows(self, index: int) -> Rows:
        """The fields of a packet as sent; of one that cannot be read, as far as they go, and what is wrong."""
        packet, shift = self.messages[index], self.capture.config.iaddress_lsb_p
        if packet is not None:
            return [(name, "", field_text(name, value, shift)) for name, value in packet.values.items()]
        return [("bytes", "", self.capture.carried[index].hex(" ") or "none"), *self._partial(index, shift)]

    def _partial(self, index: int, shift: int) -> Rows:
        """Each field that can be told, with its bits, and where the packet should have ended."""
        support = next((p for p in reversed(self.messages[:index]) if p is not None and p.name == "support"), None)
        config = self.capture.config
        options = options_of(config.ioptions if support is None else support.values["ioptions"])
        payload = self.capture.packets[index]
        found = read(payload, standard(config.variant), config, options)
        rows: Rows = [("packet", "", found.name or "no format in use")]
        for name, at, width, value in found.spans:
            place = f"bit {at}" if width == 1 else f"bits {at}..{at + width - 1}"
            rows.append((name, "", f"{field_text(name, value, shift)} ({place})"))
        if found.rest is not None:
            end = found.spans[-1].at + found.spans[-1].width
            need = (end + 7) // 8
            if len(payload) > need:
                rows.append(("length", f"at most {need} byte{'s' * (need > 1)}", f"{len(payload)} bytes"))
            else:
                rows.append(("after it", "the sign of the last field", f"{found.rest:#x} (bits {end}..{8 * need - 1})"))
        return rows

    @cached_property
    def _offsets(self) -> list[int]:
        """Of the packets in the transported bytes; none if they are not at hand, or do not agree with the packets."""
        data = self.capture.data
        if data is None:
            return []
        payloads, offsets, _ = deframe(data, self.capture.config)
        return offsets if payloads == self.capture.carried else []
