# SPDX-License-Identifier: Apache-2.0
"""Counter blocks of other houses, as models: each makes a choice that the specification leaves open."""

from collections import deque
from random import Random
from typing import Any

from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import QUIET, Counts
from rvtrace.models.hpm.model import Hpm
from rvtrace.models.hpm.registers import SELECT_MASK
from rvtrace.models.riscv.csr import DONE, ILLEGAL, Access, Answer
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.check import check
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.hpm.stimulus.choices import clipped, foreign
from rvtrace.tb.hpm.stimulus.random_rows import Mix
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS
from tests.hpm.devices import captured

MASKS = ("mcountinhibit", "mcounteren", "scounteren", "hcounteren")


def verdict(
    device: type[Hpm], source: str, options: dict[str, Any], without: tuple[str, ...] = (), **tolerances: Any
) -> Verdict:
    """What a device without the profile gets for a scenario, or for random rows ("random:<seed>")."""
    config = Config.from_dict(options)
    kind, _, seed = source.partition(":")
    rows = (
        Mix(config, Random(int(seed))).play(700).rows()
        if kind == "random"
        else SCENARIOS[source].build(config, Random(1))
    )
    if len(config.event_widths) > 1:
        rows = clipped(rows, config)
    capture = captured(foreign(rows, config, without), config, device)
    free = Tolerances.free()
    for name, value in tolerances.items():
        assert hasattr(free, name)
        setattr(free, name, value)
    state = capture.state if free.shown else None
    return check(HpmCapture(config, capture.rows, state, exact=False), free)


class Own(Hpm):
    """Changes made after a write: `kept` says what a register holds then."""

    def kept(self, name: str, value: int) -> int:
        return value

    def _write(self, write: Any) -> None:
        super()._write(write)
        name, n = write.csr.state, write.csr.number
        if name.startswith("mhpmevent"):
            whole = self.events[n] & ~SELECT_MASK | write.value & SELECT_MASK
            self.events[n] = self.kept(name, whole) if self.config.has(n) else 0
        elif name in self.controls and name not in ("mip", "mie", "mideleg", "hideleg"):
            self.controls[name] = self.kept(name, write.value)
        self._counting = {}


class TwoBits(Own):
    """Of a selector two bits are kept."""

    def kept(self, name: str, value: int) -> int:
        if name.startswith("mhpmevent"):
            return value & ~SELECT_MASK | value & 3
        return value & self._named[name].mask


class AllBits(Hpm):
    """mhpmevent holds all 64 bits; those above the selector mean nothing."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.upper = [0] * 32

    def _write(self, write: Any) -> None:
        super()._write(write)
        if write.csr.state.startswith("mhpmevent") and self.config.has(write.csr.number):
            self.upper[write.csr.number] = write.value & ~SELECT_MASK

    def _read(self, csr: Any, priv: int, counts: Any) -> int:
        return super()._read(csr, priv, counts) | (self.upper[csr.number] if csr.state.startswith("mhpmevent") else 0)


class Drifting(AllBits):
    """One of these bits changes whenever something is written."""

    def _write(self, write: Any) -> None:
        super()._write(write)
        self.upper = [upper ^ 1 << 60 if upper else 0 for upper in self.upper]


class Fixed(TwoBits):
    """Each counter counts one event, whatever is written."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.events = [3 + n % config.events if n > 2 and config.has(n) else 0 for n in range(32)]

    def kept(self, name: str, value: int) -> int:
        if name.startswith("mhpmevent"):
            return value & ~SELECT_MASK | 3 + int(name[9:]) % self.config.events
        return super().kept(name, value)


class AllEnables(TwoBits):
    """The enables and mcountinhibit have bits of counters that are not there."""

    def kept(self, name: str, value: int) -> int:
        if name in MASKS:
            return value & 0xFFFF_FFFF & ~(2 if name == "mcountinhibit" else 0)
        return value & (SELECT_MASK | self._named[name].mask if name.startswith("mhpm") else self._named[name].mask)


class NoTm(AllEnables):
    """mcounteren.TM is read-only 0, and so is HPM3."""

    def kept(self, name: str, value: int) -> int:
        return super().kept(name, value) & ~(0b1010 if name == "mcounteren" else 0)


class Without(Hpm):
    """Some addresses are refused."""

    addresses: tuple[int, ...] = ()

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        if access is not None and access.addr in self.addresses:
            super().cycle(priv, counts)
            return Answer(0, ILLEGAL)
        return super().cycle(priv, counts, access)


class NoTime(Without):
    """`time` is emulated."""

    addresses = (0xC01, 0xC81)


class NoViews(Without):
    """Zicntr and Zihpm are not implemented; time is emulated."""

    addresses = (*range(0xC00, 0xC20), *range(0xC80, 0xCA0))


class NoInhibit(Without):
    """mcountinhibit is not implemented."""

    addresses = (0x320,)


