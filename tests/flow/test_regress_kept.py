# SPDX-License-Identifier: Apache-2.0
"""What a regression found is kept in a file of its own, and two can be compared."""

import json

import pytest

from rvtrace.flow.regress import kept
from rvtrace.jobs.arguments import ArgumentError
from tests.tools.captures import is_one_sentence, run


def result(name, verdict="PASS", checked=5):
    clauses = {"A.1": [checked, int(verdict != "PASS")]} if checked else {}
    return {"ip": "hpm", "name": name, "verdict": verdict, "clauses": clauses}


def bucket(headline):
    return {"ip": "hpm", "clause": "A.1", "headline": headline}


def test_each_regression_has_its_own_file(tmp_path):
    paths = [kept.leave(tmp_path / "kept", "verilator", {}, [result("a")], []) for _ in range(3)]
    assert len(set(paths)) == 3 and all(path.is_file() for path in paths)
    found = kept.read(paths[0])
    assert found is not None and found["seeds"] == {"hpm/a": "PASS"} and found["clauses"] == {"hpm:A.1": [5, 0]}


def test_what_changed(tmp_path):
    before = kept.leave(tmp_path, "v", {"MODE": "btm"}, [result("a"), result("b", "FAIL")], [bucket("old")])
    after = kept.leave(tmp_path, "v", {}, [result("a", "FAIL"), result("b")], [bucket("new\nPASS  fake")])
    done = run("compare", f"A={before}", f"B={after}")
    assert done.returncode == 1 and not done.stderr
    for said in ("New findings: 1", "- hpm: A.1: new\\nPASS  fake", "Findings that are gone: 1", "- hpm/a (FAIL)",
                 "- hpm/b (FAIL)", "Other words: MODE=btm to MODE=.", "WORSE  1 of 2 seeds passed, now 1 of 2.",
                 ):  # fmt: skip
        assert said in done.stdout, (said, done.stdout)
    assert run("compare", f"A={before}", f"B={before}").returncode == 0
    one, other = kept.read(before), kept.read(kept.leave(tmp_path, "v", {}, [result("a", checked=0)], []))
    assert one is not None and other is not None
    assert kept.worse(one, other) and "Clauses that were checked and are not: 1" in kept.text(one, other)


@pytest.mark.parametrize("change", [
    {"seeds": 1}, {"clauses": {"A": [1, 2]}}, {"schema": "regression/99"}, {"findings": [1]}, {"clauses": {"A": 2**70}},
])  # fmt: skip
def test_a_damaged_file(tmp_path, change):
    path = kept.leave(tmp_path, "v", {}, [result("a")], [])
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(ArgumentError, match="is no summary of a regression"):
        kept.read(path)
    assert is_one_sentence(run("compare", f"A={path}", f"B={path}"), "is no summary of a regression")
