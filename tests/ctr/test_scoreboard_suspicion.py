# SPDX-License-Identifier: Apache-2.0
"""What an access is suspected of, and what the scoreboard takes over from a device, piece by piece."""

from itertools import product

import pytest

from rvtrace.models.csr.file import Gates
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import CSRIND_BIT, CTR_BIT, csr, csr_file, csrs
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, READ, VIRTUAL, VS, VU, WRITE, Access, M, U
from rvtrace.scoreboards.ctr import access as suspicion
from rvtrace.scoreboards.ctr.follow import Follower
from rvtrace.scoreboards.ctr.reads import status_fields
from rvtrace.scoreboards.ctr.tolerances import Tolerances

VARIANTS = ("v1_0", "v0_1_4")
MODES = (M, HS, U, VS, VU, DEBUG)


def gates(config: Config, mstateen: int = -1, hstateen: int = -1) -> Gates:
    """Both bits of the state enables, or those that are given; every iselect selects the first entry."""
    bits = 1 << CTR_BIT[config.variant] | 1 << CSRIND_BIT
    return Gates(mstateen & bits, hstateen & bits, 0x200, 0x200, 0x200)


def follower(variant: str) -> Follower:
    return Follower(Config(variant=variant), Tolerances(), adopts=False)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_virtual_instruction_exception_is_missed_only_where_one_is_due(variant: str) -> None:
    config = Config(variant=variant)
    due = 0
    for found, mode, op in product(csrs(config), MODES, (READ, WRITE)):
        access = Access(op, found.address, 0, mode)
        suspects = dict(suspicion.tested(config, gates(config), found, access))
        right = csr_file(config).outcome(gates(config), found, access)
        if right != VIRTUAL:
            assert "CTR.csr.virtual" not in suspects, (found.name, mode)
        elif found.level == "H":
            due += 1
            assert DONE in suspects["CTR.csr.virtual"]
    assert due


@pytest.mark.parametrize("variant", VARIANTS)
def test_an_iselect_does_not_depend_on_the_other_state_enable(variant: str) -> None:
    """The CTR bit is for the CTR registers, and the entries that an ireg gives; siselect depends on CSRIND alone."""
    config = Config(variant=variant)
    for mode in (HS, VS):
        suspects = dict(suspicion.tested(config, gates(config), csr("siselect", config), Access(READ, 0x150, 0, mode)))
        assert "CTR.stateen.open" not in suspects and "CTR.stateen.csrind" in suspects


@pytest.mark.parametrize("variant", VARIANTS)
def test_bit_60_closes_to_all_but_m_and_debug(variant: str) -> None:
    f = follower(variant)
    for opened, mode in product((0, 1 << CSRIND_BIT), MODES):
        f.gates.mstateen = opened | 1 << CTR_BIT[variant]
        assert f.csrind_closed(mode) == (not opened and mode not in (M, DEBUG))
    without = Follower(Config(variant=variant, has_stateen=0), Tolerances(), adopts=False)
    assert not without.csrind_closed(U)


@pytest.mark.parametrize(("variant", "status"), [("v1_0", 5), ("v1_0", 1 << 31 | 5), ("v0_1_4", 1 << 15 | 5),
                                                 ("v0_1_4", 1 << 14 | 9), ("v0_1_4", 3 << 14)])  # fmt: skip
def test_the_status_that_is_taken_over_is_the_one_that_is_expected(variant: str, status: int) -> None:
    f = follower(variant)
    f.force_status(status)
    assert f.peek_status() == status


@pytest.mark.parametrize("variant", VARIANTS)
def test_only_the_bits_that_were_seen_are_taken_over(variant: str) -> None:
    f = follower(variant)
    control = "mctrctl" if variant == "v1_0" else "mctrcontrol"
    all_bits = f.config.fields
    f.force(control, all_bits, -1)
    assert f.ctl == all_bits
    f.force(control, 0, 0b10)
    assert f.ctl == all_bits & ~0b10
    f.force(control, 0xFF << 32 | 0b10, 0b10)
    assert f.ctl == all_bits
    for name, kept in (("mstateen0", "mstateen"), ("hstateen0", "hstateen"), ("siselect", "siselect")):
        setattr(f.gates, kept, 0b1100)
        f.force(name, 0b0001, 0b0101)
        assert getattr(f.gates, kept) == 0b1001


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_fields_of_the_status_are_all_of_its_bits_once(variant: str) -> None:
    masks = {name: mask for name, mask, _ in status_fields(follower(variant), None, False)}
    assert sum(masks.values()) == 0xFFFF_FFFF
    seen = 0
    for mask in masks.values():
        assert not seen & mask
        seen |= mask
