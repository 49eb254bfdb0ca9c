# SPDX-License-Identifier: Apache-2.0
"""Records what a program does on the reference simulator: every instruction and trap with its effects.

The simulator has traps and privileged modes, so it can record what unicorn cannot. A run ends with the first store of
an odd value to `tohost`, of which 1 means that the program found nothing wrong, or with a jump to itself. Devices make
no interrupt here; those that a program makes pending itself, in mip, are taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rvtrace.flow.programs.package import ProgramsError
from rvtrace.models.riscv import isa
from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.iss.csr import MIP, MSTATUS, SATP
from rvtrace.models.riscv.iss.hart import Hart, Step
from rvtrace.models.riscv.iss.table import STORE
from rvtrace.models.riscv.operands import NO_CSR, Operands, operands
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Effects, Kind, Retired

RECORDED_INSTRUCTIONS = 20_000_000  # instructions; a recording in one piece
PART = 1 << 20  # rows that are kept as tuples
VARIANT = "v1_0"
ASID = {32: (22, 0x1FF), 64: (44, 0xFFFF)}  # lowest bit and mask in satp
# interrupts that a CSR write makes pending, the first first (privileged manual, 3.1.9)
_SOFTWARE = (9, 1, 5)
_EFFECTS = (np.uint8, np.uint64, np.uint64, np.uint8, np.uint8, np.uint64)


class Run(NamedTuple):
    """What was recorded. retired: in the form of variant v1_0, with effects. initial: x0 to x31 before the first row.
    code: what the program stored to tohost. hart: as it was at the end.
    """

    retired: Retired
    initial: np.ndarray
    code: int
    hart: Hart


class _Static(NamedTuple):
    """What the program says about an instruction."""

    size: int
    raw: int
    itype: int
    branch: bool
    target: int
    operands: Operands
    name: str


def run(program: Program, tohost: int, limit: int = RECORDED_INSTRUCTIONS, **choices: Any) -> Run:
    """From the program's entry to its end. tohost: its address; -1: it has none. choices: options of `HartConfig`.

    ProgramsError if it does not end, or does what a recording cannot hold.
    """
    hart = Hart(virt(program.xlen, reset_pc=program.entry, **choices))
    for base, body in (*program.segments, *program.data):
        hart.memory.write(base, bytes(body))
    known: dict[int, _Static] = {}
    parts = _Parts()
    rows, effects, writes = parts.rows, parts.effects, parts.writes
    low, mask = ASID[program.xlen]
    code = 0
    while not code & 1:
        if len(rows) >= PART:
            parts.pack()
        if parts.count + len(rows) > limit:
            raise ProgramsError(f"it did not end within {limit:,} instructions; give it less to do")
        priv, context = hart.priv, hart.csr.get(SATP, 0) >> low & mask
        step = hart.execute()
        if step.trap is not None:
            interrupt, cause = step.trap
            kind = int(Kind.INTERRUPT if interrupt else Kind.EXCEPTION)
            tval = list(step.csrs.values())[3]
            writes += [(parts.count + len(rows), csr, value) for csr, value in step.csrs.items()]
            rows.append((kind, step.pc, 0, kind, -1, cause, tval, priv, context))
            effects.append((0, 0, 0, 0, 0, 0))
            continue
        static = known.get(step.pc)
        if static is None:
            static = known[step.pc] = _static(program, step.pc)
        if static.raw != step.insn:
            raise ProgramsError(
                f"it changes its own code at {step.pc:#x}, and a trace is followed in a program that stays as it is"
            )
        taken = int(step.next_pc == static.target) if static.branch else -1
        itype = int(isa.IType.TAKEN) if taken == 1 else static.itype
        writes += _csrs(parts.count + len(rows), static, step, hart)
        if MIP in step.csrs:
            hart.interrupt = next((cause for cause in _SOFTWARE if step.csrs[MIP] >> cause & 1), -1)
        rows.append((0, step.pc, static.size, itype, taken, 0, 0, priv, context))
        effects.append(_effect(static.operands, step))
        if step.access == STORE and step.paddr == tohost:
            code = step.data
        elif tohost < 0 and step.next_pc == step.pc:  # it waits for ever: that is its end
            code = 1
    retired = parts.retired()
    return Run(retired, np.zeros(32, np.uint64), code, hart)


class _Parts:
    """Rows and effects, packed now and then: as tuples they take twenty times the memory."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, ...]] = []
        self.effects: list[tuple[int, ...]] = []
        self.writes: list[tuple[int, int, int]] = []
        self.count = 0
        self._packed: list[tuple[Retired, list[np.ndarray]]] = []

    def pack(self) -> None:
        """What there is becomes arrays."""
        columns = [np.array(column, dtype) for column, dtype in zip(zip(*self.effects), _EFFECTS)]
        self._packed.append((Retired.from_rows(self.rows), columns))
        self.count += len(self.rows)
        self.rows.clear()
        self.effects.clear()

    def retired(self) -> Retired:
        """All of it."""
        if self.rows:
            self.pack()
        result = Retired.concat([part for part, _ in self._packed])
        columns: list[Any] = [np.concatenate(each) for each in zip(*(columns for _, columns in self._packed))]
        table = np.array(self.writes, np.uint64).reshape(-1, 3)
        columns += [table[:, 0].astype(np.int64), table[:, 1].astype(np.uint16), table[:, 2]]
        result.effects = Effects(*columns)
        return result


def _static(program: Program, pc: int) -> _Static:
    insn = program.insn(pc)
    if insn is None:
        raise ProgramsError(f"it runs code at {pc:#x} that it made itself; a trace is followed in a program")
    found = operands(insn.raw, insn.size, program.xlen)
    branch = insn.flow == isa.Flow.BRANCH
    target = insn.target if branch else -1
    return _Static(insn.size, insn.raw, int(isa.itype(insn, VARIANT, False)), branch, target, found, insn.name)


def _effect(o: Operands, step: Step) -> tuple[int, ...]:
    """rd, rd_value, mem_addr, mem_size, mem_store, mem_value."""
    value = step.value if step.rd else 0
    if not step.access:
        return o.rd, value, 0, 0, 0, 0
    store = int(step.access == STORE)
    data = step.data if store else value
    return o.rd, value, step.eaddr, o.size, store, data & (1 << 8 * o.size) - 1


def _csrs(row: int, static: _Static, step: Step, hart: Hart) -> list[tuple[int, int, int]]:
    """The CSR writes of an instruction: of one that accesses a CSR its value after, of xRET mstatus."""
    if static.operands.csr != NO_CSR:
        (of,) = step.csrs
        csr = static.operands.csr
        return [(row, csr, step.csrs[of] & hart.config.mask if of == csr else hart.read_csr(csr))]
    return [(row, MSTATUS, step.csrs[MSTATUS])] if static.name in isa.XRET else []
