# SPDX-License-Identifier: Apache-2.0
"""Programming hardware counters from M-mode: what each action of the SBI PMU extension does to the CSRs, as backend
operations.

On RV32 the halves of counters and selectors are written low first; the counter is inhibited then, so nothing carries
between them.
"""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.models.sbi_pmu.backend import ReadCsr, Steps, WriteCsr
from rvtrace.models.sbi_pmu.platform import Hardware, Platform
from rvtrace.models.sbi_pmu.policy import Policy
from rvtrace.models.sbi_pmu.tables import CONFIG_FLAGS, FILTER_BITS, OF, SET_MINH

MIDELEG, MCOUNTEREN, MCOUNTINHIBIT, MIP = 0x303, 0x306, 0x320, 0x344
LCOFIP = 1 << 13
_WORD = 0xFFFF_FFFF


class HardwareCounters:
    """The hardware counters of a platform. Holds no state: that is in the CSRs."""

    def __init__(self, platform: Platform, policy: Policy) -> None:
        self.platform, self.policy = platform, policy
        self.rv32 = platform.xlen == 32
        self.filters = [(CONFIG_FLAGS[name], FILTER_BITS[name]) for name in sorted(platform.filters)]

    def boot(self) -> Steps[None]:
        """All counters inhibited, without event, readable in S-mode; LCOFI is delegated to it."""
        counters = [counter for counter in self.platform.counters if isinstance(counter, Hardware)]
        yield from self.inhibit(counters)
        for counter in counters:
            yield from self.reset(counter)
        enabled = yield ReadCsr(MCOUNTEREN)
        yield WriteCsr(MCOUNTEREN, enabled | _mask(counters))
        if self.platform.sscofpmf:
            delegated = yield ReadCsr(MIDELEG)
            yield WriteCsr(MIDELEG, delegated | LCOFIP)

    def inhibit(self, counters: Iterable[Hardware]) -> Steps[None]:
        """Stops them, all in the same cycle."""
        now = yield ReadCsr(MCOUNTINHIBIT)
        yield WriteCsr(MCOUNTINHIBIT, now | _mask(counters))

    def release(self, counters: Iterable[Hardware]) -> Steps[None]:
        """Starts them, all in the same cycle."""
        now = yield ReadCsr(MCOUNTINHIBIT)
        yield WriteCsr(MCOUNTINHIBIT, now & ~_mask(counters))

    def value(self, counter: Hardware) -> Steps[int]:
        """Value of an inhibited counter."""
        low = yield ReadCsr(0xB00 + counter.number)
        if self.rv32:
            high = yield ReadCsr(0xB80 + counter.number)
            low |= high << 32
        return low & (1 << counter.width) - 1

    def put(self, counter: Hardware, value: int) -> Steps[None]:
        """Writes an inhibited counter; bits above its width are lost."""
        value &= (1 << counter.width) - 1
        yield from self._write(0xB00 + counter.number, 0xB80 + counter.number, value)

    def configure(self, counter: Hardware, event: int, data: int, flags: int) -> Steps[None]:
        """Selects an event, with the filters of config_flags that the platform has. OF becomes 0 (policy config_of)."""
        platform = self.platform
        filtering = platform.smcntrpmf if counter.fixed else platform.sscofpmf
        value = 0
        if filtering:
            if self.policy["minh"] == "always":
                flags |= SET_MINH
            for flag, bit in self.filters:
                if flags & flag:
                    value |= bit
        if not counter.fixed:
            value |= platform.selector(event, data, counter.number) & ~OF
            if platform.sscofpmf and self.policy["config_of"] == "set":
                value |= OF
        yield from self._select(counter, value)

    def reset(self, counter: Hardware) -> Steps[None]:
        """Takes the event and the filters away."""
        yield from self._select(counter, 0)

    def overflown(self, counter: Hardware) -> Steps[bool]:
        """OF; False for a counter without it."""
        if counter.fixed or not self.platform.sscofpmf:
            return False
        value = yield ReadCsr((0x720 if self.rv32 else 0x320) + counter.number)
        return bool(value >> (31 if self.rv32 else 63) & 1)

    def arm(self, counters: Iterable[Hardware]) -> Steps[None]:
        """Makes OF 0 before a start, so that the next overflow interrupts (policy start_of)."""
        choice = self.policy["start_of"]
        counters = [counter for counter in counters if not counter.fixed]
        if not counters or choice == "keep" or not self.platform.sscofpmf:
            return
        if choice == "unless_pending" and (yield ReadCsr(MIP)) & LCOFIP:
            return
        top = 1 << (31 if self.rv32 else 63)
        for counter in counters:
            address = (0x720 if self.rv32 else 0x320) + counter.number
            value = yield ReadCsr(address)
            if value & top:
                yield WriteCsr(address, value & ~top)

    def _select(self, counter: Hardware, value: int) -> Steps[None]:
        if not counter.fixed:
            yield from self._write(
                0x320 + counter.number, 0x720 + counter.number if self.platform.sscofpmf else None, value
            )
        elif self.platform.smcntrpmf:
            at = 1 if counter.number == 0 else 2
            yield from self._write(0x320 + at, 0x720 + at, value)

    def _write(self, low: int, high: int | None, value: int) -> Steps[None]:
        if not self.rv32:
            yield WriteCsr(low, value)
            return
        yield WriteCsr(low, value & _WORD)
        if high is not None:
            yield WriteCsr(high, value >> 32)


def _mask(counters: Iterable[Hardware]) -> int:
    out = 0
    for counter in counters:
        out |= 1 << counter.number
    return out
