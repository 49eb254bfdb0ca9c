# SPDX-License-Identifier: Apache-2.0
"""Check a captured trace (silicon, FPGA, another simulator) against the specification, without a simulator, and write
a compliance report.

    make check-trace FORMAT=etrace|ntrace|tandem TRACE=t.bin ELF=app.elf [RETIRED=retired.csv] [CONFIG=config.json]
    [OUT=folder]

With RETIRED the trace must encode what the hart did (lossless) and be legal; without it, it must be legal, and
what a decoder makes of it must fit the program. TRACE may be a folder of `make capture`, for the files in it. Exits 1
if a clause fails; docs/how-to/attach-your-ip.md describes the files.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from rvtrace.flow.captured import tandem_alone as check_trace_tandem
from rvtrace.flow.captured.alone import alone, problem
from rvtrace.flow.captured.files import TraceFiles
from rvtrace.flow.captured.limits import MEMORY, Paths, limit
from rvtrace.flow.captured.partial import ENDS, HINT, whole_part
from rvtrace.models.riscv.retired import Retired
from rvtrace.report.compliance import Compliance, Subject, write
from rvtrace.scoreboards.common.clauses import Clause
from rvtrace.scoreboards.common.verdict import Verdict
from rvtrace.tb import systems
from rvtrace.tb.common.arguments import ArgumentError, flag, main_guard, number, parse, typed
from rvtrace.tb.common.system import System
from rvtrace.tools.verify import _profile as profile_of

FORMATS = ("etrace", "ntrace", "tandem")
WORDS = {
    "FORMAT": f"the format, {', '.join(FORMATS)}",
    "TRACE": (
        "the bytes of one encoder, first sent first (of E-Trace also a .hex file, one payload a line); or a folder of"
        " `make capture`"
    ),
    "ELF": "the program that was traced",
    "RETIRED": "what the hart retired while tracing was on, retired.csv; without it the trace is judged by itself",
    "CONFIG": "JSON with the encoder's options; without it the defaults, and the options below",
    "OUT": "folder for index.html, compliance.json and junit.xml (default build/compliance/<name of the trace>)",
    "PARTIAL": "1: the buffer wrapped, or the hart was still running: judge what lies between (not with RETIRED)",
    "PROFILE": "tandem: JSON with what is known of the hart (docs/reference/tandem-verifier.md)",
    "PC": "tandem: the first pc, of a trace that does not begin with reset",
    "NAME": "name of the device in the report (default: name of the trace)",
    "MEMORY": f"megabytes that the check may take (default {MEMORY})",
}
KEPT = 50  # failures in the report's input
PRINTED = 10  # in the terminal; the report has the first of each clause
_MODELS = ("codec", "decoder", "sources")  # checks of a plan that are tests of models


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    system = _system(argv)
    tolerances = {
        f.name.upper(): f"tolerance, see scoreboards/{system.ip}/tolerances.py" for f in fields(system.tolerances)
    }
    given = parse(argv, {**WORDS, **system.words, **tolerances}, __doc__ or "")
    paths = Paths.of(given, system)
    megabytes = number(given, "MEMORY", MEMORY)
    limit(paths, system, megabytes)
    try:
        files = paths.load(given, system)
        compliance, out = _report(given, paths, files)
    except MemoryError:
        raise ArgumentError(
            f"{paths.trace} needs more than {megabytes} MB to be checked; cut it at a synchronizing message, or give"
            " MEMORY=<more MB>"
        ) from None
    _print(files, compliance, flag(given, "PARTIAL"))
    print(f"report: {out / 'index.html'}, {out / 'compliance.json'}, {out / 'junit.xml'}")
    return compliance.exit_code


def _system(argv: list[str]) -> System:
    """The system FORMAT= names."""
    if any(word in ("help", "-h", "--help") for word in argv):
        return systems.find("ntrace")
    said = next((word[7:] for word in argv if word.startswith("FORMAT=")), "")
    if said not in FORMATS:
        raise ArgumentError(
            f"{f'FORMAT={said} is not known' if said else 'no format was named'}; give FORMAT={' or '.join(FORMATS)}"
        )
    return systems.find(said)


def _tolerances(system: System, given: Mapping[str, str]) -> Any:
    """What the specification leaves open is left open, but for what the words ask for."""
    base = system.tolerances.free()
    chosen: dict[str, Any] = {}
    for f in fields(base):
        if (text := given.get(f.name.upper())) is not None:
            kind = type(getattr(base, f.name))
            chosen[f.name] = text if kind is str else kind(number(given, f.name.upper()))
    return replace(base, **chosen)


def _report(given: Mapping[str, str], paths: Paths, files: TraceFiles) -> tuple[Compliance, Path]:
    retired = paths.read_retired(files)
    rerun = typed("make check-trace", given)
    capture = files.system.capture(files.config, files.program, files.data, None, retired, rerun)
    capture.exact = False
    part = ""
    if flag(given, "PARTIAL"):
        if retired is not None:
            raise ArgumentError(
                "PARTIAL=1 and a retire stream exclude each other: it is unknown which of its events the part encodes;"
                " omit RETIRED, or give whole files"
            )
        files, capture, part = whole_part(files, capture)
    tolerances = _tolerances(files.system, given)
    if part and files.system.ip == "ntrace":  # of the first sync of a part nobody knows how long after another it came
        tolerances = replace(tolerances, sync_early=files.config.sync_interval + 1)
    verdict = _judged(given, files, capture, retired, tolerances)
    name = given.get("NAME") or paths.name
    out = Path(given.get("OUT") or Path("build") / "compliance" / name)
    subject = _subject(name, files, retired, verdict, part)
    return write(subject, [_result(name, files, verdict, rerun)], [], out), out


def _judged(
    given: Mapping[str, str], files: TraceFiles, capture: Any, retired: Retired | None, tolerances: Any
) -> Verdict:
    if files.system.ip == "tandem":
        verdict = check_trace_tandem.check(
            capture, tolerances, profile_of(given, files), number(given, "PC") if "PC" in given else None
        )
        if retired is not None:
            check_trace_tandem.in_order(capture, verdict, retired)
        return verdict
    return alone(files, capture, tolerances) if retired is None else files.system.check(capture, tolerances)


def _subject(name: str, files: TraceFiles, retired: Retired | None, verdict: Verdict, part: str) -> Subject:
    config = files.config
    stats = verdict.stats
    about = {
        "Trace": f"{files.trace.name}, {part or f'{len(files.data):,} bytes'}",
        "Program": f"{files.elf.name if files.elf else '-'}, RV{config.xlen}",
        "Options": files.system.described(config),
        "Retire stream": f"{len(retired):,} events" if retired is not None else "not given: what needs it is NOT-RUN",
        "Decoded": f"{int(stats.get('told', 0)):,} instructions in {int(stats.get('messages', 0)):,} messages",
        "Checked as": (
            f"legal{', lossless' if retired is not None else ', and what decoding alone can show'}; without a simulator"
        ),
    }
    variant = f"RV{config.xlen}" if files.system.ip == "tandem" else config.variant
    clauses = files.system.plan.clauses.values() if files.system.plan else ()
    unreplayed = files.system.ip == "tandem" and "TV.verify.groups" not in verdict.book.results()
    return Subject(
        name,
        files.system.ip,
        f"{files.system.title} trace",
        about,
        {c.id: why for c in clauses if c.id not in verdict.book.failed and (why := _not_applicable(c, variant))},
        {
            c.id: check_trace_tandem.MIDDLE if unreplayed and "verify" in c.checks else _not_run(c, retired is not None)
            for c in clauses
        },
    )


def _not_applicable(clause: Clause, variant: str) -> str:
    """Why a captured trace cannot be checked against a clause; empty if one can."""
    by = {check for check in clause.checks if check not in _MODELS and not check.endswith(".py")}
    if clause.variants and variant not in clause.variants:
        return f"holds in {' and '.join(clause.variants)}, the trace is {variant}"
    if clause.checks and not by:
        return "about models and tools, not about a device"
    return "only a device that declares the reference profile is checked against it" if by == {"exact"} else ""


def _not_run(clause: Clause, has_retired: bool) -> str:
    """Why a clause that no check counted was not checked."""
    by = set(clause.checks)
    if by & {"legal", "transport", "verify"} or (has_retired and "lossless" in by and not clause.id.startswith("TV.")):
        return "the trace did not meet it"
    if clause.through:
        return (
            "summarizes a situation that this trace did not meet"
            if has_retired
            else "summarizes a situation of the hart, which only the retire stream shows; give RETIRED="
        )
    if "lossless" in by and clause.id.startswith("TV."):
        return "compares the trace with what was on the ports; `make check DUT=` sees them"
    if "lossless" in by:
        return "compares the trace with what the hart did; give RETIRED="
    return "is about the ports; `make check DUT=` sees them"


def _result(name: str, files: TraceFiles, verdict: Verdict, rerun: str) -> dict[str, Any]:
    """The result.json dict of the check; a trace that fits the program badly, or encodes too much, says so as a
    problem.
    """
    problems = [text for text in (problem(files, verdict),) if text]
    return {
        "ip": files.system.ip,
        "name": name,
        "source": f"trace:{files.trace.name}",
        "sim": "none",
        "drive": "file",
        "seed": None,
        "config": files.config.to_dict(),
        "verdict": "PASS" if verdict.passed else "FAIL",
        "error": None,
        "clauses": verdict.book.results(),
        "failures": [failure.to_dict() for failure in verdict.failures[:KEPT]],
        "coverage": {},
        "stats": {},
        "rerun": rerun,
        "problems": problems,
    }


def _print(files: TraceFiles, compliance: Compliance, partial: bool) -> None:
    print(files.title)
    for text in list(dict.fromkeys(row.first.text for row in compliance.failures("FAIL") if row.first))[:PRINTED]:
        print(f"\n{text}")
    print(f"\n{compliance.verdict}  {compliance.sentence}")
    for text in compliance.problems:
        print(f"note: {text}", file=sys.stderr)
    if not partial and any(row.id in ENDS for row in compliance.of("FAIL")):
        print(f"note: {HINT}", file=sys.stderr)


if __name__ == "__main__":
    main_guard(main)
