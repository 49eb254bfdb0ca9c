# SPDX-License-Identifier: Apache-2.0
"""A trace file as messages and as the instructions it encodes: `make decode IN=out`.

    make decode IN=out                messages, and below each the instructions it encodes
    make decode IN=out MESSAGES=1     messages only (without ELF: bytes and fields alone)
    make decode TRACE=t.bin ELF=p.elf MODE=btm PCS=1      instructions and events only
    make decode DUT=acme PROGRAM=sort                     what your IP sends
    make decode IN=out PROFILE=text   where the program spent its instructions; speedscope and
    perfetto write files of these tools, COVERAGE=lcov line and branch coverage (docs/how-to/profile-a-program.md)

Damage is shown where it was found. The exit code is 1 if anything was lost: the last line on stderr says what.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from operator import add
from typing import TYPE_CHECKING, Any

from rvtrace.flow.captured.alone import explanation
from rvtrace.flow.captured.files import TraceFiles, load, path_of, system_of, words
from rvtrace.flow.captured.limits import LONG
from rvtrace.flow.captured.stream import Progress, in_order, read
from rvtrace.flow.processes import cores
from rvtrace.jobs import systems
from rvtrace.jobs.arguments import ArgumentError, close_stdout, flag, main_guard, number, parse
from rvtrace.models.common import native
from rvtrace.models.ntrace.decoder.decode import MAX_INSTRUCTIONS
from rvtrace.report import exports, listing
from rvtrace.report.viewer_traces import SHOWN_INSTRUCTIONS
from rvtrace.scoreboards.common.captured import MOST, Followed, Part

if TYPE_CHECKING:
    from rvtrace.scoreboards.diagnosis.search import Chosen

OPTIONS = {
    "MESSAGES": "1: messages only",
    "PCS": "1: instructions and events only",
    "PARTIAL": "1: accept a trace that begins or ends in the middle (a buffer that wrapped, a hart that still ran)",
    "N": "processes that decode a long trace (default: the cores)",
    "LIMIT": f"most instructions to decode (default {MAX_INSTRUCTIONS}; of a profile {SHOWN_INSTRUCTIONS})",
    **exports.WORDS,
}
PRINTED = 64 << 10  # bytes of trace that are decoded and printed at once
CHUNK = 4096  # lines written at once


def write(lines: Iterator[str]) -> bool:
    """Write lines to stdout in chunks; False if the reader went away."""
    try:
        chunk: list[str] = []
        push: Callable[[str], None] = chunk.append
        for line in lines:
            push(line)
            if len(chunk) == CHUNK:
                sys.stdout.write("".join(chunk))
                chunk.clear()
        sys.stdout.write("".join(chunk))
        sys.stdout.flush()
    except BrokenPipeError:
        close_stdout()
        return False
    return True


def _otherwise(files: TraceFiles) -> Chosen | None:
    """How a trace decodes that does not with the options given; None if nothing explains it."""
    if files.captured.replayed:
        return None
    capture = files.system.capture(files.config, files.program, files.data, None, None, "")
    capture.exact = False
    return explanation(files, capture, files.system.tolerances.free())


@dataclass(frozen=True)
class _Part:
    """Prints one part of a long trace: its lines, its numbers, and where it ends."""

    files: TraceFiles
    show: Any
    messages: bool
    pcs: bool

    def __call__(self, part: Part) -> tuple[str, Any, int]:
        files = replace(self.files, data=read(self.files, part))
        if files.program is None:
            text, counts = self.show.alone_part(files, part)
            return "".join(text), counts, part.own
        trace = self.show.decode(files, MAX_INSTRUCTIONS, True, part)
        lines = self.show.listing(files, trace, self.messages, self.pcs, part)
        return "".join(lines), self.show.Totals.of(files, trace, part), part.own


def _is_long(given: Mapping[str, str]) -> bool:
    """Whether a trace is decoded part by part: neither a text of payloads, nor an E-Trace that may begin anywhere."""
    path = path_of(given, "TRACE")
    long = path is not None and path.suffix != ".hex" and path.is_file() and path.stat().st_size > LONG
    trace = systems.captured(system_of(_typed(given)).ip)
    parts = not flag(given, "PARTIAL") or not isinstance(trace, Followed) or trace.partial_in_parts
    return long and "LIMIT" not in given and parts


def _typed(given: Mapping[str, str]) -> list[str]:
    return [f"{name}={value}" for name, value in given.items()]


def _parts(given: Mapping[str, str], show: Any, messages: bool, pcs: bool, partial: bool) -> int:
    """Print a long trace part by part, in constant memory, decoded by several processes."""
    files = load(given, need_program=pcs, need_data=False)
    alone = files.program is None
    totals: Any = None
    trace = files.followed
    for module in trace.kernels():
        native.is_compiled(module, files.size)  # once, not in every process
    if not write(iter([_title(files)])):
        return 0
    otherwise = ", or give LIMIT=<most instructions>"
    cut = trace.parts(files.trace, files.config, files.program, PRINTED // trace.density, MOST, otherwise)
    progress = None if sys.stdout.isatty() else Progress(files.size)  # which the listing would hide
    for text, found, end in in_order(_Part(files, show, messages, pcs), cut, number(given, "N", cores(), least=1)):
        if not write(iter([text])):
            return 0
        if progress is not None:
            progress.tell(end, ())
        totals = found if totals is None else tuple(map(add, totals, found)) if alone else totals.joined(found)
    assert totals is not None
    write(iter([show.alone_summary(totals) if alone else show.summary_of(files, totals)]))
    if wrong := show.alone_fault(files, totals) if alone else show.fault_of(files, totals, partial):
        print(f"error: {wrong}", file=sys.stderr)
        return 1
    return 0


def _chunks(given: Mapping[str, str], show: Any, messages: bool, pcs: bool, partial: bool) -> int:
    """Print a long tandem trace, decoded in order by this process and printed by several."""
    files = load(given, need_program=pcs, need_data=False)
    from rvtrace.flow.captured.tandem_stream import Teller

    teller = None if sys.stdout.isatty() else Teller(files.size)
    if not write(iter([_title(files)])):
        return 0
    work: Any = show.Listed(files, messages, pcs, partial and files.program is not None)
    totals: Any = None
    for text, found, end in in_order(work, show.chunks(files, PRINTED), number(given, "N", cores(), least=1)):
        if not write(iter([text])):
            return 0
        totals = found if totals is None else totals.joined(found)
        if teller is not None:
            teller(end, [])
    write(iter([show.last_lines(files, totals)]))
    if teller is not None:
        teller.end()
    if wrong := totals.fault(files):
        print(f"error: {wrong}", file=sys.stderr)
        return 1
    return 0


def _title(files: TraceFiles) -> str:
    """What the listing is of, and what it cannot show."""
    title = f"# {files.title}\n"
    missing = files.program.lines.missing if files.program is not None else ""
    return f"{title}# {missing}\n" if missing else title


def _exported(given: Mapping[str, str], show: Any, partial: bool) -> int:
    """Coverage or a profile of a trace, decoded as a whole."""
    files = load(given)
    trace = show.decode(files, number(given, "LIMIT", SHOWN_INSTRUCTIONS), partial)
    exports.of_trace(given, files, trace)
    wrong = show.fault(files, trace, partial)
    if wrong and getattr(trace, "complete", True):
        print(f"error: {wrong}", file=sys.stderr)
        return 1
    return 0


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    if any(word.startswith("DUT=") and word != "DUT=" for word in argv):
        from rvtrace.tools.decode_dut import captured

        argv = captured(argv, OPTIONS)
    system = system_of(argv)
    if system.unread:
        raise ArgumentError(system.unread)
    show = listing.of(system.ip)
    assert show is not None
    if hasattr(show, "main"):
        wanted = any(word.startswith("PROFILE=") for word in argv) and system.ip in exports.OF_ROWS
        return exports.of_rows(argv, system.ip) if wanted else show.main(argv)
    given = parse(argv, known(argv), __doc__ or "", ("FILE",))
    only_messages, only_pcs = flag(given, "MESSAGES"), flag(given, "PCS")
    if only_messages and only_pcs:
        raise ArgumentError("MESSAGES=1 and PCS=1 exclude each other; give one, or neither for both")
    partial, limit = flag(given, "PARTIAL"), number(given, "LIMIT", MAX_INSTRUCTIONS)
    if exports.asked(given):
        return _exported(given, show, partial)
    if _is_long(given):
        if systems.captured(system.ip).replayed:
            return _chunks(given, show, not only_pcs, not only_messages, partial)
        return _parts(given, show, not only_pcs, not only_messages, partial)
    files = load(given, need_program=not only_messages)
    title = _title(files)
    if files.program is None:
        lines, wrong = show.alone(files)
        write(iter([title, *lines]))
    else:
        trace = show.decode(files, limit, partial)
        wrong = show.fault(files, trace, partial)
        other = _otherwise(files) if wrong else None
        if other is not None:
            title += f"# {other.sentence}\n"
            wrong = f"{files.trace} does not decode as its options say; {other.sentence}"
            options = all(one.is_option for one in other.found)
            if options or files.followed.shown_as_read:  # shown as it decodes
                data = files.data if options else other.capture.data
                files = replace(files, config=other.capture.config, data=data)
                trace = show.decode(files, limit, partial)
                left = show.fault(files, trace, partial)
                wrong = left if options and "CONFIG" not in given else f"{wrong}; {left}" if left else wrong
        if write(iter([title])) and write(show.listing(files, trace, not only_pcs, not only_messages)):
            write(iter([show.summary(files, trace)]))
    if wrong:
        print(f"error: {wrong}", file=sys.stderr)
        return 1
    return 0


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, of the system or IP that these name."""
    if any(word.startswith("DUT=") and word != "DUT=" for word in argv):
        from rvtrace.tools.decode_dut import known as of_dut

        return {**of_dut(argv), **OPTIONS}
    system = system_of(argv)
    show = listing.of(system.ip) if not system.unread else None
    if show is not None and hasattr(show, "main"):
        return {**show.WORDS, **exports.WORDS}
    return {**words(argv), **OPTIONS, "DUT": "your IP, which runs PROGRAM= first: name below examples, or folder"}


if __name__ == "__main__":
    main_guard(main)
