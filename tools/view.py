# SPDX-License-Identifier: Apache-2.0
"""A captured trace as one HTML page to look into: `make view OUT=out`.

    python -m rvtrace.tools.view OUT=out                  a folder of `make capture`; writes out/view.html
    python -m rvtrace.tools.view FORMAT=etrace TRACE=t.bin ELF=p.elf CONFIG=c.json PAGE=t.html   another encoder's trace

Timeline with call stack, messages and losses, and below it bytes, messages field by field, and instructions with source
lines; the findings of the check are at their places. docs/how-to/see-a-trace.md shows it.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from pathlib import Path

from rvtrace.flow.captured.files import FILES, TraceFiles, load, system_of, words
from rvtrace.flow.captured.verdict import tolerance_words
from rvtrace.report import listing
from rvtrace.report.viewer import View
from rvtrace.report.viewer_findings import Judgement, judged
from rvtrace.report.viewer_traces import Shown, shown, without_program
from rvtrace.tb.common.arguments import ArgumentError, main_guard, number, parse

FORMATS = ("ntrace", "etrace", "tandem")
LIMIT = 20_000_000
OPTIONS = {
    "FORMAT": f"the system of TRACE, {', '.join(FORMATS)}; the same as IP",
    "RETIRED": "what the hart retired; the check compares with it (default OUT/retired.csv if it is there)",
    "BEATS": "what crossed the ingress port (default OUT/beats.npz if it is there)",
    "PAGE": "the file to write (default OUT/view.html, or build/view/<name of the trace>.html)",
    "CHECK": "0: show the trace without checking it; 1: check it however long it is",
    "LIMIT": f"most instructions to show (default {LIMIT})",
    "PARTIAL": "1: the trace begins or ends in the middle (a buffer that wrapped, a hart that still ran)",
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code: 0 if the page was written, whatever it shows."""
    argv = [_same(word) for word in argv]
    system = system_of(argv)
    if system.ip not in FORMATS:
        raise ArgumentError(
            f"{system.title} sends no trace to look into; give a capture of {', '.join(FORMATS)}, and read this one"
            " with `make decode`"
        )
    given = parse(argv, {**words(argv), **OPTIONS, **tolerance_words(system.tolerances, system.ip)}, __doc__ or "")
    given = _of_folder(given)
    begun = time.perf_counter()
    files = load(given, need_program="ELF" in given or "OUT" in given)
    view = View.of(*_content(given, files))
    page = _page(given, files)
    size = view.write(page)
    for note in (*view.judgement.notes, *view.shown.notes):
        print(f"note: {note}")
    counts = f"{len(view.shown.rows):,} instructions, {len(view.shown.messages):,} {view.shown.noun}s"
    if view.judgement.word:
        print(f"{view.judgement.word}  {view.judgement.sentence}")
    print(f"{counts}, {size / 1e6:.1f} MB in {time.perf_counter() - begun:.1f} s")
    print(f"view: {page}")
    return 0


def _same(word: str) -> str:
    """FORMAT= as `make check-trace` has it is IP= of the other tools."""
    return f"IP={word[7:]}" if word.startswith("FORMAT=") else word


def _of_folder(given: dict[str, str]) -> dict[str, str]:
    """TRACE=<folder> is OUT=<folder>, as `make check-trace` has it."""
    if "OUT" not in given and "TRACE" in given and Path(given["TRACE"]).is_dir():
        given = {**given, "OUT": given["TRACE"]}
        del given["TRACE"]
    if "OUT" in given and Path(given["OUT"]).is_dir() and "TRACE" not in given:
        folder = Path(given["OUT"])
        if not (folder / FILES["TRACE"]).is_file():
            raise ArgumentError(
                f"{folder} is no capture: it has no {FILES['TRACE']}; give OUT=<folder> of `make capture`, or TRACE=,"
                " ELF= and CONFIG="
            )
    return given


def _content(given: Mapping[str, str], files: TraceFiles) -> tuple[TraceFiles, Shown, Judgement]:
    """Files, what is shown of them, and what the check found."""
    show = listing.of(files.system.ip)
    assert show is not None
    limit = number(given, "LIMIT", LIMIT)
    if files.program is None and files.system.ip != "tandem":
        found = without_program(files)
        found.notes.append("no program was given: only bytes and messages are shown; give ELF=<file>")
        return files, found, Judgement()
    if sys.stderr.isatty() and given.get("CHECK") != "0":
        print("checking the trace (CHECK=0 omits it)", file=sys.stderr, flush=True)
    judgement = judged(given, files) if files.program is not None else Judgement()
    files = judgement.files or files
    decoded = judgement.decoded
    if decoded is None or not hasattr(decoded, "diagnostics") or len(decoded) > limit:
        decoded = show.decode(files, limit, given.get("PARTIAL") == "1")
    result = shown(files, decoded)
    if not getattr(decoded, "complete", True):
        result.notes.append(f"only the first {limit:,} instructions are shown; give LIMIT=<more>")
    return files, result, judgement


def _page(given: Mapping[str, str], files: TraceFiles) -> Path:
    if "PAGE" in given:
        return Path(given["PAGE"])
    if "OUT" in given:
        return Path(given["OUT"]) / "view.html"
    return Path("build") / "view" / f"{files.trace.stem}.html"


if __name__ == "__main__":
    main_guard(main)
