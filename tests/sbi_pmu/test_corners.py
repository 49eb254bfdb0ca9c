# SPDX-License-Identifier: Apache-2.0
"""Corners: selectors of the platform, far indices, defined against absent events, firmware counters set up while they
run.
"""

import pytest

from rvtrace.models.sbi_pmu.platform import Firmware, Hardware, Platform, PlatformError
from tests.sbi_pmu.machine import SNAPSHOT, Machine

MATCH, START, STOP = "counter_config_matching", "counter_start", "counter_stop"
SKIP, AUTO = 1, 4


@pytest.mark.parametrize(("event", "error"), [
    (0, "INVALID_PARAM"), (10, "NOT_SUPPORTED"), (11, "INVALID_PARAM"), (0x1_0005, "NOT_SUPPORTED"),
    (0x1_0006, "INVALID_PARAM"),
    (0x1_0007, "INVALID_PARAM"), (0x1_0035, "NOT_SUPPORTED"), (0x1_0038, "INVALID_PARAM"), (0x2_0000, "NOT_SUPPORTED"),
    (0x2_0001, "INVALID_PARAM"), (0x4_0000, "INVALID_PARAM"), (0xE_0000, "INVALID_PARAM"), (0xF_0016, "INVALID_PARAM"),
    (0xF_00FF, "INVALID_PARAM"), (0xF_0101, "NOT_SUPPORTED"), (0xF_FFFF, "NOT_SUPPORTED"), (0x10_0001, "INVALID_PARAM"),
])  # fmt: skip
def test_what_is_defined_but_absent_differs_from_what_is_not_defined(xlen: int, event: int, error: str) -> None:
    machine = Machine(xlen, unknown_event="invalid_param")
    assert machine.error(MATCH, 0, 0b11_0110_1001_1101, event_idx=event) == error


def test_selectors_of_the_platform_and_of_one_counter(xlen: int) -> None:
    platform = Platform.example(xlen, selectors={3: 1 << 63 | 0x33, (3, 4): 0x44})
    machine = Machine(xlen, platform=platform)
    for index in (3, 4):
        machine.config(index, 3)
    machine.config(7, 4)
    assert (machine.event(3), machine.event(4), machine.event(5)) == (0x33, 0x44, 4)  # OF is not the platform's to set


def test_the_window_of_the_bitmap_is_64_counters(xlen: int) -> None:
    platform = Platform(
        xlen=xlen, counters=(Hardware(2, 3), Hardware(65, 4), Hardware(66, 5), Hardware(200, 6), Firmware(3))
    )
    machine = Machine(xlen, platform=platform)
    machine.snapshot()
    for number in (3, 4, 5, 6):
        machine.overflow(number)
    for base, bits in ((2, 1 | 1 << 63), (65, 0b11), (200, 1)):
        machine.ok(STOP, base, 0, stop_flags=2)
        assert machine.word(SNAPSHOT) == bits
    machine.ok(START, 200, 1)
    # mcycle and minstret are nobody's: left alone
    assert machine.running() == {0, 2, 6} and machine.ok("num_counters") == 5


def test_skip_match_leaves_a_started_firmware_counter_started(machine: Machine) -> None:
    machine.config(10, 0xF_0001, AUTO)
    assert machine.config(10, 0xF_0002, SKIP) == 10
    machine.pmu.firmware_event(1)
    machine.pmu.firmware_event(2, 2)
    assert machine.ok("counter_fw_read", counter_idx=10) == 2
    assert machine.error(START, 10, 1) == "ALREADY_STARTED"


def test_filters_of_fixed_counters_need_smcntrpmf_only(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, sscofpmf=False))
    machine.config(0, 1, 1 << 5)
    assert machine._halves(0x321, 0x721) == 1 << 60
    other = Machine(xlen, platform=Platform.example(xlen, smcntrpmf=False))
    other.config(0, 1, 1 << 5)
    assert not {0x321, 0x721} & set(other.csrs)


def test_lenient_stop_resets_stopped_and_started_counters(xlen: int) -> None:
    machine = Machine(xlen, already_stopped="others")
    for index in (3, 4):
        machine.config(index, 3)
    machine.ok(START, 4, 1)
    machine.ok(STOP, 3, 0b11, stop_flags=1)  # the last one was running
    assert machine.event(3) == machine.event(4) == 0 and machine.started() == set()


def test_holes_may_be_skipped_but_indices_after_the_last_may_not(xlen: int) -> None:
    machine = Machine(xlen, invalid_in_set="skip")
    assert machine.error(MATCH, 13, 0b11, event_idx=0xF_0001) == "INVALID_PARAM"
    assert machine.ok(MATCH, 11, 0b101, event_idx=0xF_0001) == 13


def test_without_sscofpmf_the_fixed_counter_comes_first_where_policy_says_so(xlen: int) -> None:
    machine = Machine(xlen, "opensbi", platform=Platform.example(xlen, sscofpmf=False))
    assert machine.ok(MATCH, 3, 1, event_idx=1) == 0
    assert Machine(xlen, "opensbi").ok(MATCH, 3, 1, event_idx=1) == 3


@pytest.mark.parametrize(("options", "reported"), [
    ({"xlen": 128}, "xlen=32"), ({"firmware_width": 65}, "1 to 64"),
    ({"firmware_width": 0}, "1 to 64"),
    ({"counters": (Firmware(1), Firmware(1))}, "a separate one"),
    ({"counters": (Hardware(1, 3), Hardware(2, 3))}, "one logical counter only"),
    ({"counters": (Hardware(1, 1),)}, "give 0, or 2 to 31"),
    ({"counters": (Hardware(1, 3, 0),)}, "give 1 to 64"),
    ({"counters": (Hardware(0, 0, events=frozenset({2})),)}, "is fixed"),
    ({"counters": (Hardware(1, 3, events=frozenset({0})),)}, "general and cache events"),
    ({"firmware_events": frozenset({22})}, "reserved"),
])  # fmt: skip
def test_platforms_that_cannot_be(options: dict[str, object], reported: str) -> None:
    with pytest.raises(PlatformError, match=reported):
        Platform(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [1, 64])
def test_the_widths_that_firmware_counters_may_have(width: int) -> None:
    """A counter of `width` bits that holds all ones is 0 after one event."""
    machine = Machine(platform=Platform.example(firmware_width=width))
    machine.config(10, 0xF_0005)
    machine.ok("counter_start", 10, 1, start_flags=1, initial_value=(1 << width) - 1)
    assert machine.ok("counter_fw_read", counter_idx=10) == (1 << width) - 1
    machine.pmu.firmware_event(5)
    assert machine.ok("counter_fw_read", counter_idx=10) == 0


def test_reset_in_a_refused_stop_reaches_every_stopped_counter(xlen: int) -> None:
    """Also the firmware counters that policy firmware_started would let pass alone."""
    machine = Machine(xlen, firmware_started="accept")
    machine.config(10, 0xF_0005)
    machine.config(3, 3)
    assert machine.call(STOP, 3, 0b1000_0001, stop_flags=1).name == "ALREADY_STOPPED"
    logical = machine.pmu.counters.at
    assert (logical[3].event, logical[10].event) == (None, None)
