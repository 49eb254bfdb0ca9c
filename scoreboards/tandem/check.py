# SPDX-License-Identifier: Apache-2.0
"""The check of tandem trace: one capture in, a verdict clause by clause out; needs no simulator of the RTL.

    verdict = check(capture)
    verdict.passed, verdict.book.results(), [f.text() for f in verdict.failures]

exact compares the bytes with the reference encoder's (docs/reference/tandem-profile.md), lossless compares what an
independent decoder recovers with the rows of the port, legal checks every item against the format, verify replays the
trace of a program on an instruction set simulator. Devices that do not declare the reference profile are checked
against the last three.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from rvtrace.models.tandem.decoder.decode import decode
from rvtrace.models.tandem.encoder.encode import Encoded, encode
from rvtrace.models.tandem.trace_data import Rows, illegal
from rvtrace.models.tandem.verifier.verdict import Report
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure, Plan, plan_of
from rvtrace.scoreboards.common.verdict import Verdict, chosen, timed
from rvtrace.scoreboards.tandem.capture import TandemCapture
from rvtrace.scoreboards.tandem.evidence import damage
from rvtrace.scoreboards.tandem.exact import check_exact
from rvtrace.scoreboards.tandem.expected import Expected
from rvtrace.scoreboards.tandem.layout import diagnosed
from rvtrace.scoreboards.tandem.legal import check_legal
from rvtrace.scoreboards.tandem.lossless import Lossless
from rvtrace.scoreboards.tandem.proven import Proven
from rvtrace.scoreboards.tandem.situations import Situations
from rvtrace.scoreboards.tandem.table import ItemTable
from rvtrace.scoreboards.tandem.tolerances import Tolerances
from rvtrace.scoreboards.tandem.verify import check_verify

__all__ = ["Seen", "Verdict", "check", "judged", "plan"]

UNKNOWN = "TV.port.unknown"
PROBLEMS = {  # words in a monitor's sentence and the clause that it breaks; the first that appear in it
    "is X": UNKNOWN,
    "changed": "TV.port.stable",
    "error_o": "TV.port.error",
    "empty_o": "TV.port.empty",
    "out_count_o": "TV.port.words",
    "in_ready_o": "TV.port.progress",
}


@dataclass
class Seen:
    """What a check worked out, for coverage.

    bytes: what the model made; None where the capture has no rows (then the others are None, too).
    """

    items: ItemTable
    expected: Expected | None = None
    bytes: Encoded | None = None
    situations: Situations | None = None
    report: Report | None = None


def plan() -> Plan:
    """The clauses of the tandem trace, from the plan.toml beside this file."""
    return plan_of(__file__)


def check(capture: TandemCapture, tolerances: Tolerances | None = None) -> Verdict:
    """Check one capture against every clause that applies to it.

    Bytes of a device without the profile that cannot be followed are judged without the quirks that explain them, if
    there are any, and they are failures. What was worked out stays in verdict.encoded, for coverage.
    """
    return diagnosed(capture, partial(judged, tolerances=chosen(tolerances, capture, Tolerances)))


def judged(capture: TandemCapture, tolerances: Tolerances | None = None) -> Verdict:
    """The check of a capture as it is: as claimed, or without quirks of its device (`layout.explained`)."""
    config, verdict = capture.config, Verdict(ClauseBook(plan(), capture.rerun, f"RV{capture.config.xlen}"))
    tolerances = chosen(tolerances, capture, Tolerances)
    with timed(verdict, "decoder"):
        decoded = verdict.decoded = decode(capture.data, config)
    seen = verdict.encoded = Seen(ItemTable(capture.data, config))
    if capture.rows is not None:
        with timed(verdict, "encoder"):
            seen.bytes = encode(capture.rows, config)
    row_of, wanted, right, lossless = None, 0, 0, None
    with timed(verdict, "scoreboard"):
        if capture.rows is not None and seen.bytes is not None:
            seen.expected = Expected(capture.rows, config)
            if tolerances.bytes == "exact":
                seen.situations = check_exact(capture, verdict.book, seen.bytes, seen.expected)
                _check_rate(capture, capture.rows, verdict.book, seen.bytes)
            lossless = Lossless(capture, verdict.book, seen.expected, decoded, tolerances)
            lossless.run()
            row_of, right = lossless.row_of, lossless.judged
            wanted = int((seen.expected.group & seen.expected.has("insn")).sum())
        check_legal(capture, verdict.book, seen.items, decoded, seen.expected, tolerances, row_of)
        if lossless is not None and tolerances.bytes == "any":
            Proven(capture, verdict.book, lossless, seen.items).count()
        seen.report = check_verify(capture, verdict.book, decoded, unchanged=tolerances.unchanged)
        _check_port(capture, verdict.book, seen)
        verdict.book.damage += damage(decoded)
        verdict.book.attribute()
        if lossless is not None:
            lossless.attribute(verdict.book)
    instructions = decoded.instruction_count
    if capture.rows is None:
        wanted, right = instructions, instructions - int(decoded.broken[decoded.size > 0].sum())
    verdict.stats |= {
        "instructions": wanted,
        "judged": right,
        "reported": instructions,
        "bytes": len(capture.data),
        "messages": decoded.items,
        "groups": decoded.group_count,
        "rows": len(capture.rows) if capture.rows is not None else 0,
        "bits_per_instruction": 8 * len(capture.data) / instructions if instructions else 0.0,
    }
    return verdict


def _check_port(capture: TandemCapture, book: ClauseBook, seen: Seen) -> None:
    """What the monitors say of the ports, and error_o; no byte leaves before its row came."""
    found = [
        (next((clause for word, clause in PROBLEMS.items() if word in text), UNKNOWN), text)
        for text in capture.problems
    ]
    unknown = [(clause, text) for clause, text in found if clause == UNKNOWN]
    for clause, text in unknown or found:  # after an X a run is given up: what else did not happen follows from it
        book.fail(Failure(clause, text))
    rows, marks = capture.rows, capture.marks
    if rows is None:
        return
    for clause in (UNKNOWN, "TV.port.stable", "TV.port.words", "TV.port.empty", "TV.port.progress"):
        book.count(clause, len(marks))
    if capture.errors is not None:
        want, got = illegal(rows), np.asarray(capture.errors, bool)
        book.bulk(
            "TV.port.error",
            len(rows),
            np.flatnonzero(want != got),
            lambda k: Failure(
                "TV.port.error",
                f"row {k}: error_o is {int(got[k])}",
                int(rows.cycle[k]),
                table=[("error_o", str(int(want[k])), str(int(got[k])))],
            ),
        )
    if len(marks) and seen.bytes is not None and capture.data == seen.bytes.data:
        made = np.flatnonzero(np.diff(seen.bytes.starts))
        first = np.asarray(marks)[seen.bytes.starts[made]]
        book.bulk(
            "TV.port.causal",
            len(made),
            np.flatnonzero(first <= rows.cycle[made]),
            lambda k: Failure(
                "TV.port.causal",
                f"the first byte of row {made[k]} is sent in the cycle in which the row is accepted, or before",
                int(first[k]),
            ),
        )


def _check_rate(capture: TandemCapture, rows: Rows, book: ClauseBook, encoded: Encoded) -> None:
    """Rows are taken in the cycle in which they are offered if all before them have left: each takes a cycle, or one
    for each of its words. A device that never takes one, or more than it was offered, fails elsewhere.
    """
    if capture.gaps is None or not len(rows):
        return
    cycles, first = np.unique(rows.cycle, return_index=True)
    needed = np.add.reduceat(
        np.maximum(1, -(-np.diff(encoded.starts) // capture.word)), first
    )  # cycles, by the rows of each cycle
    gaps = capture.gaps[1 : len(cycles)]  # of those that were taken: a run may be given up before the others
    cycles, needed = cycles[: len(gaps) + 1], needed[: len(gaps) + 1]
    late = (needed[:-1] - (1 + gaps)).cumsum()
    backlog = late - np.minimum.accumulate(np.minimum(late, 0))
    waited = np.diff(cycles.astype(np.int64)) - 1 - gaps
    judged = np.flatnonzero(backlog == 0)
    book.bulk(
        "TV.port.rate",
        len(judged),
        judged[waited[judged] > 0],
        lambda k: Failure(
            "TV.port.rate",
            f"row {first[k + 1]} waited {waited[k]} cycles with nothing before it",
            int(cycles[k + 1]),
            table=[("cycles", "0", str(int(waited[k])))],
        ),
    )
