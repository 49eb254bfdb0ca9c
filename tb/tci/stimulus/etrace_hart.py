# SPDX-License-Identifier: Apache-2.0
"""A hart of the trace system with an E-Trace encoder: its program, its walk and its beats."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv import recording
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import observable, report_contexts, to_beats, without_stray_triggers
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.random_walk import random_walk
from rvtrace.models.riscv.retired import Kind, Retired
from rvtrace.models.riscv.sequential import mark
from rvtrace.models.riscv.stream import with_itype_width, with_variant
from rvtrace.tb.etrace.stimulus.stimulus import probabilities_of, vectors

if TYPE_CHECKING:
    from rvtrace.tb.tci.job import TciJob

BUSY = {"inst_sync_mode": 2, "inst_sync_max": 1}  # a start packet every 32 cycles
PRESSED = {"inst_sync_mode": 2, "inst_sync_max": 0, "full_address": 1}  # one every 16, and no address cut


def busy_options(rng: random.Random) -> dict[str, Any]:
    """Options of an encoder, any that its hardware has."""
    names = (
        "implicit_return",
        "implicit_exception",
        "full_address",
        "jump_target_cache",
        "branch_prediction",
        "sijump",
        "timestamp",
    )
    return {name: rng.randrange(2) for name in names} | {
        "inst_sync_mode": rng.randrange(4), "inst_sync_max": rng.randrange(6), "inst_stall_ena": rng.randrange(2),
    }  # fmt: skip


def possible(config: Config, options: dict[str, Any]) -> dict[str, Any]:
    """The options without those whose hardware the encoder does not have."""
    draft = config.variant == "draft_0_026"
    there = {
        "implicit_return": config.call_counter_size_p or (config.return_stack_size_p and not draft),
        "jump_target_cache": config.cache_size_p and not draft,
        "branch_prediction": config.bpred_size_p,
        "sijump": config.sijump_p,
    }
    return {name: value for name, value in options.items() if there.get(name, 1)}


def walk(
    job: TciJob, rng: random.Random, config: Config, size: int | None, probabilities: dict[str, Any]
) -> tuple[Config, Program, Retired]:
    """A program and a random walk through it, or the recorded program that the job names, with the trap vectors of it.

    Tracing is switched by registers here, so the walk has no rows of it.
    """
    if job.program != "random":
        run = recording.load(job.program, config.xlen)
        return config, run.program, mark(with_variant(run.retired, run.program, config.variant), run.program)
    random_job = Job(job.name, "random", config.to_dict(), rng.getrandbits(32), size=size or job.size, ip="etrace")
    program = generate(
        rng, config.xlen, well_behaved=bool(config.call_counter_size_p), compressed=config.iaddress_lsb_p == 1
    )
    habits = replace(
        probabilities_of(random_job),
        **({"trace": 0.0, "start": "trace_on", "toggled": 0} | probabilities | {"ext_notify": 0.0}),
    )
    retired = random_walk(program, rng, random_job.size, habits, config.variant)
    retired = retired.select((retired.kind != Kind.TRACE_ON) & (retired.kind != Kind.TRACE_OFF))
    retired = observable(without_stray_triggers(retired), program)
    return replace(config, trap_vectors=vectors(random_job, retired)), program, retired


def beats_of(retired: Retired, config: Config, rng: random.Random, gaps: float) -> Beats:
    """The rows of a hart."""
    retired = with_itype_width(retired, config.itype_width_p)
    retired.sijump = retired.sijump * config.sijump_p
    beats = to_beats(
        retired, config.blocks, "block", (1 << config.iretire_width_p) - 1, rng if gaps else None, gaps, per_cycle=True
    )
    return report_contexts(beats, config.ctype, rng, config.variant)
