# SPDX-License-Identifier: Apache-2.0
"""Overflow: OF, the interrupt request, widths, increments of more than 1; never by a write (HPM-1), and scountovf
(HPM-2).
"""

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import CLEAR, DEBUG, DONE, HS, ILLEGAL, READ, SET, VIRTUAL, VS, VU, WRITE, Access, M, U

OF = 1 << 63
MIP, SCOUNTOVF = 0x344, 0xDA0


def block(value: int, event: int = 3, config: Config | None = None, n: int = 3) -> Hpm:
    hpm = Hpm(config or Config())
    hpm.access(Access(WRITE, 0x320 + n, event))
    hpm.access(Access(WRITE, 0xB00 + n, value))
    return hpm


def ones(width: int) -> int:
    return (1 << width) - 1


@pytest.mark.parametrize("width", (1, 2, 7, 31, 32, 33, 63, 64))
def test_the_wrap_at_the_width_sets_of_and_requests(width: int) -> None:
    hpm = block(ones(width), config=Config(widths=(width,)))
    hpm.cycle(M, Counts(events=(0, 3)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (ones(width), 0, 0)
    hpm.cycle(M, Counts(events=(1,)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (0, 0b1000, 1)


@pytest.mark.parametrize(("value", "increment", "after", "over"), [
    (0xFD, 2, 0xFF, False), (0xFD, 3, 0, True), (0xFF, 2, 1, True), (0xFE, 7, 5, True), (0, 255, 255, False),
    (1, 255, 0, True),
])  # fmt: skip
def test_an_increment_of_more_than_1(value: int, increment: int, after: int, over: bool) -> None:
    hpm = block(value, config=Config(widths=(8,), event_bits=8))
    hpm.cycle(M, Counts(events=(increment,)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (after, 8 * over, int(over))


def test_an_increment_that_wraps_twice_is_one_overflow() -> None:
    hpm = block(1, config=Config(widths=(1,), event_bits=3))
    hpm.cycle(M, Counts(events=(7,)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (0, 8, 1)


def test_of_disables_the_interrupt_and_stays_until_it_is_written() -> None:
    hpm = block(ones(8), 3 | OF, Config(widths=(8,)))
    hpm.cycle(M, Counts(events=(1,)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (0, 8, 0)
    hpm.access(Access(CLEAR, 0x323, OF))
    assert hpm.of == 0
    hpm.access(Access(WRITE, 0xB03, 255))
    hpm.cycle(M, Counts(events=(1,)))
    assert (hpm.of, hpm.lcofip) == (8, 1)
    hpm.access(Access(CLEAR, MIP, 1 << 13))
    assert (hpm.of, hpm.lcofip) == (8, 0)  # LCOFIP is no mirror of OF
    for _ in range(256):
        hpm.cycle(M, Counts(events=(1,)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (0, 8, 0)


def test_no_write_is_an_overflow() -> None:
    hpm = block(ones(8), 3, Config(widths=(8,), xlen=32))
    for access in (
        Access(WRITE, 0xB03, 0),
        Access(WRITE, 0xB03, 255),
        Access(CLEAR, 0xB03, 255),
        Access(SET, 0xB03, 255),
        Access(WRITE, 0xB03, 256),
        Access(WRITE, 0xB83, 1),
        Access(WRITE, 0x323, 1),
        Access(WRITE, 0x723, 0),
    ):
        assert hpm.access(access).outcome == DONE
        assert (hpm.of, hpm.lcofip) == (0, 0)
    hpm.access(Access(WRITE, 0x723, 1 << 31))
    assert (hpm.of, hpm.lcofip) == (8, 0)


def test_a_write_in_the_cycle_of_the_overflow_drops_it() -> None:
    for address, after in ((0xB03, 7), (0xB83, 7 << 32 | 0xFFFF_FFFF)):
        hpm = block(0xFFFF_FFFF, config=Config(xlen=32))
        hpm.access(Access(WRITE, 0xB83, 0xFFFF_FFFF))
        hpm.cycle(M, Counts(events=(1,)), Access(WRITE, address, 7))
        assert (hpm.of, hpm.lcofip) == (0, 0)
        assert hpm.counter(3) == (after if address == 0xB83 else 0xFFFF_FFFF << 32 | after)


def test_mcycle_and_minstret_wrap_without_of() -> None:
    hpm = Hpm(Config())
    for n in (0, 2):
        hpm.access(Access(WRITE, 0xB00 + n, ones(64)))
    hpm.cycle(M, Counts(retired=1))
    assert (hpm.counter(0), hpm.counter(2), hpm.of, hpm.lcofip) == (0, 0, 0, 0)


def test_without_sscofpmf_there_is_neither_of_nor_request() -> None:
    hpm = block(ones(8), 3 | OF, Config(widths=(8,), has_sscofpmf=0, has_shlcofideleg=0))
    hpm.cycle(M, Counts(events=(2,)))
    hpm.access(Access(WRITE, MIP, ones(64)))
    assert (hpm.counter(3), hpm.of, hpm.lcofip) == (1, 0, 0)
    assert hpm.access(Access(READ, SCOUNTOVF)).outcome == ILLEGAL


def test_two_counters_that_overflow_together_both_set_of() -> None:
    hpm = block(ones(64))
    hpm.access(Access(WRITE, 0x33F, 3))
    hpm.access(Access(WRITE, 0xB1F, ones(64) - 1))
    hpm.cycle(M, Counts(events=(2,)))
    assert (hpm.of, hpm.lcofip, hpm.counter(3), hpm.counter(31)) == (1 << 31 | 8, 1, 1, 0)


@pytest.mark.parametrize("mcounteren", (0, 8, 1 << 31, 1 << 31 | 8))
@pytest.mark.parametrize("hcounteren", (0, 8, 1 << 31, ones(32)))
def test_scountovf_is_masked_below_m(mcounteren: int, hcounteren: int) -> None:
    hpm = Hpm(Config())
    for n in (3, 31):
        hpm.access(Access(WRITE, 0x320 + n, OF))
    hpm.access(Access(WRITE, 0x306, mcounteren))
    hpm.access(Access(WRITE, 0x606, hcounteren))
    both = 1 << 31 | 8
    expected = {
        M: (both, DONE),
        DEBUG: (both, DONE),
        HS: (mcounteren, DONE),
        VS: (mcounteren & hcounteren, DONE),
        U: (0, ILLEGAL),
        VU: (0, VIRTUAL),
    }
    assert {priv: hpm.peek(Access(READ, SCOUNTOVF, 0, priv))[:2] for priv in expected} == expected
    assert {hpm.peek(Access(WRITE, SCOUNTOVF, 0, priv)).outcome for priv in expected} == {ILLEGAL}
