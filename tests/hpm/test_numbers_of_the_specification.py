# SPDX-License-Identifier: Apache-2.0
"""Numbers of the counter CSRs read a second time, from the privileged specification and not from the register table.

Everything else that checks counters takes addresses and bits from models/hpm/registers.py, so a wrong number there
would be wrong everywhere alike. What is expected here was written down from the text; each line names its chapter
(Priv: the privileged manual).
"""

import itertools
from typing import Any

import pytest

from rvtrace.models.csr.file import Gates
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import INHIBITS, LCOFI_BIT, OF_BIT, SELECT_MASK, csr, csr_file, csrs
from rvtrace.models.riscv.csr import DONE, HS, ILLEGAL, READ, SET, VIRTUAL, VS, VU, WRITE, Access, M, U
from rvtrace.models.riscv.iss import csr as iss_csr
from rvtrace.models.sbi_pmu import client, hardware
from rvtrace.models.tandem import table as tandem
from rvtrace.scoreboards.sbi_pmu import shadow

RV32, RV64 = Config(xlen=32), Config(xlen=64)

# Priv, tables "Currently allocated RISC-V ... CSR addresses": unprivileged, supervisor, hypervisor and VS, machine
ADDRESSES = {
    "cycle": 0xC00,
    "time": 0xC01,
    "instret": 0xC02,
    "cycleh": 0xC80,
    "timeh": 0xC81,
    "instreth": 0xC82,
    "sie": 0x104,
    "scounteren": 0x106,
    "sip": 0x144,
    "scountovf": 0xDA0,  # Supervisor Count Overflow, of Sscofpmf
    "hideleg": 0x603,
    "hcounteren": 0x606,
    "htimedelta": 0x605,
    "htimedeltah": 0x615,
    "vsie": 0x204,
    "vsip": 0x244,
    "mideleg": 0x303,
    "mie": 0x304,
    "mcounteren": 0x306,
    "mip": 0x344,
    "mcountinhibit": 0x320,
    "mcycle": 0xB00,
    "minstret": 0xB02,
    "mcycleh": 0xB80,
    "minstreth": 0xB82,
    # Smcntrpmf, Machine Counter Configuration
    "mcyclecfg": 0x321,
    "minstretcfg": 0x322,
    "mcyclecfgh": 0x721,
    "minstretcfgh": 0x722,
}
# the same tables, first and last of each array: mhpmcounter3 is 0xB03, mhpmcounter31 is 0xB1F, ...
ARRAYS = {
    "mhpmcounter{}": (0xB03, 0xB1F),
    "mhpmcounter{}h": (0xB83, 0xB9F),
    "hpmcounter{}": (0xC03, 0xC1F),
    "hpmcounter{}h": (0xC83, 0xC9F),
    "mhpmevent{}": (0x323, 0x33F),
    "mhpmevent{}h": (0x723, 0x73F),  # the h of Sscofpmf, RV32 only
}
EVERY = ADDRESSES | {name.format(n): first + n - 3 for name, (first, _) in ARRAYS.items() for n in range(3, 32)}
HIGH = {"cycleh", "timeh", "instreth", "htimedeltah", "mcycleh", "minstreth", "mcyclecfgh", "minstretcfgh"}

# Sscofpmf, Count Overflow Control: |63 OF|62 MINH|61 SINH|60 UINH|59 VSINH|58 VUINH|57:56 WPRI|
FILTERS = {"MINH": 62, "SINH": 61, "UINH": 60, "VSINH": 59, "VUINH": 58}


@pytest.mark.parametrize("config", [RV32, RV64], ids=["rv32", "rv64"])
def test_every_address_is_the_one_of_the_csr_listing(config: Config) -> None:
    assert all(last - first == 28 for first, last in ARRAYS.values())
    assert {found.name: found.address for found in csrs(config)} == EVERY
    for found in csrs(config):
        upper = found.name in HIGH or (found.name.startswith(("mhpm", "hpm")) and found.name.endswith("h"))
        assert found.high is upper, found.name  # "Upper 32 bits of ..., RV32 only"


