# SPDX-License-Identifier: Apache-2.0
"""Clauses: the rows of a plan, the book that counts their checks, and the failure message.

A requirement has one id (`NT.8.1.uaddr` for section 8.1 of the N-Trace specification, `NT-4` for a ruling on a point
that the specification leaves open). Every check reports under that id; a clause that was never checked is NOT-RUN,
never PASS.
How to add one: docs/how-to/add-a-clause.md.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.scoreboards.common.findings import RULE, Damage, Placed, causes

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

LEVELS = ("shall", "should", "may")
OF_MODELS = ("decoder", "codec", "sources")  # checks that are tests of models
STATUSES = ("built", "later")
_TABLES = {"specification", "defaults", "how", "chapters", "group", "clause"}
RULINGS, PROFILE = "Rulings on open points", "Reference profile of this project"  # chapters of no specification
KEPT_PER_CLAUSE = 5  # failures kept with their text; all are counted


NEED = re.compile(r"(\w+)(?:(!?=)(-?\w+))?")  # one way to meet a need of a clause: an option, and its value


class PlanError(ValueError):
    """A plan that cannot be used; the text names the row, the problem and the remedy."""


@dataclass(frozen=True)
class Clause:
    """One row of a plan.

    section: of the specification. level: shall, should or may. what: the requirement. how: how it is checked.
    variants: of the specification or the configuration, in which it applies; empty: all.
    checks: the checkers that report it (exact, lossless, legal, codec, decoder, or a test file).
    through: instead of checks, the clauses whose checks together are the checks of this one.
    tests: stimuli (scenario:<name>, program:<name>, random, or a test file). coverage: coverage points.
    needs: what an IP has to claim, all of it, or the clause does not apply: an option that is not 0 ("has_h"), has a
    value or has another one ("xlen=32", "counters!=-1"), or a kind of stimulus that it has a port for ("xlen32");
    several joined by | where one of them is enough. subject: a part beside the device that it is about, such as the
    transport; "": the device. optional: the sentence of the specification, quoted, that lets a device do without.
    status: built, or later with its reason. The mutants of a clause name it in tests/<ip>/mutants.toml.
    chapter: title of the chapter that the section is in, from the plan's [chapters].
    """

    id: str
    section: str
    level: str
    what: str
    how: str = ""
    variants: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()
    through: tuple[str, ...] = ()
    tests: tuple[str, ...] = ()
    coverage: tuple[str, ...] = ()
    needs: tuple[str, ...] = ()
    subject: str = ""
    optional: str = ""
    status: str = "built"
    reason: str = ""
    chapter: str = ""

    @classmethod
    def from_row(cls, name: str, row: dict[str, Any], path: str = "plan") -> Clause:
        """From a TOML table; PlanError if a key is unknown or missing, or a value is not one of those allowed."""
        known = {f.name for f in fields(cls)} - {"id"}
        if unknown := set(row) - known:
            raise PlanError(
                f"{path}: clause {name} has unknown keys {', '.join(sorted(unknown))}; use {', '.join(sorted(known))}"
            )
        if missing := {"section", "level", "what"} - set(row):
            raise PlanError(f"{path}: clause {name} has no {', '.join(sorted(missing))}; add it")
        values: dict[str, Any] = {key: tuple(value) if isinstance(value, list) else value for key, value in row.items()}
        clause = cls(name, **values)
        if clause.level not in LEVELS or clause.status not in STATUSES:
            raise PlanError(
                f"{path}: clause {name} has level {clause.level!r} and status {clause.status!r}; "
                f"a level is one of {', '.join(LEVELS)}, a status one of {', '.join(STATUSES)}"
            )
        if clause.optional and clause.level != "shall":
            raise PlanError(
                f"{path}: clause {name} has level {clause.level} and quotes a sentence that makes it optional; a level"
                " other than shall says so already, remove `optional`"
            )
        if clause.status == "later" and not clause.reason:
            raise PlanError(f'{path}: clause {name} has status "later" and no reason; add reason = "..."')
        return clause

    def lacks(self, options: Mapping[str, Any]) -> str:
        """The first of its needs that a configuration does not meet, in words; "" if it meets all."""
        for need in self.needs:
            ways = [match for way in need.split("|") if (match := NEED.fullmatch(way.strip()))]
            if not any(_meets(way, options) for way in ways):
                return f"needs {' or '.join(way[0].upper() for way in ways)}"
        return ""

    @property
    def of_device(self) -> list[str]:
        """The checks that look at a device, not at models and tools."""
        return [check for check in self.checks if check not in OF_MODELS and not check.startswith("tests/")]

    @property
    def free(self) -> str:
        """Why a device that does not declare the reference profile need not meet it, where nothing else but that
        profile says how; "" if it has to.
        """
        if set(self.of_device) != {"exact"}:
            return ""
        if self.optional:
            return f"the specification says: {self.optional}"
        if self.level != "shall":
            return f"the specification leaves it to the device (level {self.level}); only our reference profile decides"
        return ""


def _meets(way: re.Match[str], options: Mapping[str, Any]) -> bool:
    name, sign, value = way.groups()
    same = str(options.get(name, 0)) == (value if sign else "0")
    return same if sign == "=" else not same


def _parsed(path: str | Path) -> dict[str, Any]:
    try:
        parsed = tomllib.loads(Path(path).read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise PlanError(
            f'{path} cannot be read ({error}); give a TOML file with one [clause."<id>"] table for each requirement'
        ) from None
    if unknown := set(parsed) - _TABLES:
        raise PlanError(f"{path} has unknown tables {', '.join(sorted(unknown))}; use {', '.join(sorted(_TABLES))}")
    return parsed


@dataclass(frozen=True)
class Specification:
    """A text that a plan is about. title, version: as its title page has them. state: ratified, or draft. url: where it
    is published; "" if nowhere. variants: of the system that follow it; empty: all. rows: how the ids of the clauses
    start that are from this text alone; empty: all that are from no such text.
    """

    title: str
    version: str
    state: str
    url: str = ""
    variants: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """In one line."""
        return f"{self.title}, {self.version} ({self.state})"


def chapter_of(section: str, chapters: Mapping[str, Sequence[str]]) -> str:
    """The title of the chapter of a section: of the starts of sections in `chapters` the longest counts, where 8 starts
    8.3 and not 80. A section that is in none is its own chapter.
    """
    if section.startswith("ruling "):
        return RULINGS
    if section.startswith("docs/"):
        return PROFILE
    found = [
        (len(start), title)
        for title, starts in chapters.items()
        for start in starts
        if section == start or (section.startswith(start) and not section[len(start)].isalnum())
    ]
    return max(found)[1] if found else section


def _specification(row: Mapping[str, Any], path: str) -> Specification:
    known = {f.name for f in fields(Specification)}
    if unknown := set(row) - known:
        raise PlanError(
            f"{path}: a specification has unknown keys {', '.join(sorted(unknown))}; use {', '.join(known)}"
        )
    if missing := {"title", "version", "state"} - set(row):
        raise PlanError(f"{path}: a specification has no {', '.join(sorted(missing))}; add it")
    values: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in row.items()}
    return Specification(**values)


@dataclass
class Plan:
    """The clauses of one system by id, in the order of the file, and the texts that they are from."""

    clauses: dict[str, Clause]
    path: str = ""
    specifications: tuple[Specification, ...] = ()

    @classmethod
    def load(cls, path: str | Path) -> Plan:
        """Read a TOML file with one [clause."<id>"] table per row, and a [[specification]] for each text.

        [defaults] has the values of keys that a row omits, [group."<start of an id>"] those of the rows whose id starts
        so; of several groups the longest counts. [chapters] has titles of chapters, each with the starts of its
        sections. A row with `through` takes no `checks` from them. [how] has, by the
        names of the checks with commas (or `through`), the `how` of rows for which nothing else says it.
        """
        parsed = _parsed(path)
        rows, groups = parsed.get("clause", {}), parsed.get("group", {})
        if unused := [group for group in groups if not any(name.startswith(group) for name in rows)]:
            raise PlanError(f"{path}: no clause id starts with {', '.join(unused)}; remove the group or correct it")
        clauses: dict[str, Clause] = {}
        for name, given in rows.items():
            row = dict(parsed.get("defaults", {}))
            for group in sorted(filter(name.startswith, groups), key=len):
                row |= groups[group]
            if "through" in given:
                row.pop("checks", None)
            row |= given
            checks = ", ".join(row.get("checks", ())) or ("through" if "through" in row else "")
            if "how" not in row and checks in parsed.get("how", {}):
                row["how"] = parsed["how"][checks]
            row.setdefault("chapter", chapter_of(str(row.get("section", "")), parsed.get("chapters", {})))
            clauses[name] = Clause.from_row(name, row, str(path))
        texts = tuple(_specification(row, str(path)) for row in parsed.get("specification", ()))
        return cls(clauses, str(path), texts)

    def __getitem__(self, clause: str) -> Clause:
        return self.clauses[clause]

    def texts(self, variants: Iterable[str] = ()) -> tuple[Specification, ...]:
        """The specifications that a device of these variants follows; all of them where no variant is known."""
        chosen = set(variants) - {""}
        return tuple(one for one in self.specifications if not (one.variants and chosen) or chosen & {*one.variants})

    def source(self, clause: str, variant: str = "") -> str:
        """The document and the section of a row, as one line."""
        section = self.clauses[clause].section
        texts = self.texts((variant,))
        own = [text for text in texts if text.rows and clause.startswith(text.rows)]
        documents = "; ".join(f"{text.title}, {text.version}" for text in own or texts if text in own or not text.rows)
        if not documents or section.startswith("docs/"):
            return section
        return f"{section} on {documents}" if section.startswith("ruling") else f"{documents}: {section}"

    def __contains__(self, clause: str) -> bool:
        return clause in self.clauses

    def roll_up(
        self, results: dict[str, list[int]], met: Mapping[str, int] | None = None, variant: str = ""
    ) -> dict[str, list[int]]:
        """The results, completed by the rows with parts (`through`).

        met: how often the situation of a row occurred; the row counts that many checks, and none if it never occurred.
        A row that is not in it counts the checks of its parts. variant: rows that apply only in others are omitted.
        """
        full = dict(results)
        for name, clause in self.clauses.items():
            parts = [results[part] for part in clause.through if part in results]
            times = (met or {}).get(name, sum(checked for checked, _ in parts))
            if parts and times and not (variant and clause.variants and variant not in clause.variants):
                full[name] = [times, min(times, sum(failed for _, failed in parts))]
        return full

    def verdicts(self, results: dict[str, list[int]]) -> dict[str, str]:
        """PASS, FAIL or NOT-RUN for every row, from a book's results (or several books' sums)."""
        verdict = {}
        for name in self.clauses:
            checked, failed = results.get(name, (0, 0))
            verdict[name] = "FAIL" if failed else "PASS" if checked else "NOT-RUN"
        return verdict


@cache
def plan_of(module: str) -> Plan:
    """The plan.toml beside a module, read once. module: its `__file__`. PlanError if it cannot be read."""
    return Plan.load(Path(module).with_name("plan.toml"))


@dataclass
class Failure:
    """One place where a device violates a clause.

    headline: one sentence. cycle: clock cycle, None if not known. pc: address, None if not known. place: its symbol and
    disassembly. table: (field, expected, actual) rows. before: the messages sent before it, oldest first.
    rerun: the command that repeats the run. requirement: the clause's text; source: its document and section. at: the
    message or packet of the evidence where it was found, None if it is not about one; found: how
    (scoreboards/common/findings.py). cause: the clause of the failure that it follows from, empty for a cause.
    """

    clause: str
    headline: str
    cycle: int | None = None
    pc: int | None = None
    place: str = ""
    table: list[tuple[str, str, str]] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    rerun: str = ""
    requirement: str = ""
    source: str = ""
    at: int | None = None
    found: int = RULE
    cause: str = ""

    def text(self) -> str:
        """The failure message: what was violated, where, expected and actual, what came before, how to repeat it."""
        lines = [f"FAIL {self.clause}  {self.headline}"]
        if self.requirement:
            lines.append(f"  clause    {self.requirement}")
        if self.source:
            lines.append(f"  source    {self.source}")
        if self.cycle is not None:
            lines.append(f"  cycle     {self.cycle}")
        if self.place or self.pc is not None:
            lines.append(f"  pc        {self.place or f'{self.pc:#x}'}")
        lines += self._table_lines()
        for index, text in enumerate(self.before):
            lines.append(f"  {'before' if index == 0 else '':<9} {text}")
        if self.rerun:
            lines.append(f"  rerun     {self.rerun}")
        return "\n".join(lines)

    def _table_lines(self) -> list[str]:
        if not self.table:
            return []
        rows = [("field", "expected", "actual"), *self.table]
        widths = [max(len(row[column]) for row in rows) for column in range(3)]
        return [
            "  {:<9} {}".format("" if number else "fields", "  ".join(c.ljust(w) for c, w in zip(row, widths))).rstrip()
            + (" <" if number and row[1] and row[1] != row[2] else "")
            for number, row in enumerate(rows)
        ]

    def to_dict(self) -> dict[str, Any]:
        """All fields and the printed text, for result.json."""
        return {**asdict(self), "table": [list(row) for row in self.table], "text": self.text()}


class ClauseBook:
    """Counts how often each clause was checked and failed, and keeps the first failures of each."""

    def __init__(self, plan: Plan | None = None, rerun: str = "", variant: str = "") -> None:
        self._plan = plan
        self._rerun = rerun
        self._variant = variant
        self._met: dict[str, int] = {}
        self._counts: dict[str, list[int]] = {}
        self.failures: list[Failure] = []
        self.damage: list[Damage] = []  # what could not be decoded
        self.judged: float | None = None  # share of the instructions that could be judged, where that is known

    def count(self, clause: str, n: int | np.integer[Any] = 1) -> None:
        """n checks of the clause passed, or are about to be judged by `fail`."""
        if n:
            self._counts.setdefault(clause, [0, 0])[0] += int(n)

    def withdraw(self, clauses: Iterable[str]) -> None:
        """What was counted of these clauses says nothing of the device: those that did not fail were not checked."""
        for clause in clauses:
            if clause in self._counts and not self._counts[clause][1]:
                del self._counts[clause]

    def met(self, clause: str, n: int | np.integer[Any]) -> None:
        """The situation of a rolled-up clause occurred n times; never means that it was not checked."""
        self._met[clause] = int(n)

    def check(self, clause: str, ok: bool, failure: Callable[[], Failure] | Failure | None = None) -> bool:
        """One check; the failure (or the function that makes it) is used only if it is not ok. Returns ok."""
        self.count(clause)
        if not ok:
            made = failure() if callable(failure) else failure
            self.fail(made or Failure(clause, "the requirement does not hold"), counted=True)
        return ok

    def bulk(self, clause: str, checked: int, bad: Iterable[int] | np.ndarray, make: Callable[[int], Failure]) -> bool:
        """Many checks at once: `bad` holds the indices that failed, `make` returns the failure of one of them."""
        self.count(clause, checked)
        indices = list(bad)
        for index in indices[:KEPT_PER_CLAUSE]:
            self.fail(make(int(index)), counted=True)
        for _ in indices[KEPT_PER_CLAUSE:]:
            self._counts.setdefault(clause, [0, 0])[1] += 1
        return not indices

    def fail(self, failure: Failure, counted: bool = False) -> None:
        """Record a failure; counted: its check has been counted already."""
        counts = self._counts.setdefault(failure.clause, [0, 0])
        counts[0] += not counted
        counts[1] += 1
        counts[0] = max(counts[0], counts[1])
        failure.rerun = failure.rerun or self._rerun
        if self._plan is not None and failure.clause in self._plan and not failure.requirement:
            failure.requirement = self._plan[failure.clause].what
            failure.source = self._plan.source(failure.clause, self._variant)
        if sum(f.clause == failure.clause for f in self.failures) < KEPT_PER_CLAUSE:
            self.failures.append(failure)

    def add(self, counts: Mapping[str, Sequence[int]], failures: Iterable[Failure]) -> None:
        """What another book of the same plan found in another part of the evidence, its causes known already."""
        for name, (checked, failed) in counts.items():
            mine = self._counts.setdefault(name, [0, 0])
            mine[0] += checked
            mine[1] += failed
        for failure in failures:
            if sum(f.clause == failure.clause for f in self.failures) < KEPT_PER_CLAUSE:
                self.failures.append(failure)

    def attribute(self) -> None:
        """Give each failure its cause, once all of the run are known."""
        placed = [Placed(failure.clause, failure.at, failure.found) for failure in self.failures]
        for failure, cause in zip(self.failures, causes(placed, self.damage)):
            failure.cause = cause

    @property
    def causes(self) -> list[str]:
        """The clauses that fail by themselves, once `attribute` has given each failure its cause."""
        return sorted({failure.clause for failure in self.failures if not failure.cause})

    def results(self) -> dict[str, list[int]]:
        """Clause id to [checked, failed], sorted by id; with a plan also the rows with parts (`through`)."""
        counts = {name: list(count) for name, count in self._counts.items()}
        return dict(sorted((self._plan.roll_up(counts, self._met, self._variant) if self._plan else counts).items()))

    @property
    def failed(self) -> list[str]:
        """The clauses that failed, sorted."""
        return [name for name, (_, failed) in sorted(self._counts.items()) if failed]
