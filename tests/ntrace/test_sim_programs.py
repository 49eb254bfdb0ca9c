# SPDX-License-Identifier: Apache-2.0
"""Real programs through the encoder in RTL: both widths, modes and variants, every byte checked three ways."""

import numpy as np
import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.ntrace.config import VARIANTS
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.beats import LANE_FIELDS, LEVELS, PULSES, Beats
from rvtrace.models.riscv.blocks import from_beats, observable
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.tb.ntrace.bench import programs
from rvtrace.tb.ntrace.stimulus.stimulus import stimulus
from tests.common.long import some


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("xlen", [64, 32])
def test_programs(run_jobs, xlen, variant):
    jobs = programs([xlen], variants=[variant])
    assert len(jobs) == 2 * len(recording.names())
    results = run_jobs(some(jobs[(xlen == 32) ^ (variant == VARIANTS[0]) :], 5))
    assert all(result["stats"]["instructions"] > 1000 for result in results)


def test_programs_with_two_blocks_a_cycle(run_jobs):
    run_jobs(some([
        Job(f"{name}-two-{mode}", f"program:{name}", {"blocks": 2, "mode": mode}, grouping=grouping)
        for name in recording.names() for mode, grouping in (("htm", "longest"), ("btm", "random"))
    ], 5))  # fmt: skip


def test_single_retirement(run_jobs):
    run_jobs(
        [Job(f"traps-{drive}", "program:traps", {}, retirement="single", drive=drive) for drive in ("bulk", "pins")]
    )


@pytest.mark.parametrize("drive", ["bulk", "pins"])
def test_monitors_see_what_was_played(run_jobs, tmp_path, drive):
    job = Job("seen", "random", {"blocks": 2}, 1, drive, grouping="random", gaps=20, size=2000, keep=True)
    (result,) = run_jobs([job])
    seen, meant = Beats.load(f"{job.out}/beats.npz"), stimulus(job).beats
    levels = sum((getattr(meant, name) << bit for bit, name in enumerate(LEVELS)), np.zeros(len(meant), np.uint8))
    pulses = np.logical_or.reduce([getattr(meant, name) != 0 for name in PULSES])
    meant = meant.select(meant.valid().any(axis=1) | pulses | (levels != [-1, *levels[:-1]]))
    for name in ("notify", "ext_notify", "vendor", "in_reset", "low_power", "hcontext", "sijump"):
        assert getattr(meant, name).any(), f"the walk has {name}, else this shows nothing"

    assert len(seen) == len(meant) and result["stats"]["cycles"] > len(meant)
    for name in (*LEVELS, *PULSES, *LANE_FIELDS):
        assert (getattr(seen, name) == getattr(meant, name)).all(), name
    assert (np.diff(seen.tstamp[1:]) >= 0).all() and seen.tstamp[-1] > 100
    # The first row is the last idle cycle after reset, however long that lasted.
    assert (np.diff(seen.cycle[1:]) == np.diff(meant.cycle[1:])).all()


@pytest.mark.parametrize("drive", ["bulk", "pins"])
def test_what_a_capture_leaves_describes_one_stream(run_jobs, drive):
    jobs = [
        Job(f"left-{n}", source, {"variant": "rc7"}, 4, drive, size=800, keep=True)
        for n, source in enumerate(("program:traps", "random"))
    ]
    run_jobs(jobs)
    for job in jobs:
        given = Retired.from_csv(f"{job.out}/retired.csv")
        program = Program.from_elf(f"{job.out}/program.elf")
        reported = from_beats(Beats.load(f"{job.out}/beats.npz"), program, "rc7")
        assert reported.differs(observable(given, program)) is None
    given = Retired.from_csv(f"{jobs[0].out}/retired.csv")
    assert (given.kind[0], given.kind[-1]) == (Kind.TRACE_ON, Kind.TRACE_OFF)
