# SPDX-License-Identifier: Apache-2.0
"""Every directed SBI PMU scenario: in all its configurations in bulk, in a short one operation by operation; one
simulator process for each build.
"""

from rvtrace.tb.sbi_pmu.stimulus.stimulus import stimulus
from tests.common.scenario_runs import runs_of

test_scenarios, test_scenarios_operation_by_operation, test_few_builds_serve_every_scenario = runs_of(
    "sbi_pmu", stimulus, most=6, in_pins=1 / 2
)
