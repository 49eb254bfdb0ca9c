# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan of the loop, checks, scenarios, coverage points and mutants refer to each other."""

from __future__ import annotations

from rvtrace.tb.loop.coverage.points import LOOP
from rvtrace.tb.loop.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals


def ids(checker: str) -> frozenset[str]:
    """Clause ids that the scoreboard reports."""
    return literals(r"LOOP\.\w+", f"scoreboards/{checker}/*.py")


ROWS = Rows("loop", ("loop",), ids, SCENARIOS, LOOP.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} == {
        point.name for point in LOOP.points
    }
