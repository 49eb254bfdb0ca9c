# SPDX-License-Identifier: Apache-2.0
"""Python packages with the RTL of cores and sources of programs: pinned in flow/requirements-cores.txt, installed when
they are first needed.
"""

from __future__ import annotations

import importlib
import subprocess
import sys
from importlib import metadata
from pathlib import Path

from rvtrace.flow.progress import during
from rvtrace.jobs.builds import ROOT

DEVELOPMENT = ROOT / "tools" / "requirements-dev.txt"
REQUIREMENTS = ROOT / "flow" / "requirements-cores.txt"
_SECONDS = 600


class PackageError(ValueError):
    """Packages that cannot be installed; the text says why."""


def pinned(package: str, requirements: Path = REQUIREMENTS) -> str:
    """The line of the requirements that pins a package, "" if none does."""
    lines = (line.strip() for line in requirements.read_text().splitlines())
    return next((line for line in lines if line.startswith(f"{package}==")), "")


def installed(package: str) -> str:
    """The version that is there, "" for none."""
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return ""


def development() -> None:
    """Install what tests and linters need and `make` does not, unless it is there; PackageError if that fails."""
    lines = [line.partition(";")[0].strip() for line in DEVELOPMENT.read_text().splitlines() if "==" in line]
    names = {line.partition("==")[0] for line in lines}
    if all(installed(name) and f"{name}=={installed(name)}" in lines for name in names):
        return
    with during(f"installing the {len(names)} packages of tests and linters"):
        why = install("-r", str(DEVELOPMENT))
    if why:
        raise PackageError(f"the packages of {DEVELOPMENT.name} cannot be installed ({why}); check the network")


def install(*requirement: str) -> str:
    """Install what a line of the requirements pins; "" or why that failed, as pip says it."""
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-compile", "--disable-pip-version-check"]
    pip += ["--no-input"]
    try:
        done = subprocess.run(
            [*pip, "--no-deps", *requirement],
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        return f"pip did not end within {_SECONDS} s"
    importlib.invalidate_caches()
    if not done.returncode:
        return ""
    said = (done.stderr or done.stdout).strip().splitlines()
    errors = [line.removeprefix("ERROR: ") for line in said if line.startswith("ERROR: ")]
    return (errors or said or ["pip said nothing"])[-1]
