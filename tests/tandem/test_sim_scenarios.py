"""Every directed scenario of the tandem trace: in all its configurations in bulk, in a short one pin by pin; one simulator process for each build."""

from __future__ import annotations

from tb.sequences.tandem_stimulus import stimulus
from tests.scenario_runs import runs_of

test_scenarios, test_scenarios_pin_by_pin, test_few_builds_serve_every_scenario = runs_of("tandem", stimulus, most=9)
