"""What can be said of a captured trace by itself: no retire stream, no ingress beats, only bytes, program and options.

    verdict = alone(files, capture, knobs)     legal, what the decoder found, and the transport
    fits(files, verdict)                       a sentence if the trace is hardly one of this program

The rows of the plan that stand for a situation of the hart are left out: nobody knows whether it occurred.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from models.etrace.decoder import decode as decode_etrace
from models.ntrace.decoder import decode as decode_ntrace
from models.riscv.retired import Kind, Retired
from models.tandem.decoded import GROUP
from scoreboards import etrace_legal, etrace_table, ntrace_legal, ntrace_table
from scoreboards import tandem as tandem_scoreboard
from scoreboards.clauses import ClauseBook, Failure
from scoreboards.etrace_transport import check_transport
from scoreboards.verdict import Verdict
from tools.trace_files import TraceFiles

ORDER = "TV.told.order"  # what a tandem trace is held to where the retire stream is there: groups stand in program order
HALF = 0.5


def alone(files: TraceFiles, capture: Any, knobs: Any) -> Verdict:
    """Hold a capture without a retire stream to every clause that needs none."""
    return {"ntrace": _ntrace, "etrace": _etrace, "tandem": _tandem}[files.system.ip](capture, knobs)


def _book(capture: Any, plan: Any, variant: str) -> ClauseBook:
    book = ClauseBook(plan, capture.rerun, variant)
    for name, clause in (plan.clauses if plan else {}).items():
        if clause.through:
            book.met(name, 0)
    return book


def _ntrace(capture: Any, knobs: Any) -> Verdict:
    from scoreboards.ntrace import plan

    verdict = Verdict(_book(capture, plan(), capture.config.variant))
    decoded = verdict.decoded = decode_ntrace(capture.data, capture.program, capture.config)
    table = ntrace_table.MessageTable(decoded.messages)
    where = ntrace_table.Locator(capture, decoded.messages, decoded.pcs, np.asarray(decoded.first_pc))
    ntrace_legal.check_legal(capture, verdict.book, table, where, decoded.diagnostics, knobs, not decoded.diagnostics)
    verdict.stats |= {"told": len(decoded), "messages": len(decoded.messages), "bytes": len(capture.data)}
    return verdict


def _etrace(capture: Any, knobs: Any) -> Verdict:
    from scoreboards.etrace import plan

    verdict = Verdict(_book(capture, plan(), capture.config.variant))
    decoded = verdict.decoded = decode_etrace(capture.packets, capture.program, capture.config)
    table = etrace_table.PacketTable(decoded.packets, capture.config)
    etrace_legal.check_legal(capture, verdict.book, table, decoded, knobs)
    check_transport(capture, verdict.book, decoded.packets)
    verdict.stats |= {"told": len(decoded), "messages": len(decoded.packets), "bytes": len(capture.data or b"")}
    return verdict


def _tandem(capture: Any, knobs: Any) -> Verdict:
    return tandem_scoreboard.check(capture, knobs)


def in_order(capture: Any, verdict: Verdict, retired: Retired) -> None:
    """Tandem: the instructions told are those that retired or trapped, in their order; an instruction that could not be fetched may be missing."""
    decoded, book = verdict.decoded, verdict.book
    told = np.flatnonzero((decoded.kind == GROUP) & (decoded.size > 0))
    rows = np.flatnonzero(np.isin(retired.kind, (Kind.INSN, Kind.EXCEPTION)))
    have, want, may_miss = decoded.pc[told].tolist(), retired.pc[rows].tolist(), (retired.kind[rows] == Kind.EXCEPTION).tolist()
    known = decoded.pc_known[told].tolist()
    book.count(ORDER, len(want))
    i = 0
    for k, (pc, sure) in enumerate(zip(have, known)):
        while i < len(want) and sure and pc != want[i] and may_miss[i]:
            i += 1
        if i == len(want) or (sure and pc != want[i]):
            wanted = "nothing any more" if i == len(want) else f"{want[i]:#x}"
            group = int(told[k])
            book.fail(Failure(ORDER, f"group {int(decoded.number[group])}: {pc:#x} is told where {wanted} retired", None, pc, capture.program.where(pc),
                              [("pc", wanted, f"{pc:#x}"), ("instructions before", str(i), str(k))]), counted=True)  # fmt: skip
            return
        i += 1
    if not all(may_miss[i:]):
        book.fail(Failure(ORDER, f"{len(want) - i:,} instructions that retired are not told", None, want[i], capture.program.where(want[i]),
                          [("instructions", str(len(want)), str(len(have)))]), counted=True)  # fmt: skip


def fits(files: TraceFiles, verdict: Verdict) -> str:
    """A sentence if most of the trace contradicts the program, else an empty text."""
    said = (_other_code if files.system.ip == "tandem" else _lost)(files, verdict.decoded)
    way = "give the ELF that was traced and the options of its encoder (CONFIG=); if both are right, the first failure tells where it goes wrong"
    return f"{files.trace.name} does not fit {files.elf.name if files.elf else 'the program'}: {said}; {way}" if said else ""


def _lost(files: TraceFiles, decoded: Any) -> str:
    """N-Trace and E-Trace: how much of the trace told nothing, because it leads to where the program has no such code."""
    ntrace = files.system.ip == "ntrace"
    whole = len(files.data) if ntrace else len(decoded.packets)
    lost = sum(d.lost_bytes if ntrace else d.lost_packets for d in decoded.diagnostics)
    if not decoded.diagnostics or not whole or (lost / whole <= HALF and len(decoded)):
        return ""
    return f"with this program {lost:,} of its {whole:,} {'bytes' if ntrace else 'packets'} tell nothing"


def _other_code(files: TraceFiles, decoded: Any) -> str:
    """Tandem, which tells instructions: how many of them the program has otherwise, or not at all."""
    assert files.program is not None
    told = (decoded.size > 0) & decoded.pc_known
    pcs, first = np.unique(decoded.pc[told], return_index=True)
    if not len(pcs):
        return ""
    insns, sizes = decoded.insn[told][first].tolist(), decoded.size[told][first].tolist()
    other = 0
    for pc, insn, size in zip(pcs.tolist(), insns, sizes):
        found = files.program.insn(pc)
        other += found is None or found.size != size or found.raw != insn & (1 << 8 * size) - 1
    return f"of the {len(pcs):,} different instructions that it tells {other:,} are not in this program" if other / len(pcs) > HALF else ""
