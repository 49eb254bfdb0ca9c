# SPDX-License-Identifier: Apache-2.0
"""What can be said of a captured trace by itself: no retire stream, no ingress beats, only bytes, program and options.

verdict, chosen = alone(files, capture, tolerances)     legal, what the decoder found, and the transport
problem(files, decoded)               a sentence if the trace is hardly one of this program, or encodes nothing
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.scoreboards.common.captured import Decoded, Followed
from rvtrace.scoreboards.common.verdict import Verdict

if TYPE_CHECKING:
    from rvtrace.scoreboards.diagnosis.explain import Diagnosed
    from rvtrace.scoreboards.diagnosis.search import Chosen, Explained


class Known(NamedTuple):
    """What explains a part of a trace: configuration, names of dialects, deviations, and the share that does not decode
    as claimed.
    """

    config: Any
    dialects: tuple[str, ...]
    found: tuple[Explained, ...]
    share: float


def as_explained(trace: Followed, chosen: Chosen, tolerances: Any) -> Verdict:
    """The verdict of a trace as `explanation` reads it, whose bytes may end in the middle of a message."""
    capture = trace.whole(chosen.capture)
    verdict = trace.check(capture, tolerances)
    chosen.report(verdict.book)
    verdict.read = capture
    verdict.stats |= {"reported": len(verdict.decoded), "bytes": trace.size(capture)}
    return verdict


def alone(
    files: TraceFiles, capture: Any, tolerances: Any, search: bool = True, known: Known | None = None
) -> tuple[Verdict, Chosen | None]:
    """Check a capture without a retire stream against every clause that needs none; how it was read, if not as claimed.

    search: look for what explains a trace that does not decode as claimed. known: what explained other parts of the
    trace, and is taken where it makes more of this one decode.
    """
    trace = files.followed
    verdict, other = trace.check(capture, tolerances), None
    if search and verdict.book.failed:
        verdict, other = _diagnosed(files, capture, tolerances, verdict)
    elif known is not None and verdict.decoded.diagnostics:
        from rvtrace.scoreboards.diagnosis.search import Chosen, Reading

        evidence = trace.evidence(capture)
        reading = Reading(known.config, tuple(one for one in evidence.dialects if one.name in known.dialects))
        moved = trace.as_read(capture, evidence, reading)
        again = trace.check(moved, tolerances)
        if _lost(trace, again) < _lost(trace, verdict):
            verdict, other = again, Chosen(None, known.found, known.share, reading)
            other.report(verdict.book)
            verdict.read = moved
    verdict.stats |= {"reported": len(verdict.decoded), "bytes": len(files.data)}
    return verdict, other


def _lost(trace: Followed, verdict: Verdict) -> tuple[int, int]:
    return trace.lost(verdict.decoded), len(verdict.decoded.diagnostics)


def explanation(files: TraceFiles, capture: Any, tolerances: Any, goes_on: bool = False) -> Chosen | None:
    """How a trace decodes that does not with its options: with others, or with deviations taken back; None if it does,
    or nothing explains it. goes_on: the bytes may end in the middle of a message, wherever its messages are.
    """
    return _diagnosed(files, capture, tolerances, files.followed.check(capture, tolerances), goes_on).chosen


def _diagnosed(files: TraceFiles, capture: Any, tolerances: Any, claimed: Verdict, goes_on: bool = False) -> Diagnosed:
    """claimed: the verdict on the capture with its options."""
    from rvtrace.scoreboards.diagnosis.budget import Budget
    from rvtrace.scoreboards.diagnosis.explain import Diagnosed, explain

    trace = files.followed
    budget = Budget.of(max(files.size, len(files.data)), watched=False)
    evidence = trace.evidence(capture)
    if trace.is_followed(evidence, capture, claimed.decoded):
        return Diagnosed(claimed)

    def judge(read: Any) -> Verdict:
        return trace.check(trace.whole(read) if goes_on else read, tolerances)

    read, likely = partial(trace.as_read, capture, evidence), trace.likely(evidence, capture)
    return explain(claimed, evidence, capture.config, read, judge, budget, likely=likely)


def problem(files: TraceFiles, decoded: Any) -> str:
    """A sentence if the trace encodes nothing, or contradicts the program from the beginning, or most of it could not
    be followed; else an empty text.
    """
    return files.captured.problem(_names(files), files.program, decoded, len(files.data))


def badly_decoded(files: TraceFiles, decoded: Decoded) -> str:
    """`problem` of a trace of which only numbers are left."""
    return files.followed.badly_decoded(_names(files), decoded)


def _names(files: TraceFiles) -> tuple[str, str]:
    return files.trace.name, files.elf.name if files.elf else "the program"
