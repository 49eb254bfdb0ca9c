# SPDX-License-Identifier: Apache-2.0
"""What a compliance report says: a row for each clause of a plan with its verdict, from the results of runs and a list
of waivers.

    compliance = judge(subject, results, waivers, today)
    compliance.passed, compliance.sentence, compliance.rows

No files are written here (report/compliance.py does). docs/reference/compliance-report.md explains each verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

from rvtrace.flow.dut.waivers import Waiver
from rvtrace.jobs import front, systems
from rvtrace.report import goals as plan_goals
from rvtrace.scoreboards.common.clauses import LEVELS, Clause, Plan, Specification
from rvtrace.scoreboards.common.judge import Judge

PLANS = Path(__file__).resolve().parent.parent / "scoreboards"
VERDICTS = ("FAIL", "WAIVED", "NOT JUDGED", "NOT-RUN", "PASS", "N/A")  # what has to be looked at first
ENDINGS = ("PASS", "FAIL", "ERROR")  # of a run
IN_USE, STALE, EXPIRED, UNKNOWN = "in use", "stale", "expired", "unknown"
NAMED = 5  # clauses that a sentence names
MOSTLY = 0.5  # share that has to be judged for a PASS: what says PASS says it of most that the device did
_UNPLANNED = "(not in the plan)"


class ComplianceError(ValueError):
    """A report that cannot be made or read; the text says what to do."""


@dataclass(frozen=True)
class Subject:
    """What was tested. title: for the headline. about: lines of the header, name to text.

    not_applicable: clauses that it need not meet, id to why; such a clause is N/A only as long as no check of it ran.
    not_run: why a clause could not be checked, where that is known. files: what the evidence is of, name to SHA-256:
    the sources of a device, or the files of a capture. variants: of the specifications that it follows.
    """

    name: str
    ip: str
    title: str
    about: Mapping[str, str] = field(default_factory=dict)
    not_applicable: Mapping[str, str] = field(default_factory=dict)
    not_run: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    variants: Collection[str] = ()


@dataclass(frozen=True)
class First:
    """The first failure of a clause. clause: under which it was found: of a clause that summarizes others, one of
    those. folder: of its run, if that left what the viewer shows.
    """

    clause: str
    headline: str
    text: str
    rerun: str
    run: str
    source: str
    seed: int | None
    sim: str
    folder: str = ""


@dataclass
class Finding:
    """A deviation of the device: the clause that it violates, and what follows from it.

    failing_runs: runs in which it is a cause. leading: of those, the runs in which no other cause comes before it.
    consequences: clauses that fail in these runs only where this one damaged the evidence, or that summarize it.
    others: further deviations of the whole trace that violate the same clause.
    """

    row: Row
    failing_runs: int
    leading: int
    consequences: list[str]
    others: tuple[str, ...] = ()

    @property
    def id(self) -> str:
        """The clause's."""
        return self.row.id

    @property
    def first(self) -> First:
        """Where it was found first."""
        assert self.row.first is not None
        return self.row.first

    def line(self) -> str:
        """One line: clause, what was found, how often, and how many clauses follow from it."""
        row, first = self.row, self.first
        found = f"{_s(row.failed, 'check')} in {_s(self.failing_runs, 'run')}"
        many = len(self.consequences)
        after = f"; {_s(many, 'clause')} {_s(many, 'follows', 'follow', number=False)} from it" if many else ""
        return f"{self.id}  {first.headline} ({found}{after})"

    def text(self) -> str:
        """The first failure as it was reported, and what follows from it."""
        after = ", ".join(self.consequences)
        more = "".join(f"\n  {'also' if n == 0 else '':<9} {text}" for n, text in enumerate(self.others))
        return self.first.text + more + (f"\n  so also   {after}" if after else "")


@dataclass
class WaiverRow:
    """A waiver and what became of it: in use, stale (nothing fails), expired (the failure counts) or unknown (no such
    clause).
    """

    waiver: Waiver
    state: str
    note: str


