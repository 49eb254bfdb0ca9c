# SPDX-License-Identifier: Apache-2.0
"""The files of the compliance report: page, JSON and JUnit say the same, alone and in a fixed order."""

import json
import re
import xml.etree.ElementTree as ET
from html import unescape
from html.parser import HTMLParser

import pytest

from rvtrace.jobs import front
from rvtrace.report.closing import steps
from rvtrace.report.compliance import ComplianceError, Subject, kind, read, short, write
from rvtrace.report.failure_text import shown
from tests.common.there import there
from tests.report.compliance_data import PLAN, TEXT, TODAY, broken, failing, made, result, waiver


class Page(HTMLParser):
    """Text of the page, its tags with their attributes, and the text of each cell by row."""

    def __init__(self, path):
        super().__init__()
        self.text, self.tags, self.rows, self._at = "", [], [], None
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
        self._at = tag

    def handle_data(self, data):
        if self._at not in ("style", "script"):
            self.text += data
            if self.rows and self.rows[-1]:
                self.rows[-1][-1] += data


@pytest.fixture
def out(tmp_path):
    made(
        tmp_path,
        result(1),
        failing(7),
        broken(),
        waivers=(waiver("NT-5"), waiver("NT-1")),
        na={"NT-15": "not <claimed>"},
    )
    return tmp_path / "out"


def test_page_says_all_without_script_and_loads_nothing(out):
    page = Page(out / "index.html")
    names = {name for _, attrs in page.tags for name in attrs}
    assert not {"src", "onclick"} & names and not re.search(r"url\(|@import|https?:", (out / "index.html").read_text())
    assert not {"link", "img", "iframe", "form"} & {tag for tag, _ in page.tags}
    places = {attrs.get("id") for _, attrs in page.tags}
    targets = [attrs["href"] for _, attrs in page.tags if "href" in attrs]
    assert targets and all(target[0] == "#" and target[1:] in places for target in targets)
    assert page.text.count("is <wrong>") == 1 and "FAIL NT-4  message" not in page.text  # each finding once, in words
    assert page.text.count("I-CNT = 12") == page.text.count("I-CNT = 13") == page.text.count("make run SEED=7") == 1
    assert (
        page.text.index("✗ FAIL")
        < page.text.index("1 finding: NT-4; 1 of 3 clauses checked fails")
        < page.text.index("acme_top")
        < page.text.index("By level")
    )
    for said in (
        "message 17",
        "the simulator aborted\nin cycle 12",
        "not <claimed>",
        "fixed in rev B",
        "stale",
        "in use",
        "HIST <polarity>",
    ):
        assert said in page.text
    clauses = {
        row[0].split("shall")[0].split("should")[0].split("may")[0]: row
        for row in page.rows
        if len(row) == 6 and row[0].startswith("NT-") and "·" in row[0]
    }
    assert [("✗ FAIL" in clauses["NT-4"][1]), clauses["NT-4"][3], clauses["NT-4"][4]] == [True, "19", "2"]
    assert "~ WAIVED" in clauses["NT-5"][1] and "∅ N/A" in clauses["NT-15"][1] and "seeds 1, 7" in clauses["NT-1"][5]


def test_a_cell_for_each_clause_leads_to_its_row(out):
    page = Page(out / "index.html")
    links = [attrs for tag, attrs in page.tags if tag == "a"]
    cells = {attrs["href"]: attrs for attrs in links if (attrs.get("class") or "").startswith("clause ")}
    verdicts = {row["id"]: row["verdict"] for row in read(out)["clauses"]}
    assert set(cells) == {f"#{clause}" for clause in verdicts}
    for clause, verdict in verdicts.items():
        cell = cells[f"#{clause}"]
        assert cell["aria-label"] == f"{clause} {verdict}" and cell["class"] == f"clause {kind(verdict)}"


def test_a_finding_leads_to_the_page_of_its_run(tmp_path):
    run = tmp_path / "out" / "runs" / "r 7"
    run.mkdir(parents=True)
    left = {**failing(), "folder": str(run), "left": {"trace.bin": ""}}
    made(tmp_path, left)
    text = (tmp_path / "out" / "index.html").read_text()
    assert f"make view 'IN={run}'" in unescape(text) and "view.html" not in text
    (run / "view.html").write_text("the viewer's page")
    made(tmp_path, left)
    text = (tmp_path / "out" / "index.html").read_text()
    assert '<a href="runs/r%207/view.html#f=NT-4">' in text and "make view" not in text  # also after the folder moved
    assert str(run) not in (tmp_path / "out" / "compliance.json").read_text()
    made(tmp_path, {**left, "left": {}})
    assert "viewer" not in (tmp_path / "out" / "index.html").read_text()


