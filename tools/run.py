# SPDX-License-Identifier: Apache-2.0
"""`make run`: one job, named by PROGRAM=, SCENARIO= or SOURCE=; without any the main job, which `make` runs.

Without IP= the main job (rvtrace.flow.main_job) is that of the subsystem, whose five trace sources check each other; a
single run is of N-Trace then.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.jobs import RESULTS, build_of, one, words
from rvtrace.flow.main_job import main_job, tell
from rvtrace.flow.simulation import build, run
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, flag, main_guard, number, parse, short
from rvtrace.tb.common.builds import ROOT


def main(argv: list[str]) -> int:
    """0 if everything passed, else 1."""
    if any(word.startswith("DUT=") for word in argv):
        from rvtrace.flow.dut.run import with_ip

        argv = with_ip(argv)
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
        return 0 if main_job(system, sim, number(given, "SEED", 1)) else 1
    job = one(given)
    out = Path(given.get("OUT", RESULTS / "run" / f"{job.name}-{job.seed}"))
    out.mkdir(parents=True, exist_ok=True)
    job.out, waves = str(out.resolve()), flag(given, "WAVES")
    if "DUT" in given:
        from rvtrace.flow.dut.run import attach

        design = attach(given, system, job)
    else:
        design = Path(given.get("RTL", ROOT / "rtl"))
    made = build(build_of(job), sim, design, waves)
    (result,) = run(made, [job], out)
    tell(result)
    print(f"result    {short(out / 'result.json')}")
    if waves:
        print(f"waveform  {short(out / f'waves.{made.waves}')}")
    return 0 if result["verdict"] == "PASS" else 1


if __name__ == "__main__":
    sys.exit(main_guard(main))