@dataclass
class Row:
    """One clause. reason: why it is not run, not judged, not applicable, or waived. runs: in which a check of it ran,
    and their tests and seeds. failing_runs: of those. causes: the clauses from which every failure of this one follows,
    none if one failure is a cause itself. judged: share of the evidence of its runs that could be judged.
    """

    clause: Clause
    verdict: str = "NOT-RUN"
    reason: str = ""
    checked: int = 0
    failed: int = 0
    runs: int = 0
    failing_runs: int = 0
    tests: list[str] = field(default_factory=list)
    seeds: list[int] = field(default_factory=list)
    first: First | None = None
    waiver: Waiver | None = None
    causes: tuple[str, ...] = ()
    judged: float = 1.0

    @property
    def id(self) -> str:
        """The clause's."""
        return self.clause.id


@dataclass
class RunRow:
    """All runs of one stimulus with one simulator. endings: how many ended in PASS, FAIL, ERROR."""

    source: str
    sim: str
    endings: Counter[str]
    seeds: list[int]
    checked: int


@dataclass
class Broken:
    """A run that ended before it could be judged."""

    run: str
    source: str
    sim: str
    seed: int | None
    error: str
    rerun: str


@dataclass
class Compliance:
    """The whole report. problems: sentences about the evidence itself, each of which forbids a PASS. findings: causes
    first, those that lead in most runs first. judged: share of the instructions that could be judged. unread: runs of
    which none could. unit: what `judged` is a share of, where the instructions are not known. specifications: the texts
    that the clauses are from. goals: of the user's sign-off, and what became of them.
    """

    subject: Subject
    today: date
    rows: list[Row]
    waivers: list[WaiverRow]
    runs: list[RunRow]
    broken: list[Broken]
    problems: list[str]
    findings: list[Finding] = field(default_factory=list)
    judged: float = 1.0
    unread: list[str] = field(default_factory=list)
    unit: str = "instructions"
    specifications: tuple[Specification, ...] = ()
    goals: tuple[plan_goals.Reached, ...] = ()

    @cached_property
    def counts(self) -> dict[str, int]:
        """Clauses by verdict, all verdicts."""
        found = Counter(row.verdict for row in self.rows)
        return {verdict: found[verdict] for verdict in VERDICTS}

    @cached_property
    def levels(self) -> dict[str, dict[str, int]]:
        """Clauses by level and verdict."""
        found = Counter((row.clause.level, row.verdict) for row in self.rows)
        return {level: {verdict: found[level, verdict] for verdict in VERDICTS} for level in LEVELS}

    @property
    def applicable(self) -> int:
        """Clauses that the device has to meet, or chose to: all that are not N/A."""
        return len(self.rows) - self.counts["N/A"]

    @property
    def observed(self) -> int:
        """Of these, those whose verdict comes from checks of this device."""
        return sum(self.counts[verdict] for verdict in ("PASS", "FAIL", "WAIVED"))

    @property
    def checked(self) -> int:
        """Checks made."""
        return sum(row.checked for row in self.rows)

    @property
    def run_count(self) -> int:
        """Runs, all endings."""
        return sum(run.endings.total() for run in self.runs)

    def of(self, *verdicts: str) -> list[Row]:
        """The rows with one of these verdicts, in the plan's order."""
        return [row for row in self.rows if row.verdict in verdicts]

    def found(self, verdict: str) -> list[Finding]:
        """The findings whose clause has this verdict, FAIL or WAIVED, in order."""
        return [finding for finding in self.findings if finding.row.verdict == verdict]

    def failures(self, verdict: str) -> list[Row]:
        """The rows with this verdict, FAIL or WAIVED: those of the findings, then those that summarize others."""
        first = [finding.row for finding in self.found(verdict)]
        return first + [row for row in self.of(verdict) if row not in first]

    def reasons(self, verdict: str) -> list[tuple[str, list[Row]]]:
        """The rows of a verdict by their reason, the most frequent reason first."""
        groups: dict[str, list[Row]] = {}
        for row in self.of(verdict):
            groups.setdefault(row.reason, []).append(row)
        return sorted(groups.items(), key=lambda group: -len(group[1]))

    @property
    def flagged(self) -> list[WaiverRow]:
        """The waivers that somebody has to look at."""
        return [row for row in self.waivers if row.state != IN_USE]

    @property
    def passed(self) -> bool:
        """The verdict is PASS."""
        return self.verdict == "PASS"

    @property
    def verdict(self) -> str:
        """FAIL if a clause fails that no waiver covers, a run ended in an error, or something is wrong with the
        evidence. NOT JUDGED, whatever is waived, if nothing was checked, nothing of some run could be judged, or less
        than half of all. Else PASS.
        """
        if self.counts["FAIL"] or self.broken or self.problems:
            return "FAIL"
        return "PASS" if self.checked and not self.unread and self.judged >= MOSTLY else "NOT JUDGED"

    @property
    def exit_code(self) -> int:
        """0 for PASS with no goal missed, else 1: the verdict is about the clauses, this about the sign-off."""
        return 0 if self.passed and not plan_goals.missed(self.goals) else 1

    @property
    def sentence(self) -> str:
        """The verdict in one sentence, without the word itself."""
        n = self.counts
        said = []
        if not self.checked:
            said.append("Nothing was checked, and that proves nothing")
        if n["FAIL"]:
            found = [finding.id for finding in self.found("FAIL")] or [row.id for row in self.of("FAIL")]
            shown = ", ".join(found[:NAMED]) + (f" and {len(found) - NAMED} more" if len(found) > NAMED else "")
            checked = n["FAIL"] + n["PASS"] + n["WAIVED"] + n["NOT JUDGED"]
            fails = f"{n['FAIL']} of {_s(checked, 'clause')} checked {'fails' if n['FAIL'] == 1 else 'fail'}"
            said.append(f"{_s(len(found), 'finding')}: {shown}; {fails}")
        elif self.checked:
            said.append(
                f"{_s(n['PASS'], 'clause')} {_s(n['PASS'], 'holds', 'hold', False)} in {self.checked:,} checks of"
                f" {_s(self.run_count, 'run')}"
            )
        if self.broken:
            said.append(f"{_s(len(self.broken), 'run')} ended in an error")
        if self.applicable:
            share = percent(self.observed / self.applicable)
            said.append(f"{share} of the {_s(self.applicable, 'applicable clause')} observed")
        if self.judged < 1:
            enough = "" if self.judged >= MOSTLY else ", too little for a PASS"
            said.append(f"{percent(self.judged)} of the {self.unit} judged{enough}")
        rest = [f"{n[verdict]} {verdict}" for verdict in ("NOT JUDGED", "NOT-RUN", "WAIVED", "N/A") if n[verdict]]
        if rest:
            said.append(", ".join(rest))
        if goals := plan_goals.sentence(self.goals):
            said.append(goals)
        states = Counter(row.state for row in self.flagged)
        if states:
            said.append(f"of the waivers {', '.join(f'{count} {state}' for state, count in sorted(states.items()))}")
        evidence = [*self.problems[:1], *(f"Nothing in run {name} could be judged" for name in self.unread[:1])]
        return " ".join(f"{text.rstrip('.')}." for text in (*evidence, "; ".join(said)))


