# SPDX-License-Identifier: Apache-2.0
"""What became of faults (rows of rvtrace.flow.faults.runner): as JSON, as a page and in the terminal.

The same for hand-written mutants, random ones, mutants of cores, and deviations of devices, of which `isolation` says
whether the findings of a run name those that were on, and nothing else.
"""

from __future__ import annotations

import datetime
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from rvtrace.flow.faults.campaign import ASSERTION, CLAUSE, TIMEOUT, TRACEBACK
from rvtrace.flow.faults.devices import Experiment
from rvtrace.flow.faults.operators import OPERATORS
from rvtrace.flow.faults.rows import Fault
from rvtrace.flow.faults.runner import BROKEN, EQUIVALENT, KILLED, REFUSED, SURVIVED, Row, passing
from rvtrace.jobs import files
from rvtrace.jobs.arguments import short
from rvtrace.report.compliance_model import Compliance, Subject, judge

FILE = "faults.json"
HOW = (CLAUSE, ASSERTION, TIMEOUT, TRACEBACK)
_SAID = {
    CLAUSE: "by a clause", ASSERTION: "by an assertion", TIMEOUT: "by a timeout",
    TRACEBACK: "by an exception of the testbench",
}  # fmt: skip
LOOKED_AT = 5  # findings of an experiment that a reader looks at
NONE = "no deviation, PASS"
ONE, SEVERAL = "one deviation, named by the first finding", f"several, all named by the first {LOOKED_AT} findings"
ISOLATED = {NONE: 1.0, ONE: 0.95, SEVERAL: 0.80}  # share of the experiments in which all are to be named


def summary(
    title: str, command: str, rows: Sequence[Row], seconds: float, clauses: Iterable[str] = (),
    wanted: Mapping[str, float] | None = None, selects: bool = True, **more: Any,
) -> dict[str, Any]:  # fmt: skip
    """Everything that a report needs, as plain values.

    clauses: all that could be the first to fail. wanted: the share of each kind that is enough, if it is not all.
    selects: MUTANT= of the command is one of them. more: what else the JSON has.
    """
    rows = [row for row in rows if row.state != REFUSED]
    first = Counter(row.by for row in rows if row.how == CLAUSE)
    return {
        "title": title,
        "command": command,
        "selects": selects,
        "date": datetime.date.today().isoformat(),
        "seconds": round(seconds, 1),
        "total": _counts(rows),
        "wanted": dict(wanted or {}),
        **{f"{what}s": _groups(rows, what) for what in ("home", "file", "kind")},
        "clauses": dict(first.most_common()),
        "idle": [clause for clause in clauses if clause not in first],
        "rows": [asdict(row) for row in rows],
        **more,
    }


def _groups(rows: Sequence[Row], what: str) -> dict[str, dict[str, int]]:
    """The counts of each value of a field."""
    names = sorted({getattr(row, what) for row in rows} - {""})
    return {name: _counts([row for row in rows if getattr(row, what) == name]) for name in names}


def _counts(rows: Sequence[Row]) -> dict[str, int]:
    states, more = Counter(row.state for row in rows), [vars(row) for row in rows]
    return {
        "mutants": len(rows),
        **{state: states[state] for state in (KILLED, SURVIVED, EQUIVALENT, BROKEN)},
        "quiet": sum(bool(row.get("quiet")) and row["state"] == KILLED for row in more),
        "proved": sum(row.get("proof") == "yosys" for row in more),
        "kept": sum(bool(row.get("kept")) for row in more),
        "passing": sum(bool(row.passing) for row in rows),
        "clean": sum(row.state == KILLED and not row.also for row in rows),
        **{how: sum(row.how == how for row in rows) for how in HOW},
    }


def rate(counts: Mapping[str, int], state: str = KILLED) -> float:
    """Share of the mutants that are not equivalent; 1 if there are none. state: "quiet" is without assertions."""
    real = counts["mutants"] - counts[EQUIVALENT]
    return counts[state] / real if real else 1.0


def green(found: Mapping[str, Any]) -> bool:
    """Whether each share is as wanted; without one: every fault is killed by a check or settled, none survived or could
    not be played, and none is due to an exception of ours or a limit.
    """
    if found["wanted"]:
        return all(
            rate(found["kinds"][kind]) >= share for kind, share in found["wanted"].items() if kind in found["kinds"]
        )
    return not any(found["total"][state] for state in (SURVIVED, BROKEN, TRACEBACK, TIMEOUT))


def save(folder: Path, found: Mapping[str, Any]) -> Path:
    """Write faults.json and index.html; the page."""
    files.write(folder / FILE, json.dumps(found, indent=1))
    page = folder / "index.html"
    files.write(page, render(found))
    return page


