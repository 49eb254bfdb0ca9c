# SPDX-License-Identifier: Apache-2.0
"""What can be said of a captured E-Trace or N-Trace by itself: no retire stream, no ingress beats, only bytes, program
and options.

    verdict = alone(files, capture, tolerances)     legal, what the decoder found, and the transport
    problem(files, verdict)                    a sentence if the trace is hardly one of this program, or encodes nothing

The rows of the plan that summarize a situation of the hart are left out: nobody knows whether it occurred.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from rvtrace.flow.captured.files import TraceFiles
from rvtrace.jobs import systems
from rvtrace.scoreboards.common.clauses import ClauseBook, Plan
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.scoreboards.common.verdict import Verdict

if TYPE_CHECKING:
    from rvtrace.scoreboards.diagnosis.explain import Diagnosed
    from rvtrace.scoreboards.diagnosis.search import Chosen

FEW = 32  # packets or messages: hardly any deviation is sure of fewer, nearly every one explains them
DENSE = 4  # messages to a contradiction, after each of which the next address is followed
SOON = 64  # messages in which a trace and a program that do not belong together contradict each other
HALF = 0.5
_OF_BYTES = (
    "NT.3.",
    "NT.6.1.tcode",
    "NT.6.2.max_field",
    "ET.tra.",
    "ET.pay.fields",
    "ET.pay.type_length",
)  # clauses that no program has a part in
_NO_START = ("NT-24", "NT.3.2.src", "ET.alg.first")  # nothing that a decoder could begin with
_WAY = "give the ELF that was traced and the options of its encoder (CONFIG=)"


class Decoded(NamedTuple):
    """What decoding a trace gave, in numbers. whole, lost: bytes (of E-Trace packets) in all, and without result.
    first: clause, text and message of the first diagnostic; None if there is none.
    """

    instructions: int
    messages: int
    whole: int
    lost: int
    found: int
    complete: bool
    first: tuple[str, str, int] | None

    def joined(self, later: Decoded) -> Decoded:
        """Of two parts of one trace, of which the later begins where this ends."""
        first = self.first
        if first is None and later.first is not None:
            first = (*later.first[:2], self.messages + later.first[2])
        return Decoded(
            *(a + b for a, b in zip(self[:5], later[:5])), complete=self.complete and later.complete, first=first
        )


def as_claimed(files: TraceFiles, capture: Any, tolerances: Any) -> ClauseBook:
    """The checks of a capture as its options have it, whatever would explain it."""
    return (_etrace if files.system.ip == "etrace" else _ntrace)(capture, tolerances).book


def as_explained(chosen: Chosen, tolerances: Any) -> Verdict:
    """The verdict of an E-Trace as `explanation` reads it, whose bytes may end in the middle of a packet."""
    capture = _whole_packets(chosen.capture)
    verdict = _etrace(capture, tolerances)
    chosen.report(verdict.book)
    verdict.read = capture
    verdict.stats |= {"told": len(verdict.decoded), "bytes": sum(map(len, capture.carried))}
    return verdict


def alone(
    files: TraceFiles, capture: Any, tolerances: Any, search: bool = True, known: Chosen | None = None
) -> tuple[Verdict, Chosen | None]:
    """Hold a capture without a retire stream to every clause that needs none; how it was read, if not as claimed.

    search: look for what explains a trace that does not decode as claimed. known: what explained other parts of an
    N-Trace, and is taken where it makes more of this one decode.
    """
    check = _etrace if files.system.ip == "etrace" else _ntrace
    verdict, other = check(capture, tolerances), None
    if search and verdict.book.failed:
        verdict, other = _diagnosed(files, capture, tolerances, verdict)
    elif known is not None and verdict.decoded.diagnostics:
        from rvtrace.scoreboards.ntrace.hypotheses import Traced as NtraceEvidence
        from rvtrace.scoreboards.ntrace.hypotheses import as_read as ntrace_as_read

        traced = NtraceEvidence(capture.data, capture.program, capture.config)
        moved = ntrace_as_read(capture, traced, known.reading)
        again = check(moved, tolerances)
        if _lost(again.decoded) < _lost(verdict.decoded):
            verdict, other = again, known
            known.report(verdict.book)
            verdict.read = moved
    verdict.stats |= {"told": len(verdict.decoded), "bytes": len(files.data)}
    return verdict, other


def _lost(decoded: Any) -> tuple[int, int]:
    return sum(d.lost_bytes for d in decoded.diagnostics) + decoded.skipped_bytes, len(decoded.diagnostics)


def _book(capture: Any, plan: Plan | None) -> ClauseBook:
    book = ClauseBook(plan, capture.rerun, capture.config.variant)
    for name, clause in (plan.clauses if plan else {}).items():
        if clause.through:
            book.met(name, 0)
    return book


def explanation(files: TraceFiles, capture: Any, tolerances: Any, goes_on: bool = False) -> Chosen | None:
    """How a trace decodes that does not with its options: with others, or with deviations taken back; None if it does,
    or nothing explains it. goes_on: the bytes of an E-Trace may end in the middle of a packet, wherever its packets
    are.
    """
    check = _etrace if files.system.ip == "etrace" else _ntrace
    return _diagnosed(files, capture, tolerances, check(capture, tolerances), goes_on).chosen


def _diagnosed(files: TraceFiles, capture: Any, tolerances: Any, claimed: Verdict, goes_on: bool = False) -> Diagnosed:
    """claimed: the verdict on the capture with its options."""
    from rvtrace.scoreboards.diagnosis.budget import Budget
    from rvtrace.scoreboards.diagnosis.explain import Diagnosed, explain

    budget = Budget.of(max(files.size, len(files.data)), watched=False)
    if files.system.ip == "etrace":
        from rvtrace.scoreboards.etrace.hypotheses import Packets
        from rvtrace.scoreboards.etrace.hypotheses import as_read as etrace_as_read

        packets = Packets(capture)
        if len(capture.packets) < FEW or packets.follows(claimed.decoded):
            return Diagnosed(claimed)
        read = partial(etrace_as_read, capture)
        ended = _whole_packets if goes_on else lambda one: one
        return explain(claimed, packets, capture.config, read, lambda one: _etrace(ended(one), tolerances), budget)
    from rvtrace.scoreboards.ntrace.hypotheses import Traced as NtraceEvidence
    from rvtrace.scoreboards.ntrace.hypotheses import as_read as ntrace_as_read

    traced = NtraceEvidence(capture.data, capture.program, capture.config)
    if traced.follows(claimed.decoded):
        return Diagnosed(claimed)
    read = partial(ntrace_as_read, capture, traced)
    return explain(claimed, traced, capture.config, read, partial(_ntrace, tolerances=tolerances), budget)


def _whole_packets(capture: Any) -> Any:
    """Without the bytes of a last packet that goes on."""
    if capture.data is None:
        return capture
    from rvtrace.models.etrace.decoder.deframe import deframe

    payloads, _, damage = deframe(capture.data, capture.config)
    if not damage or damage[-1].packet < len(payloads):
        return capture
    return replace(capture, data=capture.data[: damage[-1].offset])


def _ntrace(capture: Any, tolerances: Any) -> Verdict:
    from rvtrace.models.ntrace.decoder.decode import decode
    from rvtrace.scoreboards.ntrace import legal as ntrace_legal
    from rvtrace.scoreboards.ntrace import table as ntrace_table

    verdict = Verdict(_book(capture, systems.judge("ntrace").plan))
    decoded = verdict.decoded = decode(capture.data, capture.program, capture.config, by_address=True)
    table = ntrace_table.MessageTable(decoded.log)
    where = ntrace_table.Locator(capture, decoded.log, decoded.pcs, np.asarray(decoded.first_pc))
    found = ntrace_legal.with_front(capture, decoded, always=True)
    ntrace_legal.check_legal(capture, verdict.book, table, where, found, tolerances, not decoded.diagnostics)
    lost = sum(d.lost_bytes for d in decoded.diagnostics) + decoded.skipped_bytes
    spans = [(d.offset, d.lost_bytes) for d in decoded.diagnostics]
    _finish(verdict, len(capture.data), lost, spans, table.offset)
    verdict.stats["messages"] = len(table)
    return verdict


def _etrace(capture: Any, tolerances: Any) -> Verdict:
    from rvtrace.models.etrace.decoder.decode import decode
    from rvtrace.scoreboards.etrace import legal as etrace_legal
    from rvtrace.scoreboards.etrace import table as etrace_table
    from rvtrace.scoreboards.etrace.transport import check_transport

    verdict = Verdict(_book(capture, systems.judge("etrace").plan))
    decoded = verdict.decoded = decode(capture.packets, capture.program, capture.config)
    table = etrace_table.PacketTable(decoded.packets, capture.config)
    etrace_legal.check_legal(capture, verdict.book, table, decoded, tolerances)
    check_transport(capture, verdict.book, decoded.packets)
    size = len(decoded.packets)
    spans = [(d.packet, d.lost_packets) for d in decoded.diagnostics]
    _finish(verdict, size, sum(count for _, count in spans), spans, np.arange(size))
    verdict.stats["messages"] = size
    return verdict


def _finish(verdict: Verdict, size: int, lost: int, spans: list[tuple[int, int]], offset: np.ndarray) -> None:
    """Causes, and the share that could be judged: without a retire stream that of the bytes or packets. spans: (first,
    how many) of what could not be decoded.
    """
    for first, count in spans:
        begin, end = np.searchsorted(offset, [first, first + count]).tolist()
        verdict.book.damage.append(Damage(begin, end))
    judged = max(size - lost, 0) if len(verdict.decoded) else 0
    verdict.book.judged = judged / size if size else None
    verdict.stats |= {"judged": judged, "instructions": size}
    verdict.book.attribute()


def problem(files: TraceFiles, verdict: Verdict) -> str:
    """A sentence if the trace encodes nothing, or contradicts the program from the beginning, or most of it could not
    be followed; else an empty text.
    """
    trace, elf, decoded = files.trace.name, files.elf.name if files.elf else "the program", verdict.decoded
    if files.system.ip == "tandem":
        assert files.program is not None
        from rvtrace.flow.captured.tandem_alone import other_code

        other, of = other_code(files.program, decoded)
        if not of:
            return f"{trace} has no instruction with a known address; capture it from a hart reset on, or check CONFIG="
        return (
            f"{trace} does not fit {elf}: of the {of:,} different instructions in it {other:,} are not in this program;"
            f" {_WAY}"
            if other > HALF * of
            else ""
        )
    return badly_decoded(files, numbers(files, verdict))


def numbers(files: TraceFiles, verdict: Verdict) -> Decoded:
    """What decoding an E-Trace or N-Trace gave."""
    decoded, ntrace_ = verdict.decoded, files.system.ip == "ntrace"
    found = decoded.diagnostics
    messages = decoded.log if ntrace_ else decoded.packets
    first = None
    if found:
        offsets = [m.offset for m in messages] if ntrace_ else []
        at = int(np.searchsorted(offsets, found[0].offset)) if ntrace_ else found[0].packet
        first = (found[0].clause, found[0].text, at)
    return Decoded(
        len(decoded),
        len(messages),
        len(files.data) if ntrace_ else len(messages),
        sum(d.lost_bytes if ntrace_ else d.lost_packets for d in found),
        len(found),
        decoded.complete,
        first,
    )


def badly_decoded(files: TraceFiles, decoded: Decoded) -> str:
    """`problem` of a trace of which only numbers are left."""
    trace, elf, ntrace_ = files.trace.name, files.elf.name if files.elf else "the program", files.system.ip == "ntrace"
    if decoded.first is None:
        return (
            ""
            if decoded.instructions
            else f"{trace} has no instruction; capture it while tracing is on, from a synchronizing message on"
        )
    clause, text, at = decoded.first
    if not decoded.complete:
        return (
            f"{trace} encodes more instructions than the check can hold; cut it at a synchronizing message, and check"
            " the pieces"
        )
    share = f"{decoded.lost:,} of its {decoded.whole:,} {'bytes' if ntrace_ else 'packets'} could not be decoded"
    dense = ntrace_ and decoded.found * DENSE >= decoded.messages
    if dense:
        share = f"{decoded.found:,} of its {decoded.messages:,} messages do not fit"
    if decoded.instructions and decoded.lost <= HALF * decoded.whole and not dense:
        return ""
    if clause in _NO_START:
        return (
            f"{trace} has no instruction: {text}; capture it from a synchronizing message on, or check FORMAT= and"
            " CONFIG="
        )
    if not any(clause.startswith(one) for one in _OF_BYTES) and at <= SOON:
        return f"{trace} does not fit {elf}: they contradict each other from message {at} on, and {share}; {_WAY}"
    return (
        f"{trace} is damaged, or its encoder is broken, at message {at}: after it {share}, so that most was not judged;"
        " look at the first failure, then check CONFIG="
    )
