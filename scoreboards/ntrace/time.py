# SPDX-License-Identifier: Apache-2.0
"""Timestamps against the clock: the time reported never decreases, and is that of the event which led to the message
(8.7).

A message reports instructions up to some place; its event lies between the block of the last of them and the block
after. One without I-CNT, or with a count that a later one completes, may represent anything up to the next message that
counts.
"""

from __future__ import annotations

import numpy as np

from rvtrace.scoreboards.common.clauses import Failure
from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import Alignment, Problem, Segment
from rvtrace.scoreboards.ntrace.edges import tracing_rows


class Clock:
    """The times that one trace reports; events: whether the device declares the time of the event itself, not only an
    order.
    """

    def __init__(self, lossless: Alignment, events: bool) -> None:
        self._lossless = lossless
        table, clock = lossless.table, lossless.expected.block_time
        self._rows = np.flatnonzero(table.timed)
        self._on = bool(lossless.capture.config.timestamp) and len(self._rows) > 0
        known = clock is not None and len(clock) and clock.any() and not np.any(clock[1:] < clock[:-1])
        self._clock = clock if self._on and events and known else None
        self._counts = np.flatnonzero(table["icnt"] != t.ABSENT)
        self._after = ends(lossless.decoded.first_pc, len(lossless.decoded))
        # an Error belongs to what was lost, which is in no segment
        self._events = self._rows[~table.is_a(t.TC_ERROR)[self._rows]]

    def check_order(self) -> None:
        """NT.8.7.monotonic, and how often the other rules applied."""
        if not self._on:
            return
        table, book, rows = self._lossless.table, self._lossless.book, self._rows
        # A vendor-defined message may come after the event of one that waits for its address: that one is then reported
        # as late
        # (a difference of 0), or by a time that is earlier.
        sync = table["sync"] != t.ABSENT
        order = rows[(table.tcode[rows] < t.FIRST_VENDOR) & (sync | (table.tstamp > 0))[rows]]
        time, width = table.time[order], self._lossless.capture.config.ts_width
        # a narrow clock wraps: less than half a turn back is a decrease
        back = (time[1:] - time[:-1]) & np.uint64((1 << width) - 1)

        def backwards(number: int) -> Failure:
            row, limit = int(order[number + 1]), int(time[number])
            late = table.is_a(t.TC_ERROR)[order[number]]  # the time of the Error is that of a later loss
            problem = self._told(
                "NT.7.4.time" if late else "NT.8.7.monotonic", "the time reported decreases", row, f"{limit} or later"
            )
            return self._lossless.failure(*problem)

        book.bulk("NT.8.7.monotonic", len(back), np.flatnonzero(back >> np.uint64(width - 1)), backwards)
        book.count("NT.8.7.absolute", int(np.count_nonzero(sync & table.timed)))
        book.count("NT.7.4.time", int(np.count_nonzero(table.is_a(t.TC_ERROR) & table.timed)))
        if self._clock is not None:
            book.count("NT.8.7.event", len(self._events))

    def check_sent(self) -> None:
        """No time reported is later than the time at which its message was sent, whatever else is wrong with the trace.

        A device may have its own clock (8.7): how far it is ahead is adopted from the first time it reports, which
        is of an event after tracing began.
        """
        capture, table = self._lossless.capture, self._lossless.table
        beats, out = capture.beats, capture.out_cycle
        if not self._on or beats is None or out is None or not len(beats) or not beats.tstamp.any():
            return
        clock = beats.tstamp.astype(np.float64)
        tracing = np.flatnonzero(tracing_rows(beats))
        told = np.array(self._lossless.decoded.time, np.float64)
        rows = np.flatnonzero(table.timed & (told >= 0) & ~table.is_a(t.TC_ERROR))
        if np.any(np.diff(clock) < 0) or not len(tracing) or not len(rows):
            return  # a narrow clock wraps, or one was reset
        ends = table.offset[rows] + t.lengths(capture.data, table.offset[rows]) - 1
        sent = np.asarray(out)[ends].astype(np.float64)
        cycle = beats.cycle.astype(np.float64)
        following = np.searchsorted(cycle, sent, side="right")
        fastest = float(np.max(np.diff(clock) / np.maximum(np.diff(cycle), 1), initial=0))
        latest = np.where(
            following < len(cycle),
            clock[np.minimum(following, len(cycle) - 1)],
            clock[-1] + np.ceil((sent - cycle[-1]) * fastest) + 1,
        )
        ahead = max(0.0, told[rows[0]] - clock[tracing[0]])
        sync = table["sync"][rows] != t.ABSENT
        late = told[rows] > latest + ahead
        for clause, of, text in (
            ("NT.8.7.absolute", sync, "the time reported is later than the message was sent"),
            ("NT-15", ~sync, "the time reported is later than the message was sent: TSTAMP={} was added up"),
        ):  # fmt: skip

            def failure(number: int, clause: str = clause, text: str = text) -> Failure:
                row, limit = int(rows[number]), int(latest[number] + ahead)
                text = text.format(int(table.tstamp[row]))
                return self._lossless.failure(*self._told(clause, text, row, f"{limit} or earlier"))

            self._lossless.book.bulk(clause, int(of.sum()), np.flatnonzero(late & of), failure)

    def problem(self, segment: Segment, at: int) -> Problem | None:
        """The first message of a segment at `at` whose time is not that of a block it can belong to."""
        if self._clock is None:
            return None
        first, last = np.searchsorted(self._events, (segment.first, segment.last))
        rows = self._events[first:last]
        if not len(rows):
            return None
        table, clock, n = self._lossless.table, self._clock, len(self._lossless.expected)
        starts, shift = self._lossless.expected.block_start, at - segment.begin
        assert starts is not None  # the blocks have times
        counts = self._counts[: np.searchsorted(self._counts, segment.last)]
        following = np.append(counts, -1)[np.searchsorted(counts, rows)]
        high = np.where(following < 0, n, self._after[following] + shift)
        low_block = np.searchsorted(starts, self._after[rows] + shift - 1, side="right") - 1
        earliest = np.where(low_block < 0, np.uint64(0), clock[np.maximum(low_block, 0)])
        high_block = np.searchsorted(starts, high, side="right") - 1  # the last block that may be meant
        latest = np.append(clock, np.uint64(2**64 - 1))[np.where(high >= n, len(clock), high_block)]
        time = table.time[rows]
        before = np.concatenate((time[:1], time[:-1]))  # a message of an earlier event reports the time reported last
        wrong = (time < earliest) | (time > np.maximum(latest, before))
        if not wrong.any():
            return None
        k = int(np.argmax(wrong))
        # a time beyond any block was added up where it should have been reported
        added = table["sync"][rows[k]] != t.ABSENT and int(time[k]) > int(clock[-1])
        clause = "NT.8.7.absolute" if added else "NT.8.7.event"
        return self._told(
            clause, "the time is not that of the event", int(rows[k]), f"{earliest[k]}..{latest[k]}", shift
        )

    def _told(self, clause: str, text: str, row: int, want: str, shift: int = 0) -> Problem:
        table = self._lossless.table
        headline = f"{table.messages[row].name}: {text}"
        return Problem(clause, headline, int(self._after[row]) + shift, [("time", want, str(int(table.time[row])))])
