# SPDX-License-Identifier: Apache-2.0
"""Every directed scenario in all its configurations, in bulk and pin by pin, one simulator process for each build."""

from __future__ import annotations

import pytest
from rvtrace.flow.jobs import build_of
from rvtrace.models.ntrace.config import Config
from rvtrace.tb import systems
from rvtrace.tb.ntrace.builds import BUILD
from rvtrace.tb.ntrace.stimulus.scenarios import SCENARIOS

BUILDS = {
    "default": BUILD.of(Config()),
    "two": BUILD.of(Config(blocks=2)),
    "rv32": BUILD.of(Config(xlen=32)),
    "small": BUILD.of(
        Config(blocks=2, iretire_bits=5, icnt_bits=8, hist_bits=6, stack_depth=2, repeat_bits=3, ts_width=40)
    ),
}


@pytest.mark.parametrize("build", BUILDS)
@pytest.mark.parametrize("drive", ["bulk", "pins"])
def test_scenarios(run_jobs, sim, build, drive):
    jobs = [job for job in systems.find("ntrace").directed(sim) if build_of(job) == BUILDS[build]]
    for job in jobs:
        job.drive = drive
    run_jobs(jobs)


def test_the_builds_above_serve_every_scenario(sim):
    served = [job for job in systems.find("ntrace").directed(sim) if build_of(job) in BUILDS.values()]
    assert len(served) == sum(len(scenario.configs) for scenario in SCENARIOS.values()) > 0
