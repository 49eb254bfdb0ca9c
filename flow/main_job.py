# SPDX-License-Identifier: Apache-2.0
"""The main job of a system, which `make` runs.

Every recorded program, RV64 and RV32, random walks in random configurations, the programs again with each compression
option and what makes traces longer (`rvtrace.tb.common.sizes`), the system scenarios of a larger bench if it has one,
and the directed scenarios in their configurations.
"""

from __future__ import annotations

import shutil
import time
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.jobs import RESULTS, line, run_all, trouble
from rvtrace.flow.simulation import SimError
from rvtrace.tb.common import sizes as bits
from rvtrace.tb.common.system import System


def main_job(system: System, sim: str, seed: int) -> bool:
    """Run it, with a line for each program and walk; whether all passed. SimError if there is nothing to run."""
    out = RESULTS / "main"
    shutil.rmtree(out, ignore_errors=True)
    begin = time.perf_counter()
    print(f"simulator {simulators.find(sim).version}", flush=True)
    jobs = [*system.programs(), *system.walks(seed)]
    directed, system_runs, measured = system.daily(sim), system.tci_jobs(sim), system.measured()
    print(
        f"main job of {system.title}: {len(jobs)} runs of programs and random walks, {len(directed)} of directed"
        " scenarios",
        flush=True,
    )
    results = run_all(jobs, sim, out, tell, workers=2)
    if system.sizes is not None:
        sizes = run_all(measured, sim, out, tell_bad, workers=2)
        print(
            "bits per instruction, mean of the RV64 programs: " + bits.Table.of(system.sizes, sizes).line(), flush=True
        )
        results += sizes
    for what, lot in (("system scenarios", system_runs), ("runs of directed scenarios", directed)):
        if lot:
            ended = run_all(lot, sim, out, tell_bad, workers=2)
            good = sum(r["verdict"] == "PASS" for r in ended)
            print(f"{'PASS ' if good == len(ended) else 'FAIL '} {good} of {len(ended)} {what}", flush=True)
            results += ended
    if not results:
        raise SimError("nothing was run; `make list` has programs and scenarios")
    bad = sum(r["verdict"] != "PASS" for r in results)
    print(f"{len(results) - bad} of {len(results)} runs passed in {time.perf_counter() - begin:.1f} s")
    return not bad


def tell(result: dict[str, Any]) -> None:
    """Print a result, and what it has to say if it is not PASS."""
    print(line(result), flush=True)
    if result["verdict"] != "PASS":
        print(trouble(result), flush=True)


def tell_bad(result: dict[str, Any]) -> None:
    """Print a result that is not PASS."""
    if result["verdict"] != "PASS":
        tell(result)
