# SPDX-License-Identifier: Apache-2.0
"""The check of E-Trace: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

exact compares the packets with the reference encoder's (docs/reference/etrace-profile.md), lossless compares what an
independent decoder recovers with what the hart did, legal checks every packet against the grammar, transport checks the
bytes against the packets. Devices that do not declare the reference profile are checked against all but the first.
"""

from __future__ import annotations

from functools import partial

from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.scoreboards.common.clauses import ClauseBook, Plan, plan_of
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.scoreboards.common.readings import best, filtered
from rvtrace.scoreboards.common.verdict import Verdict, chosen, timed
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.cheap import missing, sentence
from rvtrace.scoreboards.diagnosis.explain import explain
from rvtrace.scoreboards.etrace.cache import as_found
from rvtrace.scoreboards.etrace.capture import EtraceCapture, skipped
from rvtrace.scoreboards.etrace.exact import check_exact
from rvtrace.scoreboards.etrace.expected import expected
from rvtrace.scoreboards.etrace.hypotheses import Packets, acts, as_read
from rvtrace.scoreboards.etrace.legal import check_legal
from rvtrace.scoreboards.etrace.lossless import Lossless
from rvtrace.scoreboards.etrace.pace import check_pace
from rvtrace.scoreboards.etrace.periodic_sync import check_periodic_sync
from rvtrace.scoreboards.etrace.proven import check_proven
from rvtrace.scoreboards.etrace.rounds import without_rounds
from rvtrace.scoreboards.etrace.situations import OCCURRENCES, SITUATIONS, Seen
from rvtrace.scoreboards.etrace.table import PacketTable
from rvtrace.scoreboards.etrace.tolerances import Tolerances
from rvtrace.scoreboards.etrace.transport import check_transport

__all__ = ["Verdict", "check", "judged", "plan"]


def plan() -> Plan:
    """The clauses of E-Trace, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: EtraceCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Check one capture against every clause that applies to it.

    A trace of a device without the profile that does not decode as claimed is judged with the deviations that explain
    it, if there are any, and they are failures.
    """
    tolerances = chosen(tolerances, capture, Tolerances)
    judge = partial(judged, tolerances=tolerances)
    claimed, number = capture, 0
    if tolerances.data_trace:
        capture, number = capture.without_data()
    verdict = judge(capture)
    if number or capture.skipped:
        verdict.notes += (skipped(number + capture.skipped),)
    capture, verdict = best(capture, verdict, judge, filtered(capture))
    capture, verdict = as_found(capture, verdict, judge)
    verdict.read = None if capture is claimed else capture
    if capture.exact or verdict.passed or sentence(b"".join(capture.packets)):
        return verdict
    if missing(verdict.book, acts(capture, verdict.decoded)):
        return verdict
    budget = Budget.of(sum(map(len, capture.packets)), capture.beats is not None)
    packets = Packets(capture, expected(capture).pc)
    if packets.follows(verdict.decoded) and not packets.legible(verdict.failures):
        return verdict
    read = partial(as_read, capture)
    made = explain(
        verdict, packets, capture.config, read, judge, budget, capture.rerun, packets.likely(capture.config)
    ).verdict
    made.notes = verdict.notes
    return made if made.stats["judged"] >= verdict.stats["judged"] else verdict


def judged(capture: EtraceCapture, tolerances: Tolerances | None = None) -> Verdict:
    """The check of a capture as it is: as claimed, or as a reading has it (`hypotheses.as_read`)."""
    tolerances = chosen(tolerances, capture, Tolerances)
    verdict = Verdict(ClauseBook(plan(), capture.rerun, capture.config.variant))
    exact = capture.exact and capture.beats is not None
    if exact:
        with timed(verdict, "encoder"):
            verdict.encoded = Encoder(capture.config).run(capture.ingress)
            _ = verdict.encoded.payloads
    with timed(verdict, "scoreboard"):
        wanted = expected(capture)

    def read(settled: frozenset[int]) -> Lossless:
        with timed(verdict, "decoder"):
            decoded = decode(capture.packets, capture.program, capture.config, settled=settled)
            _ = decoded.pcs
        table = PacketTable(decoded.packets, capture.config)
        return Lossless(capture, verdict.book, wanted, decoded, table, tolerances)

    lossless = without_rounds(read)
    decoded, table = lossless.decoded, lossless.table
    verdict.decoded = decoded
    with timed(verdict, "scoreboard"):
        agreed = exact and check_exact(capture, verdict.book, verdict.encoded) is None
        if agreed:
            check_pace(capture, verdict.book, verdict.encoded)
        lossless.predicted = agreed
        if lossless.run():
            check_periodic_sync(lossless)
        check_proven(lossless)
        check_legal(capture, verdict.book, table, decoded, tolerances, lossless.followed_to)
        seen = Seen(capture, wanted, table, verdict.encoded)
        for clause, occurrences in OCCURRENCES.items():
            verdict.book.count(clause, occurrences(seen))
        for clause, occurrences in SITUATIONS.items():
            verdict.book.met(clause, occurrences(seen))
        check_transport(capture, verdict.book, decoded.packets, verdict.encoded.stamps if agreed else None)
    for d in decoded.diagnostics:
        verdict.book.damage.append(Damage(d.packet, d.packet + d.lost_packets))
    verdict.close(len(wanted), lossless.judged, len(decoded), sum(map(len, capture.packets)))
    verdict.stats |= {
        "packets": len(capture.packets),
        "transported": len(capture.data or b""),
        "ambiguous": lossless.rounds,
        "unfollowed": int(lossless.followed_to is not None),
    }
    return verdict
