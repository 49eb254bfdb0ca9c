# SPDX-License-Identifier: Apache-2.0
"""The trace system with E-Trace encoders: every scenario, real programs read back from the RAM sink, other builds."""

import pytest

from rvtrace.tb.etrace.stimulus.random_jobs import EVERY
from rvtrace.tb.tci.job import TciJob
from rvtrace.tb.tci.stimulus.scenarios import BY_IP
from tests.common.long import only_long

DRAFT = {"variant": "draft_0_026"}
SMALL = {
    "iaddress_width_p": 32,
    "blocks_p": 2,
    "cache_size_p": 0,
    "return_stack_size_p": 0,
    "call_counter_size_p": 4,
    "nocontext_p": 1,
    "f0s_width_p": 0,
    "sijump_p": 0,
}


def of(name: str, config: dict | None = None, seed: int = 1, program: str = "random") -> TciJob:
    """A scenario with E-Trace encoders."""
    return TciJob(f"{name}-{program}-{seed}", f"tci:{name}", dict(config or {}), seed, ip="etrace", program=program)


def test_every_scenario_checks_the_clauses_that_it_names(run_jobs):
    """With one seed; `make regress` runs them with others."""
    results = run_jobs([of(name) for name in BY_IP["etrace"]])
    never = {
        result["source"]: clause
        for result in results
        for clause in BY_IP["etrace"][result["source"].partition(":")[2]].clauses
        if not result["clauses"].get(clause, [0, 0])[0]
    }
    assert not never


@pytest.mark.parametrize("program", ["traps", only_long("sort", why="a second program")])
@pytest.mark.parametrize(
    "config",
    [
        {},
        {"implicit_return": 1, "branch_prediction": 1, "jump_target_cache": 1, "timestamp": 1},
        DRAFT | EVERY | {"ctype": "0"},  # on the build of v2_0
    ],
    ids=["plain", "options", "draft"],
)
def test_real_programs_come_back_whole(run_jobs, program, config):
    """Both harts run the program into the RAM sink without a loss; every instruction is decoded from what is read back.

    The draft has no updiscon: an address that a notification (ctype 3) reports may as well be that of a later round, so
    there are none.
    """
    (result,) = run_jobs([of("system_memory", {"inst_stall_ena": 1, **config}, 3, program)])
    assert result["stats"]["reported"] == result["stats"]["instructions"] > 10_000
    assert result["clauses"]["TCI.sys.decode"][0] > 10_000


@pytest.mark.parametrize("program", ["sort", "traps"])
def test_the_end_of_a_real_program_from_a_wrapped_buffer(run_jobs, program):
    (result,) = run_jobs([of("wrap", {"inst_stall_ena": 1}, 2, program)])
    clauses = result["clauses"]
    assert clauses["TCI.ram.wrap"][0] and clauses["TCI.sys.wrapped"][0] > 10 and clauses["TCI.sys.joined"][0] > 1


@pytest.mark.parametrize("config", [DRAFT, only_long(SMALL, why="a second build")], ids=["draft", "small"])
def test_other_encoders_with_the_same_registers(run_jobs, config):
    run_jobs(
        [of(name, config) for name in ("discovery", "register_traffic", "options", "reconfigure", "wrap", "pins_8")]
    )
