# SPDX-License-Identifier: Apache-2.0
"""How `make decode` shows an N-Trace file: messages, below each the instructions and events it reports, damage in
its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.decoder.decode import DecodedTrace
from rvtrace.models.ntrace.decoder.decode import decode as _decode
from rvtrace.models.ntrace.table import Message
from rvtrace.report.listing.common import INDENT, Lines

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


def decode(files: TraceFiles, limit: int, partial: bool) -> DecodedTrace:
    """The whole trace."""
    assert files.program is not None
    return _decode(files.data, files.program, files.config, limit)


def message_line(message: Message, data: bytes) -> str:
    """Offset, bytes, name and fields of one message."""
    end = message.offset
    while end < len(data) and data[end] & 3 != 3:
        end += 1
    raw = data[message.offset : end + 1]
    shown = raw[:BYTES_SHOWN].hex(" ") + (" .." if len(raw) > BYTES_SHOWN else "")
    return f"{message.offset:#08x}  {shown:<{3 * BYTES_SHOWN + 1}} {message}\n"


def listing(files: TraceFiles, trace: DecodedTrace, messages: bool, pcs: bool) -> Iterator[str]:
    """The lines: messages, instructions and events below the message that encodes them, damage in its place."""
    assert files.program is not None
    line_of = Lines(files.program)
    all_pcs, taken, n = trace.pcs, trace.taken, len(trace.messages)
    found = [(m.offset, 0, i) for i, m in enumerate(trace.messages)]
    damage = sorted((d.offset, 1, i) for i, d in enumerate(trace.diagnostics))
    notes = sorted((d.offset, 2, i) for i, d in enumerate(trace.notes))
    event = 0
    if trace.skipped_bytes:
        yield f"!!  {trace.skipped_bytes} bytes before the first synchronizing message are skipped\n"
    for _, what, index in merge(found, damage, notes):
        if what:
            yield f"{'!!' if what == 1 else '??'}  {(trace.diagnostics, trace.notes)[what - 1][index]}\n"
            continue
        if messages:
            yield message_line(trace.messages[index], files.data)
        if not pcs:
            continue
        at = int(trace.first_pc[index])
        end = int(trace.first_pc[index + 1]) if index + 1 < n else len(all_pcs)
        limit = trace.messages[index + 1].offset if index + 1 < n else len(files.data)
        while event < len(trace.events) and trace.events[event].message.offset < limit:
            happened = trace.events[event]
            yield from map(line_of, all_pcs[at : happened.index].tolist(), taken[at : happened.index].tolist())
            at = max(at, happened.index)
            target = "" if happened.target is None else f" -> {files.program.place(happened.target)}"
            yield f"{INDENT}-- {happened.kind}: {happened.text}{target}\n"
            event += 1
        yield from map(line_of, all_pcs[at:end].tolist(), taken[at:end].tolist())


def fault(files: TraceFiles, trace: DecodedTrace, partial: bool) -> str | None:
    """What is wrong with the trace as one sentence with a way out, None if all of it was decoded."""
    cut = bool(trace.diagnostics) and {d.clause for d in trace.diagnostics} == {"NT.3.1.end"}
    if trace.diagnostics and not (cut and partial):
        first, places = trace.diagnostics[0], len(trace.diagnostics)
        lost = sum(d.lost_bytes for d in trace.diagnostics) + trace.skipped_bytes
        loss = f"{lost} of {len(files.data)} bytes lost in {places} place{'s' if places > 1 else ''}"
        where = f"first at byte {first.offset:#x}: {first.text} [{first.clause}]"
        if first.clause == "NT-24" and not trace.complete:
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
    if trace.skipped_bytes:
        return (
            f"{files.trace} begins in the middle: {trace.skipped_bytes} of {len(files.data)} bytes before the first "
            "synchronizing message are lost; give PARTIAL=1 if the buffer wrapped, else capture again"
        )
    if not trace.messages or trace.messages[-1].name not in ("ProgTraceCorrelation", "Error"):
        return (
            f"{files.trace} ends while tracing is on, without ProgTraceCorrelation, so it may be truncated; "
            "give PARTIAL=1 if the hart was still running, else capture again"
        )
    return None


def summary(files: TraceFiles, trace: DecodedTrace) -> str:
    """The last line of the listing."""
    instructions = len(trace)
    whole = instructions and not trace.diagnostics  # of a part, the number means nothing
    bits = f", {8 * len(files.data) / instructions:.3f} bits per instruction" if whole else ""
    traps = sum(e.kind == "trap" for e in trace.events)
    return f"# {len(trace.messages):,} messages, {instructions:,} instructions, {traps:,} traps{bits}\n"


def alone(files: TraceFiles) -> tuple[list[str], str | None]:
    """Listing and fault without a program."""
    found, damages = unpack(files.data, files.config)
    lines = [(m.offset, message_line(m, files.data)) for m in found]
    lines += [(d.offset, f"!!  byte {d.offset:#x}: {d.reason} [{d.clause}]; {d.length} bytes lost\n") for d in damages]
    lost = sum(d.length for d in damages)
    wrong = (
        f"{files.trace} is damaged: {lost} of {len(files.data)} bytes lost in {len(damages)} places; capture it again"
    )
    return [line for _, line in sorted(lines)] + [f"# {len(found):,} messages\n"], wrong if damages else None
