# SPDX-License-Identifier: Apache-2.0
"""The package whose sources are built: pinned in flow/requirements-cores.txt, installed when it is first needed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

from rvtrace.flow import packages
from rvtrace.flow.packages import REQUIREMENTS

PACKAGE = "pythondata-cpu-ibex"
PARTS = ("riscv-tests", "riscv-test-env", "eembc_coremark", "riscv-arch-tests")  # of its vendor folder


class ProgramsError(ValueError):
    """Programs that cannot be built, recorded or measured; the text says what to do."""


def pinned(requirements: Path = REQUIREMENTS) -> str:
    """The line of the requirements that pins the package."""
    if line := packages.pinned(PACKAGE, requirements):
        return line
    raise ProgramsError(f"{requirements} does not pin {PACKAGE}; restore it with git checkout")


def version() -> str:
    """Of the package that is installed, "" if none is."""
    return packages.installed(PACKAGE)


def vendor() -> Path:
    """The folder of the sources, installed if need be; ProgramsError."""
    wanted = pinned()
    if wanted != f"{PACKAGE}=={version()}":
        print(f"installing {wanted} (once)", file=sys.stderr, flush=True)
        if why := packages.install(wanted):
            raise ProgramsError(
                f"{wanted} could not be installed ({why}); check the network and type"
                f" `{sys.executable} -m pip install {wanted}`"
            )
    found = importlib.util.find_spec(PACKAGE.replace("-", "_"))
    if found is None or found.origin is None:
        raise ProgramsError(f"{PACKAGE} is installed and cannot be imported; type `make clean ALL=1` and start again")
    folder = Path(found.origin).parent / "system_verilog" / "vendor"
    for part in PARTS:
        if not (folder / part).is_dir():
            raise ProgramsError(f"{wanted} has no {part}; install the version that is pinned")
    return folder
