# SPDX-License-Identifier: Apache-2.0
"""Plan, book and failure message: a bad plan is refused in one sentence, counts add up, NOT-RUN is never PASS."""

import json
from pathlib import Path

import numpy as np
import pytest

from rvtrace.scoreboards.common.clauses import KEPT_PER_CLAUSE, Clause, ClauseBook, Failure, Plan, PlanError

ROW = '[clause."NT.1.a"]\nsection = "1"\nlevel = "shall"\nwhat = "w"\n'


@pytest.mark.parametrize(
    ("text", "word"),
    [
        (ROW + ROW, r"NT.1.a.*twice.*line 5"),
        (ROW + '[group."NT.2."]\nsection = "2"\n', r"starts with NT\.2\."),
        (ROW + '[default]\nlevel = "may"\n', "unknown tables default"),
        (ROW + 'colour = "red"\n', "colour"),
        (ROW.replace('level = "shall"\n', ""), "level"),
        (ROW.replace("shall", "must"), "must"),
        (ROW + 'status = "later"\n', "reason"),
        ("[clause", "TOML"),
    ],
)
def test_bad_plan_is_one_sentence(tmp_path: Path, text: str, word: str) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(text)
    with pytest.raises(PlanError, match=word) as error:
        Plan.load(path)
    assert "\n" not in str(error.value)


def test_rows_take_what_they_omit_from_their_groups_and_from_the_defaults(tmp_path: Path) -> None:
    path = tmp_path / "plan.toml"
    path.write_text(
        '[defaults]\nlevel = "shall"\nvariants = ["v1"]\n[how]\n"exact, legal" = "two"\nthrough = "rolled up"\n'
        '[group."a."]\nsection = "1"\nchecks = ["exact", "legal"]\n[group."a.b."]\nsection = "1.2"\nhow = "group"\n'
        '[clause."a.one"]\nwhat = "w"\n'
        '[clause."a.parts"]\nlevel = "may"\nwhat = "w"\nvariants = []\nthrough = ["a.one"]\n'
        '[clause."a.b.own"]\nwhat = "w"\nhow = "own"\nchecks = ["exact"]\n'
        '[clause."a.b.group"]\nsection = "3"\nwhat = "w"\n'
        '[clause."ab"]\nsection = "4"\nwhat = "w"\n'
    )
    rows = {c.id: (c.section, c.level, c.variants, c.checks, c.how) for c in Plan.load(path).clauses.values()}
    assert rows == {
        "a.one": ("1", "shall", ("v1",), ("exact", "legal"), "two"),
        "a.parts": ("1", "may", (), (), "rolled up"),
        "a.b.own": ("1.2", "shall", ("v1",), ("exact",), "own"),
        "a.b.group": ("3", "shall", ("v1",), ("exact", "legal"), "group"),
        "ab": ("4", "shall", ("v1",), (), ""),
    }


def test_verdicts() -> None:
    a, b, c, d = (
        Clause(f"NT.1.{n}", "1", "shall", n, through=("NT.1.a", "NT.1.b") if n == "d" else ()) for n in "abcd"
    )
    plan = Plan({clause.id: clause for clause in (a, b, c, d)})
    book = ClauseBook(plan)
    book.count("NT.1.a", 7)
    assert book.check("NT.1.b", False, lambda: Failure("NT.1.b", "no")) is False
    assert book.results() == {"NT.1.a": [7, 0], "NT.1.b": [1, 1], "NT.1.d": [8, 1]}
    assert plan.verdicts(book.results()) == {"NT.1.a": "PASS", "NT.1.b": "FAIL", "NT.1.c": "NOT-RUN", "NT.1.d": "FAIL"}
    assert book.failures[0].requirement == "b" and book.failed == ["NT.1.b"]


def test_results_are_plain_numbers() -> None:
    """Counts come from numpy as well; results are written as JSON."""
    part, whole = Clause("NT.1.a", "1", "shall", "a"), Clause("NT.1.b", "1", "shall", "b", through=("NT.1.a",))
    book = ClauseBook(Plan({clause.id: clause for clause in (part, whole)}))
    book.count("NT.1.a", np.int64(3))
    book.met("NT.1.b", np.int64(2))
    assert json.loads(json.dumps(book.results())) == {"NT.1.a": [3, 0], "NT.1.b": [2, 0]}


def test_bulk_counts_all_and_keeps_few() -> None:
    book = ClauseBook(rerun="make run")
    assert not book.bulk("NT.1.a", 100, range(20), lambda i: Failure("NT.1.a", f"number {i}"))
    assert book.results() == {"NT.1.a": [100, 20]} and len(book.failures) == KEPT_PER_CLAUSE
    assert book.failures[0].rerun == "make run"
    assert book.bulk("NT.1.b", 3, [], lambda i: Failure("NT.1.b", "never made"))


def test_failure_text_shows_every_part() -> None:
    failure = Failure(
        "NT.8.4.icnt",
        "I-CNT is wrong",
        12,
        0x100,
        "0x100 <main>: nop",
        [("I-CNT", "3", "4"), ("HIST", "1", "1")],
        ["0x0: first", "0x4: second"],
        "make run X=1",
        "I-CNT counts",
    )
    lines = failure.text().splitlines()
    assert lines[0] == "FAIL NT.8.4.icnt  I-CNT is wrong"
    for word in (
        "clause    I-CNT counts",
        "cycle     12",
        "0x100 <main>: nop",
        "first",
        "second",
        "rerun     make run X=1",
    ):
        assert any(word in line for line in lines), word
    assert [line.endswith("<") for line in lines if "I-CNT  " in line or "HIST" in line] == [True, False]


@pytest.mark.parametrize(
    ("row", "free"),
    [
        ({"checks": ["exact"]}, ""),
        ({"checks": ["exact", "lossless"], "level": "may"}, ""),
        ({"checks": ["exact", "decoder", "tests/a.py"], "level": "may"}, "the specification leaves it to the device"),
        ({"checks": ["exact"], "optional": '"may omit it" (8.7)'}, 'the specification says: "may omit it" (8.7)'),
    ],
)
def test_what_only_the_reference_profile_decides_is_free_where_a_sentence_says_so(row, free):
    clause = Clause.from_row("A.1", {"section": "1", "level": "shall", "what": "It holds."} | row)
    assert clause.free.startswith(free) and bool(clause.free) is bool(free)


def test_a_choice_quotes_no_sentence_that_makes_it_optional():
    with pytest.raises(PlanError, match="clause A.1 has level may and quotes"):
        Clause.from_row("A.1", {"section": "1", "level": "may", "what": "It holds.", "optional": "it may"})
