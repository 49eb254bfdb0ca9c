# SPDX-License-Identifier: Apache-2.0
"""Random walks in random configurations, and what the output's back-pressure does: stall, overflow, recovery."""

import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.tb.ntrace.stimulus.random_jobs import random_job
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, SMALL
from tests.common.long import some

# The build of the default configuration, with every option left open that a run can change.
WIDTHS = (
    "xlen", "blocks", "icnt_bits", "hist_bits", "iretire_bits", "stack_depth", "repeat_bits", "ts_width",
    "fifo_depth",
)  # fmt: skip
DEFAULT = {name: Config().to_dict()[name] for name in WIDTHS}


@pytest.mark.parametrize("blocks", [1, 2])
def test_random_walks(run_jobs, blocks):
    jobs = [random_job(100 * blocks + seed, DEFAULT | {"blocks": blocks}, 4000) for seed in some(range(12), 5)]
    results = run_jobs(jobs)
    assert {result["config"]["mode"] for result in results} == {"htm", "btm"}


def test_random_walks_with_small_counters(run_jobs):
    run_jobs([random_job(300 + seed, DEFAULT | SMALL, 3000) for seed in some(range(8), 3)])


def test_random_walks_pin_by_pin(run_jobs):
    jobs = [random_job(400 + seed, DEFAULT | RV32, 600) for seed in range(4)]
    for job in jobs:
        job.drive = "pins"
    run_jobs(jobs)


def _pressed(stall: int, mode: str) -> Job:
    return Job(
        f"pressed-{stall}-{mode}",
        "random",
        {"inst_stall_ena": stall, "mode": mode},
        5,
        backpressure=95,
        size=4000,
        keep=True,
    )


@pytest.mark.parametrize("mode", ["htm", "btm"])
def test_overflow_loses_and_recovers(run_jobs, mode):
    job = _pressed(0, mode)
    run_jobs([job])
    drop = Beats.load(f"{job.out}/beats.npz").drop
    assert drop.any() and not drop[-1], "the run must overflow and recover, else it does not test overflow"


@pytest.mark.parametrize("mode", ["htm", "btm"])
def test_stall_loses_nothing(run_jobs, mode):
    job, free = _pressed(1, mode), Job("free", "random", {"inst_stall_ena": 1, "mode": mode}, 5, size=4000)
    stalled, free_result = run_jobs([job, free])
    assert not Beats.load(f"{job.out}/beats.npz").drop.any()
    assert stalled["stats"]["cycles"] > free_result["stats"]["cycles"], "nothing was stalled"
    assert stalled["stats"]["bytes"] == free_result["stats"]["bytes"]
