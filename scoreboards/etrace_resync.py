"""Resynchronization: packets 3.0 in the middle of a trace come when the interval is over, and only then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scoreboards import etrace_table as t
from scoreboards.etrace_expected import DISCONTINUITY, PRECISE

if TYPE_CHECKING:
    from scoreboards.etrace_lossless import Lossless

PACKETS, CYCLES, HALFWORDS = 1, 2, 3  # inst_sync_mode
SLACK = 2  # packets: which instruction a packet belongs to is not always told


def check_resync(of: Lossless) -> None:
    """ET.alg.resync on an alignment that succeeded."""
    want, config, knobs = of.expected, of.capture.config, of.knobs
    if of.capture.beats is None or not len(want) or (of.draft and of.rounds):
        return  # or nobody knows which of several rounds a packet was sent in
    reasons = want.first.copy()
    reasons[[i for i in want.traps_at if i < len(want)]] = True
    reasons |= np.diff(want.priv.astype(np.int64), prepend=-1) != 0
    reasons |= np.isin(want.ctype, (PRECISE, DISCONTINUITY))
    places = np.array(sorted({place for _, place in of.sync_places}), np.int64)
    extra = places[~reasons[places]]
    mode, interval = config.inst_sync_mode, config.sync_interval
    if not knobs.resync_extra and not mode:
        of.book.bulk("ET.alg.resync", len(places), extra, lambda i: of.failure(
            "ET.alg.resync", "a synchronization packet nothing calls for, with inst_sync_mode=0", i))  # fmt: skip
    if not mode or not len(places):
        return
    count = _Count(of, mode)
    slack = SLACK if mode == PACKETS else 0
    if not knobs.resync_extra:
        before = np.searchsorted(places, extra) - 1
        early = [int(i) for i, b in zip(extra, before) if b >= 0 and count(int(places[b]), int(i) - 1) + slack + knobs.resync_early < interval]
        of.book.bulk("ET.alg.resync", len(extra), early, lambda i: of.failure(
            "ET.alg.resync", "a resynchronization comes before its interval is over", i))  # fmt: skip
    _late(of, places, reasons, count, interval + slack + knobs.resync_late)


def _late(of: Lossless, places: np.ndarray, reasons: np.ndarray, count: _Count, most: int) -> None:
    """Between two synchronization packets no special instruction is met after the interval is over."""
    want = of.expected
    special = (want.itype >= 3) & (want.itype != (6 if of.draft else 7)) & of.covered
    ends = np.append(places[1:], len(want))
    checked, late = 0, []
    for begin, end in zip(places.tolist(), ends.tolist()):
        stops = np.flatnonzero(want.episode[begin:end] != want.episode[begin])
        end = begin + int(stops[0]) if len(stops) else end
        inside = begin + 1 + np.flatnonzero(special[begin + 1 : end - 1])
        inside = inside[[i + 1 not in want.traps_at for i in inside.tolist()]] if len(inside) else inside
        if not len(inside):
            continue
        checked += 1
        if count(begin, int(inside[-1])) >= most and not of.in_hole(int(inside[-1])):
            late.append(int(inside[-1]) + 1)
    of.book.bulk("ET.alg.resync", checked, late, lambda i: of.failure("ET.alg.resync", "the interval is over, and no resynchronization comes", i))


class _Count:
    """The resynchronization count at one instruction since the synchronization packet at another."""

    def __init__(self, of: Lossless, mode: int) -> None:
        want = of.expected
        self._mode = mode
        self._cycle = want.cycle.astype(np.int64)
        if mode == PACKETS:
            counted = ~of.table.is_a(t.SUPPORT)
            self._stops = np.maximum.accumulate(of.stops)[counted]
        self._begin, self._end = want.halves

    def __call__(self, since: int, at: int) -> int:
        if self._mode == CYCLES:
            return int(self._cycle[at] - self._cycle[since])
        if self._mode == HALFWORDS:
            return int(self._end[at] - self._begin[since])
        return int(np.searchsorted(self._stops, at) - np.searchsorted(self._stops, since, side="right"))
