# SPDX-License-Identifier: Apache-2.0
"""Who may access which CSR: outcomes at each privilege with everything open, by hand from both texts and Sscsrind
(CTR-12).
"""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, HS, ILLEGAL, READ, SET, VIRTUAL, VS, VU, WRITE, Access, M, U

MODES = (M, HS, U, VS, VU)
# One letter for each of M, S/HS, U, VS, VU.
RATIFIED = {
    # mctrctl sctrctl sctrstatus sctrdepth vsctrctl
    0x34E: "DIIII",
    0x14E: "DDIDV",
    0x14F: "DDIDV",
    0x15F: "DDIVV",
    0x24E: "DDIVV",
    0x350: "DIIII",
    0x351: "IIIII",
    0x355: "IIIII",  # miselect; mireg selects nothing in v1_0
    0x150: "DDIDV",
    0x151: "DDIDV",
    0x152: "DDIDV",
    0x153: "DDIDV",
    0x155: "DDIDV",
    0x156: "DDIDV",
    0x157: "DDIDV",
    0x250: "DDIVV",
    0x251: "DDIVV",
    0x252: "DDIVV",
    0x253: "DDIVV",
    0x255: "DDIVV",
    0x256: "DDIVV",
    0x257: "DDIVV",
    0x30C: "DIIII",
    0x60C: "DDIVV",
    0x31C: "IIIII",
    0x61C: "IIIII",  # the h registers are for XLEN 32
    0x381: "IIIII",
    0x183: "IIIII",
    0x14D: "IIIII",
    0x154: "IIIII",
    0x354: "IIIII",  # the draft's, and nobody's
}
DRAFT = {
    0x381: "DIIII", 0x383: "DIIII", 0x181: "DDIDV", 0x183: "DDIDV", 0x281: "DDIVV", 0x382: "IIIII", 0x182: "IIIII",
    0x282: "IIIII", 0x351: "DIIII", 0x353: "DIIII", 0x357: "DIIII", 0x151: "DDIDV", 0x251: "DDIVV",
    0x34E: "IIIII", 0x14E: "IIIII", 0x14F: "IIIII", 0x15F: "IIIII", 0x24E: "IIIII",
}  # fmt: skip
NARROW = {0x381: "DIIII", 0x382: "DIIII", 0x182: "DDIDV", 0x282: "DDIVV", 0x31C: "DIIII", 0x61C: "DDIVV"}


def opened(config: Config, *, select: int = 0x200) -> Ctr:
    """A block with both state enables open (at whatever place this XLEN has them), and an entry selected everywhere."""
    ctr = Ctr(config)
    ones = (1 << config.xlen) - 1
    for address in (0x30C, 0x31C, 0x60C, 0x61C):
        ctr.access(Access(WRITE, address, ones, M))
    for address in (0x350, 0x150, 0x250):
        ctr.access(Access(WRITE, address, select, M))
    return ctr


def outcomes(ctr: Ctr, address: int, op: int = READ, wdata: int = 0) -> str:
    """Letters of all modes."""
    return "".join("DIV"[ctr.peek(Access(op, address, wdata, mode)).outcome] for mode in MODES)


@pytest.mark.parametrize(("address", "expected"), RATIFIED.items(), ids=map(hex, RATIFIED))
def test_v1_0(address: int, expected: str) -> None:
    assert outcomes(opened(Config()), address) == expected
    assert outcomes(opened(Config(has_stateen=0)), address) == ("IIIII" if address in (0x30C, 0x60C) else expected)
    without = "IIIII" if address >> 8 & 3 == 2 else expected[:3]
    assert outcomes(opened(Config(has_h=0)), address)[:3] == without[:3]


@pytest.mark.parametrize(("address", "expected"), DRAFT.items(), ids=map(hex, DRAFT))
def test_v0_1_4(address: int, expected: str) -> None:
    assert outcomes(opened(Config(variant="v0_1_4")), address) == expected
    alone = opened(Config(variant="v0_1_4", has_s=0, has_h=0))
    assert outcomes(alone, address)[:1] == (expected[:1] if address >> 8 == 3 else "I")


@pytest.mark.parametrize(("address", "expected"), NARROW.items(), ids=map(hex, NARROW))
def test_h_registers_at_xlen_32(address: int, expected: str) -> None:
    assert outcomes(opened(Config(variant="v0_1_4", xlen=32)), address) == expected
    wide = opened(Config(variant="v0_1_4"))
    found = "".join("DIV"[wide.peek(Access(READ, address, 0, mode, xlen32=1)).outcome] for mode in MODES)
    assert found == expected


@pytest.mark.parametrize("select", [0, 0x1FF, 0x300, 0x1200, 1 << 63 | 0x200])
def test_an_iselect_outside_the_range_is_illegal_after_what_is_virtual(select: int) -> None:
    ctr = opened(Config(), select=select)
    assert outcomes(ctr, 0x151) == "IIIIV"
    assert outcomes(ctr, 0x251) == "IIIVV"
    assert outcomes(ctr, 0x155) == "IIIIV"
    assert outcomes(opened(Config(variant="v0_1_4"), select=select), 0x351) == "IIIII"


def test_debug_mode_accesses_as_m() -> None:
    ctr = opened(Config())
    for address in (0x34E, 0x14E, 0x24E, 0x151, 0x30C):
        assert ctr.peek(Access(READ, address, 0, DEBUG)).outcome == DONE


def test_sctrclr() -> None:
    ctr = opened(Config())
    assert "".join("DIV"[ctr.peek(Access(SCTRCLR, priv=mode)).outcome] for mode in MODES) == "DDIDV"
    draft = opened(Config(variant="v0_1_4"))
    assert "".join("DIV"[draft.peek(Access(SCTRCLR, priv=mode)).outcome] for mode in MODES) == "IIIII"


def test_a_refused_access_reads_0_and_changes_nothing() -> None:
    ctr = opened(Config())
    ctr.access(Access(WRITE, 0x34E, 7, M))
    ctr.retire(M, [])
    before = ctr.state
    assert ctr.access(Access(WRITE, 0x14E, 0, U))[:2] == (0, ILLEGAL)
    assert ctr.access(Access(SET, 0x24E, 3, VS))[:2] == (0, VIRTUAL)
    assert ctr.access(Access(CLEAR, 0x34E, 7, HS))[:2] == (0, ILLEGAL)
    assert ctr.access(Access(SCTRCLR, priv=VU))[:2] == (0, VIRTUAL)
    assert ctr.state == before and before.ctl == 7 and before.counter == 1