def test_access_bits_of_the_address() -> None:
    # Priv, CSR Address Mapping Conventions: csr[11:10] = 11 is read-only, csr[9:8] the lowest privilege; V shares 2
    # with H
    levels = {0: "U", 1: "S", 2: "H", 3: "M"}
    for found in csrs(RV32):
        assert (found.read_only, found.level) == (
            found.address >> 10 == 0b11,
            levels[found.address >> 8 & 3],
        ), found.name


def test_bits_of_event_and_configuration_registers() -> None:
    # Sscofpmf: 55:0 are what is left below WPRI 57:56
    assert (OF_BIT, INHIBITS, SELECT_MASK) == (63, FILTERS, 0x00FF_FFFF_FFFF_FFFF)
    for n in range(3, 32):
        event = csr(f"mhpmevent{n}", RV64)
        for name, bit in {**FILTERS, "OF": 63}.items():
            assert (event.field(name).lsb, event.field(name).width) == (bit, 1), event.name
            assert event.warl(1 << bit) == 1 << bit
        assert event.warl(0x03 << 56) == 0 and event.mask >> 56 == 0b1111_1100, event.name
    for name in ("mcyclecfg", "minstretcfg"):
        # Smcntrpmf: |63 0|62 MINH|61 SINH|60 UINH|59 VSINH|58 VUINH|57:0 WPRI|
        assert csr(name, RV64).mask == 0x7C00_0000_0000_0000
        assert {field.name: field.lsb for field in csr(name, RV64).fields} == FILTERS


@pytest.mark.parametrize(("absent", "zero"), [
    ({"has_h": 0}, 0b00011), ({"has_h": 0, "has_s": 0}, 0b01011), ({"has_h": 0, "has_s": 0, "has_u": 0}, 0b01111),
])  # fmt: skip
def test_inhibit_bits_of_absent_modes_read_zero(absent: dict[str, Any], zero: int) -> None:
    # Sscofpmf and Smcntrpmf: "if the associated privilege mode is not implemented, the bit is read-only zero"; bits
    # 62:58
    config = Config(**absent, has_shlcofideleg=0)
    for name in ("mhpmevent3", "mhpmevent31", "mcyclecfg", "minstretcfg"):
        assert csr(name, config).warl(0x7C << 56) == (0b11111 & ~zero) << 58


def test_bits_of_enables_inhibit_and_overflow() -> None:
    bits = {"CY": 0, "TM": 1, "IR": 2, **{f"HPM{n}": n for n in range(3, 32)}}
    # Priv, counter-enable registers: 32 bits, HPM31 ... HPM3 IR TM CY
    for name in ("mcounteren", "scounteren", "hcounteren"):
        assert {field.name: field.lsb for field in csr(name, RV64).fields} == bits and csr(name, RV64).width == 32
        assert csr(name, RV64).warl((1 << 64) - 1) == 0xFFFF_FFFF
    stop = csr("mcountinhibit", RV64)  # Priv, Machine Counter-Inhibit: 32 bits, bit 1 is 0
    assert {field.name: field.lsb for field in stop.fields} == {name: bit for name, bit in bits.items() if name != "TM"}
    assert stop.width == 32 and stop.warl((1 << 64) - 1) == 0xFFFF_FFFD
    ovf = csr("scountovf", RV64)  # Sscofpmf: 32 bits, "scountovf bit X corresponds to mhpmeventX", X = 3 to 31
    assert [field.lsb for field in ovf.fields] == list(range(3, 32)) and ovf.width == 32 and ovf.mask == 0


def test_counters_have_64_bits_and_lcofi_is_13() -> None:
    for name in ("mcycle", "minstret", "mhpmcounter3", "mhpmcounter31", "time", "cycle", "hpmcounter17"):
        # Priv, Hardware Performance Monitor
        assert csr(name, RV64).width == 64 and csr(name, RV64).fields[0].width == 64
    # Sscofpmf: "bit 13 in the mip/mie/sip/sie registers"; Priv, mcause: interrupt 13 counter overflow
    assert LCOFI_BIT == 13
    for name in ("mip", "mie", "sip", "sie", "mideleg", "hideleg", "vsip", "vsie"):  # hideleg bit 13: Shlcofideleg
        assert csr(name, RV64).mask == 1 << 13, name
    # Priv, VS CSRs replace those of S
    assert {name: csr(name, RV64).virtual for name in ("sip", "sie")} == {"sip": "vsip", "sie": "vsie"}


