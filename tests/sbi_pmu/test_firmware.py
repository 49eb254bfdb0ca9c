# SPDX-License-Identifier: Apache-2.0
"""Firmware counters: events, fw_read, fw_read_hi, widths, two counters on one event (points 6, 7)."""

import pytest

from rvtrace.models.sbi_pmu.platform import Platform
from tests.sbi_pmu.machine import Machine

READ, HIGH = "counter_fw_read", "counter_fw_read_hi"
AUTO, FW = 4, 0xF_0000


@pytest.mark.parametrize("code", [*range(22), 256])
def test_every_event_counts_on_its_own_counter_only(machine: Machine, code: int) -> None:
    machine.config(10, FW | code, AUTO)
    machine.config(12, FW | (3 if code != 3 else 4), AUTO)
    machine.pmu.firmware_event(code)
    machine.pmu.firmware_event(code, 4)
    assert machine.ok(READ, counter_idx=10) == 5 and machine.ok(READ, counter_idx=12) == 0


def test_nothing_counts_before_start_and_after_stop(machine: Machine) -> None:
    machine.config(10, FW | 6)
    machine.pmu.firmware_event(6)
    machine.ok("counter_start", 10, 1)
    machine.pmu.firmware_event(6)
    machine.ok("counter_stop", 10, 1)
    machine.pmu.firmware_event(6)
    assert machine.ok(READ, counter_idx=10) == 1


def test_two_counters_on_one_event_both_count(xlen: int) -> None:
    for choice, second in (("both", 3), ("first", 0)):
        machine = Machine(xlen, firmware_shared=choice)
        machine.config(10, FW | 6, AUTO)
        machine.config(13, FW | 6, AUTO)
        machine.pmu.firmware_event(6, 3)
        assert (machine.ok(READ, counter_idx=10), machine.ok(READ, counter_idx=13)) == (3, second)


def test_platform_events_are_distinguished_by_their_data(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, firmware_data=frozenset({0x77, 1 << 62})))
    machine.config(10, FW | 65535, AUTO, data=0x77)
    machine.config(12, FW | 65535, AUTO, data=1 << 62)
    machine.pmu.firmware_event(65535, 2, data=1 << 62)
    machine.pmu.firmware_event(65535, 1, data=0x78)
    assert (machine.ok(READ, counter_idx=10), machine.ok(READ, counter_idx=12)) == (0, 2)
    refused = machine.error("counter_config_matching", 13, 1, event_idx=FW | 65535, event_data=0x78)
    assert refused == "NOT_SUPPORTED"


def test_the_two_halves_of_a_value(xlen: int, machine: Machine) -> None:
    machine.config(10, FW | 6)
    machine.ok("counter_start", 10, 1, start_flags=1, initial_value=0x1_FFFF_FFFF)
    machine.pmu.firmware_event(6)
    halves = machine.ok(READ, counter_idx=10), machine.ok(HIGH, counter_idx=10)
    assert halves == ((0, 2) if xlen == 32 else (0x2_0000_0000, 0))


def test_values_wrap_at_the_width_of_all_firmware_counters(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, firmware_width=20))
    assert machine.ok("counter_get_info", counter_idx=10) >> 12 & 63 == 19
    machine.config(10, FW | 6)
    machine.ok("counter_start", 10, 1, start_flags=1, initial_value=0x7FF_FFFF)
    machine.pmu.firmware_event(6, 3)
    assert machine.ok(READ, counter_idx=10) == 2


@pytest.mark.parametrize("function", (READ, HIGH))
@pytest.mark.parametrize("index", (0, 2, 3, 9, 1, 11, 14, 0xFFFF_FFFF))
def test_reading_a_hardware_or_invalid_counter_is_refused(xlen: int, function: str, index: int) -> None:
    assert Machine(xlen).error(function, counter_idx=index) == "INVALID_PARAM"


def test_clear_value_and_a_counter_without_event(xlen: int, machine: Machine) -> None:
    assert machine.ok(READ, counter_idx=10) == 0
    assert Machine(xlen, firmware_unconfigured="refuse").error(READ, counter_idx=10) == "INVALID_PARAM"
    machine.config(10, FW | 6, AUTO)
    machine.pmu.firmware_event(6, 9)
    machine.ok("counter_stop", 10, 1, stop_flags=1)
    assert machine.ok(READ, counter_idx=10) == 9
    machine.config(10, FW | 7, AUTO)
    assert machine.ok(READ, counter_idx=10) == 9
    machine.ok("counter_stop", 10, 1)
    machine.config(10, FW | 7, 2)
    assert machine.ok(READ, counter_idx=10) == 0
