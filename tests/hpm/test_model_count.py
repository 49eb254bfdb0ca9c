# SPDX-License-Identifier: Apache-2.0
"""What counts, and when: selectors, several events in a cycle, modes, mcountinhibit, stopcount (HPM-3, HPM-5,
HPM-7).
"""

import pytest

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.riscv.csr import CLEAR, DEBUG, HS, READ, SET, VS, VU, WRITE, Access, M, U

FILTER = {M: 62, DEBUG: 62, HS: 61, U: 60, VS: 59, VU: 58}
INHIBIT, CYCLECFG, INSTRETCFG = 0x320, 0x321, 0x322


def block(*events: int, config: Config | None = None) -> Hpm:
    """Counters 3, 4, ... count these selectors."""
    hpm = Hpm(config or Config())
    for n, event in enumerate(events, 3):
        hpm.access(Access(WRITE, 0x320 + n, event))
    return hpm


def test_after_reset_cycles_and_instructions_count_and_nothing_else() -> None:
    hpm = Hpm(Config())
    for _ in range(5):
        hpm.cycle(M, Counts(retired=3, events=(1, 1, 1)))
    assert hpm.counters[:4] == [5, 0, 15, 0] and sum(hpm.counters) == 20


def test_a_cycle_without_cycle_i_counts_events_only() -> None:
    hpm = block(1, 2, 3)
    hpm.cycle(U, Counts(cycle=0, retired=2, events=(3,)))
    assert [hpm.counter(n) for n in (0, 2, 3, 4, 5)] == [0, 2, 0, 2, 3]


def test_every_event_of_a_cycle_counts_in_every_counter_that_selected_it() -> None:
    hpm = block(3, 3, 4, 10, 5)
    hpm.cycle(M, Counts(retired=4, events=(3, 2, 0, 0, 0, 0, 0, 1)))
    hpm.cycle(M, Counts(retired=1, events=(1, 0, 0, 0, 0, 0, 0, 3)))
    assert [hpm.counter(n) for n in range(2, 8)] == [5, 4, 4, 2, 4, 0]


def test_a_selector_that_the_counter_cannot_count_becomes_0() -> None:
    config = Config(selectors=tuple(0b10010 if n == 4 else -1 for n in range(32)), events=4)
    hpm = Hpm(config)
    for written, three, four in (
        (1, 1, 1),
        (2, 2, 0),
        (4, 4, 4),
        (6, 6, 0),
        (7, 0, 0),
        (1 << 20 | 1, 0, 0),
        (1 << 55 | 4, 0, 0),
    ):
        for n, kept in ((3, three), (4, four)):
            hpm.access(Access(WRITE, 0x320 + n, 4))
            hpm.access(Access(WRITE, 0x320 + n, written | 3 << 56 | 1 << 62))
            assert hpm.access(Access(READ, 0x320 + n)).rdata == kept | 1 << 62


@pytest.mark.parametrize("priv", FILTER)
@pytest.mark.parametrize("closed", sorted(set(FILTER.values())))
def test_an_inhibit_bit_stops_its_mode_only(priv: int, closed: int) -> None:
    hpm = block(2 | 1 << closed, 1)
    hpm.access(Access(WRITE, CYCLECFG, 1 << closed))
    hpm.access(Access(WRITE, INSTRETCFG, 1 << closed))
    hpm.cycle(priv, Counts(retired=2))
    counts = FILTER[priv] != closed
    assert [hpm.counter(n) for n in (0, 2, 3, 4)] == [1 * counts, 2 * counts, 2 * counts, 1]


def test_the_mode_of_the_cycle_is_that_of_its_instructions() -> None:
    """U-mode only: the handler and its MRET, which retires in M, do not count; the instruction that trapped retires
    once, when it is repeated.
    """
    hpm = Hpm(Config())
    hpm.access(Access(WRITE, INSTRETCFG, 0b11011 << 58))
    # a load traps, handler, MRET, the load, the next one
    for priv, retired in ((U, 1), (U, 0), (M, 2), (M, 1), (U, 1), (U, 1)):
        hpm.cycle(priv, Counts(retired=retired))
    assert hpm.counter(2) == 3


