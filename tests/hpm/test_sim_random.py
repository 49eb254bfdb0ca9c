# SPDX-License-Identifier: Apache-2.0
"""Random work and random accesses in every implementation, both ways to drive; what random rows have in them."""

import random
from collections import Counter

import numpy as np
import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.registers import csr
from rvtrace.models.hpm.rows import NO_ACCESS, followed
from rvtrace.models.riscv.csr import DEBUG, DONE, READ, VS, VU
from rvtrace.tb.hpm.stimulus.builds import BUILDS
from rvtrace.tb.hpm.stimulus.random_jobs import random_job
from rvtrace.tb.hpm.stimulus.random_rows import Mix
from rvtrace.tb.hpm.stimulus.stimulus import stimulus
from tests.common.long import some


@pytest.mark.parametrize("build", BUILDS)
def test_random(run_jobs, build):
    jobs = [
        Job(f"{build}-{seed}", "random", dict(BUILDS[build]), seed, size=4000, gaps=gaps, ip="hpm")
        for seed, gaps in some(enumerate((0, 5, 30, 90), 100))
    ]
    results = run_jobs(jobs)
    assert all(result["stats"]["accesses"] > 1000 for result in results)
    assert results[0]["stats"]["overflows"] > 50 or not jobs[0].settings.has_sscofpmf


@pytest.mark.parametrize("build", ["default", "rv32"])
def test_random_pin_by_pin(run_jobs, build):
    run_jobs(
        [
            Job(f"{build}-{seed}", "random", dict(BUILDS[build]), seed, "pins", size=500, gaps=20, ip="hpm")
            for seed in range(2)
        ]
    )


def test_random_jobs_have_everything():
    """Every build and drive comes up in a few hundred seeds, and no other build; a rerun line is the same job."""
    jobs = [random_job(seed, size=200) for seed in range(200)]
    assert {build_of(job) for job in jobs} == {
        build_of(Job("any", "random", dict(options), ip="hpm")) for options in BUILDS.values()
    }
    assert {job.drive for job in jobs} == {"bulk", "pins"} and len({job.gaps for job in jobs}) > 2
    assert random_job(5).to_dict() == random_job(5).to_dict() and random_job(5, {"xlen": "32"}).settings.xlen == 32


@pytest.mark.parametrize("build", BUILDS)
def test_a_rerun_line_says_everything(build):
    job = Job("any", "random", dict(BUILDS[build]), ip="hpm")
    words = dict(word.split("=", 1) for word in job.rerun.split()[2:])
    options = {name.lower(): value for name, value in words.items() if name not in ("IP", "SOURCE", "SEED")}
    assert Config.from_dict(options) == job.settings


@pytest.mark.parametrize("build", BUILDS)
def test_random_rows_have_everything(build):
    """Every mode, outcomes of all kinds, accesses in cycles in which counters move, overflows with accesses in their
    cycle.
    """
    config = Config.from_dict(BUILDS[build])
    rows = Mix(config, random.Random(f"4:{build}"), 10).play(12_000).rows()
    out, trace = followed(rows, config)
    there = out.op != NO_ACCESS
    outcomes = Counter(out.outcome[there].tolist())
    modes = {
        3,
        DEBUG,
        *((0,) if config.has_u else ()),
        *((1,) if config.has_s else ()),
        *((VU, VS) if config.has_h else ()),
    }
    assert set(out.priv.tolist()) == set(out.mode[there].tolist()) == modes
    assert {(op, mode) for op in range(4) for mode in modes} <= set(
        zip(out.op[there].tolist(), out.mode[there].tolist())
    )
    assert outcomes[0] > outcomes[1] > 100 and (outcomes[2] > 20) == bool(config.has_h)
    assert {0, 1} == set(out.stopcount.tolist()) == set(out.running.tolist()) and out.retired.max() == config.retired
    assert out.events.max() == (1 << config.event_bits) - 1 and (out.events > 0).any(axis=0).all()
    moved = (np.diff(trace.counters, axis=0) != 0).any(axis=0)
    assert all(moved[n] for n in range(32) if config.has(n))
    if config.has_sscofpmf:
        rose = np.flatnonzero(np.diff(trace.of.astype(np.int64)) > 0)
        met = {out.addr[k] for k in rose if there[k] and out.op[k] != READ and out.outcome[k] == DONE}
        assert csr("mip", config).address in met and len(rose) > 200 and len(met) > 8


def test_the_same_seed_gives_the_same_rows():
    job = random_job(3, size=500)
    assert stimulus(job).rows.differs(stimulus(job).rows) is None
