# SPDX-License-Identifier: Apache-2.0
"""`make check IN=<a capture>` of a trace: the files as a capture for the scoreboards; the verdict in the terminal."""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Callable, Mapping
from typing import Any

from rvtrace.flow.captured.files import FILES, TraceFiles, load, path_of, read_retired, required
from rvtrace.flow.captured.verdict import table, tolerances_of
from rvtrace.jobs.arguments import ArgumentError, flag, typed
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import Retired


def _beats(given: Mapping[str, str]) -> Beats | None:
    """The ingress beats if they were named or lie in OUT; ArgumentError if EXACT=1 needs them, or they are damaged."""
    path = path_of(given, "BEATS")
    if path is None or ("BEATS" not in given and not path.exists()):
        if flag(given, "EXACT"):
            raise ArgumentError(
                f"EXACT=1 needs the ingress beats ({FILES['BEATS']}); give BEATS=<file>, or omit EXACT=1"
            )
        return None
    required(given, "BEATS")
    try:
        return Beats.load(path)
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile):
        raise ArgumentError(f"{path} is no file of ingress beats; capture again with `make capture`") from None


def _retired(given: Mapping[str, str], files: TraceFiles, needed: bool) -> Retired | None:
    """The retire stream, which must follow the program; None if it is neither needed nor there."""
    path = path_of(given, "RETIRED")
    if not needed and (path is None or ("RETIRED" not in given and not path.exists())):
        return None
    return read_retired(required(given, "RETIRED"), files)


def capture_of(given: Mapping[str, str]) -> tuple[TraceFiles, Any]:
    """The capture that the words name, ready for the scoreboard."""
    files = load(given)
    beats = _beats(given)
    retired = _retired(given, files, needed=beats is None)
    if beats is not None and beats.lanes != files.config.blocks:
        raise ArgumentError(
            f"the beats have {beats.lanes} lanes and BLOCKS={files.config.blocks}; give BLOCKS={beats.lanes}"
        )
    assert files.program is not None
    capture = files.system.capture(files.config, files.program, files.data, beats, retired, typed("check", given))
    capture.exact = beats is not None and given.get("EXACT") != "0"
    if beats is not None and retired is not None:
        row = capture.retired.differs(retired)
        if row is not None:
            raise ArgumentError(
                f"{path_of(given, 'RETIRED')} and {path_of(given, 'BEATS')} hold different streams from event {row} on;"
                " give those of one run"
            )
    return files, capture


def check(given: Mapping[str, str], judged: Callable[[TraceFiles, Any], None] = lambda files, verdict: None) -> int:
    """Check the capture that the words name and print clauses and failures; the exit code. judged: called with the
    files and their verdict.
    """
    quiet = flag(given, "QUIET")
    files, capture = capture_of(given)
    system = files.system
    verdict = system.check(capture, tolerances_of(system.tolerances, given, capture.exact))
    results = verdict.book.results()
    judged(files, verdict)
    print(f"{files.title}; {'exact, ' if capture.exact else ''}lossless and legal")
    if not quiet:
        print("\n".join(table(verdict, system.plan)))
    for failure in verdict.failures:
        print(f"\n{failure.text()}")
    checks, failed = (sum(counts[i] for counts in results.values()) for i in (0, 1))
    instructions = int(verdict.stats["instructions"])
    if not checks or not instructions:
        print(
            f"error: nothing in {files.trace} could be checked; give a trace and a retire stream of one run",
            file=sys.stderr,
        )
        return 1
    if verdict.passed:
        lost = instructions - int(verdict.stats["reported"])
        missing = f" ({lost:,} of them lost in overflows)" if lost > 0 else ""
        print(f"\nPASS  {instructions:,} instructions{missing}, {checks:,} checks of {len(results)} clauses")
        return 0
    broken = len(verdict.book.failed)
    print(f"\nFAIL  {failed:,} of {checks:,} checks failed, against {broken} clause{'s' if broken > 1 else ''}")
    return 1
