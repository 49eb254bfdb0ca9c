# SPDX-License-Identifier: Apache-2.0
"""unicorn (QEMU's translator as a library) with the verifier's simulator interface: a second, independent opinion.

It knows x registers, pc and memory, in machine mode without address translation; of what traps, returns from traps or
accesses a CSR, `execute` says None (it has no opinion). unicorn is needed only by who asks for it, and imported there.
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.iss.hart import Step
from rvtrace.models.riscv.iss.table import LOAD, STORE
from rvtrace.models.tandem.simulator.interface import PC_KEY, PRIV_KEY
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE

PAGE_SIZE = 4096
_SYSTEM = 0x73


class UnicornError(RuntimeError):
    """unicorn is not there; the text says what to do."""


class UnicornSimulator:
    """See `rvtrace.models.tandem.simulator.interface.Simulator`. A step reports registers whose value changed only
    (exact is False).
    """

    name, exact = "unicorn", False

    def __init__(self, config: HartConfig) -> None:
        try:
            import unicorn
            from unicorn import riscv_const
            from unicorn.unicorn import Uc, UcError
        except ImportError:
            raise UnicornError("unicorn is not installed; type make venv, or pip install unicorn") from None
        self.config = config
        self._error, self._unmapped = UcError, unicorn.UC_ERR_FETCH_UNMAPPED
        mode = unicorn.UC_MODE_RISCV64 if config.xlen == 64 else unicorn.UC_MODE_RISCV32
        self._machine = Uc(unicorn.UC_ARCH_RISCV, mode)
        self._pc = riscv_const.UC_RISCV_REG_PC
        self._x = [riscv_const.UC_RISCV_REG_X0 + n for n in range(32)]
        self._mapped: set[int] = set()
        self._access: list[tuple[int, int, int, int]] = []
        self._interrupted = False
        self._priv = 3
        self.step = Step()
        access = unicorn.UC_HOOK_MEM_READ | unicorn.UC_HOOK_MEM_WRITE
        self._machine.hook_add(access, self._accessed)
        self._machine.hook_add(unicorn.UC_HOOK_INTR, self._interrupt)
        self._write_kind = unicorn.UC_MEM_WRITE
        self.reset()

    def _accessed(self, _uc: Any, kind: int, address: int, size: int, value: int, _data: Any) -> None:
        self._access.append((STORE if kind == self._write_kind else LOAD, address, size, value & (1 << 8 * size) - 1))

    def _interrupt(self, uc: Any, _number: int, _data: Any) -> None:
        self._interrupted = True
        uc.emu_stop()

    def reset(self) -> None:
        """pc of reset, machine mode; registers and memory stay."""
        self._machine.reg_write(self._pc, self.config.reset_pc)
        self._priv = 3

    def read(self, key: int) -> int:
        """x registers, pc and privilege."""
        if key == PRIV_KEY:
            return self._priv
        return self._machine.reg_read(self._number(key)) & self.config.mask

    def write(self, key: int, value: int) -> None:
        """The same."""
        if key == PRIV_KEY:
            self._priv = value
        elif key != GPR_BASE:
            self._machine.reg_write(self._number(key), value)

    def _number(self, key: int) -> int:
        if key == PC_KEY:
            return self._pc
        if GPR_BASE <= key < FPR_BASE:
            return self._x[key - GPR_BASE]
        raise KeyError(key)

    def _map(self, address: int, size: int) -> None:
        for page in range(address // PAGE_SIZE, (address + size - 1) // PAGE_SIZE + 1):
            if page not in self._mapped:
                self._mapped.add(page)
                self._machine.mem_map(page * PAGE_SIZE, PAGE_SIZE)

    def read_memory(self, address: int, size: int) -> bytes:
        """Bytes; pages come to be when they are asked for."""
        self._map(address, size)
        return bytes(self._machine.mem_read(address, size))

    def write_memory(self, address: int, data: bytes) -> None:
        """Set bytes; instructions there are translated again."""
        self._map(address, len(data))
        self._machine.mem_write(address, data)
        self._machine.ctl_remove_cache(address, address + len(data))

    def execute(self) -> Step | None:
        """One instruction; None of what it cannot do: everything of the opcode SYSTEM, what faults, and all below
        machine mode.
        """
        machine, step = self._machine, self.step
        pc = self.read(PC_KEY)
        head = int.from_bytes(self.read_memory(pc, 2), "little")
        size = 4 if head & 3 == 3 else 2
        bits = int.from_bytes(self.read_memory(pc, size), "little")
        if self._priv != 3 or (size == 4 and bits & 0x7F == _SYSTEM) or bits == 0x9002:
            return None
        before = machine.reg_read_batch(self._x)
        self._access.clear()
        self._interrupted = False
        try:
            machine.emu_start(pc, -1 & self.config.mask, count=1)
        except self._error as error:
            if (
                error.errno != self._unmapped or self.read(PC_KEY) == pc
            ):  # a jump is done when its target cannot be fetched
                return self._undo(pc, before)
        after = machine.reg_read_batch(self._x)
        if self._interrupted:
            return self._undo(pc, before)
        step.pc, step.insn, step.size, step.next_pc, step.priv = pc, bits, size, self.read(PC_KEY), 3
        step.csrs, step.trap, step.seen, step.rd, step.access, step.device = {}, None, (), 0, 0, 0
        for n in range(1, 32):
            if before[n] != after[n]:
                step.rd, step.value = n, after[n] & self.config.mask
        if self._access:
            step.access, step.eaddr, step.bytes, step.data = self._access[-1]
            step.paddr = step.eaddr
        return step

    def _undo(self, pc: int, before: tuple[int, ...]) -> None:
        for number, value in zip(self._x, before):
            self._machine.reg_write(number, value)
        self._machine.reg_write(self._pc, pc)


__all__ = ["UnicornError", "UnicornSimulator"]
