# SPDX-License-Identifier: Apache-2.0
"""Which single deviations explain the bytes of a device whose trace cannot be decoded as the specification has it.

One wrong option, or one field in the wrong place, makes every message after it unreadable, so that many clauses fail
and none names the cause. Here the trace is read in other ways: with other values of the options that give messages
their layout, and in *dialects*, each of which is one deviation from the specification that can be taken back. What
makes the trace decode is the finding, and everything else is judged with it.

    search = Search(evidence, config, budget, known)         evidence: an `Evidence` of one capture
    explanations, share = search.explanations()

Which of them is the finding is chosen by what fails with each (explain.py).

The trace is first looked at near the place where decoding stops: a reading that does not get past it costs little.
Where no single deviation does, pairs are tried; then the next place where decoding stops follows, up to ROUNDS times.
What explained earlier runs of the same device is tried first, and if it explains all, nothing else is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import islice
from typing import Any, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from rvtrace.models.common.options import ConfigError, Options
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED, RULE
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis.budget import Budget

C = TypeVar("C", bound=Options)
W = TypeVar("W")

ROUNDS = 4  # deviations, or pairs of them, that are looked for one after the other
BEAM = 10  # single deviations that help a little, to which all others are added
TRIALS = 4000  # readings that are tried in one round
MOST_FOUND = 100  # deviations that may be found at all
TIED = 8  # readings that explain a trace equally well
MUCH = 0.02  # share of the evidence that a deviation of all messages leaves undecoded; less is damage at some places
EXPLAINED = 0.05  # share of the evidence near the place that may be left undecoded
LITTLE = 1 / 8  # of what is left undecoded near the place: the next round looks for what explains that too
EQUAL = 2  # other deviations that a finding names beside its own
GAIN = 0.1  # share of the evidence that one deviation more must explain


class Variation(NamedTuple):
    """An option that gives messages their layout. clause: what a device violates that differs in it. follows: another
    option, with which it differs anyway.
    """

    option: str
    clause: str
    follows: str = ""


@dataclass(frozen=True)
class Dialect:
    """One deviation from the specification that can be taken back.

    name: unique, words with _. clause: the one that it violates. says: what the device does, as a clause of a sentence
    ("addresses count bytes"). due: what the specification demands instead, in the same form. group: dialects of one
    group exclude each other. rewriting: how to take it back, in the terms of the trace system.
    """

    name: str
    clause: str
    says: str
    due: str
    group: str = ""
    rewriting: Any = field(default=None, compare=False, repr=False)


@dataclass(frozen=True)
class Reading(Generic[C]):
    """A way to read a trace: the options, and the dialects that are taken back, in the order of their table."""

    config: C
    dialects: tuple[Dialect, ...] = ()


class Evidence(Protocol[C, W]):
    """One capture as hypotheses see it."""

    @property
    def size(self) -> int:
        """Messages or packets, about."""
        ...

    @property
    def dialects(self) -> Sequence[Dialect]:
        """All that are known, in the order in which they are taken back."""
        ...

    def others(self, config: C) -> Iterable[tuple[Variation, C]]:
        """The configurations that differ from one in a single option."""
        ...

    def window(self, reading: Reading[C]) -> W | None:
        """The part of the evidence around the first place where decoding stops; None if nearly all decodes."""
        ...

    def near(self, reading: Reading[C], window: W) -> float:
        """Share of a window that cannot be decoded so, 0 to 1; a little less where decoding gets farther, and 1 more
        where it gets no farther than the place the window is about.
        """
        ...

    def past(self, reading: Reading[C], window: W) -> W:
        """The same window for readings with one deviation more than this one, which have to get farther than it."""
        ...

    def lost(self, reading: Reading[C]) -> float:
        """Share of all the evidence (or of a large part of it) that cannot be decoded so, 0 to 1."""
        ...


class Example(NamedTuple):
    """The first message that a deviation changes, and how many of them it changes.

    shown: the message as a failure: its cycle and PC, what came before it, and as rows its bytes and fields, expected
    as they would be without the deviation, actual as the specification reads what was sent. name: what people call it
    ("packet #12"). changed: messages that are other than they should be, of `total`; 0 if that is not known. clauses:
    about the fields on both sides of the first bit that is other than it should be, one of which is wrong as well.
    """

    name: str
    shown: Failure
    changed: int
    total: int
    clauses: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """How often, and where first: "packet #12 is the first of 40 in 200 that it changes"."""
        if not self.changed:
            return f"{self.name} is the first that it changes"
        return f"{self.name} is the first of {self.changed:,} in {self.total:,} that it changes"


@runtime_checkable
class Exemplary(Protocol):
    """Evidence that can show a message that a deviation changes."""

    def example(self, reading: Reading[Any], other: Reading[Any], verdict: Verdict) -> Example | None:
        """The first message that has another meaning with `reading` than with `other`, which has one deviation less.
        verdict: that on the capture as `reading` has it, whose `read` is that capture.
        """
        ...


@runtime_checkable
class Legible(Protocol):
    """Evidence that can be read as claimed, and yet with a deviation taken back its checks may fail less."""

    def legible(self, failures: Sequence[Failure]) -> Iterable[Reading[Any]]:
        """The readings with one deviation with which as much is decoded, and the messages of some failures of the check
        as claimed mean something else.
        """
        ...


@dataclass(frozen=True)
class Explained:
    """One deviation with which the trace decodes.

    how, instead: what it is and what is due, for a sentence. rows: (field, expected, actual). with_others: how many
    further ones are needed. left: share of the evidence that does not decode all the same. is_option: it is another
    value of an option. example: a message that has it. equal: other deviations with each of which the trace decodes as
    well, and as much of it is right.
    """

    name: str
    clause: str
    how: str
    instead: str
    rows: tuple[tuple[str, str, str], ...]
    with_others: int = 0
    left: float = 0.0
    is_option: bool = False
    example: Example | None = None
    equal: tuple[Explained, ...] = ()

    def failure(self, share: float, number: int) -> Failure:
        """The finding, before all messages. share: of the evidence that cannot be decoded as claimed. number: of the
        deviation, if there are several.
        """
        whole = "the trace decodes" if self.left <= EXPLAINED else f"{1 - self.left:.0%} of the trace decodes"
        others = "" if not self.with_others else ", together with the other such findings"
        lost = f"with which {share:.0%} of it cannot be decoded" if share else "with which other clauses fail"
        text = f"{whole} {self.how}; {self.instead}, {lost}{others}"
        for one in self.equal[:EQUAL]:
            text += f"; as well {one.how} ({one.instead})"
        rows, at = list(self.rows), number - MOST_FOUND
        if self.example is None:
            return Failure(self.clause, text, table=rows, at=at)
        shown = self.example.shown
        table = [*rows, *shown.table]
        return replace(
            shown, clause=self.clause, headline=f"{text}; {self.example.sentence}", table=table, at=at, found=RULE
        )


@dataclass(frozen=True)
class Explanation(Generic[C]):
    """A reading with which a trace decodes, and the deviations from what was claimed."""

    reading: Reading[C]
    found: tuple[Explained, ...]


def variations(config: C, table: Iterable[Variation]) -> Iterator[tuple[Variation, C]]:
    """Every legal configuration that differs from one in a single option of the table."""
    for variation in table:
        claimed = getattr(config, variation.option)
        for value in type(config).legal()[variation.option]:
            if value != claimed:
                with suppress(ConfigError):  # options that exclude each other
                    yield variation, replace(config, **{variation.option: value})


class Habit(NamedTuple):
    """What explained a run of a device: options with their values, and dialects by name."""

    options: tuple[tuple[str, Any], ...]
    dialects: tuple[str, ...]

    @classmethod
    def of(cls, reading: Reading[C], claimed: C) -> Habit:
        """That of a reading."""
        differing = (one.name for one in fields(claimed) if one.init)
        options = ((name, getattr(reading.config, name)) for name in _differing(claimed, reading.config, differing))
        return cls(tuple(options), tuple(dialect.name for dialect in reading.dialects))

    def reading(self, evidence: Evidence[C, Any], claimed: C) -> Reading[C] | None:
        """The same of another run; None if its configuration does not have it."""
        dialects = tuple(dialect for dialect in evidence.dialects if dialect.name in self.dialects)
        with suppress(ConfigError):
            config = replace(claimed, **dict(self.options))
            return Reading(config, dialects) if len(dialects) == len(self.dialects) else None
        return None


class Search(Generic[C, W]):
    """The search over the readings of one capture. known: what explained earlier runs of the device. tried: readings
    that were looked at.
    """

    def __init__(self, evidence: Evidence[C, W], claimed: C, budget: Budget, known: Iterable[Habit] = ()) -> None:
        self.evidence, self.claimed, self.budget, self.tried = evidence, claimed, budget, 0
        self._known = tuple(known)

    def explanations(self) -> tuple[list[Explanation[C]], float]:
        """The readings that explain the capture, at most TIED of them, and the share of it that cannot be decoded as
        claimed.

        None if it decodes as claimed, or no reading explains enough of it.
        """
        evidence, claimed = self.evidence, self.claimed
        best = [Reading(claimed)]
        if evidence.window(best[0]) is None:
            return [], 0.0
        share = left = evidence.lost(best[0])
        if share < MUCH:
            return [], share
        habits = [one for habit in self._known if (one := habit.reading(evidence, claimed)) is not None]
        kept, after = _least([(evidence.lost(reading), reading) for reading in habits])
        if kept and after < MUCH:  # what explains less may be what was wrong before
            best, left = kept, after
        for _ in range(ROUNDS):
            if left < MUCH:
                break  # what is left is damage, as it is where nothing was taken back
            window = None if self.budget.ended else evidence.window(best[0])
            found = [] if window is None else self._round(best[0], window)
            kept, after = _least([(evidence.lost(reading), reading) for reading in found])
            if not kept or after > max(left - GAIN, left / 4):
                break
            best, left = kept, after
        best = [_needed(evidence, reading, claimed, left) for reading in best if reading != Reading(claimed)]
        return self.explained(dict.fromkeys(best), left), share

    def explained(self, readings: Iterable[Reading[C]], left: float = 0.0) -> list[Explanation[C]]:
        """The readings with their deviations. left: share of the evidence that does not decode with them."""
        variation = {one.option: one for one, _ in self.evidence.others(self.claimed)}
        return [Explanation(reading, _found(reading, self.claimed, variation, left)) for reading in readings]

    def _scored(self, readings: Iterable[Reading[C]], window: W) -> list[tuple[float, int, Reading[C]]]:
        """Each with its loss in a window and its number, as far as the budget goes."""
        scored: list[tuple[float, int, Reading[C]]] = []
        for reading in readings:
            if self.budget.ended:
                break
            self.tried += 1
            scored.append((self.evidence.near(reading, window), len(scored), reading))
        return sorted(scored, key=lambda one: one[:2])

    def _round(self, start: Reading[C], window: W) -> list[Reading[C]]:
        """The readings with one or two deviations more that get farthest in a window; none if none helps."""
        base = self.evidence.near(start, window)
        singles = self._scored(more(self.evidence, start), window)
        least = singles[0][0] if singles else base
        if least <= EXPLAINED:
            return _close(singles, least)
        enough = max(EXPLAINED, base * LITTLE)
        helping = [other for score, _, other in singles if score < base - GAIN / 10]
        firsts = _diverse(start, helping)[:BEAM] or [reading for _, _, reading in singles]
        pairs: list[tuple[float, int, Reading[C]]] = []
        seen: set[Reading[C]] = set()
        for other in firsts:
            left = max(TRIALS - len(singles) - len(pairs), 0)
            second = islice((pair for pair in more(self.evidence, other) if pair not in seen), left)
            scored = self._scored(second, self.evidence.past(other, window))
            seen.update(pair for _, _, pair in scored)
            pairs += [(score, n + len(pairs), pair) for score, n, pair in scored]
            if self.budget.ended or (scored and scored[0][0] <= enough):
                break  # what explains nearly all with one of them is not looked for with the others
        pairs.sort(key=lambda one: one[:2])
        if not pairs or pairs[0][0] > enough:  # two wrong options, neither of which helps alone
            options = (
                replace(other, config=config)
                for _, _, other in singles
                if other.dialects == start.dialects
                for _, config in self.evidence.others(other.config)
            )
            scored = self._scored((pair for pair in _unique(options) if pair not in seen), window)
            pairs = (
                sorted(((score, n + len(pairs), pair) for score, n, pair in scored), key=lambda one: one[:2]) + pairs
            )
            pairs.sort(key=lambda one: one[:2])
        if pairs and pairs[0][0] < min(least, 1.0) - GAIN:
            return _close(pairs, pairs[0][0])
        return _close(singles, least) if least < 1.0 else []


def _unique(readings: Iterable[Reading[C]]) -> Iterator[Reading[C]]:
    """Each once, made when it is asked for."""
    seen: set[Reading[C]] = set()
    for reading in readings:
        if reading not in seen:
            seen.add(reading)
            yield reading


def _diverse(start: Reading[C], readings: list[Reading[C]]) -> list[Reading[C]]:
    """The first of each group of dialects, and of the options: those of one group help for the same reason."""
    first: dict[str, Reading[C]] = {}
    for reading in readings:
        added = [dialect for dialect in reading.dialects if dialect not in start.dialects]
        first.setdefault((added[0].group or added[0].name) if added else "", reading)
    return list(first.values())


def _close(scored: list[tuple[float, int, Reading[C]]], least: float) -> list[Reading[C]]:
    """Those that are as good as the best, or nearly."""
    return [reading for score, _, reading in scored if score <= least + GAIN / 10][:TIED]


def _least(scored: list[tuple[float, Reading[C]]]) -> tuple[list[Reading[C]], float]:
    """The readings with the least loss, and the loss."""
    if not scored:
        return [], 1.0
    least = min(score for score, _ in scored)
    return [reading for score, reading in scored if score <= least + GAIN / 100][:TIED], least


def more(evidence: Evidence[C, Any], reading: Reading[C]) -> Iterator[Reading[C]]:
    """Every reading with one deviation more."""
    for _, config in evidence.others(reading.config):
        yield replace(reading, config=config)
    taken = {dialect.name for dialect in reading.dialects} | {d.group for d in reading.dialects if d.group}
    order = {dialect.name: n for n, dialect in enumerate(evidence.dialects)}
    for dialect in evidence.dialects:
        if dialect.name not in taken and dialect.group not in taken:
            several = sorted((*reading.dialects, dialect), key=lambda one: order[one.name])
            yield replace(reading, dialects=tuple(several))


def _needed(evidence: Evidence[C, Any], reading: Reading[C], claimed: C, left: float) -> Reading[C]:
    """The reading without the deviations that explain nothing."""
    for dialect in reading.dialects:
        without = replace(reading, dialects=tuple(d for d in reading.dialects if d is not dialect))
        if without != Reading(claimed) and evidence.lost(without) <= left + GAIN / 10:
            reading = without
    for option in _differing(claimed, reading.config, {one.option for one, _ in evidence.others(claimed)}):
        with suppress(ConfigError):
            without = replace(reading, config=replace(reading.config, **{option: getattr(claimed, option)}))
            if without != Reading(claimed) and evidence.lost(without) <= left + GAIN / 10:
                reading = without
    return reading


def _differing(claimed: Options, config: Options, names: Iterable[str]) -> list[str]:
    return [name for name in names if getattr(claimed, name) != getattr(config, name)]


def _found(reading: Reading[C], claimed: C, variation: dict[str, Variation], left: float) -> tuple[Explained, ...]:
    found: list[Explained] = []
    differing = _differing(claimed, reading.config, variation)
    for option in (one for one in differing if variation[one].follows not in differing):
        name, was, now = option.upper(), getattr(claimed, option), getattr(reading.config, option)
        how, instead = f"with {name}={now}", f"{name}={was} was claimed"
        rows = ((name, str(was), str(now)),)
        found.append(Explained(name, variation[option].clause, how, instead, rows, left=left, is_option=True))
    for one in reading.dialects:
        how, instead = f"if {one.says}", f"by the specification {one.due}"
        found.append(Explained(one.name, one.clause, how, instead, (("trace", one.due, one.says),), left=left))
    return tuple(replace(one, with_others=len(found) - 1) for one in found)


def with_examples(
    evidence: Evidence[C, Any], explanation: Explanation[C], claimed: C, verdict: Verdict
) -> tuple[Explained, ...]:
    """The deviations of an explanation, each with a message that has it, where the evidence can show one. verdict: with
    its reading.
    """
    reading, found = explanation.reading, explanation.found
    if not isinstance(evidence, Exemplary):
        return found
    made: list[Explained] = []
    for one in found:
        other = _without(evidence, reading, claimed, one)
        made.append(one if other is None else replace(one, example=evidence.example(reading, other, verdict)))
    return tuple(made)


def with_equals(found: tuple[Explained, ...], others: Iterable[Explanation[Any]]) -> tuple[Explained, ...]:
    """The deviations of an explanation, the first of them with those of other explanations that it does not have, where
    they are as many and differ in one.
    """
    names, equal = {one.name for one in found}, []
    for other in others:
        more = [one for one in other.found if one.name not in names]
        equal += more if len(other.found) == len(found) and len(more) == 1 else []
    if not equal:
        return found
    kept = {one.name for other in others for one in other.found}
    first = next((n for n, one in enumerate(found) if one.name not in kept), 0)
    return tuple(replace(one, equal=tuple(equal)) if n == first else one for n, one in enumerate(found))


def _without(evidence: Evidence[C, Any], reading: Reading[C], claimed: C, one: Explained) -> Reading[C] | None:
    """A reading with one deviation less; None if an option has this value only together with another one."""
    if not one.is_option:
        return replace(reading, dialects=tuple(dialect for dialect in reading.dialects if dialect.name != one.name))
    names = {v.option for v, _ in evidence.others(claimed) if one.name in (v.option.upper(), v.follows.upper())}
    with suppress(ConfigError):
        return replace(reading, config=replace(reading.config, **{name: getattr(claimed, name) for name in names}))
    return None


@dataclass(frozen=True)
class Chosen:
    """The most plausible reading of a capture.

    capture: as the reading has it. found: the deviations that were taken back for it. share: of the evidence that
    cannot be decoded as claimed. claimed: a failure of each clause that fails as claimed. note: a sentence if the
    search ended early, else empty.
    """

    capture: Any
    found: tuple[Explained, ...]
    share: float
    reading: Reading[Any]
    claimed: tuple[Failure, ...] = ()
    note: str = ""

    @property
    def sentence(self) -> str:
        """What was found, as one sentence: "the trace decodes with SRC_BITS=4 (SRC_BITS=8 was claimed)"."""
        return f"the trace decodes {', and '.join(f'{one.how} ({one.instead})' for one in self.found)}"

    def report(self, book: ClauseBook) -> None:
        """Each deviation as a failure, before all others (see `put_first`)."""
        note = f"; {self.note}" if self.note else ""
        made = [one.failure(self.share, number) for number, one in enumerate(self.found)]
        put_first(book, [replace(one, headline=one.headline + note) for one in made], self.claimed)
        for failure, one in zip(made, self.found):  # which of them is broken the trace does not say
            about = () if one.example is None else one.example.clauses
            for clause in dict.fromkeys((*about, *(other.clause for other in one.equal))):
                if clause and clause not in book.failed:
                    book.fail(replace(failure, clause=clause, found=COMPARED, cause=failure.clause))


def put_first(book: ClauseBook, causes: Sequence[Failure], claimed: Iterable[Failure]) -> None:
    """Put the failures that are the cause before all others of a book, and under the first of them each clause that
    fails as claimed and no longer does: what is the cause never takes a failure away.

    claimed: failures of the check as claimed. The causes of those in the book must be known already.
    """
    rest, book.failures = book.failures, []
    for failure in causes:
        book.fail(failure)
    for failure in claimed:
        if failure.clause not in book.failed:
            book.fail(replace(failure, at=causes[0].at, found=COMPARED, cause=causes[0].clause))
    book.add({}, rest)
