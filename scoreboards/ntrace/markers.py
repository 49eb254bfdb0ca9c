# SPDX-License-Identifier: Apache-2.0
"""Markers (SYNC 0 and 6) and vendor-defined messages: each reported once, in order, and where it belongs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from rvtrace.scoreboards.common.places import ends
from rvtrace.scoreboards.ntrace import table as t
from rvtrace.scoreboards.ntrace.align import Alignment, Problem, Segment
from rvtrace.scoreboards.ntrace.edges import HIGH, LOW, STOP_CLAUSE
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

PATIENCE = 16  # messages without the marker after its request: as many as a queue may hold that were made before it


class Place(NamedTuple):
    """One thing at some traced instruction first..last: what is to be reported, or what was. since: where it began."""

    first: int
    last: int
    what: Any
    since: int
    optional: bool = False

    def fits(self, told: Place) -> bool:
        return self.what == told.what and self.first <= told.last and told.first <= self.last


class Kind(NamedTuple):
    """One sort of thing: its clause and name, what is to be reported, and what was, by message (decoded instructions).

    bounds: the message that ends the range in which each of them can appear. what: SYNC of a marker, else None.
    """

    clause: str
    name: str
    wanted: list[Place]
    rows: np.ndarray
    told: list[Place]
    bounds: np.ndarray
    what: int | None = None


class Beside:
    """What appears between the instructions of one trace."""

    def __init__(self, lossless: Alignment, tolerances: Tolerances) -> None:
        self._lossless = lossless
        table, decoded, expected = lossless.table, lossless.decoded, lossless.expected
        after = ends(decoded.first_pc, len(decoded))
        self._delayed = tolerances.marker_late > 0
        # a message that reports one marker has no place for one of the other kind
        marks = np.isin(table["sync"], (LOW, HIGH))
        self._carriers = np.flatnonzero((table.is_a(*t.BRANCHES) | (table["sync"] != t.ABSENT)) & ~marks)
        self._after = after
        self._stops = np.array([edge.index for edge in expected.edges if edge.kind in STOP_CLAUSE], np.int64)
        self.kinds = []
        for code, clause in ((LOW, "NT.8.5.sync0"), (HIGH, "NT.8.5.sync6")):
            rows = np.flatnonzero(table["sync"] == code)
            wanted = [
                Place(
                    m.index, m.last + tolerances.marker_late, code, m.since, m.optional or tolerances.markers_optional
                )
                for m in expected.marks
                if m.code == code
            ]
            told = [Place(place, place, code, place) for place in after[rows].tolist()]
            self.kinds.append(Kind(clause, f"marker SYNC={code}", wanted, rows, told, rows, code))
        # a device may send such messages without a request; without an ingress that requests some, none is expected
        if lossless.capture.beats is not None and (expected.vendor or lossless.capture.exact):
            rows = np.flatnonzero(table.tcode >= t.FIRST_VENDOR)
            counts = np.flatnonzero(table["icnt"] != t.ABSENT)  # the next message that counts bounds its place
            bounds = np.append(counts, len(table))[np.searchsorted(counts, rows)]
            high = np.append(after, len(decoded))[bounds]
            names = [(table.messages[r].tcode, *table.messages[r].body[:1]) for r in rows.tolist()]
            first = decoded.first_pc[rows].tolist()
            told = [Place(*place) for place in zip(first, high.tolist(), names, first)]
            wanted = [Place(v.index, v.index, (v.tcode, v.data), v.index) for v in expected.vendor]
            self.kinds.append(Kind("NT.6.1.vendor", "vendor-defined message", wanted, rows, told, bounds))

    def problem(self, segment: Segment, at: int) -> Problem | None:
        """The first marker or vendor-defined message that is missing, extra or elsewhere in a segment at `at`."""
        for kind in self.kinds:
            first, last = np.searchsorted(kind.rows, (segment.first, segment.last)).tolist()
            if (kind.wanted or last > first) and (found := self._walk(kind, segment, at, first, last)):
                return found
        return None

    def _walk(self, kind: Kind, segment: Segment, at: int, begin: int, behind: int) -> Problem | None:
        """Both lists side by side, reported[begin:after] of them."""
        end, shift = at + segment.end - segment.begin, at - segment.begin
        if self._delayed and kind.what in (LOW, HIGH):
            told = [p._replace(first=p.first + shift, last=p.last + shift) for p in kind.told[begin:behind]]
            return self._delayed_markers(kind, segment, at, told)
        wanted = kind.wanted

        def missable(place: Place) -> bool:
            return self._may_miss(place, segment, at, end)

        # Where one that may be missing and one that may not are due at one place, what was reported can be either.
        ways = {next((k for k, place in enumerate(wanted) if place.last >= at), len(wanted))}
        for number in range(begin, behind):
            place = kind.told[number]
            unbounded = (
                segment.open[1] and kind.bounds[number] >= segment.last
            )  # the message that bounds its place was lost
            last = len(self._lossless.expected) if unbounded else place.last + shift
            place = place._replace(first=place.first + shift, last=last)
            before, ways = ways, _after(place, wanted, ways, missable)
            if not ways:
                rest = wanted[max(before) :]
                want = next((p for p in rest if not missable(p)), None)
                return _problem(kind, f"{kind.name} was reported where there was none", want, place)
        missing: Place | None = None
        for i in sorted(ways):
            missing = next((p for p in wanted[i:] if p.first > end or not missable(p)), None)
            if missing is None or missing.first > end:
                return None
        return _problem(kind, f"{kind.name} was not reported", missing, None)

    def _delayed_markers(self, kind: Kind, segment: Segment, at: int, told: list[Place]) -> Problem | None:
        """Markers that wait for a message to carry them: several may share one, and trace may stop before it comes."""
        end, shift = at + segment.end - segment.begin, at - segment.begin
        for place in told:
            if not any(want.fits(place) for want in kind.wanted):
                return _problem(kind, f"{kind.name} was reported where there was none", None, place)
        first, last = np.searchsorted(self._carriers, (segment.first, segment.last))
        carriers = self._after[self._carriers[first:last]] + shift
        for want in kind.wanted:
            answer = min(
                (place.first for place in told if want.fits(place) and place.first >= want.first), default=None
            )
            passed = 0 if answer is None else int(((carriers > want.first) & (carriers < answer)).sum())
            if not at <= want.last or want.first > end or (answer is not None and passed <= PATIENCE):
                continue
            later = self._stops[self._stops >= want.first]
            stop = int(later.min()) if len(later) else end
            carried = bool(((carriers > want.first) & (carriers <= stop)).any())
            if carried and not self._may_miss(want, segment, at, end):
                return _problem(kind, f"{kind.name} was not reported", want, None)
        return None

    def _may_miss(self, place: Place, segment: Segment, at: int, end: int) -> bool:
        """Whether it may be not reported: optional, lost, or not sent yet when the record ends.

        Its last place counts: with both kinds due, the second waits while the first is reported, and is lost with what
        follows. A late marker may be anywhere up to a message that carries it, so that its first place counts there.
        """
        after = place.first if self._delayed else place.last
        lost = (segment.open[0] and place.since <= at) or (segment.open[1] and after >= end)
        unsent = place.first >= end and self._lossless.expected.open_end
        return place.optional or lost or unsent or self._lossless.in_hole(place.first)


def _after(place: Place, wanted: list[Place], ways: set[int], missable: Callable[[Place], bool]) -> set[int]:
    """How many of `wanted` may be done with once `place` has been reported, where before it `ways` may have been."""
    found: set[int] = set()
    seen = -1  # up to here, a smaller way has been followed
    for way in sorted(ways):
        for i in range(way, len(wanted) if way > seen else 0):
            seen = i
            if wanted[i].fits(place):
                found.add(i + 1)
            if wanted[i].first > place.last or not missable(wanted[i]):
                break
    return found


def _problem(kind: Kind, headline: str, want: Place | None, have: Place | None) -> Problem:
    told = [str(p.what) if p else "none" for p in (want, have)]
    after = [f"{p.first}..{p.last}" if p else "-" for p in (want, have)]
    place = want or have
    assert place is not None  # one of them at least
    rows = [("told", told[0], told[1]), ("after instructions", after[0], after[1])]
    return Problem(kind.clause, headline, place.first, rows)
