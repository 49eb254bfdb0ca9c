# SPDX-License-Identifier: Apache-2.0
"""Every directed E-Trace scenario: in all its configurations in bulk, in one of them pin by pin; one simulator process
for each build.
"""

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS
from tests.common.long import few, some
from tests.common.scenario_runs import one_of_each

SYSTEM = systems.bench("etrace")
BUILDS = {
    f"{build.label}-fifo{build.parameters['FifoDepth']}": build
    for build in sorted({build_of(job) for job in SYSTEM.directed("")}, key=str)
}
# 33,000 and a million cycles, which are a loop for the drivers as well: in bulk only
SLOW = {"greatest_count", "resync_after_pause"}


def served(jobs, build):
    """The jobs of a build."""
    found = [job for job in jobs if build_of(job) == BUILDS[build]]
    assert found
    return found


@pytest.mark.parametrize("build", BUILDS)
def test_scenarios(run_jobs, sim, build):
    run_jobs(served(few(SYSTEM.directed(sim)), build))


def test_scenarios_pin_by_pin(run_jobs, sim):
    jobs = one_of_each(SYSTEM.directed(sim), SLOW)
    assert len(jobs) == len(SCENARIOS.keys() - SLOW) > 100
    for job in jobs:
        job.drive = "pins"
    run_jobs(some(jobs, len(jobs) // 3))


def test_few_builds_serve_every_scenario(sim):
    jobs = SYSTEM.directed(sim)
    played = [scenario for scenario in SCENARIOS.values() if not (scenario.slow and sim == "icarus")]
    assert len(jobs) == sum(len(scenario.configs) for scenario in played) > 1000
    assert len(BUILDS) <= 6 and {build_of(job) for job in jobs} == set(BUILDS.values())
