# SPDX-License-Identifier: Apache-2.0
"""Which instructions access memory, and why one traps as far as the instruction alone reports it.

Floating-point loads and stores and Zcb are included, which `rvtrace.models.riscv.operands` does not have (unprivileged
manual: "RVC Instruction Set Listings", F, D, Zcb).
"""

from __future__ import annotations

from typing import NamedTuple

from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.stream import ECALL_CAUSE

BREAKPOINT, ILLEGAL, FETCH_MISALIGNED = 3, 2, 0
LOAD_MISALIGNED, LOAD_FAULT, STORE_MISALIGNED, STORE_FAULT = 4, 5, 6, 7
# Funct3 of c.fld, c.lw, c.flw or c.ld, and the stores at 4 above them, to bytes; the third on RV32, on RV64.
_COMPRESSED = {1: (8, 8), 2: (4, 4), 3: (4, 8)}


class Access(NamedTuple):
    """What an instruction does to memory. size: bytes, 0 for no access."""

    size: int = 0
    load: bool = False
    store: bool = False


def access_of(raw: int, size: int, xlen: int) -> Access:
    """The access of an instruction of 2 or 4 bytes; an AMO is load and store."""
    if size == 4:
        opcode, width = raw & 0x7F, 1 << (raw >> 12 & 3)
        if opcode == 0x2F:
            kind = raw >> 27
            return Access(width, kind != 0b00011, kind != 0b00010)
        return Access(width, opcode in (0x03, 0x07), opcode in (0x23, 0x27)) if opcode in _WIDE else Access()
    quadrant, funct3 = raw & 3, raw >> 13 & 7
    if size != 2 or quadrant not in (0, 2):
        return Access()
    if quadrant == 0 and funct3 == 4:  # Zcb
        store = bool(raw >> 11 & 1)
        return Access(1 + (raw >> 10 & 1), not store, store)
    if funct3 & 3 == 0:
        return Access()
    return Access(_COMPRESSED[funct3 & 3][xlen == 64], funct3 < 4, funct3 >= 4)


_WIDE = (0x03, 0x07, 0x23, 0x27)


def derived_cause(insn: Insn, priv: int, address: int, xlen: int) -> int:
    """The cause of an exception of this instruction at a core without a trap port (docs/reference/rtl-adapters.md)."""
    if insn.flow == Flow.TRAP:
        return ECALL_CAUSE[Priv(priv)] if insn.name == "ecall" else BREAKPOINT
    if insn.flow in (Flow.BRANCH, Flow.INFERABLE) or insn.flow == Flow.UNINFERABLE and not insn.name.endswith("ret"):
        return FETCH_MISALIGNED
    if insn.name.startswith("cm.popret"):
        return FETCH_MISALIGNED
    access = access_of(insn.raw, insn.size, xlen)
    if not access.size:
        return ILLEGAL
    misaligned = bool(address & access.size - 1)
    if access.store:
        return STORE_MISALIGNED if misaligned else STORE_FAULT
    return LOAD_MISALIGNED if misaligned else LOAD_FAULT
