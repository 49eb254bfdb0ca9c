# SPDX-License-Identifier: Apache-2.0
"""Snapshot shared memory: setting it, TAKE_SNAPSHOT, INIT_SNAPSHOT, the bitmap, and which bytes are touched (points 5,
8).
"""

from typing import Any

import pytest

from rvtrace.models.sbi_pmu.platform import Platform
from tests.sbi_pmu.machine import BASE, SNAPSHOT, Machine

SET, START, STOP = "snapshot_set_shmem", "counter_start", "counter_stop"
INIT, RESET, TAKE = 2, 1, 2
FILL = 0xA5A5_A5A5_A5A5_A5A5


def running(xlen: int, **choices: Any) -> Machine:
    """Counters 3, 4, 10 started with values 0x33.., 0x44.., 0xAA.., snapshot memory full of A5."""
    machine = Machine(xlen, **choices)
    machine.snapshot()
    machine.memory.write(SNAPSHOT - 8, b"\xa5" * (4096 + 16))
    for index, event in ((3, 3), (4, 4), (10, 0xF_0006)):
        machine.config(index, event)
        machine.ok(START, index, 1, start_flags=1, initial_value=0x11_0000_0000 * index + index)
    return machine


def slot(machine: Machine, position: int) -> int:
    return machine.word(SNAPSHOT + 8 + 8 * position)


def test_stop_writes_the_named_slots_relative_to_base_and_the_bitmap(xlen: int) -> None:
    machine = running(xlen)
    machine.ok(STOP, 3, 0b1000_0011, stop_flags=TAKE)
    assert [slot(machine, i) for i in (0, 1, 7)] == [0x33_0000_0003, 0x44_0000_0004, 0xAA_0000_000A]
    assert machine.word(SNAPSHOT) == 0
    others = [machine.word(SNAPSHOT - 8), machine.word(SNAPSHOT + 4096)] + [
        slot(machine, i) for i in range(511) if i not in (0, 1, 7)
    ]
    assert set(others) == {FILL}
    written = sorted(
        (access.address - SNAPSHOT, len(access.data)) for access in machine.memory.accesses if access.write
    )
    assert written == [(0, 8), (8, 8), (16, 8), (64, 8)]


def test_the_bitmap_has_every_overflown_counter_from_base_on(xlen: int) -> None:
    machine = running(xlen)
    machine.overflow(3)
    machine.overflow(4)
    machine.ok(STOP, 4, 1, stop_flags=TAKE)
    assert machine.word(SNAPSHOT) == 0b1  # 3 is below the base
    machine.ok(STOP, 3, 1, stop_flags=TAKE | RESET)
    assert machine.word(SNAPSHOT) == 0b11 and machine.event(3) == 0  # 4 is overflown still; RESET comes last
    machine.ok(STOP, 2, 0, stop_flags=TAKE)
    assert machine.word(SNAPSHOT) == 0b100
    named = running(xlen, bitmap="named")
    named.overflow(4)
    named.ok(STOP, 3, 1, stop_flags=TAKE)
    assert named.word(SNAPSHOT) == 0


def test_the_bitmap_is_0_without_sscofpmf(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, sscofpmf=False))
    machine.snapshot()
    machine.memory.write(SNAPSHOT, b"\xff" * 8)
    machine.config(3, 3, 4)
    machine.csrs[0x323] |= 1 << (xlen - 1)  # of no meaning there
    machine.ok(STOP, 3, 1, stop_flags=TAKE)
    assert machine.word(SNAPSHOT) == 0


def test_start_takes_the_values_of_the_named_slots_and_writes_nothing(xlen: int) -> None:
    machine = running(xlen)
    machine.ok(STOP, 3, 0b1000_0011)
    values = {0: 0xFFFF_FFFF_FFFF_FFF0, 1: 0x1234_5678_9ABC_DEF0, 7: 1 << 40}
    for position, value in values.items():
        machine.memory.write(SNAPSHOT + 8 + 8 * position, value.to_bytes(8, "little"))
    machine.ok(START, 3, 0b1000_0011, start_flags=INIT)
    assert machine.counter(3) == values[0] and machine.counter(4) == 0x5678_9ABC_DEF0  # 48 bits
    assert machine.ok("counter_fw_read_hi", counter_idx=10) == (0x100 if xlen == 32 else 0)
    assert machine.started() == {3, 4, 10}


def test_no_shmem_before_it_is_set_after_it_is_cleared_and_where_there_is_none(xlen: int) -> None:
    ones = (1 << xlen) - 1
    for machine in (Machine(xlen), Machine(xlen, platform=Platform.example(xlen, snapshot=False))):
        machine.config(3, 3)
        assert machine.error(START, 3, 1, start_flags=INIT) == "NO_SHMEM"
        machine.ok(START, 3, 1)
        assert machine.error(STOP, 3, 1, stop_flags=TAKE) == "NO_SHMEM"
    machine = running(xlen)
    machine.ok(SET, shmem_phys_lo=ones, shmem_phys_hi=ones)
    assert machine.error(STOP, 3, 1, stop_flags=TAKE) == "NO_SHMEM"


@pytest.mark.parametrize(
    ("low", "high", "flags", "error"),
    [
        (SNAPSHOT, 0, 1, "INVALID_PARAM"), (-1, -1, 1, "INVALID_PARAM"), (SNAPSHOT + 8, 0, 0, "INVALID_PARAM"),
        (SNAPSHOT + 2048, 0, 0, "INVALID_PARAM"), (-1, 0, 0, "INVALID_PARAM"), (SNAPSHOT, 1, 0, "INVALID_ADDRESS"),
        (SNAPSHOT, -1, 0, "INVALID_ADDRESS"), (0, 0, 0, "INVALID_ADDRESS"), (BASE + 0x10000, 0, 0, "INVALID_ADDRESS"),
    ],
)  # fmt: skip
def test_set_shmem_errors_leave_the_old_memory_in_use(xlen: int, low: int, high: int, flags: int, error: str) -> None:
    machine, ones = running(xlen), (1 << xlen) - 1
    assert machine.error(SET, shmem_phys_lo=low & ones, shmem_phys_hi=high & ones, flags=flags) == error
    machine.ok(STOP, 3, 1, stop_flags=TAKE)
    assert slot(machine, 0) == 0x33_0000_0003


def test_set_shmem_is_optional_and_does_not_touch_memory(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, snapshot=False))
    assert machine.error(SET, shmem_phys_lo=SNAPSHOT) == "NOT_SUPPORTED"
    machine = Machine(xlen)
    machine.snapshot()
    assert machine.memory.accesses == []


def test_a_refused_stop_takes_no_snapshot(xlen: int) -> None:
    machine = running(xlen)
    machine.config(7, 3)
    assert machine.error(STOP, 3, 0b1_0001, stop_flags=TAKE) == "ALREADY_STOPPED"
    assert machine.memory.accesses == []


def test_flags_of_snapshots_are_reserved_before_sbi_2_0(xlen: int) -> None:
    for version, strict, lenient in (((1, 0), "INVALID_PARAM", "SUCCESS"), ((2, 0), "NO_SHMEM", "NO_SHMEM")):
        platform = Platform.example(xlen, sbi_version=version)
        for choices, name in (({}, strict), ({"reserved_flags": "ignore"}, lenient)):
            machine = Machine(xlen, platform=platform, **choices)
            machine.config(3, 3)
            assert machine.call(START, 3, 1, start_flags=INIT).name == name
            machine.call(START, 3, 1)
            assert machine.call(STOP, 3, 1, stop_flags=TAKE).name == name
