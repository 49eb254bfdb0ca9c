# SPDX-License-Identifier: Apache-2.0
"""Configuration of a counter block: the parameters of one implementation.

`config.json` of a capture is exactly `Config.to_dict()`; a command line writes the options in upper case
(`COUNTERS=3+4+9`, `WIDTHS=40,3:12`, `SELECTORS=all,4:0x7`). Parameters: docs/reference/hpm-profile.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from rvtrace.models.common.options import ConfigError, Options, number, option, shown, switch
from rvtrace.models.hpm.events import FIRST_EVENT, MOST_EVENTS

FIRST, LAST = 3, 31  # mhpmcounter3 to mhpmcounter31
ALL = -1  # counters, selectors, inhibit: everything
_MASK32 = (1 << 32) - 1
_PROGRAMMABLE = _MASK32 & ~7


@dataclass(frozen=True)
class Config(Options):
    """One implementation; ConfigError if it is illegal.

    xlen: MXLEN. retired: most instructions retired per cycle. events: external events; event_bits: bits of each count.
    counters: mask of mhpmcounter3 to 31 that exist. widths: of 32 counters in bits (0 to 2 and absent ones are 64).
    selectors: of 32 counters the mask of selectors each can count (absent ones: bit 0 only). inhibit: mask of the bits
    of mcountinhibit that exist. -1, or a tuple of one element, is everything or the same for all. has_u, has_s, has_h:
    modes. has_sscofpmf, has_smcntrpmf, has_shlcofideleg: extensions. codes: by selector the SELECT that means it (-1:
    its number). event_widths: by selector the bits of its count (-1: event_bits), if the block has fewer for some.
    """

    IP: ClassVar[str] = "hpm"

    xlen: int = option(64, (32, 64))
    retired: int = option(4, range(1, 9))
    events: int = option(8, range(1, MOST_EVENTS + 1))
    event_bits: int = option(2, range(1, 9))
    counters: int = ALL
    widths: tuple[int, ...] = (64,)
    selectors: tuple[int, ...] = (ALL,)
    inhibit: int = ALL
    has_u: int = switch(1)
    has_s: int = switch(1)
    has_h: int = switch(1)
    has_sscofpmf: int = switch(1)
    has_smcntrpmf: int = switch(1)
    has_shlcofideleg: int = switch(1)
    codes: tuple[int, ...] = (ALL,)
    event_widths: tuple[int, ...] = (ALL,)

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, needs in _NEEDS.items():
            missing = [other for other in needs if not getattr(self, other)]
            if getattr(self, name) and missing:
                raise ConfigError(f"{name.upper()}=1 needs {missing[0].upper()}=1; give both, or {name.upper()}=0")
        counters = self._bits("counters") & _PROGRAMMABLE
        object.__setattr__(self, "counters", counters)
        object.__setattr__(self, "inhibit", self._bits("inhibit") & (counters | 0b101))
        self._per_counter()
        self._per_selector()

    def _per_selector(self) -> None:
        """`codes` and `event_widths`: -1 alone, or one for each of 64 selectors."""
        for name in ("codes", "event_widths"):
            given = getattr(self, name)
            if len(given) not in (1, 64) or (len(given) == 1 and given[0] != ALL):
                raise ConfigError(
                    f"{name.upper()} has {len(given)} values; give number:value for some selectors, or 64"
                )
            if set(given) == {ALL}:
                object.__setattr__(self, name, (ALL,))
        codes = [self.code(selector) for selector in range(FIRST_EVENT + self.events)]
        if len(set(codes)) < len(codes) or codes[0] or max(codes) >> 56:
            raise ConfigError("CODES gives two selectors one code, selector 0 one other than 0, or one beyond 56 bits")
        if any(not 1 <= self.event_width(selector) <= self.event_bits for selector in range(FIRST_EVENT, 64)):
            raise ConfigError(
                f"EVENT_WIDTHS has a width beyond EVENT_BITS={self.event_bits}; give 1 to {self.event_bits}"
            )

    def code(self, selector: int) -> int:
        """The SELECT that means a selector."""
        return selector if len(self.codes) == 1 or self.codes[selector] == ALL else self.codes[selector]

    def selector(self, code: int) -> int | None:
        """The selector that a SELECT means; None if it means none."""
        return _selectors(self.codes, self.events).get(code)

    def event_width(self, selector: int) -> int:
        """Bits of the count of an event."""
        one = self.event_widths[selector if len(self.event_widths) > 1 else 0]
        return self.event_bits if one == ALL else one

    def _bits(self, name: str) -> int:
        value = getattr(self, name)
        if not -1 <= value <= _MASK32:
            raise ConfigError(
                f"{shown(name, value)} is not a mask of 32 bits; give {name.upper()}={_PROGRAMMABLE:#x} for example"
            )
        return value & _MASK32

    def _per_counter(self) -> None:
        every = (1 << (FIRST_EVENT + self.events)) - 1
        widths, selectors = self._spread("widths"), self._spread("selectors")
        for n in range(32):
            if not self.has(n) or n < FIRST:
                widths[n], selectors[n] = 64, 1
            if not 1 <= widths[n] <= 64:
                raise ConfigError(f"{shown('widths', widths[n])} of counter {n} is not supported; give 1 to 64")
            selectors[n] = every if selectors[n] == ALL else selectors[n] | 1
            if not 0 <= selectors[n] <= every:
                raise ConfigError(
                    f"SELECTORS of counter {n} has bits beyond the last selector; give bits of {every:#x}, or more"
                    " EVENTS"
                )
            if n < FIRST or not self.has(n):
                selectors[n] = 1
        object.__setattr__(self, "widths", tuple(widths))
        object.__setattr__(self, "selectors", tuple(selectors))

    def _spread(self, name: str) -> list[int]:
        given = list(getattr(self, name))
        if len(given) not in (1, 32):
            raise ConfigError(f"{name.upper()} has {len(given)} values; give one for all, or 32")
        return given * (32 // len(given))

    def has(self, n: int) -> bool:
        """Whether counter n exists: mcycle (0), minstret (2), mhpmcounter n."""
        return bool((self.counters | 0b101) >> n & 1)

    @property
    def enables(self) -> int:
        """Bits that mcounteren, scounteren and hcounteren have: CY, TM, IR and those of the counters."""
        return self.counters | 7

    @property
    def inhibits(self) -> int:
        """Bits 62:58 of mhpmevent, mcyclecfg and minstretcfg whose mode exists (whatever the extensions)."""
        return 1 << 62 | self.has_s << 61 | self.has_u << 60 | self.has_h << 59 | self.has_h << 58

    def words(self) -> dict[str, str]:
        """The options that differ from the defaults, as text for a command line; `from_dict` reads them."""
        found = {
            name: str(getattr(self, name)) for name in Config.legal() if getattr(self, name) != getattr(Config, name)
        }
        there = [n for n in range(FIRST, LAST + 1) if self.has(n)]
        if self.counters != _PROGRAMMABLE:
            found["counters"] = "+".join(map(str, there)) if len(there) > 1 else f"{self.counters:#x}"
        if self.inhibit != self.counters | 0b101:
            found["inhibit"] = f"{self.inhibit:#x}"
        every = (1 << (FIRST_EVENT + self.events)) - 1
        for name, values, usual in (("widths", self.widths, "64"), ("selectors", self.selectors, "all")):
            text = {
                n: (
                    "all"
                    if name == "selectors" and values[n] == every
                    else str(values[n])
                    if name == "widths"
                    else hex(values[n])
                )
                for n in there
            }
            if any(one != usual for one in text.values()):
                often = max(text.values(), key=list(text.values()).count)
                found[name] = ",".join([often, *(f"{n}:{one}" for n, one in text.items() if one != often)])
        for name in ("codes", "event_widths"):
            if len(values := getattr(self, name)) > 1:
                mask = name == "codes" and values == _by_selector(name, "mask")
                found[name] = (
                    "mask" if mask else ",".join(f"{n}:{one:#x}" for n, one in enumerate(values) if one != ALL)
                )
        return found

    @classmethod
    def parse(cls, name: str, value: Any, given: Mapping[str, Any]) -> Any:
        """COUNTERS and INHIBIT are masks or sums of bit numbers (`3+4`); WIDTHS and SELECTORS are lists (`40,3:12`)."""
        if name in ("widths", "selectors"):
            return _table(name, value)
        if name in ("codes", "event_widths"):
            return _by_selector(name, value)
        if name in ("counters", "inhibit"):
            return _mask(name, value)
        return super().parse(name, value, given)


@lru_cache(maxsize=64)
def _selectors(codes: tuple[int, ...], events: int) -> dict[int, int]:
    """Selectors by code."""
    several = len(codes) > 1
    return {codes[n] if several and codes[n] != ALL else n: n for n in range(FIRST_EVENT + events)}


def _by_selector(name: str, value: Any) -> tuple[int, ...]:
    """A list; or text: `selector:value` for some, joined by commas; of codes "mask" is one bit for each selector."""
    if not isinstance(value, str):
        return tuple(_number(name, item) for item in (value if isinstance(value, (list, tuple)) else [value]))
    if name == "codes" and value == "mask":
        return (0, *(1 << n if n < 56 else ALL for n in range(63)))
    out = [ALL] * 64
    for item in value.split(","):
        at, colon, one = item.rpartition(":")
        if not colon:
            return (_number(name, one),)
        if (selector := _number(name, at)) not in range(64):
            raise ConfigError(f"{shown(name, value)} names selector {selector}; give numbers 0 to 63")
        out[selector] = _number(name, one)
    return tuple(out)


def _number(name: str, value: Any) -> int:
    return ALL if value == "all" else number(name, value)


def _mask(name: str, value: Any) -> int:
    """A mask as a number, "all", or the numbers of its bits joined by "+" (one alone: "+3")."""
    if isinstance(value, str) and "+" in value:
        bits = [_number(name, item) for item in value.split("+") if item]
        if any(not 0 <= bit < 32 for bit in bits):
            raise ConfigError(f"{shown(name, value)} names a counter that does not exist; give numbers 0 to 31")
        return sum(1 << bit for bit in set(bits))
    return _number(name, value)


def _table(name: str, value: Any) -> tuple[int, ...]:
    """A list; or text: one value for all, then `number:value` for some counters, joined by commas."""
    if not isinstance(value, str):
        return tuple(_number(name, item) for item in (value if isinstance(value, (list, tuple)) else [value]))
    out = [64 if name == "widths" else ALL] * 32
    for item in value.split(","):
        number, colon, one = item.rpartition(":")
        if not colon:
            out = [_number(name, one)] * 32
        elif (n := _number(name, number)) in range(FIRST, LAST + 1):
            out[n] = _number(name, one)
        else:
            raise ConfigError(f"{shown(name, value)} names counter {n}; give numbers {FIRST} to {LAST}")
    return tuple(out)


_NEEDS = {"has_s": ("has_u",), "has_h": ("has_s",), "has_shlcofideleg": ("has_h", "has_sscofpmf")}
