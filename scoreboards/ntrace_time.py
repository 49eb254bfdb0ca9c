"""Timestamps against the clock: the time told never decreases, and is that of the event which led to the message (8.7).

A message tells instructions up to some place; its event lies between the block of the last of them and the block behind. One
without I-CNT, or with a count that a later one completes, may stand for anything up to the next message that counts.
"""

from __future__ import annotations

from functools import partial

import numpy as np

from scoreboards import ntrace_table as t
from scoreboards.clauses import Failure
from scoreboards.ntrace_align import Alignment
from scoreboards.ntrace_segment import Segment


def check_time(lossless: Alignment, events: bool) -> None:
    """events: whether the device declares the time of the event itself; else only the order is checked."""
    config, table = lossless.capture.config, lossless.table
    rows = np.flatnonzero(table.timed)
    if not config.timestamp or not len(rows):
        return
    # A vendor-defined message may come behind the event of one that waits for its address: that one is then told as late
    # (a difference of 0), or by a time that is earlier.
    sync = table["sync"] != t.ABSENT
    order = rows[(table.tcode[rows] < t.FIRST_VENDOR) & (sync | (table.tstamp > 0))[rows]]
    time = table.time[order]
    # a narrow clock wraps: less than half a turn back is a decrease
    back = (time[1:] - time[:-1]) & np.uint64((1 << config.ts_width) - 1)
    decreased = np.flatnonzero(back >> np.uint64(config.ts_width - 1)) + 1

    def backwards(number: int) -> Failure:
        return _failure(lossless, "NT.8.7.monotonic", "the time told decreases", int(order[number]),
                        f"{int(time[number - 1])} or later", int(time[number]))  # fmt: skip

    lossless.book.bulk("NT.8.7.monotonic", max(len(order) - 1, 0), decreased, backwards)
    lossless.book.count("NT.8.7.absolute", int(np.count_nonzero((table["sync"] != t.ABSENT) & table.timed)))
    lossless.book.count("NT.7.4.time", int(np.count_nonzero(table.is_a(t.TC_ERROR) & table.timed)))
    clock = lossless.expected.block_time
    known = clock is not None and len(clock) and clock.any() and not np.any(clock[1:] < clock[:-1])
    if events and known and not len(decreased):
        for segment in lossless.segments:
            if segment.at is not None:
                _events(lossless, segment, clock)


def _events(lossless: Alignment, segment: Segment, clock: np.ndarray) -> None:
    """Every message of a segment against the blocks it can belong to."""
    table, expected, decoded = lossless.table, lossless.expected, lossless.decoded
    rows = np.arange(segment.first, segment.last)
    rows = rows[table.timed[rows] & ~table.is_a(t.TC_ERROR)[rows]]
    if not len(rows):
        return
    shift = segment.at - segment.begin
    after = t.ends(decoded.first_pc, len(decoded))
    counts = np.flatnonzero(table["icnt"] != t.ABSENT)
    counts = counts[counts < segment.last]
    following = np.append(counts, -1)[np.searchsorted(counts, rows)]
    high = np.where(following < 0, len(expected), after[following] + shift)
    starts = expected.block_start
    low = after[rows] + shift
    low_block = np.searchsorted(starts, low - 1, side="right") - 1
    earliest = np.where(low_block < 0, np.uint64(0), clock[np.maximum(low_block, 0)])
    high_block = np.searchsorted(starts, high, side="right")  # one behind the last block that may be meant
    latest = np.append(clock, np.uint64(2**64 - 1))[np.where(high >= len(expected), len(clock), high_block - 1)]
    time = table.time[rows]
    before = np.concatenate((time[:1], time[:-1]))  # a message of an earlier event tells the time told last
    wrong = np.flatnonzero((time < earliest) | (time > np.maximum(latest, before)))

    def early_or_late(number: int) -> Failure:
        sync = table["sync"][rows[number]] != t.ABSENT
        jump = sync and int(time[number]) > int(clock[-1])  # no block was that late: the time was added, not told
        return _failure(lossless, "NT.8.7.absolute" if jump else "NT.8.7.event", "the time is not that of the event",
                        int(rows[number]), f"{int(earliest[number])}..{int(latest[number])}", int(time[number]))  # fmt: skip

    lossless.book.bulk("NT.8.7.event", len(rows), wrong, early_or_late)


def _failure(lossless: Alignment, clause: str, text: str, row: int, want: str, have: int) -> Failure:
    place = partial(lossless.failure, clause, f"{lossless.table.messages[row].name}: {text}")
    told = int(t.ends(lossless.decoded.first_pc, len(lossless.decoded))[row])
    segment = next((s for s in lossless.segments if s.first <= row < s.last and s.at is not None), None)
    return place(told if segment is None else segment.place(told), [("time", want, str(have))])
