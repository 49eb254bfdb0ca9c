# SPDX-License-Identifier: Apache-2.0
"""Bytes that are no message, shown as far as they are one: what a failure prints of them."""

from __future__ import annotations

from rvtrace.models.common.messages import MOST_BITS, VARIABLE
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.table import TABLES, VENDOR_TCODES, MessageType
from rvtrace.scoreboards.common.places import Rows
from rvtrace.scoreboards.ntrace.rewriting import TCODE, sent_table

SHOWN = 24  # bytes
_ENDS = 3  # MSEO of the last byte of a message


def damaged_rows(data: bytes, config: Config) -> Rows:
    """(field, expected, actual) of what begins with `data`, up to the first thing that cannot be."""
    raw = _frame(data)
    shown = raw[:SHOWN]
    more = " .." if len(raw) > SHOWN else ""
    rows: Rows = [("bytes", "", shown.hex(" ") + more), ("MSEO", "", " ".join(f"{b & 3:02b}" for b in shown) + more)]
    if not raw or raw[0] & 3:
        begin = f"{raw[0] & 3:02b}" if raw else "nothing"
        return [*rows, ("MSEO of the first byte", "00, where a message begins", begin)]
    reserved = next((place for place, byte in enumerate(raw) if byte & 3 == 2), None)
    kind = TABLES[config.variant].by_code.get(raw[0] >> 2)
    if kind is None or raw[0] >> 2 in VENDOR_TCODES:
        rows.append(("TCODE", "one of table 8", str(raw[0] >> 2)))
    else:
        cut = reserved is not None or raw[-1] & 3 != _ENDS
        rows += _fields(raw if reserved is None else raw[:reserved], kind, config, cut)
    if reserved is not None:
        rows.append((f"MSEO of byte {reserved}", "00, 01 or 11", "10, which is reserved"))
    elif raw[-1] & 3 != _ENDS:
        end = "the trace ends" if len(raw) == len(data) else f"none in {len(raw)} bytes"
        rows.append((f"MSEO of byte {len(raw) - 1}", "11, the end of the message", end))
    return rows


def _frame(data: bytes) -> bytes:
    """The bytes up to the first that ends a message."""
    end = next((place for place, byte in enumerate(data[: 4 * SHOWN]) if byte & 3 == _ENDS), None)
    return data[: 4 * SHOWN] if end is None else data[: end + 1]


def _fields(raw: bytes, kind: MessageType, config: Config, cut: bool) -> Rows:
    groups = _groups(raw)
    rows: Rows = []
    values: dict[str, int] = {}
    acc, nbits, number, is_open = 0, 0, 0, False
    for one in sent_table(config.variant)[kind.name].fields:
        due = one.bits(config, values)
        if not due:
            continue
        wanted = "1 bit or more" if due == VARIABLE else f"{due} bits"
        if not is_open:
            if number == len(groups):
                if not (one.optional or cut):
                    rows.append((one.name, wanted, "the message ends before it"))
                return rows
            (acc, nbits), number, is_open = groups[number], number + 1, True
        width = nbits if due == VARIABLE else due
        if (nbits < width or not nbits) and cut and number == len(groups):
            return rows
        if nbits < width or not nbits:
            rows.append((one.name, wanted, f"{nbits} bits are left"))
            return rows
        value = values[one.key] = acc & ((1 << width) - 1)
        text = f"{value} ({kind.name})" if one is TCODE else f"{value:#x}" if one.is_address else str(value)
        most = MOST_BITS if one is TCODE else min(kind.field(one.key).most(config, values), MOST_BITS)
        wide = due == VARIABLE and value.bit_length() > most
        rows.append((one.name, f"at most {most} bits" if wide else "", text))
        acc, nbits, is_open = acc >> width, nbits - width, due != VARIABLE
    if number < len(groups) and not cut:
        rows.append(("more fields", "none", str(len(groups) - number)))
    return rows


def _groups(raw: bytes) -> list[tuple[int, int]]:
    """(value, bits) of each run of bytes up to one that ends a field, and of an open run at the end."""
    groups, acc, nbits = [], 0, 0
    for byte in raw:
        acc |= (byte >> 2) << nbits
        nbits += 6
        if byte & 1:
            groups.append((acc, nbits))
            acc = nbits = 0
    return [*groups, (acc, nbits)] if nbits else groups
