# SPDX-License-Identifier: Apache-2.0
"""Everything the report says, computed from result.json files: no HTML here, and no judgement beyond theirs.

`collect(folder)` reads the files; `Report` groups them by system. Whatever is wrong with the evidence (nothing there,
a file that cannot be read, a PASS that checked nothing) is a problem, and a report with a problem is no PASS.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from rvtrace.flow.failures import Bucket, grouped
from rvtrace.jobs import sizes as bits
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, json_of
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.coverage import CoverageError, Definition, Point
from rvtrace.report import listing
from rvtrace.report.charts import Figure
from rvtrace.report.trend import trend
from rvtrace.scoreboards.common.clauses import Clause, Plan, PlanError

VERDICTS = ("PASS", "FAIL", "ERROR")
CLAUSE_VERDICTS = ("PASS", "FAIL", "NOT-RUN")
PARTS = ("simulator", "transport", "encoder", "decoder", "scoreboard", "coverage", "other")
_NEEDED = {
    "ip": str, "name": str, "source": str, "sim": str, "seed": int, "config": dict, "verdict": str, "clauses": dict,
    "failures": list, "coverage": dict, "stats": dict,
}  # fmt: skip


@dataclass
class SourceRow:
    """All runs of one stimulus."""

    source: str
    verdicts: Counter[str]
    modes: set[str]
    variants: set[str]
    xlens: set[int]
    sims: set[str]
    seeds: set[int]
    instructions: int
    checks: int
    seconds: float

    @property
    def verdict(self) -> str:
        """The worst of its runs."""
        return next(v for v in ("ERROR", "FAIL", "PASS") if self.verdicts[v])


@dataclass
class SpeedRow:
    """Where the time of all runs with one simulator and drive went; seconds by part."""

    sim: str
    drive: str
    runs: int
    instructions: int
    total: float
    seconds: dict[str, float]

    @property
    def rate(self) -> float:
        """Retired instructions a second, everything included."""
        return self.instructions / self.total if self.total else 0.0


@dataclass
class ClauseRow:
    """One clause of the plan and what the runs say about it."""

    clause: Clause
    verdict: str
    checked: int
    failed: int
    runs: int

    @property
    def id(self) -> str:
        """The clause's."""
        return self.clause.id

    @property
    def reason(self) -> str:
        """Why no run of this version can check it; empty if one can."""
        return self.clause.reason


@dataclass
class PointRow:
    """One coverage point and its counts."""

    point: Point
    counts: dict[str, dict[str, int]]
    percent: float

    @property
    def holes(self) -> list[str]:
        """Reachable bins without a hit."""
        return self.point.holes(self.counts)

    @property
    def surprises(self) -> list[str]:
        """Excluded bins that were hit."""
        return self.point.surprises(self.counts)

    @property
    def reasons(self) -> Counter[str]:
        """Why bins are excluded, and how many for each reason."""
        return Counter(self.point.unreachable.values())

    @property
    def grid(self) -> list[tuple[str, list[tuple[str, str, int]]]]:
        """Rows along the first axis (one row if there is but one): (row name, [(bin, state, hits)])."""
        hits = self.counts.get(self.point.name, {})
        cells = []
        for name in self.point.bins:
            state = "hit" if hits.get(name) else "out" if name in self.point.unreachable else "hole"
            cells.append((name, state, hits.get(name, 0)))
        rows = next(iter(self.point.axes.values())) if len(self.point.axes) > 1 else ("",)
        width = len(cells) // len(rows)
        return [(row, cells[i * width : (i + 1) * width]) for i, row in enumerate(rows)]


def collect(folder: Path, only: Iterable[Path] | None = None) -> tuple[list[dict[str, Any]], list[str]]:
    """The results below a folder, or only those in some folders, and one sentence for each file that is not one."""
    results, problems = [], []
    paths = folder.rglob("result.json") if only is None else (place / "result.json" for place in only)
    for path in sorted(paths):
        try:
            result = json_of(path.read_text())
            fault = _fault(result)
        except ValueError:
            fault = "it is not JSON, or was cut off"
        except OSError as error:
            fault = str(error.strerror)
        if fault:
            problems.append(f"{path} is not a usable result ({fault}); run that job again")
            continue
        result["path"] = str(path)
        results.append(result)
    if not results and not problems:
        problems.append(f"there is no result.json below {folder}; run something first, for instance `make`")
    return results, problems


