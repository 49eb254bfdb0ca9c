# SPDX-License-Identifier: Apache-2.0
"""Runs a unit's bench: rows of numbers in, lines of text out. Icarus Verilog always; UNIT_SIM=verilator to try the
other.
"""

import os
import subprocess
from pathlib import Path

import pytest

from rvtrace.flow import simulators
from rvtrace.flow.simulators import SimulatorError
from rvtrace.jobs.builds import ROOT


def play(
    bench: str, sources: list[str], parameters: dict[str, int], rows: list[int], out: Path, **plusargs: int
) -> list[str]:
    """What the bench wrote for these rows; built anew, which takes Icarus well under a second."""
    chosen = os.environ.get("UNIT_SIM", "icarus")
    try:
        simulator = simulators.find(chosen)
    except SimulatorError as error:
        pytest.skip(str(error))
    files = [*(str(ROOT / "rtl" / name) for name in sources), *map(str, ROOT.glob(f"tests/*/hdl/{bench}.sv"))]
    (out / "in.hex").write_text("".join(f"{row:x}\n" for row in rows))
    if chosen == "icarus":
        given = [f"-P{bench}.{name}={value}" for name, value in parameters.items()]
        subprocess.run([*simulator.command, "-g2012", "-s", bench, "-o", out / "sim.vvp", *given, *files], check=True)
        command = ["vvp", "-n", str(out / "sim.vvp")]
    else:
        given = [f"-G{name}={value}" for name, value in parameters.items()]
        make = [word for pair in simulator.make for word in ("-MAKEFLAGS", pair)]
        build = [
            *simulator.command,
            "--binary",
            "-Wno-fatal",
            "-Wno-WIDTH",
            "--top-module",
            bench,
            "-Mdir",
            str(out / "obj"),
            "-o",
            "sim",
            "-CFLAGS",
            "-std=gnu++20 -fcoroutines",
        ]
        subprocess.run(
            [*build, *make, *given, *files], check=True, env=os.environ | simulator.env, stdout=subprocess.DEVNULL
        )
        command = [str(out / "obj" / "sim")]
    words = [f"+in={out}/in.hex", f"+out={out}/out.txt", *(f"+{name}={value}" for name, value in plusargs.items())]
    subprocess.run([*command, *words], check=True, timeout=120, stdout=subprocess.DEVNULL)
    return (out / "out.txt").read_text().split("\n")[:-1]
