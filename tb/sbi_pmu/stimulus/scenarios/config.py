# SPDX-License-Identifier: Apache-2.0
"""SBI PMU scenarios of discovery and config_matching: every counter, event, flag and reason to refuse."""

from __future__ import annotations

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.models.sbi_pmu.calls import Call, Script
from rvtrace.models.sbi_pmu.config import OWN_DATA, OWN_EVENT
from rvtrace.models.sbi_pmu.platform import Hardware
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import BARE, DEFAULT, GUEST, RV32, Supervisor, scenario

FILTERS = ("SET_VUINH", "SET_VSINH", "SET_UINH", "SET_SINH", "SET_MINH")
GENERAL = tuple(sbi.event_idx(sbi.GENERAL, code) for code in range(len(sbi.GENERAL_EVENTS)))
CACHE = tuple(
    sbi.event_idx(sbi.CACHE, sbi.cache_code(cache, op, result))
    for cache in range(len(sbi.CACHE_IDS))
    for op in range(len(sbi.CACHE_OPS))
    for result in range(len(sbi.CACHE_RESULTS))
)
RAW, RAW_V2 = sbi.event_idx(sbi.RAW), sbi.event_idx(sbi.RAW_V2)
FIRMWARE = tuple(sbi.event_idx(sbi.FIRMWARE, code) for code in range(len(sbi.FIRMWARE_EVENTS)))
PLATFORM = sbi.event_idx(sbi.FIRMWARE, sbi.FIRMWARE_PLATFORM)


@scenario("SBI.num.success", "SBI.num.count", "SBI.info.success", "SBI.info.type", "SBI.info.csr", "SBI.info.width",
          "SBI.info.reserved", "SBI.info.invalid", "SBI.table.errors", "SBI.boot.stopped", "SBI.boot.no_event",
          "SBI.boot.readable", "SBI.boot.delegated")  # fmt: skip
def discovery(s: Supervisor) -> Script[None]:
    """The number of counters, and the info of every index, of holes and of indices far away."""
    yield from s.call("num_counters")
    for index in (
        *range(max(s.indices) + 3),
        1 << s.xlen - 1,
        s.ones,
        *((1 << 32 | i for i in s.indices[:2]) if s.xlen == 64 else ()),
    ):
        yield from s.call("counter_get_info", counter_idx=index)
    yield from s.look(s.indices)


@scenario("SBI.table.unknown", "SBI.table.zero", configs=(DEFAULT, RV32))
def unknown_functions(s: Supervisor) -> Script[None]:
    """Functions that no version has."""
    for fid in (9, 10, 0xFF, 0x100, 1 << 31, s.ones):
        yield Call(fid, (s.indices[0], 1, 0, 0, 0, 0))


@scenario("SBI.table.version", configs=(BARE, {**BARE, "sbi": 3}, {**DEFAULT, "sbi": 10}))
def older_versions(s: Supervisor) -> Script[None]:
    """Every function on platforms of older SBI versions."""
    for function in sbi.FUNCTIONS:
        yield from s.call(function.name)
    yield from s.shmem()
    yield from s.info([(1, 0)])


@scenario("SBI.event.general", "SBI.event.cache", "SBI.event.raw", "SBI.event.raw_v2", "SBI.config.success",
          "SBI.config.value", "SBI.config.able", "SBI.config.not_supported", "SBI.view.counts", "SBI.view.event",
          "SBI.view.value", "SBI.view.inhibit", "SBI.view.unknown", "SBI.table.fid")  # fmt: skip
def every_event(s: Supervisor) -> Script[None]:
    """Every general and cache event, and raw ones of both types, on each counter that can monitor it, until it has
    counted.
    """
    for event in (*GENERAL, *CACHE):
        able = s.able(event)
        for index in (able[0], able[-1]) if able else ():
            yield from s.match([index], event, sbi.CLEAR_VALUE | sbi.AUTO_START)
            yield from s.work(2)
            yield from s.look([index])
            yield from s.stop([index], sbi.RESET)
        yield from s.match(s.near(s.indices), event)
    for c in s.programmable[:3]:
        for event, (select, _) in ((event, raw) for event in (RAW, RAW_V2) for raw in (c.raw[0], c.raw[-1])):
            yield from s.match([c.index], event, sbi.CLEAR_VALUE | sbi.AUTO_START, select)
            yield from s.work()
            yield from s.look([c.index])
            yield from s.stop([c.index], sbi.RESET)


@scenario("SBI.event.no_event", "SBI.event.undefined", "SBI.event.raw_code", "SBI.event.unused_data",
          "SBI.event.raw_width", "SBI.event.raw_v2_width", "SBI.event.firmware")  # fmt: skip
