# SPDX-License-Identifier: Apache-2.0
"""Random SBI PMU jobs: a random supervisor on a random platform under a random policy."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.hpm.config import Config as HpmConfig
from rvtrace.models.sbi_pmu.config import DEPTHS, Config
from rvtrace.models.sbi_pmu.policy import NAMED, ROWS
from rvtrace.tb.sbi_pmu.stimulus.builds import BUILDS, SAMPLED
from rvtrace.tb.sbi_pmu.stimulus.profiler import CYCLES

_BLOCK = {f.name for f in fields(HpmConfig)}
_SIZE, _PINS_SIZE = 1200, 120  # calls
_SAMPLED_SIZE = 5 * CYCLES


def random_job(seed: int, base: Mapping[str, Any] | None = None, size: int = 20_000) -> Job:
    """A build, options of the platform, a policy, and the drive; what happens then is the stimulus's choice.

    base: options that are fixed, as values or as text; ConfigError if they contradict each other. size: calls, at most
    1200, pin by pin 120. One job in eight has control transfer records, unless `base` decides more than XLEN.
    """
    records = random.Random(f"{seed}:regress:records")
    if "records" in (base or {}):
        sampled = int(str((base or {})["records"]), 0) != 0
    else:
        sampled = not set(base or {}) - {"xlen"} and records.random() < 1 / 8
    if sampled:
        return profiler(seed, records, base, size)
    rng = random.Random(f"{seed}:regress:config")
    fixed = dict(base or {})
    options = {**rng.choice(list(BUILDS.values())), **platform(rng), "policy": policy(rng), **fixed}
    if "firmware" not in fixed:
        options["firmware"] = _apart(options, rng)
    pins = rng.random() < 1 / 6
    return Job(
        f"seed-{seed}",
        "random",
        options,
        seed,
        "pins" if pins else "bulk",
        size=min(size, _PINS_SIZE if pins else _SIZE),
        ip="sbi_pmu",
    )


def profiler(seed: int, rng: random.Random, base: Mapping[str, Any] | None, size: int) -> Job:
    """A profiler on a hart with control transfer records, `base` fixed. size: cycles."""
    options = {**rng.choice(SAMPLED), "records": rng.choice(DEPTHS), **(base or {})}
    return Job(f"seed-{seed}", "random", options, seed, "pins", size=min(size, _SAMPLED_SIZE), ip="sbi_pmu")


def profilers() -> list[Job]:
    """One on each of these harts, with each number of entries."""
    return [
        Job(
            f"profiler-rv{build.get('xlen', 64)}-{depth}", "random", {**build, "records": depth}, drive="pins",
            size=_SAMPLED_SIZE, ip="sbi_pmu",
        )
        for build in SAMPLED for depth in DEPTHS
    ]  # fmt: skip


def platform(rng: random.Random) -> dict[str, Any]:
    """Options of the platform that no build decides: where counters are, which of them are firmware's, what is there.
    Often none.
    """
    out: dict[str, Any] = {}
    if rng.random() < 0.3:
        out |= {"gap": rng.choice((0, 3, 33, 64)), "firmware": None}
    if rng.random() < 0.3:
        out["firmware_width"] = rng.choice((1, 20, 32, 33, 63))
    if rng.random() < 0.15:
        out["sbi"] = rng.choice((3, 10, 20))
    for name in ("snapshot", "event_info"):
        if rng.random() < 0.1:
            out[name] = 0
    return out


def _apart(options: Mapping[str, Any], rng: random.Random) -> tuple[int, ...]:
    """Indices of firmware counters that no hardware counter has: those of the build, or up to four others (there is no
    counter 1).
    """
    gap, given = int(str(options.get("gap", 0)), 0), options.get("firmware", Config.firmware)
    there = {
        n + gap for n in range(32) if HpmConfig.from_dict({k: v for k, v in options.items() if k in _BLOCK}).has(n)
    }
    if given is not None and not there & set(given):
        return given
    return tuple(sorted(rng.sample([*range(gap), gap + 1, *range(gap + 32, gap + 60)], rng.randint(0, 4))))


def policy(rng: random.Random) -> str:
    """Strict half of the time, else a named set, sometimes with a row or two changed."""
    name = "strict" if rng.random() < 0.5 else rng.choice(sorted(NAMED))
    changed = rng.sample(ROWS, rng.choice((0, 0, 1, 2)))
    return ",".join([name, *(f"{row.key}={rng.choice(sorted(row.values))}" for row in changed)])
