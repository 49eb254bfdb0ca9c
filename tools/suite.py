# SPDX-License-Identifier: Apache-2.0
"""`make test`: pytest over tests/ for the simulator chosen, in parallel."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from rvtrace.flow import packages, simulators
from rvtrace.flow.simulation import built
from rvtrace.jobs.arguments import ArgumentError, main_guard, number, parse
from rvtrace.jobs.builds import ROOT

WORDS = {
    "SIM": "verilator (default) or icarus",
    "TESTS": "a file or folder below tests/, default all",
    "K": "part of a test's name",
    "N": "processes, default 2",
    "ONLY": "simulated: without the tests that run no simulation, which are the same for every simulator",
    "JUNIT": "a file for the results in JUnit's XML",
    "LONG": "1: with all repetitions on more configurations, seeds, programs and devices (three times as long)",
    "IP": "ntrace",
}
_NO_TESTS = 5  # pytest's exit code


def main(argv: list[str]) -> int:
    """pytest's exit code; 5 (nothing matched) is an error with a sentence."""
    given = parse(argv, WORDS, "Run the tests.", ("JUNIT",))
    packages.development()
    sim = given.get("SIM", "verilator")
    found = simulators.find(sim)
    simulators.libpython()
    tests = given.get("TESTS", "tests")
    if not (ROOT / tests.partition("::")[0]).exists():
        raise ArgumentError(
            f"{tests} does not exist; give TESTS=<file or folder>, such as TESTS=tests/ntrace (`make list` has them)"
        )
    processes = number(given, "N", 2, least=1)
    print(f"simulator {found.version}", flush=True)
    command = [
        sys.executable,
        "-m",
        "pytest",
        tests,
        "-q",
        "-n",
        str(processes if processes > 1 else 0),  # one: in pytest itself
        "--dist",
        "worksteal",
        "-p",
        "rvtrace.flow.suite_progress",
        "-o",
        "console_output_style=classic",
        "--durations=20",
        "--durations-min=1",
    ]
    command += [f"--junitxml={Path(given['JUNIT']).resolve()}"] if "JUNIT" in given else []
    command += ["-k", given["K"]] if "K" in given else []
    if (only := given.get("ONLY")) is not None:
        if only != "simulated":
            raise ArgumentError(f"ONLY={only} is not known; give ONLY=simulated, or omit it for all tests")
        command.append("--only-simulated")
    long = {"LONG": str(number(given, "LONG", int(os.environ.get("LONG") or 0), least=0))}
    begin, before = time.monotonic(), built()[1]
    code = subprocess.run(command, cwd=ROOT, env=os.environ | {"SIM": sim} | long, stdin=subprocess.DEVNULL).returncode
    print(compiled(built(before)[0], time.monotonic() - begin), flush=True)
    if code == _NO_TESTS:
        wanted = f"K={given['K']}" if "K" in given else f"TESTS={tests}"
        raise ArgumentError(f"no test matched {wanted}; `make list` has the tests")
    return code


def compiled(builds: list[tuple[str, str, float]], seconds: float) -> str:
    """How much was compiled, in one line."""
    each = []
    for name in simulators.SIMULATORS:
        took = [one for sim, _, one in builds if sim == name]
        if took:
            each.append(f"{len(took)} with {name.capitalize()} in {sum(took):.0f} s")
    return f"compiled  {', '.join(each) or 'nothing'}; the tests took {seconds:.0f} s"


if __name__ == "__main__":
    sys.exit(main_guard(main))
