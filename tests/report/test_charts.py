# SPDX-License-Identifier: Apache-2.0
"""Charts of the report: runs as cells, clauses by section, regressions over time, and where a failure is seen."""

import json
import re
from pathlib import Path

from rvtrace.flow.regress import history as flow
from rvtrace.report import clauses, history, page, runs
from rvtrace.report.results import ClauseRow, Report
from rvtrace.scoreboards.common.clauses import Clause
from tests.report.report_page import GOOD, changed, failing, report


def test_a_cell_for_each_run_and_the_time_of_all():
    results = [GOOD, changed(name="b"), failing(), changed(name="c", source="random")]
    for number, one in enumerate(results):
        one["path"] = f"r{number}"
    rows = runs.rows(Report("ntrace", results, []))
    assert [(row.source, [cell.verdict for cell in row.cells], row.seconds) for row in rows] == [
        ("program:sort", ["PASS", "PASS"], 2.0),
        ("random", ["FAIL", "PASS"], 2.0),
    ]
    assert [row.share for row in rows] == [100.0, 100.0] and rows[1].cells[0].text == "r7, seed 7: FAIL, 1.0 s"
    many = [changed(name=str(number), path="p") for number in range(205)]
    (row,) = runs.rows(Report("ntrace", many, []))
    assert (len(row.cells), row.more, row.seconds) == (200, 5, 205.0)


def test_sections_are_in_the_order_of_the_specification():
    sections = ["8.10", "Annex", "8.9", "10", "2", "8.2.1", "8.2", "", "ruling 10", "ruling 9"]
    rows = [ClauseRow(Clause(f"C{n}", section, "shall", ""), "PASS", 1, 0, 1) for n, section in enumerate(sections)]
    assert [name for name, _ in clauses.sections([*rows, rows[0]])] == [
        "2", "8.2", "8.2.1", "8.9", "8.10", "10", "Annex", "no section", "rulings",
    ]  # fmt: skip
    assert len(dict(clauses.sections([*rows, rows[0]]))["8.10"]) == 2
    assert len(dict(clauses.sections(rows))["rulings"]) == 2


def _remembered(path: Path, *regressions: tuple[int, tuple[str, ...]]) -> None:
    for passed, found in regressions:
        results = [
            {"verdict": "PASS" if n < passed else "FAIL", "stats": {"seconds": {"total": 2.0}}} for n in range(5)
        ]
        flow.remember(path, "icarus", results, [{"ip": "ctr", "clause": "C.1", "headline": text} for text in found])


def test_what_regressions_leave(tmp_path):
    path = tmp_path / "history.jsonl"
    assert flow.read(path) == [] and history.figures(path) == [] and history.figures(None) == []
    _remembered(path, (5, ()), (4, ("entry 3 is wrong",)), (3, ("entry 9 is wrong", "no <entry>")))
    with path.open("a") as file:
        file.write('{"written": "cut o')
    entries = flow.read(path)
    assert [(one.seeds, one.passed, one.seconds) for one in entries] == [(5, 5, 10.0), (5, 4, 10.0), (5, 3, 10.0)]
    trend, findings = history.figures(path)
    assert [row[2:4] for row in trend.rows] == [("5", "2"), ("5", "1"), ("5", "0")], "the newest first"
    heights = [float(text) for text in re.findall(r'height="([\d.]+)" fill="var\(--hit\)"', str(trend.chart))]
    assert heights == [120.0, 96.0, 72.0]
    assert findings.rows == (
        ("ctr C.1: entry 3 is wrong", "·", "●", "●"),
        ("ctr C.1: no <entry>", "·", "·", "●"),
    )
    assert findings.title == "Findings of the last 3 regressions"


def test_a_hundredth_of_a_failure_is_still_seen(tmp_path):
    path = tmp_path / "history.jsonl"
    results = [{"verdict": "FAIL" if n == 0 else "PASS"} for n in range(5000)]
    flow.remember(path, "icarus", results, [])
    trend, _ = history.figures(path)
    assert float(re.findall(r'height="([\d.]+)" fill="var\(--hole\)"', str(trend.chart))[0]) >= 3


def test_the_page_has_them_and_escapes_what_was_found(tmp_path):
    path = tmp_path / "history.jsonl"
    _remembered(path, (4, ("no <entry>",)))
    (tmp_path / "r").mkdir()
    (tmp_path / "r" / "result.json").write_text(json.dumps(failing()))
    assert page.write(tmp_path / "r", tmp_path / "out", regressions=path) is False
    text = (tmp_path / "out" / "index.html").read_text()
    assert 'id="regressions"' in text and "no &lt;entry&gt;" in text and "no <entry>" not in text
    assert '<a href="#regressions">' in text


def test_only_the_runs_that_are_named_are_reported(tmp_path, capsys):
    for name in "abc":
        (tmp_path / "r" / name).mkdir(parents=True)
        (tmp_path / "r" / name / "result.json").write_text(json.dumps(changed(name=name)))
    page.write(tmp_path / "r", tmp_path / "out", only=[tmp_path / "r" / "a", tmp_path / "r" / "c"])
    assert "All 2 runs passed" in capsys.readouterr().out
    page.write(tmp_path / "r", tmp_path / "out", only=[tmp_path / "r" / "a", tmp_path / "r" / "gone"])
    assert "not usable" in capsys.readouterr().out, "a run without a result is no PASS"


def test_a_failing_run_leads_to_the_viewer(tmp_path):
    _, found = report(tmp_path, GOOD, failing())
    place = tmp_path / "results" / "main" / "1"
    assert f"make view IN={place}" in found.text
    (place / "view.html").write_text("the viewer's page")
    page.write(tmp_path / "results", tmp_path / "out", tmp_path / "plan")
    text = (tmp_path / "out" / "index.html").read_text()
    assert f'<a href="{(place / "view.html").as_uri()}#f=NT-4">' in text and "make view" not in text


def test_holes_are_named_in_the_heat_map(tmp_path):
    report(tmp_path, GOOD)
    text = (tmp_path / "out" / "index.html").read_text()
    shown = re.search(r'<span class="mono">iretire_cg</span>.*?<small class="open">open: ([^<]*)</small>', text)
    assert shown and shown[1].endswith("and 1 more") and len(shown[1].split("; ")) == 4
