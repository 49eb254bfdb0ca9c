# SPDX-License-Identifier: Apache-2.0
"""Random transfers and accesses in random configurations: every build, both ways to drive."""

import random
from collections import Counter

import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.models.ctr.config import VARIANTS, Config
from rvtrace.models.ctr.rows import NO_ACCESS, answered
from rvtrace.models.riscv.csr import DEBUG, VS, VU
from rvtrace.tb.ctr.stimulus.builds import BUILDS
from rvtrace.tb.ctr.stimulus.random_jobs import random_job
from rvtrace.tb.ctr.stimulus.random_rows import Mix
from rvtrace.tb.ctr.stimulus.stimulus import stimulus

OPTIONS = ("ip", "depth", "ctl", "vsctl")  # what a run chooses; the rest is the build's


def fixed(name: str) -> dict:
    """Everything that a build decides."""
    return {k: v for k, v in Config.from_dict(BUILDS[name]).to_dict().items() if k not in OPTIONS}


@pytest.mark.parametrize("build", BUILDS)
def test_random(run_jobs, build):
    jobs = [random_job(100 * number + seed, fixed(build), 1200) for number, seed in enumerate(range(4))]
    for job in jobs:
        job.drive = "bulk"
    results = run_jobs(jobs)
    assert all(result["stats"]["transfers"] > 500 and result["stats"]["accesses"] > 500 for result in results)


@pytest.mark.parametrize("build", ["default", "draft32"])
def test_random_pin_by_pin(run_jobs, build):
    jobs = [random_job(700 + seed, fixed(build), 400) for seed in range(2)]
    for job in jobs:
        job.drive = "pins"
    run_jobs(jobs)


def test_random_jobs_have_everything():
    """Every build, depth, drive and way to fill cycles comes up in a few hundred seeds; few builds serve all; a rerun
    line is the same job.
    """
    jobs = [random_job(seed, size=200) for seed in range(300)]
    assert {str(build_of(job)) for job in jobs} == {str(build_of(random_job(1, fixed(name)))) for name in BUILDS}
    assert {job.settings.variant for job in jobs} == set(VARIANTS)
    assert {job.settings.depth for job in jobs} == {16, 32, 64, 128, 256}
    assert {job.drive for job in jobs} == {"bulk", "pins"} and {job.grouping for job in jobs} == {"longest", "random"}
    assert (
        random_job(5).to_dict() == random_job(5).to_dict()
        and random_job(5, size=300).to_dict() != random_job(6, size=300).to_dict()
    )


@pytest.mark.parametrize("name", BUILDS)
def test_random_rows_have_everything(name):
    """Every type from every mode, outcomes of all kinds, accesses with and without transfers in their cycle."""
    config = Config.from_dict(BUILDS[name])
    met, outcomes, shared, asked = set(), Counter(), 0, set()
    for seed in range(4):
        rows = answered(Mix(config, random.Random(f"{seed}:mix"), 10).play(6000).rows(), config)
        for _, _, transfers, access, _, outcome in rows.cycles():
            met |= {(t.type, t.from_) for t in transfers}
            if access is not None:
                outcomes[outcome] += 1
                shared += bool(transfers)
                asked.add((access.op, access.priv))
    modes = {0, 3, DEBUG, *((1,) if config.has_s else ()), *((VU, VS) if config.has_h else ())}
    jumps = {(type_, mode) for type_ in (1, 2, 4, 5, *range(8, 16)) for mode in modes - {DEBUG}}
    assert jumps <= met and (3, DEBUG) in met and (3, 3) in met
    assert {(op, mode) for op in range(5) for mode in modes} <= asked
    assert outcomes[0] > outcomes[1] > 100 and (outcomes[2] > 20 or not config.has_h) and shared > 500


def test_the_same_seed_gives_the_same_rows():
    job = random_job(3, size=500)
    first, second = stimulus(job).rows, stimulus(job).rows
    assert first.differs(second) is None and (first.op != NO_ACCESS).any()
