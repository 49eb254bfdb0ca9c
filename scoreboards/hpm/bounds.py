# SPDX-License-Identifier: Apache-2.0
"""What a counter may hold, as far as the specification decides it: for devices that do not declare the profile.

A counter is known as an interval. What the specification decides moves both ends: a written value, an event that is
selected and not stopped. What it leaves open moves one end only: the cycle in which a setting begins to apply, an event
that is counted some cycles late, the half that is not written, cycles in WFI, Debug Mode without stopcount. A look at
the counter (a read, or `counter_o` where the wrapper shows it) is compared with the interval and narrows it again.

Each `Count` also keeps by how much the value of a block that breaks a clause would differ since the last look: where
the look distinguishes it, the clause was checked; where the look equals it, the clause is the one that is broken.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import IntFlag
from typing import NamedTuple

from rvtrace.models.hpm.config import FIRST, Config
from rvtrace.models.hpm.events import CYCLES, RETIRED, Counts
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, M, U

WHOLE, LOW, HIGH = "whole", "low", "high"
_FILTER = {M: 4, DEBUG: 4, HS: 3, U: 2, VS: 1, VU: 0}
MODES = {M: "minh", HS: "sinh", U: "uinh", VS: "vsinh", VU: "vuinh"}
_HALF = 1 << 32
UNKNOWN = -1  # a selector, an inhibit bit or filters that nobody has seen


class Freedom(NamedTuple):
    """What is open. latency: cycles by which an event may be counted late (not mcycle and minstret). timing: the cycle
    in which settings apply, what the half of a counter that is not written does. wfi, stopped: whether cycle_i 0 and
    stopcount_i may be ignored. slack: counts by which a look may be off.
    """

    latency: int = 0
    timing: bool = False
    wfi: bool = False
    stopped: bool = False
    slack: int = 0


class Rule(IntFlag):
    """How a counter of another device counts what it selects: `Setting.rule`, none of these for what is due."""

    ONCE = 1  # once a cycle at most
    TWICE = 2
    SOME = 4  # some of it, or all
    MORE = 8  # all of it, and perhaps what happens besides


DUE = Rule(0)


class Setting(NamedTuple):
    """What applies to a counter: selector, its bit of mcountinhibit, its five filters; UNKNOWN if nobody saw it."""

    selector: int
    inhibit: int
    filters: int
    rule: Rule = DUE


class Cycle(NamedTuple):
    """What happens in one cycle, and its number."""

    number: int
    priv: int
    counts: Counts


@dataclass
class Count:
    """One counter. lo, hi: the interval, all that happened included; floor: what it showed last, at least; bits: how
    many low bits of it are known. apart: by clause, by how much a block that breaks it differs since the last look.
    other: a second interval, of the other outcome of a write of one half in a cycle in which the low half may wrap.
    """

    n: int
    width: int
    freedom: Freedom
    lo: int = 0
    hi: int = 0
    floor: int = 0
    bits: int = 0
    other: tuple[int, int] | None = None
    around: bool = False  # it surely wrapped since `Flags` has looked
    wraps: int = 0  # certain ones since the last look
    sure: int = 0  # certain ones that `Flags` has not taken
    ahead: int = 0  # those of them that a look need not show yet
    revoked: bool = False  # what was certain is not
    blind: bool = False  # it may have counted while nobody knew where it was
    written: bool = False  # since the last look
    modified: bool = False  # by set or clear
    unknown: int = -(1 << 64)  # the last cycle in which it may have counted by a selector that nobody knows
    moved: int = 0  # what it surely counted since the last look
    apart: dict[str, int] = field(default_factory=dict)
    past: tuple[str, ...] = ()  # clauses of what happened before a write of one half, and nobody has looked at
    recent: deque[tuple[int, int, int]] = field(default_factory=deque)

    @property
    def modulus(self) -> int:
        return 1 << self.bits

    def add(self, cycle: int, lo: int, hi: int) -> None:
        """It counts at least `lo` and at most `hi`."""
        self.lo += lo
        self.hi += hi
        if self.other is not None:
            self.other = self.other[0] + lo, self.other[1] + hi
        self.moved += lo
        self.blind |= self.bits != self.width
        if self.freedom.latency and self.n >= FIRST:
            self.recent.append((cycle, lo, hi))

    def widen(self, other: dict[int, int], both: bool = False) -> None:
        """What it counted recently may be seen by another setting: not at all, or by cycle as often as `other` says.
        both: of another selector, of which each may have a latency of its own, so that both were counted.
        """
        self.lo -= sum(lo for _, lo, _ in self.recent)
        counted = {cycle: hi for cycle, _, hi in self.recent}
        pairs = {cycle: (counted.get(cycle, 0), other.get(cycle, 0)) for cycle in sorted({*counted, *other})}
        most = {cycle: sum(pair) if both else max(pair) for cycle, pair in pairs.items()}
        self.hi += sum(most.values()) - sum(counted.values())
        if self.ahead > (held := max(0, self.lo) >> self.bits):
            self.sure, self.ahead, self.revoked = max(0, self.sure - self.ahead + held), held, True
        self.recent = deque((cycle, 0, hi) for cycle, hi in most.items() if hi)
        self.apart.clear()

    def late(self, cycle: int) -> tuple[int, int]:
        """What may still be under way: least and most."""
        while self.recent and self.recent[0][0] < cycle - self.freedom.latency:
            self.recent.popleft()
        return sum(lo for _, lo, _ in self.recent), sum(hi for _, _, hi in self.recent)

    def visible(self, cycle: int) -> tuple[int, int]:
        """The interval of what a look in this cycle shows."""
        return max(self.floor, self.lo - self.late(cycle)[0]), self.hi

    def wrapped(self, cycle: int) -> tuple[bool, bool]:
        """Whether it may have wrapped, and whether it surely has; then it is counted from 0 again."""
        if self.bits != self.width:
            return False, False
        if self.hi < self.modulus:
            return False, False
        if self.other is not None:  # of the other outcome it need not have wrapped
            self.forget()
            return False, False
        if (full := self.lo // self.modulus) > self.ahead:
            self.sure, self.ahead = self.sure + full - self.ahead, full
        times = self.visible(cycle)[0] // self.modulus
        if times:
            self.sure += max(0, times - self.ahead)
            self.wraps, self.ahead, self.around = self.wraps + times, max(0, self.ahead - times), True
            self._down(times * self.modulus)
            if 0 < self.lo == self.hi:
                self.apart["HPM.wrap.sum"] = -self.lo
        return True, times > 0

    def _down(self, by: int) -> None:
        self.lo, self.hi, self.floor = self.lo - by, self.hi - by, max(0, self.floor - by)

    # --- Looks --------------------------------------------------------------------------------------

    def fits(self, cycle: int, value: int, part: str) -> tuple[int, int] | None:
        """What of the interval such a look leaves; None if nothing."""
        if value >> (self.width if part == WHOLE else 32):
            return None
        if not self.bits or (part == HIGH and self.bits != self.width):
            return 0, 0
        found = self._within(*self.visible(cycle), value, part)
        return found if found or self.other is None else self._within(*self._second(cycle), value, part)

    def _second(self, cycle: int) -> tuple[int, int]:
        """`visible` of the other interval."""
        assert self.other is not None
        return self.other[0] - self.late(cycle)[0], self.other[1]

    def _within(self, lo: int, hi: int, value: int, part: str) -> tuple[int, int] | None:
        """`fits` of one interval of what a look shows."""
        lo, hi = lo - self.freedom.slack, hi + self.freedom.slack
        if part == HIGH:
            if self.width <= 32:
                return (lo, hi) if value == 0 else None
            for k in range(lo // self.modulus, hi // self.modulus + 1):
                base = k * self.modulus + value * _HALF
                if (a := max(lo, base)) <= (b := min(hi, base + _HALF - 1)):
                    return a, b
            return None
        modulus = min(self.modulus, 1 << min(self.width, 32 if part == LOW else 64))
        if part == LOW and value >= modulus:
            return None
        found = lo + (value - lo) % modulus
        return (found, found) if found <= hi else None

    def adopt(self, cycle: int, value: int, part: str) -> None:
        """A look shows this."""
        self._settle(cycle, value, part)
        found, under_way = self.fits(cycle, value, part), self.late(cycle)[1]
        if part == HIGH:
            if self.bits == 32 < self.width and self.hi < _HALF:  # of the low half it is known where it is now
                self._known(self.width, *(value * _HALF + x for x in (self.lo, self.hi, self.floor)))
            elif found is None:
                self.bits = 0
            elif self.bits == self.width:
                self._known(self.bits, max(found[0], self.lo), min(found[1] + under_way, self.hi), found[0])
        elif found is None or not self.bits or (part == WHOLE and self.bits != self.width):
            whole = part == WHOLE or self.width <= 32
            kept = value if whole else value | (self.visible(cycle)[0] % (1 << self.width) & ~(_HALF - 1))
            self._known(self.width if whole or self.bits == self.width else 32, kept, kept + under_way, kept)
        else:
            self.blind |= found[0] + self.modulus <= self.visible(cycle)[1]  # it shows this after another wrap as well
            self._known(self.bits, max(found[0], self.lo), min(found[0] + under_way, max(self.hi, found[0])), found[0])
            self.wrapped(cycle)
        if part != LOW:
            self.past = ()
        if part == HIGH:
            self.apart.pop("HPM.half.carry", None)
        else:
            carry = self.apart.get("HPM.half.carry", 0) if part == LOW else 0
            self.restart()
            self.apart |= {"HPM.half.carry": carry} if carry else {}

    def _settle(self, cycle: int, value: int, part: str) -> None:
        """Of two intervals those stay that a look fits."""
        if self.other is None or value >> (self.width if part == WHOLE else 32):
            return
        first = self._within(*self.visible(cycle), value, part)
        second = self._within(*self._second(cycle), value, part)
        if first is None and second is not None:
            (self.lo, self.hi), self.floor, self.other = self.other, self._second(cycle)[0], None
        elif second is None:
            self.other = None
        elif part != HIGH:
            self.other = second[0], second[0] + self.late(cycle)[1]
        else:
            self.other = second

    def restart(self) -> None:
        """What comes is compared with the next look."""
        self.wraps, self.written, self.modified, self.moved = 0, False, False, 0
        self.apart.clear()

    def _known(self, bits: int, lo: int, hi: int, floor: int) -> None:
        self.bits, self.lo, self.hi, self.floor = bits, min(lo, hi), max(lo, hi), floor
        self.ahead = min(self.ahead, self.lo >> bits)

    def write(self, cycle: int, value: int, part: str, most: int) -> None:
        """It is written, in a cycle in which it would have counted at most so much. The written part is the value, the
        rest counts on or not.
        """
        (lo, hi), old_bits = self.visible(cycle), 0 if self.other is not None else self.bits
        self.other = None
        under_way = self.late(cycle)[1]
        if part == HIGH and self.width <= 32:  # there is nothing to write
            self.widen({})
            if self.freedom.timing and most:
                self.add(cycle, 0, most)
            return
        self.recent = deque((when, 0, most_) for when, _, most_ in self.recent)
        late = under_way + (most if self.freedom.latency and self.n >= FIRST else 0)
        if late and most and self.freedom.latency:
            self.recent.append((cycle, 0, most))
        low, high = value & (_HALF - 1), value >> 32
        past = () if part == WHOLE else (*self.past, *(clause for clause, _ in self._others()))
        self.restart()
        self.past = tuple(dict.fromkeys(past))
        self.written = True
        if most and not late:
            self.apart["HPM.write.wins"] = most
        if part == WHOLE or (part == LOW and self.width <= 32):
            self._known(self.width, value, value + late, value)
        elif part == LOW:
            carry = self.freedom.timing and lo // _HALF != (hi + most) // _HALF
            if old_bits == self.width and not carry and lo // _HALF == hi // _HALF:
                value = lo // _HALF % (1 << max(0, self.width - 32)) * _HALF + low
                self._known(self.width, value, value + late, value)
            elif (
                old_bits == self.width and not late and (hi + most) // _HALF == lo // _HALF + 1 < self.modulus // _HALF
            ):
                value = lo // _HALF * _HALF + low  # its carry came before the write, or was dropped with the increment
                self._known(self.width, value, value, value)
                self.other = value + _HALF, value + _HALF
            else:
                self._known(32, low, low + late, low)
        elif self.width > 32:
            self.apart.clear()
            more = most if self.freedom.timing else 0
            base = high * _HALF
            if old_bits >= 32 and lo // _HALF == (hi + more) // _HALF:
                self._known(self.width, base + lo % _HALF, base + hi % _HALF + more, base + lo % _HALF)
            elif old_bits >= 32 and lo // _HALF + 1 == (hi + more) // _HALF and not late:
                # A write takes effect after what was counted before it: a carry went into the old value, or the low
                # half has yet to wrap.
                self._known(self.width, base + lo % _HALF, base + _HALF - 1, base + lo % _HALF)
                self.other = base, base + (hi + more) % _HALF
                if more:
                    self.apart["HPM.write.wins"] = more
            else:
                self.bits = 0
        self.blind |= most > 0 and self.bits != self.width

    def forget(self) -> None:
        """Nobody knows what it counts."""
        self.bits, self.blind, self.other = 0, True, None
        self.lo = self.hi = self.floor = self.ahead = 0
        self.recent.clear()
        self.restart()

    # --- Clauses ------------------------------------------------------------------------------------

    def _others(self) -> Iterator[tuple[str, int]]:
        yield from self.apart.items()
        if self.moved:
            yield self.kind, -self.moved

    @property
    def kind(self) -> str:
        """The clause of a count that nothing else explains."""
        return {0: "HPM.count.cycles", 2: "HPM.count.retired"}.get(self.n, "HPM.count.event")

    def checked(self, cycle: int, part: str) -> list[str]:
        """The clauses that a look which fits distinguishes."""
        if not self.bits or self.other is not None or (part == HIGH and self.bits != self.width):
            return []
        lo, hi = self.visible(cycle)
        modulus = min(self.modulus, _HALF) if part == LOW else self.modulus
        found = []
        for clause, by in self._others():
            if part == HIGH:
                apart = lo // _HALF == hi // _HALF and {(lo + by) // _HALF, (hi + by) // _HALF}.isdisjoint(
                    {lo // _HALF}
                )
            else:
                apart = min(by % modulus, -by % modulus) > hi - lo
            if apart:
                found.append(clause)
        if hi - lo < modulus - 1 and part != HIGH:
            found += ["HPM.write.value"] * self.written + ["HPM.wrap.width"] * bool(self.wraps)
            found += ["HPM.write.modify"] * (self.written and self.modified)
        return found

    def broken(self, cycle: int, value: int, part: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Of a look that does not fit: the clauses each of which explains it by itself, the most specific first, or
        else one that says what is wrong; and then those of what happened since the last look, several of which may.
        """
        found = []
        for clause, by in self._others():
            self.lo, self.hi, self.floor, kept = self.lo + by, self.hi + by, self.floor + by, self.floor
            if self.lo >= 0 and self.fits(cycle, value, part) is not None:
                found.append(clause)
            self.lo, self.hi, self.floor = self.lo - by, self.hi - by, kept
        if found:
            return tuple(dict.fromkeys(found)), ()
        kind = "HPM.write.modify" if self.modified else "HPM.write.value"
        alone = kind if self.written else "HPM.wrap.width" if self.wraps else ""
        few = part != HIGH and (self.visible(cycle)[0] - value) % self.modulus < self.modulus >> 1
        alone = alone or (self.kind if self.moved or few else "HPM.count.idle")
        return (alone,), tuple(dict.fromkeys((*(clause for clause, _ in self._others()), *self.past)))


