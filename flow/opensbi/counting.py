# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the comparison with OpenSBI about start, stop, values, overflow, firmware counters and shared memory."""

from __future__ import annotations

from rvtrace.flow.opensbi.machine import ALONG, MEMORY, RAM, STIMULI
from rvtrace.flow.opensbi.script import HIGH, Listing
from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Peek, Poke
from rvtrace.models.sbi_pmu.client import LCOFIP, SCOUNTOVF, SIP


def boot(b: Listing) -> None:
    """before anything else: which counters are started when the SBI implementation has come up"""
    for index in (*b.fixed, b.hardware[0], b.firmware[0]):
        b.stop(1, base=index)
        b.start(1, base=index)


def start(b: Listing) -> None:
    """start: without event, with one, again, in every order of started and stopped counters, with values"""
    first, second, third = b.hardware[:3]
    b.start(1, base=first)
    for index, event in ((first, 1), (second, 2), (third, b.events[-1])):
        b.config(event, 1, base=index)
    b.start(1, base=first)
    b.start(1, base=first)
    b.start(1 << first | 1 << second)
    b.stop(1 << first)
    b.start(1 << second)
    b.start(1 << first | 1 << second)
    b.stop(1 << first | 1 << second)
    b.start(1 << first | 1 << second | 1 << third, sbi.SET_INIT_VALUE, HIGH)
    b.values(first)
    b.values(second)
    b.start(1 << first, sbi.SET_INIT_VALUE, HIGH << 2)
    b.value(first)
    b.stop(1 << first | 1 << second | 1 << third)
    b.values(first)
    b.start(1 << first | 1 << b.hardware[5])
    b.start(1 << b.hardware[5])
    b.stop(1 << first | 1 << b.hardware[5])
    b.start(1 << first, sbi.SET_INIT_VALUE | sbi.INIT_SNAPSHOT, HIGH)
    b.start(1 << first)


def stop(b: Listing) -> None:
    """stop: without event, stopped, in every order, RESET of stopped and started counters"""
    first, second = b.hardware[:2]
    b.stop(1, base=first)
    for index, event in ((first, 1), (second, 2)):
        b.config(event, 1, base=index)
    b.stop(1, base=first)
    b.start(1, base=first)
    b.stop(1 << first | 1 << second)
    b.start(1, base=first)
    b.start(1, base=second)
    b.stop(1, base=first)
    b.stop(1 << first | 1 << second)
    b.stop(1, base=second)
    b.start(1 << first | 1 << second)
    b.stop(1, sbi.RESET, base=first)
    b.stop(1, sbi.RESET, base=first)
    b.config(b.events[-1], 1, base=first)
    b.stop(1, base=second)
    b.stop(1, sbi.RESET, base=second)
    b.config(b.events[-1], 1, base=second)
    b.start(1 << first | 1 << second)
    b.stop(1 << first | 1 << b.hardware[5])


def fixed(b: Listing) -> None:
    """mcycle and minstret: configured, started, stopped, reset, with values"""
    for index, event in zip(b.fixed, (1, 2)):
        b.start(1, base=index)
        b.stop(1, base=index)
        b.config(event, 1, sbi.CLEAR_VALUE, base=index)
        b.values(index)
        b.start(1, sbi.SET_INIT_VALUE, HIGH, base=index)
        b.values(index)
        b.start(1, base=index)
        b.stop(1, base=index)
        b.values(index)
        b.stop(1, sbi.RESET, base=index)
        b.start(1, base=index)
        b.reset()
        b.config(event, 1, sbi.AUTO_START | sbi.CLEAR_VALUE, base=index)
        b.values(index)
        b.stop(1, sbi.RESET, base=index)
        b.start(1, base=index)
        b.stop(1, base=index)


def counting(b: Listing) -> None:
    """a counter counts between start and stop, holds its value, goes on from it, and obeys its filters"""
    for index, event in ((b.hardware[0], 1), (b.hardware[-1], 2)):
        b.config(event, 1, base=index)
        for start, stop in ((sbi.SET_INIT_VALUE, 0), (0, 0), (0, sbi.RESET)):
            b.start(1, start, HIGH, base=index)
            b.values(index)
            b.stop(1, stop, base=index)
            b.values(index)


def overflow(b: Listing) -> None:
    """overflow, LCOFIP and scountovf: interrupt, a start while it is pending, and after it was cleared"""
    index = b.hardware[0]
    b.csr(3, SIP, LCOFIP)
    b.config(1, 1, base=index)
    b.csr(0, SCOUNTOVF)
    for clear in (False, True, True):
        b.start(1, sbi.SET_INIT_VALUE, -5000, base=index)
        b.csr(0, SCOUNTOVF)
        b.run(6000)
        b.csr(0, SIP)
        b.csr(0, SCOUNTOVF)
        b.stop(1, base=index)
        b.csr(0, SCOUNTOVF)
        if clear:
            b.csr(3, SIP, LCOFIP)
            b.csr(0, SIP)
    b.stop(1, sbi.RESET, base=index)
    b.csr(0, SCOUNTOVF)


