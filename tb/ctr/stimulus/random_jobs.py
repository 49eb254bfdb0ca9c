# SPDX-License-Identifier: Apache-2.0
"""Random CTR jobs: random transfers and accesses in a random configuration of everything that can be configured."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.registers import control_fields
from rvtrace.tb.ctr.stimulus.builds import BUILDS

_PINS_SIZE = 1500  # pin by pin a cycle takes a hundred times as long


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """A build, depth and control registers to begin with, how dense the transfers are, and the drive; what happens then
    is the stimulus's choice.

    base: options that are fixed, as values or as text; ConfigError if they contradict each other.
    """
    rng = random.Random(f"{seed}:regress:config")
    fixed = dict(base or {})
    options = {**rng.choice(list(BUILDS.values())), **fixed}
    config = Config.from_dict(options)
    options.setdefault("depth", rng.choice(config.depths))
    for name in ("ctl", "vsctl"):
        options.setdefault(name, _word(config, rng))
    pins = rng.random() < 1 / 12
    return Job(
        f"seed-{seed}",
        "random",
        Config.from_dict(options).to_dict(),
        seed,
        "pins" if pins else "bulk",
        grouping=rng.choice(("longest", "random")),
        size=min(size, _PINS_SIZE) if pins else size,
        gaps=rng.choice((0, 5, 30)),
        ip="ctr",
    )


def _word(config: Config, rng: random.Random) -> int:
    """A control register's value: each mode most of the time, each other field sometimes."""
    value = 0
    for f in control_fields(config.variant):
        if f.mask & config.fields and rng.random() < (0.8 if f.name in ("M", "S", "U") else 0.2):
            value |= f.mask
    return value