class Bounds:
    """All counters of a run, cycle by cycle. counts: by number."""

    def __init__(self, config: Config, freedom: Freedom) -> None:
        self.config, self.freedom = config, freedom
        self.counts = {n: Count(n, config.widths[n], freedom) for n in range(32) if config.has(n)}
        self._levels = 0, 1
        self._before: dict[int, tuple[Setting, int]] = {}  # of each counter the setting and the mode before
        self._history: deque[Cycle] = deque(maxlen=max(1, freedom.latency))

    def step(self, cycle: Cycle, settings: dict[int, Setting], then: dict[int, Setting], written: int, access: bool,
             length: int = 1) -> None:  # fmt: skip
        """Some cycles, all of them the same. settings: that apply by the profile; then: after the access of the cycle.
        written: the counter that is written (it is left alone), -1 none; access: whether there is an access.
        """
        levels = cycle.counts.stopcount, cycle.counts.cycle
        stirred, self._levels = levels != self._levels and self.freedom.latency > 0, levels
        for n, count in self.counts.items():
            now = settings[n]
            if stirred and n >= FIRST and count.recent:
                count.late(cycle.number)
                count.widen({})  # what is under way may find the counters stopped
            was, mode = self._before.get(n, (now, cycle.priv))
            open_ = self.freedom.timing and UNKNOWN in (was.selector, then[n].selector)
            if (now.selector == UNKNOWN or open_) and self._most(cycle):
                count.unknown = cycle.number
            if n == written:
                self._before[n] = now, cycle.priv
                continue
            lo, hi = self._range(now, cycle)
            if self.freedom.timing and (now != was or mode != cycle.priv or then[n] != now):
                # A write takes effect after the instruction: a setting is early only for what is counted late.
                late = n >= FIRST and self.freedom.latency > 0
                for other, priv in ((was, mode), (then[n] if late else now, cycle.priv), (was, cycle.priv)):
                    low, high = self._range(other, cycle._replace(priv=priv))
                    lo, hi = min(lo, low), max(hi, high)
                if n >= FIRST and self.freedom.latency and (now != was or mode != cycle.priv):
                    past = [one for one in self._history if one.number >= cycle.number - self.freedom.latency]
                    new = {one.number: self._range(now, one._replace(priv=cycle.priv))[1] for one in past}
                    if new != {one.number: self._range(was, one._replace(priv=mode))[1] for one in past}:
                        count.late(cycle.number)
                        count.widen(new, both=now.selector != was.selector)
            self._before[n] = now, cycle.priv
            if cycle.number <= count.unknown + (self.freedom.latency if n >= FIRST else 0):
                count.late(cycle.number)
                kept = [(when, 0, most) for when, _, most in count.recent]
                count.forget()
                if now.selector != UNKNOWN and n >= FIRST and self.freedom.latency:  # what is still under way
                    count.recent.extend([*kept, (cycle.number, 0, hi)] if hi else kept)
                continue
            if hi:
                before = count.visible(cycle.number)[0]
                count.add(cycle.number, lo * length, hi * length)
                if count.lo // _HALF != before // _HALF and count.width > 32:
                    count.apart["HPM.half.carry"] = -_HALF
            if then[n] != now and lo == hi and (by := self._range(then[n], cycle)) != (lo, hi) and by[0] == by[1]:
                clause = "HPM.inhibit.after" if then[n].inhibit != now.inhibit else "HPM.cfg.after"
                if clause == "HPM.inhibit.after" or n < FIRST:
                    count.apart[clause] = count.apart.get(clause, 0) + by[0] - lo
            self._apart(count, now, cycle, lo, hi, written, access, length)
        self._history.append(cycle)

    def most(self, n: int, setting: Setting, cycle: Cycle) -> int:
        """What a counter that is written in a cycle would have counted at most."""
        return self._most(cycle) if setting.selector == UNKNOWN else self._range(setting, cycle)[1]

    def _most(self, cycle: Cycle) -> int:
        """What a counter adds at most whose selector nobody knows; cycles may be counted in WFI as well."""
        counts = cycle.counts
        return max(int(self.freedom.wfi), counts.cycle, counts.retired, *counts.events)

    def _range(self, setting: Setting, cycle: Cycle) -> tuple[int, int]:
        """Least and most that a cycle adds."""
        counts, free = cycle.counts, self.freedom
        if setting.selector in (UNKNOWN, 0):
            return 0, 0
        raw = counts.of(setting.selector)
        if free.wfi and not counts.cycle and setting.selector == CYCLES:
            raw = 1
        if not raw or setting.inhibit == 1:
            return 0, 0
        filtered = setting.filters != UNKNOWN and setting.filters >> _FILTER[cycle.priv] & 1
        if filtered and not (cycle.priv == DEBUG and free.timing):
            return 0, 0
        if counts.stopcount and not free.stopped:
            return 0, 0
        unsure = (
            filtered
            or setting.inhibit == UNKNOWN
            or (setting.filters == UNKNOWN)
            or counts.stopcount
            or (free.wfi and not counts.cycle)
        )
        return (0 if unsure else raw), raw

    def _apart(
        self, count: Count, now: Setting, cycle: Cycle, lo: int, hi: int, written: int, access: bool, length: int
    ) -> None:
        """By how much blocks that break a clause differ."""
        apart, sure = count.apart, lo == hi
        raw = cycle.counts.of(now.selector) if now.selector > 0 else 0
        fixed = count.n < FIRST

        def more(clause: str, by: int) -> None:
            if by:
                apart[clause] = apart.get(clause, 0) + by * length

        if not sure:
            return
        if lo:
            more("HPM.count.several", 1 - lo)
            if written >= 0:
                more("HPM.write.others", -lo)
            elif access:
                more("HPM.write.elsewhere", -lo)
            if cycle.priv == DEBUG:
                more("HPM.debug.counts", -lo)
            if now.filters:
                more("HPM.cfg.others" if fixed else "HPM.filter.others", -lo)
            if now.selector > RETIRED:
                beside = max(0, *(cycle.counts.of(now.selector + by) for by in (-1, 1) if now.selector + by > RETIRED))
                more("HPM.select.event", beside - lo)
        elif raw and now.inhibit == 1 and not (now.filters >> _FILTER[cycle.priv] & 1 or cycle.counts.stopcount):
            more("HPM.inhibit.stops", raw)
        elif raw and cycle.counts.stopcount and now.inhibit == 0:
            more("HPM.debug.stopcount", raw)
        elif raw and now.inhibit == 0 and cycle.priv in MODES and now.filters >> _FILTER[cycle.priv] & 1:
            more(f"HPM.{'cfg' if fixed else 'filter'}.{MODES[cycle.priv]}", raw)
        elif now.selector == 0 and not now.inhibit:
            more("HPM.select.zero", max(cycle.counts.events, default=0) or cycle.counts.retired)
        elif now == Setting(CYCLES, 0, 0) and not cycle.counts.cycle and not self.freedom.wfi:
            more("HPM.count.wfi", 1)
        elif now == Setting(RETIRED, 0, 0) and not raw:
            more("HPM.count.idle", 1)


