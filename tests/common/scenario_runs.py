# SPDX-License-Identifier: Apache-2.0
"""The tests of directed scenarios, of systems that play rows."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import groupby
from typing import Any

import pytest
from rvtrace.flow.jobs import build_of
from rvtrace.tb import systems
from rvtrace.tb.common.job import Job
from rvtrace.tb.common.system import System

_SHORT = 1200  # cycles that are played pin by pin


def builds(system: System) -> list[Any]:
    """Every build that the scenarios need, in a fixed order."""
    return sorted({build_of(job) for job in system.directed("")}, key=str)


def of_build(system: System, sim: str, build: Any) -> list[Job]:
    """All scenarios on one build."""
    return [job for job in system.directed(sim) if build_of(job) == build]


def rare(system: System, build: Any) -> bool:
    """Whether the directed scenarios alone have a build, and not the programs and the random seeds: it is compiled
    longer than it runs.
    """
    options = import_module(f"rvtrace.tb.{system.ip}.stimulus.builds").BUILDS.values()
    return build not in {build_of(Job("any", "random", dict(one), ip=system.ip)) for one in options}


def short_in_pins(system: System, sim: str, stimulus: Callable[[Job], Any]) -> list[Job]:
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
    """The tests of a system: every scenario in all its configurations in bulk, a short one of each pin by pin, and how
    few builds they need.

    most: builds. in_pins: share of the scenarios that are short enough.
    """
    system = systems.find(ip)
    every = builds(system)

    @pytest.mark.parametrize("build", range(len(every)))
    def scenarios(run_jobs, sim, build):
        jobs = of_build(system, sim, every[build])
        assert jobs
        run_jobs(jobs, fast=rare(system, every[build]))

    def pins(run_jobs, sim):
        jobs = short_in_pins(system, sim, stimulus)
        assert len(jobs) > len(system.scenarios) * in_pins
        run_jobs(jobs)

    def few(sim):
        jobs = system.directed(sim)
        assert len(jobs) == sum(len(scenario.configs) for scenario in system.scenarios.values()) and len(every) <= most

    return scenarios, pins, few
