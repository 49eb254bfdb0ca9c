# SPDX-License-Identifier: Apache-2.0
"""Instructions that each end a block, of one mode: the most that both ports have to take in a cycle."""

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
