# SPDX-License-Identifier: Apache-2.0
"""What a campaign of mutants found (rvtrace.flow.mutate.campaign): as JSON, as a page, in the terminal, and all
campaigns together as docs/reference/mutation.md.
"""

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
from rvtrace.flow.mutate import equivalent
from rvtrace.flow.mutate.campaign import (
    ASSERTION,
    CLAUSE,
    EQUIVALENT,
    KILLED,
    OUT,
    REFUSED,
    SURVIVED,
    TIMEOUT,
    TRACEBACK,
    Row,
    Subject,
)
from rvtrace.flow.mutate.generate import Chosen
from rvtrace.flow.mutate.operators import OPERATORS
from rvtrace.flow.mutate.subjects import FOLDERS
from rvtrace.jobs import systems
from rvtrace.jobs.builds import ROOT

PAGE = ROOT / "docs" / "reference" / "mutation.md"
KEPT = (
    ROOT / "data" / "mutation.json"
)  # the last campaign of each system, and the figures of all in the order of their dates
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
    found = []
    if subject.name == "tci":
        from rvtrace.scoreboards.common.clauses import Plan

        return list(Plan.load(ROOT / "scoreboards" / "tci" / "plan.toml").clauses)
    plan = systems.find(subject.ip).plan
    if plan is not None:
        found = [name for name, clause in plan.clauses.items() if not clause.through]
    return found


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
        trend=[] if found["device"] else [row for row in earlier() if row["name"] == found["name"]],
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


# --- docs/reference/mutation.md --------------------------------------------------------------------------


def write_docs(place: Path = OUT, page: Path = PAGE, kept: Path = KEPT) -> Path:
    """Write the page of the last campaign of each system of our RTL: of those in a folder, else of those that were kept
    when the page was written before. The figures of all are kept for the trend.
    """
    last = _kept(kept)["campaigns"]
    for name in FOLDERS:
        if (path := place / name / FILE).exists():
            found = json.loads(path.read_text())
            last[name] = {
                **found,
                "rows": [row for row in found["rows"] if row["state"] != KILLED or row in _unsettled(found)],
            }
    found = [last[name] for name in FOLDERS if name in last]
    new = [{key: one[key] for key in ("name", "title", "date", "command", "seconds", "total")} for one in found]
    same = [(one["name"], one["date"], one["command"]) for one in new]  # a campaign that was repeated counts once
    older = [row for row in earlier(kept) if (row["name"], row["date"], row["command"]) not in same]
    trend = sorted(older + new, key=lambda row: row["date"])
    kept.write_text(json.dumps({"campaigns": {one["name"]: one for one in found}, "trend": trend}, indent=1) + "\n")
    page.write_text(markdown(found, trend))
    return page


def earlier(kept: Path = KEPT) -> list[dict[str, Any]]:
    """The figures of the campaigns that are in the docs."""
    return _kept(kept)["trend"]


def _kept(path: Path) -> dict[str, Any]:
    return json.loads(path.read_text()) if path.exists() else {"campaigns": {}, "trend": []}


_HEAD = """# Mutation of the RTL

`make mutate` makes mutants of the reference RTL from its syntax trees, each one small change, and runs every scenario,
20 random seeds and the recorded programs on each until a check fails. A mutant that nothing kills is either equivalent
(no input shows a difference) or points at stimulus or a check that is missing. `make mutate DOCS=1` writes this page;
[find-missing-checks](../how-to/find-missing-checks.md) shows the same for your RTL.

*Killed* is the share of the mutants that are not equivalent. *Assertions off* counts those that a check at the ports
kills: only these would be seen in an IP without our assertions, or on Icarus.
"""


def markdown(found: list[dict[str, Any]], trend: list[dict[str, Any]]) -> str:
    """docs/reference/mutation.md. trend: of all campaigns."""
    parts = [_HEAD, _table(found)]
    if found:
        versions = {name: said for one in found for name, said in one["versions"].items()}
        dates = sorted({one["date"] for one in found})
        parts.append(
            f"Run on {' and '.join(dates[-1:] if len(dates) == 1 else (dates[0], dates[-1]))} with"
            f" {versions['simulator']}, pyslang {versions['pyslang']}:\n\n```\n"
            + "\n".join(one["command"] for one in found)
            + "\n```\n"
        )
        parts += [_operators(found), _files(found), _idle(found), _survivors(found), _equivalents(found), _trend(trend)]
    return "\n".join(part for part in parts if part)


