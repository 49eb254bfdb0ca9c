# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan, checks, scenarios, coverage points and mutants refer to each other; none is left over."""

from rvtrace.scoreboards.ctr.check import RULINGS, SITUATIONS
from rvtrace.scoreboards.ctr.reasons import FILTERS, PAIRS
from rvtrace.scoreboards.ctr.tolerances import Tolerances
from rvtrace.tb.ctr.coverage.points import CTR
from rvtrace.tb.ctr.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals

CHECKERS = {
    "transfers": ("reasons", "diagnose", "follow"),
    "values": ("check", "reads"),
    "accesses": ("access",),
}
PRIV = (
    "trap_enabled", "trap_from_disabled", "trap_to_disabled", "trap_disabled", "ret_enabled", "ret_to_disabled",
    "ret_from_disabled", "ret_disabled",
)  # fmt: skip
BUILT_UP = {  # ids that the code puts together
    "transfers": (
        {f"CTR.filter.{name}" for _, name in FILTERS.values()}
        | {f"CTR.ext.{pair}" for pair in PAIRS.values()}
        | {f"CTR.priv.{name}" for name in PRIV}
    ),
    "values": set(RULINGS),
    "accesses": {"CTR.sctl.subset", "CTR.ctl.keep"},
}


def ids(checker: str) -> set[str]:
    """Clause ids that the modules of a checker report."""
    return BUILT_UP[checker] | literals(
        r"CTR(-\d+|\.[a-z]+\.\w+)", *(f"scoreboards/ctr/{module}.py" for module in CHECKERS[checker])
    )


ROWS = Rows("ctr", CHECKERS, ids, SCENARIOS, CTR.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    ROWS.points_named({"run_cg"})


def test_situations_are_rolled_up() -> None:
    """A clause that counts its situation is a row with parts."""
    assert all(ROWS.built[clause].through for clause in (*RULINGS, *SITUATIONS))


def test_tolerances_are_named_where_they_matter() -> None:
    assert not ROWS.tolerances_left(Tolerances(), "")
