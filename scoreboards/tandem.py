"""The tandem-trace scoreboard: one capture in, a verdict clause by clause out; needs no simulator of the RTL.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

exact holds a device to docs/tandem-profile.md byte for byte, lossless asks an independent decoder for what the rows did, legal holds every item to the
format, verify replays the trace of a program against an instruction set simulator. Vendor IP is held to the last three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from models.tandem.decoder import decode
from models.tandem.encoder import Encoded, encode
from models.tandem.trace_data import Rows, illegal
from models.tandem.verdict import Report
from scoreboards.clauses import ClauseBook, Failure, Plan
from scoreboards.tandem_capture import TandemCapture
from scoreboards.tandem_exact import check_exact
from scoreboards.tandem_items import ItemTable
from scoreboards.tandem_knobs import Knobs
from scoreboards.tandem_legal import check_legal
from scoreboards.tandem_lossless import Lossless
from scoreboards.tandem_situations import Situations
from scoreboards.tandem_tells import Tells
from scoreboards.tandem_verify import check_verify
from scoreboards.verdict import Verdict, timed

__all__ = ["Seen", "Verdict", "check", "plan"]

PLAN = Path(__file__).parent.parent / "tests" / "plan" / "tandem.toml"
UNKNOWN = "TV.port.unknown"
PROBLEMS = {  # words in a monitor's sentence and the clause that it breaks; the first that stand in it
    "is X": UNKNOWN, "changed": "TV.port.stable", "error_o": "TV.port.error", "empty_o": "TV.port.empty", "out_count_o": "TV.port.words",
    "in_ready_o": "TV.port.progress",
}  # fmt: skip


@dataclass
class Seen:
    """What a check worked out, for coverage. bytes: what the model made; None where the capture has no rows (then the others are None, too)."""

    items: ItemTable
    tells: Tells | None = None
    bytes: Encoded | None = None
    situations: Situations | None = None
    report: Report | None = None


@cache
def plan() -> Plan | None:
    """The plan of tandem trace; None where only the models and scoreboards were installed."""
    return Plan.load(PLAN) if PLAN.exists() else None


def check(capture: TandemCapture, knobs: Knobs | None = None) -> Verdict:
    """Hold one capture to every clause that applies to it. What was worked out stays in verdict.encoded, for coverage."""
    config, verdict = capture.config, Verdict(ClauseBook(plan(), capture.rerun, f"RV{capture.config.xlen}"))
    knobs = knobs or (Knobs() if capture.exact else Knobs.free())
    with timed(verdict, "decoder"):
        decoded = verdict.decoded = decode(capture.data, config)
    seen = verdict.encoded = Seen(ItemTable(capture.data, config))
    if capture.rows is not None:
        with timed(verdict, "encoder"):
            seen.bytes = encode(capture.rows, config)
    with timed(verdict, "scoreboard"):
        if capture.rows is not None and seen.bytes is not None:
            seen.tells = Tells(capture.rows, config)
            if knobs.bytes == "exact":
                seen.situations = check_exact(capture, verdict.book, seen.bytes, seen.tells)
                _check_rate(capture, capture.rows, verdict.book, seen.bytes)
            Lossless(capture, verdict.book, seen.tells, decoded, knobs).run()
        check_legal(capture, verdict.book, seen.items, decoded, seen.tells, knobs)
        seen.report = check_verify(capture, verdict.book, decoded)
        _check_port(capture, verdict.book, seen)
    instructions = decoded.instruction_count
    verdict.stats |= {
        "instructions": instructions, "told": instructions, "bytes": len(capture.data), "messages": decoded.items, "groups": decoded.group_count,
        "rows": len(capture.rows) if capture.rows is not None else 0,
        "bits_per_instruction": 8 * len(capture.data) / instructions if instructions else 0.0,
    }  # fmt: skip
    return verdict


def _check_port(capture: TandemCapture, book: ClauseBook, seen: Seen) -> None:
    """What the monitors say of the ports, and error_o; no byte leaves before its row came."""
    found = [(next((clause for word, clause in PROBLEMS.items() if word in text), UNKNOWN), text) for text in capture.problems]
    unknown = [(clause, text) for clause, text in found if clause == UNKNOWN]
    for clause, text in unknown or found:  # behind an X a run is given up: what else did not happen follows from it
        book.fail(Failure(clause, text))
    rows, marks = capture.rows, capture.marks
    if rows is None:
        return
    for clause in (UNKNOWN, "TV.port.stable", "TV.port.words", "TV.port.empty", "TV.port.progress"):
        book.count(clause, len(marks))
    if capture.errors is not None:
        want, got = illegal(rows), np.asarray(capture.errors, bool)
        book.bulk("TV.port.error", len(rows), np.flatnonzero(want != got), lambda k: Failure(
            "TV.port.error", f"row {k}: error_o is {int(got[k])}", int(rows.cycle[k]), table=[("error_o", str(int(want[k])), str(int(got[k])))]))  # fmt: skip
    if len(marks) and seen.bytes is not None and capture.data == seen.bytes.data:
        made = np.flatnonzero(np.diff(seen.bytes.starts))
        first = np.asarray(marks)[seen.bytes.starts[made]]
        book.bulk("TV.port.causal", len(made), np.flatnonzero(first <= rows.cycle[made]), lambda k: Failure(
            "TV.port.causal", f"the first byte of row {made[k]} leaves in the cycle in which the row comes, or before", int(first[k])))  # fmt: skip


def _check_rate(capture: TandemCapture, rows: Rows, book: ClauseBook, encoded: Encoded) -> None:
    """Rows are taken in the cycle in which they are offered if all before them have left: each takes a cycle, or one for each of its words."""
    if capture.gaps is None or not len(rows):
        return
    cycles, first = np.unique(rows.cycle, return_index=True)
    needed = np.add.reduceat(np.maximum(1, -(-np.diff(encoded.starts) // capture.word)), first)  # cycles, by the rows of each cycle
    late = (needed[:-1] - (1 + capture.gaps[1:])).cumsum()
    backlog = late - np.minimum.accumulate(np.minimum(late, 0))
    waited = np.diff(cycles.astype(np.int64)) - 1 - capture.gaps[1:]
    judged = np.flatnonzero(backlog == 0)
    book.bulk("TV.port.rate", len(judged), judged[waited[judged] > 0], lambda k: Failure(
        "TV.port.rate", f"row {first[k + 1]} waited {waited[k]} cycles with nothing before it", int(cycles[k + 1]), table=[("cycles", "0", str(int(waited[k])))]))  # fmt: skip