def test_rows_are_hidden_by_the_script_alone(out):
    page = Page(out / "index.html")
    filters = [attrs for tag, attrs in page.tags if tag == "div" and attrs.get("class") == "filter"]
    rows = [attrs for tag, attrs in page.tags if tag == "tr" and "data-verdict" in attrs]
    assert (
        len(filters) == 2
        and all("hidden" in attrs for attrs in filters)
        and not any("hidden" in attrs for attrs in rows)
    )
    assert [(attrs["data-verdict"], attrs["data-level"]) for attrs in rows] == [
        ("PASS", "shall"),  # 8.3
        ("N/A", "may"),  # 8.7
        ("FAIL", "shall"),  # 9.2
        ("WAIVED", "should"),
    ]


def test_json_holds_what_the_page_shows(out):
    found = read(out)
    assert (found["schema"], found["verdict"], found["date"]) == (
        "compliance/2",
        "FAIL",
        "2026-03-01",
    ) and found == read(out / "compliance.json")
    assert list(found) == [
        "schema", "subject", "date", "verdict", "sentence", "counts", "levels", "checked", "judged",
        "applicable", "observed", "specifications", "files", "tool", "findings", "problems", "runs",
        "errors", "goals", "waivers", "clauses",
    ]  # fmt: skip
    assert [(row["id"], row["verdict"]) for row in found["clauses"]] == [
        ("NT-1", "PASS"),
        ("NT-4", "FAIL"),
        ("NT-5", "WAIVED"),
        ("NT-15", "N/A"),
    ]
    assert [(f["clause"], f["failed"], f["consequences"]) for f in found["findings"]] == [("NT-4", 2, ["NT-5"])]
    assert found["clauses"][1]["first"]["text"] == TEXT and found["clauses"][0]["seeds"] == [1, 7]
    assert [(w["clause"], w["state"], w["expires"]) for w in found["waivers"]] == [
        ("NT-5", "in use", "2026-12-31"),
        ("NT-1", "stale", "2026-12-31"),
    ]
    assert found["errors"][0]["rerun"] == "make run SEED=9" and found["runs"][0]["endings"] == {
        "ERROR": 1,
        "FAIL": 1,
        "PASS": 1,
    }


def test_the_same_results_give_the_same_bytes(tmp_path):
    results = [result(1), failing(7)]
    made(tmp_path / "a", *results)
    made(tmp_path / "b", *results)
    for name in ("index.html", "compliance.json", "junit.xml"):
        assert (tmp_path / "a" / "out" / name).read_bytes() == (tmp_path / "b" / "out" / name).read_bytes()


def test_junit_has_a_testcase_for_each_clause(out):
    suite = there(ET.parse(out / "junit.xml").getroot().find("testsuite"))
    cases = {case.get("name", ""): case for case in suite.findall("testcase")}

    def found(name: str, kind: str) -> ET.Element:
        return there(cases[name].find(kind))

    assert cases["NT-1"].get("classname") == "ntrace.8.3" and list(cases["NT-1"]) == []
    assert found("NT-4", "failure").get("message") == "message 17 is <wrong>"
    assert found("NT-4", "failure").text == TEXT
    assert found("NT-5", "skipped").get("message", "").startswith("WAIVED: fixed in rev B")
    assert found("NT-15", "skipped").get("message") == "N/A: not <claimed>"
    aborted = next(name for name in cases if name.startswith("r9, "))
    assert found(aborted, "error").get("message") == "the simulator aborted"
    assert [suite.get(key) for key in ("failures", "errors", "skipped")] == ["1", "1", "2"]


def test_junit_is_red_where_nothing_was_checked_and_survives_any_character(tmp_path):
    made(tmp_path, result(clauses={}, problems=["x\x00\x1b[0m; do"]))
    errors = ET.parse(tmp_path / "out" / "junit.xml").getroot().findall(".//error")
    assert [error.get("message") for error in errors] == ["nothing was checked, and that proves nothing", "x??[0m; do"]


