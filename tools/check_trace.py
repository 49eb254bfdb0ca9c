"""Hold a captured trace (silicon, FPGA, another simulator) to the specification, without a simulator, and write a compliance report.

    make check-trace FORMAT=etrace|ntrace|tandem TRACE=t.bin ELF=app.elf [RETIRED=retired.csv] [CONFIG=config.json] [OUT=folder]

With RETIRED the trace must tell what the hart did (lossless) and be legal; without it, it must be legal, and what a decoder makes of it must fit the
program. TRACE may be a folder of `make capture`, for the files in it. Exits 1 if a clause fails; docs/attach-your-ip.md tells what the files hold.
"""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from models.riscv.retired import Retired
from models.riscv.stream import check_flow
from scoreboards.clauses import Clause
from scoreboards.verdict import Verdict
from tools import systems
from tools.arguments import ArgumentError, existing_file, main_guard, number, parse
from tools.check_trace_alone import alone, fits, in_order
from tools.compliance import Compliance, Subject, write
from tools.systems.base import System
from tools.trace_files import FILES, TraceFiles, load

FORMATS = ("etrace", "ntrace", "tandem")
WORDS = {
    "FORMAT": f"the format, {', '.join(FORMATS)}",
    "TRACE": "the bytes of one encoder, first sent first (of E-Trace also a .hex file, one payload a line); or a folder of `make capture`",
    "ELF": "the program that was traced",
    "RETIRED": "what the hart retired while tracing was on, retired.csv; without it the trace is judged by itself",
    "CONFIG": "JSON with the encoder's options; without it the defaults, and the options below",
    "OUT": "folder for index.html, compliance.json and junit.xml (default build/compliance/<name of the trace>)",
    "NAME": "name of the device in the report (default: name of the trace)",
    "MEMORY": "megabytes that the check may take (default 4096)",
}
MEMORY = 4096
NEEDED = {"ntrace": 1600, "etrace": 2400, "tandem": 240}  # bytes of memory for a byte of trace, measured on real captures (docs/compliance.md)
KEPT = 50  # failures in the report's input
_BY_DECODER = ("codec", "decoder")


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    system = _system(argv)
    knobs = {f.name.upper(): f"tolerance, see scoreboards/{system.ip}_knobs.py" for f in fields(system.knobs)}
    given = parse(argv, {**WORDS, **system.words, **knobs}, __doc__ or "")
    files = _files(given, system)
    megabytes = number(given, "MEMORY", MEMORY)
    _enough(files, megabytes)
    try:
        compliance, out = _report(given, files)
    except MemoryError:
        raise ArgumentError(f"{files.trace} needs more than {megabytes} MB to be checked; cut it at a synchronizing message, or give MEMORY=<more MB>") from None
    _print(files, compliance)
    print(f"report: {out / 'index.html'}, {out / 'compliance.json'}, {out / 'junit.xml'}")
    return compliance.exit_code


def _system(argv: list[str]) -> System:
    """The system FORMAT= names."""
    if any(word in ("help", "-h", "--help") for word in argv):
        return systems.find("ntrace")
    said = next((word[7:] for word in argv if word.startswith("FORMAT=")), "")
    if said not in FORMATS:
        raise ArgumentError(f"{f'FORMAT={said} is not known' if said else 'no format was named'}; give FORMAT={' or '.join(FORMATS)}")
    return systems.find(said)


def _files(given: Mapping[str, str], system: System) -> TraceFiles:
    """Trace, configuration and program; a ValueError subclass tells what is wrong with them."""
    if "TRACE" not in given:
        raise ArgumentError("no trace was named; give TRACE=<file> with the bytes that the encoder sent")
    words = {name: text for name, text in given.items() if name in ("TRACE", "ELF", "CONFIG") or name in system.words}
    folder = Path(given["TRACE"])
    if folder.is_dir():
        words = {word: str(folder / FILES[word]) for word in ("ELF", "CONFIG") if (folder / FILES[word]).exists()} | words
        words["TRACE"] = str(folder / FILES["TRACE"])
    if "ELF" not in words:
        raise ArgumentError("no program was named; give ELF=<file>, the one that was traced")
    for word in ("TRACE", "ELF", "CONFIG"):
        if word in words:
            existing_file(words, word, words[word])
    return load({"IP": system.ip, **words})


