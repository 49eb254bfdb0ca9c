"""From a job to what is played: the program, its retire stream and the beats of the ingress port.

`stimulus` is that of N-Trace; `tb.sequences.etrace_stimulus` has that of E-Trace and shares the rest.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np

from models.etrace.packets import OPTIONS
from models.riscv import recording
from models.riscv.beats import Beats
from models.riscv.blocks import observable, to_beats
from models.riscv.generate import generate
from models.riscv.knobs import Knobs
from models.riscv.program import Program
from models.riscv.random_walk import random_walk
from models.riscv.retired import IType, Kind, Retired
from models.riscv.returns import explain, misleading
from models.riscv.sequential import mark
from models.riscv.stream import with_options, with_variant
from tb.job import Job, JobError
from tb.sequences.scenario import Scenario

COUNTER = 1  # trTeInstImplicitReturnMode: returns are counted and believed, so none may go elsewhere


@dataclass
class Stimulus:
    """What a job plays.

    retired: in the form of the configuration's variant. beats: with the cycles asked for. elf: the program's own file,
    None if it was generated.
    """

    program: Program
    retired: Retired
    beats: Beats
    config: Any
    elf: Path | None = None


def stimulus(job: Job) -> Stimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name."""
    config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        from tb.sequences.ntrace_scenarios import SCENARIOS

        return told(job, name, SCENARIOS, reported)
    elf = None
    if kind == "program":
        run = recording.load(name, config.xlen)
        elf = Path(run.program_path)
        program, retired = run.program, with_variant(run.retired, run.program, config.variant)
        retired = mark(traced(retired, program), program)
    else:
        program, rng = random_program(job)
        knobs = Knobs(well_behaved=config.implicit_return == COUNTER, all_jumps=bool(config.all_jumps))
        retired = closed(random_walk(program, rng, job.size, knobs, config.variant), program)
    retired = reported(job, heard(job, retired), program)
    if wrong := misleading(retired, config.implicit_return):
        raise JobError(f"{job.source} cannot be traced so: {explain(retired, program, config.implicit_return, wrong)}")
    return Stimulus(program, retired, beats_of(job, retired), config, elf)


def random_program(job: Job) -> tuple[Program, random.Random]:
    """The program of a random walk, and what the walk goes on drawing from."""
    rng = random.Random(job.rng_path("walk"))
    return generate(rng, job.settings.xlen, well_behaved=job.settings.implicit_return == COUNTER), rng


def reported(job: Job, retired: Retired, program: Program) -> Retired:
    """The stream as the hart of this configuration reports it: in rc7 all-jumps may be said with the reserved itype as well."""
    config = job.settings
    reserved = config.variant == "rc7" and random.Random(job.rng_path("itype")).random() < 0.25
    itype = IType.RESERVED if reserved and job.source == "random" else IType.TAKEN
    return with_options(retired, program, bool(config.all_jumps), itype)


def heard(job: Job, retired: Retired) -> Retired:
    """The stream without what the job leaves out: kinds, and options of E-Trace that stay as they were configured."""
    kinds = [Kind[name.upper()] for name in job.without if name.upper() in Kind.__members__]
    fixed = sum(1 << bit for bit, name in enumerate(OPTIONS) if name in job.without)
    keep = ~np.isin(retired.kind, kinds)
    toggles = np.flatnonzero(retired.kind == Kind.TOGGLE)
    if fixed and len(toggles):
        retired = retired.select(np.arange(len(retired)))
        retired.cause[toggles] &= ~np.array(fixed, retired.cause.dtype)
        values = np.append(retired.cause[:0].dtype.type(0), retired.cause[toggles])
        keep[toggles[values[1:] == values[:-1]]] = False
    return retired if keep.all() else retired.select(keep)


def beats_of(job: Job, retired: Retired) -> Beats:
    """The stream as the job's blocks, gaps and blocks a cycle have it."""
    config = job.settings
    rng = random.Random(job.rng_path("blocks")) if job.grouping == "random" or job.gaps else None
    most = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
    return to_beats(retired, config.blocks, job.retirement, most, rng, job.gaps / 100)


def traced(retired: Retired, program: Program) -> Retired:
    """A recorded run between trace_on and trace_off."""
    on, off = (Retired.from_columns(kind=[kind], pc=[0], size=[0]) for kind in (Kind.TRACE_ON, Kind.TRACE_OFF))
    return observable(Retired.concat([on, retired, off]), program)


def closed(retired: Retired, program: Program) -> Retired:
    """The stream with a trace_off at its end if it would end while tracing, so that all of it is told."""
    switches = retired.kind[(retired.kind == Kind.TRACE_ON) | (retired.kind == Kind.TRACE_OFF)]
    if not len(switches) or switches[-1] == Kind.TRACE_OFF:
        return retired
    off = Retired.from_columns(kind=[Kind.TRACE_OFF], pc=[0], size=[0])
    return observable(Retired.concat([retired, off]), program)


def told(job: Job, name: str, scenarios: Mapping[str, Scenario], reported: Callable[[Job, Retired, Program], Retired]) -> Stimulus:
    """The scenario of that name, its stream as the hart reports it."""
    if name not in scenarios:
        near = get_close_matches(name, scenarios, 1)
        hint = f"did you mean {near[0]}? " if near else ""
        raise JobError(f"there is no scenario {name}; {hint}`make list` has them")
    scenario, config = scenarios[name], job.settings
    program, retired = scenario.build(config, random.Random(job.rng_path("story")))
    retired = reported(job, heard(job, retired), program)
    beats = scenario.to_beats(config, random.Random(job.rng_path("beats")), program, retired, job.retirement)
    if job.gaps:
        rng = np.random.default_rng(random.Random(job.rng_path("gaps")).getrandbits(64))
        idle = (rng.random(len(beats)) < job.gaps / 100) * rng.integers(1, 9, len(beats))
        beats.cycle = beats.cycle + np.cumsum(idle).astype(np.uint64)
    return Stimulus(program, retired, beats, config)