def _fault(result: Any) -> str:
    """What makes a result unusable, or an empty text."""
    if not isinstance(result, dict):
        return "it is not a JSON object"
    for key, kind in _NEEDED.items():
        if not isinstance(result.get(key), kind):
            return f"{key} is {'missing' if key not in result else 'not ' + kind.__name__}"
    if result["verdict"] not in VERDICTS:
        return f"verdict is {result['verdict']!r}, not PASS, FAIL or ERROR"
    for name, counts in result["clauses"].items():
        if not (isinstance(counts, list) and len(counts) == 2 and all(isinstance(n, int) for n in counts)):
            return f"clause {name} has not two counts"
    if not all(isinstance(f, dict) and isinstance(f.get("clause"), str) for f in result["failures"]):
        return "a failure without clause"
    stats = result["stats"]
    seconds = stats.get("seconds", {})
    numbers = [v for k, v in stats.items() if k != "seconds"] + [
        *(seconds.values() if isinstance(seconds, dict) else [None])
    ]
    if not all(isinstance(n, (int, float)) for n in numbers):
        return "stats holds something that is not a number"
    if result["verdict"] == "PASS":
        if result["failures"] or any(failed for _, failed in result["clauses"].values()):
            return "it says PASS and lists failures"
        if not any(checked for checked, _ in result["clauses"].values()):
            return "it says PASS and checked nothing"
    return ""


def _system(ip: str) -> SystemBench | None:
    try:
        return systems.bench(ip)
    except ArgumentError:
        return None


def _united(plans: Iterable[Path]) -> dict[str, Clause]:
    """The rows of a system's plan, then those of its parts' plans that hold in one of the system's variants."""
    rows: dict[str, Clause] = {}
    variants: set[str] = set()
    for path in plans:
        more = Plan.load(path).clauses
        variants = variants or {name for clause in more.values() for name in clause.variants}
        rows |= {
            name: clause for name, clause in more.items() if not clause.variants or variants & set(clause.variants)
        }
    return rows


