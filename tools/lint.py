# SPDX-License-Identifier: Apache-2.0
"""`make lint`: the RTL and testbench through verilator -Wall, the Python through ruff and basedpyright, and the import
rules.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from itertools import product
from pathlib import Path

from rvtrace.flow import packages, simulators, type_check
from rvtrace.flow.cycles import import_cycles
from rvtrace.flow.progress import during
from rvtrace.flow.simulation import sources
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import main_guard, parse
from rvtrace.jobs.builds import ROOT, Bench

_Linter = tuple[
    str, "subprocess.Popen[str] | str"
]  # what it reads; the process, or the name of a command that was not found


WORDS: dict[str, str] = {}


def main(argv: list[str]) -> int:
    """0 if all are clean, else 1."""
    parse(argv, {"SIM": "ignored"}, "Lint everything.")
    packages.development()
    with during("linting"):
        return _lint()


def _lint() -> int:
    bad = 0
    type_check.link()
    # These take as long as verilator does for all designs: they run meanwhile.
    types = [
        _start(f"types of {', '.join(type_check.FOLDERS)}", type_check.check_command()),
        _start("types of the public API", [sys.executable, "-m", "rvtrace.flow.type_check"]),
    ]
    verilator = simulators.find("verilator")
    waivers = [str(path) for pattern in ("rtl/*/lint.vlt", "tb/*/hdl/*.vlt") for path in sorted(ROOT.glob(pattern))]
    for system in map(systems.bench, systems.NAMES):
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
    wrong = sum(map(_finish, types))
    if wrong:
        print(f"types: {type_check.REMEDY}")
    bad += wrong
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
    return _finish(_start(what, command, env))


def _start(what: str, command: list[str], env: dict[str, str] | None = None) -> _Linter:
    if shutil.which(command[0]) is None:
        return what, command[0]
    return what, subprocess.Popen(
        command,
        cwd=ROOT,
        env=os.environ | (env or {}),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        stdin=subprocess.DEVNULL,
    )


def _finish(linter: _Linter) -> int:
    what, process = linter
    if isinstance(process, str):
        print(f"MISSING {what}: {process} was not found; type `make clean ALL=1`, then `make`")
        return 1
    with during(what):
        output, _ = process.communicate()
    print(f"{'ok     ' if not process.returncode else 'FAILED '} {what}", flush=True)
    if process.returncode:
        print(output)
    return int(process.returncode != 0)


if __name__ == "__main__":
    sys.exit(main_guard(main))
