"""Every directed SBI PMU scenario: in all its configurations in bulk, in a short one operation by operation; one simulator process for each build."""

from __future__ import annotations

import pytest

from tb.sequences.sbi_pmu_scenarios import SCENARIOS
from tb.sequences.sbi_pmu_stimulus import stimulus
from tests.scenario_runs import builds, of_build, short_in_pins
from tools import systems

SYSTEM = systems.find("sbi_pmu")
BUILDS = builds(SYSTEM)


@pytest.mark.parametrize("build", range(len(BUILDS)))
def test_scenarios(run_jobs, sim, build):
    jobs = of_build(SYSTEM, sim, BUILDS[build])
    assert jobs
    run_jobs(jobs)


def test_scenarios_operation_by_operation(run_jobs, sim):
    jobs = short_in_pins(SYSTEM, sim, stimulus)
    assert len(jobs) > len(SCENARIOS) // 2
    run_jobs(jobs)


def test_few_builds_serve_every_scenario(sim):
    assert len(SYSTEM.directed(sim)) == sum(len(scenario.configs) for scenario in SCENARIOS.values()) and len(BUILDS) <= 4