def render(found: Mapping[str, Any]) -> str:
    """The page."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"), autoescape=True, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    return environment.get_template("faults.html.j2").render(
        m=found, green=green(found), sentence=sentence(found), rate=rate, shown=_percent, said=_SAID,
        unsettled=_unsettled(found), equivalents=[row for row in found["rows"] if row["state"] == EQUIVALENT],
        what={one.name: one.what for one in OPERATORS}, again=lambda row: again(found, row),
    )  # fmt: skip


def _unsettled(found: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [row for row in found["rows"] if row["state"] in (SURVIVED, BROKEN) or row["how"] in (TRACEBACK, TIMEOUT)]


def _percent(value: float) -> str:
    """Never 100 % of less than all."""
    return "100 %" if value == 1 else f"{min(value, 0.999):.1%}".replace("%", " %")


def sentence(found: Mapping[str, Any]) -> str:
    """The result in one sentence."""
    total = found["total"]
    real = total["mutants"] - total[EQUIVALENT]
    if found["wanted"]:
        return f"all deviations are named in {total[KILLED]} of {real} experiments ({_percent(rate(total))})"
    quiet = f"; with assertions off {total['quiet']}, {_percent(rate(total, 'quiet'))}" if total["quiet"] else ""
    how = ", ".join(f"{total[one]} {_SAID[one]}" for one in HOW if total[one])
    text = f"{total[KILLED]} of {real} mutants killed ({_percent(rate(total))}{quiet}): {how or 'none'}"
    if total[EQUIVALENT]:
        text += f"; {total[EQUIVALENT]} equivalent, {total['proved']} of them proved by Yosys"
    if total["kept"]:
        text += f"; {total['kept']} kills are of earlier versions of the testbench (SURVIVORS=1)"
    return text


def terminal(found: Mapping[str, Any]) -> list[str]:
    """The lines that a command prints at its end."""
    lines = ["", f"{found['title']}: {sentence(found)}; {found['seconds']:.0f} s"]
    for kind, one in found["kinds"].items():
        if kind in found["wanted"]:
            real = one["mutants"]
            lines.append(
                f"{kind}: {one[KILLED]} of {real} ({one[KILLED] / real:.0%}; wanted {found['wanted'][kind]:.0%});"
                f" without any other finding {one['clean']} ({one['clean'] / real:.0%});"
                f" {one['passing']} with a clause that is broken and says PASS"
            )
    weak = [(name, one) for name, one in found["files"].items() if rate(one) < 1]
    lines += [f"  {name}: {one[KILLED]} of {one['mutants'] - one[EQUIVALENT]}" for name, one in weak]
    for row in _unsettled(found) if not found["wanted"] else ():
        what = SURVIVED if row["state"] == SURVIVED else row["how"] or row["state"]
        what += f": {row['headline']}" * bool(row["headline"])
        more = f" ({row['rerun']})" if row["rerun"] else ""
        lines += [
            "",
            f"RED   {row['fault']}  {what}{more}",
            *filter(None, [row.get("diff")]),
            f"again: {again(found, row)}",
        ]
    return lines


def again(found: Mapping[str, Any], row: Mapping[str, Any]) -> str:
    """The command that repeats one fault."""
    return f"{found['command']} MUTANT={row['fault']}" if found["selects"] else str(found["command"])


def ended(folder: Path, found: Mapping[str, Any]) -> int:
    """Save the report and print what it says; the exit code of the command."""
    page = save(folder, found)
    print(*terminal(found), f"report: {short(page)}", sep="\n")
    return 0 if green(found) else 1


# Deviations of a device


def isolation(experiment: Experiment, results: Sequence[Mapping[str, Any]]) -> Row:
    """The findings of the runs, compared with the deviations that were on. Of a single one the first finding must name
    it, of several those that a reader looks at. The first clause of a deviation is the one that it breaks.
    """
    device, rows = experiment.device, experiment.rows
    report = judge(Subject(device.dut.name, device.dut.ip, device.dut.title), results)
    found = _findings(report)
    lines = [text.splitlines()[0] for _, text in found]
    looked_at = found[:1] if len(rows) == 1 else found[:LOOKED_AT]
    missing = [row.name for row in rows if not any(_names(row, *finding) for finding in looked_at)]
    also = tuple(line.split(" (")[0] for line, one in zip(lines, found) if not any(_names(row, *one) for row in rows))
    good = not missing if rows else report.verdict == "PASS"
    shown = "".join(f"\n          {number}. {line}" for number, line in enumerate(lines[:LOOKED_AT], 1))
    why = f"not named: {', '.join(missing)}" if missing else "" if good else report.verdict
    return Row(
        experiment.name, KILLED if good else SURVIVED, device.name, (NONE, ONE, SEVERAL)[min(len(rows), 2)],
        by=f"{len(lines)} finding{'s' * (len(lines) != 1)}", headline=f"{why}{shown}" if why or also else "",
        rerun=experiment.rerun, also=also, passing=passing([row.clauses[0] for row in rows if row.clauses], results),
    )  # fmt: skip


def _findings(report: Compliance) -> list[tuple[str, str]]:
    """(clause, text) of each finding, then of each run that broke."""
    return [(one.id, f"{one.line()}\n{one.text()}") for one in report.found("FAIL")] + [
        ("", f"run {one.run} ended in an error: {one.error}") for one in report.broken
    ]


def _names(row: Fault, clause: str, text: str) -> bool:
    """Whether a finding has a clause of a deviation, or says what it is; the command that repeats the run has the names
    of all options.
    """
    said = "\n".join(line for line in text.splitlines() if not line.startswith("  rerun "))
    return clause in row.clauses or bool(row.says and re.search(row.says, said))
