# SPDX-License-Identifier: Apache-2.0
"""What differs by system where a long trace is taken part by part: how it is cut, and what of a part is its own.

`stream` judges parts and `make decode` prints them; both take from here what they need of N-Trace and E-Trace.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import ModuleType
from typing import TYPE_CHECKING, Any, NamedTuple

from rvtrace.flow.captured import alone
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.flow.captured.parts import PART, Part
from rvtrace.scoreboards.common.verdict import Verdict

if TYPE_CHECKING:
    from rvtrace.scoreboards.diagnosis.search import Chosen

HEAD = PART  # bytes in which it is searched what explains an E-Trace: more than the packets that the search looks at


class Cutting(NamedTuple):
    """The functions of one system.

    parts: of a trace file, about so many bytes each, of E-Trace none with more than a number of others, and what else
    can be done if one would have. capture: the bytes of a part (the data of the files) as a capture. own: which
    messages of a decoded part are its own, the first and the first after them. numbers: what decoding those gave.
    explained: how a trace is to be read that does not decode as claimed, if that shows at its beginning, by which all
    of it is cut; None where each part shows it. unmoved: whether the transport of a part was not judged, since bytes of
    it are no packet; None if there is none. kernels: what is compiled once, before other processes start. density:
    parts have so many times fewer bytes than those of N-Trace, since a byte reports more instructions.
    """

    parts: Callable[[TraceFiles, int, int, str], Iterator[Part]]
    capture: Callable[[TraceFiles, Part, str], Any]
    own: Callable[[Any, Any, Part], tuple[int, int]]
    numbers: Callable[[TraceFiles, Verdict, Any, Part], alone.Decoded]
    explained: Callable[[TraceFiles, bytes, Any, str], Chosen | None] | None
    unmoved: Callable[[Any, Verdict], bool] | None
    kernels: Callable[[], tuple[ModuleType, ...]]
    density: int = 1


def of(ip: str) -> Cutting:
    """That of a system; KeyError if its traces are not taken part by part."""
    return _OF[ip]


def _reported(trace: Any, first: int, after: int) -> int:
    """Instructions that some messages report."""
    begin, end = (int(trace.first_pc[n]) if n < len(trace.first_pc) else len(trace) for n in (first, after))
    return end - begin


# N-Trace: messages are placed by their bytes


def _ntrace_parts(files: TraceFiles, size: int, most: int, otherwise: str) -> Iterator[Part]:
    from rvtrace.flow.captured.ntrace_parts import ntrace_parts

    return ntrace_parts(files.trace, files.config, size)


def _ntrace_capture(files: TraceFiles, part: Part, rerun: str) -> Any:
    capture = files.system.capture(files.config, files.program, files.data, None, None, rerun)
    capture.exact, capture.base = False, part.begin
    return capture


def _ntrace_own(trace: Any, seen: Any, part: Part) -> tuple[int, int]:
    first, after = (
        bisect_left(trace.log, at, key=lambda message: seen.sent_at(message.offset))
        for at in (part.begin + part.skip, part.own)
    )
    return first, after


def _ntrace_numbers(files: TraceFiles, verdict: Verdict, seen: Any, part: Part) -> alone.Decoded:
    trace = verdict.decoded
    first, after = _ntrace_own(trace, seen, part)
    found = [d for d in trace.diagnostics if part.begin + part.skip <= seen.sent_at(d.offset) < part.own]
    return alone.numbers(files, verdict)._replace(
        instructions=_reported(trace, 0, after),
        messages=after - first,
        whole=part.own - part.begin - part.skip,
        lost=sum(min(d.lost_bytes, part.own - seen.sent_at(d.offset)) for d in found),
        found=len(found),
        first=(found[0].clause, found[0].text, bisect_left(trace.log, found[0].offset, key=_offset)) if found else None,
    )


def _offset(message: Any) -> int:
    return int(message.offset)


# E-Trace: packets are numbered


def _etrace_parts(files: TraceFiles, size: int, most: int, otherwise: str) -> Iterator[Part]:
    from rvtrace.flow.captured.etrace_parts import etrace_parts

    return etrace_parts(files.trace, files.config, files.program, size, most, otherwise)


def _etrace_capture(files: TraceFiles, part: Part, rerun: str) -> Any:
    from rvtrace.flow.captured.etrace_parts import lead

    before = lead(part, files.config)
    capture = files.system.capture(files.config, files.program, before + files.data, None, None, rerun)
    capture.exact, capture.base = False, part.begin - len(before)
    capture.number = part.packet - bool(part.support)
    return capture


def _etrace_own(trace: Any, seen: Any, part: Part) -> tuple[int, int]:
    size = len(trace.packets)
    first = bool(part.support) + 1 if part.number else 0
    return min(first, size), size if part.after is None else min(part.after - part.packet + bool(part.support), size)


def _etrace_numbers(files: TraceFiles, verdict: Verdict, seen: Any, part: Part) -> alone.Decoded:
    trace = verdict.decoded
    first, after = _etrace_own(trace, seen, part)
    found = [d for d in trace.diagnostics if first <= d.packet and (part.cut is None or d.packet < after)]
    return alone.numbers(files, verdict)._replace(
        instructions=_reported(trace, first, after),
        messages=after - first,
        whole=after - first,
        lost=sum(min(d.lost_packets, after - d.packet) for d in found),
        found=len(found),
        first=(found[0].clause, found[0].text, found[0].packet - first) if found else None,
    )


def _etrace_explained(files: TraceFiles, data: bytes, tolerances: Any, rerun: str) -> Chosen | None:
    files, goes_on = replace(files, data=data), len(data) < files.size
    capture = _etrace_capture(files, Part(0, 0, 0, None, 0, 0), rerun)
    return alone.explanation(files, capture, tolerances, goes_on=goes_on)


def _etrace_unmoved(capture: Any, verdict: Verdict) -> bool:
    if not any(failure.clause.startswith("ET.tra.") for failure in verdict.failures):
        return False
    from rvtrace.scoreboards.etrace.transport import Damaged, split

    try:
        chunks = split(capture.data, capture)
    except Damaged:
        return True
    return [chunk.payload for chunk in chunks] != capture.packets


def _ntrace_kernels() -> tuple[ModuleType, ...]:
    from rvtrace.models.ntrace.decoder import kernel

    return (kernel,)


def _etrace_kernels() -> tuple[ModuleType, ...]:
    from rvtrace.models.etrace.decoder import framing, kernel

    return (kernel, framing)


_OF = {
    "ntrace": Cutting(_ntrace_parts, _ntrace_capture, _ntrace_own, _ntrace_numbers, None, None, _ntrace_kernels),
    "etrace": Cutting(
        _etrace_parts,
        _etrace_capture,
        _etrace_own,
        _etrace_numbers,
        _etrace_explained,
        _etrace_unmoved,
        _etrace_kernels,
        4,
    ),
}
STREAMED = tuple(_OF)  # systems whose traces can be cut