class Report:
    """What all results together say about one system.

    results: of this system only. problems: sentences about the evidence itself. plan: None if it cannot be read.
    """

    def __init__(self, ip: str, results: list[dict[str, Any]], problems: Iterable[str], *plans: Path) -> None:
        self.ip, self.results, self.problems = ip, results, list(problems)
        self.plan: Plan | None = None
        try:
            self.plan = Plan(_united(plans))
        except PlanError as error:
            self.problems.append(str(error))
        self.system = _system(ip)
        self.definition: Definition | None = self.system.definition if self.system else None
        self.counted = self.system.counted if self.system else "instructions"
        self.coverage = self._coverage()

    def _coverage(self) -> dict[str, dict[str, int]]:
        if self.definition is None:
            self.problems.append(f"there are no coverage points for {self.ip}; known are {', '.join(systems.NAMES)}")
            return {}
        good = []
        bad: dict[str, list[str]] = defaultdict(list)
        for result in self.results:
            if not result["coverage"]:  # a run that ended in ERROR has none
                continue
            try:
                good.append(self.definition.merge([result["coverage"]]))
            except (CoverageError, AttributeError, TypeError) as error:
                bad[str(error)].append(result["path"])
        for why, paths in bad.items():
            self.problems.append(f"{paths[0]}{f' and {len(paths) - 1} more' if len(paths) > 1 else ''}: {why}")
        return self.definition.merge(good)

    @cached_property
    def verdicts(self) -> Counter[str]:
        """How many runs ended how."""
        return Counter(r["verdict"] for r in self.results)

    @cached_property
    def clauses(self) -> list[ClauseRow]:
        """Every clause of the plan in its order, then those the results name and the plan does not have."""
        total: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
        for result in self.results:
            for name, (checked, failed) in result["clauses"].items():
                total[name][0] += checked
                total[name][1] += failed
                total[name][2] += checked > 0
        known = dict(self.plan.clauses) if self.plan else {}
        for name in sorted(set(total) - set(known)):
            known[name] = Clause(name, "", "shall", "(not in the plan)")
        verdicts = Plan(known).verdicts({name: counts[:2] for name, counts in total.items()})
        return [ClauseRow(c, verdicts[name], *total[name]) for name, c in known.items()]

    def clause_count(self, verdict: str) -> int:
        """Number of clauses with this verdict."""
        return sum(row.verdict == verdict for row in self.clauses)

    @property
    def counts(self) -> dict[str, int]:
        """Clauses by verdict."""
        return {verdict: self.clause_count(verdict) for verdict in CLAUSE_VERDICTS}

    @cached_property
    def unplanned(self) -> list[str]:
        """Clauses that results name and the plan does not have."""
        return [row.clause.id for row in self.clauses if self.plan and row.clause.id not in self.plan]

    @property
    def passed(self) -> bool:
        """All runs passed, no clause failed, nothing is wrong with the evidence or with what coverage excludes."""
        bad = self.verdicts["FAIL"] + self.verdicts["ERROR"] + self.clause_count("FAIL") + len(self.surprises)
        return bool(self.results) and not bad and not self.problems

    @cached_property
    def surprises(self) -> list[str]:
        """Bins that were hit although their coverage point excludes them as impossible: point and bin."""
        return [f"{row.point.name} {name}" for row in self.points for name in row.surprises]

    @cached_property
    def sentence(self) -> str:
        """The verdict in one sentence."""
        runs, not_run = len(self.results), self.clause_count("NOT-RUN")
        if self.passed:
            rest = f"; {not_run} clauses of the plan were not run" if not_run else ""
            return (
                f"{f'All {runs} runs' if runs > 1 else 'The run'} passed: {self.clause_count('PASS')} clauses held in "
                f"{sum(row.checked for row in self.clauses):,} checks{rest}."
            )
        said = []
        if self.verdicts["FAIL"]:
            failed = [row.clause.id for row in self.clauses if row.verdict == "FAIL"]
            shown = ", ".join(failed[:4]) + (" and others" if len(failed) > 4 else "")
            said.append(f"{self.verdicts['FAIL']} of {runs} runs failed" + (f", against {shown}" if failed else ""))
        if self.verdicts["ERROR"]:
            said.append(f"{self.verdicts['ERROR']} of {runs} runs ended in an error before they could be judged")
        if self.problems:
            said.append(
                self.problems[0] if len(self.problems) == 1 else f"{len(self.problems)} problems with the evidence"
            )
        if self.surprises:
            shown = ", ".join(self.surprises[:4]) + (" and others" if len(self.surprises) > 4 else "")
            said.append(f"coverage excludes what was hit, {shown}: the exclusion or the design is wrong")
        return "; ".join(said) + "."

    @cached_property
    def points(self) -> list[PointRow]:
        """Every coverage point."""
        if self.definition is None:
            return []
        return [
            PointRow(p, self.coverage, self.definition.percent(self.coverage, p.name)) for p in self.definition.points
        ]

    @cached_property
    def sources(self) -> list[SourceRow]:
        """Programs first, then random, then scenarios."""
        groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
        for result in self.results:
            groups[result["source"]].append(result)
        order = {"program": 0, "random": 1}
        return [
            SourceRow(
                source,
                Counter(r["verdict"] for r in runs),
                {str(r["config"]["mode"]) for r in runs if "mode" in r["config"]},
                {str(r["config"]["variant"]) for r in runs if "variant" in r["config"]},
                {bits.xlen(r["config"]) for r in runs},
                {f"{r['sim']}, {r.get('drive', '?')}" for r in runs},
                {r["seed"] for r in runs},
                sum(r["stats"].get(self.counted, 0) for r in runs),
                sum(checked for r in runs for checked, _ in r["clauses"].values()),
                sum(r["stats"].get("seconds", {}).get("total", 0.0) for r in runs),
            )
            for source, runs in sorted(groups.items(), key=lambda g: (order.get(g[0].split(":")[0], 2), g[0]))
        ]

    @cached_property
    def buckets(self) -> list[Bucket]:
        """Failures and errors, the most frequent first."""
        return grouped(self.results)

    @cached_property
    def bits(self) -> bits.Table | None:
        """Bits per instruction of the real programs; None if the system has no such table."""
        return bits.Table.of(self.system.sizes, self.results) if self.system and self.system.sizes else None

    @cached_property
    def figures(self) -> list[Figure]:
        """Charts that only this system has."""
        return self._listed("figures")

    @cached_property
    def trend(self) -> Figure | None:
        """How the speed of the system went; None if nothing was kept of it."""
        return trend(self.ip)

    @cached_property
    def shown(self) -> list[tuple[str, str, str]]:
        """(name, line, text) of each result that has something to show that only this system has."""
        return self._listed("shown")

    @property
    def shown_as(self) -> tuple[str, str]:
        """Heading and introduction of what `shown` gives."""
        return getattr(listing.of(self.ip), "SHOWN", ("", ""))

    def _listed(self, what: str) -> list[Any]:
        """What a function of report/listing/<ip>.py makes of the results; nothing if there is none."""
        found = getattr(listing.of(self.ip), what, None) if self.system else None
        return found(self.results) if found else []

    @cached_property
    def speed(self) -> list[SpeedRow]:
        """Time by simulator and drive; `other` is what no part claims."""
        groups: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
        for result in self.results:
            groups[result["sim"], str(result.get("drive", "?"))].append(result["stats"])
        rows = []
        for (sim, drive), stats in sorted(groups.items()):
            seconds: dict[str, float] = {
                part: sum(s.get("seconds", {}).get(part, 0.0) for s in stats) for part in PARTS
            }
            total = max(sum(s.get("seconds", {}).get("total", 0.0) for s in stats), sum(seconds.values()))
            seconds["other"] = total - sum(seconds[part] for part in PARTS[:-1])
            rows.append(SpeedRow(sim, drive, len(stats), sum(s.get(self.counted, 0) for s in stats), total, seconds))
        return rows
