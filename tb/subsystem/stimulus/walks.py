# SPDX-License-Identifier: Apache-2.0
"""Random walks of the subsystem, and any stream of instructions as rows of the hart port, in stretches."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.riscv.csr import Access
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.riscv.returns import explain, misleading
from rvtrace.models.riscv.walk_probabilities import WalkProbabilities
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.scoreboards.subsystem.parts import beats_of
from rvtrace.tb.subsystem.agents.files import HartRows
from rvtrace.tb.subsystem.stimulus.rows import on_port, reported_of, with_counters

COUNTER = 1  # implicit_return of N-Trace: returns are counted and believed, so none may go elsewhere
STRETCHES = 4
_TRIES = 100
_QUIET = dict.fromkeys(("trace", "debug", "reset", "sleep", "notify", "ext_notify", "vendor", "custom", "toggle"), 0.0)


@dataclass
class SubsystemStimulus:
    """What a job plays: stretches of beats, with a look at all CSRs before, between and after them.

    lows: % of cycles in which who takes the bytes of a stream is not ready, by control of the bench. asks: CSR accesses
    after each stretch, of any mode. blocked: the stretch in which nobody takes the bytes of the tandem trace until
    software disables it, which has rows of the tandem trace alone; -1: none.
    """

    config: Config
    program: Program
    retired: Retired
    stretches: list[HartRows]
    elf: Path | None = None
    lows: dict[str, int] = field(default_factory=dict)
    asks: list[list[Access]] = field(default_factory=list)
    blocked: int = -1


def walked(config: Config, rng: Random, size: int, **probabilities: object) -> tuple[Program, Retired]:
    """A program and a walk of instructions and traps through it. Both protocols have its instructions alike."""
    behaved = config.ntrace_returns == COUNTER
    habits = WalkProbabilities(
        **{**_QUIET, "start": "trace_on", "hcontext": 0, "well_behaved": behaved, **probabilities}
    )
    for _ in range(_TRIES):
        program = generate(rng, config.xlen, well_behaved=behaved)
        retired = random_walk(program, rng, size, habits, "v1_0")
        retired = retired.select(retired.kind <= Kind.INTERRUPT)
        itype = program.columns(np.unique(retired.pc)).itype
        if (itype["v1_0"] == itype["v2_0"]).all():
            return program, retired
    raise JobError(f"no program of {_TRIES} has the same trace in both protocols; give another SEED=")


def believed(job: Job, config: Config, retired: Retired, program: Program) -> None:
    """JobError if N-Trace would believe a return that goes elsewhere."""
    if wrong := misleading(retired, config.ntrace_returns):
        raise JobError(f"{job.source} cannot be traced so: {explain(retired, program, config.ntrace_returns, wrong)}")


def played(
    job: Job,
    config: Config,
    program: Program,
    retired: Retired,
    rows: Rows,
    elf: Path | None = None,
    gaps: int | None = None,
) -> SubsystemStimulus:
    """The rows on the port, in stretches of random length. JobError if filters leave some of it out."""
    beats = beats_of(retired, np.arange(2, len(retired) + 2, dtype=np.uint64), 1)
    out = int(beats.valid().sum() - FilterSettings.parse(config.ntrace_filter, config.xlen).qualify(beats)[0].sum())
    if out:
        raise JobError(
            f"NTRACE_FILTER={config.ntrace_filter} leaves out {out} of {len(retired)} instructions and traps of"
            f" {job.source}, and the flows of the traces are compared whole; give a filter of all that the hart does"
        )
    reported = reported_of(rows, retired, Random(job.rng_path("predictor")))
    rows = with_counters(rows, Random(job.rng_path("counters")))
    hart = on_port(
        rows,
        reported,
        config,
        Random(job.rng_path("cycles")),
        job.gaps if gaps is None else gaps,
        job.grouping == "longest",
    )
    lows = {f"{name}_low": job.backpressure for name in ("ntrace", "etrace", "tandem")}
    return SubsystemStimulus(config, program, retired, cut(hart, Random(job.rng_path("stretches"))), elf, lows)


def cut(hart: HartRows, rng: Random, count: int = STRETCHES) -> list[HartRows]:
    """The beats in stretches; none ends where the hart waits."""
    free = np.flatnonzero((hart.levels[:-1] & 0xFF) == 0)
    chosen = {int(free[rng.randrange(len(free))]) + 1 for _ in range(count - 1)} if len(free) else set()
    edges = [0, *sorted(chosen), len(hart)]
    return [hart.part(begin, end) for begin, end in zip(edges, edges[1:]) if end > begin]
