# SPDX-License-Identifier: Apache-2.0
"""Counter blocks that break one rule each, as models."""

from typing import Any

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import QUIET, Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.registers import OF_BIT
from rvtrace.models.riscv.csr import DEBUG, DONE, HS, ILLEGAL, Access, Answer
from tests.hpm.foreign import AllEnables, Core, NoTm


class OneBit(Hpm):
    """Event 0 counts once in a cycle."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        few = (min(counts.events[0], 1), *counts.events[1:]) if counts.events else ()
        return super().cycle(priv, counts._replace(events=few), access)


class Shifted(Hpm):
    """A counter counts the event beside the one that it is read back to count."""

    def _selected(self, n: int, priv: int) -> int:
        found = super()._selected(n, priv)
        return found + 1 if n > 2 and 2 < found < 2 + self.config.events else found


class Opened(NoTm):
    """TM reads 0, and yet S-mode may read time."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        answer = super().cycle(priv, counts, access)
        return Answer(counts.time, DONE) if access and access[1] == 0xC01 and access.priv == HS else answer


class Closed(AllEnables):
    """HPM3 of mcounteren reads 1, and yet S-mode may not read hpmcounter3."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        answer = super().cycle(priv, counts, access)
        return Answer(0, ILLEGAL) if access and access[1] == 0xC03 and access.priv == HS else answer


class TimeOfM(Hpm):
    """time is there, but for S-mode."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        answer = super().cycle(priv, counts, access)
        return Answer(0, ILLEGAL) if access and access[1] == 0xC01 and access.priv == HS else answer


class Stuck(Hpm):
    """minstret does not count, though mcountinhibit reads 0."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        return super()._count(priv, counts._replace(retired=0), written)


class Loses(Hpm):
    """A write of a counter stops the others for a cycle."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        return super()._count(priv, counts, written) if written < 0 else []


class Adds(Hpm):
    """The increment is added to a written value."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        self._more = counts.of({0: 1, 2: 2}.get(written, 0)) if not counts.stopcount else 0
        return super()._count(priv, counts, written)

    def _write(self, write: Any) -> None:
        super()._write(write)
        if write.csr.address in (0xB00, 0xB02):
            self.counters[write.csr.number] = (self.counters[write.csr.number] + self._more) % (1 << 64)


class Once(Hpm):
    """Several of a cycle count as one."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        few = counts._replace(retired=min(counts.retired, 1), events=tuple(min(e, 1) for e in counts.events))
        return super()._count(priv, few, written)


class NoCarry(Hpm):
    """The low half does not carry."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        before = list(self.counters)
        found = super()._count(priv, counts, written)
        if counts.cycle < 2:
            self.counters = [b & ~0xFFFF_FFFF | a & 0xFFFF_FFFF for b, a in zip(before, self.counters)]
        return found


class NoInhibiting(Hpm):
    """mcountinhibit is kept and does nothing."""

    def _selected(self, n: int, priv: int) -> int:
        now, self.controls["mcountinhibit"] = self.controls["mcountinhibit"], 0
        found = super()._selected(n, priv)
        self.controls["mcountinhibit"] = now
        return found


class NoFilter(Hpm):
    """MINH is kept and does nothing."""

    def _selected(self, n: int, priv: int) -> int:
        kept = list(self.events), dict(self.controls)
        self.events = [e & ~(1 << 62) for e in self.events]
        for name in ("mcyclecfg", "minstretcfg"):
            self.controls[name] &= ~(1 << 62)
        found = super()._selected(n, priv)
        self.events, self.controls = kept
        return found


class NoOf(Hpm):
    """OF is not set."""

    def _overflow(self, counters: list[int]) -> None:
        if counters:
            self.controls["mip"] = 1 << 13


class NoRequest(Hpm):
    """No interrupt is requested."""

    def _overflow(self, counters: list[int]) -> None:
        for n in counters:
            self.events[n] |= 1 << OF_BIT


class Unmasked(Hpm):
    """An interrupt is requested with OF 1, too."""

    def _overflow(self, counters: list[int]) -> None:
        super()._overflow(counters)
        if counters:
            self.controls["mip"] = 1 << 13


class Wide(Hpm):
    """A counter wraps one bit too late, of which software sees nothing but the missing overflow."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._limits = [limit << (n > 2 and limit < 1 << 64) for n, limit in enumerate(self._limits)]

    def _answer(self, *given: Any) -> Any:
        kept = list(self.counters)
        self.counters = [c % (1 << w) for c, w in zip(self.counters, self.config.widths)]
        found = super()._answer(*given)
        self.counters = kept
        return found


class NoMode(Core):
    """mie.LCOFIE is not kept."""

    def _write(self, write: Any) -> None:
        super()._write(write)
        self.controls["mie"] = 0


class StopsInDebugMode(Hpm):
    """Nothing counts in Debug Mode, although stopcount_i is 0."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        return [] if priv == DEBUG else super()._count(priv, counts, written)
