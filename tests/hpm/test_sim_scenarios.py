# SPDX-License-Identifier: Apache-2.0
"""Every directed counter scenario: in all its configurations in bulk, in a short one pin by pin; one simulator process
for each build.
"""

from rvtrace.tb.hpm.stimulus.stimulus import stimulus
from tests.common.scenario_runs import runs_of

test_scenarios, test_scenarios_pin_by_pin, test_few_builds_serve_every_scenario = runs_of("hpm", stimulus, most=8)
