# SPDX-License-Identifier: Apache-2.0
"""What `make decode` writes for other tools: coverage of the program, profiles, branch stacks, counters.

COVERAGE=lcov                          a trace: line and branch coverage of the program
PROFILE=text|csv|speedscope|perfetto|callgrind     a trace: where the program spent its instructions and its time
EXPORT=ctf|parquet|arrow               a trace: its events for Trace Compass, its instructions and messages as tables
PROFILE=text|brstack|callgraph         IP=ctr: the records as a call path, or as `perf script` prints them
PROFILE=text|stat                      IP=hpm: the counters, as `perf stat` prints them
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs.arguments import ArgumentError, existing_file, parse
from rvtrace.jobs.files import write as write_file
from rvtrace.models.riscv.program import Program
from rvtrace.report import ctf, lcov, listing, tables
from rvtrace.report.callgrind import callgrind
from rvtrace.report.profile import Profile
from rvtrace.report.profile_files import perfetto, speedscope
from rvtrace.report.viewer_cycles import read as read_cycles
from rvtrace.report.viewer_traces import Shown

TRACES, OF_ROWS = (
    ("text", "csv", "speedscope", "perfetto", "callgrind"),
    {"ctr": ("brstack", "callgraph"), "hpm": ("stat",)},
)
COVERAGES = ("lcov",)
EXPORTS = ("ctf", *tables.FORMATS)
_ASKED = {"PROFILE", "COVERAGE", "EXPORT"}
WORDS = {
    "PROFILE": "text, csv, speedscope, perfetto or callgrind: where the program spent its instructions (IP=ctr: brstack"
    " or callgraph, IP=hpm: stat)",
    "COVERAGE": "lcov: lines and branches of the program that the trace executed",
    "EXPORT": "ctf: calls, messages and events in the Common Trace Format, for Trace Compass; parquet or arrow: tables"
    " of instructions and messages (with pyarrow or polars)",
    "FILE": "the file that COVERAGE or PROFILE writes, or the folder of EXPORT (default in IN, or in build/decode)",
}
_FILES = {
    "lcov": "coverage.info", "speedscope": "profile.speedscope.json", "perfetto": "profile.perfetto.json",
    "callgrind": "callgrind.out", "csv": "profile.csv",
}  # fmt: skip
# What writes a profile, and what opens it.
_PROFILES: dict[str, tuple[Callable[[Profile, str], str], str]] = {
    "speedscope": (speedscope, "https://www.speedscope.app"),
    "perfetto": (perfetto, "https://ui.perfetto.dev"),
    "callgrind": (callgrind, "KCachegrind, or callgrind_annotate"),
    "csv": (lambda profile, _: profile.csv(), "any spreadsheet"),
}


def asked(given: Mapping[str, str]) -> bool:
    """Whether a file of another tool is to be written, not a listing; ArgumentError for one that there is not."""
    for word, legal in (("PROFILE", TRACES), ("COVERAGE", COVERAGES), ("EXPORT", EXPORTS)):
        if given.get(word, legal[0]) not in legal:
            way = [f"IP={ip} with {word}={given[word]}" for ip, own in OF_ROWS.items() if given[word] in own]
            raise ArgumentError(
                f"{word}={given[word]} is not known of a trace; give {word}={' or '.join(legal)}"
                + "".join(f", or {one}" for one in way if word == "PROFILE")
            )
    asked_for = sorted(_ASKED & set(given))
    if "FILE" in given and not asked_for:
        raise ArgumentError("FILE= names what PROFILE=, COVERAGE= or EXPORT= writes; give one of them")
    if "FILE" in given and len(asked_for) > 1:
        raise ArgumentError(
            f"FILE= names one file, and {'= and '.join(asked_for)}= write {len(asked_for)}; give one of them, or omit"
            " FILE"
        )
    if given.get("EXPORT") in tables.FORMATS:
        tables.installed()
    return bool(asked_for)


def of_trace(given: Mapping[str, str], files: TraceFiles, decoded: Any) -> None:
    """Print or write what the words name, and one line about each file. ValueError if the program is missing."""
    assert files.program is not None
    content = listing.viewed(files, decoded)
    if not getattr(decoded, "complete", True):
        content.notes.append(f"only the first {len(content.rows):,} instructions are counted; give LIMIT=<more>")
    title = files.trace.resolve().parent.name if files.trace.name == "trace.bin" else files.trace.stem
    if "COVERAGE" in given:
        _write_coverage(given, files, content, title)
    if "EXPORT" in given:
        _export(given, files, content, title)
    if "PROFILE" in given:
        profile, kind = Profile.of(content), given["PROFILE"]
        if kind == "text":
            _put(given, profile.text())
            return
        make, where = _PROFILES[kind]
        path = _write(given, files, kind, make(profile, title))
        _tell(profile.notes)
        print(f"{profile.instructions:,} instructions, {len(profile.rows):,} functions: {path} (open it in {where})")


def _export(given: Mapping[str, str], files: TraceFiles, content: Shown, title: str) -> None:
    form, place = given["EXPORT"], Path(given.get("FILE", ""))
    if "FILE" not in given:
        place = Path(given["IN"]) / form if "IN" in given else Path("build") / "decode" / f"{files.trace.stem}.{form}"
    ours = ctf.FILES if form == "ctf" else tuple(f"{name}.{form}" for name in tables.TABLES)
    if place.exists() and not place.is_dir():
        raise ArgumentError(f"{place} is a file, and {form} is a folder with {' and '.join(ours)}; name another place")
    foreign = sorted({path.name for path in place.iterdir()} - set(ours)) if place.is_dir() else []
    if foreign:
        raise ArgumentError(
            f"{place} has other files than {' and '.join(ours)}, such as {foreign[0]}; name a new folder"
        )
    folder = Path(given["IN"]) if "IN" in given and "TRACE" not in given else None
    if content.cycles is None:
        content.clocked(*read_cycles(folder, len(files.data)))
    if form == "ctf":
        for name, data in ctf.ctf(content, title).items():
            write_file(place / name, data)
        opens = "Trace Compass (File, Open Trace), or babeltrace2"
    else:
        tables.write(content, place, form)
        opens = "pyarrow, polars, DuckDB or pandas"
    _tell(content.notes)
    print(
        f"{len(content.rows):,} instructions, {len(content.messages):,} {content.noun}s: {place} (open it in {opens})"
    )


def _write_coverage(given: Mapping[str, str], files: TraceFiles, content: Shown, title: str) -> None:
    assert files.program is not None
    lines = files.program.lines
    if lines.missing:
        raise ArgumentError(f"there is no line to cover: {lines.missing}")
    found = lcov.coverage(content, files.program)
    path = _write(given, files, "lcov", lcov.text(found, title))
    _tell(Profile.of(content).notes if not len(content.rows) or content.losses else content.notes)
    unread = sorted(name for name in found if not Path(name).is_file())
    if unread:
        more = f" and {len(unread) - 1} more" if len(unread) > 1 else ""
        print(f"note: {unread[0]}{more} is not here, so genhtml needs --ignore-errors source")
    print(f"{lcov.summary(found)}: {path} (read it with `genhtml --branch-coverage -o html {path}`)")


def _tell(notes: list[str]) -> None:
    for note in notes:
        print(f"note: {note}")


def _write(given: Mapping[str, str], files: TraceFiles, kind: str, text: str) -> Path:
    if "FILE" in given:
        path = Path(given["FILE"])
    elif "IN" in given:
        path = Path(given["IN"]) / _FILES[kind]
    else:
        path = Path("build") / "decode" / f"{files.trace.stem}.{_FILES[kind]}"
    write_file(path, text)
    return path


def _put(given: Mapping[str, str], text: str) -> None:
    """Print, or write to FILE."""
    if "FILE" not in given:
        print(text, end="")
        return
    path = Path(given["FILE"])
    write_file(path, text)
    print(f"profile: {path}")


def of_rows(argv: list[str], ip: str) -> int:
    """The same of a capture of CTR or of counters, from a command line."""
    named = {"IN": f"folder of `make capture IP={ip}`", "IP": ip, "PROFILE": f"{' or '.join(OF_ROWS[ip])}",
             "FILE": WORDS["FILE"]}  # fmt: skip
    given = parse(argv, named, __doc__ or "", ("FILE",))
    if given["PROFILE"] not in OF_ROWS[ip]:
        raise ArgumentError(
            f"PROFILE={given['PROFILE']} is not known of IP={ip}; give PROFILE={' or '.join(OF_ROWS[ip])}"
        )
    if "IN" not in given:
        raise ArgumentError(f"no capture was named; give IN=<folder> of `make capture IP={ip} PROGRAM=sort OUT=out`")
    out = Path(given["IN"])
    from rvtrace.report.perf_formats import branch_stack, call_graph, stat

    if ip == "hpm":
        from rvtrace.flow.captured import hpm

        counters = hpm.load(existing_file({"IN": str(out)}, "COUNTERS_READ", out / "counters.json"))
        _put(given, stat(counters, out.resolve().name))
        return 0
    from rvtrace.flow.captured import ctr
    from rvtrace.flow.captured.rows import config_in
    from rvtrace.models.ctr.config import Config
    from rvtrace.report.listing.ctr import emulated

    entries = ctr.load(existing_file({"IN": str(out)}, "ENTRIES", out / "entries.json"))
    config = config_in(existing_file({"IN": str(out)}, "CONFIG", out / "config.json"), Config, "ctr", "CTR")
    elf = out / "program.elf"
    program = Program.from_elf(elf) if elf.is_file() else None
    if given["PROFILE"] == "brstack":
        text = branch_stack(entries)
        text += "\n" if text else ""
    else:
        text = call_graph(entries, program, emulated(config), out.resolve().name)
    _put(given, text or "# the buffer holds no valid record\n")
    return 0
