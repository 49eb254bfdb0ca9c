"""The N-Trace scoreboard: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

exact holds a device to docs/ntrace-profile.md byte for byte, lossless asks an independent decoder for what the hart did,
legal holds every message to the grammar. Vendor IP is held to the last two.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

from models.ntrace.decoder import decode
from models.ntrace.encoder import Encoder
from scoreboards.capture import Capture
from scoreboards.clauses import ClauseBook, Plan
from scoreboards.ntrace_exact import check_exact
from scoreboards.ntrace_expected import expected
from scoreboards.ntrace_knobs import Knobs
from scoreboards.ntrace_legal import check_legal
from scoreboards.ntrace_lossless import Lossless
from scoreboards.ntrace_periodic import check_periodic
from scoreboards.ntrace_situations import SITUATIONS, Seen
from scoreboards.ntrace_table import Locator, MessageTable
from scoreboards.verdict import Verdict, timed

__all__ = ["Verdict", "check", "plan"]

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "ntrace.toml"


@cache
def plan() -> Plan | None:
    """The plan of N-Trace; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(capture: Capture, knobs: Knobs | None = None) -> Verdict:
    """Hold one capture to every clause that applies to it."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun, capture.config.variant))
    knobs = knobs or (Knobs() if capture.exact else Knobs.free())
    exact = capture.exact and capture.beats is not None
    if exact:
        with timed(verdict, "encoder"):
            verdict.encoded = Encoder(capture.config).run(capture.beats)
            _ = verdict.encoded.data
    with timed(verdict, "decoder"):
        decoded = verdict.decoded = decode(capture.data, capture.program, capture.config)
    with timed(verdict, "scoreboard"):
        table = MessageTable(decoded.messages)
        if exact:
            check_exact(capture, verdict.book, verdict.encoded, table)
        wanted = expected(capture)
        lossless = Lossless(capture, verdict.book, wanted, decoded, table, knobs)
        lossless.run()
        where = Locator(capture, decoded.messages, decoded.pcs, np.asarray(decoded.first_pc))
        check_legal(capture, verdict.book, table, where, lossless.followed(decoded.diagnostics), knobs, not decoded.diagnostics)
        check_periodic(capture, verdict.book, wanted, decoded, knobs)
        seen = Seen(capture, wanted, table)
        for clause, occurrences in SITUATIONS.items():
            verdict.book.met(clause, occurrences(seen))
    verdict.stats |= {
        "instructions": len(wanted), "told": len(decoded), "bytes": len(capture.data), "messages": len(decoded.messages),
        "bits_per_instruction": 8 * len(capture.data) / len(decoded) if len(decoded) else 0.0,
    }  # fmt: skip
    return verdict
