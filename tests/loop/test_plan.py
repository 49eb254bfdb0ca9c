"""The plan of the loop, its checks, scenarios, coverage points and planted bugs find each other."""

from __future__ import annotations

from tb.coverage.loop_points import LOOP
from tb.sequences.loop_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals


def ids(checker: str) -> set[str]:
    """Clause ids that the scoreboard reports under."""
    return literals(r"LOOP\.\w+", f"scoreboards/{checker}.py")


ROWS = Rows("loop", ("loop",), ids, SCENARIOS, LOOP.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} == {point.name for point in LOOP.points}
