"""Every directed SBI PMU scenario: in all its configurations in bulk, in a short one operation by operation; one simulator process for each build."""

from __future__ import annotations

from tb.sequences.sbi_pmu_stimulus import stimulus
from tests.scenario_runs import runs_of

test_scenarios, test_scenarios_operation_by_operation, test_few_builds_serve_every_scenario = runs_of("sbi_pmu", stimulus, most=4, in_pins=2 / 3)
