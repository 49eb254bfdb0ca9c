# SPDX-License-Identifier: Apache-2.0
"""Check a captured trace (silicon, FPGA, another simulator) against the specification, without a simulator, and write
a compliance report.

    make check IP=etrace|ntrace|tandem TRACE=t.bin ELF=app.elf [RETIRED=retired.csv] [CONFIG=config.json] [OUT=folder]
    make check IN=<folder of make capture>

With RETIRED the trace must encode what the hart did (lossless) and be legal; without it, it must be legal, and
what a decoder makes of it must fit the program. Exits 1
if a clause fails; docs/how-to/attach-your-ip.md describes the files.
"""

from __future__ import annotations

import sys
from pathlib import Path

from rvtrace.flow.captured.files import WORDS as FILE_WORDS
from rvtrace.flow.captured.files import TraceFiles, is_said, path_of, system_of
from rvtrace.flow.captured.judge import judge, judge_parts
from rvtrace.flow.captured.limits import MEMORY, Paths, limited, longest
from rvtrace.flow.captured.verdict import SEARCH, searched, tolerance_words
from rvtrace.flow.processes import cores
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse
from rvtrace.jobs.names import TRACES
from rvtrace.report import compliance as compliance_report
from rvtrace.report import goals as plan_goals
from rvtrace.report import junit, signoff
from rvtrace.report.captured import write_report
from rvtrace.report.compliance import Compliance
from rvtrace.scoreboards.common.judge import Judge

FORMATS = tuple(sorted(TRACES))
WORDS = {
    "IP": f"what sent the trace: {', '.join(FORMATS)} (default: what IN or CONFIG says)",
    "IN": "folder of `make capture`, for the files that are not named",
    "TRACE": "the bytes of one encoder, first sent first (of E-Trace also a .hex file, one payload a line)",
    "ELF": "the program that was traced",
    "RETIRED": "what the hart retired while tracing was on, retired.csv; without it the trace is judged by itself",
    "CONFIG": "JSON with the encoder's options; without it the defaults, and the options below",
    "JUNIT": junit.WORD,
    "GOALS": plan_goals.WORD,
    "SIGN": signoff.WORD,
    "OUT": "folder for index.html, compliance.json and junit.xml (default build/compliance/<name of the trace>)",
    "SOURCE": FILE_WORDS["SOURCE"],
    "PARTIAL": "1: the buffer wrapped, or the hart was still running: judge what lies between (not with RETIRED)",
    "PROFILE": "tandem: JSON with what is known of the hart (docs/reference/tandem-verifier.md)",
    "PC": "tandem: the first pc, of a trace that does not begin with reset",
    "NAME": "name of the device in the report (default: name of the trace)",
    "N": "processes that judge the parts of a long trace (default: the cores; tandem: one); the result is the same",
    "MEMORY": f"megabytes that the check may take (default {MEMORY})",
}
HINT = (
    "if the buffer wrapped, or the hart was still running, give PARTIAL=1: then the trace is judged from its first"
    " synchronizing message to its last whole one"
)
PRINTED = 10  # findings in the terminal; the report has all


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    system = _system(argv)
    given = parse(argv, known(argv), __doc__ or "", ("OUT", "JUNIT"))
    goals = plan_goals.read(Path(given["GOALS"])) if "GOALS" in given else []
    paths = Paths.of(given, system)
    megabytes = number(given, "MEMORY", MEMORY)
    long = paths.is_long(given, system)
    processes = number(given, "N", cores(), least=1) if long else 0
    name = given.get("NAME") or paths.name
    out = Path(given.get("OUT") or Path("build") / "compliance" / name)
    try:
        with limited(paths, system, megabytes, processes), searched(given):
            files = paths.load(given, system, need_data=not long)
            if long:
                judged = judge_parts(given, files, processes, longest(system, megabytes, processes))
            else:
                judged = judge(given, paths, files)
            compliance = write_report(name, judged, out, paths.every, goals)
            if "JUNIT" in given:
                junit.write(compliance_report.junit(compliance), Path(given["JUNIT"]))
            if "SIGN" in given:
                signoff.sign(out, Path(given["SIGN"]))
    except MemoryError:
        raise ArgumentError(
            f"{paths.trace} needs more than {megabytes} MB to be checked; cut it at a synchronizing message, or give"
            " MEMORY=<more MB>"
        ) from None
    _print(judged.files, compliance, flag(given, "PARTIAL"))
    for note in judged.verdict.notes:
        print(f"note: {note}")
    print(f"report: {out / 'index.html'}, {out / 'compliance.json'}, {out / 'junit.xml'}")
    return compliance.exit_code


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command, with the options of the system that these name."""
    system = system_of(argv)
    return {**WORDS, **SEARCH, **system.words, **tolerance_words(system.tolerances, system.ip)}


def _system(argv: list[str]) -> Judge:
    """The system that IP= names, or the configuration; ArgumentError for files of which nobody says it."""
    given = dict(word.split("=", 1) for word in argv if "=" in word)
    config = path_of(given, "CONFIG")
    said = config is not None and config.is_file() and is_said(config)
    if not given.get("IP") and not said and "TRACE" in given:
        raise ArgumentError(f"nothing says what sent {given['TRACE']}; give IP={' or '.join(FORMATS)}")
    return system_of(argv)


def _print(files: TraceFiles, compliance: Compliance, partial: bool) -> None:
    print(files.title)
    for finding in compliance.found("FAIL")[:PRINTED]:
        print(f"\n{finding.text()}")
    print(f"\n{compliance.verdict}  {compliance.sentence}")
    for text in compliance.problems:
        print(f"note: {text}", file=sys.stderr)
    if not partial and any(row.id in files.captured.ends for row in compliance.of("FAIL")):
        print(f"note: {HINT}", file=sys.stderr)


if __name__ == "__main__":
    main_guard(main)
