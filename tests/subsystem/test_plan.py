# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan of the subsystem, checks, scenarios, coverage points and mutants refer to each other."""

from rvtrace.tb.subsystem.coverage.points import SUBSYSTEM
from rvtrace.tb.subsystem.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals


def ids(checker: str) -> frozenset[str]:
    """Clause ids that the scoreboard reports."""
    return literals(r"SUB\.\w+(\.\w+)?", f"scoreboards/{checker}/*.py")


ROWS = Rows("subsystem", ("subsystem",), ids, SCENARIOS, SUBSYSTEM.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    ROWS.points_named()
