"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from scoreboards.hpm_knobs import Knobs
from scoreboards.hpm_rules import MODES
from tb.coverage.hpm_points import HPM
from tb.sequences.hpm_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals

CHECKERS = {"cycles": ("hpm", "hpm_rules", "hpm_overflow"), "accesses": ("hpm_access", "hpm_software")}
BUILT_UP = {  # ids that the code puts together
    "cycles": {f"HPM.{kind}.{name}" for kind in ("filter", "cfg") for name in (*MODES.values(), "debug")},
    "accesses": {f"HPM.lcofi.{world}" for world in ("guest", "guest_closed", "supervisor", "supervisor_closed")},
}


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    return BUILT_UP[checker] | literals(r"HPM\.[a-z]+\.\w+", *(f"scoreboards/{module}.py" for module in CHECKERS[checker]))


ROWS = Rows("hpm", CHECKERS, ids, SCENARIOS, HPM.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_is_named() -> None:
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} == {point.name for point in HPM.points}


def test_knobs_are_named_where_they_matter() -> None:
    """Every choice that is a knob stands in the row whose choice it is."""
    text = " ".join(clause.what + clause.how for clause in ROWS.plan.clauses.values())
    assert {name for name in vars(Knobs()) if f"knob {name}" not in text} == set()
