# SPDX-License-Identifier: Apache-2.0
"""A captured trace as one HTML page to look into: `make view IN=out`.

    make view IN=out                                      a folder of `make capture`; writes out/view.html
    make view IN=build/results/run/sort-1                 the folder of a run that failed, of any system
    make view IP=etrace TRACE=t.bin ELF=p.elf CONFIG=c.json PAGE=t.html       a trace of another encoder

Timeline with call stack, messages and losses, and below it bytes, messages field by field, and instructions with source
lines; the findings of the check are at their places. docs/how-to/see-a-trace.md shows it.
"""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from dataclasses import fields
from pathlib import Path
from tempfile import TemporaryDirectory

from rvtrace.flow.captured.files import FILES, WORDS, TraceFiles, allow_sources, load, path_of, system_of, words
from rvtrace.flow.captured.verdict import tolerance_words
from rvtrace.flow.progress import during
from rvtrace.jobs.arguments import ArgumentError, json_of, main_guard, number, parse
from rvtrace.jobs.names import TRACES
from rvtrace.models.common import shown
from rvtrace.report import listing
from rvtrace.report.viewer import View
from rvtrace.report.viewer_findings import Judgement, judged, of_run, part_again
from rvtrace.report.viewer_traces import SHOWN_INSTRUCTIONS, Shown, without_program
from rvtrace.scoreboards.common.judge import Judge

FORMATS = TRACES
OPTIONS = {
    "RETIRED": "what the hart retired; the check compares with it (default IN/retired.csv if it is there)",
    "BEATS": "what crossed the ingress port (default IN/beats.npz), for EXACT=1",
    "EXACT": "1: the check compares every byte as well, of a capture of our testbench",
    "PAGE": "the file to write (default IN/view.html, or build/view/<name of the trace>.html)",
    "CHECK": "0: show the trace without checking it; 1: check it however long it is",
    "LIMIT": f"most instructions to show (default {SHOWN_INSTRUCTIONS})",
    "PARTIAL": "1: the trace begins or ends in the middle (a buffer that wrapped, a hart that still ran)",
}

OF_ROWS = {
    "IN": "folder of a run of CTR, counters, the subsystem or another system",
    "STREAM": f"of the subsystem: the trace source that is shown in full, {', '.join(FORMATS)} (default {FORMATS[0]})",
    "PAGE": OPTIONS["PAGE"],
    "SOURCE": WORDS["SOURCE"],
    "LIMIT": OPTIONS["LIMIT"],
}


