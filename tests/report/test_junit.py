# SPDX-License-Identifier: Apache-2.0
"""Results as JUnit's XML and as a page of Markdown for a hosted CI: what failed, and how it is repeated."""

import json
from xml.etree import ElementTree as ET

import pytest

from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.ctr.rows import Rows as CtrRows
from rvtrace.models.ctr.rows import answered
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.hpm.events import Counts
from rvtrace.models.hpm.rows import Rows as HpmRows
from rvtrace.models.hpm.rows import followed
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.csr import READ, WRITE, Access, M
from rvtrace.models.sbi_pmu.client import Client
from rvtrace.models.tandem.config import Config as TandemConfig
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.from_retired import from_recording
from rvtrace.report import junit, summary
from rvtrace.report.compliance import read
from rvtrace.tools.check_capture import main as check
from tests.common.there import there
from tests.report.compliance_data import failing as deviating
from tests.report.compliance_data import made, result
from tests.report.report_page import GOOD, TEXT, changed, failing, report
from tests.sbi_pmu.test_record import recorder
from tests.tools.captures import is_one_sentence, run, write_capture

# The elements and attributes of the schema that Jenkins publishes (junit-10.xsd).
LEGAL = {
    "testsuites": {"name", "time", "tests", "failures", "errors", "skipped", "disabled"},
    "testsuite": {"name", "time", "tests", "failures", "errors", "skipped", "timestamp"},
    "testcase": {"name", "classname", "time", "assertions", "status"},
    "failure": {"message", "type"},
    "error": {"message", "type"},
    "skipped": {"message", "type"},
    "properties": set(),
    "property": {"name", "value"},
    "system-out": set(),
}


def _is_legal(root: ET.Element) -> None:
    """Only elements and attributes of the schema, and counts that are those of the cases."""
    for element in root.iter():
        assert set(element.attrib) <= LEGAL[element.tag], element.tag
    for suite in root.iter("testsuite"):
        assert suite.get("tests") == str(len(suite.findall("testcase")))
        assert suite.get("failures") == str(len(suite.findall("testcase/failure")))
        assert suite.get("errors") == str(len(suite.findall("testcase/error")))
    assert root.tag == "testsuites" and root.get("tests") == str(len(root.findall(".//testcase")))


def test_a_case_for_each_run_with_headline_and_rerun():
    broken = changed(
        name="x",
        verdict="ERROR",
        error="it broke \x00\nits log",
        clauses={},
        coverage={},
        rerun="make run IP=ntrace X=1",
    )
    after = {"clause": "NT-9", "headline": "a consequence", "text": "FAIL NT-9", "cause": "NT-4"}
    failed = failing() | {"rerun": "make run IP=ntrace SEED=7"}
    failed["failures"] = [after, *failed["failures"]]
    tree = junit.of_results([GOOD, failed, broken, changed(ip="ctr")])
    root = ET.fromstring(ET.tostring(there(tree.getroot())))
    _is_legal(root)
    assert [(s.get("name"), s.get("tests"), s.get("failures"), s.get("errors")) for s in root] == [
        ("ntrace", "3", "1", "1"),
        ("ctr", "1", "0", "0"),
    ]
    good, bad, error = root[0].findall("testcase")
    assert (good.get("classname"), good.get("name"), good.get("time")) == ("ntrace.program", "sort-htm", "1.000")
    assert list(good) == []
    (failure,) = bad
    assert failure.get("message") == "NT-4  message 17 is wrong", "the cause, not what follows from it"
    assert (failure.text or "").startswith(TEXT) and (failure.text or "").count("make run IP=ntrace SEED=7") == 1
    assert error[0].tag == "error" and error[0].get("message") == "it broke ?"
    assert (error[0].text or "").endswith("rerun     make run IP=ntrace X=1")


@pytest.mark.parametrize("problems", [[], ["a.json is cut off"]])
def test_nothing_that_was_run_is_red(problems):
    root = there(junit.of_results([], problems).getroot())
    _is_legal(root)
    (error,) = root.iter("error")
    assert error.get("message") == (problems or ["nothing was run, and that proves nothing"])[0]


