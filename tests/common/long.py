# SPDX-License-Identifier: Apache-2.0
"""What `make test` leaves to `make test LONG=1`: repetitions of a property that a shorter test shows as well, on more
configurations, seeds, programs or devices.

    @pytest.mark.long("why")                           a test that is only run with LONG=1
    @pytest.mark.parametrize("seed", some(range(12)))  some of the values
    run_jobs(few(jobs))                                some of the configurations of each scenario
"""

import os
from collections.abc import Iterable
from typing import TypeVar

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs.job import Job

LONG = os.environ.get("LONG", "0") != "0"
T = TypeVar("T")


def some(values: Iterable[T], n: int = 2) -> list[T]:
    """All with LONG=1, else n of them, the first among them, evenly spread."""
    every = list(values)
    return every if LONG or len(every) <= n else [every[k * len(every) // n] for k in range(n)]


def only_long(*values: object, why: str) -> object:
    """A value of a parametrized test that is only run with LONG=1."""
    return pytest.param(*values, marks=pytest.mark.long(why))


def few(jobs: list[Job]) -> list[Job]:
    """All with LONG=1. Else of each scenario one configuration, the next one of its list from scenario to scenario, and
    those in which an option has a value on a build that it has in none before.
    """
    if LONG:
        return jobs
    of_one: dict[str, list[Job]] = {}
    for job in jobs:
        of_one.setdefault(job.source, []).append(job)
    first = {id(some_[number % len(some_)]) for number, some_ in enumerate(of_one.values())}
    kept, seen = [], set()
    for job in sorted(jobs, key=lambda job: id(job) not in first):  # those of a scenario before the others
        build = str(build_of(job))
        new = {(build, name, str(value)) for name, value in job.config.items()} - seen
        if id(job) in first or new:
            kept.append(job)
            seen |= new
    chosen = set(map(id, kept))
    return [job for job in jobs if id(job) in chosen]
