# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the comparison with OpenSBI about config_matching: events, flags, sets, order, SKIP_MATCH. Each function
writes one into a listing.
"""

from __future__ import annotations

from rvtrace.flow.opensbi.script import HIGH, Listing, mask_of
from rvtrace.models.sbi_pmu import tables as sbi

FIRMWARE_CODES = (*range(24), 255, 256, 0x8000, 65534, 65535)


def events(b: Listing) -> None:
    """config_matching of all defined and many undefined events, each in the set of all counters that can monitor it"""
    codes = [*range(14), 0xFFFF]
    caches = [sbi.cache_code(c, op, r) for c in range(8) for op in range(4) for r in range(2)]
    for event in [
        *codes,
        *(1 << 16 | code for code in (*caches, 0x2019, 0xFFFF)),
        0x2_0000,
        0x3_0000,
        0x2_0001,
        0x3_0001,
        *(kind << 16 for kind in range(4, 15)),
    ]:
        b.config(event, b.hw_mask)
        b.reset(b.hardware[0], b.hardware[-1])
    for code in FIRMWARE_CODES:
        b.config(0xF_0000 | code, b.fw_mask)
        b.stop(1, sbi.RESET, base=b.firmware[0])
    for event in (0x10_0001, 0x10_0003, 0x1F_0005, 1 << b.xlen - 1 | 1):  # more than 20 bits
        b.config(event, b.hw_mask | b.fw_mask)


def event_data(b: Listing) -> None:
    """event_data that is not 0 where it is unused, raw events with data of every width"""
    for event in (b.events[0], b.events[-1], 0xF_0005):
        for data in (1, 1 << 31, 1 << 47, 1 << 63):
            b.config(event, b.hw_mask if event >> 16 != sbi.FIRMWARE else b.fw_mask, data=data)
            b.reset_ends()
    for kind in (2, 3):
        for data in (1, 0x1_0019, 1 << 31, 1 << 32, 1 << 47, 1 << 48, 1 << 55, 1 << 56, 1 << 63):
            b.config(kind << 16, b.hw_mask, data=data)


def config_flags(b: Listing) -> None:
    """every bit of config_flags alone"""
    for bit in range(1, b.xlen):
        b.config(1, 1, flags=1 << bit, base=b.hardware[0])
        b.reset(b.hardware[0])


def other_flags(b: Listing) -> None:
    """every bit of start_flags and stop_flags alone"""
    index = b.hardware[0]
    for bit in range(b.xlen):
        b.config(2, 1, base=index)
        b.start(1, 1 << bit, HIGH, base=index)
        b.stop(1, 1 << bit, base=index)
        b.reset(index)


def order(b: Listing) -> None:
    """which counter is taken: all counters, one after the other, until none is left; then outside of the set"""
    for event in (1, 2, b.events[-1]):
        for _ in range(4):
            b.config(event, b.hw_mask | mask_of(b.fixed))
        b.reset()
    for event in (1, 2):
        b.config(event, mask_of(b.fixed))
        b.config(event, 1, base=b.firmware[0])
        b.config(event, 1 << b.hardware[0])
        b.config(event, 1 << b.hardware[0])
        b.reset()
    b.config(b.events[-1], mask_of(b.fixed))
    for _ in b.firmware:
        b.config(0xF_0005, b.fw_mask)
    b.config(0xF_0005, b.fw_mask)


def sets(b: Listing) -> None:
    """sets with holes, empty, beyond the last counter, bases that wrap, in config_matching, start and stop"""
    first, last = b.hardware[0], b.indices[-1]
    holes = [index for index in range(last) if index not in b.indices]
    inside = (
        [(0, 1 << hole | 1 << first) for hole in holes]
        + [(0, 1 << hole | 1) for hole in holes]
        + [(hole, 1) for hole in holes]
    )
    outside = [
        (0, 0),
        (first, 0),
        (last, 2),
        (last, 3),
        (last + 1, 1),
        (0, 1 << last + 1 | 1 << first),
        (0, b.ones),
        (64, 1),
        (b.ones, 1),
        (b.ones - 1, 1),
        (1 << b.xlen - 1, 1),
        (last + 1, 0),
        (b.ones, 0),
    ]
    for base, mask in inside + outside + [(b.ones, 1 << first + 1), (b.ones - 3, 1 << first + 4)]:
        if base >= b.xlen and b.early:
            continue
        b.config(b.events[-1], mask, base=base)
        b.config(1, mask, base=base)
        b.config(0xF_0005, mask, base=base) if base == 0 or base > last else None
        b.reset_ends()
        b.config(1, 1, base=first)
        b.start(mask, base=base)
        b.start(1, base=first)
        b.stop(mask, base=base)
        b.stop(1, base=first)
        b.reset_ends()


def configured(b: Listing) -> None:
    """a counter that is configured, or started, in config_matching again"""
    for index, event in ((b.hardware[0], 1), (b.hardware[1], b.events[-1]), (b.fixed[0], 1)):
        b.config(event, 1, base=index)
        b.config(event, 1, base=index)
        b.start(1, base=index)
        b.config(event, 1, base=index)
        b.stop(1, base=index)
        b.config(event, 1, base=index)
        b.reset()
    b.config(0xF_0005, 1 << b.firmware[0])
    b.config(0xF_0006, 1 << b.firmware[0])
    b.config(0xF_0006, 3 << b.firmware[0])


def actions(b: Listing) -> None:
    """CLEAR_VALUE and AUTO_START with general, cache and firmware events"""
    cache = b.events[-1]
    for flags in (sbi.AUTO_START, sbi.CLEAR_VALUE, sbi.AUTO_START | sbi.CLEAR_VALUE):
        for event, index in ((1, b.hardware[0]), (2, b.hardware[1]), (cache, b.hardware[2])):
            b.config(event, 1, base=index)
            b.start(1, sbi.SET_INIT_VALUE, HIGH, base=index)
            b.stop(1, sbi.RESET, base=index)
            b.config(event, 1, flags, base=index)
            b.values(index) if event < 3 else b.value(index)
            b.start(1, base=index)
            b.stop(1, base=index)
            b.reset(*b.fixed, *b.hardware[:3], b.firmware[0])
        index = b.firmware[0]
        b.config(0xF_0005, 1 << index)
        b.start(1, sbi.SET_INIT_VALUE, HIGH, base=index)
        b.stop(1, sbi.RESET, base=index)
        b.config(0xF_0005, 1 << index, flags)
        b.firmware_event(5)
        b.call("counter_fw_read", counter_idx=index)
        b.start(1, base=index)
        b.stop(1, base=index)
        b.reset(*b.fixed, *b.hardware[:3], b.firmware[0])


def skip_match(b: Listing) -> None:
    """SKIP_MATCH on a counter without event, with one, started, and with an event that it cannot monitor"""
    skip, auto = sbi.SKIP_MATCH, sbi.AUTO_START
    index, other = b.hardware[0], b.events[-1]
    for flags in (skip, skip | auto, skip | sbi.CLEAR_VALUE):
        b.config(1, 3, flags, base=index)
        b.config(1, 1, base=index)
        b.start(1, sbi.SET_INIT_VALUE, HIGH, base=index)
        b.stop(1, base=index)
        b.config(1, 3, flags, base=index)
        b.start(1, base=index)
        b.values(index)
        b.config(2, 3, flags, base=index)
        b.stop(1, base=index)
        b.config(other, 1, flags, base=index)
        b.config(3, 1, flags, base=index)
        b.reset(*b.fixed, *b.hardware[:3], b.firmware[0])
        b.config(other, 1, flags, base=b.fixed[0])
        b.config(1, 1, flags, base=b.fixed[0])
        b.reset(*b.fixed, *b.hardware[:3], b.firmware[0])
    first = b.firmware[0]
    b.config(0xF_0005, 1, skip, base=first)
    b.config(0xF_0005, 1 << first)
    b.config(0xF_0006, 1, skip, base=first)
    b.config(0xF_0005, 1, skip | auto, base=first)
    b.firmware_event(5)
    b.call("counter_fw_read", counter_idx=first)


def firmware_base(b: Listing) -> None:
    """config_matching of a firmware event in a set whose base is not 0; such a counter is then reset, nothing more"""
    first = b.firmware[0]
    for base, mask in (
        (first, 1),
        (first, 5),
        (first, 8),
        (first + 1, 0xFF00),
        (first - 1, 0x8),
    ):  # never position 1: see the page
        b.config(0xF_0005, mask, base=base)
        b.reset(*b.hardware, *b.firmware[:16])
