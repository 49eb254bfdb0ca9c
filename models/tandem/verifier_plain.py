"""The columns of groups that the verifier's fast loop compares: an instruction, a pc, at most one x register and one access."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from models.tandem.decoded import PC_KEY, Decoded
from models.tandem.table import EADDR, FPR_BASE, GPR_BASE, MEMDATA, PADDR, STATE_KEY

PADDR_KEY, EADDR_KEY, MEMDATA_KEY = STATE_KEY + PADDR, STATE_KEY + EADDR, STATE_KEY + MEMDATA


_SYSTEM = 0x73


class Plain(NamedTuple):
    """Lists, one element for each section. plain: whether the others say all there is.

    rd: 0 none. size: bytes of store data, 0 none. paddr, eaddr: -1 none.
    """

    plain: list[bool]
    pc: list[int]
    insn: list[int]
    next_pc: list[int]
    rd: list[int]
    value: list[int]
    paddr: list[int]
    eaddr: list[int]
    size: list[int]
    data: list[int]


def plain_columns(decoded: Decoded, first: int, last: int, odd: Any) -> Plain:
    """Columns of sections first to last - 1. odd: sections that are never plain, as a mask over all."""
    n = last - first
    low, high = int(decoded.change_start[first]), int(decoded.change_start[last])
    counts = np.diff(decoded.change_start[first : last + 1])
    section = np.repeat(np.arange(n), counts)
    key, value = decoded.change_key[low:high], decoded.change_value[low:high]
    is_pc, is_x = key == PC_KEY, (key > GPR_BASE) & (key < FPR_BASE)
    is_data = (key >= MEMDATA_KEY) & (key <= MEMDATA_KEY + 3)
    kinds = {"pc": is_pc, "x": is_x, "paddr": key == PADDR_KEY, "eaddr": key == EADDR_KEY, "data": is_data}
    plain = (decoded.size[first:last] > 0) & decoded.pc_known[first:last] & ~odd[first:last]
    plain &= (decoded.insn[first:last] & 0x7F != _SYSTEM) | (decoded.size[first:last] != 4)  # CSRs are read
    plain &= ~(decoded.reset | decoded.init | decoded.broken)[first:last] & (decoded.kind[first:last] == 0)
    known = np.zeros(n, np.int64)
    columns = {}
    for name, mask in kinds.items():
        where = section[mask]
        found = np.bincount(where, minlength=n)
        plain &= found == 1 if name == "pc" else found <= 1
        known += found
        column = np.full(n, -1, object) if name in ("paddr", "eaddr") else np.zeros(n, np.uint64)
        column[where] = value[mask].astype(object) if column.dtype == object else value[mask]
        columns[name] = column.tolist()
    plain &= known == counts
    rd, size = np.zeros(n, np.int64), np.zeros(n, np.int64)
    rd[section[is_x]] = key[is_x] - GPR_BASE
    size[section[is_data]] = 1 << key[is_data] - MEMDATA_KEY
    return Plain(
        plain.tolist(), decoded.pc[first:last].tolist(), decoded.insn[first:last].tolist(), columns["pc"], rd.tolist(), columns["x"],
        columns["paddr"], columns["eaddr"], size.tolist(), columns["data"],
    )  # fmt: skip
