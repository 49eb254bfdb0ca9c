# SPDX-License-Identifier: Apache-2.0
"""event_get_info: entries, output words, every error, and which bytes are touched (point 9)."""

import pytest

from rvtrace.models.sbi_pmu.platform import Platform
from tests.sbi_pmu.machine import BASE, Machine

INFO = "event_get_info"
AT = BASE + 0x4010

# event_idx, event_data, output
EVENTS = [
    (1, 0, 1),
    (2, 99, 1),
    (6, 0, 1),
    (7, 0, 0),
    (0, 0, 0),
    (11, 0, 0),
    (0x1_0000, 1 << 63, 1),
    (0x1_0002, 0, 0),
    (0x1_0006, 0, 0),
    (0x2_0000, 0x1FF, 1),
    (0x2_0000, 0x200, 0),
    (0x2_0001, 0x1FF, 0),
    (0x2_0000, 1 << 48 | 0x100, 0),
    (0x3_0000, 0x100, 1),
    (0x4_0000, 0, 0),
    (0xF_0000, 0, 1),
    (0xF_0015, 0, 1),
    (0xF_0015, 1, 0),
    (0xF_0016, 0, 0),
    (0xF_0100, 0, 1),
    (0xF_0101, 0, 0),
    (0xF_FFFF, 0x77, 1),
    (0xF_FFFF, 0, 0),
]


def entries(events: list[tuple[int, int]]) -> bytes:
    return b"".join(event.to_bytes(4, "little") + b"\xee" * 4 + data.to_bytes(8, "little") for event, data in events)


def test_the_whole_output_word_of_every_entry_is_written_and_nothing_else(machine: Machine) -> None:
    given = entries([(event, data) for event, data, _ in EVENTS])
    machine.memory.write(AT, given)
    machine.ok(INFO, shmem_phys_lo=AT, num_entries=len(EVENTS))
    answer = machine.memory.read(AT, len(given))
    for i, (event, data, output) in enumerate(EVENTS):
        assert int.from_bytes(answer[16 * i + 4 : 16 * i + 8], "little") == output, f"event {event:#x}, data {data:#x}"
        assert (
            answer[16 * i : 16 * i + 4] + answer[16 * i + 8 : 16 * i + 16]
            == given[16 * i : 16 * i + 4] + given[16 * i + 8 : 16 * i + 16]
        )
    written = [(access.address, len(access.data)) for access in machine.memory.accesses if access.write]
    assert written == [(AT + 16 * i + 4, 4) for i in range(len(EVENTS))]


def test_an_event_is_there_even_if_its_counters_are_busy(machine: Machine) -> None:
    machine.ok("counter_start", 0, 0b11_0110_1001_1101)
    machine.memory.write(AT, entries([(3, 0), (0xF_0001, 0)]))
    machine.ok(INFO, shmem_phys_lo=AT, num_entries=2)
    assert [machine.word(AT + 16 * i + 4, 4) for i in range(2)] == [1, 1]


def test_reserved_bits_in_any_entry_refuse_the_call_and_no_output_is_written(xlen: int) -> None:
    for bit in range(20, 32):
        machine = Machine(xlen)
        machine.memory.write(AT, entries([(1, 0), (1 << bit | 1, 0)]))
        assert machine.error(INFO, shmem_phys_lo=AT, num_entries=2) == "INVALID_PARAM"
        lenient = Machine(xlen, entry_reserved="output")
        lenient.memory.write(AT, entries([(1, 0), (1 << bit | 1, 0)]))
        lenient.ok(INFO, shmem_phys_lo=AT, num_entries=2)
        assert [lenient.word(AT + 16 * i + 4, 4) for i in range(2)] == [1, 0]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"flags": 1}, "INVALID_PARAM"), ({"shmem_phys_lo": AT + 4}, "INVALID_PARAM"),
        ({"shmem_phys_lo": AT + 8}, "INVALID_PARAM"),
        ({"shmem_phys_hi": 1}, "INVALID_ADDRESS"), ({"shmem_phys_lo": 0}, "INVALID_ADDRESS"),
        ({"shmem_phys_lo": BASE + 0xFFF0, "num_entries": 2}, "INVALID_ADDRESS"),
        ({"num_entries": 0xFFFF_FFFF}, "INVALID_ADDRESS"),
        ({"flags": 1, "shmem_phys_lo": 0}, "INVALID_PARAM"),
    ],
)  # fmt: skip
def test_errors(machine: Machine, arguments: dict[str, int], error: str) -> None:
    machine.memory.write(AT, entries([(1, 0)]))
    assert machine.error(INFO, **{"shmem_phys_lo": AT, "num_entries": 1, **arguments}) == error


def test_the_last_entry_may_end_with_the_memory_and_none_is_no_error(xlen: int, machine: Machine) -> None:
    machine.memory.write(BASE + 0xFFF0, entries([(1, 0)]))
    machine.ok(INFO, shmem_phys_lo=BASE + 0xFFF0, num_entries=1)
    machine.ok(INFO, shmem_phys_lo=AT, num_entries=0)
    assert machine.memory.accesses == []
    assert Machine(xlen, no_entries="refuse").error(INFO, shmem_phys_lo=AT) == "INVALID_PARAM"


def test_it_is_optional(xlen: int) -> None:
    machine = Machine(xlen, platform=Platform.example(xlen, event_info=False))
    assert machine.error(INFO, shmem_phys_lo=AT, num_entries=1) == "NOT_SUPPORTED"
