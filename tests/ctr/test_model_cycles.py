# SPDX-License-Identifier: Apache-2.0
"""Cycle counter: CC at every boundary of each CCE width, saturation, what counts, and when CCV is 0 (CTR-1, CTR-2)."""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import SCTRCLR, Transfer, decode_cc, encode_cc, largest_count
from rvtrace.models.riscv.csr import DEBUG, HS, SET, VS, VU, WRITE, Access, M, U

# CCE bits, count, CC by hand: CCE = index of the top one bit - 11 (0 below 4096), CCM = count[CCE+10:CCE-1].
BOUNDARIES = [
    (0, 0, 0x0000),
    (0, 4094, 0x0FFE),
    (0, 4095, 0x0FFF),
    (0, 4096, 0x0FFF),
    (0, 1 << 27, 0x0FFF),
    (1, 4095, 0x0FFF),
    (1, 4096, 0x1000),
    (1, 8190, 0x1FFE),
    (1, 8191, 0x1FFF),
    (1, 8192, 0x1FFF),
    (2, 8191, 0x1FFF),
    (2, 8192, 0x2000),
    (2, 8193, 0x2000),
    (2, 8194, 0x2001),
    (2, 16383, 0x2FFF),
    (2, 16384, 0x3000),
    (2, 32763, 0x3FFE),
    (2, 32764, 0x3FFF),
    (2, 32767, 0x3FFF),
    (2, 32768, 0x3FFF),
    (3, 32767, 0x3FFF),
    (3, 32768, 0x4000),
    (3, 65536, 0x5000),
    (3, 131072, 0x6000),
    (3, 262144, 0x7000),
    (3, 524223, 0x7FFE),
    (3, 524224, 0x7FFF),
    (3, 524288, 0x7FFF),
    (4, 524288, 0x8000),
    (4, 1 << 20, 0x9000),
    (4, 1 << 25, 0xE000),
    (4, 1 << 26, 0xF000),
    (4, (1 << 26) + (1 << 14), 0xF001),
    (4, 134201343, 0xFFFE),
    (4, 134201344, 0xFFFF),
    (4, 134217727, 0xFFFF),
    (4, 1 << 30, 0xFFFF),
]
DRAFT = Config(variant="v0_1_4", has_stateen=0)
JUMP = Transfer(11, 0x100, 0x200, 0, M, M)


def running(config: Config | None = None, ctl: int = 7) -> Ctr:
    """M, S and U enabled, and a first record taken: the counter is 1."""
    ctr = Ctr(config or Config())
    ctr.access(Access(WRITE, 0x381 if ctr.config.draft else 0x34E, ctl))
    ctr.retire(M, [JUMP])
    return ctr


def cc(ctr: Ctr, logical: int = 0) -> tuple[int, bool]:
    """CC and CCV of an entry."""
    return ctr.entry(logical).cc, ctr.entry(logical).ccv


@pytest.mark.parametrize(("bits", "count", "expected"), BOUNDARIES)
def test_cc_at_boundaries(bits: int, count: int, expected: int) -> None:
    assert encode_cc(count, bits) == expected
    ctr = running(Config(cce_bits=bits))
    ctr.idle(M, count - 1 if count else 0)
    ctr.retire(M, [JUMP] if count else [JUMP, JUMP])  # a count of 0: the second record of a cycle
    assert cc(ctr) == (expected, True)


def test_largest_counts_and_decoding() -> None:
    assert [largest_count(bits) for bits in range(5)] == [4095, 8191, 32764, 524224, 134201344]
    assert [decode_cc(v) for v in (0, 0xFFF, 0x1000, 0x1FFF, 0x2000, 0x2001, 0xF000)] == [
        0, 4095, 4096, 8191, 8192, 8194, 1 << 26,
    ]  # fmt: skip


