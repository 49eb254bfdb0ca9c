"""What every plan's test asks of its rows: plan, checks, scenarios, coverage points and planted bugs find each other."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from scoreboards.clauses import Clause, Plan
from tb.coverage.model import Point
from tools.plants import Plant, load

ROOT = Path(__file__).resolve().parents[1]


def literals(pattern: str, *globs: str) -> set[str]:
    """Clause ids that stand as string literals in the modules of these globs below the repository."""
    wanted, found = re.compile(pattern), set()
    for path in (path for glob in globs for path in sorted(ROOT.glob(glob))):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and wanted.fullmatch(node.value):
                found.add(node.value)
    return found


@dataclass
class Rows:
    """The rows of tests/plan/<ip>.toml and what they must find.

    ids: the clause ids that a checker of that name reports under; a check that is none is a test file. points: coverage points.
    elsewhere: plans whose rows may be parts of these.
    """

    ip: str
    checkers: Iterable[str]
    ids: Callable[[str], set[str]]
    scenarios: Mapping[str, Any]
    points: Iterable[Point]
    elsewhere: tuple[Plan, ...] = ()
    plan: Plan = field(init=False)
    plants: dict[str, Plant] = field(init=False)

    def __post_init__(self) -> None:
        self.plan = Plan.load(ROOT / f"tests/plan/{self.ip}.toml")
        self.plants = load(ROOT / f"tests/plants/{self.ip}.toml", self.ip)

    @cached_property
    def built(self) -> dict[str, Clause]:
        """The rows that are checked."""
        return {name: clause for name, clause in self.plan.clauses.items() if clause.status == "built"}

    def reported(self, checker: str) -> None:
        """A checker reports under something, and only under rows."""
        found = self.ids(checker)
        unknown = found - set(self.plan.clauses)
        assert found and not unknown, f"{checker} reports under {sorted(unknown)}; add rows to tests/plan/{self.ip}.toml"

    def row(self, name: str) -> None:
        """A built row is checked, tested and planted."""
        clause = self.built[name]
        assert clause.how and clause.variants and clause.tests
        assert bool(clause.checks) != bool(clause.through)
        for part in clause.through:
            if not any(part in plan for plan in self.elsewhere):
                assert part in self.built and not self.plan[part].through and set(clause.variants) & set(self.plan[part].variants)
        for check in clause.checks:
            assert name in self.ids(check) if check in self.checkers else (ROOT / check).exists(), f"{check} never reports {name}"
        for test in clause.tests:
            kind, _, what = test.partition(":")
            there = what in self.scenarios if kind == "scenario" else (ROOT / f"tests/programs/{what}.rv64.elf" if kind == "program" else ROOT / test).exists()
            assert test == "random" or there, f"{name}: {test} does not exist"
        assert set(clause.coverage) <= {point.name for point in self.points}
        for plant in clause.plants:
            assert name in self.plants[plant].clauses
        # without a plant: rolled up from rows that have theirs, or shown red by a unit test
        assert clause.plants or clause.through or any(test.startswith("tests/") for test in clause.tests)

    def no_orphans(self) -> None:
        """Every scenario and plant is named in the rows that it serves."""
        named = {test[9:] for c in self.built.values() for test in c.tests if test.startswith("scenario:")}
        assert named == set(self.scenarios)
        for plant in self.plants.values():
            for clause in plant.clauses:
                assert clause in self.built and plant.name in self.plan[clause].plants
        for scenario in self.scenarios.values():
            assert set(scenario.clauses) <= set(self.built), f"{scenario.name} serves unknown clauses"
            assert scenario.configs and scenario.what and scenario.clauses

    def all_named(self) -> None:
        """A scenario is named in each row that it says it serves."""
        for scenario in self.scenarios.values():
            for clause in scenario.clauses:
                assert f"scenario:{scenario.name}" in self.built[clause].tests, f"{scenario.name} serves {clause}; name it in that row"

    def later(self) -> None:
        """What is not built has a reason, no check and no plant."""
        assert all(c.reason and not c.checks and not c.plants for c in self.plan.clauses.values() if c.status == "later")

    def applies(self, plant: Plant, folder: Path) -> None:
        """A planted bug changes each file that it names, and its stimulus is one."""
        for edit in plant.edit:
            target = folder / edit.file
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(edit.path.read_text())
        before = {edit.file: (folder / edit.file).read_text() for edit in plant.edit}
        plant.apply(folder)
        assert all((folder / file).read_text() != text for file, text in before.items())
        assert plant.why and plant.stimulus.settings


class PlanTests:
    """The questions as tests, one for each checker, row and plant. A plan's test has `class TestRows(PlanTests): rows = ROWS`."""

    rows: ClassVar[Rows]

    def pytest_generate_tests(self, metafunc: Any) -> None:
        """pytest's hook: what each test is asked for."""
        kinds = {"checker": list(self.rows.checkers), "clause": list(self.rows.built), "plant": list(self.rows.plants)}
        for kind, names in kinds.items():
            if kind in metafunc.fixturenames:
                metafunc.parametrize(kind, names)

    def test_every_id_in_the_code_is_in_the_plan(self, checker: str) -> None:
        self.rows.reported(checker)

    def test_built_row_is_checked_tested_and_planted(self, clause: str) -> None:
        self.rows.row(clause)

    def test_no_orphans(self) -> None:
        self.rows.no_orphans()

    def test_later_rows_have_reasons_and_no_checks(self) -> None:
        self.rows.later()

    def test_plant_applies(self, plant: str, tmp_path: Path) -> None:
        self.rows.applies(self.rows.plants[plant], tmp_path)
