# SPDX-License-Identifier: Apache-2.0
"""Where in the bytes of a trace something was found: the section it is in, what could not be decoded, and the item
field by field as far as it can be read.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.scoreboards.tandem.table import ItemTable

_BEFORE = 3  # items that are shown in front of one
_SHOWN = 12  # bytes of an item that cannot be read


class Section(NamedTuple):
    """Place of a section, and whether its bytes could be followed to its end."""

    offset: int
    end: int
    broken: bool


class Earlier(NamedTuple):
    """Of a trace that is checked part by part, what is still looked at when a part is: the bytes that are held, the
    last section of the parts before, and in words their last items, and those before what was found in them and is
    reported later: bytes that could not be followed to the end of the part.
    """

    data: bytes | Window
    section: Section | None = None
    items: tuple[str, ...] = ()
    found: tuple[str, ...] = ()


def last_section(decoded: Decoded, before: Section | None = None) -> Section | None:
    """The last one; `before` if there is none."""
    if not len(decoded):
        return before
    return Section(int(decoded.offset[-1]), int(decoded.end[-1]), bool(decoded.broken[-1]))


def section_start(decoded: Decoded, offset: int, before: Section | None = None) -> int:
    """Where the section begins that a byte is in: the place of whatever is found in it. before: the section before
    those.
    """
    k = int(np.searchsorted(decoded.offset, offset, side="right")) - 1
    if k >= 0:
        before = Section(int(decoded.offset[k]), int(decoded.end[k]), bool(decoded.broken[k]))
    if before is None:
        return offset
    return before.offset if before.broken or offset < max(before.end, before.offset + 1) else offset


def damage(decoded: Decoded) -> list[Damage]:
    """What could not be decoded, up to the second section after it: the first may have begun inside another."""
    finder = DamageFinder()
    finder.feed(decoded)
    return finder.found


class DamageFinder:
    """`damage` of a trace that comes in parts. found: so far; the end is None until it is known."""

    def __init__(self) -> None:
        self.found: list[Damage] = []
        self._open: list[tuple[int, int]] = []  # of which of them the end is not known, and sections to it
        self._last: Section | None = None

    def feed(self, decoded: Decoded) -> None:
        """The sections that follow."""
        waiting = self._open
        for one in decoded.diagnostics:
            if one.skipped:
                after = int(np.searchsorted(decoded.offset, one.offset + one.skipped)) + 1
                waiting.append((len(self.found), after))
                self.found.append(Damage(section_start(decoded, one.offset, self._last)))
        self._open = []
        for k, after in waiting:
            if after < len(decoded):
                self.found[k] = self.found[k]._replace(end=int(decoded.offset[after]))
            else:
                self._open.append((k, after - len(decoded)))
        self._last = last_section(decoded, self._last)


def items_before(data: bytes | Window, items: ItemTable, offset: int, earlier: tuple[str, ...] = ()) -> list[str]:
    """The items in front of a place, oldest first. earlier: those before the table."""
    last = int(np.searchsorted(items.start, offset))
    first = max(0, last - _BEFORE)
    reported = [
        f"{start:#06x}: {_named(data, start, length)}"
        for start, length in zip(items.start[first:last].tolist(), items.length[first:last].tolist())
    ]
    return [*earlier, *reported][-_BEFORE:]


def _named(data: bytes | Window, start: int, length: int) -> str:
    code = data[start]
    name = t.BY_CODE[code].meaning if code in t.BY_CODE else f"opcode {code}"
    return f"{name}, bytes {data[start : start + length].hex(' ')}"


def damaged(data: bytes | Window, offset: int, config: Config) -> list[tuple[str, str, str]]:
    """An item that cannot be read: its bytes, and its fields as far as they are there, with what may be there."""
    rows = [("bytes", "", data[offset : offset + _SHOWN].hex(" "))]
    code = data[offset] if offset < len(data) else -1
    opcode = t.BY_CODE.get(code)
    rows.append(("opcode", _listed(t.BY_CODE) if opcode is None else str(code), str(code)))
    if opcode is None or offset + 1 >= len(data):
        return rows
    if code == t.STATE:
        known = data[offset + 1] in t.BY_ID
        rows.append(("id", str(data[offset + 1]) if known else _listed(t.BY_ID), str(data[offset + 1])))
    elif code in (t.REGISTER, t.ADD, t.OR) and offset + 2 < len(data):
        address = data[offset + 1] | data[offset + 2] << 8
        legal = " ".join(
            f"{one.first:#06x}-{one.last:#06x}" for one in t.REGISTER_CLASSES if getattr(config, one.width)
        )
        fits = t.register_width(config, address)
        rows.append(("address", f"{address:#06x}" if fits else legal, f"{address:#06x}"))
    elif code == t.REQUEST and offset + 1 + config.mlen_bytes < len(data):
        at = offset + 1
        value = int.from_bytes(data[at : at + config.mlen_bytes], "little")
        byte = data[at + config.mlen_bytes]
        op, size = byte & 15, byte >> 4
        rows.append(("address", f"{config.mlen_bytes} bytes", f"{value:#x}"))
        rows.append(("op", str(op) if op < len(t.OPERATIONS) else f"0-{len(t.OPERATIONS) - 1}", str(op)))
        rows.append(("size", str(size) if size < len(t.SIZES) else f"0-{len(t.SIZES) - 1}", str(size)))
    elif code == t.RESPONSE:
        size, result = data[offset + 1] & 15, data[offset + 1] >> 4
        rows.append(("size", str(size) if size < len(t.SIZES) else f"0-{len(t.SIZES) - 1}", str(size)))
        rows.append(("result", str(result) if result < len(t.RESULTS) else f"0-{len(t.RESULTS) - 1}", str(result)))
    return rows


def _listed(values: Iterable[int]) -> str:
    """Numbers as ranges."""
    known = sorted(values)
    runs: list[list[int]] = []
    for value in known:
        if runs and runs[-1][1] + 1 == value:
            runs[-1][1] = value
        else:
            runs.append([value, value])
    return " ".join(str(a) if a == b else f"{a}-{b}" for a, b in runs)
