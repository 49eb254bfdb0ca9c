"""The plan, the checks, the scenarios, the coverage points and the planted bugs find each other, with no orphan either way."""

from __future__ import annotations

from models.sbi_pmu import tables as sbi
from scoreboards.sbi_pmu_follow import AREAS
from scoreboards.sbi_pmu_knobs import Knobs
from tb.coverage.sbi_pmu_points import REFUSALS, SBI_PMU
from tb.sequences.sbi_pmu_scenarios import SCENARIOS
from tests.plan_rows import PlanTests, Rows, literals

CHECKERS = {
    "answers": ("sbi_pmu_rules", "sbi_pmu_events", "sbi_pmu_follow", "sbi_pmu_outcomes"), "effects": ("sbi_pmu_effects", "sbi_pmu_outcomes"), "memory": ("sbi_pmu_memory",),
    "views": ("sbi_pmu_shadow", "sbi_pmu_follow"), "run": ("sbi_pmu", "sbi_pmu_run"),
}  # fmt: skip
SEEN = ("value", "event", "inhibit", "of", "overflow", "lcofi", "memory")
BUILT_UP = {  # ids that the code puts together
    "answers": {f"SBI.{area}.success" for area in AREAS.values()} | {f"SBI.{area}.{word}" for area in ("config", "start", "stop")
                for word in ("reserved_flags", "invalid_set")} | {f"SBI.event.{word}" for word in ("raw_width", "raw_v2_width", "unused_data")}
               | {f"SBI.{area}.{word}" for area in ("fw_read", "fw_read_hi") for word in ("invalid", "hardware")},
    "effects": {f"SBI.config.{flag.lower()}" for flag in sbi.FILTER_BITS}, "memory": set(), "views": {f"SBI.view.{what}" for what in SEEN}, "run": set(),
}  # fmt: skip
PARTS = {"SBI.shmem.relative"}  # a row with parts, counted by its situation


def ids(checker: str) -> set[str]:
    """Clause ids that a checker's modules report under."""
    found = literals(r"SBI(\.policy|\.[a-z_]+\.\w+)", *(f"scoreboards/{module}.py" for module in CHECKERS[checker]))
    return BUILT_UP[checker] | found - PARTS


ROWS = Rows("sbi_pmu", CHECKERS, ids, SCENARIOS, SBI_PMU.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_is_named() -> None:
    ROWS.all_named()
    assert {point for clause in ROWS.built.values() for point in clause.coverage} == {point.name for point in SBI_PMU.points}


def test_knobs_are_named_where_they_matter() -> None:
    """Every choice that is a knob stands in the row whose choice it is."""
    text = " ".join(clause.what + clause.how for clause in ROWS.plan.clauses.values())
    assert {name for name in vars(Knobs()) if f"knob {name}" not in text} == set()


def test_what_waits_for_its_situation_has_parts() -> None:
    assert all(ROWS.plan[clause].through for clause in PARTS)
    assert set(REFUSALS) <= set(ROWS.built)
