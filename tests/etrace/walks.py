# SPDX-License-Identifier: Apache-2.0
"""Runs of random and of recorded programs for tests without a simulator,
and their regrouping into other legal blocks.
"""

import random
from dataclasses import replace
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import report_contexts, to_beats
from rvtrace.tb.common.stimulus.stimulus import Stimulus
from rvtrace.tb.etrace.stimulus.random_jobs import random_job
from rvtrace.tb.etrace.stimulus.stimulus import stimulus

GROUPINGS = [
    (1, "single", False),
    (1, "block", False),
    (1, "block", True),
    (2, "block", True),
    (4, "single", False),
    (4, "block", True),
]


def walk(seed: int, size: int = 1500, **base: Any) -> Stimulus:
    """A random walk in a random configuration but for what is given."""
    return stimulus(random_job(seed, base, size))


def recorded(name: str, **config: Any) -> Stimulus:
    """A real program, recorded, with a configuration."""
    return stimulus(Job(f"recorded-{name}", f"program:{name}", config, ip="etrace"))


def regrouped(what: Stimulus, lanes: int, retirement: str, mixed: bool, seed: int = 1) -> tuple[Config, Beats]:
    """The same retirement in other blocks. lanes: blocks a cycle. mixed: any legal grouping, else the longest blocks in
    the fewest cycles.
    """
    config = replace(what.config, blocks_p=lanes)
    rng = random.Random(f"{seed}:regroup") if mixed else None
    beats = to_beats(
        what.retired, lanes, retirement, (1 << config.iretire_width_p) - 1, rng, 0.2 if mixed else 0.0, per_cycle=True
    )
    return config, report_contexts(beats, config.ctype, random.Random("0:contexts"), config.variant)


def encode(config: Config, beats: Beats) -> EncodedTrace:
    """What the encoder model sends."""
    return Encoder(config).run(beats)
