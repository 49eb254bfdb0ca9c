# SPDX-License-Identifier: Apache-2.0
"""From a job to what is played, for E-Trace: program, retire stream and beats that fit the parameters of an encoder."""

from __future__ import annotations

import random
from dataclasses import replace
from pathlib import Path

import numpy as np

from rvtrace.jobs.job import Job, JobError
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import (
    from_beats,
    observable,
    once_a_cycle,
    report_contexts,
    to_beats,
    without_stray_triggers,
)
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.riscv.returns import misleading
from rvtrace.models.riscv.sequential import mark
from rvtrace.models.riscv.stream import RESTART_KINDS, with_itype_width, with_variant
from rvtrace.models.riscv.walk_probabilities import WalkProbabilities
from rvtrace.tb.common.stimulus.stimulus import Stimulus, closed, connected, heard, of_scenario, traced
from rvtrace.tb.etrace.stimulus.golden import find
from rvtrace.tb.etrace.stimulus.scenarios import SCENARIOS

_BIT = {name: 1 << bit for bit, name in enumerate(OPTIONS)}


def stimulus(job: Job) -> Stimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name or it does not fit.

    The configuration it comes with has the trap vectors that the decoder knows.
    """
    config: Config = job.settings
    if config.itype_width_p == 3 and config.variant == "draft_0_026":
        raise JobError("ITYPE_WIDTH_P=3 has no code for an uninferable jump in draft_0_026; give ITYPE_WIDTH_P=4")
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        what = of_scenario(job, SCENARIOS, lambda job, retired, program: retired)
        what.beats = once_a_cycle(what.beats)
    elif kind == "program":
        what = _recorded(job, name)
    elif kind == "golden":
        case = find(name)
        what = Stimulus(case.program, from_beats(case.beats, case.program, config.variant), case.beats, config)
    else:
        what = _walked(job)
    what = connected(job, what)
    _believed(job, what)
    what.config = replace(config, trap_vectors=config.trap_vectors or vectors(job, what.retired))
    return what


def random_program(job: Job) -> tuple[Program, random.Random]:
    """The program of a random walk, and what the walk goes on drawing from."""
    config, rng = job.settings, random.Random(job.rng_path("walk"))
    return (
        generate(
            rng, config.xlen, well_behaved=bool(config.call_counter_size_p), compressed=config.iaddress_lsb_p == 1
        ),
        rng,
    )


def toggled(job: Job) -> int:
    """The options that change while a random walk runs, as bits: none for most jobs."""
    config, rng = job.settings, random.Random(job.rng_path("toggle"))
    if job.source != "random" or rng.random() < 0.65:
        return 0
    draft = config.variant == "draft_0_026"
    has = {
        "implicit_return": (
            (config.call_counter_size_p or (config.return_stack_size_p and not draft)) and config.itype_width_p == 4
        ),
        "implicit_exception": 1,
        "full_address": 1,
        "jump_target_cache": config.cache_size_p and not draft,
        "branch_prediction": config.bpred_size_p,
        "sijump": config.sijump_p,
    }
    mask = sum(_BIT[name] for name, there in has.items() if there)
    return mask & (rng.getrandbits(len(OPTIONS)) or mask) or mask


def probabilities_of(job: Job) -> WalkProbabilities:
    """A walk that the ingress port of the configuration can carry, and that its encoder can report."""
    config, changes = job.settings, toggled(job)
    counts = bool(config.call_counter_size_p) and bool(config.implicit_return or changes & _BIT["implicit_return"])
    return WalkProbabilities(
        well_behaved=counts,
        swaps=False,
        custom=0,
        ext_notify=0,
        vendor=0,
        sleep=0,
        hcontext=0,
        context=min(12, config.context_width_p),
        virtualized=config.privilege_width_p == 3,
        causes=min(6, config.ecause_width_p),
        vectors=bool(config.implicit_exception or changes & _BIT["implicit_exception"]),
        toggle=0.002,
        toggled=changes,
    )


def _walked(job: Job) -> Stimulus:
    config: Config = job.settings
    program, rng = random_program(job)
    retired = closed(random_walk(program, rng, job.size, probabilities_of(job), config.variant), program)
    retired = observable(without_stray_triggers(retired), program)
    what = _played(job, program, retired, None)
    _disable(what.beats, random.Random(job.rng_path("enable")))
    return what


def _disable(beats: Beats, rng: random.Random) -> None:
    """In some runs trTeEnable falls a few times while the hart goes on."""
    if rng.random() < 0.3:
        for _ in range(rng.randint(1, 3)):
            begin = rng.randrange(1, len(beats))
            beats.enable[begin : begin + rng.choice((1, 1, 5, 40))] = 0


def _recorded(job: Job, name: str) -> Stimulus:
    config: Config = job.settings
    run = recording.load(name, config.xlen)
    if config.iaddress_lsb_p == 2 and (run.retired.size == 2).any():
        raise JobError(
            f"SOURCE={job.source} has 16-bit instructions, and IADDRESS_LSB_P=2 no address for them; give"
            " IADDRESS_LSB_P=1"
        )
    retired = mark(traced(with_variant(run.retired, run.program, config.variant), run.program), run.program)
    return _played(job, run.program, retired, Path(run.program_path))


def _played(job: Job, program: Program, retired: Retired, elf: Path | None) -> Stimulus:
    """The stream as the hart reports it, in the job's blocks, gaps and blocks a cycle."""
    config: Config = job.settings
    retired = with_itype_width(heard(job, retired), config.itype_width_p)
    retired.sijump = retired.sijump * config.sijump_p
    rng = random.Random(job.rng_path("blocks")) if job.grouping == "random" or job.gaps else None
    beats = to_beats(
        retired, config.blocks, job.retirement, (1 << config.iretire_width_p) - 1, rng, job.gaps / 100, per_cycle=True
    )
    beats = report_contexts(beats, config.ctype, random.Random(job.rng_path("ctype")), config.variant)
    return Stimulus(program, retired, beats, config, elf)


