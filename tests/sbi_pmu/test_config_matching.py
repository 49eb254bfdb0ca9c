# SPDX-License-Identifier: Apache-2.0
"""counter_config_matching: which counter, what is programmed, every flag, every error (points 1, 2, 3, 10, 11)."""

import pytest

from rvtrace.models.sbi_pmu.platform import Hardware, Platform
from tests.sbi_pmu.machine import Machine

SKIP, CLEAR, AUTO = 1, 2, 4
MATCH = "counter_config_matching"
RAW, RAW2, FW = 0x2_0000, 0x3_0000, 0xF_0000
ALL = 0b11_0110_1001_1101  # every counter of the example


def test_the_counter_is_of_the_set_and_can_monitor_the_event(machine: Machine) -> None:
    assert machine.ok(MATCH, 0, ALL, event_idx=1) == 0  # cycles: mcycle is the lowest
    assert machine.ok(MATCH, 0, ALL, event_idx=2) == 2
    # cache misses: 4 and 7 can
    assert machine.ok(MATCH, 4, 0b101001, event_idx=4) == 4
    # branches: of 7 and 9 only 9
    assert machine.ok(MATCH, 7, 0b101, event_idx=5) == 9
    assert machine.ok(MATCH, 0, ALL, event_idx=FW | 6) == 10
    assert machine.event(4) == 4 and machine.event(6) == 5 and machine.event(3) == 0


def test_started_counters_are_passed_over_and_configured_ones_are_the_last_choice(machine: Machine) -> None:
    found = [machine.ok(MATCH, 0, ALL, event_idx=3) for _ in range(3)]
    assert found == [3, 4, 7]
    machine.ok("counter_start", 3, 1)
    assert machine.ok(MATCH, 0, ALL, event_idx=3) == 4  # all have an event; 3 is started
    machine.ok("counter_start", 4, 0b1001)
    assert machine.error(MATCH, 0, ALL, event_idx=3) == "NOT_SUPPORTED"


@pytest.mark.parametrize(
    "event", [0, 11, 0xFFFF, 0x1_0006, 0x1_0038, RAW | 1, 0x4_0000, FW | 22, FW | 255, FW | 300, 0x10_0001, 7]
)
def test_unknown_reserved_and_absent_events_are_not_supported(xlen: int, event: int) -> None:
    assert Machine(xlen).error(MATCH, 0, ALL, event_idx=event) == "NOT_SUPPORTED"


@pytest.mark.parametrize(
    ("event", "data"),
    [(1, 1), (0x1_0000, 1 << 63), (FW | 3, 5), (FW | 256, 1), (RAW, 1 << 48 | 0x105), (RAW2, 1 << 56 | 0x105)],
)
def test_event_data_that_is_reserved_is_not_supported(xlen: int, event: int, data: int) -> None:
    assert Machine(xlen).error(MATCH, 0, ALL, event_idx=event, event_data=data) == "NOT_SUPPORTED"
    refusing, ignoring = Machine(xlen, event_data="invalid_param"), Machine(xlen, event_data="ignore")
    assert refusing.error(MATCH, 0, ALL, event_idx=event, event_data=data) == "INVALID_PARAM"
    assert ignoring.ok(MATCH, 0, ALL, event_idx=event, event_data=data) in (0, 3, 10)


def test_raw_events_have_48_or_56_bits_and_32_where_mhpmevent_has_32(xlen: int) -> None:
    select = 1 << 40 | 0x105
    machine = Machine(xlen, platform=_raw(xlen, 1 << 40 | 0x100))
    assert machine.ok(MATCH, 0, 8, event_idx=RAW, event_data=select) == 3 and machine.event(3) == select
    wide = 1 << 52 | 0x105
    machine = Machine(xlen, platform=_raw(xlen, 1 << 52 | 0x100))
    assert machine.error(MATCH, 0, 8, event_idx=RAW, event_data=wide) == "NOT_SUPPORTED"
    assert machine.ok(MATCH, 0, 8, event_idx=RAW2, event_data=wide) == 3 and machine.event(3) == wide
    narrow = Machine(32, platform=_raw(32, 1 << 40 | 0x100, sscofpmf=False))
    assert narrow.error(MATCH, 0, 8, event_idx=RAW2, event_data=select) == "NOT_SUPPORTED"


def _raw(xlen: int, select: int, sscofpmf: bool = True) -> Platform:
    return Platform(xlen=xlen, counters=(Hardware(3, 3, raw=((select, ~0xFF & (1 << 64) - 1),)),), sscofpmf=sscofpmf)


