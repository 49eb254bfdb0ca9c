# SPDX-License-Identifier: Apache-2.0
"""A trace file as messages and as the instructions it encodes: `make decode OUT=out`.

    python -m rvtrace.tools.decode OUT=out            messages, and below each the instructions it encodes
    python -m rvtrace.tools.decode OUT=out MESSAGES=1 messages only (without ELF: bytes and fields alone)
    python -m rvtrace.tools.decode TRACE=t.bin ELF=p.elf MODE=btm PCS=1   instructions and events only
    python -m rvtrace.tools.decode DUT=acme PROGRAM=sort      what your IP sends

Damage is shown where it was found. The exit code is 1 if anything was lost: the last line on stderr says what.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace

from rvtrace.flow.captured.alone import explanation
from rvtrace.flow.captured.files import TraceFiles, load, system_of, words
from rvtrace.models.ntrace.decoder.decode import MAX_INSTRUCTIONS
from rvtrace.report import listing
from rvtrace.scoreboards.common.hypotheses import Chosen
from rvtrace.tb.common.arguments import ArgumentError, close_stdout, flag, main_guard, number, parse

OPTIONS = {
    "MESSAGES": "1: messages only",
    "PCS": "1: instructions and events only",
    "PARTIAL": "1: accept a trace that begins or ends in the middle (a buffer that wrapped, a hart that still ran)",
    "LIMIT": f"most instructions to decode (default {MAX_INSTRUCTIONS})",
}
EXPLAINED = ("ntrace", "etrace")  # systems whose traces are read in other ways where they do not decode
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
    if files.system.ip not in EXPLAINED:
        return None
    capture = files.system.capture(files.config, files.program, files.data, None, None, "")
    capture.exact = False
    return explanation(files, capture, files.system.tolerances.free())


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
        return show.main(argv)
    given = parse(argv, {**words(argv), **OPTIONS}, __doc__ or "")
    only_messages, only_pcs = flag(given, "MESSAGES"), flag(given, "PCS")
    if only_messages and only_pcs:
        raise ArgumentError("MESSAGES=1 and PCS=1 exclude each other; give one, or neither for both")
    partial, limit = flag(given, "PARTIAL"), number(given, "LIMIT", MAX_INSTRUCTIONS)
    files = load(given, need_program=not only_messages)
    title = f"# {files.title}\n"
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
            if options or files.system.ip == "ntrace":  # shown as it decodes
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


if __name__ == "__main__":
    main_guard(main)
