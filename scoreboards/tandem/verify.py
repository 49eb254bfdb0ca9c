# SPDX-License-Identifier: Apache-2.0
"""Verify: a real program's trace replayed against the reference simulator (chapter 3,
`rvtrace.models.tandem.verifier.verify`).

It knows nothing of the rows: memory, registers and pc come from the trace, everything else from the simulator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from rvtrace.models.riscv.iss.config import virt
from rvtrace.models.riscv.program import Program
from rvtrace.models.tandem.config import Config
from rvtrace.models.tandem.decoder.decoded import Decoded
from rvtrace.models.tandem.simulator.interface import PPC_KEY, reference
from rvtrace.models.tandem.verifier.profile import Profile
from rvtrace.models.tandem.verifier.verdict import Finding, Report
from rvtrace.models.tandem.verifier.verify import Verifier
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import COMPARED
from rvtrace.scoreboards.tandem.capture import TandemCapture

PARTS = {
    "pc": "pc",
    "insn": "insn",
    "register": "gpr",
    "gpr": "gpr",
    "csr": "csr",
    "priv": "priv",
    "paddr": "paddr",
    "eaddr": "eaddr",
    "memdata": "memdata",
    "ppc": "ppc",
    "fpr": "gpr",
}
CLAUSE = {
    name: f"TV.verify.{name}"
    for name in ("pc", "insn", "gpr", "csr", "priv", "paddr", "eaddr", "memdata", "ppc", "groups", "format")
}
_ORDER = ("dropped", "duplicated", "swapped", "lost")


def replayed(capture: TandemCapture) -> bool:
    """Whether a capture is a trace that can be replayed: of a program, with pc, and with what loads memory."""
    config = capture.config
    return capture.program is not None and config.traces("pc") and config.traces("request") and config.traces("gpr")


def segments_of(program: Program | None) -> list[tuple[int, bytes]]:
    """All that a program has in memory."""
    return [] if program is None else [*program.segments, *program.data]


def bytes_loaded(segments: Sequence[tuple[int, bytes]], decoded: Decoded) -> int:
    """Bytes of a program that state initialization before the first instruction writes."""
    runs = np.flatnonzero(decoded.size > 0)
    end = int(runs[0]) if len(runs) else len(decoded)
    init = np.repeat(decoded.init[:end], np.diff(decoded.memory_start[: end + 1]))
    address = decoded.memory_address[: len(init)]
    size = np.int64(1) << decoded.memory_size[: len(init)].astype(np.int64)
    found = (
        init & (address >= np.uint64(start)) & (address < np.uint64(start + len(body))) for start, body in segments
    )
    return sum(int(size[inside].sum()) for inside in found)


def loads(segments: Sequence[tuple[int, bytes]], loaded: int) -> bool:
    """Whether a trace that loads so many bytes brings its program with it: most of it. A debugger that writes a word,
    or an interrupt that becomes pending, does not.
    """
    return 2 * loaded > sum(len(body) for _, body in segments)


def check_verify(
    capture: TandemCapture,
    book: ClauseBook,
    decoded: Decoded,
    verifier: Verifier | None = None,
    traces: Callable[[str], bool] | None = None,
    unchanged: bool = False,
) -> Report | None:
    """One report of the verifier, as clauses; None if the trace cannot be replayed. What could not be compared (the pc
    after a hart reset that does not report it, a part after a gap) is neither right nor wrong.

    verifier: one with the hart's own profile and its memory, else that of the machine that recorded our programs, whose
    memory comes from the ELF file where the trace does not load its program. traces: whether a part is in the trace,
    if the verifier knows better than the configuration. unchanged: see the tolerance of that name.
    """
    config: Config = capture.config
    if not replayed(capture):
        return None
    assert capture.program is not None
    if verifier is None:
        profile = Profile.of(config, virt(config.xlen), unchanged=unchanged)
        verifier = Verifier(reference(config.xlen), profile, program=capture.program)
        segments = segments_of(capture.program)
        if not loads(segments, bytes_loaded(segments, decoded)):
            verifier.load(segments)
    report = verifier.run(decoded, capture.data)
    judge_report(capture, book, report, int((decoded.change_key == PPC_KEY).sum()), traces or config.traces)
    return report


def judge_report(
    capture: TandemCapture, book: ClauseBook, report: Report, places: int, traces: Callable[[str], bool]
) -> None:
    """A report as clauses. places: how many physical addresses of a next pc the trace reports. traces: as above."""
    for name, clause in CLAUSE.items():
        if name == "ppc":
            book.count(clause, min(report.matched, places))
        elif name in ("groups", "format") or traces(name):
            book.count(clause, report.matched)
    for found in report.findings:
        book.fail(failure(found, report, capture))


def clause_of(found: Finding) -> str:
    """The clause that a finding is about."""
    if found.names or found.kind == "diagnostic":
        return CLAUSE["format"]
    if found.kind not in _ORDER and found.differences:
        return CLAUSE[PARTS.get(found.differences[0].what, "insn")]
    return CLAUSE["insn" if found.kind == "instruction bits" else "groups"]


def failure(found: Finding, report: Report, capture: TandemCapture) -> Failure:
    """A finding as the failure of a clause."""
    lines = found.lines(report.table)
    marks = capture.marks
    cycle = int(marks[min(found.offset, len(marks) - 1)]) if len(marks) else None
    place = capture.program.where(found.pc) if capture.program is not None and found.pc is not None else ""
    table = [one.row(report.table) for one in found.differences]
    fault = [lines[-1].strip()]
    return Failure(clause_of(found), lines[0], cycle, found.pc, place, table, fault, at=found.offset, found=COMPARED)
