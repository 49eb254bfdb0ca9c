# SPDX-License-Identifier: Apache-2.0
"""From an instruction's bits to a function that executes it: look-up in the table, immediates, and the functions
themselves.

`decode(raw, xlen, extensions)` finds the row, `function(...)` binds it to registers, pc and hart. The functions are
made once for each row and register width, of the row's effect.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any

from rvtrace.models.riscv.bits import signed
from rvtrace.models.riscv.iss.table import BY_KEY, LOAD, OTHER, PLAIN, STORE, Row

HART = (
    "load",
    "store",
    "amo",
    "load_reserved",
    "store_conditional",
    "csr_access",
    "fence_i",
    "sfence_vma",
    "ecall",
    "ebreak",
    "sret",
    "mret",
    "wfi",
)
"""What effects ask the hart for."""


def decode(raw: int, xlen: int, extensions: str) -> Row | None:
    """The row of a 32-bit instruction, None if there is none (illegal)."""
    opcode, funct3, funct7 = raw & 0x7F, raw >> 12 & 7, raw >> 25
    row = BY_KEY.get(_key(raw, opcode, funct3, funct7, xlen))
    if row is None or (row.rv64 and xlen == 32) or row.extension not in extensions:
        return None
    return row


def _key(raw: int, opcode: int, funct3: int, funct7: int, xlen: int) -> tuple[int, ...]:
    """What the table looks rows up by."""
    if opcode in (0x37, 0x17, 0x6F):
        return (opcode,)
    if opcode in (0x33, 0x3B):
        return opcode, funct3, funct7
    if opcode == 0x13 and funct3 & 3 == 1:
        return opcode, funct3, funct7 if xlen == 32 else funct7 & ~1
    if opcode == 0x1B and funct3 & 3 == 1:
        return opcode, funct3, funct7
    if opcode == 0x2F:
        funct5 = raw >> 27
        return (opcode, funct3, funct5, raw >> 20 & 31) if funct5 == 2 else (opcode, funct3, funct5)
    if opcode == 0x73 and funct3 == 0:
        if funct7 == 0x09:
            return (opcode, funct3, 0x09) if raw & 0xF80 == 0 else ()
        return (opcode, funct3, raw >> 20) if raw & 0xFFF80 == 0 else ()
    return opcode, funct3


def immediate(raw: int, form: str) -> int:
    """The signed immediate of a format; CSR address, shift amount and 0 where there is none."""
    if form == "I":
        return (raw >> 20) - (raw >> 31 << 12)
    if form == "S":
        return (raw >> 25 << 5 | raw >> 7 & 31) - (raw >> 31 << 12)
    if form == "B":
        return (raw >> 7 & 1) << 11 | (raw >> 8 & 15) << 1 | (raw >> 25 & 63) << 5 | -(raw >> 31 << 12)
    if form == "U":
        return (raw & 0xFFFFF000) - (raw >> 31 << 32)
    if form == "J":
        return (raw >> 12 & 0xFF) << 12 | (raw >> 20 & 1) << 11 | (raw >> 21 & 0x3FF) << 1 | -(raw >> 31 << 20)
    return {"H": raw >> 20 & 63, "W": raw >> 20 & 31, "C": raw >> 20}.get(form, 0)


def function(
    row: Row, raw: int, pc: int, size: int, xlen: int, x: list[int], hart: dict[str, Any]
) -> tuple[Callable[[], int], int]:
    """A function without arguments that executes the instruction and returns the next pc; and rd, 0 if it writes none.

    pc: where it is. size: bytes it takes there (2 of an expanded one). x: 33 registers, the last for what is written to
    x0. hart: functions by the names of `HART`.
    """
    mask = (1 << xlen) - 1
    writes = row.effect.startswith(("x[d] =", "to ="))
    rd, imm = raw >> 7 & 31 if writes else 0, immediate(raw, row.format)
    make = _maker(row, xlen)
    return make(x, rd or 32, raw >> 15 & 31, raw >> 20 & 31, imm & mask, pc + size & mask, pc + imm & mask, hart), rd


@cache
def _maker(row: Row, xlen: int) -> Callable[..., Callable[[], int]]:
    """What makes functions of a row."""
    used = [name for name in HART if f"{name}(" in row.effect]
    lines = [
        "def make(x, d, a, b, i, n, t, hart):",
        *(f"    {name} = hart[{name!r}]" for name in used),
        "    def execute():",
        *(f"        {line.strip()}" for line in row.effect.split("; ")),
        *(["        return n"] if "return" not in row.effect else []),
        "    return execute",
    ]
    names = {
        "M": (1 << xlen) - 1,
        "S": 1 << xlen - 1,
        "X": xlen,
        "K": xlen - 1,
        "div": div,
        "rem": rem,
        "divu": divu,
        "remu": remu,
    }
    for name in ("M", "S", "X", "K"):  # numbers in the text are faster than global names
        lines = [_constant(line, name, names[name]) for line in lines]
    exec("\n".join(lines), names)
    return names["make"]


def _constant(line: str, name: str, value: int) -> str:
    words = line.replace("(", "( ").replace(")", " )").replace(",", " ,").split(" ")
    return " ".join(hex(value) if word == name else word for word in words)


def div(a: int, b: int, bits: int) -> int:
    """Signed division, towards 0; -1 by 0, and the least number by -1 stays (13.2)."""
    if not b:
        return (1 << bits) - 1
    p, q = signed(a, bits), signed(b, bits)
    quotient = abs(p) // abs(q)
    return (quotient if (p < 0) == (q < 0) else -quotient) & (1 << bits) - 1


def rem(a: int, b: int, bits: int) -> int:
    """Remainder of `div`, with the sign of the dividend."""
    if not b:
        return a
    p, q = signed(a, bits), signed(b, bits)
    rest = abs(p) % abs(q)
    return (-rest if p < 0 else rest) & (1 << bits) - 1


def divu(a: int, b: int, bits: int) -> int:
    """Unsigned division; all ones by 0."""
    return a // b if b else (1 << bits) - 1


def remu(a: int, b: int, _bits: int) -> int:
    """Unsigned remainder; the dividend by 0."""
    return a % b if b else a


__all__ = ["HART", "LOAD", "OTHER", "PLAIN", "STORE", "decode", "function", "immediate"]
