# SPDX-License-Identifier: Apache-2.0
"""Periodic synchronization: packets 3.0 inside a trace are sent when the interval has passed, and only then."""

from __future__ import annotations

from bisect import bisect_left

import numpy as np

from rvtrace.scoreboards.etrace import table as t
from rvtrace.scoreboards.etrace.expected import DISCONTINUITY, PRECISE
from rvtrace.scoreboards.etrace.lossless import Lossless

PACKETS, CYCLES, HALFWORDS = 1, 2, 3  # inst_sync_mode
UNSENT = 3  # packets: those of the item before may be on their way when an encoder looks at the count

CLAUSE = "ET.alg.resync"


def check_periodic_sync(of: Lossless) -> None:
    """ET.alg.resync on an alignment that succeeded."""
    want, config, tolerances = of.expected, of.capture.config, of.tolerances
    if of.capture.beats is None or not len(want) or of.rounds:
        return  # or it is not known which of several rounds a packet was sent in
    reasons = want.first.copy()
    reasons[[i for i in want.traps_at if i < len(want)]] = True
    reasons[[piece.at for piece in of.pieces if piece.join == "lost" and piece.at is not None and piece.length]] = True
    reasons |= np.diff(want.priv.astype(np.int64), prepend=-1) != 0
    reasons |= np.isin(want.ctype, (PRECISE, DISCONTINUITY))
    places = np.array(sorted({place for _, place in of.sync_places}), np.int64)
    extra = places[~reasons[places]]
    mode, interval = config.inst_sync_mode, config.sync_interval
    if not tolerances.resync_extra and not mode:
        of.bulk(CLAUSE, len(places), extra, "a synchronization packet without a reason, with inst_sync_mode=0")
    if not mode or not len(places):
        return
    count = _Count(of, mode)
    if not tolerances.resync_extra:
        before = np.searchsorted(places, extra) - 1
        early = [
            int(i)
            for i, b in zip(extra, before)
            if b >= 0 and count.most(int(places[b]), int(i)) + tolerances.resync_early < interval
        ]
        of.bulk(CLAUSE, len(extra), early, "a resynchronization is sent before its interval has passed")
    _late(of, places, set(extra.tolist()), count, interval)


def _late(of: Lossless, places: np.ndarray, periodic: set[int], count: _Count, interval: int) -> None:
    """Between two synchronization packets no special instruction is met after the interval is over.

    Only where an interval was over something was checked: a periodic packet was sent, or is missing.
    """
    want, tolerances = of.expected, of.tolerances
    times = tolerances.resync_times
    most = times * interval + tolerances.resync_late
    special = (want.itype >= 3) & (want.itype != (6 if of.draft else 7)) & of.covered
    ends = np.append(places[1:], len(want))
    checked, late = 0, []
    for begin, end in zip(places.tolist(), ends.tolist()):
        # one that was sent long before is none for the interval: an encoder may synchronize whenever it likes
        seen = end in periodic and 2 * count.most(begin, end) >= interval
        checked += seen
        stops = np.flatnonzero(want.episode[begin:end] != want.episode[begin])
        end = begin + int(stops[0]) if len(stops) else end
        inside = begin + 1 + np.flatnonzero(special[begin + 1 : end - 1])
        found = [i for i in inside.tolist() if i + 1 not in want.traps_at]
        if not found or count.least(begin, found[-1]) < most or of.in_hole(found[-1] + 1):
            continue
        if times > 1 and count.packets(found[count.first(begin, found, interval)], found[-1]) < times:
            continue  # an encoder that waits for a packet before it synchronizes had hardly one
        checked += not seen
        late.append(found[count.first(begin, found, most)] + 1)
    rows = [("interval", str(interval), "passed" if times == 1 else f"more than {times} times")]
    text = "the interval has passed, and no resynchronization is sent"
    of.bulk(CLAUSE, checked, late, text, table=lambda i: rows)


class _Count:
    """The resynchronization count since the synchronization packet at one instruction.

    Cycles and half-words are exact. Which instruction a packet belongs to is not always reported: then the count has
    bounds.
    """

    def __init__(self, of: Lossless, mode: int) -> None:
        want, table = of.expected, of.table
        self._mode = mode
        assert want.cycle is not None and want.halves is not None  # there are beats
        self._cycle = want.cycle.astype(np.int64)
        self._begin, self._end = want.halves
        self._packet = {place: packet for packet, place in of.sync_places}
        self._counted = np.concatenate(([0], np.cumsum(~table.is_a(t.SUPPORT))))
        # a context was sent no later than the packet after it
        telling = np.flatnonzero(~table.is_a(t.CONTEXT, t.SUPPORT))
        stops = np.maximum.accumulate(of.stops)
        behind = np.minimum(np.searchsorted(telling, np.arange(len(table))), max(len(telling) - 1, 0))
        self._stops = (stops[telling[behind]] if len(telling) else stops)[~table.is_a(t.SUPPORT)]

    def most(self, since: int, sync: int) -> int:
        """At the instruction before a synchronization packet, at the most."""
        if self._mode == PACKETS:
            return int(self._counted[self._packet[sync]] - self._counted[self._packet[since] + 1])
        return self._exact(since, sync - 1)

    def least(self, since: int, at: int) -> int:
        """At an instruction, at the least."""
        if self._mode == PACKETS:
            return self.packets(since, at)
        return self._exact(since, at)

    def packets(self, since: int, at: int) -> int:
        """Packets that were sent from one instruction to another, at the least."""
        return int(np.searchsorted(self._stops, at) - np.searchsorted(self._stops, since, side="right")) - UNSENT

    def first(self, since: int, found: list[int], most: int) -> int:
        """Which of these instructions is the first with a count of at least `most`; the last one has it."""
        return bisect_left(found, most, key=lambda at: self.least(since, at))

    def _exact(self, since: int, at: int) -> int:
        if self._mode == CYCLES:
            return int(self._cycle[at] - self._cycle[since])
        return int(self._end[at] - self._begin[since])
