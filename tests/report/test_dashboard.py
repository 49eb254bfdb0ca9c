# SPDX-License-Identifier: Apache-2.0
"""The report as JSON, read by its schema, and the trend of all systems over regressions."""

import json
import re
from pathlib import Path

import fastjsonschema
import pytest

from rvtrace.flow.regress import history as flow
from rvtrace.report import dashboard, goals, history, page
from rvtrace.tb.ctr.coverage.points import CTR
from tests.report.report_page import GOOD, PLAN, changed, failing
from tests.tools.captures import run

SCHEMA = json.loads(Path(dashboard.__file__).with_name("dashboard.schema.json").read_text())
OF_CTR = {"ip": "ctr", "coverage": {"definition": {CTR.hash: 1}}, "clauses": {"CTR-1": [4, 0], "CTR-2": [9, 0]}}
GOALS = '[[goal]]\ngroup = "all"\nclauses = ["NT-*"]\ngoal = 90\nowner = "A. Lovelace"\nmilestone = "RC1"\n'


def valid(found):
    fastjsonschema.compile(SCHEMA)(found)
    return found


def remembered(path, *regressions):
    for name, results in regressions:
        flow.remember(path, name, results, [{"ip": "ntrace", "clause": "NT-4", "headline": "no <entry>"}])


@pytest.fixture
def folder(tmp_path):
    """Results of two systems, of which one has a failure, a plan, and goals."""
    error = changed(verdict="ERROR", error="no", clauses={}, coverage={})
    for number, result in enumerate([GOOD, failing(), changed(**OF_CTR), error]):
        (tmp_path / "r" / str(number)).mkdir(parents=True)
        (tmp_path / "r" / str(number) / "result.json").write_text(json.dumps(result))
    (tmp_path / "p" / "ntrace").mkdir(parents=True)
    (tmp_path / "p" / "ntrace" / "plan.toml").write_text(PLAN)
    (tmp_path / "p" / "ctr").mkdir()
    (tmp_path / "p" / "ctr" / "plan.toml").write_text(
        PLAN.replace("NT-15", "CTR-9").replace("NT-1", "CTR-1").replace("NT-4", "CTR-2")
    )
    (tmp_path / "goals.toml").write_text(GOALS)
    return tmp_path


def test_the_json_of_the_command_is_that_of_its_schema(folder):
    words = [f"IN={folder}/r", f"PLAN={folder}/p", f"OUT={folder}/out", f"GOALS={folder}/goals.toml"]
    done = run("report", *words, f"JSON={folder}/made.json")
    assert done.returncode == 1, done.stderr
    found = valid(json.loads((folder / "made.json").read_text()))
    assert (found["schema"], found["verdict"], found["regressions"]) == ("dashboard/1", "FAIL", [])
    ntrace, ctr = found["systems"]
    assert (ntrace["ip"], ntrace["verdict"], ctr["ip"], ctr["verdict"]) == ("ntrace", "FAIL", "ctr", "PASS")
    assert ntrace["runs_by_verdict"] == {"PASS": 1, "FAIL": 1, "ERROR": 1} and len(ntrace["runs"]) == 3
    assert ntrace["clauses_by_verdict"] == {"PASS": 1, "FAIL": 1, "NOT-RUN": 1}
    assert [(one["id"], one["verdict"], one["checked"]) for one in ntrace["clauses"][:2]] == [
        ("NT-1", "PASS", 1200), ("NT-4", "FAIL", 39),
    ]  # fmt: skip
    assert {one["clause"]: one["count"] for one in ntrace["findings"]} == {"NT-4": 1, "ERROR": 1}
    assert ntrace["coverage"]["hit"] == sum(point["hit"] for point in ntrace["coverage"]["points"]) == 2
    assert found["goals"] == [
        {"group": "all", "goal": 90.0, "reached": 33.333, "held": 1, "applicable": 3, "state": "missed",
         "owner": "A. Lovelace", "milestone": "RC1", "due": None}
    ]  # fmt: skip
    sums = {one["ip"]: sum(run["checks"] for run in one["runs"]) for one in found["systems"]}
    assert sums == {one["ip"]: one["checks"] for one in found["systems"]}