def main(argv: list[str]) -> int:
    """The command line; returns the exit code: 0 if the page was written, whatever it shows."""
    folder = _run_of_rows(argv)
    if folder is not None:
        return _rows(argv, folder)
    system = system_of(argv)
    if system.ip not in FORMATS:
        raise ArgumentError(
            f"{system.title} sends no trace to look into; give a capture of {', '.join(FORMATS)}, or IN=<folder> of"
            " one of its runs"
        )
    given = parse(argv, known(argv), __doc__ or "", ("PAGE",))
    _refuse_no_capture(given)
    begun = time.perf_counter()
    with TemporaryDirectory() as place:
        readable, note = _known_options(given, system, Path(place))
        with during("reading the trace"):
            files = load(readable, need_program="ELF" in given or "IN" in given)
        content = _content(readable, files)
        with during("collecting what is shown"):
            view = View.of(*content, _folder(given), path_of(given, "RETIRED"))
            view.again = part_again(given, files)
    view.shown.notes += [note] if note else []
    return _written(view, _page(given, files), begun)


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, of the system that these name."""
    if _run_of_rows(argv) is not None:
        return OF_ROWS
    system = system_of(argv)
    return {**words(argv), **OPTIONS, **tolerance_words(system.tolerances, system.ip)}


def _known_options(given: dict[str, str], system: Judge, place: Path) -> tuple[dict[str, str], str]:
    """The words with a configuration that has only options of this version, and a sentence about the others."""
    path = path_of(given, "CONFIG")
    try:
        options = shown.values(json_of(path.read_text())) if path is not None and path.is_file() else {}
    except ValueError:
        return given, ""
    known = {"ip", *(one.name for one in fields(system.config))}
    unknown = sorted(set(options) - known) if isinstance(options, dict) else []
    if path is None or not unknown or len(unknown) == len(options):
        return given, ""
    kept = place / path.name
    kept.write_text(json.dumps({name: value for name, value in options.items() if name in known}))
    return {
        **given,
        "CONFIG": str(kept),
    }, f"{path} is of another version: {', '.join(unknown)} is not known here, and left out"


def _run_of_rows(argv: list[str]) -> Path | None:
    """The folder of a run that left no single trace: of CTR, counters, the subsystem and others."""
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    folder = Path(given.get("IN", ""))
    if set(given) - set(OF_ROWS) or not folder.is_dir() or (folder / FILES["TRACE"]).is_file():
        return None
    if not (folder / "rows.npz").is_file():
        return None
    from rvtrace.report.viewer_failing import ip_of

    ip = ip_of(folder)
    return folder if ip and ip not in FORMATS else None


def _rows(argv: list[str], folder: Path) -> int:
    from rvtrace.report.viewer_failing import of_rows

    given, begun = parse(argv, OF_ROWS, __doc__ or "", ("PAGE",)), time.perf_counter()
    if given.get("STREAM", FORMATS[0]) not in FORMATS:
        raise ArgumentError(f"STREAM={given['STREAM']} is none of {', '.join(FORMATS)}")
    allow_sources(given)
    with during("reading what the run left"):
        view = of_rows(folder, number(given, "LIMIT", SHOWN_INSTRUCTIONS), given.get("STREAM", FORMATS[0]))
    return _written(view, Path(given.get("PAGE", folder / "view.html")), begun)


def _written(view: View, page: Path, begun: float) -> int:
    with during("writing the page"):
        size = view.write(page)
    for note in (*view.judgement.notes, *view.shown.notes):
        print(f"note: {note}")
    counts = f"{len(view.shown.rows):,} instructions, {len(view.shown.messages):,} {view.shown.noun}s"
    if view.judgement.word:
        print(f"{view.judgement.word}  {view.judgement.sentence}")
    print(f"{counts}, {size / 1e6:.1f} MB in {time.perf_counter() - begun:.1f} s")
    print(f"view: {page}")
    return 0


def _refuse_no_capture(given: dict[str, str]) -> None:
    """ArgumentError for a folder without a trace."""
    if "IN" in given and Path(given["IN"]).is_dir() and "TRACE" not in given:
        folder = Path(given["IN"])
        if not (folder / FILES["TRACE"]).is_file():
            from rvtrace.report.viewer_failing import command

            again = command(folder)
            raise ArgumentError(
                f"{folder} is no capture: it has no {FILES['TRACE']}; "
                + (f"the run can be captured with `{again}`" if again else
                   "give IN=<folder> of `make capture`, or TRACE=, ELF= and CONFIG=")
            )  # fmt: skip


def _content(given: Mapping[str, str], files: TraceFiles) -> tuple[TraceFiles, Shown, Judgement]:
    """Files, what is shown of them, and what the check found."""
    show = listing.of(files.system.ip)
    assert show is not None
    limit = number(given, "LIMIT", SHOWN_INSTRUCTIONS)
    if files.program is None and not files.captured.replayed:
        found = without_program(files)
        found.notes.append("no program was given: only bytes and messages are shown; give ELF=<file>")
        return files, found, Judgement()
    with during(f"checking {files.size:,} bytes (CHECK=0 omits it)"):
        judgement = (_as_run(given, files) or judged(given, files)) if files.program is not None else Judgement()
    files = judgement.files or files
    decoded = judgement.decoded
    if decoded is None or not hasattr(decoded, "diagnostics") or len(decoded) > limit:
        with during(f"decoding {files.size:,} bytes"):
            decoded = show.decode(files, limit, given.get("PARTIAL") == "1")
    with during("placing messages, instructions and calls"):
        result = listing.viewed(files, decoded)
    if not getattr(decoded, "complete", True):
        result.notes.append(f"only the first {limit:,} instructions are shown; give LIMIT=<more>")
    return files, result, judgement


def _folder(given: Mapping[str, str]) -> Path | None:
    """The folder of the run that left the trace; None if the files are given one by one."""
    return Path(given["IN"]) if "IN" in given and "TRACE" not in given else None


def _as_run(given: Mapping[str, str], files: TraceFiles) -> Judgement | None:
    """What the run found that left the trace, if it failed, and nobody asks for a check of another kind."""
    folder = _folder(given)
    if folder is None or set(given) & {"CHECK", "ELF", "CONFIG", "RETIRED", "BEATS", "PARTIAL"}:
        return None
    found = of_run(folder, files)
    return found if found is not None and found.failures else None


def _page(given: Mapping[str, str], files: TraceFiles) -> Path:
    if "PAGE" in given:
        return Path(given["PAGE"])
    if "IN" in given:
        return Path(given["IN"]) / "view.html"
    return Path("build") / "view" / f"{files.trace.stem}.html"


if __name__ == "__main__":
    main_guard(main)
