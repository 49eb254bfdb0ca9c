# SPDX-License-Identifier: Apache-2.0
"""The loop on RTL: event, overflow, LCOFI, freeze, scountovf, stop with snapshot, bitmap, restart; all models agree at
each step.
"""

from __future__ import annotations

from rvtrace.jobs import systems
from tests.common.long import some

SYSTEM = systems.bench("loop")


def test_scenarios(run_jobs, sim):
    jobs = SYSTEM.directed(sim)
    assert jobs
    results = run_jobs(jobs)
    assert all(result["stats"]["overflows"] == 6 for result in results)


def test_random_profilers(run_jobs):
    results = run_jobs([SYSTEM.random_job(seed) for seed in some(range(1, 9), 4)])
    assert {result["config"]["xlen"] for result in results} == {32, 64}
    assert all(result["clauses"]["LOOP.again"][0] for result in results)
