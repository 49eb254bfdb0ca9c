# SPDX-License-Identifier: Apache-2.0
"""counter_start and counter_stop without snapshots: flags, sets, states, values, RESET (points 1, 2, 4, 5, 12)."""

from typing import Any

import pytest

from tests.sbi_pmu.machine import Machine

XLENS = pytest.mark.parametrize("xlen", (32, 64))
START, STOP = "counter_start", "counter_stop"
INIT, SNAPSHOT, RESET, TAKE = 1, 2, 1, 2
BIG = 0x1122_3344_5566_7788


def configured(xlen: int, **choices: Any) -> Machine:
    """A machine whose counters 3, 4 (mhpmcounter3, 4) and 10 (firmware) have events."""
    machine = Machine(xlen, **choices)
    machine.config(3, 3)
    machine.config(4, 4)
    machine.config(10, 0xF_0005)
    return machine


@XLENS
def test_start_and_stop_of_one_counter(xlen: int) -> None:
    machine = configured(xlen)
    machine.set_counter(3, 55)
    assert machine.ok(START, counter_idx_base=3, counter_idx_mask=1) == 0
    assert machine.running() == {3} == machine.started() and machine.counter(3) == 55
    assert machine.ok(STOP, counter_idx_base=3, counter_idx_mask=1) == 0
    assert machine.running() == set() == machine.started() and machine.event(3) == 3


@XLENS
def test_all_counters_of_a_set_start_and_stop_with_one_write(xlen: int) -> None:
    machine = configured(xlen)
    for function, inhibited in ((START, 0b110_0101), (STOP, 0b111_1101)):
        machine.touched.clear()
        machine.ok(function, counter_idx_base=3, counter_idx_mask=0b1000_0011)
        assert [value for address, value in machine.touched if address == 0x320 and value is not None] == [inhibited]
        assert machine.started() == ({3, 4, 10} if function == START else set())


@XLENS
def test_set_init_value_goes_into_every_counter_of_the_set_at_its_width(xlen: int) -> None:
    machine = configured(xlen)
    machine.ok(START, counter_idx_base=3, counter_idx_mask=0b1000_0011, start_flags=INIT, initial_value=BIG)
    assert machine.counter(3) == BIG and machine.counter(4) == 0x3344_5566_7788
    low = machine.ok("counter_fw_read", counter_idx=10)
    high = machine.ok("counter_fw_read_hi", counter_idx=10)
    assert (low, high) == ((0x5566_7788, 0x1122_3344) if xlen == 32 else (BIG, 0))
    single = configured(xlen, init_many="refuse")
    assert single.error(START, counter_idx_base=3, counter_idx_mask=3, start_flags=INIT) == "INVALID_PARAM"
    single.ok(START, counter_idx_base=3, counter_idx_mask=1, start_flags=INIT)


@XLENS
def test_the_value_is_there_before_the_counter_runs(xlen: int) -> None:
    machine = configured(xlen)
    machine.touched.clear()
    machine.ok(START, counter_idx_base=3, counter_idx_mask=1, start_flags=INIT, initial_value=7)
    written = [address for address, value in machine.touched if value is not None]
    assert written == ([0xB03, 0xB83, 0x320] if xlen == 32 else [0xB03, 0x320])


@XLENS
def test_start_makes_of_0_so_that_the_next_overflow_interrupts(xlen: int) -> None:
    machine = configured(xlen)
    machine.overflow(3)
    machine.overflow(4)
    machine.ok(START, counter_idx_base=3, counter_idx_mask=1)
    assert machine.event(3) == 3 and machine.event(4) == 1 << 63 | 4


@XLENS
def test_one_started_counter_refuses_the_whole_start(xlen: int) -> None:
    machine = configured(xlen)
    machine.ok(START, counter_idx_base=4, counter_idx_mask=1)
    for mask, flags in ((0b10, 0), (0b11, INIT), (0b1000_0011, INIT)):
        assert (
            machine.error(START, counter_idx_base=3, counter_idx_mask=mask, start_flags=flags, initial_value=9)
            == "ALREADY_STARTED"
        )
    machine.ok(START, counter_idx_base=10, counter_idx_mask=1)
    assert machine.error(START, counter_idx_base=10, counter_idx_mask=1) == "ALREADY_STARTED"


