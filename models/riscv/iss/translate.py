# SPDX-License-Identifier: Apache-2.0
"""Virtual memory of the instruction set simulator: Sv32, Sv39, Sv48, Sv57 (privileged manual, 4.3 to 4.6)."""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.iss.csr import ST_MXR, ST_SUM
from rvtrace.models.riscv.iss.memory import RAM, Memory, ReadOnly

FETCH, LOAD, STORE = range(3)
PAGE_FAULT = (12, 13, 15)
ACCESS_FAULT = (1, 5, 7)
MISALIGNED = (0, 4, 6)
V, R, W, X, U, G, A, D = (1 << n for n in range(8))
_WANTED = (X, R, W)


class Trap(Exception):
    """An exception of the hart. cause: its code. tval: what mtval gets."""

    def __init__(self, cause: int, tval: int = 0) -> None:
        super().__init__(cause, tval)
        self.cause, self.tval = cause, tval


class Scheme(NamedTuple):
    """One paging mode: levels, bits of a page number's part, bytes of an entry."""

    levels: int
    bits: int
    size: int


SCHEMES = {1: Scheme(2, 10, 4), 8: Scheme(3, 9, 8), 9: Scheme(4, 9, 8), 10: Scheme(5, 9, 8)}  # by MODE of satp


def walk(
    memory: Memory | ReadOnly, config: HartConfig, satp: int, status: int, priv: int, address: int, access: int
) -> int:
    """The physical address of a virtual one; Trap where there is none (4.3.2).

    status: mstatus (SUM and MXR count). priv: the privilege it is done at.
    """
    wide = config.xlen == 64
    scheme = SCHEMES[satp >> 60 if wide else 1]
    table = (satp & (1 << (44 if wide else 22)) - 1) << 12
    width = 12 + scheme.levels * scheme.bits
    if wide and (address >> width - 1) not in (0, (1 << 64 - width + 1) - 1):
        raise Trap(PAGE_FAULT[access], address)
    for level in reversed(range(scheme.levels)):
        shift = 12 + level * scheme.bits
        place = table + (address >> shift & (1 << scheme.bits) - 1) * scheme.size
        if memory.what(place, scheme.size) != RAM:
            raise Trap(ACCESS_FAULT[access], address)
        entry = memory.load(place, scheme.size)
        frame = (entry & (1 << 54) - 1) >> 10 if wide else entry >> 10
        if not entry & V or entry & (R | W) == W or (wide and entry >> 54):
            raise Trap(PAGE_FAULT[access], address)
        if entry & (R | X):
            break
        if entry & (A | D | U):
            raise Trap(PAGE_FAULT[access], address)
        table = frame << 12
    else:
        raise Trap(PAGE_FAULT[access], address)
    offset = (1 << shift) - 1
    if not _allowed(entry, status, priv, access) or frame << 12 & offset & ~0xFFF:
        raise Trap(PAGE_FAULT[access], address)
    wanted = A | D if access == STORE else A
    if entry & wanted != wanted:
        if not config.update_ad:
            raise Trap(PAGE_FAULT[access], address)
        memory.store(place, entry | wanted, scheme.size)
    return frame << 12 & ~offset | address & offset


def _allowed(entry: int, status: int, priv: int, access: int) -> bool:
    """Whether a leaf grants the access."""
    if priv == 0 and not entry & U:
        return False
    if priv == 1 and entry & U and (access == FETCH or not status & ST_SUM):
        return False
    if access == LOAD and status & ST_MXR and entry & X:
        return True
    return bool(entry & _WANTED[access])
