"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from scoreboards.ctr import RULINGS, SITUATIONS
from scoreboards.ctr_knobs import Knobs
from scoreboards.ctr_reasons import FILTERS, PAIRS
from tb.coverage.ctr_points import CTR
from tb.sequences.ctr_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals

CHECKERS = {
    "transfers": ("ctr_reasons", "ctr_diagnose", "ctr_follow"), "values": ("ctr", "ctr_judge", "ctr_values", "ctr_reads"), "accesses": ("ctr_access",),
}  # fmt: skip
PRIV = ("trap_enabled", "trap_from_disabled", "trap_to_disabled", "trap_disabled", "ret_enabled", "ret_to_disabled", "ret_from_disabled", "ret_disabled")
BUILT_UP = {  # ids that the code puts together
    "transfers": {f"CTR.filter.{name}" for _, name in FILTERS.values()} | {f"CTR.ext.{pair}" for pair in PAIRS.values()} | {f"CTR.priv.{name}" for name in PRIV},
    "values": set(RULINGS), "accesses": {"CTR.sctl.subset", "CTR.ctl.keep"},
}  # fmt: skip


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    return BUILT_UP[checker] | literals(r"CTR(-\d+|\.[a-z]+\.\w+)", *(f"scoreboards/{module}.py" for module in CHECKERS[checker]))


ROWS = Rows("ctr", CHECKERS, ids, SCENARIOS, CTR.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_is_named() -> None:
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} | {"run_cg"} == {point.name for point in CTR.points}


def test_situations_are_rolled_up() -> None:
    """What is counted by its situation is a row with parts."""
    assert all(ROWS.built[clause].through for clause in (*RULINGS, *SITUATIONS))


def test_knobs_are_named_where_they_matter() -> None:
    """Every choice that is a knob stands in the row whose choice it is."""
    text = " ".join(clause.what + clause.how for clause in ROWS.plan.clauses.values())
    assert {name for name in vars(Knobs()) if name not in text} == set()
