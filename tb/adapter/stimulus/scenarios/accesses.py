# SPDX-License-Identifier: Apache-2.0
"""Every instruction that accesses memory faults, so that its cause depends on its size and its address."""

from __future__ import annotations

from rvtrace.models.adapter.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.operands import ATOMICS
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv, Retired
from rvtrace.models.riscv.walk import Walk

_BASE = 0x8000_0000
_TURNS = 12  # addresses of each


def faulting_accesses(config: Config) -> tuple[Program, Retired]:
    """Loads, stores and atomics of 32 and of 16 bits, one after the other; the handler returns to the next one."""
    b = ProgramBuilder(config.xlen, _BASE)
    b.label("main")
    b.nop()
    places = [(b.raw(bits, size), size) for bits, size in _accesses(config)]
    b.nop()
    b.jalr(0, 10)
    b.label("handler")
    b.nop()
    b.mret()
    program = b.build()
    walk = Walk(program)
    for _ in range(_TURNS):
        walk.step()
        for place, size in places:
            walk.trap(5, b.labels["handler"], priv=Priv.M).step().jump(place + size)
        walk.step().jump(b.labels["main"])
    walk.step()
    return program, walk.retired()


def _accesses(config: Config) -> list[tuple[int, int]]:
    """Bits and size of each; a1 is the address, a0 the register."""
    wide = config.xlen == 64
    words = [funct3 << 12 | 0x03 for funct3 in (0, 1, 2, 4, 5, *((3, 6) if wide else ()))]
    words += [funct3 << 12 | 0x23 for funct3 in (0, 1, 2, *((3,) if wide else ()))]
    words += [funct3 << 12 | opcode for opcode in (0x07, 0x27) for funct3 in (2, 3)]
    words += [kind << 27 | funct3 << 12 | 0x2F for kind in sorted(ATOMICS) for funct3 in ((2, 3) if wide else (2,))]
    halves = [funct3 << 13 | quadrant for quadrant in (0, 2) for funct3 in (1, 2, 3, 5, 6, 7)]
    halves += [4 << 13 | kind << 10 for kind in range(4)]  # Zcb
    return [(11 << 15 | 10 << 7 | bits, 4) for bits in words] + [(3 << 7 | 2 << 2 | bits, 2) for bits in halves]
