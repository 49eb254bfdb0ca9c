"""Every directed scenario in all its configurations, in bulk and pin by pin, one simulator process for each build."""

from __future__ import annotations

import pytest

from tb.sequences.ntrace_scenarios import SCENARIOS
from tools import systems
from tools.builds import BuildConfig
from tools.jobs import build_of

BUILDS = {
    "default": BuildConfig(),
    "two": BuildConfig(NBlocks=2),
    "rv32": BuildConfig(Xlen=32),
    "small": BuildConfig(NBlocks=2, IRetireWidth=5, IcntBits=8, HistBits=6, StackDepth=2, RepeatBits=3, TsWidth=40),
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
