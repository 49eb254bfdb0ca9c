"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from models.ntrace.messages import BY_NAME
from scoreboards.clauses import Plan
from tb.coverage.points import POINTS
from tb.sequences.ntrace_scenarios import SCENARIOS
from tools.plants import load

ROOT = Path(__file__).resolve().parents[2]
PLAN = Plan.load(ROOT / "tests/plan/ntrace.toml")
PLANTS = load(ROOT / "tests/plants/ntrace.toml")
CONTROL = Plan.load(ROOT / "tests/plan/control.toml")  # registers and pins are checked there
BUILT = {name: clause for name, clause in PLAN.clauses.items() if clause.status == "built"}
ID = re.compile(r"NT(-\d+|\.(\d+|V)[\w.]*)")
LOSSLESS = ("align", "context", "edges", "inferred", "lossless", "markers", "periodic", "restart", "time")
PATTERNS = {
    "exact": ("scoreboards/ntrace_exact.py", "scoreboards/ntrace_attribution.py", "models/ntrace/encoder*.py"),
    "lossless": tuple(f"scoreboards/ntrace_{part}.py" for part in LOSSLESS),
    "legal": ("scoreboards/ntrace_legal*.py",),
    "codec": ("models/ntrace/codec.py",),
    "decoder": ("models/ntrace/decode*.py",),
    "sources": ("scoreboards/ntrace_sources.py",),
}
SOURCES = {name: [path for pattern in patterns for path in sorted(ROOT.glob(pattern))] for name, patterns in PATTERNS.items()}
FIELDS = {f"NT.{kind.section}.fields" for kind in BY_NAME.values()}  # these are put together from the field table


def ids(checker: str) -> set[str]:
    """Clause ids that stand as string literals in a checker's modules, and those it makes from the field table."""
    found = FIELDS if checker in ("codec", "legal") else set()
    for source in SOURCES[checker]:
        for node in ast.walk(ast.parse(source.read_text())):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value):
                found = found | {node.value}
    return found


@pytest.mark.parametrize("checker", SOURCES)
def test_every_id_in_the_code_is_in_the_plan(checker: str) -> None:
    unknown = ids(checker) - set(PLAN.clauses)
    assert not unknown, f"{checker} reports under {sorted(unknown)}; add rows to tests/plan/ntrace.toml"


@pytest.mark.parametrize("name", BUILT)
def test_built_row_is_checked_tested_and_planted(name: str) -> None:
    clause = BUILT[name]
    assert clause.how and clause.variants and clause.tests
    assert bool(clause.checks) != bool(clause.through)
    for part in clause.through:
        assert part in CONTROL or (part in BUILT and not PLAN[part].through)
    for check in clause.checks:
        assert name in ids(check) if check in SOURCES else (ROOT / check).exists(), f"{check} never reports {name}"
    for test in clause.tests:
        kind, _, what = test.partition(":")
        if kind == "scenario":
            assert what in SCENARIOS
        elif kind == "program":
            assert (ROOT / f"tests/programs/{what}.rv64.elf").exists()
        else:
            assert test == "random" or (ROOT / test).exists(), f"{name}: {test} does not exist"
    assert set(clause.coverage) <= {point.name for point in POINTS}
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
        assert set(scenario.clauses) <= set(BUILT), f"{scenario.name} serves unknown clauses"
        assert scenario.configs and scenario.what and scenario.name == scenario.build.__name__


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


def test_later_rows_have_reasons_and_no_checks() -> None:
    later = [clause for clause in PLAN.clauses.values() if clause.status == "later"]
    assert all(c.reason and not c.checks and not c.plants for c in later)