def events_that_are_not(s: Supervisor) -> Script[None]:
    """Codes and types that are reserved, event_data where it is unused, raw data that is too wide, firmware events that
    the platform has not.
    """
    codes = (
        0,
        11,
        12,
        0xFFFF,
        0x1_0006,
        0x1_0007,
        0x1_0038,
        0x1_FFFF,
        RAW | 1,
        RAW_V2 | 1,
        0x4_0000,
        0xE_0001,
        FIRMWARE[0] + 22,
        FIRMWARE[0] + 255,
        FIRMWARE[0] + 257,
        1 << 20 | 1,
        1 << 31 | 1,
    )
    for event in codes:
        yield from s.match(s.near(s.indices), event)
        yield from s.match(s.near(s.firmware), event)
    own = s.own_event(s.programmable[0].index)[0]
    for event in (1, own, *CACHE[:1], FIRMWARE[0], FIRMWARE[0] + OWN_EVENT):
        for data in (1, 1 << 31, 1 << 32, 1 << 63):
            yield from s.match(s.near(s.firmware if event >= FIRMWARE[0] else s.indices), event, 0, data)
    select = s.programmable[0].raw[0][0]
    for event in (RAW | 1, RAW_V2 | 1):
        yield from s.match([s.programmable[0].index], event, 0, select)
    for event, data in (
        (event, select | 1 << bit) for event in (RAW, RAW_V2) for bit in (32, 40, 47, 48, 55, 56, 62, 63)
    ):
        yield from s.match([s.programmable[0].index], event, 0, data)
    yield from s.match(s.near(s.firmware), PLATFORM, 0, OWN_DATA + 1)
    yield from s.match(s.near(s.firmware), PLATFORM, 0, OWN_DATA)


@scenario(
    "SBI.event.version",
    configs=({**BARE, "sbi": 3}, {**DEFAULT, "sbi": 10}, {**DEFAULT, "sbi": 20}, {**RV32, "sbi": 20}, DEFAULT),
)
def later_events(s: Supervisor) -> Script[None]:
    """Raw events v2 and firmware codes above the table, beside those that the first chapter has, on platforms of each
    SBI version.
    """
    for c in s.programmable[:2]:
        for event, flags in (
            (event, flags) for event in (RAW, RAW_V2) for flags in (0, sbi.SKIP_MATCH, sbi.AUTO_START, 1 << 8)
        ):
            yield from s.match([c.index], event, flags, c.raw[0][0])
            yield from s.work()
            yield from s.look([c.index])
            yield from s.stop([c.index], sbi.RESET)
            yield from s.stop([c.index], sbi.RESET)
    for code in (0, len(FIRMWARE) - 1, OWN_EVENT, OWN_EVENT + 1, sbi.FIRMWARE_PLATFORM - 1, sbi.FIRMWARE_PLATFORM):
        for flags in (0, sbi.SKIP_MATCH, sbi.AUTO_START) if s.firmware else ():
            data = OWN_DATA if code == sbi.FIRMWARE_PLATFORM else 0
            yield from s.match(s.firmware[:1], FIRMWARE[0] + code, flags, data)
            yield from s.fire(code, data=data)
            yield from s.look(s.firmware[:1])
            yield from s.stop(s.firmware[:1], sbi.RESET)
            yield from s.stop(s.firmware[:1], sbi.RESET)


@scenario("SBI.config.clear_value", "SBI.config.value_kept", "SBI.config.auto_start", "SBI.config.not_started",
          "SBI.config.of", "SBI.csr.inhibited", "SBI.config.set_minh", "SBI.config.set_sinh", "SBI.config.set_uinh",
          "SBI.config.set_vsinh", "SBI.config.set_vuinh", "SBI.view.filters", "SBI.view.stopped",
          "SBI.others.untouched")  # fmt: skip
def every_flag(s: Supervisor) -> Script[None]:
    """Each flag of config_matching alone and with all others, on a counter of each kind that holds a value and, with
    SKIP_MATCH, runs.
    """
    every = sum(sbi.CONFIG_FLAGS.values())
    words = (
        0,
        *sbi.CONFIG_FLAGS.values(),
        every,
        *(every & ~bit for bit in sbi.CONFIG_FLAGS.values()),
        sbi.CLEAR_VALUE | sbi.AUTO_START,
    )
    firmware = s.firmware[:1]
    for index in (*(c.index for c in s.fixed), s.programmable[0].index, s.programmable[-1].index, *firmware):
        event, data = s.own_event(index)
        for flags in words:
            yield from s.give(index)
            yield from s.start([index], sbi.SET_INIT_VALUE, 5 + flags)
            if not flags & sbi.SKIP_MATCH:
                yield from s.stop([index])
            yield from s.match([index], event, flags, data)
            yield from s.read(index)
            yield from s.work()
            yield from s.fire(event & 0xFFFF)
            yield from s.look([index])
            yield from s.stop([index], sbi.RESET)
            yield from s.stop([index], sbi.RESET)


