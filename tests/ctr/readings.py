# SPDX-License-Identifier: Apache-2.0
"""CTR devices that read an open sentence of the texts in another way than the reference, and some that no reading
allows.
"""

from collections.abc import Callable
from typing import Any

from rvtrace.models.ctr.model import Ctr
from rvtrace.models.riscv.csr import DONE, ILLEGAL, VS, VU, WRITE, Access, Answer, M, U


def clears(which: Callable[[int, int], int]) -> type[Ctr]:
    """A device whose CLR clears that many entries, of the depth before the write and the one after it."""

    class Device(Ctr):
        def _clear_draft(self, before: int) -> None:
            self.recorder.clear(which(before, self.recorder.depth))

    return Device


def holds(bits: int) -> type[Ctr]:
    """A device whose ctrsource and ctrtarget have this many bits, sign-extended."""

    class Device(Ctr):
        def _part(self, part: int, logical: int) -> tuple[int, int]:
            x, unknown = super()._part(part, logical)
            return (x & (1 << bits) - 1 | (-(x >> bits - 1 & 1) << bits) & (1 << 64) - 1 if part < 3 else x), unknown

    return Device


class Select(Ctr):
    """miselect is read-only `value`."""

    value = 0

    def _write(self, csr: Any, access: Access, new: int) -> None:
        super()._write(csr, access, self.value if csr.name == "miselect" else new)


class Select201(Select):
    value = 0x201


class NoSelect(Ctr):
    """miselect is not there."""

    def peek(self, access: Access) -> Answer:
        return Answer(0, ILLEGAL) if access.addr == 0x350 else super().peek(access)


class HalfSelect(Ctr):
    """miselect refuses writes alone."""

    def peek(self, access: Access) -> Answer:
        return Answer(0, ILLEGAL) if access.addr == 0x350 and access.op == WRITE else super().peek(access)


def outside(first: int) -> type[Ctr]:
    """A device whose refused sireg accesses of M-mode at iselects from `first` on read 5."""

    class Device(Ctr):
        def peek(self, access: Access) -> Answer:
            answer = super().peek(access)
            return (
                Answer(5, DONE)
                if access.addr == 0x151 and self.gates.siselect >= first and access.priv in (M, U)
                else answer
            )

    return Device


class Keeps(Ctr):
    """A write of hstateen0 leaves the bits that mstateen0 closes."""

    def _write_stateen(self, name: str, value: int) -> None:
        old = self.gates.hstateen
        super()._write_stateen(name, value)
        if name[0] == "h":
            self.gates.hstateen |= old & ~self.gates.mstateen


class Fickle(Keeps):
    """And shows them as 0 nevertheless."""

    def _value(self, csr: Any, access: Access) -> tuple[int, int]:
        return (0, 0) if csr.name == "hstateen0" else super()._value(csr, access)


def upper(other: int) -> type[Ctr]:
    """A device whose writes at XLEN 32 leave bits 63:32 of an entry, changed by `other`."""

    class Device(Ctr):
        def _write(self, csr: Any, access: Access, new: int) -> None:
            old = self._value(csr, access)[0] & ~0xFFFFFFFF if "ireg" in csr.name and access.xlen32 else 0
            super()._write(csr, access, old ^ (other << 32 if access.xlen32 else 0) | new)

    return Device


def unmoved(*names: str) -> type[Ctr]:
    """A device whose counter does not mind writes of these control registers."""

    class Device(Ctr):
        def _write_control(self, csr: Any, access: Access, kind: str, value: int) -> None:
            count, invalid = self.recorder.counter, self.recorder.invalid
            super()._write_control(csr, access, kind, value)
            if csr.name in names and access.priv not in (VS, VU):
                self.recorder.counter, self.recorder.invalid = count, invalid

    return Device
