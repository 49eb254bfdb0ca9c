# SPDX-License-Identifier: Apache-2.0
"""Tests common to all plans: rows, checks, scenarios, coverage points and mutants refer to each other."""

import ast
import re
from collections.abc import Callable, Iterable, Mapping, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from typing import Any, ClassVar

from rvtrace.flow.faults.rows import Fault, by_clause
from rvtrace.flow.faults.written import load, stimulus
from rvtrace.jobs.coverage import Point
from rvtrace.scoreboards.common.clauses import Clause, Plan

ROOT = Path(__file__).resolve().parents[2]


@cache
def literals(pattern: str, *globs: str) -> frozenset[str]:
    """Clause ids that are string literals in the modules of these globs below the repository."""
    wanted, found = re.compile(pattern), set()
    for path in (path for glob in globs for path in sorted(ROOT.glob(glob))):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and wanted.fullmatch(node.value):
                found.add(node.value)
    return frozenset(found)


@dataclass
class Rows:
    """The rows of scoreboards/<ip>/plan.toml and what they must refer to.

    ids: the clause ids that a checker of that name reports; a check that is no checker is a test file.
    points: coverage points. elsewhere: plans whose rows may be parts of these. caught_by: mutants of each clause.
    """

    ip: str
    checkers: Iterable[str]
    ids: Callable[[str], Set[str]]
    scenarios: Mapping[str, Any]
    points: Iterable[Point]
    elsewhere: tuple[Plan, ...] = ()
    plan: Plan = field(init=False)
    mutants: dict[str, Fault] = field(init=False)
    caught_by: dict[str, list[str]] = field(init=False)

    def __post_init__(self) -> None:
        self.plan = Plan.load(ROOT / f"scoreboards/{self.ip}/plan.toml")
        self.mutants = load(self.ip)
        self.caught_by = by_clause(self.mutants.values())

    @cached_property
    def built(self) -> dict[str, Clause]:
        """The rows that are checked."""
        return {name: clause for name, clause in self.plan.clauses.items() if clause.status == "built"}

    def reported(self, checker: str) -> None:
        """A checker reports at least one clause, and only rows of the plan."""
        found = self.ids(checker)
        unknown = found - set(self.plan.clauses)
        assert found and not unknown, (
            f"{checker} reports {sorted(unknown)}; add rows to scoreboards/{self.ip}/plan.toml"
        )

    def row(self, name: str) -> None:
        """A built row has a check, a stimulus, and a mutant or another way to be seen failing."""
        clause = self.built[name]
        assert clause.how and clause.variants and clause.tests
        assert bool(clause.checks) != bool(clause.through)
        for part in clause.through:
            if not any(part in plan for plan in self.elsewhere):
                assert (
                    part in self.built
                    and not self.plan[part].through
                    and set(clause.variants) & set(self.plan[part].variants)
                )
        for check in clause.checks:
            assert name in self.ids(check) if check in self.checkers else (ROOT / check).exists(), (
                f"{check} never reports {name}"
            )
        for test in clause.tests:
            kind, _, what = test.partition(":")
            there = (
                what in self.scenarios
                if kind == "scenario"
                else (ROOT / f"data/programs/{what}.rv64.elf" if kind == "program" else ROOT / test).exists()
            )
            assert test == "random" or there, f"{name}: {test} does not exist"
        assert set(clause.coverage) <= {point.name for point in self.points}
        # without a mutant: rolled up from rows that have theirs, or shown to fail by a unit test
        assert self.caught_by.get(name) or clause.through or any(test.startswith("tests/") for test in clause.tests), (
            f"{name} has no mutant; add one to tests/{self.ip}/mutants.toml"
        )

    def no_orphans(self) -> None:
        """Every scenario is named in a row, and every mutant names built rows."""
        named = {test[9:] for c in self.built.values() for test in c.tests if test.startswith("scenario:")}
        assert named == set(self.scenarios)
        for mutant in self.mutants.values():
            assert mutant.clauses and set(mutant.clauses) <= set(self.built), f"{mutant.name} names unknown clauses"
        for scenario in self.scenarios.values():
            assert set(scenario.clauses) <= set(self.built), f"{scenario.name} serves unknown clauses"
            assert scenario.configs and scenario.doc and scenario.clauses

    def all_named(self) -> None:
        """A scenario is named in each row that it says it serves."""
        for scenario in self.scenarios.values():
            for clause in scenario.clauses:
                assert f"scenario:{scenario.name}" in self.built[clause].tests, (
                    f"{scenario.name} serves {clause}; name it in that row"
                )

    def points_named(self, unnamed: Set[str] = frozenset()) -> None:
        """Every coverage point is named in a row. unnamed: those that belong to none."""
        named = {point for clause in self.built.values() for point in clause.coverage}
        assert named | unnamed == {point.name for point in self.points}

    def tolerances_left(self, tolerances: object, word: str = "tolerance ") -> set[str]:
        """The tolerances that are not named, after a word, in the row of their choice."""
        text = " ".join(clause.what + clause.how for clause in self.plan.clauses.values())
        return {name for name in vars(tolerances) if word + name not in text}

    def later(self) -> None:
        """What is not built has a reason, no check and no mutant."""
        assert all(
            c.reason and not c.checks and c.id not in self.caught_by
            for c in self.plan.clauses.values()
            if c.status == "later"
        )

    def applies(self, mutant: Fault) -> None:
        """A mutant has its places in our files, and its stimulus exists."""
        mutant.check()
        assert mutant.why and stimulus(mutant).settings


class PlanTests:
    """One test for each checker, row and mutant. A plan's test has `class TestRows(PlanTests): rows = ROWS`."""

    rows: ClassVar[Rows]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """The hook of pytest that supplies the parameters of each test."""
        kinds = {
            "checker": list(self.rows.checkers),
            "clause": list(self.rows.built),
            "mutant": list(self.rows.mutants),
        }
        for kind, names in kinds.items():
            if kind in metafunc.fixturenames:
                metafunc.parametrize(kind, names)

    def test_every_id_in_the_code_is_in_the_plan(self, checker: str) -> None:
        self.rows.reported(checker)

    def test_built_row_is_checked_tested_and_has_a_mutant(self, clause: str) -> None:
        self.rows.row(clause)

    def test_no_orphans(self) -> None:
        self.rows.no_orphans()

    def test_later_rows_have_reasons_and_no_checks(self) -> None:
        self.rows.later()

    def test_mutant_applies(self, mutant: str) -> None:
        self.rows.applies(self.rows.mutants[mutant])
