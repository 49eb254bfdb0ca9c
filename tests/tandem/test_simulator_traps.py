# SPDX-License-Identifier: Apache-2.0
"""Traps of the reference simulator: causes and values, delegation, vectors, returns, interrupts; access and misaligned
faults.
"""

import pytest

from rvtrace.models.riscv.iss.config import HartConfig
from rvtrace.models.riscv.iss.csr import MCAUSE, MEPC, MIE, MSTATUS, MTVAL, MTVEC, SCAUSE, SEPC, STVAL, STVEC
from rvtrace.models.riscv.iss.hart import Hart

BASE, RAM = 0x80000000, ((0x80000000, 0x10000),)
ECALL, EBREAK, MRET, SRET, WFI = 0x73, 0x100073, 0x30200073, 0x10200073, 0x10500073
MEDELEG, MIDELEG = 0x302, 0x303


def hart_at(raw: int, priv: int = 3, **choices: object) -> Hart:
    hart = Hart(HartConfig(**{"ram": RAM, "reset_pc": BASE, **choices}))
    hart.memory.write(BASE, raw.to_bytes(4, "little"))
    hart.set_csr(MTVEC, BASE + 0x1001)
    hart.set_csr(STVEC, BASE + 0x2001) if "s" in hart.config.modes else None
    hart.set_priv(priv)
    return hart


@pytest.mark.parametrize("raw,priv,cause,tval", [
    (ECALL, 0, 8, 0), (ECALL, 1, 9, 0), (ECALL, 3, 11, 0), (EBREAK, 3, 3, 0), (0xFFFFFFFF, 3, 2, 0xFFFFFFFF),
    (MRET, 1, 2, MRET), (SRET, 0, 2, SRET),
    (0x0000, 3, 2, 0), (0x9002, 3, 3, 0), (WFI, 0, 2, WFI), (0x12000073, 0, 2, 0x12000073),
])  # fmt: skip
def test_exceptions(raw: int, priv: int, cause: int, tval: int) -> None:
    hart = hart_at(raw, priv)
    step = hart.execute()
    assert step.trap == (0, cause) and hart.pc == BASE + 0x1000 and hart.priv == 3  # exceptions are not vectored
    assert [hart.read_csr(n) for n in (MEPC, MCAUSE, MTVAL)] == [BASE, cause, tval]
    assert hart.read_csr(MSTATUS) >> 11 & 3 == priv and step.next_pc == hart.pc
    assert step.size and not step.rd and set(step.csrs) == {MSTATUS, MEPC, MCAUSE, MTVAL}


@pytest.mark.parametrize(
    "name,raw,address,size_fault,access_fault",
    [
        ("lw", 0x0002A303, 0x80000002, 4, 5),
        ("sw", 0x0062A023, 0x80000002, 6, 7),
        ("lr.w", 0x1002A32F, 0x80000002, 4, 5),
        ("amoadd.w", 0x0062A32F, 0x80000002, 6, 7),
    ],
)
def test_addresses(name: str, raw: int, address: int, size_fault: int, access_fault: int) -> None:
    hart = hart_at(raw, misaligned=False)
    hart.x[5] = address
    step = hart.execute()
    assert step.trap == (0, size_fault) and hart.read_csr(MTVAL) == address and not step.access and not step.rd
    hart = hart_at(raw)
    hart.x[5] = 0x1000
    assert hart.execute().trap == (0, access_fault) and hart.read_csr(MTVAL) == 0x1000
    if name in ("lw", "sw"):
        hart = hart_at(raw)
        hart.x[5] = address
        assert hart.execute().trap is None  # misaligned ones are done by default


def test_a_fetch_from_nowhere_has_no_instruction() -> None:
    hart = hart_at(0x13)
    hart.pc = 0x40
    step = hart.execute()
    assert step.trap == (0, 1) and step.size == 0 and hart.read_csr(MTVAL) == 0x40 == hart.read_csr(MEPC)


