# SPDX-License-Identifier: Apache-2.0
"""Random supervisors on RTL: every build, random policies and platforms, in bulk and operation by operation."""

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs import systems
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.policy import NAMED
from rvtrace.tb.sbi_pmu.stimulus.builds import BUILDS
from rvtrace.tb.sbi_pmu.stimulus.random_jobs import random_job

# what a run chooses; the rest is the build's
PLATFORM = ("ip", "gap", "firmware", "firmware_width", "sbi", "snapshot", "event_info", "policy")


def fixed(build: str) -> dict:
    """Everything that a build decides."""
    return {name: value for name, value in Config.from_dict(BUILDS[build]).to_dict().items() if name not in PLATFORM}


@pytest.mark.parametrize("build", BUILDS)
def test_random(run_jobs, build):
    jobs = [random_job(100 * number + seed, fixed(build), 250) for number, seed in enumerate(range(4))]
    for job in jobs:
        job.drive = "bulk"
    for result in run_jobs(jobs):
        assert (
            result["stats"]["calls"] >= 100
            and result["clauses"]["SBI.run.same"][0] > 200
            and result["clauses"]["SBI.run.counters"][0] > 1000
        )


@pytest.mark.parametrize("build", ["default", "rv32"])
def test_random_operation_by_operation(run_jobs, build):
    jobs = [random_job(700 + seed, {**fixed(build), "policy": policy}, 60) for seed, policy in enumerate(sorted(NAMED))]
    for job in jobs:
        job.drive = "pins"
    for result in run_jobs(jobs):
        assert result["stats"]["calls"] >= 40 and result["clauses"]["SBI.run.memory"][0] >= 40


def test_both_drives_see_the_same(run_jobs, tmp_path):
    """The record of a run that was played on the model first is that of one in which every answer
    came from the device.
    """
    jobs = [random_job(3, fixed("default"), 80), random_job(3, fixed("default"), 80)]
    for job, drive in zip(jobs, ("bulk", "pins")):
        job.name, job.drive, job.keep = f"same-{drive}", drive, True
    run_jobs(jobs)
    bulk, pins = ((tmp_path.parent / f"{job.out}/calls.jsonl").read_text() for job in jobs)
    assert bulk == pins and len(bulk.splitlines()) > 100


def test_few_builds_serve_every_random_job():
    alone = [random_job(1, fixed(name)) for name in BUILDS]
    sampled = [job for job in systems.bench("sbi_pmu").directed("") if job.settings.records]
    assert {str(build_of(random_job(seed))) for seed in range(1, 100)} == {
        str(build_of(job)) for job in (*alone, *sampled)
    }
