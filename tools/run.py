# SPDX-License-Identifier: Apache-2.0
"""`make run`: one job, named by PROGRAM=, SCENARIO= or SOURCE=; without any the main job, which `make` runs.

Without IP= the main job is that of the subsystem, whose five trace sources check each other; a single run is of N-Trace
then. The main job of a system: every recorded program, RV64 and RV32, random walks in random configurations, the
programs again with each compression option and what makes traces longer (`rvtrace.tb.common.sizes`), the system
scenarios of a larger bench if it has one, and the directed scenarios in their configurations.
"""

from __future__ import annotations

import shutil
import sys
import time
from pathlib import Path
from typing import Any

from rvtrace.flow import simulators
from rvtrace.flow.jobs import RESULTS, build_of, line, one, run_all, trouble, words
from rvtrace.flow.simulation import SimError, build, run
from rvtrace.tb import systems
from rvtrace.tb.common import sizes as bits
from rvtrace.tb.common.arguments import ArgumentError, flag, main_guard, number, parse, short
from rvtrace.tb.common.builds import ROOT
from rvtrace.tb.common.job import Job
from rvtrace.tb.common.system import System


def main(argv: list[str]) -> int:
    """0 if everything passed, else 1."""
    named = any(word.startswith(("IP=", "PROGRAM=", "SCENARIO=", "SOURCE=")) for word in argv)
    system = systems.of(argv) if named else systems.find(systems.MAIN)
    given = parse(
        argv,
        {
            **words(system),
            "RTL": "folder of the design, default rtl",
            "DUT": "the DUT in the testbench: name below examples, or folder with a dut.toml",
        },
        "Run one job, or the main job.",
    )
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    if not {"PROGRAM", "SCENARIO", "SOURCE"} & set(given):
        if left := set(given) - {"IP", "SIM", "SEED"}:
            raise ArgumentError(f"{', '.join(sorted(left))} given, but no run: the main job takes SIM= and SEED= only; "
                                "name one run with PROGRAM=, SCENARIO= or SOURCE=")  # fmt: skip
        return _main_job(system, sim, number(given, "SEED", 1))
    job = one(given)
    out = Path(given.get("OUT", RESULTS / "run" / f"{job.name}-{job.seed}"))
    out.mkdir(parents=True, exist_ok=True)
    job.out, waves = str(out.resolve()), flag(given, "WAVES")
    made = build(build_of(job), sim, _design(given, system, job), waves)
    (result,) = run(made, [job], out)
    _tell(result)
    print(f"result    {short(out / 'result.json')}")
    if waves:
        print(f"waveform  {short(out / f'waves.{made.waves}')}")
    return 0 if result["verdict"] == "PASS" else 1


def _design(given: dict[str, str], system: System, job: Job) -> Path:
    """The folder that replaces rtl/; a DUT decides what its job is checked against."""
    if "DUT" not in given:
        return Path(given.get("RTL", ROOT / "rtl"))
    from rvtrace.flow.dut.description import Dut
    from rvtrace.flow.dut.select import unheard
    from rvtrace.flow.dut.workspace import workspace

    if both := {"RTL", "EXACT"} & set(given):
        raise ArgumentError(
            f"DUT= and {both.pop()}= are both given; DUT= names its sources and what it is checked against, omit the"
            " other"
        )
    dut = Dut.load(given["DUT"])
    if dut.ip != system.ip:
        raise ArgumentError(f"DUT={given['DUT']} is for IP={dut.ip}, and the job for IP={system.ip}; give IP={dut.ip}")
    job.dut, job.exact, job.tolerances, job.without = (
        dut.shown,
        dut.exact,
        dict(dut.tolerances),
        unheard(dut, system, job),
    )
    return workspace(dut, system, build_of(job))


def _main_job(system: System, sim: str, seed: int) -> int:
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
    results = run_all(jobs, sim, out, _tell, workers=2)
    if system.sizes is not None:
        sizes = run_all(measured, sim, out, _tell_bad, workers=2)
        print(
            "bits per instruction, mean of the RV64 programs: " + bits.Table.of(system.sizes, sizes).line(), flush=True
        )
        results += sizes
    for what, lot in (("system scenarios", system_runs), ("runs of directed scenarios", directed)):
        if lot:
            ended = run_all(lot, sim, out, _tell_bad, workers=2)
            good = sum(r["verdict"] == "PASS" for r in ended)
            print(f"{'PASS ' if good == len(ended) else 'FAIL '} {good} of {len(ended)} {what}", flush=True)
            results += ended
    if not results:
        raise SimError("nothing was run; `make list` has programs and scenarios")
    bad = sum(r["verdict"] != "PASS" for r in results)
    print(f"{len(results) - bad} of {len(results)} runs passed in {time.perf_counter() - begin:.1f} s")
    return 1 if bad else 0


def _tell(result: dict[str, Any]) -> None:
    print(line(result), flush=True)
    if result["verdict"] != "PASS":
        print(trouble(result), flush=True)


def _tell_bad(result: dict[str, Any]) -> None:
    if result["verdict"] != "PASS":
        _tell(result)


if __name__ == "__main__":
    sys.exit(main_guard(main))