def test_a_hart_without_c_refuses_to_jump_between_words() -> None:
    hart = hart_at(0x00200067 | 5 << 15 | 1 << 7, extensions="im")  # jalr x1, 2(x5)
    hart.x[5], hart.x[1] = BASE + 4, 7
    assert hart.execute().trap == (0, 0) and hart.x[1] == 7 and hart.read_csr(MTVAL) == BASE + 6
    hart = hart_at(0x0001, extensions="im")
    assert hart.execute().trap == (0, 2)


@pytest.mark.parametrize("priv", (0, 1))
def test_delegation(priv: int) -> None:
    hart = hart_at(EBREAK, priv)
    hart.set_csr(MEDELEG, 1 << 3)
    step = hart.execute()
    assert (
        hart.priv == 1
        and hart.pc == BASE + 0x2000
        and [hart.read_csr(n) for n in (SEPC, SCAUSE, STVAL)] == [BASE, 3, 0]
    )
    assert hart.read_csr(MSTATUS) >> 8 & 1 == priv and SEPC in step.csrs and MEPC not in step.csrs
    hart = hart_at(EBREAK, 3)
    hart.set_csr(MEDELEG, 1 << 3)
    hart.execute()
    assert hart.priv == 3 and hart.pc == BASE + 0x1000  # never to a lower mode


@pytest.mark.parametrize("priv,enabled,delegated,taken", [
    (3, 0, 0, False), (3, 1 << 3, 0, True), (1, 0, 0, True), (0, 0, 0, True), (3, 1 << 3, 1, False), (1, 0, 1, False),
    (1, 1 << 1, 1, True), (0, 0, 1, True),
])  # fmt: skip
@pytest.mark.parametrize("xlen", (32, 64))
def test_interrupts(xlen: int, priv: int, enabled: int, delegated: int, taken: bool) -> None:
    """Cause 5 is presented: taken by mode, enable and delegation (3.1.9), to its entry of the vector."""
    hart = hart_at(0x13, priv, xlen=xlen)
    hart.set_csr(MIE, 1 << 5)
    hart.set_csr(MSTATUS, hart.read_csr(MSTATUS) | enabled)
    hart.set_csr(MIDELEG, delegated << 5)
    hart.interrupt = 5
    step = hart.execute()
    assert (step.trap == (1, 5)) == taken and (taken or step.name == "addi")
    if taken:
        assert step.size == 0 and hart.pc == BASE + (0x2000 if delegated else 0x1000) + 4 * 5
        assert hart.read_csr(SCAUSE if delegated else MCAUSE) == 1 << xlen - 1 | 5
        hart.set_csr(MIE, 0)


def test_an_interrupt_that_is_not_enabled_waits() -> None:
    hart = hart_at(0x13, 0)
    hart.interrupt = 7
    assert hart.execute().trap is None


@pytest.mark.parametrize("to", (0, 1, 3))
def test_mret(to: int) -> None:
    hart = hart_at(MRET)
    hart.set_csr(MEPC, BASE + 0x40)
    hart.set_csr(MSTATUS, to << 11 | 1 << 7 | 1 << 17)
    hart.execute()
    status = hart.read_csr(MSTATUS)
    assert (hart.priv, hart.pc) == (to, BASE + 0x40)
    assert status & (1 << 3) and status & (1 << 7) and status >> 11 & 3 == 0
    assert bool(status & 1 << 17) == (to == 3)  # MPRV ends with a return to a lower mode


def test_sret_and_the_traps_of_virtual_machines() -> None:
    hart = hart_at(SRET, 1)
    hart.set_csr(SEPC, BASE + 0x80)
    hart.set_csr(MSTATUS, 1 << 5 | 1 << 8)
    hart.execute()
    assert (hart.priv, hart.pc) == (1, BASE + 0x80) and hart.read_csr(MSTATUS) & 0x122 == 0x22
    for raw, bit in ((SRET, 22), (WFI, 21), (0x12000073, 20), (0x180022F3, 20)):  # TSR, TW, TVM, TVM
        hart = hart_at(raw, 1)
        assert hart.execute().trap is None
        hart = hart_at(raw, 1)
        hart.set_csr(MSTATUS, 1 << bit)
        assert hart.execute().trap == (0, 2)
