# SPDX-License-Identifier: Apache-2.0
"""How `make decode` shows a tandem trace: group by group with disassembly and register names, damage in its place."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.models.common import native
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder import kernel
from rvtrace.models.tandem.decoder.decode import Decoder
from rvtrace.models.tandem.decoder.decode import decode as decode_bytes
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.diagnostics import Diagnostic
from rvtrace.models.tandem.decoder.listing import Lines, lost_line
from rvtrace.models.tandem.decoder.listing import listing as lines_of
from rvtrace.report.viewer_tandem import of_tandem

viewed = of_tandem  # `make view`
_UNFINISHED = ("truncated",)  # what ends in the middle may have
_BEGUN = ("increment_without_pc", "unknown_base", "orphan_end")  # and what begins there


def decode(files: TraceFiles, limit: int, partial: bool) -> Decoded:
    """The whole trace; it needs no program, and is as long as its bytes."""
    return decode_bytes(files.data, files.config)


def listing(files: TraceFiles, trace: Decoded, messages: bool, pcs: bool) -> Iterator[str]:
    """The lines. Without `messages`, only those that say where a group is and what it executes."""
    return _shown(lines_of(trace, files.data, files.config, files.program), messages)


def fault(files: TraceFiles, trace: Decoded, partial: bool) -> str | None:
    """What is wrong with the trace as one sentence with a way out, None if all of it was decoded."""
    return Totals.of(trace, partial).fault(files)


def summary(files: TraceFiles, trace: Decoded) -> str:
    """The last line of the listing."""
    return Totals.of(trace, False).summary(files)


class Totals(NamedTuple):
    """What the last lines say of a trace, or of a part of it. wrong: diagnostics that are not excused, first: of them;
    lost: those that were not kept.
    """

    items: int
    groups: int
    instructions: int
    wrong: int
    lost: int
    first: Diagnostic | None

    @classmethod
    def of(cls, trace: Decoded, partial: bool) -> Totals:
        """partial: the trace may begin or end in the middle."""
        excused = (*_UNFINISHED, *_BEGUN) if partial else ()
        wrong = [one for one in trace.diagnostics if one.name not in excused]
        first = wrong[0] if wrong else None
        return cls(trace.items, trace.group_count, trace.instruction_count, len(wrong), trace.lost, first)

    def joined(self, later: Totals) -> Totals:
        """Of two parts."""
        return Totals(*(a + b for a, b in zip(self[:5], later[:5])), first=self.first or later.first)

    def fault(self, files: TraceFiles) -> str | None:
        """See `fault`."""
        if self.first is None:
            return None
        count = self.wrong + self.lost
        way = (
            "give PARTIAL=1 if the encoder was still at work"
            if self.first.name in (*_UNFINISHED, *_BEGUN)
            else "check XLEN, FLEN and MLEN of CONFIG, or capture it again"
        )
        return f"{files.trace} breaks the format in {count} place{'s' if count > 1 else ''}, first: {self.first}; {way}"

    def summary(self, files: TraceFiles) -> str:
        """See `summary`."""
        each = f", {files.size / self.instructions:.2f} bytes per instruction" if self.instructions else ""
        return f"# {self.items:,} items, {self.groups:,} groups, {self.instructions:,} instructions{each}\n"


class Chunk(NamedTuple):
    """Some bytes of a long trace, None after the last ones, and a decoder that was given all before them. end: of the
    bytes in the trace.
    """

    decoder: Decoder
    data: bytes | None
    end: int


def chunks(files: TraceFiles, size: int) -> Iterator[Chunk]:
    """A trace file in chunks, in order."""
    native.is_compiled(kernel, files.size)  # once, not in every process
    decoder, end = Decoder(files.config), 0
    with files.trace.open("rb") as file:
        while data := file.read(size):
            end += len(data)
            yield Chunk(decoder.fork(), data, end)
            decoder.feed(data)
    yield Chunk(decoder, None, end)


@dataclass
class Listed:
    """Prints one chunk: its lines, its numbers, and where it ends. files: without data."""

    files: TraceFiles
    messages: bool
    pcs: bool
    partial: bool

    def __post_init__(self) -> None:
        config: Config = self.files.config
        self._shown = Lines(config, self.files.program)

    def __call__(self, chunk: Chunk) -> tuple[str, Totals, int]:
        """Most of the time that a long listing takes, and nothing of it depends on other chunks."""
        window = chunk.decoder.held()
        window.append(chunk.data or b"")
        decoded = chunk.decoder.part(chunk.data).decoded
        text = _shown(self._shown.part(decoded, window), self.messages)
        return "".join(text), Totals.of(decoded, self.partial), chunk.end


def last_lines(files: TraceFiles, totals: Totals) -> str:
    """What follows the lines of all chunks."""
    return (f"{lost_line(totals.lost)}\n" if totals.lost else "") + totals.summary(files)


def _shown(lines: Iterator[str], messages: bool) -> Iterator[str]:
    return (f"{line}\n" for line in lines if messages or not line.startswith(" "))


def alone(files: TraceFiles) -> tuple[list[str], str | None]:
    """Listing and fault without a program: the trace has the instructions, only symbols are missing."""
    trace = decode(files, 0, False)
    return [*listing(files, trace, True, True), summary(files, trace)], fault(files, trace, False)
