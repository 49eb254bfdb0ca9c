# SPDX-License-Identifier: Apache-2.0
"""Instructions of one mode that each end a block, or two: the most that both ports have to take in a cycle."""

from __future__ import annotations

from rvtrace.models.adapter.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.walk import Walk

_BASE = 0x8000_0000
_JUMPS = 400  # many times what the queues hold


def jumps_in_every_cycle(config: Config) -> tuple[Program, Retired]:
    """Jumps to and fro, so that none leads to the next instruction; a run ends after an instruction that is no jump."""
    b = ProgramBuilder(config.xlen, _BASE)
    for place in range(_JUMPS // 2):
        b.label(f"to{place}")
        b.c_j(f"fro{place}")
    b.nop()
    for place in range(_JUMPS // 2):
        b.label(f"fro{place}")
        b.c_j(f"to{place + 1}" if place + 1 < _JUMPS // 2 else "end")
    b.nop()
    b.label("end")
    b.nop()
    program = b.build()
    return program, Walk(program).step(_JUMPS + 1).retired()


def jumps_at_the_limit(config: Config) -> tuple[Program, Retired]:
    """Three instructions of 4 bytes are a block of 6 half-words; a jump of 4 bytes has no room in one of 7, so that
    both blocks are whole at once. Another jump after it moves the group by one channel.
    """
    b = ProgramBuilder(config.xlen, _BASE)
    for place in range(_JUMPS // 8):
        b.label(f"to{place}")
        for _ in range(3):
            b.nop()
        b.jal(0, f"fro{place}")
        b.nop()
        b.label(f"fro{place}")
        b.jal(0, f"to{place + 1}" if place + 1 < _JUMPS // 8 else "end")
        b.nop()
    b.label("end")
    b.nop()
    program = b.build()
    return program, Walk(program).step(5 * (_JUMPS // 8) + 1).retired()
