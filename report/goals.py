# SPDX-License-Identifier: Apache-2.0
"""Goals of a sign-off (a verification plan): per group of clauses the share that has to hold, who answers for it, and
the milestone by which.

    goals = read(path)                 goals.toml of a user; GoalError in one sentence
    found = reached(goals, {ip: rows}, today)

docs/reference/compliance-report.md describes the file. `rvtrace new goals` writes one with every chapter of a plan.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Protocol

from rvtrace.jobs import systems
from rvtrace.models.common import shown
from rvtrace.report.clauses import chapter, chapters
from rvtrace.scoreboards.common.clauses import Clause, Plan

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib  # pyright: ignore[reportMissingImports]  # installed with Python 3.10 only

PLANS = Path(__file__).resolve().parent.parent / "scoreboards"
WORD = "goals.toml: per group of clauses the share to reach, owner and milestone (`rvtrace new KIND=goals` writes one)"
REACHED, OPEN, MISSED, NONE = "reached", "open", "missed", "not applicable"
HELD = ("PASS", "WAIVED")  # verdicts that count as reached: a waiver is accepted by its owner
NAMED = 3  # goals that a sentence names
_KEYS = ("group", "goal", "owner", "milestone", "due", "ip", "chapters", "clauses")


class GoalError(ValueError):
    """A goals.toml that cannot be used; the text says where and what to write."""


@dataclass(frozen=True)
class Goal:
    """One goal. share: percent of the applicable clauses of the group that have to hold. due: the last day on which it
    may be open; None: it may not. ip: of the clauses, "" for any system. chapters: their titles. clauses: ids, in which
    * is any text.
    """

    group: str
    share: float
    owner: str
    milestone: str
    due: date | None
    ip: str
    chapters: tuple[str, ...]
    clauses: tuple[str, ...]

    def has(self, ip: str, clause: Clause) -> bool:
        """Whether a clause of a system is in the group."""
        if self.ip and self.ip != ip:
            return False
        return chapter(clause) in self.chapters or any(fnmatchcase(clause.id, one) for one in self.clauses)


class _Row(Protocol):
    @property
    def clause(self) -> Clause: ...

    @property
    def verdict(self) -> str: ...


@dataclass(frozen=True)
class Reached:
    """What became of a goal. counts: the clauses of its group by verdict. state: reached; open, until its day is over;
    missed; or not applicable, if no clause of the group applies.
    """

    goal: Goal
    counts: Mapping[str, int]
    state: str

    @property
    def applicable(self) -> int:
        """Clauses of the group that are not N/A."""
        return sum(count for verdict, count in self.counts.items() if verdict != "N/A")

    @property
    def held(self) -> int:
        """Of these, those that hold, or are waived."""
        return sum(self.counts.get(verdict, 0) for verdict in HELD)

    @property
    def share(self) -> float:
        """Percent of the applicable clauses that hold."""
        return 100 * self.held / self.applicable if self.applicable else 0.0

    @property
    def text(self) -> str:
        """The group, how far it is, and who answers for it."""
        who = ", ".join(filter(None, (self.goal.owner, self.goal.milestone)))
        return f"{self.goal.group} {percent(self.share)} of {percent(self.goal.share)}" + (f" ({who})" if who else "")


def percent(share: float) -> str:
    """A percentage, rounded down: what has not reached a goal does not look as if it had."""
    return f"{int(share * 10 + 1e-9) / 10:g} %"


def reached(goals: Iterable[Goal], rows: Mapping[str, Sequence[_Row]], today: date) -> tuple[Reached, ...]:
    """What became of the goals. rows: the clauses of each system reported; a goal of another one is left out."""
    found = []
    for goal in goals:
        of = [row for ip, some in rows.items() for row in some if goal.has(ip, row.clause)]
        if of:
            found.append(_reached(goal, Counter(row.verdict for row in of), today))
    return tuple(found)


def _reached(goal: Goal, counts: Mapping[str, int], today: date) -> Reached:
    one = Reached(goal, counts, NONE)
    if not one.applicable:
        return one
    if 100 * one.held >= goal.share * one.applicable:
        return Reached(goal, counts, REACHED)
    return Reached(goal, counts, OPEN if goal.due is not None and today <= goal.due else MISSED)


def missed(found: Iterable[Reached]) -> list[Reached]:
    """The goals that are missed."""
    return [one for one in found if one.state == MISSED]


def sentence(found: Sequence[Reached]) -> str:
    """What the verdict says of the goals; empty if there are none."""
    asked = [one for one in found if one.state != NONE]
    if not asked:
        return ""
    said = f"{sum(one.state == REACHED for one in asked)} of {len(asked)} goal{'s' * (len(asked) > 1)} reached"
    bad = missed(asked)
    if bad:
        more = f" and {len(bad) - NAMED} more" if len(bad) > NAMED else ""
        said += f", missed: {', '.join(one.text for one in bad[:NAMED])}{more}"
    return said


def to_dict(one: Reached) -> dict[str, Any]:
    """For tools."""
    goal = one.goal
    return {
        "group": goal.group,
        "goal": goal.share,
        "reached": round(one.share, 3),
        "held": one.held,
        "applicable": one.applicable,
        "state": one.state,
        "owner": goal.owner,
        "milestone": goal.milestone,
        "due": goal.due.isoformat() if goal.due else None,
    }


def read(path: Path, plans: Path = PLANS) -> list[Goal]:
    """The goals of a file; GoalError if it cannot be read, or names what no plan has."""
    try:
        found = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise GoalError(f"GOALS={path} cannot be read ({error.strerror}); give a goals.toml") from None
    except (ValueError, RecursionError) as error:  # of UTF-8 as well as of TOML
        raise GoalError(f"GOALS={path} is no TOML ({shown.line(str(error))}); correct it") from None
    found = shown.values(found)
    rows = found.pop("goal", None)
    if found:
        raise GoalError(f"{path}: {next(iter(found))} is not known; a goals.toml has [[goal]] tables only")
    if not isinstance(rows, list) or not rows or not all(isinstance(row, dict) for row in rows):
        raise GoalError(f"{path} has no list of tables goal; write [[goal]], with two brackets, above each")
    goals = [_goal(row, f"{path}: [[goal]] {number}") for number, row in enumerate(rows, 1)]
    groups = Counter(goal.group for goal in goals)
    if twice := next((group for group, count in groups.items() if count > 1), ""):
        raise GoalError(f"{path}: group {twice!r} is given twice; give each goal its own name")
    _in_plans(goals, path, plans)
    return goals


def _goal(row: Mapping[str, Any], where: str) -> Goal:
    unknown = next((key for key in row if key not in _KEYS), None)
    if unknown is not None:
        near = get_close_matches(unknown, _KEYS, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise GoalError(f"{where} has an unknown key {unknown}; {hint}it has {', '.join(_KEYS)}")
    texts = {key: row.get(key, "") for key in ("group", "owner", "milestone", "ip")}
    for key, text in texts.items():
        if not isinstance(text, str):
            raise GoalError(f'{where}: {key} is {text!r}, and not a text; write {key} = "..."')
    if not texts["group"].strip():
        raise GoalError(f'{where} has no group; write group = "<its name>"')
    share = row.get("goal")
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 100:
        raise GoalError(f"{where}: goal is {share!r}, and not a percentage; write goal = 0 to 100")
    due = row.get("due")
    if due is not None and (not isinstance(due, date) or isinstance(due, datetime)):
        raise GoalError(f"{where}: due is {str(due)!r}, and not a day; write due = 2030-12-31, without quotes")
    if texts["ip"] and texts["ip"] not in systems.NAMES:
        raise GoalError(f"{where}: ip is {texts['ip']!r}; known are {', '.join(systems.NAMES)}")
    lists = {key: row.get(key, []) for key in ("chapters", "clauses")}
    for key, names in lists.items():
        if not isinstance(names, list) or not all(isinstance(name, str) and name for name in names):
            raise GoalError(f'{where}: {key} is no list of texts; write {key} = ["..."]')
    if not any(lists.values()):
        raise GoalError(f"{where} names no clause; give chapters = [...] or clauses = [...]")
    return Goal(
        texts["group"], float(share), texts["owner"], texts["milestone"], due, texts["ip"],
        tuple(lists["chapters"]), tuple(lists["clauses"]),
    )  # fmt: skip


def _in_plans(goals: Iterable[Goal], path: Path, plans: Path) -> None:
    """GoalError for a chapter or an id that no plan of the goal's system has."""
    every = {place.parent.name: list(Plan.load(place).clauses.values()) for place in sorted(plans.glob("*/plan.toml"))}
    for goal in goals:
        if goal.ip:
            names = (goal.ip, *systems.judge(goal.ip).parts)
            of = [clause for name in names for clause in every.get(name, ())]
        else:
            of = [clause for some in every.values() for clause in some]
        ids, titles = [clause.id for clause in of], list(dict.fromkeys(map(chapter, of)))
        for title in goal.chapters:
            if title not in titles:
                raise GoalError(f"{path}: chapter {title!r} of {goal.group!r} is in no plan{_near(title, titles)}")
        for name in goal.clauses:
            if not any(fnmatchcase(one, name) for one in ids):
                raise GoalError(f"{path}: no clause is {name!r}, of {goal.group!r}{_near(name, ids)}")


def _near(name: str, known: Sequence[str]) -> str:
    near = get_close_matches(name, known, 1, 0.4)
    return f"; did you mean {near[0]!r}?" if near else "; the page of a report lists them"


def template(ip: str, plans: Path = PLANS) -> str:
    """A goals.toml with all chapters of a system's plan, each of which has to hold whole."""
    lines = [
        f"# Goals of a sign-off of {systems.judge(ip).title}: give it as GOALS= of a check or a report.",
        "# goal: percent of the applicable clauses of the group that have to hold.",
        "# due, a day such as 2030-12-31, can be added: up to that day a goal is open, after it missed.",
        "# A group can have several chapters; instead of them, or beside them, clauses = [...] names ids of clauses,",
        "# in which * is any text.",
    ]
    for name, _ in chapters([_Planned(clause) for clause in Plan.load(plans / ip / "plan.toml").clauses.values()]):
        lines += [
            "", "[[goal]]", f"group = {_quoted(name)}", f"chapters = [{_quoted(name)}]", f'ip = "{ip}"', "goal = 100",
            'owner = ""', 'milestone = ""',
        ]  # fmt: skip
    return "\n".join([*lines, ""])


@dataclass(frozen=True)
class _Planned:
    clause: Clause


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
