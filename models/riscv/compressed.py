# SPDX-License-Identifier: Apache-2.0
"""The 32-bit instruction that a 16-bit one means (unprivileged manual, chapter C), for harts without floating point."""

from __future__ import annotations

from functools import cache

from rvtrace.models.riscv.bits import gather, signed

EBREAK = 0x00100073


def _i(opcode: int, funct3: int, rd: int, rs1: int, imm: int) -> int:
    return (imm & 0xFFF) << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def _s(funct3: int, rs1: int, rs2: int, imm: int) -> int:
    return imm >> 5 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | (imm & 31) << 7 | 0x23


def _r(opcode: int, funct3: int, funct7: int, rd: int, rs1: int, rs2: int) -> int:
    return funct7 << 25 | rs2 << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | opcode


def _jal(rd: int, offset: int) -> int:
    return gather(offset, (20, 1, 31), (1, 10, 21), (11, 1, 20), (12, 8, 12)) | rd << 7 | 0x6F


def _branch(funct3: int, rs1: int, offset: int) -> int:
    return gather(offset, (12, 1, 31), (5, 6, 25), (1, 4, 8), (11, 1, 7)) | rs1 << 15 | funct3 << 12 | 0x63


@cache
def expand(raw: int, xlen: int) -> int | None:
    """The 32-bit form, None if the 16 bits are reserved or need floating point (illegal)."""
    quadrant, funct3 = raw & 3, raw >> 13
    if quadrant == 0:
        return _quadrant_0(raw, funct3, xlen)
    return _quadrant_1(raw, funct3, xlen) if quadrant == 1 else _quadrant_2(raw, funct3, xlen)


def _quadrant_0(raw: int, funct3: int, xlen: int) -> int | None:
    low, high = 8 + (raw >> 2 & 7), 8 + (raw >> 7 & 7)
    word = gather(raw, (6, 1, 2), (10, 3, 3), (5, 1, 6))
    double = gather(raw, (10, 3, 3), (5, 2, 6))
    if funct3 == 0:  # c.addi4spn
        imm = gather(raw, (6, 1, 2), (5, 1, 3), (11, 2, 4), (7, 4, 6))
        return _i(0x13, 0, low, 2, imm) if imm else None
    if funct3 == 2:
        return _i(0x03, 2, low, high, word)
    if funct3 == 3 and xlen == 64:
        return _i(0x03, 3, low, high, double)
    if funct3 == 6:
        return _s(2, high, low, word)
    if funct3 == 7 and xlen == 64:
        return _s(3, high, low, double)
    return None


def _quadrant_1(raw: int, funct3: int, xlen: int) -> int | None:
    rd, imm = raw >> 7 & 31, signed(gather(raw, (2, 5, 0), (12, 1, 5)), 6)
    if funct3 == 0:  # c.addi, c.nop
        return _i(0x13, 0, rd, rd, imm)
    if funct3 == 1 and xlen == 64:  # c.addiw
        return _i(0x1B, 0, rd, rd, imm) if rd else None
    if funct3 in (1, 5):  # c.jal, c.j
        offset = gather(raw, (3, 3, 1), (11, 1, 4), (2, 1, 5), (7, 1, 6), (6, 1, 7), (9, 2, 8), (8, 1, 10), (12, 1, 11))
        return _jal(1 if funct3 == 1 else 0, signed(offset, 12))
    if funct3 == 2:  # c.li
        return _i(0x13, 0, rd, 0, imm)
    if funct3 == 3:
        return _upper(raw, rd, imm)
    if funct3 == 4:
        return _arithmetic(raw, imm, xlen)
    offset = gather(raw, (3, 2, 1), (10, 2, 3), (2, 1, 5), (5, 2, 6), (12, 1, 8))
    return _branch(funct3 - 6, 8 + (rd & 7), signed(offset, 9))


def _upper(raw: int, rd: int, imm: int) -> int | None:
    """c.addi16sp and c.lui."""
    if rd == 2:
        offset = signed(gather(raw, (6, 1, 4), (2, 1, 5), (5, 1, 6), (3, 2, 7), (12, 1, 9)), 10)
        return _i(0x13, 0, 2, 2, offset) if offset else None
    return (imm & 0xFFFFF) << 12 | rd << 7 | 0x37 if imm else None


def _arithmetic(raw: int, imm: int, xlen: int) -> int | None:
    rd, rs2, which = 8 + (raw >> 7 & 7), 8 + (raw >> 2 & 7), raw >> 10 & 3
    if which == 2:
        return _i(0x13, 7, rd, rd, imm)
    if which < 2:
        shift = imm & 63
        return _i(0x13, 5, rd, rd, which << 10 | shift) if xlen == 64 or shift < 32 else None
    funct2 = raw >> 5 & 3
    if raw >> 12 & 1:
        return _r(0x3B, 0, 0 if funct2 else 0x20, rd, rd, rs2) if xlen == 64 and funct2 < 2 else None
    funct3, funct7 = ((0, 0x20), (4, 0), (6, 0), (7, 0))[funct2]
    return _r(0x33, funct3, funct7, rd, rd, rs2)


def _quadrant_2(raw: int, funct3: int, xlen: int) -> int | None:
    rd, rs2 = raw >> 7 & 31, raw >> 2 & 31
    if funct3 == 0:  # c.slli
        shift = gather(raw, (2, 5, 0), (12, 1, 5))
        return _i(0x13, 1, rd, rd, shift) if xlen == 64 or shift < 32 else None
    if funct3 == 2:
        return _i(0x03, 2, rd, 2, gather(raw, (4, 3, 2), (12, 1, 5), (2, 2, 6))) if rd else None
    if funct3 == 3 and xlen == 64:
        return _i(0x03, 3, rd, 2, gather(raw, (5, 2, 3), (12, 1, 5), (2, 3, 6))) if rd else None
    if funct3 == 6:
        return _s(2, 2, rs2, gather(raw, (9, 4, 2), (7, 2, 6)))
    if funct3 == 7 and xlen == 64:
        return _s(3, 2, rs2, gather(raw, (10, 3, 3), (7, 3, 6)))
    if funct3 != 4:
        return None
    link = raw >> 12 & 1
    if rs2:
        return _r(0x33, 0, 0, rd, rd if link else 0, rs2)  # c.add, c.mv
    if rd:
        return _i(0x67, 0, link, rd, 0)  # c.jalr, c.jr
    return EBREAK if link else None