def test_nothing_run_and_a_file_that_is_no_result_fit_the_schema_too(tmp_path):
    for text in (None, "{"):
        (tmp_path / "r").mkdir(exist_ok=True)
        if text:
            (tmp_path / "r" / "result.json").write_text(text)
        assert not page.write(tmp_path / "r", tmp_path / "out", json_file=str(tmp_path / "made.json"))
        found = valid(json.loads((tmp_path / "made.json").read_text()))
        assert (found["verdict"], found["systems"], len(found["problems"])) == ("FAIL", [], 1)


def test_the_schema_refuses_another_file(folder):
    made = dashboard.of([], True, [], [], [], [], "")
    valid(made)
    for change in ({"schema": "dashboard/2"}, {"verdict": "GREEN"}, {"systems": [{}]}, {"more": 1}, {"goals": None}):
        with pytest.raises(fastjsonschema.JsonSchemaException):
            valid(made | change)


def test_a_json_that_would_destroy_an_input_is_refused(folder):
    done = run("report", f"IN={folder}/r", f"COVER={folder}/goals.toml", f"JSON={folder}/goals.toml")
    assert done.returncode == 2 and "would be overwritten" in done.stderr
    assert (folder / "goals.toml").read_text() == GOALS


def test_the_trend_has_each_system_of_each_regression(tmp_path):
    path = tmp_path / "history.jsonl"
    worse = changed(clauses={"NT-1": [3, 0], "NT-4": [9, 1]}, verdict="FAIL", failures=failing()["failures"])
    remembered(path, ("first", [GOOD, changed(**OF_CTR)]), ("of one", [changed(**OF_CTR)]), ("last", [GOOD, worse]))
    found = flow.read(path)
    assert [[part.ip for part in one.systems] for one in found] == [["ntrace", "ctr"], ["ctr"], ["ntrace"]]
    last = found[-1].systems[0]
    assert (last.seeds, last.passed, last.checks, last.held, last.failed, last.hit) == (2, 1, 1242, 1, 1, 2)
    trend = next(figure for figure in history.figures(path) if figure.title == "Regressions by system")
    assert [row[:4] for row in trend.rows] == [
        ("N-Trace", "1 of 2", "1 (-1)", "1 (+1)"), ("CTR", "1 of 1", "2", "0"),
    ]  # fmt: skip
    assert "N-Trace, clauses held from 2.0 to 1.0" in trend.chart
    lines = history.text(found)
    assert len(lines) == 3 + 4 and re.search(r"N-Trace +1 of 2 passed, 1 clauses held, 1 failed, coverage", lines[-1])
    made = valid(dashboard.of([], True, [], [], [], found, ""))
    assert made["regressions"][0]["systems"][1] == {
        "ip": "ctr", "seeds": 1, "passed": 1, "checks": 13, "held": 2, "failed": 0, "hit": 0,
        "bins": sum(len(point.reachable) for point in CTR.points),
    }  # fmt: skip


def test_lines_of_an_earlier_version_have_no_systems(tmp_path):
    path = tmp_path / "history.jsonl"
    old = {"written": "2026-01-01T10:00:00", "name": "x", "seeds": 3, "passed": 3, "seconds": 1.0, "findings": []}
    bad = [old | {"systems": wrong} for wrong in (3, [3], [{"ip": "ctr"}], [{**vars(flow.Part("c", *[0] * 7)),
                                                                            "hit": 1e999}])]  # fmt: skip
    path.write_text("".join(json.dumps(one) + "\n" for one in [old, *bad, [], 5]))
    (entry,) = flow.read(path)
    assert entry.systems == () and [figure.title for figure in history.figures(path)] == [
        "Regressions", "Findings of the last regression",
    ]  # fmt: skip
    path.write_bytes(b"\xff\xfe")
    assert flow.read(path) == []


def test_goals_of_the_page_are_those_of_the_json(folder):
    asked = goals.read(folder / "goals.toml", folder / "p")
    page.write(folder / "r", folder / "out", folder / "p", goals=asked, json_file=str(folder / "made.json"))
    (goal,) = json.loads((folder / "made.json").read_text())["goals"]
    text = (folder / "out" / "index.html").read_text()
    assert goal["state"] == "missed" and '<tr class="differs"><td>all</td>' in text and "33.3 %" in text