def percent(share: float) -> str:
    """A share as a percentage; never 0 % of what was judged in part, nor 100 % of what was not judged whole."""
    exact = 100 * share
    if 0 < exact < 1:
        return "less than 1 %"
    return "more than 99 %" if 99 < exact < 100 else f"{exact:.0f} %"


def _s(n: int, one: str, many: str = "", number: bool = True) -> str:
    word = one if n == 1 else many or one + "s"
    return f"{n:,} {word}" if number else word


def judge(
    subject: Subject,
    results: Iterable[Mapping[str, Any]],
    waivers: Sequence[Waiver] = (),
    today: date | None = None,
    plans: Path = PLANS,
    goals: Sequence[plan_goals.Goal] = (),
) -> Compliance:
    """The report of result.json dicts (jobs/results.py), in the order given.

    A result may have `problems`, sentences about the evidence that forbid a PASS, and a seed of None, where nothing was
    random. PlanError if the plan cannot be read, ComplianceError if there is none, ArgumentError if the system is not
    known.
    """
    results, today = list(results), today or date.today()
    counted = systems.judge(subject.ip).counted if subject.ip in systems.NAMES else Judge.counted
    unit = next((str(r["unit"]) for r in results if r.get("unit")), counted)
    rows = {name: Row(clause) for name, clause in _clauses(subject.ip, results, plans).items()}
    for name in sorted(
        {name for r in results for name in (*r["clauses"], *(f["clause"] for f in r["failures"]))} - set(rows)
    ):
        rows[name] = Row(Clause(name, "", "shall", _UNPLANNED))
    for row in rows.values():
        _count(row, results)
        row.judged = _share(r for r in results if r["clauses"].get(row.id, (0, 0))[0])
    for row in rows.values():
        row.causes = _causes(row, results)
    own = {f["clause"] for r in results for f in r["failures"] if not f.get("cause")}
    for row in rows.values():  # those that summarize others follow from their parts, unless they were found themselves
        parts = [rows[part] for part in row.clause.through if part in rows and rows[part].failed]
        if parts and row.id not in own and all(part.causes for part in parts):
            row.causes = tuple(dict.fromkeys(cause for part in parts for cause in part.causes))
    for row in rows.values():  # nothing follows from itself, nor from what did not fail
        row.causes = tuple(cause for cause in row.causes if cause in own and cause != row.id)
    for row in rows.values():
        row.first = _first(row, rows, results) if row.failed else None
        row.waiver = next((w for w in waivers if w.clause == row.id and w.expires >= today), None)
        row.verdict, row.reason = _verdict(row, subject, unit)
    return Compliance(
        subject, today, list(rows.values()), [_state(waiver, rows.get(waiver.clause), today) for waiver in waivers],
        _runs(results), _broken(results), _problems(results, rows), _findings(rows, results), _share(results),
        [str(r["name"]) for r in results if (found := _judged(r)) is not None and found[1] and not found[0]],
        unit,
        _specifications(subject, plans),
        plan_goals.reached(goals, {subject.ip: list(rows.values())}, today),
    )  # fmt: skip


