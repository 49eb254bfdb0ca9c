# SPDX-License-Identifier: Apache-2.0
"""A counter that is written and counts in one cycle, its two halves, set and clear, XLEN 32 on an RV64 hart (HPM-4,
HPM-6).
"""

import random

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import CLEAR, DONE, READ, SET, WRITE, Access, M

BUSY = Counts(retired=3, events=(2, 1))
HALVES = [(Config(xlen=32), 0), (Config(), 1)]  # RV32; RV64 with accesses at XLEN 32


def block(config: Config) -> Hpm:
    """mcycle and minstret; counters 3 and 4 count event 0, counter 5 instructions."""
    hpm = Hpm(config)
    for n, selector in ((3, 3), (4, 3), (5, 2)):
        hpm.access(Access(WRITE, 0x320 + n, selector))
    return hpm


@pytest.mark.parametrize("written", (0, 2, 3, 4, 5))
def test_the_written_value_wins_and_the_others_count(written: int) -> None:
    hpm = block(Config())
    answer = hpm.cycle(M, BUSY, Access(WRITE, 0xB00 + written, 1000))
    assert answer is not None and answer[:2] == (0, DONE)
    expected = {0: 1, 2: 3, 3: 2, 4: 2, 5: 3} | {written: 1000}
    assert {n: hpm.counter(n) for n in expected} == expected
    hpm.cycle(M, BUSY)
    assert hpm.counter(written) == 1000 + {0: 1, 2: 3, 3: 2, 4: 2, 5: 3}[written]


def test_a_read_gives_the_start_of_its_cycle() -> None:
    hpm = block(Config())
    hpm.cycle(M, BUSY)
    for address, value, after in ((0xB02, 3, 6), (0xC02, 6, 9), (0xB03, 6, 8), (0xC03, 8, 10)):
        answer = hpm.cycle(M, BUSY, Access(READ, address))
        assert answer is not None and (answer.rdata, hpm.counter(address & 31)) == (value, after)


@pytest.mark.parametrize(
    ("op", "operand", "after"),
    [(SET, 0b1010, 0b1110), (CLEAR, 0b0110, 0b1000 & 0), (SET, 0, 0b0110 + 2), (CLEAR, 0, 0b0110 + 2)],
)
def test_set_and_clear_change_the_value_read_and_without_operand_write_nothing(
    op: int, operand: int, after: int
) -> None:
    hpm = block(Config())
    hpm.access(Access(WRITE, 0xB03, 0b0110))
    answer = hpm.cycle(M, BUSY, Access(op, 0xB03, operand))
    assert answer is not None and answer.rdata == 0b0110
    assert hpm.counter(3) == after and hpm.counter(4) == 2


@pytest.mark.parametrize(("config", "xlen32"), HALVES)
def test_the_low_half_carries_into_the_high_half(config: Config, xlen32: int) -> None:
    hpm = block(config)
    hpm.access(Access(WRITE, 0xB83, 7, M, xlen32))
    hpm.access(Access(WRITE, 0xB03, 0xFFFF_FFFF, M, xlen32))
    assert hpm.counter(3) == 0x7_FFFF_FFFF
    high = hpm.cycle(M, BUSY, Access(READ, 0xB83, 0, M, xlen32))
    low = hpm.cycle(M, Counts(), Access(READ, 0xB03, 0, M, xlen32))
    again = hpm.cycle(M, Counts(), Access(READ, 0xB83, 0, M, xlen32))
    assert high and low and again and (high.rdata, low.rdata, again.rdata) == (7, 1, 8)


@pytest.mark.parametrize(("config", "xlen32"), HALVES)
@pytest.mark.parametrize("n", (0, 2, 3, 4, 5))
def test_a_write_to_one_half_keeps_the_other_and_drops_the_increment(config: Config, xlen32: int, n: int) -> None:
    for base, value, after in ((0xB00, 0x1234, 0x7_0000_1234), (0xB80, 0x1234, 0x1234_FFFF_FFFF)):
        hpm = block(config)
        hpm.access(Access(WRITE, 0xB80 + n, 7, M, xlen32))
        hpm.access(Access(WRITE, 0xB00 + n, 0xFFFF_FFFF, M, xlen32))
        hpm.cycle(M, BUSY, Access(WRITE, base + n, 0xDEAD_0000_0000 | value, M, xlen32))
        assert hpm.counter(n) == after
        others = {0: 1, 2: 3, 3: 2, 4: 2, 5: 3}
        assert all(hpm.counter(other) == by for other, by in others.items() if other != n)


