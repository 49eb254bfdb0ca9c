"""The plan of the subsystem, its checks, scenarios, coverage points and planted bugs find each other."""

from __future__ import annotations

from tb.coverage.subsystem_points import SUBSYSTEM
from tb.sequences.subsystem_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals


def ids(checker: str) -> set[str]:
    """Clause ids that the scoreboard reports under."""
    return literals(r"SUB\.\w+(\.\w+)?", f"scoreboards/{checker}*.py")


ROWS = Rows("subsystem", ("subsystem",), ids, SCENARIOS, SUBSYSTEM.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} == {point.name for point in SUBSYSTEM.points}
