# SPDX-License-Identifier: Apache-2.0
"""One HTML page about everything that was run: index.html (self-contained; a page of all systems begins with a
comparison) and coverage (for existing viewers).
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader
from markupsafe import Markup

from rvtrace.flow.failures import Bucket
from rvtrace.flow.regress.history import read as read_history
from rvtrace.jobs import files, systems
from rvtrace.jobs.arguments import short, typed
from rvtrace.jobs.builds import ROOT
from rvtrace.report import clauses, dashboard, history, junit, runs, summary
from rvtrace.report import goals as plan_goals
from rvtrace.report.charts import Bar, bars
from rvtrace.report.closing import Step, steps
from rvtrace.report.failure_text import Shown, shown
from rvtrace.report.results import CLAUSE_VERDICTS, PARTS, Report, collect
from rvtrace.tb.common.coverage.export import export

OUT = Path("build/report")
PLANS = ROOT / "scoreboards"


def write(
    results: Path,
    out: Path = OUT,
    plans: Path = PLANS,
    cover: dict[str, Any] | None = None,
    only: Iterable[Path] | None = None,
    junit_file: str | None = None,
    regressions: Path | None = None,
    goals: Iterable[plan_goals.Goal] = (),
    json_file: str | None = None,
) -> bool:
    """Write the page about every result.json below a folder, and say where; whether the verdict is PASS, and no goal
    missed. cover: as `render`. only: the folders of these results instead of all. junit_file: for the results as
    JUnit's XML. regressions: what earlier regressions left (rvtrace.flow.regress.history). goals: of a sign-off.
    json_file: for the report as JSON (report/dashboard.py).
    """
    reports, problems = load(results, plans, only)
    passed, sentences = verdict(reports, problems)
    found = plan_goals.reached(goals, {report.ip: report.clauses for report in reports}, date.today())
    if said := plan_goals.sentence(found):
        sentences.append(f"{said}.")
    page = out / "index.html"
    try:
        if junit_file is not None:
            junit.write(junit.of_results((r for report in reports for r in report.results), problems), Path(junit_file))
        if json_file is not None:
            entries = read_history(regressions) if regressions is not None else []
            made = dashboard.of(reports, passed, sentences, problems, found, entries, _revision())
            dashboard.write(made, Path(json_file))
        files.write(page, render(reports, problems, str(results), cover, regressions, found))
        _leave_beside(reports, problems, out)
    finally:  # what was found is said whatever happens to the report
        print(f"{'PASS' if passed else 'FAIL'}  {' '.join(sentences)}", flush=True)
    print(f"report: {page}")
    return passed and not plan_goals.missed(found)


def _leave_beside(reports: list[Report], problems: list[str], out: Path) -> None:
    """Coverage for other viewers, and the summary."""
    for report in reports:
        if report.definition is not None:
            export(report.definition, report.coverage, out / "coverage")
    passed, sentences = verdict(reports, problems)
    titles = {report.ip: title(report) for report in reports}
    summary.leave(summary.of_reports(title_of_all(reports), passed, sentences, reports, titles), out)


def load(results: Path, plans: Path, only: Iterable[Path] | None = None) -> tuple[list[Report], list[str]]:
    """A report for each system that was run (N-Trace if none was), and the problems that belong to none."""
    found, problems = collect(results, only)
    place = {ip: n for n, ip in enumerate(systems.NAMES)}
    names = sorted({r["ip"] for r in found}, key=lambda ip: (place.get(ip, len(place)), ip)) or [systems.NAMES[0]]
    return [Report(ip, [r for r in found if r["ip"] == ip], [], *_plans(ip, plans)) for ip in names], problems


def _plans(ip: str, plans: Path) -> list[Path]:
    """The plan of a system, and those of the parts it is run with."""
    parts = systems.judge(ip).parts if ip in systems.NAMES else ()
    return [plans / ip / "plan.toml", *(path for part in parts if (path := plans / part / "plan.toml").exists())]


def verdict(reports: list[Report], problems: list[str]) -> tuple[bool, list[str]]:
    """Whether all passed, and the sentences that say so: one for each system that was run."""
    if not any(r.results for r in reports):
        return False, [problems[0]] if len(problems) == 1 else ["No usable result was found."]
    said = [r.sentence if len(reports) == 1 else f"{title(r)}: {r.sentence}" for r in reports]
    if problems:
        said.append(f"{len(problems)} result file{'s are' if len(problems) > 1 else ' is'} not usable.")
    return not problems and all(r.passed for r in reports), said


def _said(reports: list[Report]) -> list[str]:
    """The sentences of a page of several systems: one for each that did not pass, one for all others."""
    good = [r for r in reports if r.passed]
    said = [f"{title(r)}: {r.sentence}" for r in reports if not r.passed]
    if good:
        runs, held = sum(len(r.results) for r in good), sum(r.clause_count("PASS") for r in good)
        checks = sum(row.checked for r in good for row in r.clauses)
        named = f"{', '.join(map(title, good[:-1]))} and {title(good[-1])}" if len(good) > 1 else title(good[0])
        said.append(f"{named}: all {runs:,} runs passed, {held:,} clauses held in {checks:,} checks.")
    return said


def title_of_all(reports: list[Report]) -> str:
    """The name of the systems of a page."""
    return "RISC-V trace IP" if len(reports) > 3 else " and ".join(map(title, reports))


def render(
    reports: list[Report],
    problems: list[str],
    folder: str,
    cover: dict[str, Any] | None = None,
    regressions: Path | None = None,
    goals: Sequence[plan_goals.Reached] = (),
) -> str:
    """The page. cover: what `make cover` left (flow/cover/data.py). regressions: as `write`. goals: of a sign-off."""
    passed, sentences = verdict(reports, problems)
    found = problems + [p for r in reports for p in r.problems]
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("report.html.j2").render(
        title=title_of_all(reports),
        regressions=history.figures(regressions),
        runs_of=runs.rows,
        chapters_of=clauses.chapters,
        steps_of=_steps,
        parts_of=_parts,
        counts={verdict: sum(r.counts[verdict] for r in reports) for verdict in CLAUSE_VERDICTS},
        findings=sorted(((r, b) for r in reports for b in r.buckets), key=lambda found: -found[1].count),
        speeds_of=runs.speeds,
        viewed=viewed,
        passed=passed,
        said=(_said(reports) if len(reports) > 1 else sentences)
        + [f"{said}." for said in [plan_goals.sentence(goals)] if said],
        goals=goals,
        goal_percent=plan_goals.percent,
        problems=[p for p in found if [p] != sentences and f"{p}." not in sentences],
        reports=reports,
        overview=len(reports) > 1,
        formats=formats(reports),
        cover=cover,
        cover_command=typed("cover", {}),
        folder=folder,
        written=datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %Z"),
        revision=_revision(),
        parts=PARTS,
        title_of=title,
        chart_of=chart_of,
        heat=heat,
        percent=lambda value: f"{int(value * 10) / 10:g}",  # rounded down: 100 means all
    )


def _steps(report: Report) -> list[Step]:
    """What closes the clauses that were not run; nothing if nothing was run at all."""
    return steps(row for row in report.clauses if row.verdict == "NOT-RUN") if report.results else []


def _parts(report: Report, bucket: Bucket) -> Shown:
    """The parts of a failure."""
    known = report.plan.clauses if report.plan else {}
    return shown(bucket.headline, bucket.text, known[bucket.clause].what if bucket.clause in known else "")


def title(report: Report) -> str:
    """The name of a report's system for people."""
    return report.system.title if report.system else report.ip


