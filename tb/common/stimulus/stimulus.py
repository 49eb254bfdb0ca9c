# SPDX-License-Identifier: Apache-2.0
"""The stimulus of the encoders: a program, its retired instructions and the beats of the ingress port."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import observable
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.tb.common.stimulus.scenario import Scenarios
from rvtrace.tb.common.stimulus.shape import shaped


@dataclass
class Stimulus:
    """What a job plays.

    retired: in the form of the configuration's variant. beats: with the requested cycles. elf: the program's own file,
    None if it was generated.
    """

    program: Program
    retired: Retired
    beats: Beats
    config: Any
    elf: Path | None = None


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


LEVELS = ("in_reset", "low_power")  # of the ingress port; an encoder need not have an input for them


def connected(job: Job, what: Stimulus) -> Stimulus:
    """The stimulus without the levels that the job leaves out (tracing is switched off for as long instead, which every
    encoder has an input for), in the shape that the port of the device can take.
    """
    beats = what.beats
    for name in LEVELS:
        if name in job.without:
            level = getattr(beats, name) != 0
            beats.inst_tracing = np.where(level, 0, beats.inst_tracing).astype(beats.inst_tracing.dtype)
            setattr(beats, name, np.zeros_like(getattr(beats, name)))
    if job.shape:
        what.beats = shaped(job.shape, beats)
    return what


def traced(retired: Retired, program: Program) -> Retired:
    """A recorded run between trace_on and trace_off."""
    on, off = (Retired.from_columns(kind=[kind], pc=[0], size=[0]) for kind in (Kind.TRACE_ON, Kind.TRACE_OFF))
    return observable(Retired.concat([on, retired, off]), program)


def closed(retired: Retired, program: Program) -> Retired:
    """The stream; a trace_off is appended if it would end while tracing, so that all of it is reported."""
    switches = retired.kind[(retired.kind == Kind.TRACE_ON) | (retired.kind == Kind.TRACE_OFF)]
    if not len(switches) or switches[-1] == Kind.TRACE_OFF:
        return retired
    off = Retired.from_columns(kind=[Kind.TRACE_OFF], pc=[0], size=[0])
    return observable(Retired.concat([retired, off]), program)


def of_scenario(job: Job, scenarios: Scenarios, reported: Callable[[Job, Retired, Program], Retired]) -> Stimulus:
    """The scenario that a job names, its stream as the hart reports it."""
    scenario, config = scenarios.of(job), job.settings
    program, retired = scenario.build(config, random.Random(job.rng_path("story")))
    retired = reported(job, heard(job, retired), program)
    beats = scenario.to_beats(config, random.Random(job.rng_path("beats")), program, retired, job.retirement)
    if job.gaps:
        rng = np.random.default_rng(random.Random(job.rng_path("gaps")).getrandbits(64))
        idle = (rng.random(len(beats)) < job.gaps / 100) * rng.integers(1, 9, len(beats))
        beats.cycle = beats.cycle + np.cumsum(idle).astype(np.uint64)
    return Stimulus(program, retired, beats, config)
