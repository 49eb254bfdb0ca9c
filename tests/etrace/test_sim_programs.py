# SPDX-License-Identifier: Apache-2.0
"""Real programs through the E-Trace encoder in RTL: both widths and variants, options, blocks a cycle, both ways to
drive.
"""

import numpy as np
import pytest

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.table import VARIANTS
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.beats import LANE_FIELDS, Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.etrace.stimulus.stimulus import stimulus
from tests.common.long import some

# one build, both variants
PLAIN = {"bcount_bits": 16, "return_stack_size_p": 4, "call_counter_size_p": 0, "cache_size_p": 5, "f0s_width_p": 1}
OPTIONS = {"implicit_return": 1, "jump_target_cache": 1, "branch_prediction": 1, "sijump": 1}
LEVELS = ("enable", "inst_tracing", "halted", "in_reset", "toggle")
PULSES = ("notify", "ctype")


@pytest.mark.parametrize(("xlen", "blocks"), [(64, 1), (32, 4)])
def test_programs(run_jobs, xlen, blocks):
    jobs = [
        Job(f"{name}-{what}", f"program:{name}", PLAIN | {"xlen": xlen, "blocks": blocks, **config}, ip="etrace")
        for name in recording.names()
        for what, config in (
            ("plain", {}),
            ("options", OPTIONS),
            ("draft", {"variant": VARIANTS[1], "branch_prediction": 1}),
        )
    ]
    results = run_jobs(some(jobs, 7))
    assert all(result["stats"]["instructions"] > 1000 for result in results)


def test_programs_with_blocks_in_a_cycle(run_jobs):
    run_jobs(
        [
            Job(
                f"{name}-{blocks}",
                f"program:{name}",
                {**PLAIN, "blocks": blocks, "xlen": xlen, **OPTIONS},
                grouping=grouping,
                ip="etrace",
            )
            for name in recording.names()
            for blocks, xlen, grouping in ((2, 64, "longest"), (4, 32, "random"))
        ]
    )


@pytest.mark.parametrize("drive", ["bulk", "pins"])
@pytest.mark.parametrize("transport", [{}, {"encapsulation": "atb", "framing": "blocks", "timestamp": 1}])
def test_monitors_see_what_was_played(run_jobs, drive, transport):
    job = Job(
        "seen",
        "random",
        PLAIN | {"blocks": 2} | transport,
        26,
        drive,
        grouping="random",
        gaps=20,
        size=2000,
        keep=True,
        ip="etrace",
    )
    (result,) = run_jobs([job])
    seen, meant = Beats.load(f"{job.out}/beats.npz"), stimulus(job).beats
    assert not meant.enable[1:].all()
    for name in (*LEVELS[1:], *PULSES, "sijump"):
        assert getattr(meant, name).any(), f"the walk has {name}, else this shows nothing"
    changes = np.logical_or.reduce([np.append(True, np.diff(getattr(meant, name)) != 0) for name in LEVELS])
    pulses = np.logical_or.reduce([getattr(meant, name) != 0 for name in PULSES])
    meant = meant.select(meant.valid().any(axis=1) | pulses | changes)

    assert len(seen) == len(meant) and result["stats"]["cycles"] > len(meant)
    for name in (*LEVELS, *PULSES, *LANE_FIELDS):
        assert (getattr(seen, name) == getattr(meant, name)).all(), name
    assert (np.diff(seen.tstamp[1:].astype(np.int64)) > 0).all()
    # The first row is the last idle cycle after reset, however long that lasted.
    assert (np.diff(seen.cycle[1:]) == np.diff(meant.cycle[1:])).all()


def test_what_a_capture_leaves_describes_one_stream(run_jobs):
    jobs = [
        Job(f"left-{n}", source, PLAIN, 4, size=800, keep=True, ip="etrace")
        for n, source in enumerate(("program:traps", "random"))
    ]
    for job, result in zip(jobs, run_jobs(jobs)):
        given, program = Retired.from_csv(f"{job.out}/retired.csv"), Program.from_elf(f"{job.out}/program.elf")
        assert (program.columns(given.pc[given.kind == 0]).size > 0).all()
        with open(f"{job.out}/packets.hex") as packets, open(f"{job.out}/trace.bin", "rb") as trace:
            assert sum(len(bytes.fromhex(line)) for line in packets) == result["stats"]["bytes"]
            assert len(trace.read()) == result["stats"]["transported"]
