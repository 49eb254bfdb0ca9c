# SPDX-License-Identifier: Apache-2.0
"""The compliance report of a device: index.html for people, compliance.json for tools, junit.xml and
summary.md for a CI server, signoff.html to be signed, SHA256SUMS of all of them.

    compliance = write(subject, results, waivers, out)
    print(compliance.verdict, compliance.sentence); return compliance.exit_code

results are result.json dicts (jobs/results.py); report/compliance_model.py judges them,
docs/reference/compliance-report.md describes the files.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote
from xml.etree import ElementTree as ET

from rvtrace.flow.dut.waivers import Waiver
from rvtrace.jobs import files
from rvtrace.jobs.arguments import json_of, typed
from rvtrace.jobs.arguments import short as below
from rvtrace.report import goals as plan_goals
from rvtrace.report import provenance, signoff, summary
from rvtrace.report.clauses import chapters
from rvtrace.report.closing import steps
from rvtrace.report.compliance_model import (
    LEVELS,
    PLANS,
    VERDICTS,
    Compliance,
    ComplianceError,
    Finding,
    First,
    Row,
    Subject,
    WaiverRow,
    judge,
)
from rvtrace.report.failure_text import Shown, shown
from rvtrace.report.junit import counted, xml

__all__ = ["Compliance", "ComplianceError", "Subject", "Waiver", "judge", "read", "to_dict", "write"]

SCHEMA = "compliance/2"  # counts up when a key changes its meaning or goes away
FILE = "compliance.json"
_BARRED = ("PASS", "FAIL", "WAIVED", "NOT JUDGED", "NOT-RUN")  # verdicts of clauses that apply, in the order of the bar
_MARKS = {"PASS": "✓", "FAIL": "✗", "ERROR": "!", "NOT-RUN": "–", "N/A": "∅", "WAIVED": "~", "NOT JUDGED": "?"}


def write(
    subject: Subject,
    results: Iterable[Mapping[str, Any]],
    waivers: Sequence[Waiver],
    out: Path,
    today: date | None = None,
    plans: Path = PLANS,
    goals: Sequence[plan_goals.Goal] = (),
) -> Compliance:
    """Judge the results and write the files into a folder, which is made; ValueError or OSError if that cannot be
    done.
    """
    compliance = judge(subject, results, waivers, today, plans, goals)
    try:
        _leave(compliance, out)
    except OSError:  # what was found is said all the same
        print(f"{compliance.verdict}  {compliance.sentence}", flush=True)
        raise
    return compliance


def _leave(compliance: Compliance, out: Path) -> None:
    """Write the files."""
    out.mkdir(parents=True, exist_ok=True)
    text = json.dumps(to_dict(compliance), indent=1, ensure_ascii=False)
    files.write(out / FILE, text + "\n")
    files.write(out / "index.html", render(compliance, out))
    tree = junit(compliance)
    files.at_once(out / "junit.xml", lambda part: tree.write(part, encoding="utf-8", xml_declaration=True))
    summary.leave(summary.of_compliance(compliance), out)
    signoff.write(compliance, out)


def read(path: Path) -> dict[str, Any]:
    """A compliance.json, or that of a folder; ComplianceError if it is none."""
    path = path / FILE if path.is_dir() else path
    if not path.is_file():
        raise ComplianceError(
            f"{path} does not exist; give a {FILE}, or the folder in which `make check DUT=` or `make check` left one"
        )
    try:
        found = json_of(path.read_text(encoding="utf-8"))
    except ValueError:
        raise ComplianceError(f"{path} is not JSON, or was cut off; write the report again") from None
    schema = found.get("schema") if isinstance(found, dict) else None
    if schema != SCHEMA:
        raise ComplianceError(
            f"{path} has schema {schema!r}, needed {SCHEMA!r}; give a {FILE}, written by this version"
        )
    fault = _fault(found)
    if fault:
        raise ComplianceError(f"{path} {fault}; write the report again")
    return found


def _fault(found: dict[str, Any]) -> str:
    """What makes a report unusable, or an empty text."""
    kinds = {"subject": dict, "verdict": str, "counts": dict, "checked": int, "errors": list, "clauses": list}
    for key, kind in kinds.items():
        if not isinstance(found.get(key), kind):
            return f"has no usable {key}"
    if not all(isinstance(found["subject"].get(key), str) for key in ("name", "ip", "title")):
        return "has no usable subject"
    for row in found["clauses"]:
        if not (
            isinstance(row, dict)
            and isinstance(row.get("id"), str)
            and row.get("verdict") in VERDICTS
            and isinstance(row.get("checked"), int)
        ):
            return "has a clause without id, verdict or checks"
        if not isinstance(row.get("first") or {}, dict):
            return f"has no usable first failure of {row['id']}"
    return ""


def to_dict(compliance: Compliance) -> dict[str, Any]:
    """Everything that the page shows, in an order that does not change from run to run."""
    return {
        "schema": SCHEMA,
        "subject": {
            "name": compliance.subject.name,
            "ip": compliance.subject.ip,
            "title": compliance.subject.title,
            "about": dict(compliance.subject.about),
        },
        "date": compliance.today.isoformat(),
        "verdict": compliance.verdict,
        "sentence": compliance.sentence,
        "counts": compliance.counts,
        "levels": compliance.levels,
        "checked": compliance.checked,
        "judged": round(compliance.judged, 6),
        "applicable": compliance.applicable,
        "observed": compliance.observed,
        "specifications": [asdict(text) for text in compliance.specifications],
        "files": {"sha256": provenance.whole(compliance.subject.files), "of": dict(compliance.subject.files)},
        "tool": asdict(provenance.tool()),
        "findings": [_finding(finding) for finding in compliance.findings],
        "problems": compliance.problems,
        "runs": [{**asdict(run), "endings": dict(sorted(run.endings.items()))} for run in compliance.runs],
        "errors": [asdict(broken) for broken in compliance.broken],
        "goals": [plan_goals.to_dict(goal) for goal in compliance.goals],
        "waivers": [_waiver(row) for row in compliance.waivers],
        "clauses": [_row(row) for row in compliance.rows],
    }


def _waiver(row: WaiverRow) -> dict[str, Any]:
    return {**asdict(row.waiver), "expires": row.waiver.expires.isoformat(), "state": row.state, "note": row.note}


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "clause": finding.id,
        "verdict": finding.row.verdict,
        "headline": finding.first.headline,
        "failed": finding.row.failed,
        "failing_runs": finding.failing_runs,
        "leading": finding.leading,
        "consequences": finding.consequences,
    }


def _row(row: Row) -> dict[str, Any]:
    return {
        "id": row.id,
        "section": row.clause.section,
        "level": row.clause.level,
        "what": row.clause.what,
        "verdict": row.verdict,
        "reason": row.reason,
        "checked": row.checked,
        "failed": row.failed,
        "causes": list(row.causes),
        "judged": round(row.judged, 6),
        "runs": row.runs,
        "failing_runs": row.failing_runs,
        "tests": row.tests,
        "seeds": row.seeds,
        "planned": list(row.clause.tests),
        "first": {name: value for name, value in asdict(row.first).items() if name != "folder"} if row.first else None,
    }


def junit(compliance: Compliance) -> ET.ElementTree:
    """One testcase for each clause, and one in error for each run or piece of evidence that cannot be judged."""
    subject = compliance.subject
    root = ET.Element("testsuites", name=xml(subject.title))
    suite = ET.SubElement(
        root,
        "testsuite",
        name=xml(f"{subject.ip}: {subject.name}"),
        timestamp=f"{compliance.today.isoformat()}T00:00:00",
    )
    for name, text in subject.about.items():
        _property(suite, name, text)
    for row in compliance.rows:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=xml(f"{subject.ip}.{row.clause.section or 'unplanned'}"),
            name=xml(row.id),
            assertions=str(row.checked),
        )
        if row.verdict == "FAIL" and row.first:
            ET.SubElement(case, "failure", message=xml(row.first.headline), type=row.clause.level).text = xml(
                _text_of(row.first)
            )
        elif row.verdict == "WAIVED" and row.first:
            ET.SubElement(case, "skipped", message=xml(f"WAIVED: {row.reason}"))
            ET.SubElement(case, "system-out").text = xml(_text_of(row.first))
        elif row.verdict != "PASS":
            ET.SubElement(case, "skipped", message=xml(f"{row.verdict}: {row.reason}"))
    for broken in compliance.broken:
        case = ET.SubElement(
            suite,
            "testcase",
            classname=xml(f"{subject.ip}.run"),
            name=xml(
                f"{broken.run}, {broken.source}, {broken.sim}"
                + (f", seed {broken.seed}" if broken.seed is not None else "")
            ),
        )
        ET.SubElement(case, "error", message=xml(broken.error.splitlines()[0])).text = xml(
            f"{broken.error}\nrerun: {broken.rerun}"
        )
    problems = (
        compliance.problems
        if compliance.checked
        else ["nothing was checked, and that proves nothing", *compliance.problems]
    )
    for number, problem in enumerate(problems, 1):
        case = ET.SubElement(suite, "testcase", classname=xml(f"{subject.ip}.evidence"), name=f"problem {number}")
        ET.SubElement(case, "error", message=xml(problem))
    return counted(root)


def _property(suite: ET.Element, name: str, value: str) -> None:
    known = suite.find("properties")
    ET.SubElement(
        ET.SubElement(suite, "properties") if known is None else known, "property", name=xml(name), value=xml(value)
    )


def _text_of(first: First) -> str:
    return first.text if not first.rerun or first.rerun in first.text else f"{first.text}\n  rerun     {first.rerun}"


def render(compliance: Compliance, out: Path) -> str:
    """The page. out: the folder in which it is written."""
    from jinja2 import Environment, FileSystemLoader  # only here: it takes a tenth of the start of a command

    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("compliance.html.j2").render(
        c=compliance, verdicts=VERDICTS, levels=LEVELS, marks=_MARKS, short=short, kind=kind, barred=_BARRED,
        chapters=chapters(compliance.rows), steps=steps(compliance.of("NOT-RUN")), parts_of=_parts_of,
        percent=plan_goals.percent, viewed=lambda first: viewed(first, out),
    )  # fmt: skip


def _parts_of(row: Row) -> Shown:
    """The parts of the first failure of a row."""
    assert row.first is not None
    return shown(row.first.headline, row.first.text, row.clause.what)


def kind(verdict: str) -> str:
    """The class of a verdict."""
    return verdict.lower().replace("/", "").replace(" ", "-")


def viewed(first: First, out: Path) -> tuple[str, str]:
    """Where the viewer shows a failure: an address, relative if it is below the folder of the report, and the command
    that makes the page; one of them, or neither, is empty.
    """
    if not first.folder:
        return "", ""
    page = Path(first.folder).resolve() / "view.html"
    if not page.is_file():
        return "", typed("view", {"IN": below(page.parent)})
    out = out.resolve()
    address = quote(page.relative_to(out).as_posix()) if page.is_relative_to(out) else page.as_uri()
    return f"{address}#f={quote(first.clause)}", ""


def short(values: Sequence[object], most: int = 8) -> str:
    """A list for a narrow cell; runs of numbers as from-to."""
    if values and all(isinstance(value, int) for value in values):
        values = _ranges([int(str(value)) for value in values])
    return ", ".join(map(str, values[:most])) + (f" and {len(values) - most} more" if len(values) > most else "")


def _ranges(numbers: list[int]) -> list[str]:
    found: list[list[int]] = []
    for n in numbers:
        if found and n == found[-1][1] + 1:
            found[-1][1] = n
        else:
            found.append([n, n])
    return [str(a) if a == b else f"{a}-{b}" for a, b in found]
