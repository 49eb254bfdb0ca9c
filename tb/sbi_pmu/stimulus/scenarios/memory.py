# SPDX-License-Identifier: Apache-2.0
"""SBI PMU scenarios of shared memory: snapshots, the overflow bitmap, event_get_info, and the whole overflow loop of a
perf driver.
"""

from __future__ import annotations

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Peek, Poke, Script
from rvtrace.models.sbi_pmu.client import Client
from rvtrace.models.sbi_pmu.config import OWN_DATA, OWN_EVENT
from rvtrace.models.sbi_pmu.policy import ROWS
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import (
    BARE,
    BASE,
    DEFAULT,
    ENTRIES,
    GUEST,
    RV32,
    SHMEM,
    SIZE,
    Supervisor,
    scenario,
)
from rvtrace.tb.sbi_pmu.stimulus.scenarios.config import CACHE, GENERAL, PLATFORM, RAW, RAW_V2

WITH = (DEFAULT, RV32, GUEST)
OTHER = BASE + 0x3000
POLICIES = tuple({**DEFAULT, "policy": f"strict,{row.key}={value}"} for row in ROWS for value in list(row.values)[1:])
NAMED = tuple(
    {**build, "policy": name} for build in (DEFAULT, RV32) for name in ("lenient_flags", "opensbi", "opensbi_early")
)


@scenario("SBI.start.init_snapshot", "SBI.stop.snapshot", "SBI.stop.slots", "SBI.mem.start", "SBI.mem.stop",
          "SBI.mem.other", "SBI.shmem.relative", "SBI.shmem.success", "SBI.view.memory", configs=WITH)  # fmt: skip
def snapshots(s: Supervisor) -> Script[None]:
    """Values come from the slots of the counters named and go there again, at several bases; nothing else in the page
    moves.
    """
    yield Poke(SHMEM, bytes(range(256)) * 16)
    yield from s.shmem()
    some = s.near(s.indices)
    for index in some:
        yield from s.give(index)
    for indices in (some, s.near(s.indices[2:]), some[::2], some[-1:], s.near(s.firmware)[:2]):
        for base in sorted({indices[0], max(0, indices[-1] - s.xlen + 1), max(0, indices[0] - 2)}):
            for value in (3, (1 << 64) - 2, 1 << 39):
                for index in indices:
                    yield from s.slot(index, base, value + index)
                yield from s.start(indices, sbi.INIT_SNAPSHOT, 99, base)
                yield from s.work()
                yield from s.look(indices[:3], clear=True)
                yield from s.stop(indices, sbi.TAKE_SNAPSHOT, base)
                yield Peek(SHMEM, sbi.SHMEM_SIZE)
    yield from s.start(some, sbi.INIT_SNAPSHOT)
    yield from s.stop(some, sbi.TAKE_SNAPSHOT | sbi.RESET)
    far = s.near(s.indices[2:])
    yield from s.start(far, sbi.INIT_SNAPSHOT)
    yield from s.stop(far, sbi.TAKE_SNAPSHOT | sbi.RESET)
    yield Peek(SHMEM, sbi.SHMEM_SIZE)


@scenario(
    "SBI.stop.bitmap",
    "SBI.start.of",
    "SBI.view.of",
    "SBI.view.lcofi",
    "SBI.view.overflow",
    configs=(*WITH, {**BARE, "sbi": 30}),
)
def overflow_bitmap(s: Supervisor) -> Script[None]:
    """Counters overflow one by one, then some named and some not; the bitmap is relative to each base, and start makes
    OF 0 again.
    """
    yield from s.shmem()
    some = [index for index in s.near([c.index for c in s.programmable]) if index < s.programmable[0].index + 20][:8]
    for index in some:
        yield from s.give(index)
    every = [*some, *(i for i in s.near(s.indices) if i not in some)]
    for group in ([index] for index in some):
        yield from s.start(group, sbi.SET_INIT_VALUE, (1 << 64) - 1)
        yield from s.work()
        for base in sorted({group[0], max(0, group[0] - 3), max(0, group[0] - s.xlen + 1)}):
            yield from s.stop([], sbi.TAKE_SNAPSHOT, base)
            yield from s.call("counter_stop", counter_idx_base=base, counter_idx_mask=0, stop_flags=sbi.TAKE_SNAPSHOT)
        yield from s.stop(group, sbi.TAKE_SNAPSHOT)
        yield Peek(SHMEM, 16)
        yield from s.look(group, clear=True)
    yield from s.start(some, sbi.SET_INIT_VALUE, 0)  # OF is 0 again
    yield from s.stop(some, sbi.TAKE_SNAPSHOT)
    for index in some[::2]:
        yield from s.start([index], sbi.SET_INIT_VALUE, (1 << 64) - 1)
    yield from s.start(some[1::2], sbi.SET_INIT_VALUE, 0)
    yield from s.work()
    yield from s.stop(some[1::2], sbi.TAKE_SNAPSHOT)
    yield from s.stop(some[:1], sbi.TAKE_SNAPSHOT | sbi.RESET)
    yield from s.look(every[:4], clear=True)
    far = [c.index for c in s.programmable][-1:]
    yield from s.stop(far, sbi.TAKE_SNAPSHOT)
    yield from s.give(far[0])
    yield from s.start(far)
    yield from s.stop(far, sbi.TAKE_SNAPSHOT)
    yield Peek(SHMEM, 24)


