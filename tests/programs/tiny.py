# SPDX-License-Identifier: Apache-2.0
"""A program of a few instructions that ends as riscv-tests does, without a compiler: calls, a loop, a counter, and the
store to `tohost`.
"""

from pathlib import Path

from rvtrace.models.riscv import elf
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program

TOHOST, FROMHOST = 0x8000_1000, 0x8000_1040
MINSTRET = 0xB02


def store(rs1: int, rs2: int, size: int = 2) -> int:
    """sw (or sd with size 3) of rs2 to rs1."""
    return rs2 << 20 | rs1 << 15 | size << 12 | 0x23


def read_csr(rd: int, csr: int) -> int:
    """csrr."""
    return csr << 20 | 2 << 12 | rd << 7 | 0x73


def tiny(turns: int = 5, code: int = 1, requests: int = 0) -> Program:
    """Calls a function so many times, reads minstret into x8 and x9, asks the host for something so many times, and
    ends with a code.
    """
    b = ProgramBuilder(64, 0x8000_0000)
    b.auipc(5, 1)  # TOHOST
    b.addi(6, 0, turns)
    b.label("loop")
    b.jal(1, "leaf")
    b.addi(6, 6, -1)
    b.bne(6, 0, "loop")
    b.raw(read_csr(8, MINSTRET), 4)
    b.addi(9, 8, 0)
    for _ in range(requests):
        here = b.here
        b.addi(7, 0, 0x100)
        b.raw(store(5, 7, 3), 4)
        b.label(f"wait{here:x}")
        b.raw(0x40 << 20 | 5 << 15 | 3 << 12 | 7 << 7 | 0x03, 4)  # ld x7, 64(x5)
        b.beq(7, 0, f"wait{here:x}")
        b.raw(0x02 << 25 | store(5, 0, 3), 4)  # sd x0, 64(x5)
    b.addi(7, 0, code)
    b.raw(store(5, 7, 3), 4)
    b.label("halt")
    b.jal(0, "halt")
    b.label("leaf")
    b.addi(10, 10, 3)
    b.c_nop()
    b.jalr(0, 1)
    return b.build()


def write(program: Program, path: Path) -> Path:
    """As an ELF file."""
    symbols = [*program.labels, ("tohost", TOHOST), ("fromhost", FROMHOST)]
    host = [(TOHOST, bytes(0x48))]
    elf.write(elf.ElfFile(program.xlen, program.segments, host, symbols, program.entry, 0, False, False), path)
    return path
