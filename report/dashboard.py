# SPDX-License-Identifier: Apache-2.0
"""The report of runs as JSON, for dashboards: verdict, systems with clauses, coverage, findings and runs, goals, and
the trend over regressions. `make report JSON=<file>` writes it; dashboard.schema.json, a JSON Schema, describes it.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from pathlib import Path
from typing import Any

from rvtrace.flow.regress.history import Entry
from rvtrace.jobs import files
from rvtrace.report import goals as plan_goals
from rvtrace.report.clauses import chapter
from rvtrace.report.results import CLAUSE_VERDICTS, VERDICTS, Report

SCHEMA = "dashboard/1"  # counts up when a key changes its meaning or goes away
WORD = "a file for the report as JSON, for a dashboard: systems, clauses, goals, coverage, runs, trend"


def write(of: dict[str, Any], path: Path) -> None:
    """Write it; OSError."""
    files.write(path, json.dumps(of, indent=1, ensure_ascii=False) + "\n")


def of(
    reports: Iterable[Report],
    passed: bool,
    sentences: Sequence[str],
    problems: Sequence[str],
    goals: Sequence[plan_goals.Reached],
    regressions: Iterable[Entry],
    revision: str,
) -> dict[str, Any]:
    """What the file has. revision: of the checkout, or empty."""
    return {
        "schema": SCHEMA,
        "written": datetime.now().astimezone().isoformat(timespec="seconds"),
        "revision": revision,
        "verdict": "PASS" if passed else "FAIL",
        "sentences": list(sentences),
        "problems": list(problems),
        "systems": [_system(report) for report in reports if report.results],
        "goals": [plan_goals.to_dict(goal) for goal in goals],
        "regressions": [
            {**asdict(one), "findings": [dict(zip(("ip", "clause", "headline"), found)) for found in one.findings]}
            for one in regressions
        ],
    }


def _system(report: Report) -> dict[str, Any]:
    return {
        "ip": report.ip,
        "title": report.system.title if report.system else report.ip,
        "verdict": "PASS" if report.passed else "FAIL",
        "sentence": report.sentence,
        "problems": list(report.problems),
        "runs_by_verdict": {verdict: report.verdicts[verdict] for verdict in VERDICTS},
        "clauses_by_verdict": {verdict: report.clause_count(verdict) for verdict in CLAUSE_VERDICTS},
        "checks": sum(row.checked for row in report.clauses),
        "coverage": _coverage(report),
        "findings": [
            {
                "clause": bucket.clause, "headline": bucket.headline, "count": bucket.count,
                "runs": sorted(bucket.runs), "rerun": bucket.rerun,
            }
            for bucket in report.buckets
        ],
        "clauses": [
            {
                "id": row.id, "chapter": chapter(row.clause), "section": row.clause.section,
                "level": row.clause.level, "what": row.clause.what, "verdict": row.verdict, "checked": row.checked,
                "failed": row.failed, "runs": row.runs,
            }
            for row in report.clauses
        ],
        "runs": [
            {
                "name": result["name"], "source": result["source"], "sim": result["sim"], "seed": result["seed"],
                "verdict": result["verdict"],
                "checks": sum(checked for checked, _ in result["clauses"].values()),
                "seconds": float(result["stats"].get("seconds", {}).get("total", 0.0)),
            }
            for result in report.results
        ],
    }  # fmt: skip


def _coverage(report: Report) -> dict[str, Any] | None:
    """Bins of all points and of each; None for a system without coverage points."""
    if report.definition is None:
        return None
    hit, bins = report.definition.hit(report.coverage)
    return {
        "hit": hit,
        "bins": bins,
        "percent": round(report.definition.percent(report.coverage), 3),
        "points": [
            {
                "name": row.point.name, "bins": len(row.point.reachable),
                "hit": len(row.point.reachable) - len(row.holes),
            }
            for row in report.points
        ],
    }  # fmt: skip
