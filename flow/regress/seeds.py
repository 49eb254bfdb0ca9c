# SPDX-License-Identifier: Apache-2.0
"""The jobs of a regression: the seeds of each system."""

from __future__ import annotations

from collections.abc import Mapping

from rvtrace.flow.jobs import refuse_claims
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, number
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.job import DRIVES, Job

SEEDS, SIZE = 50, 20_000  # if nobody says


def systems_of(argv: list[str]) -> list[SystemBench]:
    """Those IP= names, in their order and each once."""
    wanted = next((word[3:] for word in argv if word.startswith("IP=") and word[3:]), "all")
    return [systems.bench(ip) for ip in (systems.NAMES if wanted == "all" else dict.fromkeys(wanted.split(",")))]


def jobs_of(given: Mapping[str, str], chosen: list[SystemBench]) -> list[Job]:
    """The share of each system: the seeds divided evenly, the first ones of the list get one more."""
    seeds, first, size = number(given, "SEEDS", SEEDS), number(given, "FIRST", 1), number(given, "SIZE", SIZE)
    if given.get("DRIVE", DRIVES[0]) not in DRIVES:
        raise ArgumentError(f"DRIVE={given['DRIVE']} is not known; give DRIVE={' or '.join(DRIVES)}")
    jobs = []
    for place, system in enumerate(chosen):
        base = system.options(given)
        refuse_claims(system, system.config.from_dict(base).to_dict())
        share = seeds // len(chosen) + (place < seeds % len(chosen))
        lot = [system.regressed(seed, base, size) for seed in range(first, first + share)]
        for job in lot:
            job.drive = given.get("DRIVE", job.drive) if given.get("DRIVE") in system.drives_of(job) else job.drive
        jobs += lot
    return jobs
