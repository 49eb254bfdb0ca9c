# SPDX-License-Identifier: Apache-2.0
"""CSRs of the reference simulator: what exists, who may access it, what a write leaves, views, counters."""

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.iss.config import HartConfig, HartError
from rvtrace.models.riscv.iss.csr import MCYCLE, MIDELEG, MIE, MINSTRET, MSTATUS, SATP, SIE, SIP, SSTATUS
from rvtrace.models.riscv.iss.hart import Hart

RW, RS, RC = 1, 2, 3


def csr(funct3: int, address: int, rd: int, rs1: int) -> int:
    return address << 20 | rs1 << 15 | funct3 << 12 | rd << 7 | 0x73


def run(hart: Hart, raw: int) -> tuple[int, int] | None:
    """Execute one instruction at the reset pc; the trap."""
    hart.memory.write(hart.config.reset_pc, raw.to_bytes(4, "little"))
    hart.pc = hart.config.reset_pc
    return hart.execute().trap


def write(hart: Hart, address: int, value: int) -> int:
    """csrrw from x5, then read."""
    hart.x[5] = value
    assert run(hart, csr(RW, address, 6, 5)) is None
    return hart.read_csr(address)


@pytest.mark.parametrize("xlen", (32, 64))
def test_fields_that_are_warl(xlen: int) -> None:
    hart, ones = Hart(HartConfig(xlen)), (1 << xlen) - 1
    assert write(hart, MSTATUS, ones) & 0x7FFFFF == 0x7E19AA
    assert write(hart, 0x305, ones) == ones & ~2  # mtvec: no reserved mode
    assert write(hart, 0x341, ones) == ones & ~1  # mepc
    assert write(hart, MIDELEG, ones) == 0x222
    assert write(hart, MIE, ones) == 0xAAA
    assert write(hart, 0x301, 0) == hart.config.misa  # misa is fixed here
    assert write(hart, SATP, 2 << (30 if xlen == 32 else 60)) == 0 or xlen == 32  # a mode that is not there: no effect
    assert write(hart, 0x3A0, 0x02) == 0  # pmpcfg: W without R is reserved


def test_mpp_takes_only_modes_that_exist() -> None:
    for modes, legal in (("m", (3,)), ("mu", (0, 3)), ("msu", (0, 1, 3))):
        hart = Hart(HartConfig(64, modes=modes))
        for mode in range(4):
            assert (write(hart, MSTATUS, mode << 11) >> 11 & 3) in legal
            assert mode not in legal or hart.read_csr(MSTATUS) >> 11 & 3 == mode


def test_views_of_the_supervisor() -> None:
    hart = Hart(HartConfig(64))
    write(hart, MIDELEG, 0x222)
    assert write(hart, SIE, 0xFFF) == 0x222 and hart.read_csr(MIE) == 0x222
    assert write(hart, SIP, 0xFFF) == 2 and hart.read_csr(0x344) == 2  # only SSIP
    write(hart, SSTATUS, 1 << 8 | 1 << 3)
    assert hart.read_csr(MSTATUS) & 0x108 == 0x100  # SPP, and not MIE


@pytest.mark.parametrize(
    "address,priv,legal",
    [
        (0x300, 3, True),
        (0x300, 1, False),
        (0x100, 1, True),
        (0x100, 0, False),
        (0x7C0, 3, False),
        (0xC00, 3, True),
        (0xC00, 0, False),
        (0x340, 0, False),
    ],
)
def test_who_may_read(address: int, priv: int, legal: bool) -> None:
    hart = Hart(HartConfig(64))
    hart.set_priv(priv)
    trap = run(hart, csr(RS, address, 6, 0))
    assert (trap is None) == legal and (legal or trap == (0, 2))


def test_a_read_only_csr_is_read_by_set_of_nothing_only() -> None:
    hart = Hart(HartConfig(64))
    assert run(hart, csr(RS, 0xF14, 6, 0)) is None
    assert run(hart, csr(RS, 0xF14, 6, 5)) == (0, 2) and run(hart, csr(RW, 0xF14, 0, 0)) == (0, 2)
    assert hart.read_csr(0x343) == csr(RW, 0xF14, 0, 0)  # mtval: the bits


def test_set_and_clear_by_register_and_immediate() -> None:
    hart = Hart(HartConfig(32))
    write(hart, 0x340, 0b1100)
    hart.x[5] = 0b0110
    assert run(hart, csr(RS, 0x340, 6, 5)) is None and hart.x[6] == 0b1100 and hart.read_csr(0x340) == 0b1110
    assert run(hart, csr(RC, 0x340, 7, 5)) is None and hart.x[7] == 0b1110 and hart.read_csr(0x340) == 0b1000
    assert run(hart, csr(RS + 4, 0x340, 7, 0b10001)) is None and hart.read_csr(0x340) == 0b11001
    assert run(hart, csr(RC + 4, 0x340, 7, 0b01001)) is None and hart.read_csr(0x340) == 0b10000
    assert run(hart, csr(RW + 4, 0x340, 7, 0b11111)) is None and hart.read_csr(0x340) == 0b11111


@pytest.mark.parametrize("xlen", (32, 64))
def test_counters_count_and_can_be_written_and_stopped(xlen: int) -> None:
    hart = Hart(HartConfig(xlen))
    builder = ProgramBuilder(xlen, hart.config.reset_pc)
    for _ in range(10):
        builder.nop()
    for base, body in builder.build().segments:
        hart.memory.write(base, body)
    for _ in range(10):
        hart.execute()
    assert hart.read_csr(MINSTRET) == hart.read_csr(MCYCLE) == 10
    assert write(hart, MINSTRET, 100) == 100
    write(hart, 0x320, 4)  # mcountinhibit.IR
    before = hart.read_csr(MINSTRET)
    run(hart, 0x13)
    assert hart.read_csr(MINSTRET) == before and hart.read_csr(MCYCLE) > 10
    if xlen == 32:
        hart.csr[MCYCLE] = (1 << 32) - 1
        run(hart, 0x13)
        assert hart.read_csr(MCYCLE) == 0 and hart.read_csr(0xB80) == 1


@pytest.mark.parametrize(
    "wrong", ({"xlen": 16}, {"extensions": "g"}, {"modes": "su"}, {"paging": (1,)}, {"pmp_entries": 3})
)
def test_a_hart_that_cannot_be(wrong: dict) -> None:
    with pytest.raises(HartError, match="give"):
        HartConfig(**wrong)


def test_a_hart_survives_json() -> None:
    config = HartConfig(32, ram=((0x1000, 0x2000),), modes="mu")
    assert HartConfig.from_dict(config.to_dict()) == config
    with pytest.raises(HartError, match="those it has"):
        HartConfig.from_dict({"cores": 2})


def test_code_that_is_written_is_fetched_anew() -> None:
    base = 0x80000000
    hart = Hart(HartConfig(64, reset_pc=base))
    for k, word in enumerate((0x00100313, 0x00200313, 0x0062A023)):  # li x6, 1; li x6, 2; sw x6, 0(x5)
        hart.memory.write(base + 4 * k, word.to_bytes(4, "little"))
    for _ in range(2):
        hart.execute()
    hart.x[5], hart.x[6] = base + 4, 0x00300313  # the second becomes li x6, 3
    hart.execute()
    hart.pc = base + 4
    assert hart.execute().insn == 0x00300313 and hart.x[6] == 3
