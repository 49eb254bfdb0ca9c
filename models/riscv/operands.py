# SPDX-License-Identifier: Apache-2.0
"""What one instruction reads and writes: registers, immediate, memory access and CSR, from its bits.

For RV32 and RV64 IMAC and Zicsr (RISC-V unprivileged manual). Other instructions, floating point included,
have no operands here, except what a jump does to its link register. Control flow is `rvtrace.models.riscv.isa`.
"""

from __future__ import annotations

from dataclasses import dataclass

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


def _signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) else value


def operands(raw: int, size: int, xlen: int) -> Operands:
    """The operands of the instruction with these bits, of 2 or 4 bytes; reserved encodings have none."""
    if size == 4:
        return _full(raw)
    return _compressed(raw, xlen) if size == 2 else NONE


def _full(raw: int) -> Operands:
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
        return Operands(rd, rs1, 0, _signed(raw >> 20, 12), 1 << (funct3 & 3))
    if opcode == 0x23:
        return Operands(0, rs1, rs2, _signed(raw >> 25 << 5 | rd, 12), 1 << funct3, 1)
    if opcode == 0x2F and raw >> 27 in ATOMICS and funct3 in (2, 3):
        name = ATOMICS[raw >> 27]
        return Operands(rd, rs1, rs2, 0, 1 << funct3, int(name != "lr"), name)
    if opcode == 0x73 and funct3 & 3:
        writes = funct3 & 3 == 1 or rs1 != 0
        return Operands(rd, 0 if funct3 & 4 else rs1, csr=raw >> 20 if writes else NO_CSR)
    return NONE


def _offset(raw: int, *pieces: tuple[int, int, int]) -> int:
    """The offset made of pieces (lowest instruction bit, width, lowest offset bit)."""
    return sum((raw >> source & (1 << width) - 1) << to for source, width, to in pieces)


_CLW = ((6, 1, 2), (10, 3, 3), (5, 1, 6))
_CLD = ((10, 3, 3), (5, 2, 6))
_CLWSP = ((4, 3, 2), (12, 1, 5), (2, 2, 6))
_CLDSP = ((5, 2, 3), (12, 1, 5), (2, 3, 6))
_CSWSP = ((9, 4, 2), (7, 2, 6))
_CSDSP = ((10, 3, 3), (7, 3, 6))


def _compressed(raw: int, xlen: int) -> Operands:
    quadrant, funct3 = raw & 3, raw >> 13
    rd, rs2 = raw >> 7 & 31, raw >> 2 & 31
    rd_c, rs2_c = 8 + (raw >> 7 & 7), 8 + (raw >> 2 & 7)
    wide = funct3 & 3 == 3  # ld, sd and their sp forms: RV64 only (RV32 has floating point there)
    if wide and xlen == 32 and quadrant in (0, 2):
        return NONE
    width = 8 if wide else 4
    if quadrant == 0:
        offset = _offset(raw, *(_CLD if wide else _CLW))
        if funct3 == 0:  # c.addi4spn; all zeros is illegal
            return Operands(rs2_c, 2) if raw else NONE
        if funct3 in (2, 3):
            return Operands(rs2_c, rd_c, 0, offset, width)
        if funct3 in (6, 7):
            return Operands(0, rd_c, rs2_c, offset, width, 1)
    elif quadrant == 1:
        if funct3 == 0 or (funct3 == 1 and xlen == 64):  # c.addi, c.addiw
            return Operands(rd, rd)
        if funct3 == 1:  # c.jal
            return Operands(1)
        if funct3 in (2, 3):  # c.li, c.lui, c.addi16sp
            return Operands(rd, 2 if funct3 == 3 and rd == 2 else 0)
        if funct3 == 4:
            return Operands(rd_c, rd_c, rs2_c if raw >> 10 & 3 == 3 else 0)
        if funct3 >= 6:
            return Operands(0, rd_c)
    elif quadrant == 2:
        if funct3 == 0:
            return Operands(rd, rd)
        if funct3 in (2, 3) and rd:
            return Operands(rd, 2, 0, _offset(raw, *(_CLDSP if wide else _CLWSP)), width)
        if funct3 in (6, 7):
            return Operands(0, 2, rs2, _offset(raw, *(_CSDSP if wide else _CSWSP)), width, 1)
        if funct3 == 4:
            link = raw >> 12 & 1
            if rs2:
                return Operands(rd, rd if link else 0, rs2)  # c.add, c.mv
            return Operands(link, rd) if rd else NONE  # c.jr, c.jalr; c.ebreak
    return NONE
