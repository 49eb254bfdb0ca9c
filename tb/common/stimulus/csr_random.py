# SPDX-License-Identifier: Apache-2.0
"""Random accesses to the CSRs of a file: mostly such that make a difference, some to addresses at which nothing is.

    accesses = RandomCsrs(file, (M, HS, U), rng)
    accesses.access(HS)                            # mostly at the mode of the hart

Operands come from the fields of the table. A block inherits it, and says what makes sense of its registers.
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

from rvtrace.models.csr.file import ALL, CsrFile, Indirect
from rvtrace.models.csr.table import Csr, Field, Register
from rvtrace.models.riscv.csr import CLEAR, READ, SET, WRITE, Access, M

_ASTRAY = (
    0.05  # share of accesses to addresses at which nothing is, as the tests of CTR (0.04) and counters (0.03) have
)


class RandomCsrs:
    """Random accesses of one implementation. modes: its privileges; foreign: addresses that others have."""

    def __init__(self, file: CsrFile, modes: Iterable[int], rng: Random, foreign: Iterable[int] = ()) -> None:
        self.file, self.rng, self.modes, self.foreign = file, rng, tuple(modes), list(foreign)

    def access(self, priv: int) -> Access:
        """Any access, mostly at the mode of the hart or in M-mode."""
        rng = self.rng
        mode = rng.choice((priv, priv, M, rng.choice(self.modes)))
        if rng.random() < _ASTRAY:
            return self.astray(mode)
        csr = rng.choice(self.file.csrs)
        xlen32 = int(rng.random() < (0.9 if csr.high else 0.15))
        op = rng.choice((READ, READ, WRITE, SET, CLEAR))
        value = self.value(csr) >> 32 * csr.high
        if csr.read_only and rng.random() < 0.5:
            value = 0  # set and clear with it are no writes
        return Access(op, csr.address, value & (1 << self.file.xlen) - 1, mode, xlen32)

    def astray(self, mode: int, xlen32: int | None = None) -> Access:
        """An access to an address of another implementation, or to any; of either XLEN unless xlen32 says which."""
        rng = self.rng
        address = rng.choice(self.foreign) if rng.random() < 0.7 and self.foreign else rng.getrandbits(12)
        op, value = rng.randrange(4), rng.getrandbits(self.file.xlen)
        return Access(op, address, value, mode, rng.getrandbits(1) if xlen32 is None else xlen32)

    def value(self, csr: Csr) -> int:
        """An operand of all 64 bits that makes a difference to a CSR, most of the time."""
        rng = self.rng
        if rng.random() < 0.1:
            return rng.choice((0, ALL, rng.getrandbits(64)))
        if csr.is_select:
            return self.select() if self.file.indirect else rng.getrandbits(64)
        if csr.ireg:
            registers = [one.register(csr.ireg) for one in self.file.indirect]
            return self.fields(rng.choice(registers) or csr)
        return self.fields(csr)

    def select(self) -> int:
        """A value of an iselect: mostly one that selects something, or the first beyond."""
        rng = self.rng
        one: Indirect = rng.choice(self.file.indirect)
        value = rng.choice((one.values.start, one.values.stop - 1, one.values.stop, rng.choice(one.values)))
        return value | rng.choice((0, 0, 0, 1 << 31, 1 << 63, 1 << 40))

    def fields(self, register: Register) -> int:
        """A value of a register: of each field a legal one or any."""
        return sum(self.field(one) << one.lsb for one in register.fields)

    def field(self, field: Field) -> int:
        """A value of a field."""
        rng, legal = self.rng, field.legal.values
        return rng.choice(legal) if legal and rng.random() < 0.7 else rng.getrandbits(field.width)