@pytest.mark.parametrize(
    "text, reported",
    [
        ("{", "is not JSON"), ("[]", "has schema None"), ('{"schema": "compliance/0"}', "has schema 'compliance/0'"),
        ('{"schema": "compliance/2"}', "has no usable subject"),
        (json.dumps({"schema": "compliance/2", "subject": {"name": "", "ip": "", "title": ""}, "verdict": "",
                     "counts": {}, "checked": 0, "errors": [], "clauses": [1]}), "has a clause without"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_report_is_one_sentence(tmp_path, text, reported):
    (tmp_path / "compliance.json").write_text(text)
    with pytest.raises(ComplianceError, match=reported):
        read(tmp_path)


def test_lists_are_short():
    assert (
        short([1, 2, 3, 5, 7, 8]) == "1-3, 5, 7-8" and short(list("abcd"), 2) == "a, b and 2 more" and short([]) == ""
    )


@pytest.mark.parametrize(
    ("headline", "text", "place", "wanted", "got"),
    [
        ("message 17 is <wrong>", TEXT, "message 17", "I-CNT = 12", "I-CNT = 13"),
        ("byte 0x20: too short", "FAIL NT-4  byte 0x20: too short\n  pc        0x80: a b", "byte 0x20, pc 0x80",
         "a return is implicit", "too short"),
        ("nothing else", "FAIL", "", "a return is implicit", "nothing else"),
    ],
)  # fmt: skip
def test_expected_and_actual_are_never_empty(headline, text, place, wanted, got):
    parts = shown(headline, text, "a return is implicit")
    assert (parts.place, parts.wanted, parts.got) == (place, wanted, got)


def test_what_was_not_run_is_closed_by_few_steps_and_each_clause_by_one(tmp_path):
    rows = "".join(
        f'[clause."NT-{n}"]\nsection = "8"\nlevel = "may"\nwhat = "w"\n{more}\n'
        for n, more in (
            (20, 'tests = ["scenario:loops", "scenario:far_jumps"]'),
            (21, 'tests = ["random", "scenario:far_jumps"]'),
            (22, 'needs = ["mode=btm"]'),
            (23, 'needs = ["mode=htm"]'),
            (24, 'needs = ["timestamp"]'),
            (25, 'tests = ["random"]'),
        )
    )
    c = made(tmp_path, result(), plan=PLAN + rows)
    found = steps(c.of("NOT-RUN"))
    assert [step.line(7) for step in found] == [
        "2 runs with other options close 3 of 7: mode = btm, mode = htm, timestamp",
        "Programs with 1 situation close 2 of 7: far jumps",
        "Longer runs, or other programs, close 1 of 7: 8",
        "No check of this version reaches 1 of 7",
    ]
    closed = [row.id for step in found for row in step.rows]
    assert sorted(closed) == sorted(row.id for row in c.of("NOT-RUN"))
    page = Page(tmp_path / "out" / "index.html")
    assert all(page.text.count(step.line(7)) == 1 for step in found)


def test_the_bar_has_the_counts_of_what_applies(out):
    page = Page(out / "index.html")
    counts = read(out)["counts"]
    bar = next(attrs for _, attrs in page.tags if attrs.get("class") == "bar")
    assert bar["aria-label"] == "1 PASS, 1 FAIL, 1 WAIVED" and (counts["PASS"], counts["FAIL"]) == (1, 1)


@pytest.mark.parametrize(
    "used, words",
    [("make", ("`make check DUT=`", "give RETIRED=", "check CONFIG=.")), ("rvtrace", ("`rvtrace check --dut`",
     "give --retired", "check --config."))],
)  # fmt: skip
def test_sentences_are_in_the_form_of_the_command_that_was_used(tmp_path, monkeypatch, used, words):
    monkeypatch.setenv(front.FRONT, used)
    monkeypatch.setattr(front, "_known", {"RETIRED": "", "CONFIG": ""})
    rows = "".join(f'[clause."NT-{n}"]\nsection = "8"\nlevel = "may"\nwhat = "w"\n' for n in (20, 21))
    plans = tmp_path / "plans"
    (plans / "ntrace").mkdir(parents=True)
    (plans / "ntrace" / "plan.toml").write_text(PLAN + rows)
    why = {"NT-20": "is about the ports; `make check DUT=` sees them", "NT-21": "the hart; give RETIRED="}
    subject = Subject("acme", "ntrace", "N-Trace", not_run=why)
    problem = {"problems": ["t.bin is damaged; then check CONFIG="]}
    c = write(subject, [result() | problem], [], tmp_path / "out", TODAY, plans)
    assert [words[n] in row.reason for n, row in enumerate(c.rows[-2:])] == [True, True]
    heads = [step.head for step in steps(c.of("NOT-RUN"))]
    assert any(words[0] in head for head in heads) and len(heads) == 3
    for name in ("index.html", "compliance.json", "junit.xml", "signoff.html", "summary.md"):
        text = (tmp_path / "out" / name).read_text()
        other = "make check" if used == "rvtrace" else "rvtrace check"
        assert other not in text, name
    assert words[2] in (tmp_path / "out" / "index.html").read_text()