@scenario(
    "SBI.shmem.not_supported",
    "SBI.evinfo.not_supported",
    configs=({**DEFAULT, "snapshot": 0, "event_info": 0}, {**RV32, "snapshot": 0, "event_info": 0}),
)
def without_memory(s: Supervisor) -> Script[None]:
    """A platform without both optional functions, and flags that need the memory."""
    yield from s.shmem()
    yield from s.shmem(None)
    yield from s.info([(1, 0)])
    index = s.programmable[0].index
    yield from s.start([index], sbi.INIT_SNAPSHOT)
    yield from s.start([index])
    yield from s.stop([index], sbi.TAKE_SNAPSHOT)


@scenario("SBI.shmem.success", "SBI.shmem.clear", "SBI.shmem.flags", "SBI.shmem.align", "SBI.shmem.address",
          "SBI.shmem.range", "SBI.start.no_shmem", "SBI.stop.no_shmem", "SBI.failed.unchanged",
          configs=WITH)  # fmt: skip
def shared_memory(s: Supervisor) -> Script[None]:
    """Memory set, moved, refused for every reason (it stays where it was), cleared, and used after each."""
    index = s.programmable[0].index
    yield from s.give(index)

    def used() -> Script[None]:
        yield from s.start([index], sbi.SET_INIT_VALUE, 5)
        yield from s.stop([index], sbi.TAKE_SNAPSHOT)
        yield from s.stop([index])  # where there was no memory it still runs
        yield from s.start([index], sbi.INIT_SNAPSHOT)
        yield from s.stop([index])
        yield Peek(SHMEM, 24)
        yield Peek(OTHER, 24)

    yield from used()
    yield from s.shmem()
    yield from used()
    ones = s.ones
    for bit in range(s.xlen):
        yield from s.shmem(OTHER, flags=1 << bit)
    for low in (
        *(OTHER | 1 << bit for bit in range(12)),
        ones,
        ones & ~0xFFF,
        BASE + SIZE,
        BASE + SIZE - 0x800,
        BASE - 0x1000,
        0,
    ):
        yield from s.shmem(OTHER, shmem_phys_lo=low & ones)
    for high in (1, ones):
        yield from s.shmem(OTHER, shmem_phys_hi=high)
    yield from s.shmem(None, flags=1)
    yield from s.shmem(OTHER + 8, flags=1)
    yield from s.shmem(None, shmem_phys_hi=0)
    yield from used()
    yield from s.shmem(OTHER)
    yield from used()
    yield from s.shmem(None)
    yield from used()
    yield from s.shmem(BASE + SIZE - sbi.SHMEM_SIZE)
    yield from used()


@scenario(
    "SBI.evinfo.success",
    "SBI.evinfo.output",
    "SBI.evinfo.whole_word",
    "SBI.evinfo.read_only",
    "SBI.mem.evinfo",
    "SBI.evinfo.range",
    configs=WITH,
)
def event_info(s: Supervisor) -> Script[None]:
    """Every event, and some that are none, in one call and in several; with counters that are busy; at the ends of
    memory.
    """
    select = s.programmable[0].raw[0][0]
    firmware = [sbi.event_idx(sbi.FIRMWARE, code) for code in (*range(24), 255, OWN_EVENT, OWN_EVENT + 1)]
    entries = [(event, 0) for event in (*GENERAL, 11, *CACHE, 0x1_0006, 0x1_0038, 0x4_0000, 0xE_0000, *firmware)]
    entries += [
        (1, 9),
        (CACHE[0], 1 << 63),
        (firmware[0], 1),
        (PLATFORM, OWN_DATA),
        (PLATFORM, 0),
        (PLATFORM, OWN_DATA | 1 << 32),
    ]
    entries += [
        (raw, data)
        for raw in (RAW, RAW_V2, RAW | 1)
        for data in (select, select | 1 << 32, select | 1 << 48, select | 1 << 56, 63, 1 << 63)
    ]
    yield from s.info(entries)
    for index in s.near(s.indices):
        yield from s.give(index)
    yield from s.start(s.near(s.indices))
    yield from s.info(entries[:20], ENTRIES + 16)
    yield from s.info(entries[-1:], BASE + SIZE - sbi.ENTRY_SIZE)
    yield from s.info([])
    yield from s.call("num_counters")


