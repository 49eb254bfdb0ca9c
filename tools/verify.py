# SPDX-License-Identifier: Apache-2.0
"""Replay a tandem trace against an instruction set simulator, without a simulator of the RTL: `make verify TRACE=…
ELF=… [CONFIG=…]`.

    python -m rvtrace.tools.verify OUT=out                                   a folder of `make capture IP=tandem`
    python -m rvtrace.tools.verify TRACE=t.bin ELF=p.elf CONFIG=c.json PROFILE=p.json

Chapter 3 of the specification (docs/reference/tandem-verifier.md): each mismatch once, with whose fault it is (the
hart's, the trace's or the model's) and why. It stops after MAX=100 of them. Exits 1 if there was one, or if nothing
could be compared.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace

from rvtrace.flow.captured.files import TraceFiles, load, path_of, words
from rvtrace.flow.captured.profile import profile_of
from rvtrace.flow.captured.tandem_alone import MIDDLE, begins, silent
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.diagnostics import BROKEN
from rvtrace.models.tandem.simulator.interface import Reference
from rvtrace.models.tandem.simulator.unicorn_cpu import UnicornError, UnicornSimulator
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.tb.common.arguments import ArgumentError, flag, main_guard, number, parse

MAX, NEAR = 100, 4096  # findings; bytes that are the start of a trace
OPTIONS = {
    "PROFILE": (
        "JSON with what the verifier knows of the hart (models/tandem/verifier/profile.py; default: the one that"
        " recorded our programs)"
    ),
    "PC": "the first pc, of a trace that does not begin with reset",
    "MAX": "findings after which it stops (default 100; 0: never)",
    "SECOND": "0: do not ask a second simulator (unicorn) who is right",
}


def main(argv: list[str]) -> int:
    """0 if the trace fits the simulator, else 1."""
    argv = [*argv, *([] if any(word.startswith("IP=") for word in argv) else ["IP=tandem"])]
    given = parse(argv, {**words(argv), **OPTIONS}, __doc__ or "")
    if given["IP"] != "tandem":
        raise ArgumentError(f"IP={given['IP']} has no verifier; give a tandem trace, and IP=tandem or no IP=")
    files = load(given)
    assert files.program is not None
    profile = profile_of(given, files)
    second = _second(given, profile)
    decoded = decode(files.data, files.config)
    if "PC" not in given and not begins(decoded):
        raise ArgumentError(f"{files.trace}: {MIDDLE}")
    profile = replace(profile, absent=silent(profile, decoded))
    verifier = Verifier(
        Reference(Hart(profile.hart)), profile, second, number(given, "PC") if "PC" in given else None, files.program
    )
    print(files.title)
    if doubt := _doubt(given, files, decoded):
        print(doubt)
    most = number(given, "MAX", MAX)
    if most < 0:
        raise ArgumentError(f"MAX={most} is no number of findings; give MAX={MAX}, or MAX=0 for all")
    verifier.stop_after = most or None
    if not decoded.init.any():
        verifier.load([*files.program.segments, *files.program.data])
    begin = time.perf_counter()
    report = verifier.run(decoded, files.data)
    seconds = time.perf_counter() - begin
    print(f"against {verifier.simulator.name}{f', asked at mismatches: {second.name}' if second else ''}")
    print(report)
    if report.stopped is not None:
        print(f"there are more; MAX={10 * most} shows it, MAX=0 all of it")
    print(f"{'PASS' if report.ok else 'FAIL'}  {report.instructions:,} instructions in {seconds:.2f} s")
    return 0 if report.ok else 1


def _doubt(given: Mapping[str, str], files: TraceFiles, decoded: Decoded) -> str:
    """A sentence if the first bytes already break the format and nobody said what the encoder was; else ""."""
    path = path_of(given, "CONFIG")
    if path is not None and path.is_file():
        return ""
    first = next((one for one in decoded.diagnostics if one.name in BROKEN and one.offset < NEAR), None)
    if first is None or first.name == "truncated":
        return ""
    config = files.config
    return (
        f"the bytes break the format already at offset {first.offset:#x} ({first.name}), and no CONFIG was given:"
        f" XLEN={config.xlen} FLEN={config.flen} MLEN={config.mlen} may not be the encoder's; give CONFIG=<its"
        " config.json>, or the right XLEN=, FLEN= and MLEN="
    )


def _second(given: Mapping[str, str], profile: Profile) -> UnicornSimulator | None:
    if not flag({"SECOND": "1"} | dict(given), "SECOND"):
        return None
    try:
        return UnicornSimulator(profile.hart)
    except UnicornError as error:
        print(f"no second opinion: {error}", file=sys.stderr)
        return None


if __name__ == "__main__":
    main_guard(main)
