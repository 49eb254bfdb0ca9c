# SPDX-License-Identifier: Apache-2.0
"""A program some of whose instructions are replaced by loads, stores and atomics of every kind and size.

Random programs are about control flow. What is replaced goes on in sequence, before and after; its size stays.
"""

from __future__ import annotations

from collections.abc import Collection
from random import Random

import numpy as np

from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.operands import ATOMICS
from rvtrace.models.riscv.program import Program

_SHARE = 0.6
_REPLACED = (0x03, 0x13, 0x1B, 0x23, 0x33, 0x3B)  # opcodes whose result no jump needs
_Q0, _Q2 = 0, 2


def seasoned(program: Program, pcs: np.ndarray, rng: Random, always: Collection[int] = ()) -> Program:
    """The program with other instructions at some of these addresses, which are those of whole instructions. always:
    where each one is replaced that can be.
    """
    segments = [(base, bytearray(body)) for base, body in program.segments]
    for pc in sorted(set(pcs.tolist())):
        insn = program.insn(pc)
        if insn is None or not _replaceable(insn) or (pc not in always and rng.random() > _SHARE):
            continue
        raw = _word(rng, program.xlen) if insn.size == 4 else _half(rng, program)
        for base, body in segments:
            if base <= pc < base + len(body):
                body[pc - base : pc - base + insn.size] = raw.to_bytes(insn.size, "little")
    return Program(
        program.xlen, [(base, bytes(body)) for base, body in segments], program.labels, program.entry, program.jvt,
        program.data, program.zcmp, program.zcmt,
    )  # fmt: skip


def _replaceable(insn: Insn) -> bool:
    if insn.flow != Flow.SEQUENTIAL:
        return False
    if insn.size == 4:
        return insn.raw & 0x7F in _REPLACED
    return insn.size == 2 and (insn.raw & 3 == _Q0 or insn.raw >> 13 in (0, 4) and insn.raw & 3 == 1)


def _word(rng: Random, xlen: int) -> int:
    wide = xlen == 64
    kind = rng.choice(("load", "store", "atomic", "fload", "fstore"))
    rd, rs1, rs2, high = rng.randrange(1, 32), rng.randrange(32), rng.randrange(32), rng.getrandbits(7)
    if kind == "atomic":
        funct5 = rng.choice(sorted(ATOMICS))
        return funct5 << 27 | rs2 << 20 | rs1 << 15 | rng.choice((2, 3) if wide else (2,)) << 12 | rd << 7 | 0x2F
    funct3, opcode = {
        "load": ((0, 1, 2, 4, 5, *((3, 6) if wide else ())), 0x03),
        "store": ((0, 1, 2, *((3,) if wide else ())), 0x23),
        "fload": ((2, 3), 0x07),
        "fstore": ((2, 3), 0x27),
    }[kind]
    return high << 25 | rs2 << 20 | rs1 << 15 | rng.choice(funct3) << 12 | rd << 7 | opcode


def _half(rng: Random, program: Program) -> int:
    quadrant = rng.choice((_Q0, _Q2))
    if program.xlen == 64 and rng.random() < 0.2:  # c.addiw, where RV32 has c.jal
        return 1 << 13 | rng.getrandbits(5) << 2 | rng.randrange(1, 32) << 7 | 1
    bits = rng.getrandbits(13) & ~3 | 1 << 7  # a register that is not x0
    if quadrant == _Q0 and rng.random() < 0.25:  # Zcb
        return 4 << 13 | rng.randrange(4) << 10 | bits & 0x3FC
    stores = (5, 6, 7) if quadrant == _Q0 or not program.zcmp else (6, 7)
    return rng.choice((1, 2, 3, *stores)) << 13 | bits | quadrant
