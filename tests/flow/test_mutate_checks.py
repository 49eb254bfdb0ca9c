# SPDX-License-Identifier: Apache-2.0
"""`make mutate-checks`: mutants of Python files, and that a test that calls the function is tried on them."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from rvtrace.flow.mutate import check_campaign, check_mutants
from rvtrace.flow.mutate.check_campaign import Calls, hunt, tried
from rvtrace.flow.mutate.check_mutants import CheckMutant, chosen, files_of, is_real, mutants_of
from rvtrace.tb.common.arguments import ArgumentError
from rvtrace.tb.common.builds import ROOT
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
    endless = replace(mutant, after="sum(1 for _ in iter(int, 1))")
    assert outcome(endless, Calls({place: verdicts})) == ("timeout", 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [(["IP=ntrance"], "IP=ntrance has no models"), ([], "give IP="), (["IP=ctr", "FILE=tb"], "is no file or folder")],
)
def test_bad_words_are_one_sentence(words: list[str], said: str) -> None:
    with pytest.raises(ArgumentError, match=said):
        mutate_checks.main(words)
