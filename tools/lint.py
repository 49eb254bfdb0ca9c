# SPDX-License-Identifier: Apache-2.0
"""`make lint`: the RTL and testbench through verilator -Wall, the Python through ruff, and the import contract."""

from __future__ import annotations

import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

from rvtrace.flow import simulators
from rvtrace.flow.cycles import import_cycles
from rvtrace.flow.simulation import sources
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import main_guard, parse
from rvtrace.tb.common.builds import ROOT, Bench


def main(argv: list[str]) -> int:
    """0 if all are clean, else 1."""
    parse(argv, {"SIM": "ignored"}, "Lint everything.")
    bad = 0
    verilator = simulators.find("verilator")
    waivers = [str(path) for pattern in ("rtl/*/lint.vlt", "tb/*/hdl/*.vlt") for path in sorted(ROOT.glob(pattern))]
    for system in map(systems.find, systems.NAMES):
        designs = [(system.synthesis_top, system.bench, system.linted), *system.around]
        for module, bench, sets in designs:
            tops = (
                [(module, _rtl(bench))] if module else []
            )  # a bench around blocks of other systems has no separate top
            for parameters, (top, files) in product(
                sets, [*tops, (bench.top, sources(ROOT / "rtl", bench, "verilator"))]
            ):
                command = [
                    *verilator.command,
                    "--lint-only",
                    "-Wall",
                    "--timing",
                    "--timescale-override",
                    "1ns/1ns",
                    "--top-module",
                    top,
                ]
                command += (
                    [f"-G{name}={value}" for name, value in parameters.items()] + waivers + [str(f) for f in files]
                )
                shown = " ".join(f"{name}={value}" for name, value in parameters.items())
                bad += _run(f"verilator {top} {shown}", command, verilator.env)
    bad += _run("ruff", [sys.executable, "-m", "ruff", "check", str(ROOT)])
    bad += _run("imports", [str(Path(sys.executable).parent / "lint-imports"), "--no-cache"])
    found = import_cycles()
    print(f"{'FAILED ' if found else 'ok     '} import cycles", *map(" ".join, found), sep="\n  ", flush=True)
    bad += bool(found)
    print("lint is clean" if not bad else f"{bad} of the linters above have something to say")
    return 1 if bad else 0


def _rtl(bench: Bench) -> list[Path]:
    """The design of a testbench, without the testbench."""
    return [f for f in sources(ROOT / "rtl", bench) if "rtl" in f.relative_to(ROOT).parts]


def _run(what: str, command: list[str], env: dict[str, str] | None = None) -> int:
    import os

    if shutil.which(command[0]) is None:
        print(f"MISSING {what}: {command[0]} was not found; type `make clean-venv all`")
        return 1
    done = subprocess.run(
        command, cwd=ROOT, env=os.environ | (env or {}), capture_output=True, text=True, stdin=subprocess.DEVNULL
    )
    print(f"{'ok     ' if not done.returncode else 'FAILED '} {what}", flush=True)
    if done.returncode:
        print(done.stdout + done.stderr)
    return int(done.returncode != 0)


if __name__ == "__main__":
    sys.exit(main_guard(main))
