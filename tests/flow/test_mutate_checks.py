# SPDX-License-Identifier: Apache-2.0
"""`make mutate-checks`: mutants of Python files, and that a test that calls the function is tried on them."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from rvtrace.flow.mutate import check_campaign, check_mutants, check_plugin, equivalent
from rvtrace.flow.mutate.check_campaign import Calls, Outcome, hunt, tried
from rvtrace.flow.mutate.check_mutants import CheckMutant, chosen, files_of, is_real, mutants_of
from rvtrace.jobs.arguments import ArgumentError
from rvtrace.jobs.builds import ROOT
from rvtrace.models.ctr import registers
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import csrs
from rvtrace.tools import mutate_checks

SOURCE = '''
LIMIT = 3


def check(book, a, b, rows):
    """A docstring with 1 number."""
    total = 0
    for row in rows:
        if row.done or not row.seen:
            continue
        total += (row.count + 1) << 2
    if a <= b and total != 5 and rows:
        book.fail(f"{total + 1} rows")
    raise ValueError("3 < 4") if a is None else KeyError(a)
'''


@pytest.fixture
def mutants(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[CheckMutant]:
    monkeypatch.setattr(check_mutants, "ROOT", tmp_path)
    path = tmp_path / "models" / "one.py"
    path.parent.mkdir()
    path.write_text(SOURCE)
    return mutants_of(path)


def test_each_operator_changes_its_place(mutants: list[CheckMutant]) -> None:
    changes = {(m.operator, m.before, m.after) for m in mutants}
    assert {
        ("and/or", "or", "and"), ("negation dropped", "not row.seen", "(row.seen)"), ("loop", "continue", "break"),
        ("statement dropped", "total += (row.count + 1) << 2", "pass"), ("arithmetic", "+", "-"),
        ("arithmetic", "<<", ">>"), ("constant", "2", "(2 + 1)"), ("constant", "2", "(2 - 1)"),
        ("comparison", "<=", "<"), ("comparison", "!=", "=="), ("term dropped", " and rows", ""),
        ("condition negated", "row.done or not row.seen", "(not (row.done or not row.seen))"),
        ("statement dropped", 'book.fail(f"{total + 1} rows")', "pass"),
    } <= changes  # fmt: skip
    assert all(is_real(mutant) for mutant in mutants)
    assert len({mutant.id for mutant in mutants}) == len(mutants)


def test_tables_texts_and_docstrings_are_left_alone(mutants: list[CheckMutant]) -> None:
    lines = {mutant.line for mutant in mutants}
    first = SOURCE.splitlines().index("LIMIT = 3") + 1
    assert first not in lines and first + 4 not in lines, "a number outside a function, or in a docstring"
    assert not [m for m in mutants if m.before == "1" and "rows" in SOURCE.splitlines()[m.line - 1]]
    assert not [m for m in mutants if "raise" in SOURCE.splitlines()[m.line - 1]]


def test_the_choice_is_the_same_for_a_seed_and_spreads() -> None:
    files = files_of("adapter")
    one, again, other = (list(chosen(files, 40, seed)) for seed in ("1", "1", "2"))
    assert one == again != other and len({mutant.id for mutant in one}) == 40
    assert len({mutant.operator for mutant in one}) > 4 and len({mutant.file for mutant in one}) > 4


def test_a_changed_file_is_refused(mutants: list[CheckMutant]) -> None:
    with pytest.raises(ValueError, match="has changed since"):
        mutants[0].apply(SOURCE.replace("rows", "lines"))


TEST = "tests/common/test_long.py::test_some_values"


def test_a_test_that_calls_the_function_notices_it() -> None:
    """A clause that is counted twice; the same with a test that does not look; and one that no test calls."""
    source = (ROOT / "scoreboards/common/clauses.py").read_text()
    line = source[: source.index("def count(")].count("\n") + 1
    body = source[source.index("def count(") :]
    where = source.index("def count(") + body.index("+=")
    mutant = CheckMutant("scoreboards/common/clauses.py", line, where, where + 2, "+=", "-=", "by hand", line)
    looks = "tests/common/test_clauses.py"
    found = tried(mutant, Calls({(mutant.file, line): [(1.0, looks)]}))
    assert found.noticed and found.by.startswith(looks)
    assert not tried(mutant, Calls({(mutant.file, line): [(0.1, TEST)]})).noticed
    alone = tried(mutant, Calls({}))
    assert (alone.noticed, alone.tried) == (False, 0)


def test_in_children_of_one_process_the_outcomes_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """Noticed, not noticed, called by no test; called while modules are imported, which needs a process of its own; and
    without an end.
    """
    source = (ROOT / "scoreboards/common/clauses.py").read_text()
    line = source[: source.index("def count(")].count("\n") + 1
    made = mutants_of(ROOT / "scoreboards/common/clauses.py")
    mutant = next(one for one in made if one.function == line and one.operator == "statement dropped")
    place = (mutant.file, line)
    verdicts = [(0.01, "tests/common/test_clauses.py::test_verdicts")]

    def outcome(mutant: CheckMutant, calls: Calls) -> tuple[str, int]:
        (found,) = hunt([mutant], calls, "common", 1)
        return found.by, found.tried

    for tests, imported in ((verdicts, False), (verdicts, True), ([(0.01, TEST)], False), ([], False)):
        alone = tried(mutant, Calls({place: tests}))
        assert outcome(mutant, Calls({place: tests}, frozenset([place] * imported))) == (alone.by, alone.tried)
        assert bool(alone.by) == (tests == verdicts)
    monkeypatch.setattr(check_campaign, "LEAST", 2.0)
    monkeypatch.setattr(check_campaign, "tried", None)  # a child can try it, no new Python is needed
    endless = replace(mutant, after="sum(1 for _ in iter(int, 1))")
    assert outcome(endless, Calls({place: verdicts})) == ("timeout", 1)


def test_a_test_calls_what_another_has_called_before() -> None:
    """The table of registers is cached: else one test of the process would be the only one to call it."""
    config = Config()
    csrs(config)
    assert registers.entries.cache_info().currsize
    check_plugin.forget()
    assert not registers.entries.cache_info().currsize
    assert csrs(config)


def test_a_test_that_takes_too_long_is_left_out(tmp_path: Path) -> None:
    """It is ended and skipped, and no mutant is tried by it, also if it catches what ends it and fails; the next one is
    recorded.
    """
    (tmp_path / "calls").mkdir()
    (tmp_path / "conftest.py").write_text("from rvtrace.flow.mutate import check_plugin\ncheck_plugin.LONGEST = 0.3\n")
    (tmp_path / "test_two.py").write_text(
        "from rvtrace.scoreboards.common.clauses import ClauseBook, Plan\n"
        "def test_endless():\n    while True:\n        pass\n"
        "def test_deaf():\n    try:\n        test_endless()\n    except BaseException:\n        assert False\n"
        "def test_short():\n    ClauseBook(Plan({}), '')\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", check_campaign.PLUGIN, "-p", "no:cacheprovider", str(tmp_path)],
        cwd=ROOT, env=os.environ | {"RVTRACE_CALLS": str(tmp_path / "calls")}, capture_output=True, text=True,
        timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0 and "1 passed, 2 skipped" in done.stdout, done.stdout
    rows = [json.loads(line) for path in (tmp_path / "calls").iterdir() for line in path.open()]
    tests = {row["test"].rpartition("::")[2]: row["calls"] for row in rows}
    assert list(tests) == ["", "test_short"] and "scoreboards/common/clauses.py" in tests["test_short"]


@pytest.mark.parametrize(
    ("words", "said"),
    [(["IP=ntrance"], "IP=ntrance has no models"), ([], "give IP="), (["IP=ctr", "FILE=tb"], "is no file or folder")],
)
def test_bad_words_are_one_sentence(words: list[str], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        mutate_checks.main(words)


def test_one_test_of_each_function_is_tried_before_the_others() -> None:
    """By its time; and what does not fit the time is passed over for what does."""
    tests = [
        (3.0, "b.py::two[1]"),
        (0.1, "a.py::one[1]"),
        (0.2, "a.py::one[2]"),
        (4.0, "b.py::two[2]"),
        (9.0, "c.py::x"),
    ]
    order = check_campaign._spread(tests)
    assert [name for _, name in order] == [
        "a.py::one[1]", "b.py::two[1]", "c.py::x", "a.py::one[2]", "b.py::two[2]",
    ]  # fmt: skip
    (first,) = check_campaign._portions(order, 4.0)
    assert [name for _, name in first] == ["a.py::one[1]", "b.py::two[1]", "a.py::one[2]"]
    first, rest = check_campaign._portions(order, 60.0)
    assert sum(seconds for seconds, _ in first) <= check_campaign.FIRST and len(first + rest) == 5


def test_a_reasoned_mutant_is_settled(tmp_path: Path, mutants: list[CheckMutant]) -> None:
    mutant = next(one for one in mutants if one.operator == "comparison" and one.before == "<=")
    path = tmp_path / equivalent.CHECKS
    path.write_text(equivalent.suggested(mutant, SOURCE).replace('reason = ""', 'reason = "a is never b"'))
    rows = equivalent.load(path)
    found = equivalent.row_of(mutant, SOURCE, rows)
    assert found is not None and found.reason == "a is never b" and not equivalent.stale(rows, {mutant.file: SOURCE})
    assert equivalent.row_of(replace(mutant, after=">"), SOURCE, rows) is None
    assert equivalent.CHECKS in equivalent.stale(rows, {mutant.file: ""}, equivalent.CHECKS)[0]
    assert Outcome(mutant, "", 3, found.reason).settled and not Outcome(mutant, "", 3).settled


def test_chances_are_turned_round(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A random float is never the bound itself: `<` for `<=` would be the same."""
    monkeypatch.setattr(check_mutants, "ROOT", tmp_path)
    path = tmp_path / "one.py"
    path.write_text("def coin(rng):\n    return rng.random() < 0.5\n")
    assert [(one.before, one.after) for one in mutants_of(path)] == [("<", ">")]
