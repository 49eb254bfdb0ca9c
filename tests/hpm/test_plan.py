"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from pathlib import Path

import pytest

from scoreboards.hpm_knobs import Knobs
from scoreboards.hpm_rules import MODES
from tb.coverage.hpm_points import HPM
from tb.sequences.hpm_scenarios import SCENARIOS
from tests.plan_rows import Rows, literals

CHECKERS = {"cycles": ("hpm", "hpm_rules", "hpm_overflow"), "accesses": ("hpm_access", "hpm_software")}
BUILT_UP = {  # ids that the code puts together
    "cycles": {f"HPM.{kind}.{name}" for kind in ("filter", "cfg") for name in (*MODES.values(), "debug")},
    "accesses": {f"HPM.lcofi.{world}" for world in ("guest", "guest_closed", "supervisor", "supervisor_closed")},
}


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    return BUILT_UP[checker] | literals(r"HPM\.[a-z]+\.\w+", *(f"scoreboards/{module}.py" for module in CHECKERS[checker]))


ROWS = Rows("hpm", CHECKERS, ids, SCENARIOS, HPM.points)


@pytest.mark.parametrize("checker", CHECKERS)
def test_every_id_in_the_code_is_in_the_plan(checker: str) -> None:
    ROWS.reported(checker)


@pytest.mark.parametrize("name", ROWS.built)
def test_built_row_is_checked_tested_and_planted(name: str) -> None:
    ROWS.row(name)


def test_no_orphans() -> None:
    ROWS.no_orphans()
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} == {point.name for point in HPM.points}


def test_knobs_are_named_where_they_matter() -> None:
    """Every choice that is a knob stands in the row whose choice it is."""
    text = " ".join(clause.what + clause.how for clause in ROWS.plan.clauses.values())
    assert {name for name in vars(Knobs()) if f"knob {name}" not in text} == set()


def test_later_rows_have_reasons_and_no_checks() -> None:
    ROWS.later()


@pytest.mark.parametrize("plant", ROWS.plants.values(), ids=lambda plant: plant.name)
def test_plant_applies(plant, tmp_path: Path) -> None:
    ROWS.applies(plant, tmp_path)