@XLENS
def test_one_stopped_counter_refuses_the_whole_stop(xlen: int) -> None:
    machine = configured(xlen)
    assert machine.error(STOP, counter_idx_base=3, counter_idx_mask=1) == "ALREADY_STOPPED"
    machine.ok(START, counter_idx_base=4, counter_idx_mask=1)
    assert machine.error(STOP, counter_idx_base=3, counter_idx_mask=0b1000_0011) == "ALREADY_STOPPED"


@XLENS
def test_reset_takes_the_event_away(xlen: int) -> None:
    machine = configured(xlen)
    machine.config(0, 1, 1 << 5)
    machine.ok(START, counter_idx_mask=0b1001)
    machine.set_counter(3, 99)
    machine.ok(STOP, counter_idx_mask=0b1001, stop_flags=RESET)
    assert machine.event(3) == 0 and machine.counter(3) == 99 and machine._halves(0x321, 0x721) == 0
    assert machine.ok("counter_config_matching", counter_idx_base=3, counter_idx_mask=0b11, event_idx=5) == 3


@XLENS
def test_reset_of_stopped_counters_is_done_although_the_stop_is_refused(xlen: int) -> None:
    machine = configured(xlen)
    machine.ok(START, counter_idx_base=4, counter_idx_mask=1)
    ret = machine.call(STOP, counter_idx_base=3, counter_idx_mask=0b11, stop_flags=RESET)
    assert ret.name == "ALREADY_STOPPED"
    assert machine.event(3) == 0 and machine.event(4) == 4 and machine.running() == {4} == machine.started()
    strict = configured(xlen, stop_reset="refused")
    assert strict.error(STOP, counter_idx_base=3, counter_idx_mask=1, stop_flags=RESET) == "ALREADY_STOPPED"


@XLENS
@pytest.mark.parametrize("function", (START, STOP))
def test_reserved_flags_and_invalid_sets_are_refused(xlen: int, function: str) -> None:
    machine = configured(xlen)
    lenient = configured(xlen, reserved_flags="ignore")
    flags = "start_flags" if function == START else "stop_flags"
    for bit in range(2, xlen):
        assert machine.error(function, counter_idx_base=3, counter_idx_mask=1, **{flags: 1 << bit}) == "INVALID_PARAM"
        assert (
            lenient.call(function, counter_idx_base=3, counter_idx_mask=1, **{flags: 1 << bit}).name != "INVALID_PARAM"
        )
    for base, mask in ((1, 1), (3, 0b100), (13, 0b10), (1 << 20, 1), ((1 << xlen) - 1, 0b11)):
        assert machine.error(function, counter_idx_base=base, counter_idx_mask=mask) == "INVALID_PARAM"
    assert machine.ok(function, counter_idx_base=3, counter_idx_mask=0) == 0  # an empty set has no invalid counter


@XLENS
def test_both_sources_of_a_value_are_refused_before_anything_else(xlen: int) -> None:
    machine = configured(xlen)
    both = INIT | SNAPSHOT
    assert machine.error(START, counter_idx_base=3, counter_idx_mask=1, start_flags=both) == "INVALID_PARAM"
    machine.snapshot()
    assert machine.error(START, counter_idx_base=3, counter_idx_mask=1, start_flags=both) == "INVALID_PARAM"


@XLENS
def test_order_of_errors_flags_set_memory_state(xlen: int) -> None:
    machine = configured(xlen)
    machine.ok(START, counter_idx_base=3, counter_idx_mask=1)
    assert machine.error(START, counter_idx_base=1, counter_idx_mask=1, start_flags=SNAPSHOT) == "INVALID_PARAM"
    assert machine.error(START, counter_idx_base=3, counter_idx_mask=1, start_flags=SNAPSHOT) == "NO_SHMEM"
    assert machine.error(STOP, counter_idx_base=4, counter_idx_mask=1, stop_flags=TAKE | RESET) == "NO_SHMEM"


@XLENS
def test_an_unconfigured_counter_is_valid_and_counts_nothing(xlen: int) -> None:
    machine = Machine(xlen)
    machine.ok(START, counter_idx_base=3, counter_idx_mask=1)
    assert machine.event(3) == 0 and machine.error(START, counter_idx_base=3, counter_idx_mask=1) == "ALREADY_STARTED"
