# SPDX-License-Identifier: Apache-2.0
"""Legal: bytes that are no message, and what a decoder could not make sense of, under the decoder's clause."""

from __future__ import annotations

import re

import numpy as np

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.decoder.decoded import DecodedTrace, Diagnostic
from rvtrace.models.ntrace.table import RCODE, TABLES, VENDOR_TCODES
from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.findings import DECODER
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.capture import NtraceCapture
from rvtrace.scoreboards.ntrace.damaged import damaged_rows
from rvtrace.scoreboards.ntrace.legal_run import Legal

LONGEST = 36  # bytes (NT-18); custom messages and fields may be larger


def damaged(table: t.MessageTable, diagnostics: list[Diagnostic]) -> np.ndarray:
    """Of each diagnostic about bytes that are no message, the message after them."""
    offsets = np.array(sorted(d.offset for d in diagnostics if d.lost_bytes), dtype=np.int64)
    return np.searchsorted(table.offset, offsets[~np.isin(offsets, table.offset)])


def with_front(capture: NtraceCapture, decoded: DecodedTrace, always: bool = False) -> list[Diagnostic]:
    """The decoder's diagnostics, and bytes before the first synchronizing message that are no messages.

    A decoder takes those for the front of a buffer that wrapped, and says at most that there is nothing else; a stream
    that was seen from its first byte has no such front. always: of a file it is assumed, too.
    """
    found = decoded.diagnostics
    if not (always or capture.beats is not None) or not capture.data:
        return found
    first = next((m.offset for m in decoded.log if m.type.has_sync), len(capture.data))
    known = {diagnostic.offset for diagnostic in found if diagnostic.clause != "NT-24"}
    damages = unpack(capture.data[:first], capture.config)[1] if first else []
    front = [Diagnostic(d.offset, d.clause, d.reason, d.length) for d in damages if d.offset not in known]
    return [*front, *(d for d in found if not front or (d.offset, d.clause) != (0, "NT-24"))]


def check_framing(legal: Legal, capture: NtraceCapture, diagnostics: list[Diagnostic]) -> None:
    """Each diagnostic is a failure; and the lengths of messages."""
    book, table = legal.book, legal.table
    for clause, n in (("NT.3.1.mseo", len(capture.data)), ("NT.3.1.end", int(bool(capture.data))),
                      ("NT.3.max_message", len(table)), ("NT.6.2.max_field", len(table)), ("NT-16", len(table)),
                      ("NT-24", 1)):  # fmt: skip
        book.count(clause, n)
    for kind in TABLES[legal.config.variant].by_code.values():
        book.count(f"NT.{kind.section}.fields", int(np.count_nonzero(table.tcode == kind.tcode)))
    for diagnostic in diagnostics:
        index = int(np.searchsorted(table.offset, diagnostic.offset))
        clause = (
            "NT.V.hrepeat"
            if re.search("HREPEAT|B-CNT", diagnostic.text) and "bits" in diagnostic.text
            else diagnostic.clause
        )
        text = f"at byte {capture.sent_at(diagnostic.offset)}: {diagnostic.text}"
        if diagnostic.lost_bytes:
            text += f" ({diagnostic.lost_bytes} bytes lost)"
        is_message = index < len(table) and table.offset[index] == diagnostic.offset
        rows = None if is_message else damaged_rows(capture.data[diagnostic.offset :], capture.config)
        failure = legal.where.failure(clause, text, index, rows)
        failure.found = DECODER
        book.fail(failure)
    data = np.frombuffer(capture.data, np.uint8)
    ends = np.flatnonzero((data & 3) == 3)
    begins = np.concatenate(([0], ends[:-1] + 1)) if len(ends) else ends
    custom = table.offset[table.is_a(*VENDOR_TCODES) | np.isin(table["rcode"], RCODE.vendor)]
    long = np.flatnonzero((ends + 1 - begins > LONGEST) & ~np.isin(begins, custom))

    def too_long(frame: int) -> Failure:
        at, size = capture.sent_at(int(begins[frame])), ends[frame] + 1 - begins[frame]
        text = f"at byte {at}: {size} bytes, the longest legal message has {LONGEST}"
        return legal.where.failure("NT-18", text, int(np.searchsorted(table.offset, begins[frame])), [])

    book.bulk("NT-18", len(ends), long, too_long)
