# SPDX-License-Identifier: Apache-2.0
"""The main job of a system, which `make` runs.

Every recorded program, RV64 and RV32, random walks in random configurations, the programs again with each compression
option and what makes traces longer (`rvtrace.jobs.sizes`), the system scenarios of a larger bench if it has one,
and the directed scenarios in their configurations.
"""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from rvtrace.flow import cache, simulators
from rvtrace.flow.jobs import RESULTS, line, run_all, trouble
from rvtrace.flow.progress import Progress
from rvtrace.flow.simulation import SimError
from rvtrace.jobs import sizes as bits
from rvtrace.jobs.bench import SystemBench

# Before so much of it is done nothing is said of the end but what the last time says: 26:56 was said where it was 4:41.
_FIRST = 0.2


def folder_of(system: SystemBench, sim: str, seed: int) -> Path:
    """Where the results of a main job are."""
    return RESULTS / "main" / f"{system.ip}-{sim}-seed{seed}"


def main_job(system: SystemBench, sim: str, seed: int) -> bool:
    """Run it, with a line for each program and walk; whether all passed. SimError if there is nothing to run."""
    out = folder_of(system, sim, seed)
    shutil.rmtree(out, ignore_errors=True)
    print(f"simulator {simulators.find(sim).version}", flush=True)
    jobs = [*system.programs(), *system.walks(seed)]
    directed, system_runs, measured = system.daily(sim), system.tci_jobs(sim), system.measured()
    for job in (*jobs, *directed, *system_runs, *measured):
        job.keep_failed = True
    print(
        f"main job of {system.title}: {len(jobs)} runs of programs and random walks, {len(directed)} of directed"
        " scenarios",
        flush=True,
    )
    name = f"main-{system.ip}-{sim}"
    parts = len(jobs) + (len(measured) if system.sizes else 0) + len(system_runs) + len(directed)
    with Progress(parts, before=cache.seconds(name), first=_FIRST) as progress:
        results = run_all(jobs, sim, out, tell, workers=2)
        if system.sizes is not None:
            sizes = run_all(measured, sim, out, tell_bad, workers=2)
            table = bits.Table.of(system.sizes, sizes)
            print(f"bits per instruction, mean of the RV64 programs: {table.line()}", flush=True)
            results += sizes
        for lot in (system_runs, directed):
            results += run_all(lot, sim, out, tell_bad, workers=2) if lot else []
        cache.took(name, progress.seconds)
    if not results:
        raise SimError("nothing was run; `make list` has programs and scenarios")
    return all(result["verdict"] == "PASS" for result in results)


def tell(result: dict[str, Any]) -> None:
    """Print a result, and what it has to say if it is not PASS."""
    print(line(result), flush=True)
    if result["verdict"] != "PASS":
        print(trouble(result), flush=True)


def tell_bad(result: dict[str, Any]) -> None:
    """Print a result that is not PASS."""
    if result["verdict"] != "PASS":
        tell(result)
