# SPDX-License-Identifier: Apache-2.0
"""Bit 13 of mip, mie and their views: delegation, and a request against a write through each view (HPM-7)."""

import itertools

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, ILLEGAL, READ, SET, VS, WRITE, Access, M

MIP, MIE, MIDELEG, SIP, SIE, HIDELEG, VSIP, VSIE = 0x344, 0x304, 0x303, 0x144, 0x104, 0x603, 0x244, 0x204
BIT, ONES = 1 << 13, (1 << 64) - 1
VIEWS = [  # address, mode, needs mideleg, needs hideleg
    (MIP, M, 0, 0), (SIP, M, 1, 0), (SIP, HS, 1, 0), (VSIP, M, 1, 1), (VSIP, HS, 1, 1), (SIP, VS, 1, 1),
    (MIE, M, 0, 0), (SIE, M, 1, 0), (SIE, HS, 1, 0), (VSIE, M, 1, 1), (VSIE, HS, 1, 1), (SIE, VS, 1, 1),
]  # fmt: skip


def delegated(mideleg: int, hideleg: int, xlen: int = 64) -> Hpm:
    hpm = Hpm(Config(xlen=xlen))
    hpm.access(Access(WRITE, MIDELEG, BIT * mideleg))
    hpm.access(Access(WRITE, HIDELEG, BIT * hideleg))
    return hpm


@pytest.mark.parametrize(("address", "priv", "by_m", "by_h"), VIEWS)
@pytest.mark.parametrize("xlen", (32, 64))
def test_a_view_shows_and_writes_bit_13_if_it_is_delegated(
    address: int, priv: int, by_m: int, by_h: int, xlen: int
) -> None:
    machine = MIP if address in (MIP, SIP, VSIP) else MIE
    for mideleg, hideleg in itertools.product((0, 1), repeat=2):
        is_open = mideleg >= by_m and hideleg >= by_h
        hpm = delegated(mideleg, hideleg, xlen)
        assert hpm.access(Access(WRITE, address, ONES, priv)) == (0, DONE, 0)
        assert hpm.access(Access(READ, machine)).rdata == BIT * is_open
        hpm.access(Access(WRITE, machine, ONES))
        assert hpm.access(Access(CLEAR, address, BIT, priv)).rdata == BIT * is_open
        assert hpm.access(Access(READ, machine)).rdata == BIT * (not is_open)


@pytest.mark.parametrize(("address", "priv"), [(MIP, M), (SIP, HS), (SIP, VS), (VSIP, HS)])
@pytest.mark.parametrize("op", (WRITE, CLEAR))
def test_a_request_survives_a_clear_through_every_view(address: int, priv: int, op: int) -> None:
    for before in (0, 1):
        hpm = delegated(1, 1)
        hpm.access(Access(WRITE, 0x325, 3))
        hpm.access(Access(WRITE, 0xB05, ONES))
        hpm.access(Access(WRITE, MIP, BIT * before))
        answer = hpm.cycle(priv, Counts(events=(1,)), Access(op, address, 0 if op == WRITE else BIT, priv))
        assert answer == (BIT * before, DONE, 0)
        assert (hpm.lcofip, hpm.of) == (1, 1 << 5)
        hpm.cycle(priv, Counts(events=(1,)), Access(op, address, 0 if op == WRITE else BIT, priv))
        assert (hpm.lcofip, hpm.of) == (0, 1 << 5)


def test_a_write_of_lcofip_leaves_of_alone() -> None:
    hpm = Hpm(Config())
    hpm.access(Access(SET, MIP, BIT))
    assert (hpm.lcofip, hpm.of, hpm.access(Access(READ, 0xDA0)).rdata) == (1, 0, 0)


def test_lcofie_is_the_bit_of_mie_and_does_not_change_lcofip() -> None:
    hpm = Hpm(Config())
    hpm.access(Access(WRITE, MIE, ONES))
    assert (hpm.lcofie, hpm.lcofip) == (1, 0)
    hpm.access(Access(WRITE, 0x323, 1))
    hpm.access(Access(WRITE, MIE, 0))
    hpm.access(Access(WRITE, 0xB03, ONES))
    hpm.cycle(M)
    assert (hpm.lcofie, hpm.lcofip) == (0, 1)


def test_hideleg_is_0_without_shlcofideleg_and_a_guest_then_sees_nothing() -> None:
    hpm = Hpm(Config(has_shlcofideleg=0))
    for address in (MIDELEG, HIDELEG, MIP, MIE):
        hpm.access(Access(WRITE, address, ONES))
    assert hpm.access(Access(READ, HIDELEG)).rdata == 0
    assert hpm.access(Access(READ, SIP, 0, HS)).rdata == BIT
    assert [hpm.access(Access(READ, address, 0, VS)).rdata for address in (SIP, SIE)] == [0, 0]


def test_without_supervisor_there_is_mip_only() -> None:
    hpm = Hpm(Config(has_s=0, has_h=0, has_shlcofideleg=0))
    hpm.access(Access(WRITE, MIP, ONES))
    assert hpm.lcofip == 1
    assert {hpm.access(Access(READ, address)).outcome for address in (MIDELEG, SIP, SIE, HIDELEG, VSIP, VSIE)} == {
        ILLEGAL
    }
