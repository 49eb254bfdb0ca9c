# SPDX-License-Identifier: Apache-2.0
"""Every directed scenario in all its configurations in bulk, in one of them pin by pin, one simulator process for each
build.
"""

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.models.ntrace.config import Config
from rvtrace.tb.ntrace.builds import BUILD
from rvtrace.tb.ntrace.stimulus.scenarios import SCENARIOS
from tests.common.long import few, some
from tests.common.scenario_runs import one_of_each

BUILDS = {
    "default": BUILD.of(Config()),
    "two": BUILD.of(Config(blocks=2)),
    "rv32": BUILD.of(Config(xlen=32, fifo_depth=8)),
    "small": BUILD.of(
        Config(blocks=2, iretire_bits=5, icnt_bits=8, hist_bits=6, stack_depth=1, repeat_bits=3, ts_width=40)
    ),
}
# 130,000 and a million cycles, which are a loop for the drivers as well: in bulk only
SLOW = {"very_long_loop", "sync_after_pause"}


@pytest.mark.parametrize("build", BUILDS)
def test_scenarios(run_jobs, sim, build):
    run_jobs([job for job in few(systems.bench("ntrace").directed(sim)) if build_of(job) == BUILDS[build]])


def test_scenarios_pin_by_pin(run_jobs, sim):
    jobs = one_of_each(systems.bench("ntrace").directed(sim), SLOW)
    assert len(jobs) == len(SCENARIOS.keys() - SLOW)
    jobs = some(sorted(jobs, key=lambda job: str(build_of(job))), len(jobs) // 3)
    for job in jobs:
        job.drive = "pins"
    results = run_jobs(jobs)
    assert {result["config"]["mode"] for result in results} == {
        "htm",
        "btm",
    }
    assert {build_of(job) for job in jobs} == set(BUILDS.values())


def test_the_builds_above_serve_every_scenario(sim):
    served = [job for job in systems.bench("ntrace").directed(sim) if build_of(job) in BUILDS.values()]
    played = [scenario for scenario in SCENARIOS.values() if not (scenario.slow and sim == "icarus")]
    assert len(served) == sum(len(scenario.configs) for scenario in played) > 0