@scenario("SBI.config.in_set", "SBI.config.free", "SBI.config.choice", "SBI.config.able")
def matching(s: Supervisor) -> Script[None]:
    """Sets in which fewer and fewer counters are left: of another kind, outside, started; configured ones are taken
    last.
    """
    events = [sbi.CPU_CYCLES, sbi.INSTRUCTIONS, *(s.own_event(c.index)[0] for c in s.programmable[:3]), FIRMWARE[6]]
    for event in events:
        able = s.near(s.firmware if event == FIRMWARE[6] else s.able(event))
        whole = s.near(s.indices)
        for _ in range(min(3, len(able)) + 1):
            ret = yield from s.match(whole, event)
            if not ret.error:
                yield from s.start([ret.value])
        yield from s.match([index for index in whole if index not in able] or [], event)
        for index in able:
            yield from s.match([index], event)
        yield from s.tidy()
        for _ in able[:4]:  # all configured, none started
            yield from s.match(able, event)
        yield from s.match(able[::-1][:2], event)
        yield from s.tidy()
    first, last = s.programmable[0].index, s.programmable[-1].index
    yield from s.match([first, last], s.own_event(last)[0], base=first)
    yield from s.match([last], s.own_event(last)[0], base=max(0, last - s.xlen + 1))


@scenario("SBI.config.skip_match", "SBI.csr.inhibited")
def skip_match(s: Supervisor) -> Script[None]:
    """SKIP_MATCH takes the first of the set, whether it is started or not; one that cannot monitor the event is
    refused.
    """
    for index in (s.programmable[0].index, s.programmable[1].index, *s.firmware[:1]):
        event, data = s.own_event(index)
        for flags in (0, sbi.CLEAR_VALUE, sbi.AUTO_START):
            yield from s.match(s.near([i for i in s.indices if i >= index]), event, sbi.SKIP_MATCH | flags, data)
            yield from s.look([index])
            yield from s.start([index])
            yield from s.work()
            yield from s.match([index], event, sbi.SKIP_MATCH | flags, data)
            yield from s.work()
            yield from s.look([index])
            yield from s.stop([index], sbi.RESET)
    for index, event in (
        (s.indices[0], FIRMWARE[0] if isinstance(s.platform.counters[0], Hardware) else 1),
        (s.programmable[0].index, FIRMWARE[1]),
    ):
        yield from s.match([index], event, sbi.SKIP_MATCH)
    for c in (*s.fixed[:1], s.programmable[0]):  # of the event's kind, but not able
        for event in [event for event in (*GENERAL[1:], *CACHE) if event not in c.events][:2]:
            yield from s.match([c.index], event, sbi.SKIP_MATCH)
            yield from s.work()
            yield from s.look([c.index])
            yield from s.stop([c.index], sbi.RESET)
    yield from s.match([], 1, sbi.SKIP_MATCH)


@scenario(
    "SBI.config.reserved_flags",
    "SBI.config.invalid_set",
    "SBI.failed.unchanged",
    "SBI.failed.memory",
    "SBI.table.order",
    configs=(DEFAULT, RV32, GUEST),
)
def config_refused(s: Supervisor) -> Script[None]:
    """Every reserved flag, sets with a hole, a far index or past the end, together with other reasons to refuse."""
    index = s.programmable[0].index
    event = s.own_event(index)[0]
    yield from s.give(index)
    for bit in range(8, s.xlen):
        yield from s.match([index], event, 1 << bit)
    yield from s.match([index], 0, 1 << 8)
    yield from s.match([index], CACHE[2], 1 << 8)
    yield from s.match([index], RAW, 1 << 8, 1 << 63)
    yield from s.match([index], RAW_V2, 1 << 8, 1 << 63)
    for hole in (*s.holes[:3], s.holes[-1]):
        for with_it in ([hole], [hole, index], s.near(sorted({hole, index, *s.indices}))):
            yield from s.match(with_it, event)
            yield from s.match(with_it, 0)
    for base, mask in (
        (s.ones, 1),
        (s.ones, 3),
        (s.ones - 1, 7),
        (index, s.ones),
        (max(s.indices) + 1, 1),
        (0, s.ones),
    ):
        yield from s.call("counter_config_matching", counter_idx_base=base, counter_idx_mask=mask, event_idx=event)
    yield from s.match([], event)
    yield from s.look([index])
