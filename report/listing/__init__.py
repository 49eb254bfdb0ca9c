# SPDX-License-Identifier: Apache-2.0
"""What the report and `make decode` show of each system: report/listing/<ip>.py, looked up by name.

A module has some of these. Traces: decode, listing, fault, summary, alone, viewed. Captures of another kind:
main(argv), which prints one, and write(out), which adds the printed form to it. Report: SHOWN and shown(results),
figures(results).
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs import names
from rvtrace.report.viewer_traces import Shown


def of(ip: str) -> ModuleType | None:
    """The module of a system; None if it has none."""
    return names.listing_of(ip)


def viewed(files: TraceFiles, decoded: Any) -> Shown:
    """What a decoder of the trace's system gave, in the form that the viewer shows."""
    module: Any = of(files.system.ip)
    return module.viewed(files, decoded)


def add(ip: str, out: Path) -> tuple[str, ...]:
    """Add the printed form to a folder of `make capture`; the names of the files, none for a trace."""
    write = getattr(of(ip), "write", None)
    return write(out) if write else ()
