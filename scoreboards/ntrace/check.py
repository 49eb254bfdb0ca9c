# SPDX-License-Identifier: Apache-2.0
"""The check of N-Trace: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

exact compares the messages with the reference encoder's (docs/reference/ntrace-profile.md), lossless compares what an
independent decoder recovers with what the hart did, legal checks every message against the grammar. Devices that do not
declare the reference profile are checked against lossless and legal alone.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from rvtrace.models.ntrace.decoder.decode import DecodedTrace, decode
from rvtrace.models.ntrace.encoder.encode import Encoder
from rvtrace.scoreboards.common.clauses import ClauseBook, Plan, plan_of
from rvtrace.scoreboards.common.findings import Damage
from rvtrace.scoreboards.common.readings import best, filtered
from rvtrace.scoreboards.common.verdict import Verdict, chosen, timed
from rvtrace.scoreboards.diagnosis.budget import Budget
from rvtrace.scoreboards.diagnosis.cheap import missing, sentence
from rvtrace.scoreboards.diagnosis.explain import explain
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.exact import check_exact
from rvtrace.scoreboards.ntrace.expected import expected
from rvtrace.scoreboards.ntrace.hypotheses import Traced, acts, as_read
from rvtrace.scoreboards.ntrace.legal import check_legal
from rvtrace.scoreboards.ntrace.legal_framing import with_front
from rvtrace.scoreboards.ntrace.lossless import Lossless
from rvtrace.scoreboards.ntrace.periodic_sync import check_periodic_sync
from rvtrace.scoreboards.ntrace.situations import SITUATIONS, Seen
from rvtrace.scoreboards.ntrace.source_field import with_own_source
from rvtrace.scoreboards.ntrace.table import MessageTable
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

__all__ = ["Verdict", "check", "judged", "plan"]

PREDICTED = (1, 2)  # trTeInstImplicitReturnMode with which a decoder may be led astray by a legal trace (9.2)


def plan() -> Plan:
    """The clauses of N-Trace, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: NtraceCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Check one capture against every clause that applies to it.

    A trace of a device without the profile that does not decode as claimed is judged with the deviations that explain
    it, if there are any, and they are failures.
    """
    tolerances = chosen(tolerances, capture, Tolerances)
    judge = partial(judged, tolerances=tolerances)
    claimed, verdict = capture, judge(capture)
    capture, verdict = best(capture, verdict, judge, filtered(capture))
    verdict.read = None if capture is claimed else capture
    if capture.exact or verdict.passed or sentence(capture.data):
        return verdict
    if missing(verdict.book, acts(capture, verdict.decoded)):
        return verdict
    predicted = capture.config.implicit_return in PREDICTED
    known = None if predicted else expected(capture).pc
    traced = Traced(capture.data, capture.program, capture.config, known, is_file=capture.beats is None)
    if traced.follows(verdict.decoded):
        return verdict
    budget = Budget.of(len(capture.data), capture.beats is not None)
    read = partial(as_read, capture, traced)
    made = explain(verdict, traced, capture.config, read, judge, budget, capture.rerun).verdict
    made.notes = verdict.notes
    return made


def judged(capture: NtraceCapture, tolerances: Tolerances | None = None) -> Verdict:
    """The check of a capture as it is: as claimed, or as a reading has it (`hypotheses.as_read`)."""
    tolerances = chosen(tolerances, capture, Tolerances)
    verdict = Verdict(ClauseBook(plan(), capture.rerun, capture.config.variant))
    exact = capture.exact and capture.beats is not None
    if exact:
        with timed(verdict, "encoder"):
            verdict.encoded = Encoder(capture.config).run(capture.ingress)
            _ = verdict.encoded.data
    with timed(verdict, "decoder"):
        decoded = _decoded(capture)
        verdict.decoded = decoded
    with timed(verdict, "scoreboard"):
        table = MessageTable(decoded.log)
        if exact:
            check_exact(capture, verdict.book, verdict.encoded, table)
        wanted = expected(capture)
        lossless = Lossless(capture, verdict.book, wanted, decoded, table, tolerances)
        lossless.run()
        diagnostics = lossless.field.named(lossless.followed(with_front(capture, decoded)))
        check_legal(
            capture,
            verdict.book,
            table,
            lossless.where,
            diagnostics,
            tolerances,
            not decoded.diagnostics,
        )
        check_periodic_sync(capture, verdict.book, wanted, decoded, tolerances)
        lossless.prove(diagnostics)
        seen = Seen(capture, wanted, table)
        for clause, occurrences in SITUATIONS.items():
            verdict.book.met(clause, occurrences(seen))
        for d in decoded.diagnostics:
            begin, end = np.searchsorted(table.offset, [d.offset, d.offset + d.lost_bytes]).tolist()
            verdict.book.damage.append(Damage(begin, end))
    verdict.close(len(wanted), lossless.judged, len(decoded), len(capture.data))
    verdict.stats["messages"] = len(table)
    return verdict


def _decoded(capture: NtraceCapture) -> DecodedTrace:
    return decode(with_own_source(capture), capture.program, capture.config, by_address=True)
