# SPDX-License-Identifier: Apache-2.0
"""Exact: the bytes equal the encoder model's, for a device that declares docs/reference/ntrace-profile.md.

Equal bytes are one comparison; the clauses are then counted from the reasons the model gives. Otherwise the first
message that differs is attributed to one clause: the rule that produced the expected message, or the field's own rule.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np

from rvtrace.models.ntrace.codec import unpack
from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.ntrace.table import Message
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.common.findings import REFERENCE
from rvtrace.scoreboards.common.places import locate
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.attribution import FIELD_CLAUSE, difference, framing, packing
from rvtrace.scoreboards.ntrace.capture import NtraceCapture

_TO_OUTPUT = 3  # cycles from a beat to the output, where nothing waits


def check_exact(
    capture: NtraceCapture, book: ClauseBook, encoded: EncodedTrace | None = None, sent: t.MessageTable | None = None
) -> EncodedTrace:
    """Compare capture.data with the model's bytes for capture.beats; returns what the model made.

    sent: the messages of capture.data, if they are known already.
    """
    if encoded is None:
        encoded = Encoder(capture.config).run(capture.ingress)
    if encoded.data == capture.data:
        _count(book, encoded, sent or t.MessageTable(encoded.messages), capture.config)
        _check_room(capture, book, encoded)
    else:
        place, failure = _first_difference(capture, encoded)
        _count(book, encoded, t.MessageTable(encoded.messages[:place]), capture.config)
        book.fail(failure)
    return encoded


def _check_room(capture: NtraceCapture, book: ClauseBook, encoded: EncodedTrace) -> None:
    """NT.3.fifo, NT.3.room: how many messages were waiting where a beat found room and where it found none."""
    beats, out = capture.ingress, capture.out_cycle
    if out is None or not len(encoded.beat):
        return
    last = np.cumsum([len(chunk) for chunk in encoded.packed]) - 1  # offset of each message's last byte
    made = np.searchsorted(np.array(encoded.beat), np.arange(len(beats)))
    sent = np.searchsorted(np.asarray(out)[last], beats.cycle)
    waiting, full = made - sent, beats.drop.astype(bool)
    free = capture.queue - capture.config.most_messages
    # The oldest has left the queue and is being sent, unless it has just been made.
    oldest = np.asarray(encoded.beat)[np.minimum(sent, len(encoded.beat) - 1)]
    most = free + (beats.cycle[oldest] + _TO_OUTPUT <= beats.cycle)

    def judge(clause: str, rows: np.ndarray, wrong: np.ndarray, found: str, needed: str) -> None:
        def failure(row: int) -> Failure:
            text = f"{found} for a beat while {waiting[row]} messages were waiting, needed {needed.format(most[row])}"
            return Failure(clause, text, int(beats.cycle[row]))

        book.bulk(clause, int(rows.sum()), np.flatnonzero(rows & wrong), failure)

    if full.any():
        judge("NT.3.fifo", full, waiting < 2, "no room", "2 or more")
    if capture.queue:
        judge("NT.3.room", full, waiting <= most, "no room", "more than {}")
        judge("NT.3.room", ~full, waiting > most, "room", "{} at most")


def _count(book: ClauseBook, encoded: EncodedTrace, table: t.MessageTable, config: Config) -> None:
    """The messages of the table agreed: count every clause that took part in them."""
    htm, n = config.mode == "htm", len(table)
    for clause, times in Counter(encoded.reasons[:n]).items():
        book.count(clause, times)
    for key, clause in FIELD_CLAUSE.items():
        book.count(clause, int(np.count_nonzero(table[key] != t.ABSENT)))
    with_hist = table["hist"] > 1
    book.count("NT-1", int(with_hist.sum()))
    book.count("NT.8.3.hist_reset", int(with_hist.sum()))
    book.count("NT.8.4.3.icnt_reset", int(np.count_nonzero(table["icnt"] != t.ABSENT)))
    book.count("NT.8.1.xor", int(np.count_nonzero(table["uaddr"] != t.ABSENT)))
    book.count("NT-19", int(np.count_nonzero(table["uaddr"] != t.ABSENT)))
    book.count("NT.6.2.btype", int(np.count_nonzero(table["btype"] != t.ABSENT)))
    book.count("NT-11", int(np.count_nonzero(table["btype"] > 0)))
    book.count("NT-20", int(np.count_nonzero(table["sync"] == 2)))
    for clause in ("NT.3.1.field_end", "NT.3.1.message_end", "NT.3.3.lsb_first"):
        book.count(clause, n)
    book.count("NT-7", int(np.count_nonzero((table["icnt"] == 0) | (table["uaddr"] == 0))))
    if htm:
        book.count("NT-10", int(np.count_nonzero(table.is_a(t.TC_INDIRECT, t.TC_INDIRECT_SYNC))))
        book.count("NT-9", int(np.count_nonzero((table["sync"] == 2) & (table["btype"] <= 0))))
    sync = table["sync"] != t.ABSENT
    if config.source_bits:
        book.count("NT.3.2.src", n)
    if config.timestamp:
        book.count("NT.8.7.absolute", int(sync.sum()))
        book.count("NT-15", n - int(sync.sum()))
        book.count("NT.8.7.event", n)
        book.count("NT.8.7.enabled", n)
    if config.extend_addr_msb:
        book.count("NT.8.2.extend", int(np.count_nonzero((table["faddr"] != t.ABSENT) | (table["uaddr"] != t.ABSENT))))
    book.count("NT-16", n)
    book.count("NT.10.inferable", n)


def _first_difference(capture: NtraceCapture, encoded: EncodedTrace) -> tuple[int, Failure]:
    """Index of the first message that is not as expected, and the failure that reports it."""
    actual, damages = unpack(capture.data, capture.config)
    expected = encoded.messages
    n = min(len(expected), len(actual))
    place = next((i for i in range(n) if not expected[i].same(actual[i])), n)
    starts = [m.offset for m in actual]
    here = starts[place] if place < len(actual) else len(capture.data)
    want = expected[place] if place < len(expected) else None
    have = actual[place] if place < len(actual) else None
    damage = next((d for d in damages if d.offset <= here), None)
    if capture.config.inhibit_src and _has_source(capture, expected):
        clause, headline = "NT.3.2.src", f"SRC={capture.config.src_id} is sent with trTeInhibitSrc=1"
    elif damage is not None:
        clause, headline = framing(capture, expected, damage.offset) or (
            damage.clause, f"at byte {damage.offset}: {damage.reason}")  # fmt: skip
        have = None if damage.offset < here else have
    elif want is None and have is None:
        place, clause, headline = packing(capture, expected, actual)
        want = have = None
    else:
        clause, headline = difference(capture, encoded, actual, place)
    failure = Failure(clause, headline, table=t.compare_fields(want, have), at=place, found=REFERENCE)
    failure.before = [f"{m.offset:#06x}: {m}" for m in actual[max(0, place - 3) : place]]
    locate(failure, capture, encoded.beat, place)
    return place, failure


def _has_source(capture: NtraceCapture, expected: list[Message]) -> bool:
    """Whether the first message is right but for the SRC that it has although that is inhibited."""
    first = unpack(capture.data, replace(capture.config, inhibit_src=0))[0][:1]
    return bool(expected) and bool(first) and (first[0].body, first[0].src) == (expected[0].body, capture.config.src_id)