@pytest.mark.parametrize(("base", "mask"), [(1, 1), (0, 3), (3, 0b100), (14, 1), (13, 2), (1000, 1)])
def test_a_set_with_an_invalid_counter_is_refused(xlen: int, base: int, mask: int) -> None:
    assert Machine(xlen).error(MATCH, base, mask, event_idx=1) == "INVALID_PARAM"


def test_sets_do_not_wrap_around_and_an_empty_one_has_no_counter(xlen: int, machine: Machine) -> None:
    assert machine.error(MATCH, (1 << xlen) - 1, 2, event_idx=1) == "INVALID_PARAM"
    for flags in (0, SKIP):
        assert machine.error(MATCH, 0, 0, config_flags=flags, event_idx=1) == "NOT_SUPPORTED"
    assert Machine(xlen, empty_set="refuse").error(MATCH, 0, 0, event_idx=1) == "INVALID_PARAM"


def test_every_reserved_flag_bit_is_refused_or_with_lenient_flags_ignored(xlen: int) -> None:
    machine, lenient = Machine(xlen), Machine(xlen, "lenient_flags")
    for bit in range(8, xlen):
        assert machine.error(MATCH, 0, 8, config_flags=1 << bit, event_idx=1) == "INVALID_PARAM"
        assert lenient.ok(MATCH, 0, 8, config_flags=1 << bit, event_idx=1) == 3
    # before the event
    assert machine.error(MATCH, 0, 2, config_flags=1 << 8, event_idx=0) == "INVALID_PARAM"


def test_clear_value_clears_and_without_it_the_value_stays(machine: Machine) -> None:
    machine.set_counter(3, 0x12_3456_789A)
    machine.config(3, 3)
    machine.config(3, 3, AUTO)
    assert machine.counter(3) == 0x12_3456_789A and machine.running() == {3} == machine.started()
    machine.set_counter(4, 0x12_3456_789A)
    machine.config(4, 3, CLEAR)
    assert machine.counter(4) == 0 and machine.running() == {3}


@pytest.mark.parametrize(("flag", "bit"), [(3, 58), (4, 59), (5, 60), (6, 61), (7, 62)])
def test_each_filter_sets_its_bit_and_no_other(machine: Machine, flag: int, bit: int) -> None:
    machine.config(3, 3, 1 << flag)
    assert machine.event(3) == 1 << bit | 3
    machine.config(0, 1, 1 << flag)
    assert machine._halves(0x321, 0x721) == 1 << bit
    machine.config(2, 2, 1 << flag)
    assert machine._halves(0x322, 0x722) == 1 << bit


def test_filters_that_the_platform_does_not_have_are_ignored(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, filters=frozenset({"SET_UINH"})))
    machine.config(3, 3, 0xF8)
    assert machine.event(3) == 1 << 60 | 3
    plain = Machine(xlen, platform=Platform.example(xlen, sscofpmf=False, smcntrpmf=False))
    plain.config(3, 3, 0xF8)
    plain.config(0, 1, 0xF8)
    assert plain.event(3) == 3 and not {0x723, 0x321, 0x721} & set(plain.csrs)


def test_skip_match_takes_the_first_of_the_set_even_started(machine: Machine) -> None:
    machine.config(4, 3, AUTO)
    machine.set_counter(4, 77)
    assert machine.ok(MATCH, 3, 0b11, config_flags=SKIP, event_idx=4) == 3
    assert machine.ok(MATCH, 4, 0b1001, config_flags=SKIP, event_idx=6) == 4
    assert machine.event(4) == 6 and machine.counter(4) == 77 and machine.running() == {4}
    # mcycle cannot
    assert machine.error(MATCH, 0, 0b1001, config_flags=SKIP, event_idx=3) == "NOT_SUPPORTED"


def test_the_started_counter_is_inhibited_while_skip_match_sets_it_up() -> None:
    machine = Machine(32)
    machine.config(4, 3, AUTO)
    machine.touched.clear()
    machine.ok(MATCH, 4, 1, config_flags=SKIP | CLEAR, event_idx=6)
    written = [(address, value) for address, value in machine.touched if value is not None]
    inhibited, released = written[0], written[-1]
    assert inhibited == (0x320, 0x7D) and released == (0x320, 0x6D)
    assert written[1:-1] == [(0x324, 6), (0x724, 0), (0xB04, 0), (0xB84, 0)]
