# SPDX-License-Identifier: Apache-2.0
"""How `make decode` shows an N-Trace file: messages, below each the instructions and events it reports, damage in
its place.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from heapq import merge
from typing import NamedTuple

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.models.ntrace.decoder.decode import decode as _decode
from rvtrace.models.ntrace.decoder.decoded import Diagnostic
from rvtrace.models.ntrace.table import Message
from rvtrace.report.listing.common import INDENT, Lines
from rvtrace.report.viewer_traces import of_ntrace
from rvtrace.scoreboards.common.captured import Part

viewed = of_ntrace  # `make view`
BYTES_SHOWN = 12
# Clauses that a trace breaks if another program is laid under it.
_OF_PROGRAM = {
    "NT.8.1.faddr",
    "NT.8.3.hist",
    "NT.8.4.count",
    "NT.10.branches",
    "NT.10.indirect",
    "NT.11.pcs",
    "NT.8.4.icnt",
}


def decode(files: TraceFiles, limit: int, partial: bool, part: Part | None = None) -> DecodedTrace:
    """The whole trace, or a part of it."""
    assert files.program is not None
    return _decode(files.data, files.program, files.config, limit)


def message_line(message: Message, data: bytes, base: int = 0) -> str:
    """Offset, bytes, name and fields of one message. base: where `data` begins in the trace."""
    end = message.offset
    while end < len(data) and data[end] & 3 != 3:
        end += 1
    raw = data[message.offset : end + 1]
    shown = raw[:BYTES_SHOWN].hex(" ") + (" .." if len(raw) > BYTES_SHOWN else "")
    return f"{base + message.offset:#08x}  {shown:<{3 * BYTES_SHOWN + 1}} {message}\n"


def listing(
    files: TraceFiles, trace: DecodedTrace, messages: bool, pcs: bool, part: Part | None = None
) -> Iterator[str]:
    """The lines: messages, instructions and events below the message that encodes them, damage in its place. part: of
    the trace, if `files` has no more than that; what is not its own is left out.
    """
    assert files.program is not None
    base, begin, end = _own(files, part)
    line_of = Lines(files.program)
    all_pcs, taken, n, log = trace.pcs, trace.taken, len(trace.log), trace.log
    found = [(m.offset, 0, i) for i, m in enumerate(log)]
    damage = sorted((d.offset, 1, i) for i, d in enumerate(trace.diagnostics))
    notes = sorted((d.offset, 2, i) for i, d in enumerate(trace.notes))
    event = 0
    if trace.skipped_bytes:
        yield f"!!  {trace.skipped_bytes} bytes before the first synchronizing message are skipped\n"
    for offset, what, index in merge(found, damage, notes):
        if offset >= end:
            break
        shown = offset >= begin
        if what:
            one = (trace.diagnostics, trace.notes)[what - 1][index]
            if shown:
                yield f"{'!!' if what == 1 else '??'}  {one._replace(offset=base + one.offset)}\n"
            continue
        if messages and shown:
            yield message_line(log[index], files.data, base)
        if not pcs:
            continue
        at = int(trace.first_pc[index])
        after = int(trace.first_pc[index + 1]) if index + 1 < n else len(all_pcs)
        limit = log[index + 1].offset if index + 1 < n else len(files.data)
        while event < len(trace.events) and trace.events[event].message.offset < limit:
            happened = trace.events[event]
            event += 1
            if not shown:
                continue
            yield from map(line_of, all_pcs[at : happened.index].tolist(), taken[at : happened.index].tolist())
            at = max(at, happened.index)
            target = "" if happened.target is None else f" -> {files.program.place(happened.target)}"
            yield f"{INDENT}-- {happened.kind}: {happened.text}{target}\n"
        if shown:
            yield from map(line_of, all_pcs[at:after].tolist(), taken[at:after].tolist())


def _own(files: TraceFiles, part: Part | None) -> tuple[int, int, int]:
    """Where the bytes of a part begin in the trace; the first and the end of its own, in its bytes."""
    return (0, 0, len(files.data) + 1) if part is None else (part.begin, part.skip, part.own - part.begin)


class Totals(NamedTuple):
    """A trace, or some parts of it, in numbers. first: the first diagnostic; places: how many there are; clauses: those
    they cite; lost: bytes; last: the last message, "" if there is none.
    """

    messages: int
    instructions: int
    traps: int
    places: int
    lost: int
    skipped: int
    complete: bool
    first: Diagnostic | None
    clauses: frozenset[str]
    last: str

    @classmethod
    def of(cls, files: TraceFiles, trace: DecodedTrace, part: Part | None = None) -> Totals:
        """Of what is its own."""
        base, begin, end = _own(files, part)
        first, after = (bisect_left(trace.log, at, key=_offset) for at in (begin, end))
        found = [d for d in trace.diagnostics if begin <= d.offset < end]
        return cls(
            after - first,
            int(trace.first_pc[after]) if after < len(trace.log) else len(trace),
            sum(e.kind == "trap" and begin <= e.message.offset < end for e in trace.events),
            len(found),
            sum(min(d.lost_bytes, end - d.offset) for d in found),
            trace.skipped_bytes,
            trace.complete,
            found[0]._replace(offset=base + found[0].offset) if found else None,
            frozenset(d.clause for d in found),
            trace.log[after - 1].name if after > first else "",
        )

    def joined(self, later: Totals) -> Totals:
        """With those of the part that comes after it."""
        return Totals(
            *(a + b for a, b in zip(self[:6], later[:6])),
            complete=self.complete and later.complete,
            first=self.first or later.first,
            clauses=self.clauses | later.clauses,
            last=later.last or self.last,
        )


def _offset(message: Message) -> int:
    return message.offset


def fault(files: TraceFiles, trace: DecodedTrace, partial: bool) -> str | None:
    """What is wrong with the trace as one sentence with a way out, None if all of it was decoded."""
    return fault_of(files, Totals.of(files, trace), partial)


def fault_of(files: TraceFiles, totals: Totals, partial: bool) -> str | None:
    """The same of a trace that was decoded in parts."""
    cut = totals.clauses == {"NT.3.1.end"}
    if totals.first is not None and not (cut and partial):
        first, places = totals.first, totals.places
        lost = totals.lost + totals.skipped
        loss = f"{lost} of {files.size} bytes lost in {places} place{'s' if places > 1 else ''}"
        where = f"first at byte {first.offset:#x}: {first.text} [{first.clause}]"
        if first.clause == "NT-24" and not totals.complete:
            return f"{files.trace} encodes too many instructions; {where}; give LIMIT=<more> if that is right"
        if first.clause in _OF_PROGRAM:
            return (
                f"{files.trace} does not fit {files.elf}: {loss}, {where}; give the ELF that was traced, or capture"
                " again"
            )
        if cut:
            return f"{files.trace} is truncated: {loss}, {where}; capture it again"
        return f"{files.trace} is damaged: {loss}, {where}; capture it again, or check MODE, VARIANT and CONFIG"
    if partial:
        return None
    if totals.skipped:
        return (
            f"{files.trace} begins in the middle: {totals.skipped} of {files.size} bytes before the first "
            "synchronizing message are lost; give PARTIAL=1 if the buffer wrapped, else capture again"
        )
    if totals.last not in ("ProgTraceCorrelation", "Error"):
        return (
            f"{files.trace} ends while tracing is on, without ProgTraceCorrelation, so it may be truncated; "
            "give PARTIAL=1 if the hart was still running, else capture again"
        )
    return None


def summary(files: TraceFiles, trace: DecodedTrace) -> str:
    """The last line of the listing."""
    return summary_of(files, Totals.of(files, trace))


def summary_of(files: TraceFiles, totals: Totals) -> str:
    """The same of a trace that was decoded in parts."""
    whole = totals.instructions and totals.first is None  # of a part, the number means nothing
    bits = f", {8 * files.size / totals.instructions:.3f} bits per instruction" if whole else ""
    return f"# {totals.messages:,} messages, {totals.instructions:,} instructions, {totals.traps:,} traps{bits}\n"


def alone(files: TraceFiles) -> tuple[list[str], str | None]:
    """Listing and fault without a program."""
    lines, found = alone_part(files)
    return [*lines, alone_summary(found)], alone_fault(files, found)


def alone_part(files: TraceFiles, part: Part | None = None) -> tuple[list[str], tuple[int, int, int]]:
    """The lines without a program; messages, places that are damaged, bytes lost. part: as in `listing`."""
    base, begin, end = _own(files, part)
    unpacked, all_damage = unpack(files.data, files.config)
    found = [m for m in unpacked if begin <= m.offset < end]
    damages = [d for d in all_damage if begin <= d.offset < end]
    lines = [(m.offset, message_line(m, files.data, base)) for m in found]
    lines += [
        (d.offset, f"!!  byte {base + d.offset:#x}: {d.reason} [{d.clause}]; {d.length} bytes lost\n") for d in damages
    ]
    return [line for _, line in sorted(lines)], (len(found), len(damages), sum(d.length for d in damages))


def alone_summary(found: tuple[int, int, int]) -> str:
    """The last line. found: as `alone_part` counts."""
    return f"# {found[0]:,} messages\n"


def alone_fault(files: TraceFiles, found: tuple[int, int, int]) -> str | None:
    """What is wrong with the bytes as one sentence with a way out, None if nothing is."""
    _, places, lost = found
    if not places:
        return None
    return f"{files.trace} is damaged: {lost} of {files.size} bytes lost in {places} places; capture it again"
