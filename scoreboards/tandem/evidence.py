# SPDX-License-Identifier: Apache-2.0
"""Where in the bytes of a trace something was found: the section it is in, what could not be decoded, and the item
field by field as far as it can be read.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.scoreboards.tandem.table import ItemTable

_BEFORE = 3  # items that are shown in front of one
_SHOWN = 12  # bytes of an item that cannot be read


def section_start(decoded: Decoded, offset: int) -> int:
    """Where the section begins that a byte is in: the place of whatever is found in it."""
    if not len(decoded):
        return offset
    section = int(np.searchsorted(decoded.offset, offset, side="right")) - 1
    inside = section >= 0 and offset < max(int(decoded.end[section]), int(decoded.offset[section]) + 1)
    broken = section >= 0 and bool(decoded.broken[section])
    return int(decoded.offset[section]) if inside or broken else offset


def damage(decoded: Decoded) -> list[Damage]:
    """What could not be decoded, up to the second section after it: the first may have begun inside another."""
    out = []
    for found in decoded.diagnostics:
        if found.skipped:
            after = int(np.searchsorted(decoded.offset, found.offset + found.skipped)) + 1
            end = int(decoded.offset[after]) if after < len(decoded) else None
            out.append(Damage(section_start(decoded, found.offset), end))
    return out


def items_before(data: bytes, items: ItemTable, offset: int, config: Config) -> list[str]:
    """The items in front of a place, oldest first."""
    last = int(np.searchsorted(items.start, offset))
    return [
        f"{start:#06x}: {_named(data, start, length)}"
        for start, length in zip(
            items.start[max(0, last - _BEFORE) : last].tolist(), items.length[max(0, last - _BEFORE) : last].tolist()
        )
    ]


def _named(data: bytes, start: int, length: int) -> str:
    code = data[start]
    name = t.BY_CODE[code].meaning if code in t.BY_CODE else f"opcode {code}"
    return f"{name}, bytes {data[start : start + length].hex(' ')}"


def damaged(data: bytes, offset: int, config: Config) -> list[tuple[str, str, str]]:
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
