# SPDX-License-Identifier: Apache-2.0
"""The adapters on RTL: every scenario, random walks and recorded programs on every build."""

from rvtrace.jobs import systems
from rvtrace.tb.adapter.stimulus.scenarios import BUILDS
from tests.common.long import few

SYSTEM = systems.bench("adapter")


def test_scenarios(run_jobs, sim):
    jobs = few(SYSTEM.directed(sim))
    assert jobs
    results = run_jobs(jobs)
    checked = {clause for result in results for clause, (count, _) in result["clauses"].items() if count}
    assert SYSTEM.plan is not None
    assert checked == set(SYSTEM.plan.clauses), "every clause was checked in some scenario"


def test_random_walks(run_jobs):
    results = run_jobs([SYSTEM.random_job(seed, size=2000) for seed in range(1, 9)])
    assert {(result["config"]["xlen"], result["config"]["channels"]) for result in results} == {
        (build.get("xlen", 64), build.get("channels", 1)) for build in BUILDS
    }
    assert all(result["clauses"]["AD.rows"][0] > 1000 for result in results)


def test_a_program_with_traps(run_jobs):
    jobs = [job for job in SYSTEM.programs() if job.source == "program:traps"]
    results = run_jobs(jobs)
    assert len(results) == 2  # the first 5000 instructions have 22 traps
    assert all(result["stats"]["traps"] == 22 for result in results)
