# SPDX-License-Identifier: Apache-2.0
"""Random counter jobs: a hart at work and accesses of any kind, in one of the implementations."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import Config
from rvtrace.tb.hpm.stimulus.builds import BUILDS

_PINS_SIZE = 1500  # pin by pin a cycle takes a hundred times as long


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """An implementation, how dense the work is, and the drive; what happens then is the stimulus's choice.

    base: options that are fixed, as values or as text; ConfigError if they contradict each other.
    """
    rng = random.Random(f"{seed}:regress:config")
    config = Config.from_dict({**rng.choice(list(BUILDS.values())), **(base or {})})
    pins = rng.random() < 1 / 12
    return Job(
        f"seed-{seed}",
        "random",
        config.to_dict(),
        seed,
        "pins" if pins else "bulk",
        size=min(size, _PINS_SIZE) if pins else size,
        gaps=rng.choice((0, 5, 30, 90)),
        ip="hpm",
    )
