# SPDX-License-Identifier: Apache-2.0
"""Charts of the report: runs as cells, bars, regressions over time, and where a failure is seen."""

import json
import re
from pathlib import Path

from rvtrace.flow.regress import history as flow
from rvtrace.report import charts, history, page, runs
from rvtrace.report.results import Report
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


def test_each_kind_of_bars_has_its_own_linear_scale():
    rows = [charts.Bar("a", 1.0), charts.Bar("b", 0.5), charts.Bar("c", 400.0, kind=1), charts.Bar("d", 0.0, kind=1)]
    widths = [float(found) for found in re.findall(r'<rect [^>]*width="([\d.]+)"', charts.bars(rows, each=True))]
    assert widths == [400.0, 200.0, 400.0, 0.0]
    shared = [float(found) for found in re.findall(r'<rect [^>]*width="([\d.]+)"', charts.bars(rows))]
    assert shared == [1.0, 0.5, 400.0, 0.0]


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


def test_coverage_is_shown_once_with_its_holes(tmp_path):
    report(tmp_path, GOOD)
    text = (tmp_path / "out" / "index.html").read_text()
    (row,) = re.findall(r'<td class="mono nw">iretire_cg</td>(.*?)</tr>', text, re.DOTALL)
    cells, holes = re.findall(r'<i class="(\w+)" title="([^"]*): \d+">', row), re.findall(r"<li>([^<]*)</li>", row)
    assert [state for state, _ in cells] == ["hole", "h1", "h1", "hole", "hole", "hole"]
    assert holes == [name for state, name in cells if state == "hole"]
    assert text.count(f'title="{holes[0]}: 0"') == 1 and text.count("2 / 6") == 1
