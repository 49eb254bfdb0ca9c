# SPDX-License-Identifier: Apache-2.0
"""What a campaign of mutants found (rvtrace.flow.faults.campaign): as JSON, as a page and in the terminal."""

from __future__ import annotations

import datetime
import importlib.metadata
import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from rvtrace.flow import simulators
from rvtrace.flow.faults.campaign import (
    ASSERTION,
    CLAUSE,
    EQUIVALENT,
    KILLED,
    REFUSED,
    SURVIVED,
    TIMEOUT,
    TRACEBACK,
    Row,
    Subject,
)
from rvtrace.flow.faults.generate import Chosen
from rvtrace.flow.faults.operators import OPERATORS
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

FILE = "mutation.json"
HOW = (CLAUSE, ASSERTION, TIMEOUT, TRACEBACK)
_SAID = {
    CLAUSE: "by a clause", ASSERTION: "by an assertion", TIMEOUT: "by a timeout", 
    TRACEBACK: "by an exception of the testbench",
}  # fmt: skip


def summary(subject: Subject, chosen: Chosen, rows: list[Row], command: str, seconds: float) -> dict[str, Any]:
    """Everything that a report needs, as plain values."""
    refused = sum(row.state == REFUSED for row in rows)
    rows = [row for row in rows if row.state != REFUSED]
    killers = Counter(row.by for row in rows if row.how == CLAUSE)
    return {
        "name": subject.name,
        "ip": subject.ip,
        "title": subject.title,
        "device": subject.design.device,
        "command": command,
        "date": datetime.date.today().isoformat(),
        "versions": {
            "simulator": simulators.find(subject.sim).version,
            "pyslang": importlib.metadata.version("pyslang"),
        },
        "seconds": round(seconds, 1),
        "places": chosen.sites,
        "dropped": chosen.dropped | ({"refused by the simulator": refused} if refused else {}),
        "total": _counts(rows),
        "files": {name: _counts(row for row in rows if row.file == name) for name in chosen.sites},
        "operators": {
            one.name: counts
            for one in OPERATORS
            if (counts := _counts(row for row in rows if row.operator == one.name))["mutants"]
        },
        "clauses": dict(killers.most_common()),
        "idle": [clause for clause in _clauses(subject) if clause not in killers],
        "rows": [asdict(row) for row in rows],
    }


def _clauses(subject: Subject) -> list[str]:
    """The clauses that the jobs of a subject check."""
    if subject.name in systems.PARTS:
        from rvtrace.scoreboards.common.clauses import Plan

        return list(Plan.load(ROOT / "scoreboards" / subject.name / "plan.toml").clauses)
    return [name for name, clause in systems.judge(subject.ip).plan.clauses.items() if not clause.through]


def _counts(rows: Iterable[Row]) -> dict[str, int]:
    rows = list(rows)
    states = Counter(row.state for row in rows)
    return {
        "mutants": len(rows),
        KILLED: states[KILLED],
        "quiet": sum(row.quiet and row.state == KILLED for row in rows),
        EQUIVALENT: states[EQUIVALENT],
        "proved": sum(row.proof == "yosys" for row in rows),
        SURVIVED: states[SURVIVED],
        "kept": sum(row.kept for row in rows),
        **{how: sum(row.how == how for row in rows) for how in HOW},
    }


def rate(counts: Mapping[str, int], state: str = KILLED) -> float:
    """Share of the mutants that are not equivalent; 1 if there are none. state: "quiet" is without assertions."""
    real = counts["mutants"] - counts[EQUIVALENT]
    return counts[state] / real if real else 1.0


def green(found: Mapping[str, Any]) -> bool:
    """Whether every mutant is killed by a check or settled: no survivor, no exception of ours, no limit reached."""
    total = found["total"]
    return not total[SURVIVED] and not total[TRACEBACK] and not total[TIMEOUT]


def save(folder: Path, found: Mapping[str, Any]) -> Path:
    """Write mutation.json and index.html; the page."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / FILE).write_text(json.dumps(found, indent=1))
    page = folder / "index.html"
    page.write_text(render(found), encoding="utf-8")
    return page


def render(found: Mapping[str, Any]) -> str:
    """The page of a campaign."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("mutation.html.j2").render(
        m=found, green=green(found), sentence=sentence(found), rate=rate, shown=_percent, said=_SAID,
        unsettled=_unsettled(found), equivalents=_of(found, EQUIVALENT), what={one.name: one.what for one in OPERATORS},
    )  # fmt: skip


def _of(found: Mapping[str, Any], state: str) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["state"] == state]


def _unsettled(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["state"] == SURVIVED or row["how"] in (TRACEBACK, TIMEOUT)]


def _percent(value: float) -> str:
    """Never 100 % of less than all."""
    return "100 %" if value == 1 else f"{min(value, 0.999):.1%}".replace("%", " %")


def sentence(found: Mapping[str, Any]) -> str:
    """The result in one sentence."""
    total = found["total"]
    real = total["mutants"] - total[EQUIVALENT]
    how = ", ".join(f"{total[one]} {_SAID[one]}" for one in HOW if total[one])
    return (
        f"{total[KILLED]} of {real} mutants killed ({_percent(rate(total))}; with assertions off {total['quiet']},"
        f" {_percent(rate(total, 'quiet'))}): {how or 'none'}; {total[EQUIVALENT]} equivalent,"
        f" {total['proved']} of them proved by Yosys"
        + (
            f"; {total['kept']} kills are of earlier versions of the testbench (SURVIVORS=1)"
            if total.get("kept")
            else ""
        )
    )


def terminal(found: Mapping[str, Any]) -> list[str]:
    """The lines that the command prints at its end."""
    lines = ["", f"{found['title']}: {sentence(found)}; {found['seconds']:.0f} s"]
    weak = [(name, one) for name, one in found["files"].items() if rate(one) < 1]
    lines += [f"  {name}: {one[KILLED]} of {one['mutants'] - one[EQUIVALENT]}" for name, one in weak]
    for row in _unsettled(found):
        what = "survived" if row["state"] == SURVIVED else f"{row['how']}: {row['headline']} ({row['rerun']})"
        lines += ["", f"RED   {row['mutant']}  {what}", row["diff"], f"again: {again(found, row)}"]
    return lines


def again(found: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The command that repeats one mutant."""
    return f"{found['command']} MUTANT={row['mutant']}"