@scenario(
    "SBI.evinfo.flags",
    "SBI.evinfo.align",
    "SBI.evinfo.address",
    "SBI.evinfo.entry_reserved",
    "SBI.failed.memory",
    configs=WITH,
)
def event_info_refused(s: Supervisor) -> Script[None]:
    """Every flag, misaligned and foreign memory, and each reserved bit in the first, a middle and the last entry: no
    output is written.
    """
    entries = [(1, 0), (2, 0), (3, 0)]
    for bit in range(s.xlen):
        yield from s.info(entries, flags=1 << bit)
    for low in (*(ENTRIES + (1 << bit) for bit in range(4)), ENTRIES + 15):
        yield from s.info(entries, shmem_phys_lo=low)
    for low, number in (
        (BASE + SIZE - 16, 2),
        (BASE - 16, 2),
        (0, 1),
        (BASE + SIZE, 1),
        (BASE, SIZE // 16 + 1),
        (s.ones & ~15, 2),
    ):
        yield from s.info(entries, shmem_phys_lo=low, num_entries=number)
    yield from s.info(entries, shmem_phys_hi=1)
    yield from s.info(entries, shmem_phys_lo=s.ones, shmem_phys_hi=s.ones)
    yield from s.info(entries, shmem_phys_lo=ENTRIES + 4, flags=1, num_entries=SIZE)
    for bit in range(20, 32):
        for place in range(3):
            yield from s.info(
                [(event | (number == place) << bit, data) for number, (event, data) in enumerate(entries)]
            )


@scenario(
    "SBI.view.overflow", "SBI.stop.bitmap", "SBI.start.init_snapshot", "SBI.view.counts", configs=(DEFAULT, RV32, GUEST)
)
def perf_driver(s: Supervisor) -> Script[None]:
    """What the perf driver of an operating system does: discovery, events, sampling by overflows with snapshots and
    without, removal.
    """
    for shmem in (SHMEM, None):
        client = Client(s.xlen, shmem, max(s.indices) + 1)
        yield from client.boot()
        used = []
        for number, c in enumerate(s.programmable[:3]):
            used.append((yield from client.add(*s.own_event(c.index), 10 + 3 * number)))
        if s.firmware:
            used.append((yield from client.add(sbi.event_idx(sbi.FIRMWARE, 5))))
        for _ in range(4):
            yield from s.work()
            yield from s.fire(5)
            yield from s.look(used[:1])
            yield from client.overflow()
        for index in used:
            yield from client.remove(index)
        yield from client.close()


@scenario("SBI.policy", configs=(*POLICIES, *NAMED))
def policies(s: Supervisor) -> Script[None]:
    """Each point where implementations disagree, under every choice that is not strict, and under the named sets."""
    one, two, three = (c.index for c in s.programmable[:3])
    event = s.own_event(one)[0]
    far = max(s.indices) + 1
    yield from s.call("num_counters")
    for index in s.firmware[:1]:
        yield from s.call("counter_fw_read", counter_idx=index)
        yield from s.call("counter_fw_read_hi", counter_idx=index)
    for number in (1, 2, event):
        for _ in range(3):
            yield from s.match(s.near(s.indices), number)
    yield from s.match([one], 1)
    yield from s.match([one], event, 1 << 9)
    yield from s.match([one], event, 0, 5)
    yield from s.match([one], 11)
    yield from s.match([one], event, sbi.CLEAR_VALUE | sbi.AUTO_START)
    yield from s.match([two], event, sbi.SKIP_MATCH | sbi.CLEAR_VALUE)
    yield from s.match([three], event, sbi.SKIP_MATCH)
    yield from s.match(s.firmware[:1], PLATFORM, sbi.SKIP_MATCH, OWN_DATA + 1)
    yield from s.look([one, two, three])
    holes = [hole for hole in s.holes if hole < far][:1]
    yield from s.start(s.near(sorted([two, *holes])), sbi.SET_INIT_VALUE, 7)
    yield from s.start([two, far] if far < two + s.xlen else [far])
    yield from s.start([])
    yield from s.start([one, two, three], sbi.SET_INIT_VALUE | sbi.INIT_SNAPSHOT, 8)
    yield from s.start([one, two, three], sbi.SET_INIT_VALUE, (1 << 64) - 1)
    yield from s.start([one, two, three], 1 << 7)
    yield from s.work()
    yield Poke(SHMEM, bytes(64) + b"\xff" * 64)
    yield from s.shmem()
    yield from s.shmem(BASE + SIZE)
    yield Peek(SHMEM, sbi.SHMEM_SIZE)
    yield from s.stop([one, two], sbi.TAKE_SNAPSHOT)
    yield from s.stop([one, two, three], sbi.TAKE_SNAPSHOT)
    yield Peek(SHMEM, 600)
    yield from s.start([one, two])
    yield from s.look([one, two, three])
    yield from s.stop([one], sbi.RESET | 1 << 8)
    for index in (one, two, three, three, s.indices[0]):
        yield from s.stop([index], sbi.RESET)
    yield from s.stop([one])
    yield from s.start([one])
    yield from s.stop([])
    pair = s.near(s.firmware)[:2]
    for index in pair:
        yield from s.match([index], sbi.event_idx(sbi.FIRMWARE, 6), sbi.CLEAR_VALUE | sbi.AUTO_START)
    yield from s.fire(6, 2)
    yield from s.look(pair)
    yield from s.info([])
    yield from s.info([(event, 7), (1 << 20 | event, 0)])
    yield from s.work()
    yield from s.look([one, two, three])
