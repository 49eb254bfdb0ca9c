"""The plan of the Trace Control Interface, its checks and its stories find each other, with no orphan either way."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from scoreboards.clauses import Plan
from scoreboards.control import _BY_ACCESS
from tb.sequences.system import ETRACE_STORIES
from tb.sequences.system import STORIES as NTRACE_STORIES
from tb.sequences.system_tool import PARTS
from tools.plants import load

STORIES = NTRACE_STORIES | ETRACE_STORIES
ROOT = Path(__file__).resolve().parents[2]
PLAN = Plan.load(ROOT / "tests/plan/control.toml")
PLANTS = load(ROOT / "tests/plants/control.toml")
BUILT = {name: clause for name, clause in PLAN.clauses.items() if clause.status == "built"}
ID = re.compile(r"TCI\.[a-z]+\.[a-z0-9_]+")
CODE = [*(ROOT / "scoreboards").glob("control*.py"), *(ROOT / "tb").rglob("*.py")]


def ids(path: Path) -> set[str]:
    """Clause ids in a module: literals, and those put together from a component's part."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and ID.fullmatch(node.value):
            found.add(node.value)
        elif isinstance(node, ast.JoinedStr) and str(getattr(node.values[0], "value", "")) == "TCI.":
            word = str(getattr(node.values[-1], "value", ""))
            found |= {f"TCI.{part}{word}" for part in PARTS.values()}
    return found | (set(_BY_ACCESS.values()) if path.name == "control.py" else set())


def test_every_id_in_the_code_is_in_the_plan() -> None:
    unknown = {name: path.name for path in CODE for name in ids(path)} if CODE else {}
    assert {name: where for name, where in unknown.items() if name not in PLAN} == {}


@pytest.mark.parametrize("name", BUILT)
def test_built_row_is_checked_and_tested(name: str) -> None:
    clause = BUILT[name]
    assert clause.how and clause.tests and clause.checks
    for check in clause.checks:
        assert (ROOT / check).exists()
    assert any(name in ids(ROOT / check) for check in clause.checks), f"no check reports {name}"
    for test in clause.tests:
        kind, _, what = test.partition(":")
        assert (kind == "system" and what in STORIES) or (ROOT / test).exists(), f"{name}: {test} does not exist"
    assert clause.plants and all(name in PLANTS[plant].clauses for plant in clause.plants)


def test_no_orphans() -> None:
    assert {test[7:] for c in BUILT.values() for test in c.tests if test.startswith("system:")} == set(STORIES)
    for story in STORIES.values():
        assert story.what and set(story.clauses) <= set(BUILT), f"{story.name} serves unknown clauses"
    for plant in PLANTS.values():
        assert all(plant.name in BUILT[clause].plants for clause in plant.clauses)


@pytest.mark.parametrize("plant", PLANTS.values(), ids=lambda plant: plant.name)
def test_plant_applies(plant, tmp_path: Path) -> None:
    for edit in plant.edit:
        target = tmp_path / edit.file
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text((ROOT / "rtl" / edit.file).read_text())
    plant.apply(tmp_path)
    assert plant.why and plant.stimulus.settings