@pytest.mark.parametrize(("config", "xlen32"), HALVES)
def test_64_bits_survive_any_order_of_half_writes_and_events(config: Config, xlen32: int) -> None:
    """Low, high, low again while one event comes in each cycle:
    what is read is what was written plus what came since.
    """
    hpm = block(config)
    one = Counts(cycle=0, events=(1,))
    hpm.cycle(M, one, Access(WRITE, 0xB03, 0xFFFF_FFFE, M, xlen32))
    hpm.cycle(M, one)  # 0xFFFF_FFFF
    hpm.cycle(M, one)  # 1_0000_0000
    hpm.cycle(M, one, Access(WRITE, 0xB83, 0xFFFF_FFFF, M, xlen32))  # FFFF_FFFF_0000_0000
    hpm.cycle(M, one, Access(CLEAR, 0xB83, 1, M, xlen32))  # FFFF_FFFE_0000_0000
    hpm.cycle(M, one, Access(SET, 0xB03, 0xFFFF_FFFF, M, xlen32))  # FFFF_FFFE_FFFF_FFFF
    hpm.cycle(M, one)
    assert hpm.counter(3) == 0xFFFF_FFFF_0000_0000


@pytest.mark.parametrize(("config", "xlen32"), HALVES)
@pytest.mark.parametrize("seed", range(4))
def test_any_interleaving_of_half_reads_half_writes_and_events(config: Config, xlen32: int, seed: int) -> None:
    """One integer is what both halves must show; low halves stay near their wrap."""
    rng, hpm, whole = random.Random(f"6:halves:{seed}"), block(config), 0
    for _ in range(600):
        events, high, near = rng.randint(0, 3), rng.random() < 0.5, -rng.randint(1, 6) & 0xFFFF_FFFF
        access = Access(
            rng.choice((READ, READ, WRITE)),
            0xB83 if high else 0xB03,
            rng.choice((0, near, rng.getrandbits(32))),
            M,
            xlen32,
        )
        answer = hpm.cycle(M, Counts(events=(events,)), access)
        assert answer is not None and answer.rdata == (whole >> 32 if high else whole & 0xFFFF_FFFF)
        if access.op == READ:
            whole = (whole + events) % (1 << 64)
        else:
            whole = whole & 0xFFFF_FFFF | access.wdata << 32 if high else whole >> 32 << 32 | access.wdata
        assert hpm.counter(3) == whole


@pytest.mark.parametrize("width", (1, 8, 31, 32, 33, 40, 63, 64))
@pytest.mark.parametrize("xlen", (32, 64))
def test_bits_above_the_width_read_0(width: int, xlen: int) -> None:
    hpm = Hpm(Config(xlen=xlen, widths=(width,)))
    hpm.access(Access(WRITE, 0xB07, (1 << 64) - 1))
    if xlen == 32:
        hpm.access(Access(WRITE, 0xB87, (1 << 32) - 1))
        assert hpm.access(Access(READ, 0xB87)).rdata == (1 << max(width - 32, 0)) - 1
    assert hpm.counter(7) == (1 << width) - 1


def test_a_counter_that_is_not_there_is_read_only_0() -> None:
    for xlen in (32, 64):
        hpm = Hpm(Config(xlen=xlen, counters=0b10000))
        for address in (0xB03, 0x323, 0xB1F, 0x33F, *((0xB83, 0x723) if xlen == 32 else ())):
            assert hpm.access(Access(WRITE, address, 3)).outcome == DONE
            assert hpm.access(Access(READ, address)) == (0, DONE, 0)
        hpm.cycle(M, BUSY)
        assert hpm.counter(3) == 0