@dataclass
class _Wrap:
    """A counter that wraps, perhaps. before: its OF before; unseen: by a write that no look confirmed; at: the cycle
    since which it is certain; wrote: OF as it was written meanwhile; cleared: whether its request may have come before
    a write of LCOFIP; raced: whether LCOFIP was written 0 before it came; beyond: whether the counter surely
    passed 0.
    """

    before: int | None
    unseen: bool = False
    at: int | None = None
    wrote: int | None = None
    cleared: bool = False
    raced: bool = False
    beyond: bool = False


class Flags:
    """OF of each counter and LCOFIP, as far as the specification decides them: None if it does not. why: by counter,
    what decided OF last ("set" by an overflow, "written", ""); requested: whether an overflow decided LCOFIP; masked:
    whether one with OF 1 came since LCOFIP was written. unwritten, ip_unwritten: what they would be if their last write
    had been lost, None if that is not known or there was none since the last look. unseen: of the request that decided
    LCOFIP, OF was 0 by a write that no look has confirmed. raced: that request was under way while LCOFIP was written.
    tags, ip_tags: of OF of each counter and of LCOFIP, by clause what a block that breaks it would show at the next
    look.
    """

    def __init__(self, bounds: Bounds, known: bool) -> None:
        self.bounds, first = bounds, 0 if known else None
        self.of: dict[int, int | None] = {n: first for n in bounds.counts if n >= FIRST}
        self.why: dict[int, str] = dict.fromkeys(self.of, "")
        self.ip: int | None = first
        self.requested = self.masked = self.unseen = self.raced = False
        self.tags: dict[int, dict[str, int]] = {n: {} for n in self.of}
        self.ip_tags: dict[str, int] = {}
        self.unwritten: dict[int, int | None] = {}
        self.ip_unwritten: int | None = None
        self._wraps: dict[int, _Wrap] = {}
        self._blind: dict[int, int] = {}  # by counter until when it may overflow and nobody knows
        self._cycle = 0

    def step(self, cycle: int) -> None:
        """The counters have counted."""
        self._cycle = cycle
        for n, count in self.bounds.counts.items():
            if n < FIRST and count.wrapped(cycle)[1] and self.ip == 0:
                self.ip_tags["HPM.lcofi.fixed"] = 1
        for n in self.of:
            count = self.bounds.counts[n]
            may, _ = count.wrapped(cycle)
            sure, count.sure = count.sure, 0
            if count.blind:
                self._blind[n], count.blind = cycle + self.bounds.freedom.latency + 1, False
            if cycle <= self._blind.get(n, -1):
                self._may(n)
            wrap = self._wraps.get(n)
            if wrap is not None and count.revoked:
                wrap.at = None
            count.revoked = False
            if may or sure:
                if wrap is None:
                    unseen = self.why[n] == "written" and n in self.unwritten
                    wrap = self._wraps[n] = _Wrap(self.of[n], unseen)
                self._may(n)
                if sure and wrap.at is None:
                    wrap.at, wrap.beyond = cycle, count.lo % count.modulus > 0
            elif wrap is not None and wrap.at is None:  # a look showed that it has not
                held = wrap.before if wrap.wrote is None else wrap.wrote
                if self.of[n] is None and cycle > self._blind.get(n, -1):
                    self.of[n] = held
                del self._wraps[n]

    def _may(self, n: int) -> None:
        """It may have overflowed."""
        if self.of[n] != 1 and self.ip == 0:
            self.ip = None
        if self.of[n] == 0:
            self.of[n] = None

    @property
    def masking(self) -> bool:
        """Whether an overflow with OF 1 came since LCOFIP was written, or may be about to be seen."""
        return self.masked or any(wrap.before == 1 for wrap in self._wraps.values())

    def settle(self, cycle: int) -> None:
        """What is certain by now."""
        requests: Counter[int] = Counter()
        for n, wrap in list(self._wraps.items()):
            if wrap.at is None or cycle <= wrap.at + self.bounds.freedom.latency:
                continue
            if wrap.wrote == 1 or (wrap.before == 1 and wrap.wrote is None):
                self.of[n] = 1
            elif wrap.wrote is None:
                self.of[n], self.why[n] = 1, "set"
                if wrap.before == 0:
                    self.tags[n] |= {"HPM.of.beyond": 0} if wrap.beyond else {}
                    self.tags[n] |= {"HPM.of.width": 0} if self.bounds.counts[n].width < 64 else {}
            if wrap.before == 0 and wrap.wrote is None and not wrap.cleared and self.ip != 1:
                self.ip, self.requested, self.unseen, self.raced = 1, True, wrap.unseen, wrap.raced
                requests[wrap.at] += 1
                if requests[wrap.at] > 1:
                    self.ip_tags["HPM.lcofi.several"] = 0
            self.masked |= wrap.before == 1 and wrap.wrote is None
            del self._wraps[n]

    def write_of(self, n: int, value: int) -> None:
        """OF is written."""
        self.unwritten[n] = self.of[n]
        if value and self.of[n] == 0 and self.ip == 0:
            self.ip_tags["HPM.lcofi.event"] = 1
        self.tags[n].clear()
        self.of[n], self.why[n] = value, "written"
        if n in self._wraps:
            self._wraps[n].wrote = value
        if n in self._wraps or self._cycle <= self._blind.get(n, -1):
            self.of[n] = value or None
            self.ip = self.ip or None

    def write_ip(self, value: int, seen: int) -> None:
        """LCOFIP is written by an access that showed `seen`. It reads and writes at once: a request that neither it nor
        a look before it showed comes after the write, and is not cleared by it.
        """
        self.ip_unwritten = self.ip
        self.ip_tags.clear()
        for n, of in self.of.items():
            if of == 1 - value:
                self.tags[n]["HPM.of.lcofip"] = value
        self.ip, self.requested, self.masked, self.raced = value, False, False, False
        if any(self._cycle <= until and self.of[n] != 1 for n, until in self._blind.items()):
            self.ip = value or None
        for wrap in self._wraps.values():
            if wrap.before != 1 or wrap.wrote == 0:
                wrap.cleared |= bool(seen)
                wrap.raced |= not seen and not value
                self.ip = value or None

    def write_low(self, n: int) -> None:
        """The half of mhpmevent is written that does not have OF."""
        if self.of[n] == 1:
            self.tags[n]["HPM.of.low_half"] = 0

    def write_counter(self, n: int, might: bool, ahead: bool, fell: bool = False) -> None:
        """A counter is written. might: it would have wrapped in that cycle, and nothing says whether it did; ahead: it
        has to wrap, and need not have done so before the write; fell: from the upper half of its range to the lower.
        """
        if fell and not might and n not in self._wraps:
            self.tags[n] |= {"HPM.of.counter": 1} if self.of[n] == 0 else {}
            self.ip_tags |= {"HPM.lcofi.counter": 1} if self.ip == 0 else {}
        if open_ := n in self._wraps and (self._wraps[n].at is None or ahead):
            del self._wraps[n]
        if open_ or might:
            self.of[n] = 1 if self.of[n] == 1 else None
            self.ip = 1 if self.ip == 1 else None

    def look_of(self, n: int, value: int) -> None:
        """OF shows this."""
        self.unwritten.pop(n, None)
        self.tags[n].clear()
        if self.of[n] != value:
            self.of[n], self.why[n] = value, ""
        if value and n in self._wraps and self._wraps[n].at is not None:
            self.ip = self.ip if self.ip else None

    def look_ip(self, value: int) -> None:
        """LCOFIP shows this."""
        self.ip_unwritten = None
        self.ip_tags.clear()
        if self.ip != value:
            self.ip, self.requested = value, False
