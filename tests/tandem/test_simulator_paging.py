# SPDX-License-Identifier: Apache-2.0
"""Virtual memory of the reference simulator: page sizes, permissions, A and D, faults, and when translations are
forgotten.
"""

from typing import Any

import pytest

from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.iss.csr import MSTATUS, MTVAL, SATP, ST_MPRV, ST_MXR, ST_SUM
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.riscv.iss.translate import SCHEMES, A, D, R, U, V, W, X

BASE, TABLE, DATA, VIRTUAL = 0x80000000, 0x80010000, 0x80030000, 0x40000000
LOAD, STORE, ALL = 0x0002A303, 0x0062A023, V | R | W | X | A | D  # lw x6, 0(x5); sw x6, 0(x5)
RAM = ((BASE, 0x100000),)
MODES = [(32, 1), (64, 8), (64, 9), (64, 10)]


class Machine:
    """A hart in S-mode (or U) whose code is mapped to itself, and one more page at VIRTUAL."""

    def __init__(self, xlen: int, mode: int, priv: int = 1, **choices: Any) -> None:
        self.xlen, self.scheme = xlen, SCHEMES[mode]
        self.hart = Hart(HartConfig(xlen, ram=RAM, reset_pc=BASE, paging=(mode,), **choices))
        self.free = TABLE + 0x1000
        self.map(BASE, BASE, ALL | (U if priv == 0 else 0))
        self.hart.set_csr(SATP, mode << (31 if xlen == 32 else 60) | TABLE >> 12)
        self.hart.set_priv(priv)
        self.hart.set_csr(0x305, BASE + 0x800)

    def map(self, virtual: int, physical: int, bits: int, level: int = 0) -> int:
        """Make a leaf at `level`; its address."""
        table, size = TABLE, self.scheme.size
        for depth in reversed(range(self.scheme.levels)):
            place = table + (virtual >> 12 + depth * self.scheme.bits & (1 << self.scheme.bits) - 1) * size
            if depth == level:
                self.hart.memory.store(place, physical >> 12 << 10 | bits, size)
                return place
            entry = self.hart.memory.load(place, size)
            if not entry & V:
                entry, self.free = self.free >> 12 << 10 | V, self.free + 0x1000
                self.hart.memory.store(place, entry, size)
            table = entry >> 10 << 12
        raise AssertionError

    def run(self, raw: int, address: int) -> tuple[int, int] | None:
        """Execute an access of `address`; the trap."""
        self.hart.memory.write(BASE, raw.to_bytes(4, "little"))
        self.hart.pc, self.hart.x[5] = BASE, address
        return self.hart.execute().trap


@pytest.mark.parametrize("xlen,mode", MODES)
def test_pages_of_every_size(xlen: int, mode: int) -> None:
    machine = Machine(xlen, mode)
    machine.hart.memory.store(DATA + 8, 0x1234, 4)
    machine.map(VIRTUAL, DATA, ALL)
    assert machine.run(LOAD, VIRTUAL + 8) is None and machine.hart.x[6] == 0x1234
    step = machine.hart.step
    assert (step.eaddr, step.paddr) == (VIRTUAL + 8, DATA + 8)
    size = 1 << 12 + SCHEMES[mode].bits
    if VIRTUAL + 2 * size < 1 << xlen:
        machine.map(VIRTUAL + 2 * size, BASE, ALL, level=1)  # BASE is aligned to the page
        assert machine.run(LOAD, VIRTUAL + 2 * size + DATA + 8 - BASE) is None and machine.hart.x[6] == 0x1234
        machine.map(VIRTUAL + 3 * size, BASE + 0x1000, ALL, level=1)  # this one is not
        assert machine.run(LOAD, VIRTUAL + 3 * size) == (0, 13)


