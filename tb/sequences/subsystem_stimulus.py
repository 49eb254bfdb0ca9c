"""From a job to what the hart of the subsystem does: a recorded program, a random walk, or a directed scenario, in stretches."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from random import Random

import numpy as np

from models.riscv import recording
from models.riscv.generate import generate
from models.riscv.knobs import Knobs
from models.riscv.program import Program
from models.riscv.random_walk import random_walk
from models.riscv.retired import Kind, Retired
from models.riscv.returns import explain, misleading
from models.subsystem.config import Config
from models.tandem.trace_data import Rows
from tb.agents.subsystem_files import HartRows
from tb.job import Job, JobError
from tb.sequences.rows_stimulus import scenario_of
from tb.sequences.subsystem_rows import on_port, told_of, walk_rows, with_counters
from tb.sequences.tandem_programs import program_rows, told_more

COUNTER = 1  # implicit_return of N-Trace: returns are counted and believed, so none may go elsewhere
STRETCHES = 4
_TRIES = 100
_QUIET = dict.fromkeys(("trace", "debug", "reset", "sleep", "notify", "ext_notify", "vendor", "custom", "toggle"), 0.0)


@dataclass
class SubsystemStimulus:
    """What a job plays: stretches of beats, with a look at all CSRs before, between and behind them.

    lows: % of cycles in which who takes the bytes of a stream is not ready, by control of the bench.
    """

    config: Config
    program: Program
    retired: Retired
    stretches: list[HartRows]
    elf: Path | None = None
    lows: dict[str, int] = field(default_factory=dict)


def stimulus(job: Job) -> SubsystemStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name.

    grouping: "longest" fills all slots of a cycle; "random" some, and tells more of a program than was recorded. backpressure: of all streams.
    """
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        from tb.sequences.subsystem_scenarios import SCENARIOS

        return scenario_of(job, SCENARIOS).build(job, config, Random(job.rng_path("story")))
    elf = None
    if kind == "program":
        run = recording.load(name, config.xlen)
        size = None if job.size == Job.size else job.size
        program, retired, elf = run.program, run.retired.select(slice(0, size)), Path(run.program_path)
        rows = program_rows(run, config.tandem, size)
        if job.grouping == "random":
            rows = told_more(rows, config.tandem, Random(job.rng_path("program")))
    elif job.source == "random":
        program, retired = walked(config, Random(job.rng_path("walk")), job.size)
        rows = walk_rows(retired, program, Random(job.rng_path("effects")))
    else:
        raise JobError(f"SOURCE={job.source} is no stimulus of the subsystem; give SOURCE=program:<name>, scenario:<name> or random")
    believed(job, config, retired, program)
    return played(job, config, program, retired, rows, elf)


def walked(config: Config, rng: Random, size: int, **knobs: object) -> tuple[Program, Retired]:
    """A program and a walk of instructions and traps through it. Both protocols have its instructions alike."""
    behaved = config.ntrace_returns == COUNTER
    habits = Knobs(**{**_QUIET, "start": "trace_on", "hcontext": 0, "well_behaved": behaved, **knobs})
    for _ in range(_TRIES):
        program = generate(rng, config.xlen, well_behaved=behaved)
        retired = random_walk(program, rng, size, habits, "v1_0")
        retired = retired.select(retired.kind <= Kind.INTERRUPT)
        itype = program.columns(np.unique(retired.pc)).itype
        if (itype["v1_0"] == itype["v2_0"]).all():
            return program, retired
    raise JobError(f"no program in {_TRIES} is told alike in both protocols; give another SEED=")


def believed(job: Job, config: Config, retired: Retired, program: Program) -> None:
    """JobError if N-Trace would believe a return that goes elsewhere."""
    if wrong := misleading(retired, config.ntrace_returns):
        raise JobError(f"{job.source} cannot be traced so: {explain(retired, program, config.ntrace_returns, wrong)}")


def played(job: Job, config: Config, program: Program, retired: Retired, rows: Rows, elf: Path | None = None, gaps: int | None = None) -> SubsystemStimulus:
    """The rows on the port, in stretches of random length."""
    told = told_of(rows, retired, Random(job.rng_path("predictor")))
    rows = with_counters(rows, Random(job.rng_path("counters")))
    hart = on_port(rows, told, config, Random(job.rng_path("cycles")), job.gaps if gaps is None else gaps, job.grouping == "longest")
    lows = {f"{name}_low": job.backpressure for name in ("ntrace", "etrace", "tandem")}
    return SubsystemStimulus(config, program, retired, cut(hart, Random(job.rng_path("stretches"))), elf, lows)


def cut(hart: HartRows, rng: Random, count: int = STRETCHES) -> list[HartRows]:
    """The beats in stretches; none ends where the hart waits."""
    free = np.flatnonzero((hart.levels[:-1] & 0xFF) == 0)
    chosen = {int(free[rng.randrange(len(free))]) + 1 for _ in range(count - 1)} if len(free) else set()
    edges = [0, *sorted(chosen), len(hart)]
    return [hart.part(begin, end) for begin, end in zip(edges, edges[1:]) if end > begin]
