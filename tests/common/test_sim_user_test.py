# SPDX-License-Identifier: Apache-2.0
"""Tests of users: the shipped example, what fails it, transactions against arrays, and overrides that end with their
job.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from rvtrace.flow.jobs import run_all
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.job import Job
from rvtrace.tools.run import main

EXAMPLE = ROOT / "examples" / "my_test" / "my_test.py"
TESTS = ROOT / "tests" / "common" / "user_tests"


def _run(tmp_path: Path, sim: str, file: Path, **words: Any) -> tuple[int, dict[str, Any]]:
    given = {"IP": "ntrace", "SOURCE": "random", "SIZE": 300, "SIM": sim, "TEST": file, "OUT": tmp_path / "out"} | words
    given |= {"BCOUNT_BITS": 16} if given["IP"] == "etrace" else {}  # the build of the tests of E-Trace
    code = main([f"{name}={value}" for name, value in given.items()])
    return code, json.loads((tmp_path / "out" / "result.json").read_text())


def _edited(tmp_path: Path, old: str, new: str) -> Path:
    text = EXAMPLE.read_text()
    assert text.count(old) == 1
    path = tmp_path / "edited.py"
    path.write_text(text.replace(old, new))
    return path


def test_example_passes(sim, tmp_path, capsys):
    code, result = _run(tmp_path, sim, EXAMPLE)
    assert code == 0 and result["verdict"] == "PASS" and result["drive"] == "pins"
    assert "messages by TCODE" in (tmp_path / "out" / "test.log").read_text()
    assert "TEST=examples/my_test/my_test.py" in result["rerun"]


def test_assertion_of_the_user_fails_the_job(sim, tmp_path, capsys):
    """In a phase after the run, and in a subscriber while it runs;
    the clauses of the scoreboard are checked as well.
    """
    late = _edited(tmp_path, "[PROG_TRACE_SYNC] >= 1,", "[PROG_TRACE_SYNC] >= 1000,")
    code, result = _run(tmp_path, sim, late)
    assert code == 1 and result["verdict"] == "FAIL" and result["clauses"]
    said = capsys.readouterr().out
    assert "FAIL MyTest  the trace has no ProgTraceSync message" in said
    assert f"  source    {late}:" in said and "in check_phase: assert self.counter" in said
    early = _edited(
        tmp_path, "        self.tcodes[", "        assert message.cycle < 0, 'too late'\n        self.tcodes["
    )
    code, result = _run(tmp_path, sim, early)
    assert code == 1 and result["verdict"] == "FAIL" and result["failures"][0]["headline"] == "too late"


SPEAKING = """
import logging
from rvtrace.tb.ntrace.env import NtraceTest


class SpeakingTest(NtraceTest):
    def build_phase(self):
        super().build_phase()
        self.logger.info("of self.logger")
        logging.getLogger("acme").info("of logging")
        self.dut._log.info("of the handle")
        print("of print, and \x1b[2J")

    def check_phase(self):
        super().check_phase()
        print("before it broke")
        self.broken()

    def broken(self):
        raise KeyError("no such thing")
"""


def test_logs_and_place_of_an_exception(sim, tmp_path, capsys):
    """In the terminal while it runs, in a file, and in the text of the failure."""
    file = tmp_path / "speaking.py"
    file.write_text(SPEAKING)
    code, result = _run(tmp_path, sim, file, SIZE=50)
    line = SPEAKING.splitlines().index('        raise KeyError("no such thing")') + 1
    place = f'source    {file}:{line} in broken: raise KeyError("no such thing")'
    said, log = capsys.readouterr(), (tmp_path / "out" / "test.log").read_text()
    assert code == 1 and place in result["error"] and place in said.out
    assert f"log       {tmp_path / 'out' / 'test.log'}" in said.out
    for text in ("of self.logger", "of logging", "of the handle", "of print, and ", "before it broke"):
        assert text in said.err and text in log and text not in said.out
    assert "\x1b" not in said.err, "control characters reach the file alone"


def test_file_that_cannot_be_read_has_a_place(sim, tmp_path, capsys):
    file = tmp_path / "wrong.py"
    file.write_text("import json\n\nclass Broken(:\n")
    code, result = _run(tmp_path, sim, file, SIZE=50)
    assert code == 1 and f"{file}:3: class Broken(:" in result["error"]


def test_subscriber_that_breaks_is_an_error(sim, tmp_path, capsys):
    code, result = _run(tmp_path, sim, _edited(tmp_path, "message.data[0] >> 2", "message.no_such_field"))
    assert code == 1 and result["verdict"] == "ERROR" and "no_such_field" in result["error"]


@pytest.mark.parametrize(
    "words, text",
    [
        ({"DRIVE": "bulk"}, "DRIVE=bulk has no transactions; give DRIVE=pins"),
        ({"IP": "etrace"}, "MyTest extends NtraceTest); give a file with one, and IP= of its system"),
    ],
)
def test_that_does_not_fit_the_job(sim, tmp_path, capsys, words, text):
    code, result = _run(tmp_path, sim, EXAMPLE, **words)
    assert code == 1 and result["verdict"] == "ERROR" and text in result["error"]


def test_file_that_does_not_exist(tmp_path):
    with pytest.raises(ValueError, match="TEST=no.py was not found; give the Python file with your test"):
        main(["IP=ntrace", "SOURCE=random", "TEST=no.py", f"OUT={tmp_path}"])


@pytest.mark.parametrize(
    "ip, name", [("ntrace", "ntrace_transactions"), ("etrace", "etrace_packets"), ("ctr", "ctr_rows")]
)
def test_transactions_are_the_run(sim, tmp_path, ip, name):
    code, result = _run(tmp_path, sim, TESTS / f"{name}.py", IP=ip, SIZE=200, SEED=3)
    assert code == 0, result["failures"][:1]


def test_overrides_end_with_their_job(sim, tmp_path):
    """One process: the jobs before and after one with an override are the same run."""
    tests = ("", str(EXAMPLE), "")
    jobs = [Job(f"job{n}", "random", {}, 5, "pins", size=300, test=test) for n, test in enumerate(tests)]
    results = {result["name"]: result for result in run_all(jobs, sim, tmp_path, lambda result: None)}
    assert [results[job.name]["verdict"] for job in jobs] == ["PASS"] * 3
    assert [path.parent.name for path in tmp_path.rglob("test.log")] == ["job1"]
    before, slow, after = (results[job.name]["stats"]["cycles"] for job in jobs)
    assert before == after < slow
