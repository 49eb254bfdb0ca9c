# SPDX-License-Identifier: Apache-2.0
"""What one instruction reads and writes: registers, immediate, memory access and CSR, from its bits.

For RV32 and RV64 IMAC and Zicsr (RISC-V unprivileged manual). Other instructions, floating point included,
have no operands here, except what a jump does to its link register. Control flow is `rvtrace.models.riscv.isa`.
"""

from __future__ import annotations

from dataclasses import dataclass

from rvtrace.models.riscv.bits import signed
from rvtrace.models.riscv.compressed import expand

NO_CSR = -1


@dataclass(frozen=True, slots=True)
class Operands:
    """Operands of an instruction; register number 0 where it has none.

    rd, rs1, rs2: x registers. imm: offset of a load or store (0 for atomics). size: bytes accessed, 0 none.
    store: 1 if it writes memory, as atomics do and `sc` if it succeeds. atomic: "" or the mnemonic without
    its width (`lr`, `sc`, `amoadd`, ...). csr: address of the CSR it writes, else NO_CSR: `csrrs` and `csrrc`
    with rs1 = 0 only read.
    """

    rd: int = 0
    rs1: int = 0
    rs2: int = 0
    imm: int = 0
    size: int = 0
    store: int = 0
    atomic: str = ""
    csr: int = NO_CSR


NONE = Operands()
ATOMICS = {
    0: "amoadd", 1: "amoswap", 2: "lr", 3: "sc", 4: "amoxor", 8: "amoor", 12: "amoand",
    16: "amomin", 20: "amomax", 24: "amominu", 28: "amomaxu",
}  # fmt: skip


def operands(raw: int, size: int, xlen: int) -> Operands:
    """The operands of the instruction with these bits, of 2 or 4 bytes; reserved encodings have none."""
    if size == 2:
        raw = expand(raw, xlen) or 0
    elif size != 4:
        return NONE
    opcode, rd, funct3, rs1, rs2 = raw & 0x7F, raw >> 7 & 31, raw >> 12 & 7, raw >> 15 & 31, raw >> 20 & 31
    if opcode in (0x37, 0x17, 0x6F):  # lui, auipc, jal
        return Operands(rd)
    if opcode in (0x13, 0x1B, 0x67):  # with an immediate; jalr
        return Operands(rd, rs1)
    if opcode in (0x33, 0x3B):
        return Operands(rd, rs1, rs2)
    if opcode == 0x63:
        return Operands(0, rs1, rs2)
    if opcode == 0x03:
        return Operands(rd, rs1, 0, signed(raw >> 20, 12), 1 << (funct3 & 3))
    if opcode == 0x23:
        return Operands(0, rs1, rs2, signed(raw >> 25 << 5 | rd, 12), 1 << funct3, 1)
    if opcode == 0x2F and raw >> 27 in ATOMICS and funct3 in (2, 3):
        name = ATOMICS[raw >> 27]
        return Operands(rd, rs1, rs2, 0, 1 << funct3, int(name != "lr"), name)
    if opcode == 0x73 and funct3 & 3:
        writes = funct3 & 3 == 1 or rs1 != 0
        return Operands(rd, 0 if funct3 & 4 else rs1, csr=raw >> 20 if writes else NO_CSR)
    return NONE
