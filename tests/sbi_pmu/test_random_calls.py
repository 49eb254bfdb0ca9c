# SPDX-License-Identifier: Apache-2.0
"""Arguments of random calls: legal and nearly legal values meet, in the shares that the generator promises."""

import random

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call
from rvtrace.models.sbi_pmu.platform import Hardware, Platform
from rvtrace.models.sbi_pmu.random_calls import random_calls

PLATFORM = Platform.example()
BY_INDEX = {counter.index: counter for counter in PLATFORM.counters}


def named(fid: int) -> list[dict[str, int]]:
    """Arguments by name of the calls to a function."""
    calls = random_calls(random.Random("7:mix"), PLATFORM, 6000)
    return [sbi.FUNCTIONS[fid].named(64, one.registers) for one in calls if isinstance(one, Call) and one.fid == fid]


def indices(a: dict[str, int]) -> list[int]:
    return [a["counter_idx_base"] + k for k in range(64) if a["counter_idx_mask"] >> k & 1]


CONFIGS = named(sbi.CONFIG_MATCHING)


def test_event_data_is_that_of_its_kind() -> None:
    """A platform event has 0 or one that the platform has (0x77); most raw events have one that a counter has (0x100);
    the others have 0, and sometimes one that is too wide or unused.
    """
    own = [a["event_data"] for a in CONFIGS if a["event_idx"] == 0xF_FFFF]
    raw = [a["event_data"] for a in CONFIGS if a["event_idx"] >> 16 in (sbi.RAW, sbi.RAW_V2)]
    general = [a["event_data"] for a in CONFIGS if a["event_idx"] in range(1, 11)]
    assert set(own) == {0, 0x77} and raw.count(0x100) > len(raw) / 2
    assert set(general) == {0, 1, 0x77, 0x100, 1 << 47, 1 << 50, 1 << 60} and general.count(0) > 0.8 * len(general)


def test_most_counters_are_able_to_monitor_the_event() -> None:
    """CPU_CYCLES: mcycle and two others of nine. Firmware events: three of nine."""

    def able(index: int, event: int) -> bool:
        one = BY_INDEX.get(index)
        return not isinstance(one, Hardware) if event >> 16 == sbi.FIRMWARE else (
            isinstance(one, Hardware) and one.monitors(event, 0)
        )  # fmt: skip

    for events in ({sbi.CPU_CYCLES}, {0xF_0000 | code for code in range(22)}):
        calls = [a for a in CONFIGS if a["event_idx"] in events and a["event_data"] == 0]
        good = [a for a in calls if indices(a) and all(able(one, a["event_idx"]) for one in indices(a))]
        assert len(good) > len(calls) / 2 > 20


def test_most_sets_name_counters_that_are_there() -> None:
    """Some name another one as well, or are empty."""
    for calls in (CONFIGS, named(sbi.START), named(sbi.STOP)):
        good = [a for a in calls if indices(a) and set(indices(a)) <= set(BY_INDEX)]
        assert 0.75 * len(calls) < len(good) < len(calls)
        assert any(not indices(a) for a in calls)


def test_calls_for_firmware_counters_name_most_often_one() -> None:
    calls = [a["counter_idx"] for a in named(sbi.FW_READ)]
    firmware = [index for index in calls if index in (10, 12, 13)]
    assert 0.6 * len(calls) < len(firmware) < len(calls)
