# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan, checks, scenarios, coverage points and mutants refer to each other; none is left over."""

from rvtrace.scoreboards.hpm.rules import MODES
from rvtrace.scoreboards.hpm.tolerances import Tolerances
from rvtrace.tb.hpm.coverage.points import HPM
from rvtrace.tb.hpm.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals

CHECKERS = {
    "cycles": ("check", "rules", "bounds", "free"),
    "exact": ("check", "rules"),
    "accesses": ("access", "software"),
}
BUILT_UP = {  # ids that the code puts together
    "cycles": {f"HPM.{kind}.{name}" for kind in ("filter", "cfg") for name in (*MODES.values(), "debug")},
    "exact": {"HPM.inhibit.next", *(f"HPM.{kind}.{word}" for kind in ("filter", "cfg") for word in ("debug", "next"))},
    "accesses": {f"HPM.lcofi.{world}" for world in ("guest", "guest_closed", "supervisor", "supervisor_closed")},
}


def ids(checker: str) -> set[str]:
    """Clause ids that the modules of a checker report."""
    return BUILT_UP[checker] | literals(
        r"HPM\.[a-z]+\.\w+", *(f"scoreboards/hpm/{module}.py" for module in CHECKERS[checker])
    )


ROWS = Rows("hpm", CHECKERS, ids, SCENARIOS, HPM.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    ROWS.points_named()


def test_tolerances_are_named_where_they_matter() -> None:
    assert not ROWS.tolerances_left(Tolerances())
