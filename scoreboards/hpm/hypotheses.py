# SPDX-License-Identifier: Apache-2.0
"""Which single deviation explains what a counter block without the profile shows.

One wrong rule (a counter that ignores mcountinhibit, an event that counts once a cycle) makes many reads wrong, each of
which breaks another clause at first sight. Here the run is judged again as if the device had been made with each of the
rules of `otherwise`. A rule is taken only if with it most failures disappear; then it is the finding, and the rest of
the run is judged with it.

    found = explain(capture, judge)      found.hypotheses: those that explain it, most important first
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

from rvtrace.models.csr.file import LOW as _LOW
from rvtrace.models.csr.table import Csr
from rvtrace.models.hpm.config import FIRST
from rvtrace.models.hpm.events import CYCLES, FIRST_EVENT, RETIRED, selector_name
from rvtrace.models.riscv.csr import DEBUG, Access, Answer
from rvtrace.scoreboards.common.blame import Blame
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.hpm.bounds import HIGH, UNKNOWN, Bounds, Count, Cycle, Flags, Rule, Setting
from rvtrace.scoreboards.hpm.capture import HpmCapture
from rvtrace.scoreboards.hpm.cells import NONE
from rvtrace.scoreboards.hpm.free import FreeSoftware
from rvtrace.scoreboards.hpm.tolerances import Tolerances

ENOUGH = 3  # failed checks of which most have to be explained; of fewer all, and by nothing else
FEWEST = 2  # failed checks that need an explanation; one names itself
LEFT = 0.4  # share of the failed checks that an explanation may leave
VAGUE_LEFT = 0.1  # the same of one that says little, or that is about all counters: those that count refute it
BRIEF_LEFT = 0.6  # the same of the first rows
ROUNDS = 3  # deviations that may come together
BRIEF, ROWS = 200, 1500  # rows that are looked at from the first failure on: with every hypothesis, with the best
FEW = 8  # counters that are all followed; of more, those of which most looks failed
WORST = 3  # of these
BEST = 6  # hypotheses that are looked at longer
_FILTERS = {4: "minh", 3: "sinh", 2: "uinh", 1: "vsinh", 0: "vuinh"}
_FIXED = {0: "mcycle", 2: "minstret"}

Settings = dict[int, Setting]


@dataclass(frozen=True)
class Hypothesis:
    """A device with another rule. clause: what it violates; text: one sentence.

    settings: what applies to each counter, from what should. widths: bits of counters. write: from (counter, value,
    most that it counts in this cycle) the counter that gets the value; NONE if none does. busy: accesses stop counters:
    "all" in the cycle of any access, "writes" of a write of another counter. debug: nothing counts in Debug Mode.
    early: what a write changes of these settings of mcycle and minstret applies to its own cycle already.
    shows: by number of a view the counter that it shows. silent: counters whose wrap sets no OF and requests nothing.
    more: hypotheses that are tried as well if this one is among the best. targets: counters that `write` is about.
    vague: it says little.
    """

    clause: str
    text: str
    settings: Callable[[Settings], Settings] | None = None
    widths: tuple[tuple[int, int], ...] = ()
    write: Callable[[int, int, int], int] | None = None
    busy: str = ""
    debug: bool = False
    early: str = ""
    shows: tuple[tuple[int, int], ...] = ()
    silent: frozenset[int] = frozenset()
    more: tuple[Hypothesis, ...] = ()
    vague: bool = False
    targets: frozenset[int] = frozenset()

    def matters(self, run: Assumed) -> bool:
        """Whether such a device could have shown something else in the run so far."""
        if self.settings is not None:
            return any(self.settings(found) != found for found in run.settings)
        if self.widths:
            return any(run.largest[n] >> width for n, width in self.widths)
        return self.write is None or bool(self.targets & run.written_to)


# --- A run with a hypothesis ----------------------------------------------------------------------------------


class TooMany(Exception):
    """More fails with a hypothesis than it may leave."""


class _Bounds(Bounds):
    """Counters of a device with other rules."""

    hypotheses: tuple[Hypothesis, ...] = ()

    def step(
        self, cycle: Cycle, settings: Settings, then: Settings, written: int, access: bool, length: int = 1
    ) -> None:
        for one in self.hypotheses:
            if one.early:
                settings = {
                    n: setting if n >= FIRST else setting._replace(**{one.early: getattr(then[n], one.early)})
                    for n, setting in settings.items()
                }
            if access and (one.busy == "all" or (one.busy == "writes" and written >= 0)):
                settings = {n: setting._replace(selector=0) for n, setting in settings.items()}
                then = settings if self.freedom.timing else then
            if one.debug and cycle.priv == DEBUG:
                settings = then = {n: setting._replace(selector=0) for n, setting in settings.items()}
        super().step(cycle, settings, then, written, access, length)

    def _range(self, setting: Setting, cycle: Cycle) -> tuple[int, int]:
        lo, hi = super()._range(setting, cycle)
        if not setting.rule:
            return lo, hi
        if setting.rule & Rule.SOME:
            return 0, hi
        if setting.rule & Rule.MORE:
            return lo, max(hi, self._most(cycle))
        if setting.rule & Rule.ONCE:
            return min(lo, 1), min(hi, 1)
        return 2 * lo, 2 * hi

    def _apart(
        self, count: Count, now: Setting, cycle: Cycle, lo: int, hi: int, written: int, access: bool, length: int
    ) -> None:
        if not now.rule:
            super()._apart(count, now, cycle, lo, hi, written, access, length)


class _Flags(Flags):
    """OF and LCOFIP of a device in which some counters wrap without a word."""

    silent: frozenset[int] = frozenset()

    def step(self, cycle: int) -> None:
        for n in self.silent:
            if (count := self.bounds.counts.get(n)) is not None:
                count.wrapped(cycle)
                count.sure = count.ahead = 0
                count.blind = count.revoked = False
        quiet = {n: self.of.pop(n) for n in self.silent if n in self.of}
        super().step(cycle)
        self.of |= quiet


class Assumed(FreeSoftware):
    """A run of a device that is made as hypotheses say.

    numbers: by counter how many looks at it or its OF failed; looks: how many at a counter did. only: counters that
    are looked at, empty for all.

    settings: all that ruled a cycle; largest: by counter the largest value that was read or written; written_to:
    counters that were written. limit: failures of `_fail` after which it is given up.

    A counter that is wrong stays so, and so do its OF and LCOFIP: what fails after the first failure of one follows
    from that.
    """

    def __init__(
        self,
        capture: HpmCapture,
        book: ClauseBook,
        tolerances: Tolerances,
        blame: Blame,
        hypotheses: tuple[Hypothesis, ...] = (),
        only: frozenset[int] = frozenset(),
        limit: int = sys.maxsize,
    ) -> None:
        self.only, self.limit = only, limit
        self.settings: list[Settings] = []
        self.largest: Counter[int] = Counter()
        self.written_to: set[int] = set()
        self.hypotheses: tuple[Hypothesis, ...] = ()
        self.numbers: Counter[int] = Counter()
        self.looks = 0
        self._about = NONE
        super().__init__(capture, book, tolerances, blame)
        self.hypotheses = hypotheses
        self.bounds = _Bounds(self.config, self.bounds.freedom)
        if only:
            self.bounds.counts = {n: count for n, count in self.bounds.counts.items() if n in only}
        self.flags = _Flags(self.bounds, tolerances.reset_zero)
        self.flags.silent = frozenset(n for one in hypotheses for n in one.silent)
        self._shows = {view: shown for one in hypotheses for view, shown in one.shows}
        self.bounds.hypotheses = hypotheses
        self._begin()

    def _changed(self) -> None:
        super()._changed()
        self.settings.append(self._now_settings)
        for one in self.hypotheses:
            if one.settings is not None:
                self._now_settings = one.settings(self._now_settings)

    def _written(self, row: int, cycle: Cycle, before: Settings) -> None:
        n = int(self.written.counter[row])
        if n != NONE and n in self.bounds.counts:
            value = int(self.written.value[row])
            self.written_to.add(n)
            self.largest[n] = max(self.largest[n], value)
            for one in self.hypotheses:
                if one.write is not None:
                    n = one.write(n, value, self.bounds.most(n, before[n], cycle))
            self.written.counter[row] = n
        super()._written(row, cycle, before)

    # --- Failures -------------------------------------------------------------------------------------------

    def _value(self, row: int, csr: Csr, access: Access, rdata: int, answer: Answer) -> None:
        self._about = csr.number if csr.address >> 8 in (0xB, 0xC) or csr.state.startswith("mhpmevent") else NONE
        if self.only and self._about != NONE and self._about not in self.only:
            return
        if csr.state == "scountovf":
            self._about = next((n for n in self.flags.of if (rdata ^ answer.rdata) >> n & 1), NONE)
        if (other := self._shown_by(csr)) is not csr:
            held = self._held(other)
            value = held >> 32 if csr.high else held & _LOW if self.file.narrow(access) else held
            answer = answer._replace(rdata=value)
        super()._value(row, csr, access, rdata, answer)
        self._about = NONE

    def _prepare(self, row: int, csr: Csr, access: Access, rdata: int) -> None:
        super()._prepare(row, self._shown_by(csr), access, rdata)

    def _shown_by(self, csr: Csr) -> Csr:
        """The counter that a view shows."""
        if csr.address >> 8 != 0xC or csr.number not in self._shows:
            return csr
        return self._csrs.get(csr.address - csr.number + self._shows[csr.number], csr)

    def _fail(self, clause: str, row: int, headline: str, table: list[tuple[str, str, str]]) -> None:
        number = self._about if self._about != NONE else _number(table)
        self.numbers[number] += number != NONE
        self.looks += self._subject[0] == "counter"
        super()._fail(clause, row, headline, table)
        self.limit -= 1
        if self.limit < 0:
            raise TooMany

    def _counter(self, cycle: int, n: int, value: int, part: str, shadow: str = "") -> bool:
        self.largest[n] = max(self.largest[n], value << 32 if part == HIGH else value)
        return super()._counter(cycle, n, value, part, shadow)


def _number(table: list[tuple[str, str, str]]) -> int:
    """The counter that a failure of the ports is about."""
    name = table[0][0] if table else ""
    if name in _FIXED.values():
        return next(n for n, one in _FIXED.items() if one == name)
    digits = name.removeprefix("mhpmcounter").removeprefix("OF")
    return int(digits) if digits.isdecimal() else NONE


def assumed(capture: HpmCapture, hypotheses: tuple[Hypothesis, ...]) -> HpmCapture:
    """The capture of the same run as a device with these hypotheses would be described."""
    config = capture.config
    for one in hypotheses:
        if one.widths:
            widths = list(config.widths)
            for n, width in one.widths:
                widths[n] = width
            config = replace(config, widths=tuple(widths))
    return replace(capture, config=config)


# --- Which there are ------------------------------------------------------------------------------------------


def _change(numbers: Iterable[int], change: Callable[[Setting], Setting]) -> Callable[[Settings], Settings]:
    """The settings of some counters otherwise."""
    own = frozenset(numbers)
    return lambda found: {n: change(setting) if n in own else setting for n, setting in found.items()}


def _name(n: int) -> str:
    return _FIXED.get(n, f"mhpmcounter{n}")


def _names(numbers: list[int]) -> str:
    """Several programmable counters, those that this device has."""
    first, last = numbers[0], numbers[-1]
    together = len(numbers) == last - first + 1
    return f"{_name(first)} to {_name(last)}" if together else f"the {len(numbers)} programmable counters"


def otherwise(capture: HpmCapture, failing: Iterable[int]) -> Iterator[Hypothesis]:
    """Every hypothesis about the counters of which a look failed, and about all of a kind."""
    config = capture.config
    every, failing = [n for n in range(32) if config.has(n)], list(failing)[:WORST]
    programmable = [n for n in every if n >= FIRST]
    groups = [(_name(n), [n]) for n in failing if n in every]
    if any(n >= FIRST for n in failing) and len(programmable) > 1:
        groups.append((_names(programmable), programmable))
    if len({min(n, FIRST) for n in failing}) > 1:
        groups.append(("every counter", every))
    for name, group in groups:
        yield from _counting(capture, name, group)
        yield from _writing(name, group, every)
        yield from _filtering(capture, name, group)
    kinds = {min(n, FIRST): n for n in failing if n in every}  # what is selected is the same for all programmable ones
    for n in kinds.values():
        yield from _selecting(capture, n)
    yield Hypothesis("HPM.write.elsewhere", "counters do not count in the cycle of an access", busy="all")
    yield Hypothesis("HPM.write.others", "counters do not count in the cycle of a write of another one", busy="writes")
    yield Hypothesis("HPM.debug.counts", "counters do not count in Debug Mode", debug=True)
    text = "applies to mcycle and minstret in the cycle of its own write"
    yield Hypothesis("HPM.inhibit.after", f"mcountinhibit {text}", early="inhibit")
    if config.has_smcntrpmf:
        yield Hypothesis("HPM.cfg.after", f"a filter of mcyclecfg or minstretcfg {text}", early="filters")
    order = [n for n in every if n != 1]
    for step in (1, -1):
        pairs = tuple((n, order[(k + step) % len(order)]) for k, n in enumerate(order))
        inside = tuple(
            (n, programmable[(k + step) % len(programmable)])
            for k, n in enumerate(programmable)
            if len(programmable) > 1
        )
        for shows in dict.fromkeys((pairs, inside)):
            yield Hypothesis("HPM.view.shadow", "cycle, instret and hpmcounter n show another counter", shows=shows)


def vague(capture: HpmCapture, failing: Iterable[int]) -> Iterator[Hypothesis]:
    """Hypotheses that say little and fit much: for what no other one explains."""
    config, failing = capture.config, [n for n in failing if n != NONE]
    programmable = [n for n in range(FIRST, 32) if config.has(n)]
    groups = [(_name(n), [n]) for n in failing[:WORST] if config.has(n)]
    if len([n for n in failing if n >= FIRST]) > 1:
        groups.append((_names(programmable), programmable))
    for name, group in groups:
        kind = {0: "HPM.count.cycles", 2: "HPM.count.retired"}.get(group[-1], "HPM.count.event")
        for clause, text, rule in ((kind, "does not count all that happens", Rule.SOME),
                                   ("HPM.count.idle", "counts what it should not, too", Rule.MORE)):  # fmt: skip
            change = _change(group, lambda s, rule=rule: s._replace(rule=s.rule | rule) if s.selector > 0 else s)
            yield Hypothesis(clause, f"{name} {text}", change, vague=True)


def _counting(capture: HpmCapture, name: str, group: list[int]) -> Iterator[Hypothesis]:
    def of(clause: str, text: str, change: Callable[[Setting], Setting]) -> Hypothesis:
        return Hypothesis(clause, f"{name} {text}", _change(group, change))

    kind = {0: "HPM.count.cycles", 2: "HPM.count.retired"}.get(group[-1], "HPM.count.event")

    def selects(selector: int, rule: Rule) -> Callable[[Setting], Setting]:
        return lambda s: s._replace(rule=s.rule | rule) if s.selector > selector else s

    yield of("HPM.inhibit.stops", "counts while its bit of mcountinhibit is 1", lambda s: s._replace(inhibit=0))
    if group[-1] != 0:
        yield of("HPM.count.several", "counts one where several happen in a cycle", selects(CYCLES, Rule.ONCE))
    yield of(kind, "counts twice what happens", selects(0, Rule.TWICE))
    yield of(kind, "does not count", lambda s: s._replace(selector=0))
    widths = sorted({capture.config.widths[n] for n in group})
    for width in sorted({8, 16, 24, 31, 32, 40, 47, 48, 56, 63, *(w - 1 for w in widths)}):
        if 0 < width < widths[-1]:
            narrower = tuple((n, min(width, capture.config.widths[n])) for n in group)
            if group[0] >= FIRST:
                text = f"{name} has {width} bits; {widths[-1]} were claimed"
                quiet = Hypothesis("HPM.wrap.width", f"{text}; its wrap is no overflow", widths=narrower,
                                   silent=frozenset(group))  # fmt: skip
                more = (quiet,) if capture.config.has_sscofpmf else ()
                yield Hypothesis("HPM.wrap.width", text, widths=narrower, more=more)
    every = [n for n in range(32) if capture.config.has(n)]
    if len(group) == 1 and len(every) <= 8:
        for other in every:
            if other != group[0]:
                yield Hypothesis(
                    "HPM.inhibit.stops",
                    f"{name} is stopped by bit {other} of mcountinhibit",
                    lambda found, n=group[0], m=other: found | {n: found[n]._replace(inhibit=found[m].inhibit)},
                )


def _writing(name: str, group: list[int], every: list[int]) -> Iterator[Hypothesis]:
    own = frozenset(group)
    yield Hypothesis(
        "HPM.write.value",
        f"writes of {name} are lost",
        write=lambda n, value, most: NONE if n in own else n,
        targets=own,
    )
    yield Hypothesis(
        "HPM.write.wins",
        f"writes of {name} are lost in cycles in which it counts",
        write=lambda n, value, most: NONE if n in own and most else n,
        targets=own,
    )
    order = group if len(group) > 1 else every
    for step in (1, -1):
        to = {n: order[(order.index(n) + step) % len(order)] for n in group}
        yield Hypothesis(
            "HPM.write.one",
            f"writes of {name} go to another counter",
            write=lambda n, value, most, to=to: to.get(n, n),
            targets=own,
        )


def _filtering(capture: HpmCapture, name: str, group: list[int]) -> Iterator[Hypothesis]:
    config = capture.config
    fixed = group[-1] < FIRST
    if not (config.has_smcntrpmf if fixed else config.has_sscofpmf):
        return
    modes = [
        bit for bit in _FILTERS if bit == 4 or (config.has_h if bit < 2 else config.has_s if bit == 3 else config.has_u)
    ]
    kind = "cfg" if fixed else "filter"

    def swapped(filters: int, a: int, b: int) -> int:
        if filters == UNKNOWN or filters >> a & 1 == filters >> b & 1:
            return filters
        return filters ^ (1 << a | 1 << b)

    for bit in modes:
        word = _FILTERS[bit]
        yield Hypothesis(
            f"HPM.{kind}.{word}",
            f"{name} counts in the mode in which {word.upper()} inhibits it",
            _change(
                group, lambda s, bit=bit: s if s.filters == UNKNOWN else s._replace(filters=s.filters & ~(1 << bit))
            ),
        )
        for other in modes:
            if other < bit:
                yield Hypothesis(
                    f"HPM.{kind}.{word}",
                    f"{name} has {word.upper()} and {_FILTERS[other].upper()} exchanged",
                    _change(group, lambda s, a=bit, b=other: s._replace(filters=swapped(s.filters, a, b))),
                )
            if other != bit:
                yield Hypothesis(
                    f"HPM.{kind}.{word}",
                    f"{name} applies {word.upper()} in the mode of {_FILTERS[other].upper()}",
                    _change(group, lambda s, a=bit, b=other: s._replace(filters=_moved(s.filters, a, b))),
                )


def _moved(filters: int, what: int, to: int) -> int:
    """The filters with the bit `what` at `to` as well, and no longer at its own place."""
    if filters == UNKNOWN or not filters >> what & 1:
        return filters
    return filters & ~(1 << what) | 1 << to


def _selecting(capture: HpmCapture, n: int) -> Iterator[Hypothesis]:
    """Another selector in place of one that the counter can have."""
    config = capture.config
    most = FIRST_EVENT + config.events
    all_ = [s for s in range(1, most)]
    if n < FIRST:
        right = {0: CYCLES, 2: RETIRED}[n]
        pairs = [(right, other) for other in all_ if other != right][:8]
    else:
        pairs = [(s, other) for s in all_ if config.selectors[n] >> s & 1 for other in (0, *all_) if other != s]
        if len(pairs) > 200:
            pairs = [(s, other) for s, other in pairs if abs(s - other) == 1 or other == 0]
    group = [n] if n < FIRST else [m for m in range(FIRST, 32) if config.has(m)]
    for step in (1, -1) if n >= FIRST else ():
        by = _change(group, lambda s, k=step: s._replace(selector=s.selector + k) if s.selector >= FIRST_EVENT else s)
        yield Hypothesis("HPM.select.event", f"what selects event k counts event k {'+-'[step < 0]} 1", by)
    for one in sorted({right for right, _ in pairs if right >= FIRST_EVENT}):
        once = _change(group, lambda s, k=one: s._replace(rule=Rule.ONCE) if s.selector == k else s)
        text = f"what selects {selector_name(one)} counts one where several happen in a cycle"
        yield Hypothesis("HPM.count.several", text, once)
    for right, other in pairs:
        word = {CYCLES: "cycles", RETIRED: "retired"}.get(right, "event")
        clause = {0: "HPM.count.cycles", 2: "HPM.count.retired"}.get(n, f"HPM.select.{word}")
        change = _change(group, lambda s, a=right, b=other: s._replace(selector=b) if s.selector == a else s)
        subject = _name(n) if n < FIRST else f"what selects {selector_name(right)}"
        yield Hypothesis(clause, f"{subject} counts {selector_name(other)}", change)


# --- The choice -----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Tried:
    """A run as it is judged with hypotheses. failed: checks; looks: those of them at counters; numbers: counters of
    which a look failed, those of which most did first; run: what was seen of it.
    """

    hypotheses: tuple[Hypothesis, ...]
    failed: int
    looks: int
    numbers: tuple[int, ...]
    run: Assumed | None = None


Judge = Callable[[tuple[Hypothesis, ...], int, frozenset[int], int], "Tried | None"]


def explain(capture: HpmCapture, judge: Judge, budget: Budget | None = None) -> Tried:
    """The hypotheses with which the fewest checks fail, one after the other while each of them explains most of what is
    left; none if few fail.

    judge: judges the run with hypotheses, up to a number of rows after the first failure, by the counters of a set;
    None if more than a number of checks fail. budget: of the search, that of a device if none is given.
    """
    budget = budget or Budget.of(0, watched=True)
    judge = _within(budget, judge)
    few = sum(map(capture.config.has, range(32))) <= FEW
    now = judge((), ROWS, frozenset(), sys.maxsize)
    assert now is not None
    for _ in range(ROUNDS if budget.seconds else 0):
        if now.failed < FEWEST or not now.looks:  # what only OF and LCOFIP show is not about what is counted
            break
        only = frozenset() if few else frozenset(now.numbers[:WORST])
        long = _long(now, _brief(now, otherwise(capture, now.numbers), only, judge), LEFT, judge)
        if not long and now.failed >= ENOUGH:
            long = _long(now, _brief(now, vague(capture, now.numbers), only, judge), VAGUE_LEFT, judge)
        if not long:
            break
        best = min(long, key=lambda one: one.failed)
        if now.failed < ENOUGH and len({one.hypotheses[-1].clause for one in long}) > 1:
            break
        now = best
    return now


def _within(budget: Budget, judge: Judge) -> Judge:
    """The same; with limits, which only a try has, it gives up when the budget has ended."""

    def within(hypotheses: tuple[Hypothesis, ...], rows: int, only: frozenset[int], limit: int) -> Tried | None:
        return None if limit < sys.maxsize and budget.ended else judge(hypotheses, rows, only, limit)

    return within


def _long(now: Tried, brief: list[Tried], left: float, judge: Judge) -> list[Tried]:
    """Those of hypotheses that leave no more than a share of the failures of more rows."""
    limit = int(left * now.failed)
    more = [(*now.hypotheses, more) for one in brief for more in one.hypotheses[-1].more]
    found = [judge(one, ROWS, frozenset(), limit) for one in (*(one.hypotheses for one in brief), *more)]
    good = [one for one in found if one is not None and one.failed <= limit and one.looks <= left * now.looks]
    return [one for one in good if not one.hypotheses[-1].busy or one.failed <= VAGUE_LEFT * now.failed]


def _brief(now: Tried, others: Iterable[Hypothesis], only: frozenset[int], judge: Judge) -> list[Tried]:
    """The best of the hypotheses in a few rows."""
    base = judge(now.hypotheses, BRIEF, only, sys.maxsize)
    assert base is not None and now.run is not None
    limit = max(base.failed - 1, 0) if base.failed < FEW else int(BRIEF_LEFT * base.failed)
    found = [
        judge((*now.hypotheses, one), BRIEF, only, limit)
        for one in others
        if one not in now.hypotheses and one.matters(now.run)
    ]
    good = [one for one in found if one is not None and one.failed <= limit]
    return sorted(good, key=lambda one: one.failed)[:BEST]


def failures(
    found: tuple[Hypothesis, ...], before: int, left: int, note: str, claimed: Iterable[Failure] = ()
) -> Iterator[Failure]:
    """The findings. before, left: failed checks without and with them. note: if the search ended early, a sentence.
    claimed: failures without them; the first, of the counter that a finding names if there is one, is its example.
    """
    order = sorted((one for one in claimed if one.cycle is not None), key=lambda one: one.cycle or 0)
    for number, one in enumerate(found):
        text = f"{one.text}; that explains {before - left} of {before} checks that fail"
        text = f"{text}; {note}" if note else text
        subject = one.text.partition(" ")[0]
        about = [failure for failure in order if subject in (word for row in failure.table for word in row[:1])]
        about = about or [failure for failure in order if subject in failure.headline.split()] or order
        failure = Failure(one.clause, text, at=number - len(found))
        if about:
            table = [("first seen", "", about[0].headline), *about[0].table]
            failure = replace(failure, cycle=about[0].cycle, table=table)
        yield failure


def until(capture: HpmCapture, end: int) -> HpmCapture:
    """The run before a row."""
    if end >= len(capture.rows):
        return capture
    state = capture.state
    if state is not None:
        state = type(state)(*(column[:end] for column in state))
    return replace(capture, rows=capture.rows.select(slice(0, end)), state=state)
