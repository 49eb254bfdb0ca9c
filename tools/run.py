# SPDX-License-Identifier: Apache-2.0
"""`make run`: one job, named by PROGRAM=, SCENARIO= or SOURCE=; without any the main job, which `make` runs.

Without IP= the main job (rvtrace.flow.main_job) is that of the subsystem, whose five trace sources check each other; a
single run is of N-Trace then.
"""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

from rvtrace.flow import failing_page, simulators
from rvtrace.flow.dut.run import with_ip
from rvtrace.flow.folders import name_of
from rvtrace.flow.jobs import RESULTS, build_of, one, words
from rvtrace.flow.main_job import folder_of, main_job, tell
from rvtrace.flow.progress import during
from rvtrace.flow.simulation import build, run
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse, short
from rvtrace.jobs.bench import SystemBench
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.results import TEST_LOG
from rvtrace.report import junit, page
from rvtrace.report.viewer_failing import write
from rvtrace.report.waves import LEFT, annotate


def main(argv: list[str]) -> int:
    """0 if everything passed, else 1."""
    failing_page.made_by(write)
    if (part := _part(argv)) is not None:
        return part.main(argv)
    argv = with_ip(argv)
    system = _system(argv)
    given = parse(argv, known(argv), "Run one job, or the main job.", ("OUT", "JUNIT"))
    sim = given.get("SIM", "verilator")
    simulators.find(sim)
    if not {"PROGRAM", "SCENARIO", "SOURCE"} & set(given):
        if left := set(given) - {"IP", "SIM", "SEED", "JUNIT"}:
            raise ArgumentError(f"{', '.join(sorted(left))} given, but no run: the main job takes SIM=, SEED= and "
                                "JUNIT= only; "
                                "name one run with PROGRAM=, SCENARIO= or SOURCE=")  # fmt: skip
        seed = number(given, "SEED", 1)
        passed = main_job(system, sim, seed)
        return 0 if page.write(folder_of(system, sim, seed), junit_file=given.get("JUNIT")) and passed else 1
    job = one(given)
    if "DUT" in given:
        from rvtrace.flow.dut.run import attach

        design = attach(given, system, job)
    else:
        design = Path(given.get("RTL", ROOT / "rtl"))
    out = Path(given.get("OUT", RESULTS / "run" / name_of(job)))
    out.mkdir(parents=True, exist_ok=True)
    job.out, job.keep_failed, waves = str(out.resolve()), True, flag(given, "WAVES")
    job.keep = waves  # what the second waveform is made of
    for name in LEFT if waves else ():
        (out / name).unlink(missing_ok=True)
    made = build(build_of(job), sim, design, waves)
    with during(f"running {job.name}"):
        (result,) = run(made, [job], out)
    wave = out / f"waves.{made.waves}"
    said = list(annotate(out, wave)) if waves else []  # before the page of a failure, which names what it leaves
    tell(result)
    if "JUNIT" in given:
        junit.write(junit.of_results([result]), Path(given["JUNIT"]))
    print(f"result    {short(out / 'result.json')}")
    if job.test:
        print(f"log       {short(out / TEST_LOG)}")
    if waves:
        print(f"waveform  {short(wave)}")
        print("\n".join(said))
    return 0 if result["verdict"] == "PASS" else 1


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, of the system or IP that these name."""
    if (part := _part(argv)) is not None:
        return part.WORDS
    return {
        **words(_system(with_ip(argv))),
        "JUNIT": junit.WORD,
        "RTL": "folder of the design, default rtl",
        "DUT": "the DUT in the testbench: name below examples, or folder with a dut.toml",
    }


def _part(argv: list[str]) -> ModuleType | None:
    """What runs the trace system, whose registers are programmed and whose trace is read back; None for other words."""
    if not any(word.partition("=")[0] == "IP" and word[3:] in systems.PARTS for word in argv):
        return None
    from rvtrace.tools import run_readback

    return run_readback


def _system(argv: list[str]) -> SystemBench:
    named = any(word.startswith(("IP=", "PROGRAM=", "SCENARIO=", "SOURCE=")) for word in argv)
    return systems.of(argv) if named else systems.bench(systems.MAIN)


if __name__ == "__main__":
    sys.exit(main_guard(main))
