# SPDX-License-Identifier: Apache-2.0
"""SBI PMU scenarios of start and stop: values, sets, refusals, firmware counters, and that a call that fails changes
nothing.
"""

from __future__ import annotations

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Script
from rvtrace.models.sbi_pmu.config import OWN_DATA, OWN_EVENT
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import (
    BARE,
    DEFAULT,
    GUEST,
    RV32,
    SHMEM,
    START,
    STOP,
    Supervisor,
    scenario,
)

WORDS = (0, 1, 0xFFFF_FFFF, 1 << 32, (1 << 40) - 1, (1 << 63) | 5, (1 << 64) - 1)
FIRST = sbi.event_idx(sbi.FIRMWARE)
PLATFORM = sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM)


@scenario("SBI.start.success", "SBI.start.started", "SBI.start.init_value", "SBI.start.keep", "SBI.start.of",
          "SBI.stop.success", "SBI.stop.stopped", "SBI.stop.mapping_kept", "SBI.stop.reset", "SBI.csr.together",
          "SBI.csr.others", "SBI.table.wide", "SBI.view.value")  # fmt: skip
def values(s: Supervisor) -> Script[None]:
    """Every counter started with values that need all of its bits, stopped, started again where it was, and taken its
    event.
    """
    for index in s.indices[:9] + s.firmware[:1]:
        yield from s.give(index)
        for value in WORDS:
            yield from s.start([index], sbi.SET_INIT_VALUE, value)
            yield from s.look([index])
            yield from s.work()
            yield from s.stop([index])
            yield from s.look([index])
        yield from s.start([index], 0, 12345)  # initial_value means nothing without its flag
        yield from s.look([index])
        yield from s.stop([index], sbi.RESET)
        yield from s.start([index])  # without an event
        yield from s.work()
        yield from s.look([index])
        yield from s.stop([index])


@scenario(
    "SBI.start.init_many", "SBI.start.started", "SBI.stop.stopped", "SBI.csr.together", "SBI.view.lcofi", "SBI.view.of"
)
def sets(s: Supervisor) -> Script[None]:
    """Sets of one, several and all counters, of hardware and firmware together, seen from several bases."""
    every = s.near(s.indices)
    apart = [s.near(s.indices[i::3]) for i in range(3)]
    mixed = s.near([s.indices[-1], *s.firmware[:2]] if s.indices[-1] not in s.firmware else s.indices[-4:])
    few = [*s.near(s.firmware)[:2]]
    for index in every:
        yield from s.give(index)
    for indices in (every, *apart, mixed, few, [s.indices[0]]):
        for base in {min(indices), max(0, min(indices) - 1), max(0, max(indices) - s.xlen + 1)}:
            fit = [index for index in indices if base <= index < base + s.xlen]
            yield from s.start(fit, sbi.SET_INIT_VALUE, (1 << 64) - 3, base)
            yield from s.work()
            yield from s.look(fit[:6], clear=True)
            yield from s.stop(fit, 0, base)
            yield from s.start(fit, 0, 0, base)
            yield from s.stop(fit, 0, base)
    yield from s.start([])
    yield from s.stop([])
    yield from s.stop(every, sbi.RESET)
    yield from s.shmem()
    for base, flags in ((base, flags) for base in (0, None) for flags in (sbi.RESET, sbi.RESET | sbi.TAKE_SNAPSHOT)):
        yield from s.start(few, 0, 0, base)
        yield from s.stop(few, flags, base)


@scenario("SBI.start.reserved_flags", "SBI.start.invalid_set", "SBI.start.exclusive", "SBI.start.no_shmem",
          "SBI.start.already_started", "SBI.failed.unchanged", "SBI.table.order", "SBI.table.zero",
          configs=(DEFAULT, RV32, GUEST))  # fmt: skip
