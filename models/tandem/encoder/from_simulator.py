# SPDX-License-Identifier: Apache-2.0
"""Rows of the encoder's port from what a simulator does: a trace of any program, without a recording of it.

rows = from_simulator(simulator, 10_000, program)        reset, memory, and one row for each step
"""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.models.riscv.iss.csr import MSTATUS
from rvtrace.models.riscv.iss.table import STORE
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.encoder.elf_to_trace import memory_rows
from rvtrace.models.tandem.simulator.interface import PC_KEY, PRIV_KEY, PartialSimulator, Step
from rvtrace.models.tandem.table import GPR_BASE
from rvtrace.models.tandem.trace_data import FLUSH, Rows, RowsError, TraceData

_ORDER = {0x341: 0, 0x141: 0, 0x342: 1, 0x142: 1, MSTATUS: 2, 0x343: 3, 0x143: 3}  # as tables C.7 and C.8


def from_simulator(simulator: PartialSimulator, count: int, program: Program, end: Iterable[int] = ()) -> Rows:
    """Up to `count` steps from the simulator's present pc on, with what loads memory and registers before. end: pcs at
    which it stops.

    The program must be in the simulator's memory. RowsError if the simulator cannot go on.
    """
    first = [TraceData(reset=True, pc=simulator.read(PC_KEY), priv=simulator.read(PRIV_KEY))]
    registers = [TraceData(init=True, gpr=(n, simulator.read(GPR_BASE + n))) for n in range(1, 32)]
    ends, steps = set(end), []
    while len(steps) < count and simulator.read(PC_KEY) not in ends:
        step = simulator.execute()
        if step is None:
            raise RowsError(
                f"{simulator.name} cannot execute what is at {simulator.read(PC_KEY):#x}; give a simulator that can"
            )
        steps.append(of_step(step))
    return Rows.concat([Rows.from_rows(first), memory_rows(program), Rows.from_rows([*registers, *steps, FLUSH])])


def of_step(step: Step) -> TraceData:
    """One step as a row."""
    told_priv = step.trap is not None or step.name in ("mret", "sret")
    return TraceData(
        pc=step.next_pc,
        insn=(step.size, step.insn) if step.size else None,
        gpr=(step.rd, step.value) if step.rd else None,
        csr=tuple(sorted(step.csrs.items(), key=lambda one: _ORDER.get(one[0], 4))),
        paddr=step.paddr if step.access else None,
        eaddr=step.eaddr if step.access and step.eaddr != step.paddr else None,
        memdata=(step.bytes.bit_length() - 1, step.data) if step.access == STORE else None,
        priv=step.priv if told_priv else None,
    )
