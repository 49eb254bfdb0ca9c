# SPDX-License-Identifier: Apache-2.0
"""Who may access what (HPM-8): every mode against every setting of the three enables, in every set of modes, at both
XLENs.
"""

import itertools
from typing import Any

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.registers import csrs
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, HS, ILLEGAL, READ, SET, VS, VU, WRITE, Access, M, U

NO_S: dict[str, Any] = {"has_s": 0, "has_h": 0, "has_shlcofideleg": 0}
# Mode: outcome for mcounteren, scounteren, hcounteren = 000, 001, 010, 011, 100, ... 111. I illegal, V virtual, D done.
TABLE = {
    "MSUH": {M: "DDDDDDDD", DEBUG: "DDDDDDDD", HS: "IIIIDDDD", U: "IIIIIIDD", VS: "IIIIVDVD", VU: "IIIIVVVD"},
    "MSU": {M: "DDDDDDDD", DEBUG: "DDDDDDDD", HS: "IIIIDDDD", U: "IIIIIIDD"},
    "MU": {M: "DDDDDDDD", U: "IIIIDDDD"},
    "M": {M: "DDDDDDDD", DEBUG: "DDDDDDDD"},
}
MODES = {"MSUH": {}, "MSU": {"has_h": 0, "has_shlcofideleg": 0}, "MU": NO_S, "M": {**NO_S, "has_u": 0}}
ENABLES = (0x306, 0x106, 0x606)


@pytest.mark.parametrize("xlen", (32, 64))
@pytest.mark.parametrize("modes", TABLE)
@pytest.mark.parametrize("n", (0, 1, 2, 3, 17, 31))
def test_counters_below_m(modes: str, xlen: int, n: int) -> None:
    hpm = Hpm(Config(xlen=xlen, **MODES[modes]))
    for column, opened in enumerate(itertools.product((0, 1), repeat=3)):
        for address, bit in zip(ENABLES, opened):
            hpm.access(Access(WRITE, address, bit << n))
        for priv, outcomes in TABLE[modes].items():
            expected = "DIV".index(outcomes[column])
            assert hpm.peek(Access(READ, 0xC00 + n, 0, priv)).outcome == expected
            assert hpm.peek(Access(READ, 0xC80 + n, 0, priv)).outcome == (expected if xlen == 32 else ILLEGAL)
            assert hpm.peek(Access(READ, 0xC80 + n, 0, priv, 1)).outcome == expected
            for op, operand, want in (
                (WRITE, 0, ILLEGAL),
                (SET, 1, ILLEGAL),
                (CLEAR, 1, ILLEGAL),
                (SET, 0, expected),
                (CLEAR, 0, expected),
            ):
                assert hpm.peek(Access(op, 0xC00 + n, operand, priv)).outcome == want


def test_a_bit_opens_its_own_counter_only() -> None:
    for n in range(32):
        hpm = Hpm(Config())
        hpm.access(Access(WRITE, 0x306, 1 << n))
        done = [k for k in range(32) if hpm.peek(Access(READ, 0xC00 + k, 0, HS)).outcome == DONE]
        assert done == [n]


def test_enables_of_absent_counters_are_0_and_the_counter_is_illegal_below_m() -> None:
    hpm = Hpm(Config(counters=1 << 5))
    for address in ENABLES:
        hpm.access(Access(WRITE, address, (1 << 64) - 1))
        assert hpm.access(Access(READ, address)).rdata == 0b100111
    assert hpm.peek(Access(READ, 0xC06)) == (0, DONE, 0)
    assert [hpm.peek(Access(READ, 0xC06, 0, priv)).outcome for priv in (HS, U, VS, VU)] == [ILLEGAL] * 4


# Least mode of a register: outcome from U, HS, M, VU, VS, Debug.
LEVELS = {"M": "IIDIID", "H": "IDDVVD", "S": "IDDVDD"}


@pytest.mark.parametrize("xlen32", (0, 1))
def test_every_register_of_m_h_and_s(xlen32: int) -> None:
    hpm = Hpm(Config())
    for found in csrs(hpm.config):
        if found.level == "U":
            continue
        for priv, letter in zip((U, HS, M, VU, VS, DEBUG), LEVELS[found.level]):
            here = ILLEGAL if found.high and not xlen32 else "DIV".index(letter)
            assert hpm.peek(Access(READ, found.address, 0, priv, xlen32)).outcome == here, found.name
            assert hpm.peek(Access(WRITE, found.address, 0, priv, xlen32)).outcome == (
                ILLEGAL if found.read_only else here
            ), found.name


@pytest.mark.parametrize(("config", "gone"), [
    (Config(has_h=0, has_shlcofideleg=0), (0x606, 0x605, 0x603, 0x244, 0x204)),
    (Config(**NO_S), (0x606, 0x605, 0x603, 0x244, 0x204, 0x106, 0x104, 0x144, 0x303, 0xDA0)),
    (Config(**NO_S, has_u=0), (0x606, 0x106, 0x306, 0x104, 0x144, 0x303, 0xDA0)),
    (Config(has_sscofpmf=0, has_shlcofideleg=0), (0xDA0, 0x723, 0x73F)),
    (Config(has_smcntrpmf=0), (0x321, 0x322, 0x721, 0x722)),
    (Config(), (0x000, 0xB01, 0xB81, 0xB20, 0xBA0, 0xC20, 0xCA0, 0x33F + 1, 0x645, 0x644, 0x604)),
])  # fmt: skip
def test_what_is_not_there_is_illegal_even_for_m(config: Config, gone: tuple[int, ...]) -> None:
    hpm = Hpm(config)
    for address in gone:
        assert {hpm.peek(Access(READ, address, 0, priv, 1)) for priv in (M, HS, VS, VU, U)} == {(0, ILLEGAL, 0)}


def test_a_refused_access_changes_nothing() -> None:
    hpm = Hpm(Config())
    before = hpm.state
    for found in csrs(hpm.config):
        for priv in (U, VU):
            if hpm.peek(Access(WRITE, found.address, 0, priv)).outcome != DONE:
                hpm.access(Access(WRITE, found.address, (1 << 64) - 1, priv))
    assert hpm.state == before


def test_time_in_a_guest_is_the_clock_plus_htimedelta() -> None:
    for config, xlen32 in ((Config(), 0), (Config(xlen=32), 0), (Config(), 1)):
        hpm, clock = Hpm(config), Counts(time=0x1_FFFF_FFF0)
        for address in ENABLES:
            hpm.access(Access(WRITE, address, 2))
        hpm.access(Access(WRITE, 0x615, 0xFFFF_FFFF, M, 1))
        hpm.access(Access(WRITE, 0x605, 0x20, M, 1))
        for priv in (M, HS, U, VS, VU):
            want = 0x1_0000_0010 if priv in (VS, VU) else 0x1_FFFF_FFF0
            low = hpm.cycle(priv, clock, Access(READ, 0xC01, 0, priv, xlen32))
            high = hpm.cycle(priv, clock, Access(READ, 0xC81, 0, priv, 1))
            narrow = xlen32 or config.xlen == 32
            assert low and high and (low.rdata, high.rdata) == (want & 0xFFFF_FFFF if narrow else want, want >> 32)
