# SPDX-License-Identifier: Apache-2.0
"""Random tandem-trace jobs: random rows in one of the implementations, however fast they come and leave."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.tandem.config import Config
from rvtrace.tb.tandem.stimulus.builds import DRAWN

_PINS_SIZE = 800  # pin by pin a cycle takes a hundred times as long


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """An implementation, how dense the rows are, how often the output waits, and the drive; what happens then is the
    stimulus's choice.

    Implementations come in turn: nine consecutive seeds meet all of them. They are odd in number, so that each
    gets odd and even seeds (`rvtrace.tb.tandem.stimulus.stimulus`).

    base: options that are fixed, as values or as text; ConfigError if they contradict each other.
    """
    rng = random.Random(f"{seed}:regress:config")
    fixed = dict(base or {})
    options = dict(list(DRAWN.values())[seed % len(DRAWN)])
    if "xlen" in fixed and int(str(fixed["xlen"]), 0) != options.get("xlen", 64):
        options.pop("mlen", None)  # of the other width
    config = Config.from_dict({**options, **fixed})
    pins = rng.random() < 1 / 12
    return Job(
        f"seed-{seed}",
        "random",
        config.to_dict(),
        seed,
        "pins" if pins else "bulk",
        grouping=rng.choice(("longest", "random")),
        size=min(size, _PINS_SIZE) if pins else size,
        gaps=rng.choice((0, 5, 30, 90)),
        backpressure=rng.choice((0, 10, 50, 90)),
        ip="tandem",
    )
