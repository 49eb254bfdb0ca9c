# SPDX-License-Identifier: Apache-2.0
"""The rows of the plan, checks, scenarios, coverage points and mutants refer to each other; none is left over."""

from rvtrace.models.sbi_pmu import tables as sbi
from rvtrace.scoreboards.sbi_pmu.follow import AREAS
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances
from rvtrace.tb.sbi_pmu.coverage.points import REFUSALS, SBI_PMU
from rvtrace.tb.sbi_pmu.stimulus.scenarios import SCENARIOS
from tests.common.plan_rows import PlanTests, Rows, literals

CHECKERS = {
    "answers": ("rules", "follow"),
    "effects": ("effects", "follow"),
    "memory": ("follow",),
    "views": ("shadow", "follow"),
    "run": ("check", "causes"),
    "sampling": ("sampling",),
}
SEEN = ("value", "event", "inhibit", "of", "overflow", "lcofi", "memory")
BUILT_UP = {  # ids that the code puts together
    "answers": (
        {f"SBI.{area}.success" for area in AREAS.values()}
        | {f"SBI.{area}.{word}" for area in ("config", "start", "stop") for word in ("reserved_flags", "invalid_set")}
        | {f"SBI.event.{word}" for word in ("raw_width", "raw_v2_width", "unused_data")}
        | {f"SBI.{area}.{word}" for area in ("fw_read", "fw_read_hi") for word in ("invalid", "hardware")}
    ),
    "effects": {f"SBI.config.{flag.lower()}" for flag in sbi.FILTER_BITS},
    "memory": set(),
    "views": {f"SBI.view.{what}" for what in SEEN},
    "run": set(),
    "sampling": set(),
}
PARTS = {"SBI.shmem.relative"}  # a row with parts, counted by its situation


def ids(checker: str) -> set[str]:
    """Clause ids that the modules of a checker report."""
    found = literals(
        r"SBI(\.policy|\.[a-z_]+\.\w+)", *(f"scoreboards/sbi_pmu/{module}.py" for module in CHECKERS[checker])
    )
    return BUILT_UP[checker] | found - PARTS


ROWS = Rows("sbi_pmu", CHECKERS, ids, SCENARIOS, SBI_PMU.points)


class TestRows(PlanTests):
    rows = ROWS


def test_every_scenario_and_point_is_named() -> None:
    ROWS.all_named()
    ROWS.points_named()


def test_tolerances_are_named_where_they_matter() -> None:
    assert not ROWS.tolerances_left(Tolerances())


def test_clauses_counted_by_situation_have_parts() -> None:
    assert all(ROWS.plan[clause].through for clause in PARTS)
    assert set(REFUSALS) <= set(ROWS.built)
