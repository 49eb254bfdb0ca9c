"""Every story of the trace system, and that each one checks what it is told for."""

from __future__ import annotations

import pytest

from tb.sequences.system import STORIES
from tb.system_job import SystemJob


@pytest.mark.parametrize("seed", [1, 2])
def test_stories(tell, seed):
    results = tell([SystemJob(f"{name}-{seed}", f"system:{name}", {}, seed) for name in STORIES])
    never = {}
    for result in results:
        told = STORIES[result["source"].partition(":")[2]]
        never[told.name] = [clause for clause in told.clauses if not result["clauses"].get(clause, [0, 0])[0]]
    missing = {name: clauses for name, clauses in never.items() if clauses}
    assert not missing, f"stories that never check what they are told for: {missing}"


def test_options_of_many_seeds(tell):
    """Both encoders, options drawn, through registers."""
    results = tell([SystemJob(f"options-{seed}", "system:options", {}, seed) for seed in range(10, 22)])
    assert all(result["stats"]["told"] > 0 for result in results)


@pytest.mark.parametrize("program", ["sort", "traps"])
def test_recorded_programs(tell, program):
    """Real programs through the SRAM; back come the instructions that both harts retired."""
    job = SystemJob(f"{program}", "system:system_memory", {"inst_stall_ena": 1, "mode": "htm"}, 3, program=program)
    (result,) = tell([job])
    assert result["stats"]["told"] == result["stats"]["instructions"] > 10_000
