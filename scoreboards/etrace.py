"""The E-Trace scoreboard: one capture in, a verdict clause by clause out; needs no simulator.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

exact holds a device to docs/etrace-profile.md packet by packet, lossless asks an independent decoder for what the hart did,
legal holds every packet to the grammar, transport the bytes to the packets. Vendor IP is held to all but the first.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

from models.etrace.decoder import decode
from models.etrace.encoder import Encoder
from scoreboards.clauses import ClauseBook, Plan
from scoreboards.etrace_capture import EtraceCapture
from scoreboards.etrace_exact import check_exact
from scoreboards.etrace_expected import expected
from scoreboards.etrace_knobs import Knobs
from scoreboards.etrace_legal import check_legal
from scoreboards.etrace_lossless import Lossless
from scoreboards.etrace_situations import OCCURRENCES, SITUATIONS, Seen
from scoreboards.etrace_table import PacketTable
from scoreboards.etrace_transport import check_transport
from scoreboards.verdict import Verdict, timed

__all__ = ["Verdict", "check", "plan"]

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "etrace.toml"


@cache
def plan() -> Plan | None:
    """The plan of E-Trace; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(capture: EtraceCapture, knobs: Knobs | None = None) -> Verdict:
    """Hold one capture to every clause that applies to it."""
    verdict = Verdict(ClauseBook(plan(), capture.rerun, capture.config.variant))
    knobs = knobs or (Knobs() if capture.exact else Knobs.free())
    exact = capture.exact and capture.beats is not None
    if exact:
        with timed(verdict, "encoder"):
            verdict.encoded = Encoder(capture.config).run(capture.beats)
            _ = verdict.encoded.payloads
    with timed(verdict, "decoder"):
        decoded = verdict.decoded = decode(capture.packets, capture.program, capture.config)
        _ = decoded.pcs
    with timed(verdict, "scoreboard"):
        table = PacketTable(decoded.packets, capture.config)
        agreed = exact and check_exact(capture, verdict.book, verdict.encoded) is None
        wanted = expected(capture)
        lossless = Lossless(capture, verdict.book, wanted, decoded, table, knobs)
        lossless.predicted = agreed
        lossless.run()
        check_legal(capture, verdict.book, table, decoded, knobs, lossless.followed_to)
        seen = Seen(capture, wanted, table, verdict.encoded)
        for clause, occurrences in OCCURRENCES.items():
            verdict.book.count(clause, occurrences(seen))
        for clause, occurrences in SITUATIONS.items():
            verdict.book.met(clause, occurrences(seen))
        check_transport(capture, verdict.book, decoded.packets, verdict.encoded.time16 if agreed else None)
    payload = sum(map(len, capture.packets))
    verdict.stats |= {
        "instructions": len(wanted), "told": len(decoded), "packets": len(capture.packets), "bytes": payload,
        "transported": len(capture.data or b""), "ambiguous": lossless.rounds,
        "unfollowed": int(lossless.followed_to is not None),
        "bits_per_instruction": 8 * payload / len(decoded) if len(decoded) else 0.0,
    }  # fmt: skip
    return verdict
