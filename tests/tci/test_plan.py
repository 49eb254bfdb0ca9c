# SPDX-License-Identifier: Apache-2.0
"""The plan of the Trace Control Interface, its checks, scenarios and mutants refer to each other; none is left over."""

import ast
import re
from pathlib import Path

import pytest

from rvtrace.flow.faults.rows import by_clause
from rvtrace.flow.faults.written import load, stimulus
from rvtrace.scoreboards.common.clauses import Plan
from rvtrace.scoreboards.tci.registers import _BY_ACCESS
from rvtrace.tb.tci.stimulus.scenarios import BY_IP
from rvtrace.tb.tci.stimulus.tool import PARTS

SCENARIOS = BY_IP["ntrace"] | BY_IP["etrace"]
ROOT = Path(__file__).resolve().parents[2]
PLAN = Plan.load(ROOT / "scoreboards/tci/plan.toml")
MUTANTS = load("tci")
CAUGHT_BY = by_clause(MUTANTS.values())
BUILT = {name: clause for name, clause in PLAN.clauses.items() if clause.status == "built"}
ID = re.compile(r"TCI\.[a-z]+\.[a-z0-9_]+")
CODE = [*(ROOT / "scoreboards" / "tci").glob("*.py"), *(ROOT / "tb").rglob("*.py")]


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
        assert (kind == "tci" and what in SCENARIOS) or (ROOT / test).exists(), f"{name}: {test} does not exist"
    assert CAUGHT_BY.get(name), f"{name} has no mutant; add one to tests/tci/mutants.toml"


def test_no_orphans() -> None:
    assert {test[4:] for c in BUILT.values() for test in c.tests if test.startswith("tci:")} == set(SCENARIOS)
    for scenario in SCENARIOS.values():
        assert scenario.doc and set(scenario.clauses) <= set(BUILT), f"{scenario.name} serves unknown clauses"
    for mutant in MUTANTS.values():
        assert mutant.clauses and set(mutant.clauses) <= set(BUILT), f"{mutant.name} names unknown clauses"


@pytest.mark.parametrize("mutant", MUTANTS.values(), ids=lambda mutant: mutant.name)
def test_mutant_applies(mutant) -> None:
    mutant.check()
    assert mutant.why and stimulus(mutant).settings
