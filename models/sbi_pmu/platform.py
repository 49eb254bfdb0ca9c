# SPDX-License-Identifier: Apache-2.0
"""What one platform offers to the SBI PMU extension, as data: logical counters, what each can monitor, and which
options it has.

    platform = Platform.example(xlen=32)
    platform = Platform(xlen=64, counters=(Hardware(0, number=0), Hardware(5, number=3, width=40,
    events=frozenset({3}))))

Logical indices may have holes. Counter number 0 is mcycle, 2 minstret, 3 to 31 mhpmcounter3 to 31.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from rvtrace.models.sbi_pmu.tables import (
    CACHE,
    CPU_CYCLES,
    FIRMWARE,
    FIRMWARE_EVENTS,
    FIRMWARE_PLATFORM,
    FUNCTIONS,
    GENERAL,
    INSTRUCTIONS,
    NEWEST,
    RAW,
    RAW_BITS,
    RAW_V2,
    defined,
)

MCYCLE, MINSTRET = 0, 2


class PlatformError(ValueError):
    """A platform that cannot be; the text says what is wrong and what would be right."""


@dataclass(frozen=True)
class Hardware:
    """A hardware counter. index: logical. number: 0 mcycle, 2 minstret, N mhpmcounterN. width: bits of its CSR.

    events: event_idx of general and cache events that it can monitor (of mcycle and minstret exactly their own).
    raw: (select, mask) pairs; a raw event is monitored if `event_data & mask == select` for one of them.
    """

    index: int
    number: int
    width: int = 64
    events: frozenset[int] = frozenset()
    raw: tuple[tuple[int, int], ...] = ()

    @property
    def csr(self) -> int:
        """Number of the CSR that supervisor software reads: cycle, instret or hpmcounterN."""
        return 0xC00 + self.number

    @property
    def fixed(self) -> bool:
        """Whether this is mcycle or minstret, which have no event selector."""
        return self.number in (MCYCLE, MINSTRET)

    def monitors(self, event: int, data: int) -> bool:
        """Whether this counter can monitor the event. data counts for raw events only."""
        if event >> 16 in RAW_BITS:
            return any(data & mask == select for select, mask in self.raw)
        return event in self.events


@dataclass(frozen=True)
class Firmware:
    """A firmware counter: it can monitor every firmware event of the platform. index: logical."""

    index: int


@dataclass(frozen=True)
class Platform:
    """One platform; PlatformError on construction if it cannot be.

    selectors: event_idx -> value of mhpmevent, where that is not the zero-extended event_idx; (event_idx, number) for
    one counter's own. firmware_events: codes; firmware_data: event_data of SBI_PMU_FW_PLATFORM events that it has.
    firmware_width: bits of all firmware counters. sscofpmf: mhpmevent has 64 bits, OF and filters. smcntrpmf: mcyclecfg
    and minstretcfg. filters: names of config_flags that filter here (the others are ignored: they are hints).
    sbi_version: functions and events that came later are NOT_SUPPORTED, be they named here or not. snapshot,
    event_info: optional functions.
    """

    xlen: int = 64
    counters: tuple[Hardware | Firmware, ...] = ()
    selectors: Mapping[int | tuple[int, int], int] = field(default_factory=lambda: MappingProxyType({}))
    firmware_events: frozenset[int] = frozenset(range(len(FIRMWARE_EVENTS)))
    firmware_data: frozenset[int] = frozenset()
    firmware_width: int = 64
    sscofpmf: bool = True
    smcntrpmf: bool = True
    filters: frozenset[str] = frozenset({"SET_MINH", "SET_SINH", "SET_UINH", "SET_VSINH", "SET_VUINH"})
    sbi_version: tuple[int, int] = (3, 0)
    snapshot: bool = True
    event_info: bool = True

    def __post_init__(self) -> None:
        if self.xlen not in (32, 64):
            raise PlatformError(f"xlen is {self.xlen}; give xlen=32 or xlen=64")
        if not 1 <= self.firmware_width <= 64:
            raise PlatformError(f"firmware_width is {self.firmware_width}; give 1 to 64")
        object.__setattr__(self, "counters", tuple(sorted(self.counters, key=lambda c: c.index)))
        indices = [counter.index for counter in self.counters]
        if len(set(indices)) < len(indices) or any(index < 0 for index in indices):
            raise PlatformError(f"logical indices are {indices}; give each counter a separate one, from 0 up")
        hardware = [counter for counter in self.counters if isinstance(counter, Hardware)]
        numbers = [counter.number for counter in hardware]
        if len(set(numbers)) < len(numbers):
            raise PlatformError(f"hardware counters are {numbers}; give each CSR to one logical counter only")
        for counter in hardware:
            self._check(counter)
        wrong = [
            code
            for code in self.firmware_events
            if code == FIRMWARE_PLATFORM or not defined(FIRMWARE << 16 | code, NEWEST)
        ]
        if wrong:
            raise PlatformError(
                f"firmware event {wrong[0]} is reserved or platform's; give codes 0-21 and 256-65534, others as"
                " firmware_data"
            )

    def _check(self, counter: Hardware) -> None:
        own = {MCYCLE: CPU_CYCLES, MINSTRET: INSTRUCTIONS}
        if counter.number not in (0, *range(2, 32)):
            raise PlatformError(f"counter number is {counter.number}; give 0, or 2 to 31")
        if not 1 <= counter.width <= 64:
            raise PlatformError(f"width of counter {counter.index} is {counter.width}; give 1 to 64")
        if counter.fixed and (counter.events - {own[counter.number]} or counter.raw):
            raise PlatformError(f"counter {counter.index} is fixed; give it event {own[counter.number]} or none")
        wrong = [event for event in counter.events if not defined(event, NEWEST) or event >> 16 not in (GENERAL, CACHE)]
        if wrong:
            raise PlatformError(
                f"counter {counter.index} has event {wrong[0]:#x}; give general and cache events, raw ones in raw"
            )

    @property
    def event_bits(self) -> int:
        """Width of mhpmevent: 32 on RV32 without Sscofpmf, else 64."""
        return 32 if self.xlen == 32 and not self.sscofpmf else 64

    def raw_bits(self, type_: int) -> int:
        """How many bits of event_data a raw event of this type may have."""
        return min(RAW_BITS[type_], self.event_bits)

    def selector(self, event: int, data: int, number: int) -> int:
        """mhpmeventN of an event, without OF and filters. Raw events: event_data; else from the map, or the
        zero-extended event_idx.
        """
        if event >> 16 in (RAW, RAW_V2):
            return data
        return self.selectors.get((event, number), self.selectors.get(event, event))

    def has(self, fid: int) -> bool:
        """Whether the function is there."""
        return fid < len(FUNCTIONS) and FUNCTIONS[fid].version <= self.sbi_version

    @classmethod
    def example(cls, xlen: int = 64, **options: object) -> Platform:
        """mcycle at 0, minstret at 2, mhpmcounter3 to 6 at 3, 4, 7 and 9 (widths 64, 48, 32, 40), firmware counters at
        10, 12 and 13.
        """
        events = frozenset({CPU_CYCLES, INSTRUCTIONS, 3, 4, 5, 6, CACHE << 16, CACHE << 16 | 1})
        raw = ((0x100, 0xFFFF_FFFF_FFFF_FF00),)
        counters = (
            Hardware(0, 0, events=frozenset({CPU_CYCLES})), Hardware(2, 2, events=frozenset({INSTRUCTIONS})),
            Hardware(3, 3, 64, events, raw), Hardware(4, 4, 48, events, raw), Hardware(7, 5, 32, frozenset({3, 4})),
            Hardware(9, 6, 40, frozenset({5, 6}), raw), Firmware(10), Firmware(12), Firmware(13),
        )  # fmt: skip
        given: dict[str, object] = {"counters": counters, "firmware_data": frozenset({0x77}),
                                    "firmware_events": frozenset({*range(22), 256}), **options}  # fmt: skip
        return cls(xlen=xlen, **given)  # type: ignore[arg-type]
