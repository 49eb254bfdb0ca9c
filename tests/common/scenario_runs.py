# SPDX-License-Identifier: Apache-2.0
"""The tests of directed scenarios, of systems that play rows."""

from collections.abc import Callable, Collection
from itertools import groupby
from typing import Any

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.job import Job
from tests.common.long import few, some

_SHORT = 1200  # cycles that are played pin by pin


def builds(system: SystemBench) -> list[Any]:
    """Every build that the scenarios need, in a fixed order."""
    return sorted({build_of(job) for job in system.directed("")}, key=str)


def of_build(system: SystemBench, sim: str, build: Any) -> list[Job]:
    """The scenarios on one build: all configurations with LONG=1, else few."""
    return [job for job in few(system.directed(sim)) if build_of(job) == build]


def one_of_each(jobs: list[Job], but: Collection[str] = ()) -> list[Job]:
    """Of each scenario one configuration, the next one of its list from scenario to scenario: pin by pin a cycle takes
    a hundred times as long. but: scenarios that are left out.
    """
    of_one = [list(group) for _, group in groupby(jobs, lambda job: job.source)]
    of_one = [some for some in of_one if some[0].source.partition(":")[2] not in but]
    return [some[number % len(some)] for number, some in enumerate(of_one)]


def short_in_pins(system: SystemBench, sim: str, stimulus: Callable[[Job], Any]) -> list[Job]:
    """One configuration of each scenario that is short, on builds of the main job, pin by pin, where a cycle takes a
    hundred times as long.
    """
    jobs: list[Job] = []
    common = {build_of(job) for job in system.programs()}
    for _, group in groupby(system.directed(sim), lambda job: job.source):
        short = [job for job in group if build_of(job) in common and int(stimulus(job).rows.cycle[-1]) < _SHORT]
        if short:
            jobs.append(short[len(jobs) % len(short)])
            jobs[-1].drive = "pins"
    return jobs


def runs_of(
    ip: str, stimulus: Callable[[Job], Any], most: int, in_pins: float = 1 / 3
) -> tuple[Callable, Callable, Callable]:
    """The tests of a system: every scenario in bulk (in all its configurations with LONG=1), a short one of each pin by
    pin (without LONG=1 of each third), and how few builds they need.

    most: builds. in_pins: share of the scenarios that are short enough.
    """
    system = systems.bench(ip)
    every = builds(system)

    @pytest.mark.parametrize("build", range(len(every)))
    def scenarios(run_jobs, sim, build):
        jobs = of_build(system, sim, every[build])
        assert jobs
        run_jobs(jobs)

    def pins(run_jobs, sim):
        jobs = short_in_pins(system, sim, stimulus)
        assert len(jobs) > len(system.scenarios) * in_pins
        run_jobs(some(jobs, len(jobs) // 3))

    def few(sim):
        jobs = system.directed(sim)
        assert len(jobs) == sum(len(scenario.configs) for scenario in system.scenarios.values()) and len(every) <= most

    return scenarios, pins, few
