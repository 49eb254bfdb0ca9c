# SPDX-License-Identifier: Apache-2.0
"""A supervisor that samples, on RTL: event, overflow, LCOFI, freeze, scountovf, stop with snapshot, bitmap, restart;
all models agree at each step.
"""

from rvtrace.jobs import systems
from tests.common.long import some


def test_random_profilers(run_jobs):
    system = systems.bench("sbi_pmu")
    results = run_jobs([system.random_job(seed, {"records": 16 << seed % 2}) for seed in some(range(1, 9), 4)])
    assert {result["config"]["xlen"] for result in results} == {32, 64}
    assert all(result["clauses"]["SBI.sample.again"][0] and result["stats"]["overflows"] == 5 for result in results)
