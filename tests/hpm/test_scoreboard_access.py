# SPDX-License-Identifier: Apache-2.0
"""What an access tests, by its outcome and by the fields that it shows. Expected values are those of the privileged
specification: Machine and Supervisor Counter-Enable, Sscofpmf, Smcntrpmf.
"""

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import csr
from rvtrace.models.riscv.csr import CLEAR, DONE, ILLEGAL, READ, SET, VIRTUAL, WRITE, Access, M, U
from rvtrace.scoreboards.hpm.access import Last, Shown, fields
from rvtrace.scoreboards.hpm.access import tested as suspects

RV64, RV32 = Config(), Config(xlen=32)
NO_S = Config(has_s=0, has_h=0, has_shlcofideleg=0)
ALL = (1 << 64) - 1


@pytest.mark.parametrize(
    ("config", "enables", "clause"),
    [
        (NO_S, (1, 0, 0), "HPM.enable.no_s"),  # mcounteren alone
        (RV64, (1, 1, 1), "HPM.enable.user_open"),
        (RV64, (1, 0, 1), "HPM.enable.user_closed"),
    ],
)
def test_who_opens_a_counter_to_user_mode(config: Config, enables: tuple[int, int, int], clause: str) -> None:
    found = suspects(config, csr("cycle", config), Access(READ, 0xC00, 0, U), enables)
    assert [one for one, _ in found] == [clause]


def test_an_address_without_a_csr_is_illegal() -> None:
    """Any other outcome breaks the clause."""
    found = suspects(RV64, None, Access(READ, 0xB01, 0, M), (0, 0, 0))
    assert found == (("HPM.csr.exists", frozenset({DONE, VIRTUAL})),) and ILLEGAL not in found[0][1]


def parts(config: Config, name: str, access: Access) -> dict[str, tuple[int, str]]:
    """Of a read in M-mode: by name the mask and the clause."""
    one = csr(name, config)
    shown = Shown(one, one, access, config.xlen == 32 or bool(access.xlen32), False, None)
    return {part.name: (part.mask, part.clause) for part in fields(config, shown) if part.mask}


def test_the_fields_of_mhpmevent() -> None:
    """Sscofpmf: OF 63, MINH to VUINH 62:58; no bit is left over."""
    found = parts(RV64, "mhpmevent3", Access(READ, 0x323, 0, M))
    assert found == {
        "SELECT": ((1 << 56) - 1, "HPM.event.select"),
        "bits 57:56": (3 << 56, "HPM.event.wpri"),
        "xINH": (31 << 58, "HPM.event.filters"),
        "OF": (1 << 63, "HPM.of.read"),
    }


def test_the_fields_of_mcyclecfg() -> None:
    """Smcntrpmf: as mhpmevent, without OF; bits 57:0 are WPRI."""
    found = parts(RV64, "mcyclecfg", Access(READ, 0x321, 0, M))
    assert found == {
        "OF": (1 << 63, "HPM.cfg.no_of"),
        "xINH": (31 << 58, "HPM.cfg.filters"),
        "other bits": ((1 << 58) - 1, "HPM.cfg.wpri"),
    }


def test_the_fields_of_the_interrupt_registers() -> None:
    """LCOFIP is bit 13; what is beside it is not of this block."""
    found = parts(RV64, "mip", Access(READ, 0x344, 0, M))
    assert found == {
        "bit 13": (1 << 13, "HPM.lcofi.registers"),
        "other bits": (ALL ^ 1 << 13, "HPM.csr.other_bits"),
    }


def test_a_read_at_xlen_32_has_no_upper_half() -> None:
    found = parts(RV64, "mhpmevent3", Access(READ, 0x323, 0, M, 1))
    assert found == {"SELECT": ((1 << 32) - 1, "HPM.event.select"), "upper half": (ALL << 32 & ALL, "HPM.csr.xlen32")}


# --- What a block that breaks a clause holds after a write ------------------------------------------------------------


def after(config: Config, name: str, access: Access, old: int, now: int) -> list[tuple[str, int]]:
    return list(Last(access, csr(name, config), old, now).otherwise(config))


def test_a_half_that_clears_the_other() -> None:
    """RV32: a write of the upper half leaves 0 in the lower one, and the other way round."""
    high = after(RV32, "mhpmcounter3h", Access(WRITE, 0xB83, 5, M), 7, 0x5_0000_0007)
    low = after(RV32, "mhpmcounter3", Access(WRITE, 0xB03, 7, M), 0x5_0000_0000, 0x5_0000_0007)
    assert high == [("HPM.half.write", 0x5_0000_0000)] and low == [("HPM.half.write", 7)]


def test_a_write_at_xlen_32_that_clears_the_upper_half() -> None:
    found = after(RV64, "mhpmcounter3", Access(WRITE, 0xB03, 7, M, 1), 0x5_0000_0000, 0x5_0000_0007)
    assert found == [("HPM.csr.narrow_keeps", 7)]
    assert after(RV64, "mhpmcounter3", Access(WRITE, 0xB03, 7, M), 0, 7) == []


def test_other_operations_than_set_and_clear() -> None:
    """0b1100 and operand 0b1010: written 0b1010, exclusive or 0b0110, clear 0b0100, set 0b1110, and 0b1000."""
    for op, now, other in ((SET, 0b1110, 0b0100), (CLEAR, 0b0100, 0b1110)):
        found = after(RV64, "mhpmcounter3", Access(op, 0xB03, 0b1010, M), 0b1100, now)
        assert found == [("HPM.csr.setclear", value) for value in (0b1010, 0b0110, other, 0b1000)]


def test_what_refused_writes_would_have_left() -> None:
    """The last four count."""
    last = Last(None, csr("mcounteren", RV64), 0, 0)
    for would in (1, 2, 4, 8, 16):
        last = last.refusing(would)
    assert list(last.otherwise(RV64)) == [("HPM.csr.refused", value) for value in (2, 4, 8, 16)]
    assert last.kind == (-1, 0, True)
