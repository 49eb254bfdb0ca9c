# SPDX-License-Identifier: Apache-2.0
"""The package whose sources are built: pinned in flow/requirements-cores.txt, installed when it is first needed."""

from __future__ import annotations

import importlib
import importlib.util
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from rvtrace.tb.common.builds import ROOT

PACKAGE = "pythondata-cpu-ibex"
REQUIREMENTS = ROOT / "flow" / "requirements-cores.txt"
PARTS = ("riscv-tests", "riscv-test-env", "eembc_coremark", "riscv-arch-tests")  # of its vendor folder


class ProgramsError(ValueError):
    """Programs that cannot be built, recorded or measured; the text says what to do."""


def pinned(requirements: Path = REQUIREMENTS) -> str:
    """The line of the requirements that pins the package."""
    for line in requirements.read_text().splitlines():
        if line.startswith(PACKAGE + "=="):
            return line.strip()
    raise ProgramsError(f"{requirements} does not pin {PACKAGE}; restore it with git checkout")


def version() -> str:
    """Of the package that is installed, "" if none is."""
    try:
        return metadata.version(PACKAGE)
    except metadata.PackageNotFoundError:
        return ""


def vendor() -> Path:
    """The folder of the sources, installed if need be; ProgramsError."""
    wanted = pinned()
    if wanted != f"{PACKAGE}=={version()}":
        print(f"installing {wanted} (once)", file=sys.stderr, flush=True)
        pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"]
        done = subprocess.run([*pip, "--no-deps", wanted], stdin=subprocess.DEVNULL, capture_output=True, text=True)
        importlib.invalidate_caches()
        if done.returncode:
            said = [line for line in done.stderr.splitlines() if line.startswith("ERROR")]
            raise ProgramsError(
                f"{wanted} could not be installed ({said[-1][7:] if said else 'pip failed'}); check the network and"
                f" type `{sys.executable} -m pip install {wanted}`"
            )
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if found is None or found.origin is None:
        raise ProgramsError(f"{PACKAGE} is installed and cannot be imported; type `make clean-venv` and start again")
    folder = Path(found.origin).parent / "system_verilog" / "vendor"
    for part in PARTS:
        if not (folder / part).is_dir():
            raise ProgramsError(f"{wanted} has no {part}; install the version that is pinned")
    return folder
