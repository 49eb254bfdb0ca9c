"""The call list of the witness: short scenarios about each function, flag, error and open point of the chapter, then random mixes.

    discovery(64)                      # actions that ask what is there
    scenarios(platform)                # Scenario(name, what, actions): depend on the platform only, and on no answer

Every scenario ends with all counters stopped and reset, so that a difference in one says nothing about the next.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import NamedTuple

from models.hpm.events import Counts
from models.riscv.csr import HS
from models.sbi_pmu import tables as sbi
from models.sbi_pmu.calls import Action, Call, FirmwareEvent, Peek, Poke, Run, SupervisorCsr
from models.sbi_pmu.client import LCOFIP, SCOUNTOVF, SIP
from models.sbi_pmu.platform import Hardware, Platform
from models.sbi_pmu.random_calls import random_calls
from tools.witness_machine import ALONG, MEMORY, RAM, STIMULI

INDICES = 40  # logical indices that discovery asks for
RANDOM_CALLS, RANDOM_SEEDS = 300, 4
EACH = Counts(cycle=1, retired=1, events=(1,) * 8)  # a cycle of `Run`, as the models see it
HIGH = 0x1234_5600_0000  # initial values far from where any other counter is
FIRMWARE_CODES = (*range(24), 255, 256, 0x8000, 65534, 65535)


class Scenario(NamedTuple):
    """Actions about one thing. what: one line for the page."""

    name: str
    what: str
    actions: tuple[Action, ...]


def discovery(xlen: int) -> list[Action]:
    """num_counters, counter_get_info of every index that could be, and calls that only tell whether optional functions are there."""
    ones = (1 << xlen) - 1
    out: list[Action] = [Call.of(xlen, "num_counters")]
    out += [Call.of(xlen, "counter_get_info", counter_idx=index) for index in (*range(INDICES), 63, 64, 1 << xlen - 1, ones)]
    out += [Call.of(xlen, "counter_fw_read_hi", counter_idx=ones), Call.of(xlen, "snapshot_set_shmem", flags=1)]
    out += [Call.of(xlen, "event_get_info", flags=1)]
    return out + [Call(fid, (0,) * 6) for fid in (9, 10, 0x7FFF_FFFF)]


class _List:
    """Writes the actions of one scenario by name."""

    def __init__(self, platform: Platform) -> None:
        self.platform, self.xlen = platform, platform.xlen
        self.ones = (1 << self.xlen) - 1
        hardware = [c for c in platform.counters if isinstance(c, Hardware)]
        self.hardware = [c.index for c in hardware if not c.fixed]
        self.fixed = [c.index for c in hardware if c.fixed]
        self.firmware = [c.index for c in platform.counters if not isinstance(c, Hardware)]
        self.indices = [c.index for c in platform.counters]
        self.events = sorted({event for c in hardware for event in c.events})
        self.hw_mask, self.fw_mask = _mask(self.hardware), _mask(self.firmware)
        self.early = platform.sbi_version < (2, 0)
        self.actions: list[Action] = []

    def call(self, function: str, **arguments: int) -> None:
        self.actions.append(Call.of(self.xlen, function, **{name: value & self._ones(function, name) for name, value in arguments.items()}))

    def _ones(self, function: str, name: str) -> int:
        return (1 << 64) - 1 if name in sbi.BY_NAME[function].wide else self.ones

    def config(self, event: int, mask: int, flags: int = 0, data: int = 0, base: int = 0) -> None:
        self.call("counter_config_matching", counter_idx_base=base, counter_idx_mask=mask, config_flags=flags, event_idx=event, event_data=data)

    def start(self, mask: int, flags: int = 0, value: int = 0, base: int = 0) -> None:
        self.call("counter_start", counter_idx_base=base, counter_idx_mask=mask, start_flags=flags, initial_value=value)

    def stop(self, mask: int, flags: int = 0, base: int = 0) -> None:
        self.call("counter_stop", counter_idx_base=base, counter_idx_mask=mask, stop_flags=flags)

    def reset(self, *indices: int) -> None:
        """Each counter (or all) stopped and reset by a call of its own: no answer and no state of one depends on another."""
        for index in indices or self.indices:
            self.stop(1, sbi.RESET, base=index)

    def reset_ends(self) -> None:
        """The same for the counters that config_matching takes first, from whatever end it looks."""
        self.reset(*self.fixed, self.hardware[0], self.hardware[-1], self.firmware[0], self.firmware[-1])

    def firmware_event(self, code: int, count: int = 1) -> None:
        """An event, and what the hart gets itself along with it."""
        self.actions.append(FirmwareEvent(code, count))
        self.actions += [FirmwareEvent(along, count) for along, sent in ALONG.items() if sent == code]

    def run(self, cycles: int = 32) -> None:
        self.actions.append(Run(HS, EACH, cycles))

    def csr(self, op: int, address: int, value: int = 0) -> None:
        self.actions.append(SupervisorCsr(op, address, value))

    def value(self, index: int) -> None:
        """Reads a hardware counter, the high half first on RV32."""
        csr = next(c.csr for c in self.platform.counters if isinstance(c, Hardware) and c.index == index)
        if self.xlen == 32:
            self.csr(0, csr + 0x80)
        self.csr(0, csr)

    def values(self, index: int) -> None:
        """Reads a hardware counter, lets the hart run, and reads it again: counts it?"""
        self.value(index)
        self.run()
        self.value(index)


def _mask(indices: list[int]) -> int:
    return sum(1 << index for index in indices)


def _events(b: _List) -> None:
    """config_matching of every defined and many undefined events, each in the set of all counters that could monitor it"""
    codes = [*range(14), 0xFFFF]
    caches = [sbi.cache_code(c, op, r) for c in range(8) for op in range(4) for r in range(2)]
    for event in [*codes, *(1 << 16 | code for code in (*caches, 0x2019, 0xFFFF)), 0x2_0000, 0x3_0000, 0x2_0001, 0x3_0001,
                  *(kind << 16 for kind in range(4, 15))]:  # fmt: skip
        b.config(event, b.hw_mask)
        b.reset(b.hardware[0], b.hardware[-1])
    for code in FIRMWARE_CODES:
        b.config(0xF_0000 | code, b.fw_mask)
        b.stop(1, sbi.RESET, base=b.firmware[0])
    for event in (0x10_0001, 0x10_0003, 0x1F_0005, 1 << b.xlen - 1 | 1):  # more than 20 bits
        b.config(event, b.hw_mask | b.fw_mask)


def _event_data(b: _List) -> None:
    """event_data that is not 0 where it is unused, raw events with data of every width"""
    for event in (b.events[0], b.events[-1], 0xF_0005):
        for data in (1, 1 << 31, 1 << 47, 1 << 63):
            b.config(event, b.hw_mask if event >> 16 != sbi.FIRMWARE else b.fw_mask, data=data)
            b.reset_ends()
    for kind in (2, 3):
        for data in (1, 0x1_0019, 1 << 31, 1 << 32, 1 << 47, 1 << 48, 1 << 55, 1 << 56, 1 << 63):
            b.config(kind << 16, b.hw_mask, data=data)


def _config_flags(b: _List) -> None:
    """every bit of config_flags alone"""
    for bit in range(1, b.xlen):
        b.config(1, 1, flags=1 << bit, base=b.hardware[0])
        b.reset(b.hardware[0])


def _other_flags(b: _List) -> None:
    """every bit of start_flags and stop_flags alone"""
    index = b.hardware[0]
    for bit in range(b.xlen):
        b.config(2, 1, base=index)
        b.start(1, 1 << bit, HIGH, base=index)
        b.stop(1, 1 << bit, base=index)
        b.reset(index)


def _order(b: _List) -> None:
    """which counter is taken: all counters, one after the other, until none is left; then outside of the set"""
    for event in (1, 2, b.events[-1]):
        for _ in range(4):
            b.config(event, b.hw_mask | _mask(b.fixed))
        b.reset()
    for event in (1, 2):
        b.config(event, _mask(b.fixed))
        b.config(event, 1, base=b.firmware[0])
        b.config(event, 1 << b.hardware[0])
        b.config(event, 1 << b.hardware[0])
        b.reset()
    b.config(b.events[-1], _mask(b.fixed))
    for _ in b.firmware:
        b.config(0xF_0005, b.fw_mask)
    b.config(0xF_0005, b.fw_mask)


def _sets(b: _List) -> None:
    """sets with holes, empty, beyond the last counter, bases that wrap, in config_matching, start and stop"""
    first, last = b.hardware[0], b.indices[-1]
    holes = [index for index in range(last) if index not in b.indices]
    inside = [(0, 1 << hole | 1 << first) for hole in holes] + [(0, 1 << hole | 1) for hole in holes] + [(hole, 1) for hole in holes]
    outside = [(0, 0), (first, 0), (last, 2), (last, 3), (last + 1, 1), (0, 1 << last + 1 | 1 << first), (0, b.ones), (64, 1), (b.ones, 1),
               (b.ones - 1, 1), (1 << b.xlen - 1, 1), (last + 1, 0), (b.ones, 0)]  # fmt: skip
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


def _configured(b: _List) -> None:
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


def _actions(b: _List) -> None:
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


def _skip_match(b: _List) -> None:
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


def _firmware_base(b: _List) -> None:
    """config_matching of a firmware event in a set whose base is not 0; such a counter is then reset, nothing more"""
    first = b.firmware[0]
    for base, mask in ((first, 1), (first, 5), (first, 8), (first + 1, 0xFF00), (first - 1, 0x8)):  # never position 1: see the page
        b.config(0xF_0005, mask, base=base)
        b.reset(*b.hardware, *b.firmware[:16])


def _start(b: _List) -> None:
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


def _stop(b: _List) -> None:
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


def _fixed(b: _List) -> None:
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


def _counting(b: _List) -> None:
    """a counter counts between start and stop, holds its value, goes on from it, and obeys its filters"""
    for index, event in ((b.hardware[0], 1), (b.hardware[-1], 2)):
        b.config(event, 1, base=index)
        for start, stop in ((sbi.SET_INIT_VALUE, 0), (0, 0), (0, sbi.RESET)):
            b.start(1, start, HIGH, base=index)
            b.values(index)
            b.stop(1, stop, base=index)
            b.values(index)


def _overflow(b: _List) -> None:
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


def _fw_read(b: _List) -> None:
    """fw_read and fw_read_hi of firmware counters without event, with one, of hardware counters and of no counter"""
    first, index = b.firmware[0], b.hardware[0]
    b.config(1, 1, base=index)
    b.config(0xF_0005, 1 << first)
    b.start(1, sbi.SET_INIT_VALUE, 0x1_2345_6789_ABCD, base=first)
    for counter in (first, b.firmware[1], b.firmware[-1], index, b.hardware[1], *b.fixed, 1, b.indices[-1] + 1, 64, b.ones):
        b.call("counter_fw_read_hi", counter_idx=counter)
        if counter not in (index, *b.fixed):  # early OpenSBI answers these with what was on its stack
            b.call("counter_fw_read", counter_idx=counter)


def _firmware_counting(b: _List) -> None:
    """every firmware event that can be made to happen, counted by a counter of its own"""
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


def _firmware_states(b: _List) -> None:
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


def _shared_memory(b: _List) -> None:
    """snapshot_set_shmem and event_get_info: addresses, alignment, flags, entries; snapshots without memory"""
    aligned = {"shmem_phys_lo": MEMORY}
    for wrong in ({}, {"flags": 1}, {"shmem_phys_lo": MEMORY + 8}, {"shmem_phys_hi": b.ones}, {"shmem_phys_lo": RAM},
                  {"shmem_phys_lo": b.ones, "shmem_phys_hi": b.ones}, {"shmem_phys_lo": b.ones, "shmem_phys_hi": b.ones, "flags": 1}):  # fmt: skip
        b.call("snapshot_set_shmem", **{**aligned, **wrong})
    events = [(event, 0) for event in (*range(1, 12), *b.events, 0x1_0000, 0x1_0019, 0x1_0038, 0xF_0000, 0xF_0005, 0xF_0015, 0xF_0016,
                                       0xF_0100, 0xF_FFFF, 0x2_0000, 0x3_0000, 0x2_0001, 0x4_0000, 0x10_0001, 0x8000_0001)]  # fmt: skip
    for some in ([], events[:1], *([event] for event in events), [(1, 5), (b.events[-1], 5), (0xF_0005, 5)], [(0x2_0000, 1 << 60), (0x3_0000, 1 << 60)]):
        entries = b"".join(event.to_bytes(4, "little") + b"\xa5" * 4 + data.to_bytes(8, "little") for event, data in some)
        b.actions.append(Poke(MEMORY, entries + b"\xa5" * 16))
        b.call("event_get_info", shmem_phys_lo=MEMORY, num_entries=len(some))
        b.actions.append(Peek(MEMORY, len(entries) + 16))
    for wrong in ({"flags": 1}, {"shmem_phys_lo": MEMORY + 4}, {"shmem_phys_lo": MEMORY + 16}, {"shmem_phys_hi": 1}, {"shmem_phys_hi": b.ones},
                  {"shmem_phys_lo": RAM}, {"shmem_phys_lo": RAM, "flags": 1}):  # fmt: skip
        b.call("event_get_info", **{**aligned, "num_entries": 1, **wrong})
    index = b.hardware[0]
    b.config(1, 1, base=index)
    b.start(1, sbi.INIT_SNAPSHOT, base=index)
    b.start(1, base=index)
    b.stop(1, sbi.TAKE_SNAPSHOT, base=index)
    b.stop(1, sbi.TAKE_SNAPSHOT | sbi.RESET, base=index)
    b.start(1, base=index)
    b.stop(1, base=index)


_DIRECTED: tuple[Callable[[_List], None], ...] = (
    _overflow, _events, _event_data, _config_flags, _other_flags, _order, _sets, _configured, _actions, _skip_match, _firmware_base, _start,
    _stop, _fixed, _counting, _fw_read, _firmware_counting, _firmware_states, _shared_memory,
)  # fmt: skip


def scenarios(platform: Platform) -> Iterator[Scenario]:
    """All scenarios for a platform, in the order in which they are played."""
    for write in _DIRECTED:
        listed = _List(platform)
        listed.reset()
        write(listed)
        listed.reset()
        yield Scenario(write.__name__[1:], write.__doc__ or "", tuple(listed.actions))
    for seed in range(1, RANDOM_SEEDS + 1):
        listed = _List(platform)
        mix = random_calls(random.Random(f"{seed}:witness"), platform, RANDOM_CALLS, (MEMORY, 0x10000))
        listed.actions += [action for action in mix if playable(action, platform)]
        listed.reset()
        yield Scenario(f"random_{seed}", f"random mix of calls, legal and illegal, seed {seed}", tuple(listed.actions))


def playable(action: Action, platform: Platform) -> bool:
    """Whether the witness can play this without harm (docs/sbi-witness.md): events that can be made, no call that lets OpenSBI leave its
    own arrays or shift by XLEN or more, no value from which a counter of TLB misses overflows: QEMU 7.2 does not survive that with -icount."""
    if isinstance(action, FirmwareEvent):
        return action.code in STIMULI and action.code + 1 not in ALONG and action.count < 10
    if not isinstance(action, Call) or action.fid not in (sbi.CONFIG_MATCHING, sbi.START, sbi.STOP):
        return True
    a = sbi.FUNCTIONS[action.fid].named(platform.xlen, action.registers)
    early = platform.sbi_version < (2, 0)
    if early and a["counter_idx_base"] >= platform.xlen:
        return False
    if action.fid == sbi.STOP:
        return True
    if action.fid == sbi.START:
        return not a["initial_value"] >> 62
    firmware = a["event_idx"] >> 16 & 15 == sbi.FIRMWARE
    if early and firmware and a["event_idx"] & 0xFFFF >= len(sbi.FIRMWARE_EVENTS):
        return False
    base, mask = a["counter_idx_base"], a["counter_idx_mask"]
    if a["config_flags"] & sbi.SKIP_MATCH:
        first = base if early else base + (mask & -mask).bit_length() - 1
        kinds = {c.index: not isinstance(c, Hardware) for c in platform.counters}
        return bool(mask) and kinds.get(first) is firmware
    return not firmware or base == 0
