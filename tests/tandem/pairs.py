# SPDX-License-Identifier: Apache-2.0
"""Two simulators side by side: the reference and unicorn, given the same state, one instruction at a time."""

import random

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.tandem.simulator.interface import PC_KEY, Reference, reference
from rvtrace.models.tandem.simulator.unicorn_cpu import UnicornSimulator
from rvtrace.models.tandem.table import GPR_BASE

CODE, DATA = 0x80000000, 0x80010000
CORNERS = (0, 1, 2, 0x7F, 0x80, 0x7FFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF, 1 << 63, (1 << 63) - 1, (1 << 64) - 1)


class Pair:
    """One instruction in both: they must do the same to pc, registers and the data page."""

    def __init__(self, xlen: int) -> None:
        self.mask = (1 << xlen) - 1
        self.one: Reference = reference(xlen)
        self.other = UnicornSimulator(virt(xlen))
        self.registers = [0] * 32

    def state(self, rng: random.Random, base: tuple[int, ...] = ()) -> None:
        """New registers; those of `base` point into the data page."""
        for n in range(1, 32):
            value = rng.choice(CORNERS) if rng.random() < 0.4 else rng.getrandbits(64)
            value = DATA + 2048 + rng.randrange(-64, 64) * 8 if n in base else value & self.mask
            self.registers[n] = value
            self.one.write(GPR_BASE + n, value)
            self.other.write(GPR_BASE + n, value)
        body = rng.randbytes(4096)
        for simulator in (self.one, self.other):
            simulator.write_memory(DATA, body)

    def place(self, raw: int, size: int, pc: int = CODE) -> None:
        """Put an instruction to pc, and go there."""
        for simulator in (self.one, self.other):
            simulator.write_memory(pc, raw.to_bytes(size, "little") + b"\x01\x00")
            simulator.write(PC_KEY, pc)

    def run(self) -> tuple[bool, str]:
        """Execute; whether unicorn had an opinion, and what differs ("" nothing)."""
        theirs = self.other.execute()
        if theirs is None:
            return False, ""
        mine = self.one.execute()
        apart = []
        if mine.trap:
            return True, f"trap {mine.trap}"
        for n in range(32):
            a, b = self.one.read(GPR_BASE + n), self.other.read(GPR_BASE + n)
            if a != b:
                apart.append(f"x{n} {a:#x} / {b:#x} from {self.registers[n]:#x}")
        if mine.next_pc != theirs.next_pc:
            apart.append(f"pc {mine.next_pc:#x} / {theirs.next_pc:#x}")
        if (mine.access, mine.access and mine.eaddr) != (theirs.access, theirs.access and theirs.eaddr):
            apart.append(f"access {mine.access} {mine.eaddr:#x} / {theirs.access} {theirs.eaddr:#x}")
        if self.one.read_memory(DATA, 4096) != self.other.read_memory(DATA, 4096):
            apart.append("memory")
        return True, "; ".join(apart)
