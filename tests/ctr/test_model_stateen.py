# SPDX-License-Identifier: Apache-2.0
"""State enables: each combination of the CTR bit and bit 60 in mstateen0 and hstateen0,
and which comes first (CTR-12).
"""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR, Transfer
from rvtrace.models.riscv.csr import DONE, HS, READ, VS, VU, WRITE, Access, M, U

IND = 1 << 60
MODES = (M, HS, VS, VU)


def gated(mstateen: str, hstateen: str, variant: str = "v1_0", select: int = 0x200) -> Ctr:
    """A block with these bits: C the CTR bit, I bit 60; `hstateen` is written while everything is open."""
    ctr, bit = Ctr(Config(variant=variant)), 1 << (54 if variant == "v1_0" else 55)
    for address, bits in ((0x30C, "CI"), (0x60C, hstateen), (0x30C, mstateen)):
        ctr.access(Access(WRITE, address, ("C" in bits) * bit | ("I" in bits) * IND))
    for address in (0x150, 0x250):
        ctr.access(Access(WRITE, address, select))
    return ctr


def letters(ctr: Ctr, address: int) -> str:
    """Outcomes of M, HS, VS, VU."""
    return "".join("DIV"[ctr.peek(Access(READ, address, 0, mode)).outcome] for mode in MODES)


# mstateen0, hstateen0: outcomes of M HS VS VU at sctrctl, sctrdepth, vsctrctl, siselect, sireg, vsireg, SCTRCLR.
TABLE = [
    ("CI", "CI", "DDDV DDVV DDVV DDDV DDDV DDVV DDDV"),
    ("CI", "I", "DDVV DDVV DDVV DDDV DDVV DDVV DDVV"),  # hstateen0.CTR closes the guest's view: virtual
    ("CI", "C", "DDDV DDVV DDVV DDVV DDVV DDVV DDDV"),  # hstateen0[60] closes siselect and sireg
    ("CI", "", "DDVV DDVV DDVV DDVV DDVV DDVV DDVV"),
    (
        "I",
        "CI",
        "DIII DIII DIII DDDV DIIV DIVV DIII",
    ),  # mstateen0.CTR: illegal; but vsireg and VU's sireg stay virtual (Sscsrind)
    ("I", "", "DIII DIII DIII DDVV DIVV DIVV DIII"),  # sireg from VS: hstateen0[60] comes before mstateen0.CTR
    ("C", "CI", "DDDV DDVV DDVV DIII DIII DIII DDDV"),  # mstateen0[60]: illegal, whatever else
    ("", "CI", "DIII DIII DIII DIII DIII DIII DIII"),
]
ADDRESSES = (0x14E, 0x15F, 0x24E, 0x150, 0x151, 0x251)


@pytest.mark.parametrize(("mstateen", "hstateen", "expected"), TABLE)
def test_v1_0(mstateen: str, hstateen: str, expected: str) -> None:
    ctr = gated(mstateen, hstateen)
    clear = "".join("DIV"[ctr.peek(Access(SCTRCLR, priv=mode)).outcome] for mode in MODES)
    assert " ".join([*(letters(ctr, address) for address in ADDRESSES), clear]) == expected
    assert letters(ctr, 0x14F) == letters(ctr, 0x14E)  # sctrstatus has the rules of sctrctl
    assert ctr.peek(Access(SCTRCLR, priv=U)).outcome == ctr.peek(Access(READ, 0x14E, 0, U)).outcome == 1


# mstateen0, hstateen0: sctrcontrol, vsctrcontrol, sctrstatus, sireg, vsireg.
DRAFT = [
    ("CI", "CI", "DDDV DDVV DDDV DDDV DDVV"),
    ("CI", "I", "DDVV DDVV DDVV DDVV DDVV"),
    ("I", "CI", "DIII DIII DIII DIIV DIVV"),
    ("C", "CI", "DDDV DDVV DDDV DIII DIII"),
]


@pytest.mark.parametrize(("mstateen", "hstateen", "expected"), DRAFT)
def test_v0_1_4(mstateen: str, hstateen: str, expected: str) -> None:
    ctr = gated(mstateen, hstateen, "v0_1_4")
    assert " ".join(letters(ctr, address) for address in (0x181, 0x281, 0x183, 0x151, 0x251)) == expected


def test_an_unselected_sireg_does_not_ask_the_ctr_bits() -> None:
    """`would have completed successfully` is false of it: illegal, not virtual."""
    assert letters(gated("CI", "I", select=0x100), 0x151) == "IIIV"
    assert letters(gated("CI", "C", select=0x100), 0x151) == "IIVV"  # bit 60: regardless of the value of vsiselect


def test_only_two_bits_are_there_and_reset_closes_all() -> None:
    for variant, bit in (("v1_0", 54), ("v0_1_4", 55)):
        ctr = Ctr(Config(variant=variant))
        assert ctr.state.mstateen == 0 and ctr.peek(Access(READ, 0x150, 0, HS)).outcome == 1
        ctr.access(Access(WRITE, 0x60C, (1 << 64) - 1))
        assert ctr.peek(Access(READ, 0x60C)).rdata == 0  # read-only 0 where mstateen0 has 0
        ctr.access(Access(WRITE, 0x30C, (1 << 64) - 1))
        assert ctr.peek(Access(READ, 0x30C)).rdata == IND | 1 << bit
        assert ctr.peek(Access(READ, 0x60C)).rdata == 0  # what was written while closed is lost


def test_hstateen_shows_and_acts_as_the_and() -> None:
    ctr = gated("I", "CI")
    assert ctr.peek(Access(READ, 0x60C)).rdata == IND
    ctr.access(Access(WRITE, 0x30C, IND | 1 << 54))
    assert ctr.peek(Access(READ, 0x60C)).rdata == IND | 1 << 54  # it still holds what was written


def test_rv32_has_the_bits_in_the_h_registers() -> None:
    ctr = Ctr(Config(variant="v0_1_4", xlen=32))
    ctr.access(Access(WRITE, 0x30C, 0xFFFFFFFF))
    assert ctr.peek(Access(READ, 0x30C)).rdata == 0 and letters(ctr, 0x181) == "DIII"
    ctr.access(Access(WRITE, 0x31C, 0xFFFFFFFF))
    assert ctr.peek(Access(READ, 0x31C)).rdata == 1 << 28 | 1 << 23 and letters(ctr, 0x181) == "DDVV"


def test_recording_goes_on_while_access_is_closed() -> None:
    ctr = gated("", "")
    ctr.access(Access(WRITE, 0x34E, 1 << 0))
    ctr.retire(U, [Transfer(5, 0x100, 0x200, 0, U, U)])
    assert ctr.access(Access(READ, 0x151, 0, M))[:2] == (0x101, DONE)
    ctr.access(Access(WRITE, 0x24E, 3))
    ctr.retire(VU, [Transfer(5, 0x300, 0x400, 0, VU, VU)])
    assert ctr.entry(0).source == 0x300 and ctr.state.wrptr == 2