def test_the_report_of_a_folder_leaves_both(tmp_path, monkeypatch):
    page = tmp_path / "page.md"
    page.write_text("what another step wrote\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(page))
    report(tmp_path, GOOD, failing())
    words = (f"IN={tmp_path}/results", f"PLAN={tmp_path}/plan", f"OUT={tmp_path}/out")
    done = run("report", *words, f"JUNIT={tmp_path}/new/j.xml")
    assert done.returncode == 1
    root = ET.parse(tmp_path / "new" / "j.xml").getroot()
    _is_legal(root)
    assert (root.get("tests"), root.get("failures")) == ("2", "1")
    text = (tmp_path / "out" / "summary.md").read_text()
    assert text.startswith("## FAIL: N-Trace\n") and "| N-Trace | FAIL | 1 of 2 | 1 of 3 | 1 | 1 | 1,239 |" in text
    assert "<summary>NT-4: message 17 is wrong</summary>" in text and TEXT in text
    assert page.read_text() == f"what another step wrote\n{text}\n{text}\n"


def test_a_file_that_cannot_be_written_is_one_sentence(tmp_path):
    report(tmp_path, GOOD)
    (tmp_path / "file").touch()
    done = run("report", f"IN={tmp_path}/results", f"PLAN={tmp_path}/plan", f"JUNIT={tmp_path}/file/j.xml")
    assert is_one_sentence(done, "cannot be written", "is a file; name another place")


def test_markdown_holds_whatever_a_failure_says():
    lines = summary.failure("a <b> & ```", "```\n| x |\n````", "make run")
    assert lines[1] == "<details><summary>a &lt;b&gt; &amp; ```</summary>"
    assert lines[3] == lines[-3] == "`````" and "  rerun     make run" in lines
    assert summary.cell("a|b *c* d_e\nf <g>") == "a\\|b \\*c\\* d\\_e f &lt;g&gt;"
    long = summary.failure("x", "\n".join(map(str, range(100))), "")
    assert "... and 70 more lines" in long and len(long) < 45


def test_a_compliance_report_has_a_summary(tmp_path):
    made(tmp_path, result(), deviating())
    found, text = read(tmp_path / "out"), (tmp_path / "out" / "summary.md").read_text()
    assert text.startswith("## FAIL: ") and found["sentence"].split(" ")[0] in text
    assert "| FAIL | WAIVED | NOT JUDGED | NOT-RUN | PASS | N/A |" in text
    assert "<summary>NT-4: message 17 is &lt;wrong&gt;</summary>" in text and "make run SEED=7" in text


def test_a_capture_and_a_trace_as_junit(tmp_path):
    out = write_capture(tmp_path / "out")
    done = run("check_capture", f"IN={out}", f"JUNIT={tmp_path}/a.xml")
    root = ET.parse(tmp_path / "a.xml").getroot()
    _is_legal(root)
    assert done.returncode == 0 and root.get("failures") == "0" and int(root.get("tests", 0)) > 20
    trace = (out / "trace.bin").read_bytes()
    (out / "trace.bin").write_bytes(trace[: len(trace) // 2])
    done = run("check_capture", f"IN={out}", f"JUNIT={tmp_path}/b.xml")
    root = ET.parse(tmp_path / "b.xml").getroot()
    _is_legal(root)
    failures = list(root.iter("failure"))
    assert done.returncode == 1 and failures and all(f"make check IN={out}" in (one.text or "") for one in failures)
    words = (f"IN={out}", f"OUT={tmp_path}/report", f"JUNIT={tmp_path}/c.xml")
    assert run("check_trace", "IP=ntrace", *words).returncode == 1
    root = ET.parse(tmp_path / "c.xml").getroot()
    _is_legal(root)
    counts = json.loads((tmp_path / "report" / "compliance.json").read_text())["counts"]
    assert root.get("failures") == str(counts["FAIL"]) != "0"


def _of_tandem(folder):
    rows = from_recording(recording.load("sort", 64)).select(slice(0, 400))
    config = TandemConfig(flen=0)
    (folder / "trace.bin").write_bytes(encode(rows, config).data)
    rows.save(folder / "rows.npz")
    return config, ["TRACE=trace.bin"]


def _of_ctr(folder):
    config = CtrConfig()
    rows = CtrRows.from_rows([(0, M, [], Access(READ, 0x14F, 0, M, 0))], config.transfers)
    answered(rows, config).save(folder / "rows.npz")
    return config, ["ROWS=rows.npz"]


def _of_hpm(folder):
    config = HpmConfig()
    first = (0, M, Counts(), Access(WRITE, 0xB02, 5, M, 0))
    table = [first, *((k, M, Counts(retired=1), None) for k in range(1, 20))]
    rows, _ = followed(HpmRows.from_rows(table, config.events), config)
    rows.save(folder / "rows.npz")
    return config, ["ROWS=rows.npz"]


def _of_calls(folder):
    made = recorder(64, empty_set="refuse")
    made.play(Client(64, 0x8000_1000).boot())
    made.record.save(folder / "calls.jsonl")
    return None, ["CALLS=calls.jsonl"]


@pytest.mark.parametrize(
    "ip, written", [("tandem", _of_tandem), ("ctr", _of_ctr), ("hpm", _of_hpm), ("sbi_pmu", _of_calls)]
)
def test_the_check_of_a_capture_of_every_other_system_as_junit(tmp_path, monkeypatch, capsys, ip, written):
    monkeypatch.chdir(tmp_path)
    config, words = written(tmp_path)
    if config is not None:
        (tmp_path / "config.json").write_text(json.dumps(config.to_dict()))
        words.append("CONFIG=config.json")
    code = check([f"IP={ip}", *words, "JUNIT=found.xml", "QUIET=1"])
    root = ET.parse(tmp_path / "found.xml").getroot()
    _is_legal(root)
    failed = int(root.get("failures", 0)) + int(root.get("errors", 0))
    assert int(root.get("tests", 0)) > 0 and (code == 0) == (failed == 0), capsys.readouterr().out
    assert there(root.find("testsuite")).get("name") == f"{ip}: {words[0].split('=')[1]}"
    assert all("JUNIT=" not in (one.text or "") for one in root.iter("failure"))


def test_files_that_do_not_belong_together_are_an_error_in_junit(tmp_path):
    tree = junit.of_clauses("ctr", "out", {"CTR.a": [3, 0]}, [], "make check", ["entries.json holds other entries"])
    root = there(tree.getroot())
    assert (root.get("tests"), root.get("errors"), root.get("failures")) == ("2", "1", "0")
    assert next(root.iter("error")).get("message") == "entries.json holds other entries"
    nothing = junit.of_clauses("ctr", "out", {"CTR.a": [0, 0]}, [], "make check").getroot()
    assert there(nothing).get("errors") == "1"
