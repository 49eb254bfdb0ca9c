# SPDX-License-Identifier: Apache-2.0
"""The page of the folder of a run, whatever system it is of: what it has of the trace, with the findings of its
result.json.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.files import FILES, load
from rvtrace.flow.failing_page import PAGE
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, json_of
from rvtrace.jobs.names import TRACES
from rvtrace.report import listing
from rvtrace.report.viewer import View
from rvtrace.report.viewer_findings import RESULT, as_the_run, judged, of_result, of_run, part_again, placed
from rvtrace.report.viewer_rows import rows_shown
from rvtrace.report.viewer_traces import SHOWN_INSTRUCTIONS
from rvtrace.report.viewer_waves import Waves


def write(folder: Path) -> Path | None:
    """Write view.html into the folder of a run; None if the run left nothing to look at. ValueError, OSError if that
    cannot be done.
    """
    ip = ip_of(folder)
    if not ip:
        return None
    view = _of_trace(folder) if ip in TRACES and (folder / FILES["TRACE"]).is_file() else of_rows(folder)
    view.write(folder / PAGE)
    return folder / PAGE


def ip_of(folder: Path) -> str:
    """The system that a folder of a run is of; "" if it does not say."""
    try:
        config = json_of((folder / FILES["CONFIG"]).read_text())
        return str(config["ip"]) if config["ip"] in systems.NAMES else ""
    except (OSError, ValueError, KeyError, TypeError):
        return ""


def of_rows(folder: Path, limit: int = SHOWN_INSTRUCTIONS, stream: str = TRACES[0]) -> View:
    """Of a run that left rows of cycles, or several traces. ValueError if its files cannot be read."""
    config: dict[str, Any] = json_of((folder / FILES["CONFIG"]).read_text())
    system = systems.judge(config["ip"])
    found, elf, xlen = rows_shown(folder, system.ip, config, limit, stream)
    judgement = of_result(folder)
    findings, _ = placed(judgement, found, False)
    try:
        described = system.described(system.config.from_dict(config))
    except (ValueError, TypeError) as error:
        raise ArgumentError(f"{folder / FILES['CONFIG']}: {error}") from None
    about = {"Run": str(folder), "System": f"{system.title} {described}", "Program": str(elf or "not given")}
    return View(folder.resolve().name, about, found, judgement, findings, [], elf, xlen, Waves.of(folder))


def _of_trace(folder: Path) -> View:
    given = {"IN": str(folder)}
    files = load(given)
    judgement = of_run(folder, files) or judged(given | as_the_run(folder), files)
    files = judgement.files or files
    decoded = judgement.decoded
    if decoded is None or not hasattr(decoded, "diagnostics"):
        show: Any = listing.of(files.system.ip)
        decoded = show.decode(files, SHOWN_INSTRUCTIONS, False)
    view = View.of(files, listing.viewed(files, decoded), judgement, folder, folder / FILES["RETIRED"])
    view.again = part_again(given, files)
    return view


def command(folder: Path) -> str:
    """How to make a capture of a run that left only its result: the command that repeats it, as a capture."""
    try:
        rerun = str(json.loads((folder / RESULT).read_text())["rerun"])
    except (OSError, ValueError, KeyError, TypeError):
        return ""
    return rerun.replace("make run ", "make capture ", 1) + f" OUT={folder}" if rerun.startswith("make run ") else rerun
