# SPDX-License-Identifier: Apache-2.0
"""What the verifier needs of an instruction set simulator (sections 3.1 and 3.4): read state, write state, execute one,
reset.

State has one key for every register: register addresses of the trace (CSR 0x0000, x 0x1000, f 0x1020), and for what the
trace calls additional state `STATE_KEY` plus its identifier. Memory is read and written by physical address.

    simulator = reference(Config(xlen=64))          a `rvtrace.models.riscv.iss.hart.Hart` with this interface
    step = simulator.execute()                      what the next instruction, or the trap instead of it, changed
"""

from __future__ import annotations

from typing import Protocol

from rvtrace.models.riscv.iss.config import HartConfig, HartError, virt
from rvtrace.models.riscv.iss.csr import TIME
from rvtrace.models.riscv.iss.hart import Hart, Step
from rvtrace.models.tandem.table import FPR_BASE, GPR_BASE, MTIME, PC, PPC, PRIV, STATE_KEY

PC_KEY, PRIV_KEY, MTIME_KEY = STATE_KEY + PC, STATE_KEY + PRIV, STATE_KEY + MTIME
PPC_KEY = STATE_KEY + PPC  # physical address of the next instruction; follows from the others and is only read
INTERRUPT_KEY = (
    STATE_KEY + 0x100
)  # an input of the hart: cause of the interrupt that is presented, NO_INTERRUPT if none
RESERVATION_KEY = STATE_KEY + 0x101  # address of the reservation (4.2), NO_RESERVATION if none; its size above bit 64
NO_INTERRUPT = NO_RESERVATION = -1


class PartialSimulator(Protocol):
    """Four operations; all numbers are plain ints. What it cannot do it refuses: enough for a second simulator.

    name: for messages. exact: whether a step reports registers that were written with the value they had.
    """

    name: str
    exact: bool

    def read(self, key: int) -> int:
        """State of a register; KeyError if the simulator does not have it."""
        ...

    def write(self, key: int, value: int) -> None:
        """Set it, whatever privilege there is; of a CSR also bits that are read-only. KeyError as before."""

    def read_memory(self, address: int, size: int) -> bytes:
        """Bytes by physical address."""
        ...

    def write_memory(self, address: int, data: bytes) -> None:
        """Set them."""

    def execute(self) -> Step | None:
        """Attempt one instruction; None if the simulator cannot do what comes next."""
        ...

    def reset(self) -> None:
        """After hart reset."""


class Simulator(PartialSimulator, Protocol):
    """One that can do whatever comes: what a `Verifier` replays a trace with."""

    def execute(self) -> Step:
        """Attempt one instruction."""
        ...


class Reference:
    """A `Hart` as a simulator. hart: that hart."""

    name, exact = "the reference simulator", True

    def __init__(self, hart: Hart) -> None:
        self.hart = hart
        self.execute = hart.execute
        self.reset = hart.reset
        self.read_memory = hart.memory.read

    def read(self, key: int) -> int:
        """See `Simulator`."""
        hart = self.hart
        if key < GPR_BASE:
            return hart.read_csr(key)
        if key < FPR_BASE:
            return hart.x[key - GPR_BASE]
        if key == PC_KEY:
            return hart.pc
        if key == PRIV_KEY:
            return hart.priv
        if key == MTIME_KEY:
            return hart.csr[TIME]
        if key == PPC_KEY and (place := hart.place_of_pc()) is not None:
            return place
        if key == INTERRUPT_KEY:
            return hart.interrupt
        if key == RESERVATION_KEY:
            return NO_RESERVATION if hart.reservation is None else hart.reservation[0] | hart.reservation[1] << 64
        raise KeyError(key)

    def write(self, key: int, value: int) -> None:
        """See `Simulator`."""
        hart = self.hart
        if key < GPR_BASE:
            hart.set_csr(key, value)
        elif key < FPR_BASE:
            if key > GPR_BASE:
                hart.x[key - GPR_BASE] = value
        elif key == PC_KEY:
            hart.pc = value
        elif key == PRIV_KEY:
            hart.set_priv(value)
        elif key == MTIME_KEY:
            hart.csr[TIME] = value
        elif key == INTERRUPT_KEY:
            hart.interrupt = value
        elif key == RESERVATION_KEY:
            hart.reservation = None if value == NO_RESERVATION else (value & (1 << 64) - 1, value >> 64)
        else:
            raise KeyError(key)

    def write_memory(self, address: int, data: bytes) -> None:
        """See `Simulator`; translations that the hart keeps are dropped, because the bytes may be a page table."""
        self.hart.memory.write(address, data)
        self.hart.forget_translations()


def reference(xlen: int, **choices: object) -> Reference:
    """The reference simulator of QEMU's `virt` machine, with other choices of `HartConfig` by name."""
    return Reference(Hart(virt(xlen, **choices)))


__all__ = [
    "INTERRUPT_KEY",
    "MTIME_KEY",
    "NO_INTERRUPT",
    "NO_RESERVATION",
    "PC_KEY",
    "PPC_KEY",
    "PRIV_KEY",
    "RESERVATION_KEY",
    "HartConfig",
    "HartError",
    "PartialSimulator",
    "Reference",
    "Simulator",
    "Step",
    "reference",
]