def fw_read(b: Listing) -> None:
    """fw_read and fw_read_hi of firmware counters without event, with one, of hardware counters and of no counter"""
    first, index = b.firmware[0], b.hardware[0]
    b.config(1, 1, base=index)
    b.config(0xF_0005, 1 << first)
    b.start(1, sbi.SET_INIT_VALUE, 0x1_2345_6789_ABCD, base=first)
    for counter in (
        first,
        b.firmware[1],
        b.firmware[-1],
        index,
        b.hardware[1],
        *b.fixed,
        1,
        b.indices[-1] + 1,
        64,
        b.ones,
    ):
        b.call("counter_fw_read_hi", counter_idx=counter)
        if counter not in (index, *b.fixed):  # early OpenSBI answers these with what was on its stack
            b.call("counter_fw_read", counter_idx=counter)


def firmware_counting(b: Listing) -> None:
    """every firmware event that can be made to happen, counted by a separate counter"""
    codes = sorted({*STIMULI, *ALONG})
    for some in (codes[: len(b.firmware)], codes[len(b.firmware) :]):
        for code in some:
            b.config(0xF_0000 | code, b.fw_mask, sbi.CLEAR_VALUE)
        for at in range(len(some)):
            b.start(1, base=b.firmware[at])
        for at, code in enumerate(some):
            b.firmware_event(ALONG.get(code, code), 2 + at % 3)
        for at in range(len(some)):
            b.stop(1, base=b.firmware[at])
        for code in some:
            b.firmware_event(ALONG.get(code, code))
        for at in range(len(some)):
            b.call("counter_fw_read", counter_idx=b.firmware[at])
            b.call("counter_fw_read_hi", counter_idx=b.firmware[at])
        b.reset()


def firmware_states(b: Listing) -> None:
    """firmware counters: started twice, stopped twice, two on one event, values kept over reset and reconfiguration"""
    first, second = b.firmware[:2]
    b.config(0xF_0005, 1 << first)
    for _ in range(2):
        b.start(1, sbi.SET_INIT_VALUE, 100, base=first)
        b.firmware_event(5)
        b.call("counter_fw_read", counter_idx=first)
    for _ in range(2):
        b.stop(1, base=first)
    b.start(1, base=first)
    b.config(0xF_0005, 1 << second, sbi.CLEAR_VALUE)
    b.start(1, base=second)
    b.firmware_event(5, 3)
    b.call("counter_fw_read", counter_idx=first)
    b.call("counter_fw_read", counter_idx=second)
    b.stop(1 << first | 1 << second)
    b.firmware_event(5)
    b.call("counter_fw_read", counter_idx=first)
    b.stop(1, sbi.RESET, base=first)
    b.config(0xF_0008, 1 << first)
    b.call("counter_fw_read", counter_idx=first)
    b.start(1 << first | 1 << b.hardware[0])
    b.stop(1 << first | 1 << b.hardware[0])
    b.config(1, 1 << b.hardware[0])
    b.start(1 << first | 1 << b.hardware[0])
    b.firmware_event(8)
    b.stop(1 << first)
    b.stop(1 << first | 1 << b.hardware[0])


def shared_memory(b: Listing) -> None:
    """snapshot_set_shmem and event_get_info: addresses, alignment, flags, entries; snapshots without memory"""
    aligned = {"shmem_phys_lo": MEMORY}
    for wrong in (
        {},
        {"flags": 1},
        {"shmem_phys_lo": MEMORY + 8},
        {"shmem_phys_hi": b.ones},
        {"shmem_phys_lo": RAM},
        {"shmem_phys_lo": b.ones, "shmem_phys_hi": b.ones},
        {"shmem_phys_lo": b.ones, "shmem_phys_hi": b.ones, "flags": 1},
    ):
        b.call("snapshot_set_shmem", **{**aligned, **wrong})
    events = [
        (event, 0)
        for event in (
            *range(1, 12),
            *b.events,
            0x1_0000,
            0x1_0019,
            0x1_0038,
            0xF_0000,
            0xF_0005,
            0xF_0015,
            0xF_0016,
            0xF_0100,
            0xF_FFFF,
            0x2_0000,
            0x3_0000,
            0x2_0001,
            0x4_0000,
            0x10_0001,
            0x8000_0001,
        )
    ]
    for some in (
        [],
        events[:1],
        *([event] for event in events),
        [(1, 5), (b.events[-1], 5), (0xF_0005, 5)],
        [(0x2_0000, 1 << 60), (0x3_0000, 1 << 60)],
    ):
        entries = b"".join(
            event.to_bytes(4, "little") + b"\xa5" * 4 + data.to_bytes(8, "little") for event, data in some
        )
        b.actions.append(Poke(MEMORY, entries + b"\xa5" * 16))
        b.call("event_get_info", shmem_phys_lo=MEMORY, num_entries=len(some))
        b.actions.append(Peek(MEMORY, len(entries) + 16))
    for wrong in (
        {"flags": 1},
        {"shmem_phys_lo": MEMORY + 4},
        {"shmem_phys_lo": MEMORY + 16},
        {"shmem_phys_hi": 1},
        {"shmem_phys_hi": b.ones},
        {"shmem_phys_lo": RAM},
        {"shmem_phys_lo": RAM, "flags": 1},
    ):
        b.call("event_get_info", **{**aligned, "num_entries": 1, **wrong})
    index = b.hardware[0]
    b.config(1, 1, base=index)
    b.start(1, sbi.INIT_SNAPSHOT, base=index)
    b.start(1, base=index)
    b.stop(1, sbi.TAKE_SNAPSHOT, base=index)
    b.stop(1, sbi.TAKE_SNAPSHOT | sbi.RESET, base=index)
    b.start(1, base=index)
    b.stop(1, base=index)