def start_refused(s: Supervisor) -> Script[None]:
    """Every reserved flag, invalid sets, both sources of a value, no memory, a started counter among others; values and
    states stay.
    """
    one, two, three = (c.index for c in s.programmable[:3])
    for index in (one, two, three, *s.firmware[:2]):
        yield from s.give(index)
    yield from s.start([two], sbi.SET_INIT_VALUE, 7)
    for bit in range(2, s.xlen):
        yield from s.start([one], 1 << bit, 99)
    for hole in s.holes[:2] + s.holes[-1:]:
        yield from s.start(s.near(sorted([hole, *s.indices[:5]])), sbi.SET_INIT_VALUE, 99)
    yield from s.call(START, counter_idx_base=s.ones, counter_idx_mask=3)
    yield from s.start([one], sbi.SET_INIT_VALUE | sbi.INIT_SNAPSHOT, 99)
    yield from s.start([one], sbi.INIT_SNAPSHOT)
    for indices in ([two], [one, two], [two, three], [one, two, three]):
        for flags in (0, sbi.SET_INIT_VALUE):
            yield from s.start(indices, flags, 99)
    if s.firmware:
        yield from s.start(s.firmware[:1])
        yield from s.start(s.near(s.firmware), sbi.SET_INIT_VALUE, 99)
        yield from s.start(
            s.near([one, *s.firmware[:1]] if one < s.firmware[0] else [s.firmware[0], one]), sbi.SET_INIT_VALUE, 99
        )
        yield from s.look(s.firmware)
    yield from s.start(
        [two, *[h for h in s.holes if two < h < two + s.xlen][:1]], sbi.INIT_SNAPSHOT | 4
    )  # all reasons at once
    yield from s.start([two, *[h for h in s.holes if two < h < two + s.xlen][:1]], sbi.INIT_SNAPSHOT)
    yield from s.start([two], sbi.INIT_SNAPSHOT)
    yield from s.shmem()
    yield from s.start([one], sbi.SET_INIT_VALUE | sbi.INIT_SNAPSHOT, 99)
    yield from s.work()
    yield from s.look([one, two, three])


@scenario("SBI.stop.reserved_flags", "SBI.stop.invalid_set", "SBI.stop.no_shmem", "SBI.stop.already_stopped",
          "SBI.stop.reset_stopped", "SBI.failed.unchanged", "SBI.failed.memory", "SBI.table.order",
          configs=(DEFAULT, RV32, GUEST))  # fmt: skip
def stop_refused(s: Supervisor) -> Script[None]:
    """Every reserved flag, invalid sets, no memory, a stopped counter among others: with RESET it loses its event,
    those that run keep theirs.
    """
    one, two, three = (c.index for c in s.programmable[:3])
    yield from s.stop([one], sbi.TAKE_SNAPSHOT)
    for index in (one, two, three, *s.firmware[:2]):
        yield from s.give(index)
    yield from s.start([one, three])
    for bit in range(2, s.xlen):
        yield from s.stop([one], 1 << bit)
    for hole in s.holes[:2] + s.holes[-1:]:
        yield from s.stop(s.near(sorted([hole, *s.indices[:5]])), sbi.RESET)
    yield from s.call(STOP, counter_idx_base=s.ones, counter_idx_mask=3)
    for flags in (sbi.TAKE_SNAPSHOT, sbi.TAKE_SNAPSHOT | sbi.RESET):
        yield from s.stop([one], flags)
    yield from s.shmem()
    for indices in ([two], [one, two], [two, three], [one, two, three]):
        for flags in (0, sbi.TAKE_SNAPSHOT, sbi.RESET, sbi.RESET | sbi.TAKE_SNAPSHOT):
            yield from s.stop(indices, flags)
            yield from s.work()
            yield from s.look([one, two, three])
        yield from s.give(two)
    yield from s.start([two])
    yield from s.work()
    yield from s.look([two])
    if s.firmware:
        yield from s.stop(s.firmware[:1], sbi.RESET)
        yield from s.start(s.firmware[:1])
        yield from s.fire(s.own_event(s.firmware[0])[0] & 0xFFFF)
        yield from s.look(s.firmware[:1])


@scenario("SBI.fw.counts", "SBI.fw.two", "SBI.fw.stopped", "SBI.fw.other", "SBI.fw.unmapped", "SBI.fw.platform",
          "SBI.fw.width", "SBI.event.firmware", "SBI.fw_read.success", "SBI.fw_read.value", "SBI.fw_read_hi.success",
          "SBI.fw_read_hi.value", "SBI.fw_read_hi.rv64", "SBI.start.keep",
          configs=(DEFAULT, RV32, GUEST, {**GUEST, "firmware_width": 33}, {**RV32, "firmware_width": 32}))  # fmt: skip