@pytest.mark.parametrize("bits,load,store", [
    (V | R | A | D, None, 15), (V | R | W | A | D, None, None), (V | X | A, 13, 15), (V | R | W | D, 13, 15),
    (V | R | W | A, None, 15),
    (R | W | A | D, 13, 15), (V | W | A | D, 13, 15), (V | R | W | A | D | U, 13, 15),
])  # fmt: skip
@pytest.mark.parametrize("xlen,mode", MODES[:2])
def test_permissions_in_s_mode(xlen: int, mode: int, bits: int, load: int | None, store: int | None) -> None:
    for raw, cause in ((LOAD, load), (STORE, store)):
        machine = Machine(xlen, mode)
        machine.map(VIRTUAL, DATA, bits)
        assert machine.run(raw, VIRTUAL) == (None if cause is None else (0, cause))
        assert cause is None or machine.hart.read_csr(MTVAL) == VIRTUAL


def test_user_pages() -> None:
    machine = Machine(64, 8, priv=0)
    machine.map(VIRTUAL, DATA, ALL)
    assert machine.run(LOAD, VIRTUAL) == (0, 13)
    machine = Machine(64, 8, priv=0)
    machine.map(VIRTUAL, DATA, ALL | U)
    assert machine.run(LOAD, VIRTUAL) is None
    machine = Machine(64, 8)
    machine.map(VIRTUAL, DATA, ALL | U)
    machine.hart.set_csr(MSTATUS, ST_SUM)
    assert machine.run(LOAD, VIRTUAL) is None
    machine.hart.pc = VIRTUAL
    assert machine.hart.execute().trap == (0, 12)  # S never executes a page of U, whatever SUM says


def test_mxr_and_mprv() -> None:
    machine = Machine(64, 8)
    machine.map(VIRTUAL, DATA, V | X | A)
    machine.hart.set_csr(MSTATUS, ST_MXR)
    assert machine.run(LOAD, VIRTUAL) is None
    machine = Machine(64, 8)
    machine.map(VIRTUAL, DATA, ALL)
    machine.hart.set_priv(3)
    assert machine.run(LOAD, VIRTUAL) == (0, 5)  # M: no translation, and no memory there
    machine.hart.set_csr(MSTATUS, ST_MPRV | 1 << 11)
    assert machine.run(LOAD, VIRTUAL) is None


def test_a_and_d_by_the_hart() -> None:
    machine = Machine(64, 8, update_ad=True)
    place = machine.map(VIRTUAL, DATA, V | R | W)
    assert machine.run(LOAD, VIRTUAL) is None and machine.hart.memory.load(place, 8) & (A | D) == A


def test_addresses_that_are_not_canonical() -> None:
    assert Machine(64, 8).run(LOAD, 1 << 39) == (0, 13)
    assert Machine(64, 9).run(LOAD, 1 << 47) == (0, 13)


def test_a_translation_is_kept_until_sfence_vma() -> None:
    machine = Machine(64, 8)
    machine.map(VIRTUAL, DATA, ALL)
    assert machine.run(LOAD, VIRTUAL) is None
    machine.map(VIRTUAL, DATA, 0)
    machine.hart.pc, machine.hart.x[5] = BASE, VIRTUAL
    machine.hart.memory.write(BASE + 0x10, (0x12000073).to_bytes(4, "little"))
    machine.hart.pc = BASE + 0x10
    assert machine.hart.execute().trap is None
    assert machine.run(LOAD, VIRTUAL) == (0, 13)


def test_an_access_that_crosses_pages() -> None:
    machine = Machine(64, 8)
    machine.map(VIRTUAL, DATA, ALL)
    machine.map(VIRTUAL + 0x1000, DATA + 0x5000, ALL)
    machine.hart.x[6] = 0x44332211
    assert machine.run(STORE, VIRTUAL + 0xFFE) is None
    assert (
        machine.hart.memory.read(DATA + 0xFFE, 2) == b"\x11\x22"
        and machine.hart.memory.read(DATA + 0x5000, 2) == b"\x33\x44"
    )
    assert machine.hart.step.parts == ((DATA + 0xFFE, 2), (DATA + 0x5000, 2))
    machine.hart.x[6] = 0
    assert machine.run(LOAD, VIRTUAL + 0xFFE) is None and machine.hart.x[6] == 0x44332211
    assert machine.run(STORE, VIRTUAL + 0x1FFE) == (0, 15) and machine.hart.memory.read(DATA + 0x5FFE, 2) == bytes(2)