def _specifications(subject: Subject, plans: Path) -> tuple[Specification, ...]:
    """The texts of the plan that the subject follows; all of them where that is not known."""
    return Plan.load(plans / subject.ip / "plan.toml").texts(subject.variants)


def _judged(result: Mapping[str, Any]) -> tuple[int, int] | None:
    """(instructions that could be judged, instructions that had to be reported); None where that is not known. Of a
    run that was given up none is judged.
    """
    stats = result.get("stats") or {}
    if result.get("unjudged"):
        return 0, max(1, int(stats.get("instructions", 0)))
    return (int(stats["judged"]), int(stats["instructions"])) if "judged" in stats else None


def _share(results: Iterable[Mapping[str, Any]]) -> float:
    """The instructions judged, of those that had to be reported."""
    known = [found for result in results if (found := _judged(result)) is not None]
    total = sum(of for _, of in known)
    return sum(judged for judged, _ in known) / total if total else 1.0


def _causes(row: Row, results: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The clauses from which every failure of a clause follows, or of those that it summarizes; none if one does not,
    or was not kept.
    """
    found: list[str] = []
    for result in results:
        if result["clauses"].get(row.id, (0, 0))[1]:
            parts = [name for name in row.clause.through if result["clauses"].get(name, (0, 0))[1]]
            given = [str(f.get("cause") or "") for f in result["failures"] if f["clause"] in (row.id, *parts)]
            if not given or not all(given):
                return ()
            found += given
    return tuple(dict.fromkeys(found))


def _findings(rows: Mapping[str, Row], results: list[Mapping[str, Any]]) -> list[Finding]:
    """The causes of all failures, those that come first in most runs before the others."""
    leading: Counter[str] = Counter()
    runs: Counter[str] = Counter()
    follows: dict[str, dict[str, None]] = {}
    for result in results:
        own = [f for f in result["failures"] if not f.get("cause")]
        own.sort(key=lambda f: (f.get("at") is None, f.get("at") or 0))
        leading.update(f["clause"] for f in own[:1])
        runs.update({f["clause"] for f in own})
        for failure in result["failures"]:
            if cause := failure.get("cause"):
                follows.setdefault(cause, {})[failure["clause"]] = None
    found = []
    for name, row in rows.items():
        if not row.failed or row.causes or row.first is None or row.first.clause != name:
            continue
        summaries = [other.id for other in rows.values() if other.failed and name in other.clause.through]
        after = [clause for clause in follows.get(name, {}) if rows[clause].causes]
        found.append(Finding(row, max(runs[name], 1), leading[name], [*after, *summaries], _whole(row, results)))
    return sorted(found, key=lambda f: (-f.leading, -f.failing_runs))


def _whole(row: Row, results: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The headlines of further deviations of the whole trace (before its first message) under a clause."""
    headlines = [
        str(failure.get("headline"))
        for result in results
        for failure in result["failures"]
        if failure["clause"] == row.id and not failure.get("cause") and (failure.get("at") or 0) < 0
    ]
    first = row.first.headline if row.first else ""
    return tuple(headline for headline in dict.fromkeys(headlines) if headline != first)


def _clauses(ip: str, results: list[Mapping[str, Any]], plans: Path) -> dict[str, Clause]:
    """The rows of the system's plan, then those of its parts' plans that occurred and apply to its variants."""
    path = plans / ip / "plan.toml"
    if not path.exists():
        raise ComplianceError(f"there is no plan {ip}/{path.name}; known systems are {', '.join(systems.NAMES)}")
    system: Judge | None = systems.judge(ip) if ip in systems.NAMES else None
    found = dict(Plan.load(path).clauses)
    variants = {variant for clause in found.values() for variant in clause.variants}
    met = {name for r in results for name, (checked, _) in r["clauses"].items() if checked}
    for part in system.parts if system else ():
        more = Plan.load(plans / part / "plan.toml").clauses if (plans / part / "plan.toml").exists() else {}
        if met & (set(more) - set(found)):
            found |= {
                name: c
                for name, c in more.items()
                if name not in found and (not c.variants or variants & set(c.variants) or name in met)
            }
    return found


def _count(row: Row, results: list[Mapping[str, Any]]) -> None:
    for result in results:
        checked, failed = result["clauses"].get(row.id, (0, 0))
        reported = sum(f["clause"] == row.id for f in result["failures"])
        failed = max(failed, reported)
        checked = max(checked, failed)
        if checked:
            row.checked, row.failed, row.runs = row.checked + checked, row.failed + failed, row.runs + 1
            row.failing_runs += failed > 0
            row.tests.append(str(result["source"]))
            row.seeds += _seeds(result)
    row.tests, row.seeds = sorted(set(row.tests), key=by_kind), sorted(set(row.seeds))


def _seeds(result: Mapping[str, Any]) -> list[int]:
    """Its seed; none if nothing was random."""
    return [] if result["seed"] is None else [int(result["seed"])]


def by_kind(source: str) -> tuple[int, str]:
    """Order of stimuli: programs, random, everything else."""
    return ({"program": 0, "random": 1}.get(source.partition(":")[0], 2), source)


def _first(row: Row, rows: Mapping[str, Row], results: list[Mapping[str, Any]]) -> First:
    """The first failure that was kept, a cause if there is one; of a clause that summarizes others, theirs; else that
    it was not kept.
    """
    for names, causes in product(((row.id,), row.clause.through), (True, False)):
        for result in results:
            for failure in result["failures"]:
                if failure["clause"] in names and not (causes and failure.get("cause")):
                    headline = str(failure.get("headline") or f"{failure['clause']} does not hold")
                    return _made(
                        result,
                        failure["clause"],
                        headline,
                        str(failure.get("text") or headline),
                        str(failure.get("rerun") or ""),
                    )
    result = next(r for r in results if r["clauses"].get(row.id, (0, 0))[1])
    text = f"{_s(row.failed, 'check')} failed, and no message was kept: a run keeps its first failures only"
    return _made(result, row.id, text, f"FAIL {row.id}  {text}", "")


def _made(result: Mapping[str, Any], clause: str, headline: str, text: str, rerun: str) -> First:
    rerun = rerun or str(result.get("rerun") or "")
    folder = str(result.get("folder") or "") if result.get("left") else ""
    return First(
        clause, headline, text, rerun, str(result["name"]), str(result["source"]), result["seed"], str(result["sim"]),
        folder,
    )  # fmt: skip


def _verdict(row: Row, subject: Subject, unit: str) -> tuple[str, str]:
    """Verdict and reason. What a check found comes before what was declared."""
    why = subject.not_applicable.get(row.id, "")
    if row.failed and row.causes:
        after = ", ".join(row.causes[:NAMED])
        return "NOT JUDGED", f"fails only where the evidence is damaged by {after}"
    if row.failed:
        if row.waiver:
            return "WAIVED", f"{row.waiver.reason} ({row.waiver.owner}, until {row.waiver.expires.isoformat()})"
        return "FAIL", f"declared not applicable: {why}; but a check found it broken" if why else ""
    if row.checked and not row.judged:
        return "NOT JUDGED", "nothing of the trace could be decoded"
    if row.checked:
        return "PASS", f"on {percent(row.judged)} of the {unit}" if row.judged < 1 else ""
    if why:
        return "N/A", why
    if row.clause.status == "later":
        return "NOT-RUN", row.clause.reason
    return "NOT-RUN", front.spoken(subject.not_run.get(row.id, "no run met it"))


def _state(waiver: Waiver, row: Row | None, today: date) -> WaiverRow:
    over = f"expired on {waiver.expires.isoformat()}"
    if row is None:
        return WaiverRow(
            waiver, UNKNOWN, f"there is no clause {waiver.clause} in the plan; correct the id or remove the waiver"
        )
    if row.failed and waiver.expires >= today:
        return WaiverRow(waiver, IN_USE, f"covers {_s(row.failed, 'failed check')} of {row.checked:,}")
    if row.failed and row.waiver:
        return WaiverRow(waiver, EXPIRED, f"{over}; a later one covers the clause, remove this one")
    if row.failed:
        return WaiverRow(waiver, EXPIRED, f"{over}; the failure counts again: repair it or renew the waiver")
    seen = (
        f"passes in {_s(row.checked, 'check')}"
        if row.checked
        else {"N/A": "is not applicable", "NOT-RUN": "was not run", "NOT JUDGED": "was not judged"}[row.verdict]
    )
    also = f"; it {over} as well" if waiver.expires < today else ""
    return WaiverRow(waiver, STALE, f"the clause {seen}{also}; remove the waiver")


def _runs(results: list[Mapping[str, Any]]) -> list[RunRow]:
    groups: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for result in results:
        groups.setdefault((str(result["source"]), str(result["sim"])), []).append(result)
    return [
        RunRow(
            source,
            sim,
            Counter(str(r["verdict"]) for r in runs),
            sorted({seed for r in runs for seed in _seeds(r)}),
            sum(checked for r in runs for checked, _ in r["clauses"].values()),
        )
        for (source, sim), runs in sorted(groups.items(), key=lambda group: (by_kind(group[0][0]), group[0][1]))
    ]


def _broken(results: list[Mapping[str, Any]]) -> list[Broken]:
    return [
        Broken(
            str(r["name"]),
            str(r["source"]),
            str(r["sim"]),
            r["seed"],
            str(r.get("error") or "the run left no reason"),
            str(r.get("rerun") or ""),
        )
        for r in results
        if r["verdict"] == "ERROR"
    ]


def _problems(results: list[Mapping[str, Any]], rows: Mapping[str, Row]) -> list[str]:
    """What is wrong with the evidence."""
    said = []
    for r in results:
        said += map(front.spoken, r.get("problems", []))
        failed = bool(r["failures"]) or any(count for _, count in r["clauses"].values())
        if r["verdict"] not in ENDINGS:
            said.append(
                f"run {r['name']} ended as {r['verdict']!r}, which is none of {', '.join(ENDINGS)}; run it again"
            )
        elif (r["verdict"] == "FAIL" and not failed) or (r["verdict"] == "PASS" and failed):
            said.append(f"run {r['name']} says {r['verdict']}, and its clauses say otherwise; run it again")
    unplanned = [row.id for row in rows.values() if row.clause.what == _UNPLANNED]
    if unplanned:
        said.append(
            f"{', '.join(unplanned[:NAMED])} {'is' if len(unplanned) == 1 else 'are'} in results and not in the plan;"
            " add the row"
        )
    return said
