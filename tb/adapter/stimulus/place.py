# SPDX-License-Identifier: Apache-2.0
"""When a core shows what it has: rows of RVFI on channels, and events of the trap port in the cycles that are allowed.

An event comes in the cycle of the row before its trap or later, and before the first row after it; the first event
between two rows may also come with that row. One event a cycle.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random

from rvtrace.models.adapter.rvfi import Core


@dataclass
class Beat:
    """A cycle. rows: (channel, number of the row); event: number of the event, -1 for none."""

    rows: list[tuple[int, int]] = field(default_factory=list)
    event: int = -1


def placed(
    core: Core, channels: int, rng: Random, gaps: int = 0, full: bool = True, late: bool = False
) -> dict[int, Beat]:
    """Cycle to beat. gaps: % of rows with idle cycles before; full: no channel is left empty without need. late: the
    events after the last row come some cycles after it, not with it.
    """
    return _Placer(core, channels, rng, gaps, full).beats(late)


class _Placer:
    def __init__(self, core: Core, channels: int, rng: Random, gaps: int, full: bool) -> None:
        self.core, self.channels, self.rng, self.gaps, self.full = core, channels, rng, gaps, full
        self.at: dict[int, Beat] = {}
        self.cycle, self.channel = 0, channels  # of the last row, and the first channel free there
        self.last_event = -1  # cycle of the last event
        self.early_rows: set[int] = set()  # whose exception's event comes before them, or with them

    def beats(self, late: bool) -> dict[int, Beat]:
        """Everything, in order."""
        core, rng = self.core, self.rng
        early = {e for e, event in enumerate(core.events) if event.own >= 0 and rng.random() < 0.5}
        due: dict[int, list[int]] = {}  # events that come before a row
        for e, after in enumerate(core.after):
            due.setdefault(after - 1 if e in early else after, []).append(e)
        for row in range(len(core.rows)):
            self._row(row, due.get(row, []), early)
        for e in due.get(len(core.rows), []):  # nothing comes after them, so they may be late
            self.last_event = max(self.last_event, self.cycle + (8 if late else rng.choice((-1, 8))))
            self._event(e)
        return dict(sorted(self.at.items()))

    def _event(self, e: int) -> None:
        where = max(self.last_event + 1, self.cycle) + (self.rng.randrange(3) if self.rng.random() < 0.2 else 0)
        self.at.setdefault(where, Beat()).event = e
        self.last_event = where

    def _row(self, row: int, due: list[int], early: set[int]) -> None:
        rng = self.rng
        apart = not self.full and rng.random() < 0.4
        with_it = [e for e in due if e in early]  # the exception of this very row
        between = [e for e in due if e not in early]
        for e in between:
            self._event(e)
        # All but the first trap after a row come in an earlier cycle; that may be the exception of the row itself.
        strict = bool(between) and len(between) + (row - 1 in self.early_rows) > 1
        latest = self.last_event if between else -1
        for e in with_it:
            self._event(e)
            self.early_rows.add(row)
            latest = max(latest, self.last_event)
        gap = rng.randrange(1, 9) if rng.random() < self.gaps / 100 else 0
        where = max(self.cycle + gap, latest)
        if strict:
            where = max(where, self._last(between) + 1)
        if with_it and rng.random() < 0.5:
            where += 1  # its event comes before it
        if where == self.cycle and (self.channel >= self.channels or apart):
            where += 1
        if where > self.cycle or not self.at:
            self.cycle, self.channel = where, 0
            if not self.full and rng.random() < 0.3:
                self.channel = rng.randrange(self.channels)
        self.at.setdefault(self.cycle, Beat()).rows.append((self.channel, row))
        self.channel += 1

    def _last(self, events: list[int]) -> int:
        return max(cycle for cycle, beat in self.at.items() if beat.event in events) if events else -1
