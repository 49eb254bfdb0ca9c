# SPDX-License-Identifier: Apache-2.0
"""Random jobs of the subsystem: a walk through a random program, in one of the builds, every option of every trace
source chosen at random.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.ctr.config import Config as CtrConfig
from rvtrace.models.subsystem.config import ALL_MODES, COUNTERS, DEPTHS, FILTERS, FREEZES, INHIBITED, Config
from rvtrace.models.subsystem.events import EVENTS, SELECTOR
from rvtrace.tb.subsystem.stimulus.builds import BUILDS

_PINS_SIZE = 400  # pin by pin a cycle takes a hundred times as long
_SIZE = 8000  # instructions and traps, five trace sources of each
_FLAGS = (
    "repeated_history",
    "ownership",
    "implicit_return",
    "branch_prediction",
    "jump_target_cache",
    "full_address",
    "timestamp",
)


def options(rng: random.Random, xlen: int) -> dict[str, Any]:
    """Options that no build fixes. Types of transfers can be filtered on RV64 only."""
    kind = CtrConfig()
    modes = ALL_MODES if rng.random() < 0.6 else rng.sample(ALL_MODES, rng.randrange(1, 3))
    filters = rng.sample(FILTERS, rng.randrange(1, 4)) if rng.random() < 0.3 and xlen == 64 else []
    return {
        "mode": rng.choice(("btm", "htm")),
        "ntrace_returns": rng.choice((0, 0, 1, 2, 3)),
        **{name: rng.randrange(2) for name in _FLAGS},
        "sync_mode": rng.randrange(4),
        "sync_max": rng.randrange(8),
        "ctr_depth": rng.choice(DEPTHS),
        "ctr_ctl": sum(kind.bit(name) for name in (*modes, *filters)),
        "events": [rng.randrange(SELECTOR[EVENTS[-1]] + 1) for _ in COUNTERS],
    }


def filters(rng: random.Random, xlen: int) -> dict[str, Any]:
    """What each half of the jobs has: another register for VS and VU, and counters that do not count in some modes."""
    kind, out = CtrConfig(), {}
    if rng.random() < 0.5:
        names = [name for name in (*FILTERS, *FREEZES) if name != "MTE" and (xlen == 64 or kind.bit(name) < 1 << 32)]
        out["ctr_vsctl"] = sum(kind.bit(name) for name in (*ALL_MODES[1:], *rng.sample(names, rng.randrange(3))))
    if rng.random() < 0.5:
        out["inhibit"] = [rng.randrange(sum(INHIBITED.values()) + 1) * rng.randrange(2) for _ in COUNTERS]
    return out


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """Builds come in turn. base: options that are fixed, as values or as text; ConfigError if they contradict each
    other.
    """
    rng = random.Random(f"{seed}:regress:config")
    fixed = {**list(BUILDS.values())[seed % len(BUILDS)], **(base or {})}
    xlen = Config.from_dict(fixed).xlen
    more = filters(random.Random(f"{seed}:regress:filters"), xlen)
    config = Config.from_dict({**options(rng, xlen), **more, **fixed})
    pins = rng.random() < 1 / 12
    return Job(
        f"seed-{seed}",
        "random",
        config.to_dict(),
        seed,
        "pins" if pins else "bulk",
        grouping=rng.choice(("longest", "random")),
        size=_PINS_SIZE if pins else min(size, _SIZE),
        gaps=rng.choice((0, 0, 5, 30)),
        backpressure=rng.choice((0, 0, 10, 50)),
        ip="subsystem",
    )
