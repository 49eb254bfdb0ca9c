# SPDX-License-Identifier: Apache-2.0
"""Random walks in random E-Trace configurations, and what the output's back-pressure does: stall, overflow,
recovery.
"""

from pathlib import Path

import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.table import OPTIONS, VARIANTS
from rvtrace.models.riscv.beats import Beats
from rvtrace.tb.etrace.stimulus.random_jobs import EVERY, WHOLE, random_job
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from tests.common.long import some

CHOICES = (
    "variant", "encapsulation", "framing", "ctype", "index_width", "inst_sync_mode", "blocks_p", "iaddress_lsb_p",
    "itype_width_p",
)  # fmt: skip


@pytest.mark.parametrize("build", range(len(WHOLE)))
def test_random_walks(run_jobs, build):
    jobs = [random_job(100 * build + seed, WHOLE[build], 3000) for seed in range(10)]
    jobs.sort(key=lambda job: job.settings.variant)
    results = run_jobs(some(jobs, 4))
    assert {result["config"]["variant"] for result in results} == set(VARIANTS)


def test_random_walks_pin_by_pin(run_jobs):
    jobs = [random_job(700 + seed, WHOLE[1], 600) for seed in range(4)]
    for job in jobs:
        job.drive = "pins"
    run_jobs(jobs)


def _pressed(variant: str, stall: int, press: int = 95) -> Job:
    return Job(
        f"pressed-{stall}-{press}",
        "random",
        EVERY | {"bcount_bits": 16, "variant": variant, "inst_stall_ena": stall},
        6,
        backpressure=press,
        size=4000,
        keep=True,
        ip="etrace",
    )


@pytest.mark.parametrize("variant", VARIANTS)
def test_overflow_loses_and_recovers(run_jobs, variant):
    job = _pressed(variant, 0)
    run_jobs([job])
    drop = Beats.load(f"{job.out}/beats.npz").drop
    assert drop.any() and not drop[-1], "the run must overflow and recover, else it does not test overflow"


@pytest.mark.parametrize("variant", VARIANTS)
def test_stall_loses_nothing(run_jobs, variant):
    job, free = _pressed(variant, 1), _pressed(variant, 1, 0)
    stalled, free_result = run_jobs([job, free])
    assert not Beats.load(f"{job.out}/beats.npz").drop.any()
    assert stalled["stats"]["cycles"] > free_result["stats"]["cycles"], "nothing was stalled"
    assert (Path(job.out) / "packets.hex").read_text() == (Path(free.out) / "packets.hex").read_text()


def test_random_jobs_have_everything():
    """Every value of every choice comes up in a few hundred seeds, and every random choice is legal."""
    jobs = [random_job(seed, size=200) for seed in range(300)]
    for name in (*CHOICES, *EVERY):
        assert len({str(job.settings.to_dict()[name]) for job in jobs}) > 1, name
    for name in (*OPTIONS, "filter"):
        assert 0.05 < sum(bool(getattr(job.settings, name)) for job in jobs) / len(jobs) < 0.75, name
    toggled = [bool(stimulus(random_job(seed, size=2000)).beats.toggle.any()) for seed in range(40)]
    assert 4 < sum(toggled) < 30