def counter_outcome(mode: int, machine: int, supervisor: int, hypervisor: int) -> int:
    """Priv, Machine, Supervisor and Hypervisor Counter-Enable: what a read of a counter comes to, in the words of the
    text.
    """
    if mode == M:
        return DONE
    # "while executing in S-mode or U-mode will cause an illegal-instruction exception"; V = 1 demands mcounteren 1
    if not machine:
        return ILLEGAL
    # "in VU-mode, ... in either hcounteren or scounteren is 0"
    if (mode in (VS, VU) and not hypervisor) or (mode == VU and not supervisor):
        return VIRTUAL
    return ILLEGAL if mode == U and not supervisor else DONE


@pytest.mark.parametrize("mode", [U, HS, M, VU, VS])
def test_who_may_read_a_counter(mode: int) -> None:
    names = ["cycle", "time", "instret", *(f"hpmcounter{n}" for n in range(3, 32))]
    for config, (n, name), high in itertools.product((RV32, RV64), enumerate(names), ("", "h")):
        found = csr(name + high, config)
        for m, s, h in itertools.product((0, 1), repeat=3):
            enables, file = (m, s, h), csr_file(config)
            gates = Gates(mcounteren=m << n, scounteren=s << n, hcounteren=h << n)
            # XLEN > 32: a high half is always illegal
            want = counter_outcome(mode, *enables) if not high or config.xlen == 32 else ILLEGAL
            assert file.outcome(gates, found, Access(READ, priv=mode)) == want, (found.name, enables)
            assert file.outcome(gates, found, Access(WRITE, priv=mode)) == ILLEGAL  # read-only
            assert file.outcome(gates, found, Access(SET, 0, 0, mode)) == want  # Zicsr: rs1 = x0 does not write


def test_who_may_access_the_others() -> None:
    # Priv, virtual-instruction exceptions: VS at H and VS CSRs, VU at these and at S CSRs, both only if HS-mode would
    # be allowed
    for found, mode in itertools.product(csrs(RV32), (U, HS, VU, VS)):
        if found.level != "U":
            rank = {"M": 3, "H": 2, "S": 1}[found.level]
            want = ILLEGAL if rank == 3 or mode == U else DONE if mode == HS or (mode == VS and rank == 1) else VIRTUAL
            assert csr_file(RV32).outcome(Gates(), found, Access(READ, priv=mode)) == want, (found.name, mode)


def test_copies_agree_with_the_listing() -> None:
    for module, named in (
        (client, "SIP SCOUNTOVF"),
        (hardware, "MIDELEG MCOUNTEREN MCOUNTINHIBIT MIP"),
        (tandem, "MCYCLE MCYCLEH MINSTRET MINSTRETH"),
        (shadow, "MCOUNTEREN MIDELEG MCOUNTINHIBIT MIP SIP SCOUNTOVF"),
        (
            iss_csr,
            (
                "MIDELEG MIE MCOUNTEREN MCOUNTINHIBIT MIP SIE SCOUNTEREN SIP MCYCLE MINSTRET MCYCLEH MINSTRETH "
                "CYCLE TIME INSTRET CYCLEH TIMEH INSTRETH"
            ),
        ),
    ):
        for name in named.split():
            assert getattr(module, name) == ADDRESSES[name.lower()], (module.__name__, name)
    assert client.LCOFIP == hardware.LCOFIP == shadow.LCOFIP == 1 << 13 and shadow.OF == 1 << 63
    assert shadow.INHIBIT == {M: 1 << 62, HS: 1 << 61, U: 1 << 60, VS: 1 << 59, VU: 1 << 58}  # Sscofpmf
