# SPDX-License-Identifier: Apache-2.0
"""The report: PASS, FAIL, NOT-RUN and ERROR are reported as such, and bad evidence is never green."""

import copy
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from rvtrace.report.results import Report
from rvtrace.tb.ntrace.coverage.points import NTRACE
from tests.common.there import there
from tests.report.report_page import GOOD, changed, failing, report
from tests.tools.captures import run


def test_pass(tmp_path):
    btm = changed(name="b", config={**GOOD["config"], "mode": "btm"}, stats={**GOOD["stats"], "bytes": 250})
    done, page = report(tmp_path, GOOD, btm)
    assert done.returncode == 0 and done.stdout.startswith(
        "PASS  All 2 runs passed: 2 clauses held in 2,460 checks; 1 clause"
    )
    clauses = {row[0]: row for row in page.rows["clauses"]}
    assert (
        "PASS" in clauses["NT-1"][1]
        and clauses["NT-1"][2] == "HIST <polarity>"
        and clauses["NT-1"][5:7] == ["2,400", "0"]
    )
    assert "NOT-RUN" in clauses["NT-15"][1] and "comes with timestamps" in clauses["NT-15"][2]
    assert page.rows["bits"][1][:4] == ["sort RV64", "1,000", "2.000", "0.800"]
    coverage = {row[0]: row for row in page.rows["coverage"]}
    assert coverage["iretire_cg"][2] == "2 / 6" and "widest" in coverage["iretire_cg"][1]
    assert page.rows["speed"][1][:4] == ["verilator, bulk", "2", "2,000", "1,000"] and "other" in page.text
    assert set(page.loads) == {"data:,"} and (tmp_path / "out" / "index.html").stat().st_size < 500_000


def test_fail_is_reported_with_its_block_in_one_bucket(tmp_path):
    other = copy.deepcopy(failing())
    other["name"], other["seed"], other["failures"][0]["headline"] = "r8", 8, "message 99 is wrong"
    done, page = report(tmp_path, GOOD, failing(), other)
    assert done.returncode == 1 and done.stdout.startswith("FAIL  2 of 3 runs failed, against NT-4.")
    clauses = {row[0]: row for row in page.rows["clauses"]}
    assert "FAIL" in clauses["NT-4"][1] and clauses["NT-4"][6] == "2" and "PASS" in clauses["NT-1"][1]
    assert "Findings: 1" in page.text and "2 times in 2 runs (r7, r8), seeds 7, 8" in page.text
    parts = ("message 17", "I-CNT <12>", "make run IP=ntrace SEED=7")
    assert all(page.text.count(part) == 1 for part in parts), "each part of a finding is there, and once"
    assert "message 99" not in page.text
    assert "FAIL" in next(row for row in page.rows["runs"] if row[0] == "random")[1]


def test_error_is_red_and_distinct(tmp_path):
    broken = changed(verdict="ERROR", source="scenario:x", error="the simulator aborted", clauses={}, coverage={})
    done, page = report(tmp_path, GOOD, broken)
    assert done.returncode == 1 and "1 of 2 runs ended in an error" in done.stdout
    assert "the simulator aborted" in page.text and GOOD["rerun"] in page.text
    assert "ERROR" in next(row for row in page.rows["runs"] if row[0] == "scenario:x")[1]


def test_a_hit_that_is_excluded_as_impossible_is_no_pass(tmp_path):
    """Of a point of N-Trace with exclusions: the definition says that it cannot be, and a run has it."""
    point = next(point for point in NTRACE.points if point.unreachable)
    name = next(iter(point.unreachable))
    done, _ = report(tmp_path, changed(coverage={**GOOD["coverage"], point.name: {name: 3}}))
    assert done.returncode == 1, done.stdout
    assert done.stdout.startswith(f"FAIL  coverage excludes what was hit, {point.name} {name}: the exclusion or")


@pytest.mark.parametrize(
    "result, reported",
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        (changed(verdict="GREEN"), "verdict is 'GREEN'"),
        (changed(clauses={}), "says PASS and checked nothing"),
        (changed(clauses={"NT-1": [5, 1]}), "says PASS and lists failures"),
        (changed(failures=[{"clause": "NT-1"}]), "says PASS and lists failures"),
        (changed(stats={"instructions": None}), "not a number"),
        ({k: v for k, v in GOOD.items() if k != "seed"}, "seed is missing"),
        (changed(coverage={"definition": {"0123456789ab": 1}}), "definition 0123456789ab cannot be merged"),
        (changed(coverage={"iretire_cg": {"1": 3}}), "no definition"),
    ],
)
def test_evidence_that_cannot_be_used_is_red(tmp_path, result, reported):
    done, page = report(tmp_path, GOOD, result)
    assert done.returncode == 1 and done.stdout.startswith("FAIL  ") and reported in page.text
    assert "result.json" in page.text and "run" in page.text


def test_a_clause_outside_the_plan_is_reported(tmp_path):
    _, page = report(tmp_path, changed(clauses={"NT-1": [5, 0], "NT.9.invented": [1, 0]}))
    assert "1 clause is not in the plan: NT.9.invented" in page.text


def test_nothing_run_is_red(tmp_path):
    done, page = report(tmp_path)
    assert done.returncode == 1 and "there is no result.json below" in done.stdout and "make" in done.stdout
    assert "✗ FAIL" in page.text
    clauses = [row for row in page.rows["clauses"] if row[0] != "Clause"]
    assert all("NOT-RUN" in row[1] for row in clauses) and len(clauses) == 3


def test_a_plan_that_cannot_be_read_is_red(tmp_path):
    done, page = report(tmp_path, GOOD, plan="[clause")
    assert done.returncode == 1 and "ntrace/plan.toml cannot be read" in page.text


def test_exports_and_listing(tmp_path):
    report(tmp_path, GOOD)
    tree = ET.parse(tmp_path / "out" / "coverage" / "ntrace.cobertura.xml").getroot()
    lines = tree.findall(".//class[@name='iretire_cg']/lines/line")
    assert [line.get("hits") for line in lines] == ["0", "3", "1", "0", "0", "0"]
    names = (tmp_path / "out" / "coverage" / "ntrace" / "iretire_cg.txt").read_text().splitlines()
    assert names == list(NTRACE.by_name["iretire_cg"].reachable) and tree.get("lines-covered") == "2"
    ucis = ET.parse(tmp_path / "out" / "coverage" / "ntrace.ucis.xml").getroot()
    assert len(ucis.findall(".//coverpointBin")) == sum(len(p.bins) for p in NTRACE.points)
    listed = run("report", "LIST=coverage")
    assert listed.returncode == 0 and all(f"## {p.name}\n" in listed.stdout for p in NTRACE.points)


@pytest.mark.parametrize(("ip", "external"), [("etrace", False), ("ntrace", True)])
def test_of_the_trace_systems_clauses_those_of_the_encoders_variants_are_asked_for(ip, external):
    plans = Path(__file__).resolve().parents[2] / "scoreboards"
    plan = there(Report(ip, [], [], plans / ip / "plan.toml", plans / "tci/plan.toml").plan)
    assert "TCI.ram.data" in plan and ("TCI.ts.external" in plan) is external
