# SPDX-License-Identifier: Apache-2.0
"""Random rows through the tandem-trace encoder in RTL: every implementation, both ways to drive; what random rows have
in them.
"""

import random
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from rvtrace.flow.jobs import build_of
from rvtrace.jobs.job import Job, JobError
from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import encode
from rvtrace.models.tandem.encoder.items import AddRegister, OrRegister, Request, State, items
from rvtrace.models.tandem.trace_data import Rows, illegal
from rvtrace.tb.tandem.stimulus.builds import BUILDS, DRAWN
from rvtrace.tb.tandem.stimulus.random_jobs import random_job
from rvtrace.tb.tandem.stimulus.random_rows import Mix
from rvtrace.tb.tandem.stimulus.rows import in_cycles
from rvtrace.tb.tandem.stimulus.stimulus import stimulus
from tests.common.long import some

WAYS = ((30, 95, "random"), (0, 0, "longest"), (0, 60, "longest"))  # gaps, ready low, grouping


@pytest.mark.parametrize("build", BUILDS)
def test_random(run_jobs, build):
    jobs = [
        Job(
            f"{build}-{seed}",
            "random",
            dict(BUILDS[build]),
            seed,
            size=800,
            gaps=gaps,
            backpressure=low,
            grouping=how,
            ip="tandem",
        )
        for seed, (gaps, low, how) in some(enumerate(WAYS, 100), 1)
    ]
    for result in run_jobs(jobs):
        assert result["stats"]["rows"] == 800 and result["stats"]["groups"] > 250


@pytest.mark.parametrize("build", ["default", "rv32"])
def test_both_drives_show_what_was_played(run_jobs, build):
    """The rows that were played come back with their values, illegal ones among them; bulk and pins leave the same
    bytes.
    """
    jobs = [
        Job(
            drive,
            "random",
            dict(BUILDS[build]),
            26,
            drive,
            size=400,
            gaps=20,
            backpressure=40,
            grouping="random",
            keep=True,
            ip="tandem",
        )
        for drive in ("bulk", "pins")
    ]
    run_jobs(jobs)
    config, meant = jobs[0].settings, stimulus(jobs[0]).rows
    seen = [Rows.load(f"{job.out}/rows.npz") for job in jobs]
    assert all(rows.normalized(config).differs(meant.normalized(config)) is None for rows in seen)
    assert illegal(meant).any() and len(set(np.diff(meant.cycle.astype(np.int64)).tolist())) > 2
    bulk, pins = (Path(job.out, "trace.bin").read_bytes() for job in jobs)
    assert bulk == pins == encode(meant, config).data


def test_an_output_that_is_never_ready_is_refused():
    with pytest.raises(JobError, match="stalls forever"):
        Job("stuck", "random", backpressure=100, ip="tandem")


def test_random_jobs_have_everything():
    """Every build and drive comes up in a few hundred seeds, and no other build; fixed options stay."""
    jobs = [random_job(seed, size=200) for seed in range(200)]
    assert {build_of(job) for job in jobs} == {
        build_of(Job("any", "random", dict(options), ip="tandem")) for options in DRAWN.values()
    }
    assert {job.drive for job in jobs} == {"bulk", "pins"} and len({job.backpressure for job in jobs}) > 2
    assert random_job(5).to_dict() == random_job(5).to_dict() and all(
        random_job(seed, {"xlen": "32"}).settings.xlen == 32 for seed in range(20)
    )


@pytest.mark.parametrize("build", BUILDS)
def test_a_rerun_line_says_everything(build):
    job = Job("any", "random", dict(BUILDS[build]), backpressure=7, ip="tandem")
    words = dict(word.split("=", 1) for word in job.rerun.split()[2:])
    options = {
        name.lower(): value
        for name, value in words.items()
        if name not in ("IP", "SOURCE", "SEED", "SIZE", "BACKPRESSURE")
    }
    assert Config.from_dict(options) == job.settings and words["BACKPRESSURE"] == "7"


@pytest.mark.parametrize("build", BUILDS)
def test_random_rows_have_everything(build):
    """Every opcode, form, identifier, operation and illegal row;
    and a decoder finds no fault in what is sent of them.
    """
    config = Config.from_dict(BUILDS[build])
    rows = Mix(config, random.Random(f"4:{build}")).rows(6000)
    encoded = encode(rows, config)
    assert (
        encoded.errors.sum() > 50
        and (encoded.errors == illegal(rows)).all()
        and not decode(encoded.data, config).diagnostics
    )
    opcodes, states, forms, operations = Counter(), set(), set(), set()
    for offset, item in items(encoded.data, config):
        code = encoded.data[offset]
        opcodes[code] += 1
        if isinstance(item, State):
            states.add(item.id)
        elif isinstance(item, AddRegister | OrRegister):
            forms.add((code, "x" if item.address >= t.GPR_BASE else item.address))
        elif isinstance(item, Request):
            operations.add(item.op)
    wanted = set(t.BY_CODE)
    steps = {0: {t.INCREMENT_PC, t.ADD, t.OR}, 1: set(), 2: set()}[config.incremental] | (
        {t.RESPONSE} if not config.traces("response") else set()
    )
    assert set(opcodes) == wanted - steps and min(opcodes.values()) > 20
    assert states == {state.id for state in t.STATES if state.name[:7] == "memdata" or config.traces(state.name)}
    assert len(operations) == len(t.OPERATIONS)
    if config.incremental == 2:
        assert {(code, key) for code in (t.ADD, t.OR) for key in ("x", t.MCYCLE, t.MINSTRET, t.FCSR)} <= forms


def test_cycles_fill_lanes():
    rows = Rows(600)
    full = in_cycles(rows, Config(lanes=2), random.Random("a"))
    some = in_cycles(rows, Config(lanes=2), random.Random("a"), 30, full=False)
    assert (np.bincount(full.cycle.astype(np.int64)) == 2).all()
    assert set(np.bincount(some.cycle.astype(np.int64)).tolist()) == {0, 1, 2}


def test_the_same_seed_gives_the_same_rows():
    job = random_job(3, size=300)
    assert stimulus(job).rows.differs(stimulus(job).rows) is None
