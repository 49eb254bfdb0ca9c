# SPDX-License-Identifier: Apache-2.0
"""How `make decode` shows a tandem trace: group by group with disassembly and register names, damage in its place."""

from __future__ import annotations

from collections.abc import Iterator

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.tandem.decoder.decode import decode as decode_bytes
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.listing import listing as lines_of

_UNFINISHED = ("truncated",)  # what ends in the middle may have
_BEGUN = ("increment_without_pc", "unknown_base", "orphan_end")  # and what begins there


def decode(files: TraceFiles, limit: int, partial: bool) -> Decoded:
    """The whole trace; it needs no program, and is as long as its bytes."""
    return decode_bytes(files.data, files.config)


def listing(files: TraceFiles, trace: Decoded, messages: bool, pcs: bool) -> Iterator[str]:
    """The lines. Without `messages`, only those that say where a group is and what it executes."""
    for line in lines_of(trace, files.data, files.config, files.program):
        if messages or not line.startswith(" "):
            yield f"{line}\n"


def fault(files: TraceFiles, trace: Decoded, partial: bool) -> str | None:
    """What is wrong with the trace as one sentence with a way out, None if all of it was decoded."""
    excused = (*_UNFINISHED, *_BEGUN) if partial else ()
    wrong = [one for one in trace.diagnostics if one.name not in excused]
    if not wrong:
        return None
    count = len(wrong) + trace.lost
    way = (
        "give PARTIAL=1 if the encoder was still at work"
        if wrong[0].name in (*_UNFINISHED, *_BEGUN)
        else "check XLEN, FLEN and MLEN of CONFIG, or capture it again"
    )
    return f"{files.trace} breaks the format in {count} place{'s' if count > 1 else ''}, first: {wrong[0]}; {way}"


def summary(files: TraceFiles, trace: Decoded) -> str:
    """The last line of the listing."""
    instructions = trace.instruction_count
    each = f", {len(files.data) / instructions:.2f} bytes per instruction" if instructions else ""
    return f"# {trace.items:,} items, {trace.group_count:,} groups, {instructions:,} instructions{each}\n"


def alone(files: TraceFiles) -> tuple[list[str], str | None]:
    """Listing and fault without a program: the trace has the instructions, only symbols are missing."""
    trace = decode(files, 0, False)
    return [*listing(files, trace, True, True), summary(files, trace)], fault(files, trace, False)