def test_cycles_between_records() -> None:
    ctr = running()
    assert cc(ctr) == (0, False)  # the first after a control write
    ctr.retire(M, [JUMP, JUMP])
    assert cc(ctr, 1) == (1, True) and cc(ctr, 0) == (0, True)
    for _ in range(4):
        ctr.retire(M, [])
    ctr.retire(M, [JUMP])
    assert cc(ctr) == (5, True)


@pytest.mark.parametrize(("priv", "counts"), [(M, 0), (HS, 1), (U, 0), (VS, 1), (VU, 0), (DEBUG, 0)])
def test_only_cycles_of_enabled_modes_count(priv: int, counts: int) -> None:
    ctr = Ctr(Config(has_stateen=0))
    ctr.access(Access(WRITE, 0x34E, 2))
    ctr.access(Access(WRITE, 0x24E, 2))
    for _ in range(3):
        ctr.retire(priv, [])
    ctr.retire(HS, [Transfer(11, 2, 4, 0, HS, HS)])
    assert cc(ctr) == (3 * counts, False)


def test_the_cycle_of_a_record_counts_by_the_mode_at_its_begin() -> None:
    """A trap from U (disabled) to M: recorded, but the cycle does not count; the return's cycle in M does."""
    ctr = running(ctl=4)
    ctr.retire(U, [Transfer(1, 2, 4, 0, U, M, 8)])
    assert cc(ctr) == (1, True) and ctr.state.counter == 0
    ctr.retire(M, [Transfer(3, 4, 2, 0, M, U)])
    assert cc(ctr) == (0, True) and ctr.state.counter == 1


def test_frozen_cycles_do_not_count() -> None:
    ctr = running(ctl=7 | 1 << 11)
    ctr.retire(M, [Transfer(1, 2, 4, 0, M, M, 3)])  # FROZEN was 0 at the start of this cycle: it counts
    ctr.idle(M, 100)
    assert ctr.state.counter == 2
    ctr.cycle(M, [], Access(WRITE, 0x14F, 1))  # FROZEN was 1 at the start of this one
    ctr.retire(M, [])
    ctr.retire(M, [JUMP])
    assert cc(ctr) == (3, True)


RESTARTS = [
    (Config(), Access(WRITE, 0x34E, 7)),
    (Config(), Access(SET, 0x34E, 1)),
    (Config(), Access(WRITE, 0x14E, 3)),
    (Config(), Access(WRITE, 0x24E, 0)),
    (Config(), Access(SCTRCLR)),
    (DRAFT, Access(WRITE, 0x381, 7)),
    (DRAFT, Access(SET, 0x381, 0x80)),
    (DRAFT, Access(WRITE, 0x281, 0)),
    (DRAFT, Access(WRITE, 0x181, 0, VS)),
    (DRAFT, Access(WRITE, 0x182, 0, M, 1)),
]


@pytest.mark.parametrize(("config", "access"), RESTARTS)
def test_control_writes_and_clears_restart_the_counter(config: Config, access: Access) -> None:
    ctr = running(config)
    ctr.idle(M, 10)
    assert ctr.cycle(M, [], access)[1] == 0  # type: ignore[index]
    assert ctr.state.counter == 0  # also if the cycle of the write counted
    ctr.idle(M, 4)
    ctr.retire(M, [JUMP])
    assert cc(ctr) == (4, False)
    ctr.retire(M, [JUMP])
    assert cc(ctr) == (1, True)


def test_what_does_not_restart_it() -> None:
    ctr = running()
    ctr.idle(M, 10)
    for access in (
        Access(0, 0x34E),
        Access(SET, 0x34E, 0),
        Access(WRITE, 0x14E, 0, U),
        Access(WRITE, 0x14F, 0),
        Access(WRITE, 0x15F, 0),
    ):
        ctr.access(access)
    assert ctr.state.counter == 11 and ctr.state.ccv_next


def test_without_a_counter_the_fields_are_0() -> None:
    ctr = running(Config(has_cc=0))
    ctr.idle(M, 10)
    ctr.retire(M, [JUMP])
    assert cc(ctr) == (0, False) and ctr.state.counter == 0