def firmware_events(s: Supervisor) -> Script[None]:
    """Every firmware event counted by one counter and by two, next to a third on another event; stopped, wrapping,
    without event.
    """
    one, two, three = s.firmware[:3]
    for code in (*range(len(sbi.FIRMWARE_EVENTS)), OWN_EVENT, sbi.FIRMWARE_PLATFORM):
        event, data = FIRST + code, OWN_DATA if code == sbi.FIRMWARE_PLATFORM else 0
        other = FIRST + (code + 1) % len(sbi.FIRMWARE_EVENTS)
        flags = sbi.CLEAR_VALUE | sbi.AUTO_START
        yield from s.match([one], event, flags, data)
        yield from s.match([three], other, flags)
        for _ in range(2):  # of one counter, then of two
            yield from s.fire(code, 3, data)
            yield from s.fire(code, 1 << 31, data)
            yield from s.fire(code, 1, data + 1)
            yield from s.fire(other & 0xFFFF)
            yield from s.look(s.firmware)
            yield from s.match([two], event, flags, data)
        yield from s.stop([one])
        yield from s.fire(code, 5, data)
        yield from s.look([one, two])
        yield from s.stop([two], sbi.RESET)
        yield from s.start([two])  # it has no event any more
        yield from s.fire(code, 5, data)
        yield from s.look([one, two])
        yield from s.stop([two], sbi.RESET)
        yield from s.stop([three], sbi.RESET)
    yield from s.match([one], FIRST + 6)
    top = (1 << s.config.firmware_width) - 2
    for value in (top, 1 << 32, (1 << 32) - 1, (1 << 64) - 1):
        yield from s.start([one], sbi.SET_INIT_VALUE, value)
        for count in (1, 1, 1, 1 << 31, 1 << 31):
            yield from s.look([one])
            yield from s.fire(6, count)
        yield from s.look([one])
        yield from s.stop([one])


@scenario(
    "SBI.fw_read.invalid", "SBI.fw_read.hardware", "SBI.fw_read_hi.invalid", "SBI.fw_read_hi.hardware", "SBI.mem.other"
)
def firmware_reads(s: Supervisor) -> Script[None]:
    """fw_read and fw_read_hi of every index: firmware counters before they have an event, hardware counters, holes, far
    ones.
    """
    for index in (*range(max(s.indices) + 3), s.ones, 1 << s.xlen - 1):
        yield from s.call("counter_fw_read", counter_idx=index)
        yield from s.call("counter_fw_read_hi", counter_idx=index)


@scenario("SBI.failed.unchanged", "SBI.failed.memory", "SBI.others.untouched", configs=(DEFAULT, RV32, GUEST, BARE))
def failed_calls(s: Supervisor) -> Script[None]:
    """Counters run, hold values and wait for their start, memory is filled: then everything that can be refused is, and
    all is as before.
    """
    if s.config.sbi >= 20:
        yield from s.shmem()
    some = s.near(s.indices)
    for number, index in enumerate(some):
        yield from s.give(index, sbi.SET_UINH)
        yield from s.start([index], sbi.SET_INIT_VALUE, 1000 + index)
        if number % 2:
            yield from s.stop([index])
    for index in some:
        yield from s.slot(index, 0, 77)
    for flags in (0, sbi.SET_INIT_VALUE, sbi.INIT_SNAPSHOT, 3, 4):
        yield from s.start(some, flags, 99)
    for flags in (0, sbi.TAKE_SNAPSHOT, 4):
        yield from s.stop(some, flags)
    for flags in (1 << 8, sbi.CLEAR_VALUE | 1 << 9, 0):
        yield from s.match(
            [*some[:2], s.holes[0]] if s.holes[0] < some[0] + s.xlen else [s.holes[-1]], s.own_event(some[0])[0], flags
        )
        yield from s.match(some, 0, flags)
    yield from s.shmem(SHMEM + 8)
    yield from s.shmem(SHMEM, flags=1)
    yield from s.info([(1, 0)], flags=1)
    yield from s.info([(1, 0), (1 << 20, 0)])
    yield from s.look(some)
    yield from s.work()
    yield from s.look(some)
