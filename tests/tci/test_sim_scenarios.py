# SPDX-License-Identifier: Apache-2.0
"""Every system scenario with N-Trace encoders checks the clauses that it names."""

import pytest

from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus.scenarios import BY_IP
from tests.common.long import some


def test_scenarios(run_jobs):
    """With one seed; `make regress` runs them with others."""
    results = run_jobs([TciJob(f"{name}-1", f"tci:{name}", {}, 1) for name in BY_IP["ntrace"]])
    never = {}
    for result in results:
        reported = BY_IP["ntrace"][result["source"].partition(":")[2]]
        never[reported.name] = [clause for clause in reported.clauses if not result["clauses"].get(clause, [0, 0])[0]]
    missing = {name: clauses for name, clauses in never.items() if clauses}
    assert not missing, f"scenarios that never check the clauses that they name: {missing}"


def test_options_of_many_seeds(run_jobs):
    """Both encoders, random options, through registers."""
    results = run_jobs([TciJob(f"options-{seed}", "tci:options", {}, seed) for seed in some(range(10, 22), 4)])
    assert all(result["stats"]["reported"] > 0 for result in results)


@pytest.mark.parametrize("program", ["sort", "traps"])
def test_recorded_programs(run_jobs, program):
    """Real programs through the SRAM; back come the instructions that both harts retired."""
    job = TciJob(f"{program}", "tci:system_memory", {"inst_stall_ena": 1, "mode": "htm"}, 3, program=program)
    (result,) = run_jobs([job])
    assert result["stats"]["reported"] == result["stats"]["instructions"] > 10_000
