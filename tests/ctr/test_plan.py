"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from scoreboards.clauses import Plan
from scoreboards.ctr import RULINGS, SITUATIONS
from scoreboards.ctr_knobs import Knobs
from scoreboards.ctr_reasons import FILTERS, PAIRS
from tb.coverage.ctr_points import CTR
from tb.sequences.ctr_scenarios import SCENARIOS
from tools.plants import load

ROOT = Path(__file__).resolve().parents[2]
PLAN = Plan.load(ROOT / "tests/plan/ctr.toml")
FILE = ROOT / "tests/plants/ctr.toml"
PLANTS = load(FILE, "ctr") if FILE.exists() else {}
BUILT = {name: clause for name, clause in PLAN.clauses.items() if clause.status == "built"}
ID = re.compile(r"CTR(-\d+|\.[a-z]+\.\w+)")
MODULES = {
    "transfers": ("ctr_reasons", "ctr_diagnose", "ctr_follow"), "values": ("ctr", "ctr_judge", "ctr_values", "ctr_reads"), "accesses": ("ctr_access",),
}  # fmt: skip
PRIV = ("trap_enabled", "trap_from_disabled", "trap_to_disabled", "trap_disabled", "ret_enabled", "ret_to_disabled", "ret_from_disabled", "ret_disabled")
BUILT_UP = {  # ids that the code puts together
    "transfers": {f"CTR.filter.{name}" for _, name in FILTERS.values()} | {f"CTR.ext.{pair}" for pair in PAIRS.values()} | {f"CTR.priv.{name}" for name in PRIV},
    "values": set(RULINGS), "accesses": {"CTR.sctl.subset", "CTR.ctl.keep"},
}  # fmt: skip


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    found = set(BUILT_UP[checker])
    for module in MODULES[checker]:
        for node in ast.walk(ast.parse((ROOT / f"scoreboards/{module}.py").read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value):
                found.add(node.value)
    return found


@pytest.mark.parametrize("checker", MODULES)
def test_every_id_in_the_code_is_in_the_plan(checker: str) -> None:
    unknown = ids(checker) - set(BUILT)
    assert ids(checker) and not unknown, f"{checker} reports under {sorted(unknown)}; add rows to tests/plan/ctr.toml"


@pytest.mark.parametrize("name", BUILT)
def test_built_row_is_checked_tested_and_planted(name: str) -> None:
    clause = BUILT[name]
    assert clause.how and clause.variants and clause.tests
    assert bool(clause.checks) != bool(clause.through)
    for part in clause.through:
        assert part in BUILT and not PLAN[part].through and set(clause.variants) & set(PLAN[part].variants)
    for check in clause.checks:
        assert name in ids(check), f"{check} never reports {name}"
    for test in clause.tests:
        kind, _, what = test.partition(":")
        assert what in SCENARIOS if kind == "scenario" else test == "random" or (ROOT / test).exists(), f"{name}: {test} does not exist"
    assert set(clause.coverage) <= {point.name for point in CTR.points}
    for plant in clause.plants:
        assert name in PLANTS[plant].clauses
    # without a plant: rolled up from rows that have theirs, or shown red by a unit test
    assert clause.plants or clause.through or any(test.startswith("tests/") for test in clause.tests)


def test_no_orphans() -> None:
    assert {test[9:] for c in BUILT.values() for test in c.tests if test.startswith("scenario:")} == set(SCENARIOS)
    for plant in PLANTS.values():
        for clause in plant.clauses:
            assert clause in BUILT and plant.name in PLAN[clause].plants
    for scenario in SCENARIOS.values():
        for clause in scenario.clauses:
            assert f"scenario:{scenario.name}" in BUILT[clause].tests, f"{scenario.name} serves {clause}; name it in that row"
        assert scenario.configs and scenario.what and scenario.clauses
    assert {point for clause in BUILT.values() for point in clause.coverage} | {"run_cg"} == {point.name for point in CTR.points}


def test_situations_are_rolled_up() -> None:
    """What is counted by its situation is a row with parts."""
    assert all(BUILT[clause].through for clause in (*RULINGS, *SITUATIONS))


def test_knobs_are_named_where_they_matter() -> None:
    """Every choice that is a knob stands in the row whose choice it is."""
    text = " ".join(clause.what + clause.how for clause in PLAN.clauses.values())
    assert {name for name in vars(Knobs()) if name not in text} == set()


def test_later_rows_have_reasons_and_no_checks() -> None:
    later = [clause for clause in PLAN.clauses.values() if clause.status == "later"]
    assert later and all(c.reason and not c.checks and not c.plants for c in later)


@pytest.mark.parametrize("plant", PLANTS.values(), ids=lambda plant: plant.name)
def test_plant_applies(plant, tmp_path: Path) -> None:
    for edit in plant.edit:
        target = tmp_path / edit.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((ROOT / "rtl" / edit.file).read_text())
    before = {edit.file: (tmp_path / edit.file).read_text() for edit in plant.edit}
    plant.apply(tmp_path)
    assert all((tmp_path / file).read_text() != text for file, text in before.items())
    assert plant.why and plant.stimulus.settings
