# SPDX-License-Identifier: Apache-2.0
"""`rvtrace compare`: what got better or worse between two compliance reports, and the exit code that says so."""

import pytest

from rvtrace.report.compare import kind_of
from tests.report.compliance_data import broken, failing, made, result, waiver
from tests.tools.captures import is_one_sentence, run


def compare(tmp_path, a, b):
    made(tmp_path / "a", *a[0], **a[1])
    made(tmp_path / "b", *b[0], **b[1])
    return run("compare", f"A={tmp_path}/a/out", f"B={tmp_path}/b/out/compliance.json")


@pytest.mark.parametrize(
    "before, after, kind",
    [
        ("PASS", "FAIL", "worse"), ("NOT-RUN", "FAIL", "worse"), ("WAIVED", "FAIL", "worse"), ("-", "FAIL", "worse"),
        ("PASS", "WAIVED", "worse"),
        ("PASS", "NOT-RUN", "worse"), ("FAIL", "NOT-RUN", "worse"), ("WAIVED", "N/A", "worse"), ("FAIL", "-", "worse"),
        ("FAIL", "PASS", "better"), ("NOT-RUN", "PASS", "better"), ("WAIVED", "PASS", "better"),
        ("-", "PASS", "better"),
        ("PASS", "NOT JUDGED", "worse"), ("FAIL", "NOT JUDGED", "worse"), ("NOT JUDGED", "PASS", "better"),
        ("NOT JUDGED", "FAIL", "otherwise"),
        ("FAIL", "WAIVED", "otherwise"), ("NOT-RUN", "N/A", "otherwise"), ("N/A", "NOT-RUN", "otherwise"),
    ],
)  # fmt: skip
def test_kinds_of_change(before, after, kind):
    assert kind_of(before, after) == kind


def test_the_same_is_reported_in_one_line(tmp_path):
    done = compare(tmp_path, ([result()], {}), ([result()], {}))
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "SAME  the verdicts of all 4 clauses are the same."


def test_worse_exits_1_and_names_clause_and_failure(tmp_path):
    done = compare(tmp_path, ([result()], {}), ([failing()], {}))
    assert done.returncode == 1 and "| NT-4 | PASS | FAIL | message 17 is <wrong> |" in done.stdout
    assert (
        done.stdout.splitlines()[-1] == "WORSE  2 clauses worse, 0 better, 0 otherwise."
        and "| verdict | PASS | FAIL |" in done.stdout
    )


def test_better_exits_0(tmp_path):
    done = compare(tmp_path, ([failing()], {}), ([result()], {}))
    assert (
        done.returncode == 0
        and "| NT-4 | FAIL | PASS | 10 checks |" in done.stdout
        and done.stdout.splitlines()[-1].startswith("BETTER  0 clauses worse, 2 better")
    )


def test_a_waiver_that_came_is_neither(tmp_path):
    done = compare(tmp_path, ([failing()], {}), ([failing()], {"waivers": (waiver(), waiver("NT-5"))}))
    assert done.returncode == 0 and "## Otherwise: 2" in done.stdout and "waived: fixed in rev B" in done.stdout


def test_a_run_in_error_is_worse_without_any_clause(tmp_path):
    done = compare(tmp_path, ([result()], {}), ([result(), broken()], {}))
    assert done.returncode == 1 and "runs in error: A 0, B 1" in done.stdout


def test_what_cannot_be_compared_is_one_sentence(tmp_path):
    made(tmp_path, result())
    (tmp_path / "other").mkdir()
    text = (tmp_path / "out" / "compliance.json").read_text()
    (tmp_path / "other" / "compliance.json").write_text(text.replace('"ip": "ntrace"', '"ip": "etrace"'))
    assert is_one_sentence(run("compare", f"A={tmp_path}/out", f"B={tmp_path}/other"), "A is of ntrace and B of etrace")
    assert is_one_sentence(run("compare", f"A={tmp_path}/out"), "B is missing")
    assert is_one_sentence(run("compare", f"A={tmp_path}/out", f"B={tmp_path}/none"), "none does not exist")
    (tmp_path / "other" / "compliance.json").write_text(text[:100])
    assert is_one_sentence(run("compare", f"A={tmp_path}/out", f"B={tmp_path}/other"), "is not JSON, or was cut off")