def _enough(files: TraceFiles, megabytes: int) -> None:
    """ArgumentError if the trace is too large for the memory allowed, and a limit for the case that it is not as usual."""
    if megabytes < 256:
        raise ArgumentError(f"MEMORY={megabytes} is too little to start with; give 256 or more")
    need = len(files.data) * NEEDED[files.system.ip] >> 20
    if need > megabytes:
        raise ArgumentError(
            f"{files.trace} has {len(files.data) / 1e6:,.0f} MB, and to check them takes about {need:,} MB of memory, more than the {megabytes:,} allowed; "
            f"cut it at a synchronizing message, or give MEMORY={need + 256}"
        )
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    limit = (megabytes + 1024) << 20  # libraries reserve addresses that they never use
    resource.setrlimit(resource.RLIMIT_AS, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


def _retired(given: Mapping[str, str], files: TraceFiles) -> Retired | None:
    """The retire stream, which must follow the program; None if there is none."""
    path = Path(given["TRACE"]) / FILES["RETIRED"]
    if "RETIRED" in given:
        path = existing_file(given, "RETIRED", given["RETIRED"])
    elif not path.is_file():
        return None
    try:
        retired = Retired.from_csv(path)
    except UnicodeDecodeError:
        raise ArgumentError(f"{path} is not text; give a retired.csv as `make capture` writes it, or leave RETIRED away") from None
    if not len(retired):
        raise ArgumentError(f"{path} holds no event; give one row for each instruction that retired while tracing, or leave RETIRED away")
    assert files.program is not None
    try:
        check_flow(retired, files.program)
    except ValueError as error:
        raise ArgumentError(f"{path} does not follow {files.elf}: {error}; give the ELF and the retire stream of one run") from None
    return retired


def _knobs(system: System, given: Mapping[str, str]) -> Any:
    """What the specification leaves open is left open, but for what the words ask for."""
    base = system.knobs.free()
    chosen: dict[str, Any] = {}
    for f in fields(base):
        if (text := given.get(f.name.upper())) is not None:
            kind = type(getattr(base, f.name))
            chosen[f.name] = text if kind is str else kind(number(given, f.name.upper()))
    return replace(base, **chosen)


def _report(given: Mapping[str, str], files: TraceFiles) -> tuple[Compliance, Path]:
    retired = _retired(given, files)
    rerun = " ".join(["make check-trace", *(f"{name}={value}" for name, value in given.items())])
    capture = files.system.capture(files.config, files.program, files.data, None, retired, rerun)
    capture.exact = False
    verdict = _judged(given, files, capture, retired)
    name = given.get("NAME") or (files.trace.parent.name if Path(given["TRACE"]).is_dir() else files.trace.stem)
    out = Path(given.get("OUT") or Path("build") / "compliance" / name)
    subject = _subject(name, files, retired, verdict)
    return write(subject, [_result(name, files, verdict, rerun)], [], out), out


def _judged(given: Mapping[str, str], files: TraceFiles, capture: Any, retired: Retired | None) -> Verdict:
    knobs = _knobs(files.system, given)
    if files.system.ip == "tandem" or retired is None:
        verdict = alone(files, capture, knobs)
        if retired is not None:
            in_order(capture, verdict, retired)
        return verdict
    return files.system.check(capture, knobs)


def _subject(name: str, files: TraceFiles, retired: Retired | None, verdict: Verdict) -> Subject:
    config = files.config
    about = {
        "Trace": f"{files.trace.name}, {len(files.data):,} bytes",
        "Program": f"{files.elf.name if files.elf else '-'}, RV{config.xlen}",
        "Options": files.system.described(config),
        "Retire stream": f"{len(retired):,} events" if retired is not None else "not given: what needs it is NOT-RUN",
        "Told": f"{int(verdict.stats.get('told', 0)):,} instructions in {int(verdict.stats.get('messages', 0)):,} messages",
        "Held to": f"legal{', lossless' if retired is not None else ', and what decoding alone can tell'}; without a simulator",
    }
    variant = f"RV{config.xlen}" if files.system.ip == "tandem" else config.variant
    clauses = files.system.plan.clauses.values() if files.system.plan else ()
    other = {c.id: f"holds in {' and '.join(c.variants)}, the trace is {variant}" for c in clauses if c.variants and variant not in c.variants}
    return Subject(name, files.system.ip, f"{files.system.title} trace", about, other, {c.id: _why(c, retired is not None) for c in clauses})


def _why(clause: Clause, has_retired: bool) -> str:
    """Why a clause that no check of a captured trace counted was not checked."""
    by = set(clause.checks)
    if by & {"legal", "transport", "verify"} or (has_retired and "lossless" in by):
        return "the trace did not meet it"
    if clause.through:
        return "stands for a situation that this trace did not meet" if has_retired else "stands for a situation of the hart, which only the retire stream tells; give RETIRED="
    if "lossless" in by:
        return "compares the trace with what the hart did; give RETIRED="
    if "exact" in by:
        return "is compared with the reference model, which takes the encoder itself: `make check DUT=`"
    if "port" in by:
        return "is about the ports; `make check DUT=` sees them"
    return "is about a receiver, and checked by our own tests" if by <= set(_BY_DECODER) or any(check.endswith(".py") for check in by) else "needs more than one trace"


def _result(name: str, files: TraceFiles, verdict: Verdict, rerun: str) -> dict[str, Any]:
    """The result.json dict of the check; a trace that fits the program badly, or tells too much, says so as a problem."""
    problems = [text for text in (fits(files, verdict),) if text]
    return {
        "ip": files.system.ip, "name": name, "source": f"trace:{files.trace.name}", "sim": "none", "drive": "file", "seed": None,
        "config": files.config.to_dict(), "verdict": "PASS" if verdict.passed else "FAIL", "error": None, "clauses": verdict.book.results(),
        "failures": [failure.to_dict() for failure in verdict.failures[:KEPT]], "coverage": {}, "stats": {}, "rerun": rerun, "problems": problems,
    }  # fmt: skip


def _print(files: TraceFiles, compliance: Compliance) -> None:
    print(files.title)
    for row in compliance.of("FAIL")[:10]:
        assert row.first
        print(f"\n{row.first.text}")
    print(f"\n{compliance.verdict}  {compliance.sentence}")
    for problem in compliance.problems:
        print(f"note: {problem}", file=sys.stderr)


if __name__ == "__main__":
    main_guard(main)