def _table(found: list[dict[str, Any]]) -> str:
    rows = ["| system | mutants | equivalent | killed | assertions off | by clause | assertion | timeout | unsettled |",
            "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for one in found:
        rows.append(_line(one["title"], one["total"]))
    if not found:
        return "No campaign has been run to its end.\n"
    if len(found) > 1:
        rows.append(_line("all", _sum([one["total"] for one in found])))
    return "\n".join(rows) + "\n"


def _line(title: str, total: Mapping[str, int]) -> str:
    return (
        f"| {title} | {total['mutants']} | {total[EQUIVALENT]} | {total[KILLED]} ({_percent(rate(total))}) |"
        f" {total['quiet']} ({_percent(rate(total, 'quiet'))}) | {total[CLAUSE]} | {total[ASSERTION]} |"
        f" {total[TIMEOUT]} | {total[SURVIVED] + total[TRACEBACK]} |"
    )


def _sum(counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    total: Counter[str] = Counter()
    for one in counts:
        total.update(one)
    return {key: total[key] for key in _counts([])}


def _operators(found: list[dict[str, Any]]) -> str:
    rows = ["## By operator", "", "| operator | what it does | mutants | equivalent | killed |",
            "| --- | --- | --- | --- | --- |"]  # fmt: skip
    for operator in OPERATORS:
        total = _sum([one["operators"][operator.name] for one in found if operator.name in one["operators"]])
        if total["mutants"]:
            what = operator.what.replace("|", "\\|")
            rows.append(
                f"| {operator.name} | {what} | {total['mutants']} | {total[EQUIVALENT]} |"
                f" {total[KILLED]} ({_percent(rate(total))}) |"
            )
    return "\n".join(rows) + "\n"


def _files(found: list[dict[str, Any]]) -> str:
    rows = ["## By file", "", "| file | places | mutants | equivalent | killed | assertions off |",
            "| --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for one in found:
        for name, total in one["files"].items():
            if total["mutants"]:
                rows.append(
                    f"| {name} | {one['places'][name]} | {total['mutants']} | {total[EQUIVALENT]} |"
                    f" {total[KILLED]} ({_percent(rate(total))}) | {total['quiet']} |"
                )
    return "\n".join(rows) + "\n"


def _idle(found: list[dict[str, Any]]) -> str:
    lines = ["## By clause", "", "The clause that was the first to fail; the run ends there, so that others may not",
             "have been asked.", ""]  # fmt: skip
    for one in found:
        first = ", ".join(f"{clause} {number}" for clause, number in list(one["clauses"].items())[:12])
        lines.append(f"- {one['title']}: {first or 'none'}; first for no mutant: {len(one['idle'])} of"
                     f" {len(one['idle']) + len(one['clauses'])} clauses.")  # fmt: skip
    return "\n".join(lines) + "\n"


def _survivors(found: list[dict[str, Any]]) -> str:
    lines = ["## Not settled", ""]
    for one in found:
        for row in _unsettled(one):
            what = "survived" if row["state"] == SURVIVED else f"{row['how']}: {row['headline']}"
            lines += [f"`{row['mutant']}` {what}", "", "```diff", row["diff"], "```", f"`{again(one, row)}`", ""]
    return "\n".join(lines) if len(lines) > 2 else "## Not settled\n\nNone.\n"


def _equivalents(found: list[dict[str, Any]]) -> str:
    """Those of equivalent.toml, and how many Yosys proved."""
    lines = ["## Equivalent mutants with their reasons", "",
             "What Yosys proves by induction over the registers of a module needs no reason: "
             f"{sum(one['total']['proved'] for one in found)} mutants. The others are in `tests/<ip>/equivalent.toml`.",
             ""]  # fmt: skip
    for one in found:
        rows = equivalent.load(equivalent.path_of(one["name"]))
        if rows:
            lines += ["| file | original | mutated | reason |", "| --- | --- | --- | --- |"]
        for row in rows:
            lines.append(f"| {row.file} | {_code(row.original)} | {_code(row.mutated)} | {row.reason.strip()} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


def _trend(rows: list[dict[str, Any]]) -> str:
    lines = ["## Trend", "", "| date | system | mutants | killed | assertions off | minutes | command |",
             "| --- | --- | --- | --- | --- | --- | --- |"]  # fmt: skip
    for row in sorted(rows, key=lambda row: row["date"]):
        total = row["total"]
        lines.append(
            f"| {row['date']} | {row['title']} | {total['mutants']} | {_percent(rate(total))} |"
            f" {_percent(rate(total, 'quiet'))} | {row['seconds'] / 60:.0f} | `{row['command']}` |"
        )
    return "\n".join(lines) + "\n"


def _code(text: str) -> str:
    return "`" + " ".join(text.split()).replace("|", "\\|").replace("`", "'") + "`"