def heat(state: str, hits: int) -> str:
    """The class of a bin's cell: darker with each power of ten."""
    return f"h{min(5, len(str(hits)))}" if state == "hit" else state


def viewed(path: str, clause: str) -> tuple[str, bool]:
    """Of a failing run its page in the viewer as an address, at the first finding of a clause, or the command that
    makes one; whether it is there.
    """
    page = Path(path).resolve().parent / "view.html"
    if page.is_file():
        return f"{page.as_uri()}#f={quote(clause)}", True
    return typed("view", {"IN": short(page.parent)}), False


def chart_of(report: Report, head: str = "", kind: int = 0) -> Markup:
    """Mean bits per instruction of each method as a bar, with a line at the published mean."""
    return bars(_methods(report, head, kind))


def formats(reports: list[Report]) -> Markup | None:
    """The same of all systems in one chart; None unless there are two that have it."""
    having = [r for r in reports if r.bits and r.bits.runs]
    if len(having) < 2:
        return None
    return bars([bar for kind, r in enumerate(having) for bar in _methods(r, title(r), kind)], each=True)


def _methods(report: Report, head: str, kind: int) -> list[Bar]:
    table = report.bits
    assert table is not None
    means = [table.mean(m) for m in range(len(table.sizes.methods))]
    return [
        Bar(method.name, mean and mean[0], method.published[0], kind, head if not m else "")
        for m, (method, mean) in enumerate(zip(table.sizes.methods, means))
    ]


def _revision() -> str:
    """The revision of this checkout, with + if files differ from it; empty outside git."""
    try:
        said = subprocess.run(
            ["git", "describe", "--always", "--dirty=+"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=10,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return ""
    return said.stdout.strip()
