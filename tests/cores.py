# SPDX-License-Identifier: Apache-2.0
"""Packages with the RTL of cores, fetched when a test needs them."""

import importlib
import importlib.util
import re
import subprocess
import sys

import pytest

from rvtrace.flow.dut.description import FILE, SHIPPED
from rvtrace.flow.dut.sources import CORES
from rvtrace.jobs.builds import ROOT


def fetched(dut: str) -> None:
    """The packages that an example names are there after it; the test is skipped if they cannot be fetched."""
    names = set(re.findall(r"\$(pythondata_\w+)", (SHIPPED / dut / FILE).read_text()))
    if all(importlib.util.find_spec(name) for name in names):
        return
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "-r", str(ROOT / CORES)]
    done = subprocess.run(pip, capture_output=True, text=True)
    importlib.invalidate_caches()
    if not all(importlib.util.find_spec(name) for name in names):
        said = (done.stderr or done.stdout).strip().splitlines()[-1:] or [f"pip ended with {done.returncode}"]
        pytest.skip(f"{' and '.join(sorted(names))} cannot be fetched: {said[0]}")
