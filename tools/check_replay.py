# SPDX-License-Identifier: Apache-2.0
"""Replay a tandem trace against an instruction set simulator, without a simulator of the RTL:
`make check IP=tandem REPLAY=1`.

    make check IN=out REPLAY=1                                        a folder of `make capture IP=tandem`
    make check REPLAY=1 TRACE=t.bin ELF=p.elf CONFIG=c.json PROFILE=p.json

Chapter 3 of the specification (docs/reference/tandem-verifier.md): each mismatch once, with whose fault it is (the
hart's, the trace's or the model's) and why. It stops after MAX=100 of them. Exits 1 if there was one, or if nothing
could be compared. The trace may be longer than memory: it is read in parts, one after the other, and what the first
mismatches are is said at once on stderr, with how far it is.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from rvtrace.flow.captured.files import TraceFiles, load, path_of, words
from rvtrace.flow.captured.profile import profile_of
from rvtrace.flow.captured.tandem_stream import Source, Teller, is_long, replay
from rvtrace.jobs import front
from rvtrace.jobs.arguments import ArgumentError, flag, main_guard, number, parse
from rvtrace.models.riscv.iss.hart import Hart
from rvtrace.models.tandem.decoder.decode import Part
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.decoder.diagnostics import BROKEN
from rvtrace.models.tandem.decoder.window import Window
from rvtrace.models.tandem.simulator.interface import Reference
from rvtrace.models.tandem.simulator.unicorn_cpu import UnicornError, UnicornSimulator
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.tandem.alone import MIDDLE, Reported
from rvtrace.scoreboards.tandem.verify import clause_of

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
    argv = _of_tandem(argv)
    given = parse(argv, known(argv), __doc__ or "")
    if given["IP"] != "tandem":
        raise ArgumentError(f"IP={given['IP']} has no verifier; give a tandem trace, and IP=tandem or no IP=")
    files = load(given, need_data=False)
    assert files.program is not None
    profile = profile_of(given, files)
    second = _second(given, profile)
    most = number(given, "MAX", MAX)
    if most < 0:
        raise ArgumentError(f"MAX={most} is no number of findings; give MAX={MAX}, or MAX=0 for all")
    pc = number(given, "PC") if "PC" in given else None
    said, show = _Said(given, files), _Shown(files.size) if is_long(files) else None

    def make(reported: Reported) -> Verifier | None:
        if pc is None and reported.begins is False:
            raise ArgumentError(f"{files.trace}: {MIDDLE}")
        if pc is None and not reported.begins:
            return None
        known = replace(profile, absent=reported.absent(profile))
        verifier = Verifier(Reference(Hart(known.hart)), known, second, pc, files.program)
        verifier.stop_after = most or None
        assert files.program is not None
        return verifier if reported.loads else verifier.load([*files.program.segments, *files.program.data])

    begin = time.perf_counter()
    _, verifier = replay(Source(files.trace, files.config), make, said.look, show or _nothing, files.program)
    if verifier is None:
        raise ArgumentError(f"{files.trace}: {MIDDLE}")
    if show is not None:
        show.teller.end()
    report, seconds = verifier.report, time.perf_counter() - begin
    print(f"against {verifier.simulator.name}{f', asked at mismatches: {second.name}' if second else ''}")
    print(report)
    if report.stopped is not None:
        print(front.spoken(f"there are more; MAX={10 * most} shows them, MAX=0 all of them"))
    print(f"{'PASS' if report.ok else 'FAIL'}  {report.instructions:,} instructions in {seconds:.2f} s")
    return 0 if report.ok else 1


def known(argv: list[str]) -> dict[str, str]:
    """The words of this command."""
    return {**words(_of_tandem(argv)), **OPTIONS}


def _of_tandem(argv: list[str]) -> list[str]:
    return [*argv, *([] if any(word.startswith("IP=") for word in argv) else ["IP=tandem"])]


class _Said:
    """The first lines, when it is known that the trace can be replayed."""

    def __init__(self, given: Mapping[str, str], files: TraceFiles) -> None:
        self._given, self._files, self._first = given, files, True
        self._doubted = False

    def look(self, part: Part, window: Window) -> None:
        """A part of the trace."""
        if self._first:
            self._first = False
            print(self._files.title, flush=True)
        if not self._doubted and (doubt := _doubt(self._given, self._files, part.decoded)):
            self._doubted = True
            print(doubt, flush=True)


class _Shown:
    """How far it is, on stderr, and the first mismatch of each kind."""

    def __init__(self, size: int) -> None:
        self.teller = Teller(size)
        self._count, self._clauses = 0, set[str]()

    def __call__(self, done: int, report: Report | None) -> None:
        """So many bytes are done."""
        found = report.findings if report is not None else []
        new = []
        for one in found[self._count :]:
            if clause_of(one) not in self._clauses and report is not None:
                self._clauses.add(clause_of(one))
                new.append(Failure(clause_of(one), one.lines(report.table)[0]))
        self._count = len(found)
        self.teller(done, new)


def _nothing(*_: Any) -> None:
    """A trace that is not long needs no progress."""


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