class Inhibited(Hpm):
    """mcountinhibit is all ones after reset, and registers hold anything."""

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self.controls["mcountinhibit"] = config.inhibit
        self.controls["mcyclecfg"] = 1 << 62 if config.has_smcntrpmf else 0
        self.counters = [0x1234_5678_9ABC_DEF0 % (1 << w) if config.has(n) else 0 for n, w in enumerate(config.widths)]
        self.events = [1 if n > 2 and config.has(n) else 0 for n in range(32)]


class HalfCounts(Hpm):
    """A counter counts on while its other half is written."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        before = list(self.counters)
        answer = super().cycle(priv, counts, access)
        if access and answer and answer.outcome == DONE and access.addr >> 8 == 0xB and access.addr >> 7 & 1:
            n = access.addr & 31
            if self.counters[n] >> 32 != before[n] >> 32 and self.config.has(n) and not counts.stopcount:
                more = dict(self.counting(priv)).get(n)
                low = (before[n] & 0xFFFF_FFFF) + (counts.of(more) if more else 0)
                self.counters[n] = self.counters[n] & ~0xFFFF_FFFF | low & 0xFFFF_FFFF
        return answer


class NoStopcount(Hpm):
    """stopcount_i is not used."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        return super()._count(priv, counts._replace(stopcount=0), written)


class Asleep(Hpm):
    """All clocks stop in WFI."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        return super()._count(priv, counts, written) if counts.cycle else []


class Awake(Hpm):
    """The clock of mcycle does not stop in WFI."""

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        return super()._count(priv, counts._replace(cycle=max(1, counts.cycle)), written)

    def idle(self, priv: int, cycles: int, running: int = 1, stopcount: int = 0) -> None:
        super().idle(priv, cycles, 1, stopcount)


class Late(Hpm):
    """Events are registered before they are counted."""

    delay = 2

    def __init__(self, config: Config) -> None:
        super().__init__(config)
        self._late: deque[tuple[int, ...]] = deque([()] * self.delay)

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        self._late.append(counts.events)
        return super().cycle(priv, counts._replace(events=self._late.popleft()), access)

    def idle(self, priv: int, cycles: int, running: int = 1, stopcount: int = 0) -> None:
        while cycles and any(any(events) for events in self._late):
            self.cycle(priv, Counts(running, 0, (), stopcount))
            cycles -= 1
        super().idle(priv, cycles, running, stopcount)


class TooLate(Late):
    """They are counted much later."""

    delay = 12


class Core(Hpm):
    """It is the CSR file of a whole core: mtvec is there, mie and mip have other bits."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        answer = super().cycle(priv, counts, access)
        if access is not None and access.addr in (0x300, 0x305, 0x316, 0x321) and access.addr not in self._csrs:
            return Answer(0x8000_0000, DONE)
        if access is not None and answer is not None and answer.outcome == DONE and access.addr in (0x304, 0x344):
            return answer._replace(rdata=answer.rdata | 0x888)
        return answer


class OneMode(Hpm):
    """There is one mode only, that of the hart."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        return super().cycle(priv, counts, access and access._replace(priv=priv))


class OnlyM(OneMode):
    """Nothing tells it the mode."""

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        return super().cycle(3, counts, access)


class SettingsLate(Hpm):
    """mcountinhibit applies a cycle later."""

    _held = 0

    def _selected(self, n: int, priv: int) -> int:
        now, self.controls["mcountinhibit"] = self.controls["mcountinhibit"], self._held
        selector = super()._selected(n, priv)
        self.controls["mcountinhibit"] = now
        return selector

    def cycle(self, priv: int, counts: Counts = QUIET, access: Access | None = None) -> Answer | None:
        now, self._counting = self.controls["mcountinhibit"], {}
        answer = super().cycle(priv, counts, access)
        self._held, self._counting = now, {}
        return answer

    def idle(self, priv: int, cycles: int, running: int = 1, stopcount: int = 0) -> None:
        self._held, self._counting = self.controls["mcountinhibit"], {}
        super().idle(priv, cycles, running, stopcount)


class AnyOf(Own):
    """SELECT is a mask of 11 bits, cycles, instructions and nine events: a counter counts the cycles in which one of
    them happens. The clock does not stop in WFI or Debug Mode.
    """

    def kept(self, name: str, value: int) -> int:
        return value & (0x7FF if name.startswith("mhpmevent") else self._named[name].mask)

    def _happens(self, n: int, counts: Counts) -> int:
        if self.controls["mcountinhibit"] >> n & 1:
            return 0
        if n < 3:
            return counts.retired if n else 1
        return int(any(self.events[n] >> k & 1 and (not k or counts.of(k + 1)) for k in range(11)))

    def _count(self, priv: int, counts: Counts, written: int) -> list[int]:
        for n in (n for n in self._there if n != written):
            self.counters[n] = (self.counters[n] + self._happens(n, counts)) % self._limits[n]
        return []

    def idle(self, priv: int, cycles: int, running: int = 1, stopcount: int = 0) -> None:
        for n in self._there:
            self.counters[n] = (self.counters[n] + cycles * self._happens(n, Counts(1))) % self._limits[n]
