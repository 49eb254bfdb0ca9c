# SPDX-License-Identifier: Apache-2.0
"""A captured trace checked against the specification, with or without what the hart retired."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rvtrace.flow.captured import unlike
from rvtrace.flow.captured.alone import alone, problem
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.flow.captured.limits import Paths
from rvtrace.flow.captured.verdict import tolerances_of
from rvtrace.jobs.arguments import ArgumentError, flag, number, typed
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.common.captured import MOST
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.scoreboards.diagnosis import budget, cheap


@dataclass(frozen=True)
class Judged:
    """A captured trace and the verdict. part: what of it was judged, "" for all. rerun: the command that repeats it.
    problem: a sentence if the trace hardly fits its program.
    """

    files: TraceFiles
    retired: Retired | None
    verdict: Verdict
    part: str
    rerun: str
    problem: str


def judge(given: Mapping[str, str], paths: Paths, files: TraceFiles) -> Judged:
    """Check the trace as the words say; ArgumentError if they exclude each other."""
    what = unlike.sentence(files)
    retired = None if what else paths.read_retired(files)
    rerun = typed("check", given)
    capture = files.system.capture(files.config, files.program, files.data, None, retired, rerun)
    capture.exact = False
    part = ""
    if flag(given, "PARTIAL"):
        if retired is not None:
            raise ArgumentError(
                "PARTIAL=1 and a retire stream exclude each other: it is unknown which of its events the part encodes;"
                " omit RETIRED, or give whole files"
            )
        capture, part = files.captured.whole_part(files.trace, capture)
        files = files if capture.data is None else replace(files, data=capture.data)
    tolerances = tolerances_of(files.system.tolerances, given, exact=False)
    if part:
        tolerances = files.captured.of_part(tolerances, files.config)
    with budget.limited(0 if what else None):
        verdict = _verdict(given, files, capture, retired, tolerances)
    early = unlike.ends_early(files, verdict.decoded, retired, int(verdict.stats["instructions"]))
    other = "" if cheap.explained(verdict.book) else problem(files, verdict.decoded)
    return Judged(files, retired, verdict, part, rerun, what or early or other)


def judge_parts(given: Mapping[str, str], files: TraceFiles, processes: int, most: int = MOST) -> Judged:
    """Check a long trace part by part (stream.py). files: without data. most: bytes of a part."""
    rerun = typed("check", given)
    tolerances = tolerances_of(files.system.tolerances, given, exact=False)
    if files.captured.replayed:
        from rvtrace.flow.captured import tandem_stream
        from rvtrace.flow.captured.profile import profile_of

        pc = number(given, "PC") if "PC" in given else None
        verdict, fits = tandem_stream.judge(files, tolerances, profile_of(given, files), pc, rerun)
        return Judged(files, None, verdict, "", rerun, fits)
    from rvtrace.flow.captured import stream

    verdict, fits, part = stream.judge(files, tolerances, rerun, processes, most)
    return Judged(files, None, verdict, part, rerun, fits)


def _verdict(
    given: Mapping[str, str], files: TraceFiles, capture: Any, retired: Retired | None, tolerances: Any
) -> Verdict:
    if files.captured.replayed:
        from rvtrace.flow.captured.profile import profile_of
        from rvtrace.scoreboards.tandem.alone import check, in_order

        verdict = check(capture, tolerances, profile_of(given, files), number(given, "PC") if "PC" in given else None)
        if retired is not None:
            in_order(capture, verdict, retired)
        return verdict
    return alone(files, capture, tolerances)[0] if retired is None else files.system.check(capture, tolerances)
