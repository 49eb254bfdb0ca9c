"""Every directed CTR scenario: in all its configurations in bulk, in a short one pin by pin; one simulator process for each build."""

from __future__ import annotations

from itertools import groupby

import pytest

from tb.sequences.ctr_scenarios import SCENARIOS
from tb.sequences.ctr_stimulus import stimulus
from tools import systems
from tools.jobs import build_of

SYSTEM = systems.find("ctr")
BUILDS = sorted({build_of(job) for job in SYSTEM.directed("")}, key=str)
_SHORT = 1200  # cycles that are played pin by pin


@pytest.mark.parametrize("build", range(len(BUILDS)))
def test_scenarios(run_jobs, sim, build):
    jobs = [job for job in SYSTEM.directed(sim) if build_of(job) == BUILDS[build]]
    assert jobs
    run_jobs(jobs)


def test_scenarios_pin_by_pin(run_jobs, sim):
    """A cycle takes a hundred times as long: one configuration of each scenario that is short, of few builds."""
    jobs = []
    for _, group in groupby(SYSTEM.directed(sim), lambda job: job.source):
        chosen = [job for job in group if build_of(job) in (build_of(job) for job in SYSTEM.programs())]
        short = [job for job in chosen if int(stimulus(job).rows.cycle[-1]) < _SHORT]
        if short:
            jobs.append(short[len(jobs) % len(short)])
            jobs[-1].drive = "pins"
    assert len(jobs) > len(SCENARIOS) // 3
    run_jobs(jobs)


def test_few_builds_serve_every_scenario(sim):
    jobs = SYSTEM.directed(sim)
    assert len(jobs) == sum(len(scenario.configs) for scenario in SCENARIOS.values()) and len(BUILDS) <= 10
