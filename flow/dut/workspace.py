# SPDX-License-Identifier: Apache-2.0
"""A DUT in the testbench: the workspace that replaces rtl/ in a build, with the wrapper in place of our top."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from rvtrace.flow.dut import bus_master
from rvtrace.flow.dut.description import Dut, DutError
from rvtrace.flow.dut.ports import Fit, fit
from rvtrace.jobs.arguments import typed
from rvtrace.jobs.builds import ROOT
from rvtrace.jobs.files import replace

FOLDER = ROOT / "build" / "dut"


def workspace(dut: Dut, system: Any, build: Any) -> Path:
    """The folder for `rvtrace.flow.simulation.build(..., rtl_dir=)`; DutError with the first thing that is wrong, if
    something is.
    """
    return written(dut, fitted(dut, system, build))


def fitted(dut: Dut, system: Any, build: Any) -> Fit:
    """The IP in a build, nothing wrong with it; DutError."""
    found = fit(dut, system, build)
    if found.problems:
        more = len(found.problems) - 1
        raise DutError(
            f"{dut.path}: {found.problems[0]}"
            + (f" ({more} more: type `{typed('doctor', {'DUT': dut.shown})}`)" if more else "")
        )
    return found


def written(dut: Dut, found: Fit) -> Path:
    """Write the folder: files.f of each part of the bench, command file, wrapper, and what the bench needs of ours."""
    bench = found.build.bench
    listed = [path for path in found.reference.files if path not in dut.sources.files]
    flags = dut.sources.flags()
    key = hashlib.sha256("\n".join([found.text, flags, *map(str, [*listed, *dut.sources.files])]).encode()).hexdigest()[
        :12
    ]
    place = FOLDER / dut.name / key
    for path in listed:  # the testbench's own lists name them below rtl/
        copy = place / path.relative_to(ROOT / "rtl")
        replace(copy, path.read_text())
    wrapper = place / f"{found.reference.name}.sv"
    replace(wrapper, found.text)
    replace(place / "flags.f", flags)
    files = [
        *(f"rtl/{path.relative_to(ROOT / 'rtl')}" for path in listed),
        *(str(path.relative_to(ROOT)) for path in bus_master.files(dut.bus)),
        *map(str, dut.sources.files),
        str(wrapper),
    ]
    for number, folder in enumerate(bench.rtl):
        replace(place / folder / "files.f", "\n".join(files if number == 0 else []) + "\n")
    return place
