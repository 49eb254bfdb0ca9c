"""Hold a captured trace to the specification without a simulator: `make check OUT=out`. (With DUT= an IP on the stand: tools/check_dut.py.)

    python -m tools.check OUT=out                                        a folder of `make capture`
    python -m tools.check TRACE=t.bin ELF=p.elf CONFIG=c.json RETIRED=r.csv   files of a vendor's encoder

Lossless and legal always; exact against the reference profile (docs/<ip>-profile.md) if the ingress beats (beats.npz) are there. Prints each
clause that was checked and every failure; exits 1 if a clause failed. docs/attach-your-ip.md tells what the
files hold.
"""

from __future__ import annotations

import sys
import zipfile
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from models.riscv.beats import Beats
from models.riscv.retired import Retired
from scoreboards.clauses import Plan
from tools.arguments import ArgumentError, flag, main_guard, number, parse
from tools.systems.base import System
from tools.trace_files import FILES, TraceFiles, load, path_of, read_retired, required, system_of, words

OPTIONS = {
    "RETIRED": "what the hart retired (default OUT/retired.csv)",
    "BEATS": "what crossed the ingress port, from our own benches (default OUT/beats.npz if it is there)",
    "EXACT": "1: also byte for byte, needs BEATS; 0: not, even if they are there",
    "QUIET": "1: no clause table",
}


def _knobs(system: System, given: Mapping[str, str], exact: bool) -> Any:
    """The tolerances: the reference's for a device that declares its profile, else what the specification leaves open."""
    base = system.knobs() if exact else system.knobs.free()
    chosen = {f.name: number(given, f.name.upper()) for f in fields(base) if f.name.upper() in given}
    return replace(base, **{name: type(getattr(base, name))(value) for name, value in chosen.items()})


def _beats(given: Mapping[str, str]) -> Beats | None:
    """The ingress beats if they were named or lie in OUT; ArgumentError if EXACT=1 needs them, or they are damaged."""
    path = path_of(given, "BEATS")
    if path is None or ("BEATS" not in given and not path.exists()):
        if flag(given, "EXACT"):
            raise ArgumentError(f"EXACT=1 needs the ingress beats ({FILES['BEATS']}); give BEATS=<file>, or leave EXACT=1 away")
        return None
    required(given, "BEATS")
    try:
        return Beats.load(path)
    except (KeyError, ValueError, EOFError, zipfile.BadZipFile):
        raise ArgumentError(f"{path} is no file of ingress beats; capture again with `make capture`") from None


def _retired(given: Mapping[str, str], files: TraceFiles, needed: bool) -> Retired | None:
    """The retire stream, which must follow the program; None if it is neither needed nor there."""
    path = path_of(given, "RETIRED")
    if not needed and (path is None or ("RETIRED" not in given and not path.exists())):
        return None
    return read_retired(required(given, "RETIRED"), files)


def capture_of(given: Mapping[str, str]) -> tuple[TraceFiles, Any]:
    """The capture that the words name, ready for the scoreboard."""
    files = load(given)
    beats = _beats(given)
    retired = _retired(given, files, needed=beats is None)
    if beats is not None and beats.lanes != files.config.blocks:
        raise ArgumentError(f"the beats have {beats.lanes} lanes and BLOCKS={files.config.blocks}; give BLOCKS={beats.lanes}")
    assert files.program is not None
    capture = files.system.capture(files.config, files.program, files.data, beats, retired, _rerun(given))
    capture.exact = beats is not None and given.get("EXACT") != "0"
    if beats is not None and retired is not None:
        row = capture.retired.differs(retired)
        if row is not None:
            raise ArgumentError(
                f"{path_of(given, 'RETIRED')} and {path_of(given, 'BEATS')} tell different streams from event {row} on; "
                "give those of one run"
            )
    return files, capture


def _rerun(given: Mapping[str, str]) -> str:
    return " ".join(["make check", *(f"{name}={value}" for name, value in given.items())])


def table(verdict: Any, known: Plan | None) -> list[str]:
    """A line for each clause checked, those that failed first."""
    results = verdict.book.results()
    lines = [f"{'clause':<28} {'verdict':<7} {'checked':>9} {'failed':>7}  requirement"]
    for name, (checked, failed) in sorted(results.items(), key=lambda item: item[1][1] == 0):
        what = known[name].what if known is not None and name in known else ""
        lines.append(f"{name:<28} {'FAIL' if failed else 'PASS':<7} {checked:>9,} {failed:>7,}  {what}".rstrip())
    if known is not None:
        missing = sum(v == "NOT-RUN" for v in known.verdicts(results).values())
        lines.append(f"{missing} of {len(known.clauses)} clauses of the plan: NOT-RUN, this trace did not meet them")
    return lines


def main(argv: list[str]) -> int:
    """The command line; returns the exit code."""
    if any(word.startswith("DUT=") and word != "DUT=" for word in argv):
        from tools.check_dut import main as on_the_stand

        return on_the_stand(argv)
    system = system_of(argv)
    if system.own_check is not None:
        return system.own_check(argv)
    knobs = {f.name.upper(): f"tolerance, see scoreboards/{system.ip}_knobs.py" for f in fields(system.knobs)}
    given = parse(argv, {**words(argv), **OPTIONS, **knobs}, __doc__ or "")
    quiet = flag(given, "QUIET")
    files, capture = capture_of(given)
    verdict = system.check(capture, _knobs(system, given, capture.exact))
    results = verdict.book.results()
    print(f"{files.title}; {'exact, ' if capture.exact else ''}lossless and legal")
    if not quiet:
        print("\n".join(table(verdict, system.plan)))
    for failure in verdict.failures:
        print(f"\n{failure.text()}")
    checks, failed = (sum(counts[i] for counts in results.values()) for i in (0, 1))
    instructions = int(verdict.stats["instructions"])
    if not checks or not instructions:
        print(f"error: nothing in {files.trace} could be checked; give a trace and a retire stream of one run", file=sys.stderr)
        return 1
    if verdict.passed:
        lost = instructions - int(verdict.stats["told"])
        told = f" ({lost:,} of them lost in overflows)" if lost > 0 else ""
        print(f"\nPASS  {instructions:,} instructions{told}, {checks:,} checks of {len(results)} clauses")
        return 0
    broken = len(verdict.book.failed)
    print(f"\nFAIL  {failed:,} of {checks:,} checks failed, against {broken} clause{'s' if broken > 1 else ''}")
    return 1


if __name__ == "__main__":
    main_guard(main)
