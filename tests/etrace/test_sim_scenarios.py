"""Every directed E-Trace scenario in all its configurations, in bulk and pin by pin, one simulator process for each build."""

from __future__ import annotations

import pytest

from tb.sequences.etrace_scenarios import SCENARIOS
from tools import systems
from tools.jobs import build_of


@pytest.mark.parametrize("drive", ["bulk", "pins"])
def test_scenarios(run_jobs, sim, drive):
    jobs = systems.find("etrace").directed(sim)
    for job in jobs:
        job.drive = drive
    assert len(run_jobs(jobs)) == sum(len(scenario.configs) for scenario in SCENARIOS.values()) > 0


def test_few_builds_serve_every_scenario(sim):
    assert len({build_of(job) for job in systems.find("etrace").directed(sim)}) <= 6