@pytest.mark.parametrize(("config", "kept"), [
    (Config(), 0x7C << 56), (Config(has_h=0, has_shlcofideleg=0), 0x70 << 56),
    (Config(has_h=0, has_s=0, has_shlcofideleg=0), 0x50 << 56),
    (Config(has_h=0, has_s=0, has_u=0, has_shlcofideleg=0), 0x40 << 56),
])  # fmt: skip
def test_inhibit_bits_of_absent_modes_read_0(config: Config, kept: int) -> None:
    hpm = Hpm(config)
    for address, of in ((0x323, 1), (CYCLECFG, 0), (INSTRETCFG, 0)):
        hpm.access(Access(WRITE, address, (1 << 64) - 1))
        assert hpm.access(Access(READ, address)).rdata == kept | of << 63
    bare = Hpm(Config(has_sscofpmf=0, has_smcntrpmf=0, has_shlcofideleg=0))
    bare.access(Access(WRITE, 0x323, 0xFF << 56 | 2))
    assert bare.access(Access(READ, 0x323)).rdata == 2
    assert bare.access(Access(READ, CYCLECFG)).outcome == bare.access(Access(READ, INSTRETCFG)).outcome == 1


def test_mcountinhibit_stops_from_the_next_cycle_on() -> None:
    hpm = block(2)
    hpm.cycle(M, Counts(retired=1), Access(SET, INHIBIT, 0b1101))
    assert [hpm.counter(n) for n in (0, 2, 3)] == [1, 1, 1]
    hpm.cycle(M, Counts(retired=1))
    hpm.cycle(M, Counts(retired=1), Access(CLEAR, INHIBIT, 0b0101))
    assert [hpm.counter(n) for n in (0, 2, 3)] == [1, 1, 1]
    hpm.cycle(M, Counts(retired=1))
    assert [hpm.counter(n) for n in (0, 2, 3)] == [2, 2, 1]


def test_mcountinhibit_has_the_bits_of_its_counters_but_not_bit_1() -> None:
    hpm = Hpm(Config(counters=0b11000))
    hpm.access(Access(WRITE, INHIBIT, (1 << 64) - 1))
    assert hpm.access(Access(READ, INHIBIT)).rdata == 0b11101
    fixed = Hpm(Config(inhibit=0b10010))
    fixed.access(Access(WRITE, INHIBIT, (1 << 64) - 1))
    assert fixed.access(Access(READ, INHIBIT)).rdata == 0b10000


def test_a_filter_and_a_selector_rule_from_the_next_cycle_on() -> None:
    hpm = block(3)
    hpm.cycle(M, Counts(events=(1, 2)), Access(WRITE, 0x323, 4))
    assert hpm.counter(3) == 1
    hpm.cycle(M, Counts(events=(1, 2)), Access(WRITE, 0x323, 4 | 1 << 62))
    assert hpm.counter(3) == 3
    hpm.cycle(M, Counts(events=(1, 2)), Access(WRITE, CYCLECFG, 1 << 62))
    assert (hpm.counter(3), hpm.counter(0)) == (3, 3)
    hpm.cycle(M, Counts(events=(1, 2)), Access(WRITE, CYCLECFG, 0))
    assert hpm.counter(0) == 3
    hpm.cycle(M)
    assert hpm.counter(0) == 4


def test_stopcount_stops_all_of_them_and_debug_mode_alone_none() -> None:
    hpm = block(1, 3)
    hpm.cycle(DEBUG, Counts(retired=1, events=(1,), stopcount=1))
    assert not any(hpm.counters)
    hpm.cycle(DEBUG, Counts(retired=1, events=(1,)))
    assert [hpm.counter(n) for n in (0, 2, 3, 4)] == [1, 1, 1, 1]
    hpm.cycle(DEBUG, Counts(stopcount=1), Access(WRITE, 0xB00, 9))
    assert hpm.counter(0) == 9
