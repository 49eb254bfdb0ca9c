# SPDX-License-Identifier: Apache-2.0
"""counter_start and counter_stop without snapshots: flags, sets, states, values, RESET (points 1, 2, 4, 5, 12)."""

from typing import Any

import pytest

from tests.sbi_pmu.machine import Machine

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


@pytest.fixture
def machine(xlen: int) -> Machine:
    """Such a machine."""
    return configured(xlen)


def test_start_and_stop_of_one_counter(machine: Machine) -> None:
    machine.set_counter(3, 55)
    assert machine.ok(START, 3, 1) == 0
    assert machine.running() == {3} == machine.started() and machine.counter(3) == 55
    assert machine.ok(STOP, 3, 1) == 0
    assert machine.running() == set() == machine.started() and machine.event(3) == 3


def test_all_counters_of_a_set_start_and_stop_with_one_write(machine: Machine) -> None:
    for function, inhibited in ((START, 0b110_0101), (STOP, 0b111_1101)):
        machine.touched.clear()
        machine.ok(function, 3, 0b1000_0011)
        assert [value for address, value in machine.touched if address == 0x320 and value is not None] == [inhibited]
        assert machine.started() == ({3, 4, 10} if function == START else set())


def test_set_init_value_goes_into_every_counter_of_the_set_at_its_width(xlen: int, machine: Machine) -> None:
    machine.ok(START, 3, 0b1000_0011, start_flags=INIT, initial_value=BIG)
    assert machine.counter(3) == BIG and machine.counter(4) == 0x3344_5566_7788
    low = machine.ok("counter_fw_read", counter_idx=10)
    high = machine.ok("counter_fw_read_hi", counter_idx=10)
    assert (low, high) == ((0x5566_7788, 0x1122_3344) if xlen == 32 else (BIG, 0))
    single = configured(xlen, init_many="refuse")
    assert single.error(START, 3, 3, start_flags=INIT) == "INVALID_PARAM"
    single.ok(START, 3, 1, start_flags=INIT)


def test_the_value_is_there_before_the_counter_runs(xlen: int, machine: Machine) -> None:
    machine.touched.clear()
    machine.ok(START, 3, 1, start_flags=INIT, initial_value=7)
    written = [address for address, value in machine.touched if value is not None]
    assert written == ([0xB03, 0xB83, 0x320] if xlen == 32 else [0xB03, 0x320])


def test_start_makes_of_0_so_that_the_next_overflow_interrupts(machine: Machine) -> None:
    machine.overflow(3)
    machine.overflow(4)
    machine.ok(START, 3, 1)
    assert machine.event(3) == 3 and machine.event(4) == 1 << 63 | 4


def test_one_started_counter_refuses_the_whole_start(machine: Machine) -> None:
    machine.ok(START, 4, 1)
    for mask, flags in ((0b10, 0), (0b11, INIT), (0b1000_0011, INIT)):
        assert machine.error(START, 3, mask, start_flags=flags, initial_value=9) == "ALREADY_STARTED"
    machine.ok(START, 10, 1)
    assert machine.error(START, 10, 1) == "ALREADY_STARTED"


def test_one_stopped_counter_refuses_the_whole_stop(machine: Machine) -> None:
    assert machine.error(STOP, 3, 1) == "ALREADY_STOPPED"
    machine.ok(START, 4, 1)
    assert machine.error(STOP, 3, 0b1000_0011) == "ALREADY_STOPPED"


def test_reset_takes_the_event_away(machine: Machine) -> None:
    machine.config(0, 1, 1 << 5)
    machine.ok(START, 0, 0b1001)
    machine.set_counter(3, 99)
    machine.ok(STOP, 0, 0b1001, stop_flags=RESET)
    assert machine.event(3) == 0 and machine.counter(3) == 99 and machine._halves(0x321, 0x721) == 0
    assert machine.ok("counter_config_matching", 3, 0b11, event_idx=5) == 3


def test_reset_of_stopped_counters_is_done_although_the_stop_is_refused(xlen: int, machine: Machine) -> None:
    machine.ok(START, 4, 1)
    ret = machine.call(STOP, 3, 0b11, stop_flags=RESET)
    assert ret.name == "ALREADY_STOPPED"
    assert machine.event(3) == 0 and machine.event(4) == 4 and machine.running() == {4} == machine.started()
    strict = configured(xlen, stop_reset="refused")
    assert strict.error(STOP, 3, 1, stop_flags=RESET) == "ALREADY_STOPPED"


@pytest.mark.parametrize("function", (START, STOP))
def test_reserved_flags_and_invalid_sets_are_refused(xlen: int, machine: Machine, function: str) -> None:
    lenient = configured(xlen, reserved_flags="ignore")
    flags = "start_flags" if function == START else "stop_flags"
    for bit in range(2, xlen):
        assert machine.error(function, 3, 1, **{flags: 1 << bit}) == "INVALID_PARAM"
        assert lenient.call(function, 3, 1, **{flags: 1 << bit}).name != "INVALID_PARAM"
    for base, mask in ((1, 1), (3, 0b100), (13, 0b10), (1 << 20, 1), ((1 << xlen) - 1, 0b11)):
        assert machine.error(function, base, mask) == "INVALID_PARAM"
    assert machine.ok(function, 3, 0) == 0  # an empty set has no invalid counter


def test_both_sources_of_a_value_are_refused_before_anything_else(machine: Machine) -> None:
    both = INIT | SNAPSHOT
    assert machine.error(START, 3, 1, start_flags=both) == "INVALID_PARAM"
    machine.snapshot()
    assert machine.error(START, 3, 1, start_flags=both) == "INVALID_PARAM"


def test_order_of_errors_flags_set_memory_state(machine: Machine) -> None:
    machine.ok(START, 3, 1)
    assert machine.error(START, 1, 1, start_flags=SNAPSHOT) == "INVALID_PARAM"
    assert machine.error(START, 3, 1, start_flags=SNAPSHOT) == "NO_SHMEM"
    assert machine.error(STOP, 4, 1, stop_flags=TAKE | RESET) == "NO_SHMEM"


def test_an_unconfigured_counter_is_valid_and_counts_nothing(xlen: int) -> None:
    machine = Machine(xlen)
    machine.ok(START, 3, 1)
    assert machine.event(3) == 0 and machine.error(START, 3, 1) == "ALREADY_STARTED"