def options(config: Config, beats: Beats) -> int:
    """The options that are on at some time, as bits."""
    return int(np.bitwise_or.reduce(config.ioptions ^ beats.toggle, initial=0))


def _believed(job: Job, what: Stimulus) -> None:
    """JobError if a call counter would believe a return that goes elsewhere."""
    config = what.config
    if not (config.call_counter_size_p and options(config, what.beats) & _BIT["implicit_return"]):
        return
    if wrong := misleading(what.retired, 1, config.variant):
        row = wrong[0]
        way_out = (
            "IMPLICIT_RETURN=0" if config.variant == "draft_0_026" else "RETURN_STACK_SIZE_P=4 CALL_COUNTER_SIZE_P=0"
        )
        raise JobError(
            f"{job.source} cannot be traced so: {what.program.where(int(what.retired.pc[row]))} is a return (row {row})"
            f" that goes elsewhere than it was called from, and a call counter would believe it; give {way_out}"
        )


def vectors(job: Job, retired: Retired) -> tuple[tuple[int, int, int], ...]:
    """(interrupt, cause, handler) of every trap whose handler retires or traps; JobError if a cause has two and they
    are inferred.
    """
    config: Config = job.settings
    rows = np.flatnonzero((retired.kind <= Kind.INTERRUPT) | np.isin(retired.kind, RESTART_KINDS))
    kind, pc = retired.kind[rows], retired.pc[rows]
    at = np.flatnonzero(((kind[:-1] == Kind.EXCEPTION) | (kind[:-1] == Kind.INTERRUPT)) & (kind[1:] <= Kind.INTERRUPT))
    found = sorted(
        set(
            zip(
                (kind[at] == Kind.INTERRUPT).astype(int).tolist(), retired.cause[rows[at]].tolist(), pc[at + 1].tolist()
            )
        )
    )
    if len({key[:2] for key in found}) == len(found):
        return tuple(found)
    if config.implicit_exception:
        raise JobError(
            f"{job.source} has two handlers for one cause, and IMPLICIT_EXCEPTION=1 believes in one; give"
            " IMPLICIT_EXCEPTION=0"
        )
    return ()
