"""The rules of overflow, each as what a block that breaks it would leave in OF, LCOFIP and LCOFIE: `of_rules`, `request_rules`, `enable_rules`.

Columns of OF are the counters that have it (`Cells.programmable`); LCOFIP and LCOFIE are one column. HPM-1 and steps 3 to 5 of
docs/hpm-profile.md, section A cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

import numpy as np

from scoreboards.hpm_cells import Cells
from scoreboards.hpm_rules import Rule
from scoreboards.hpm_written import LOW, NONE


class Overflow:
    """OF, LCOFIP and LCOFIE of the same cycles: before, as written (`ruling`), and as they should be behind them."""

    def __init__(self, cells: Cells) -> None:
        self.cells, s, self.all = cells, cells.steps, cells.all
        self.there = bool(cells.config.has_sscofpmf)
        self.of_before, self.of_after = cells.of_bits(s.of[0]), cells.of_bits(s.of[1])
        self.ip_before, self.ip_after = s.lcofip[0] != 0, s.lcofip[1] != 0
        self.ie_before, self.ie_after = s.lcofie[0] != 0, s.lcofie[1] != 0
        self.mip, self.mie = cells.of_row(cells.writes.mip), cells.of_row(cells.writes.mie)

    @cached_property
    def over(self) -> np.ndarray:
        """Overflows of the counters with OF."""
        return self.cells.overflows[:, self.cells.programmable]

    @cached_property
    def ruling(self) -> np.ndarray:
        """Step 4: OF behind the write of the cycle, which comes first."""
        rows, columns, values = self.cells.of_written
        out = self.of_before.copy()
        out[rows, columns] = values
        return out

    @cached_property
    def of(self) -> np.ndarray:
        return (self.ruling | self.over) & self.there

    @cached_property
    def requests(self) -> np.ndarray:
        """Whether the cycle requests an interrupt."""
        return (self.over & ~self.ruling).any(axis=1) & self.there

    @cached_property
    def ip_written(self) -> np.ndarray:
        return np.where(self.mip == NONE, self.ip_before, self.mip == 1)

    @cached_property
    def ip(self) -> np.ndarray:
        """Step 5: LCOFIP behind the cycle."""
        return self.ip_written | self.requests

    @cached_property
    def ie(self) -> np.ndarray:
        return np.where(self.mie == NONE, self.ie_before, self.mie == 1)

    @cached_property
    def written_wrap(self) -> tuple[np.ndarray, np.ndarray]:
        """Cycles in which a counter with OF is written that would have wrapped, or that a write takes from the upper half of its range to the
        lower; and its column."""
        c = self.cells
        rows = np.flatnonzero((c.written >= 0) & np.isin(c.written, c.programmable))
        at = c.written[rows]
        fell = (c.before[rows, at] > c.keep[at] >> np.uint64(1)) & (c.value[rows] <= c.keep[at] >> np.uint64(1))
        keep = c.wraps[rows, at] | fell
        return rows[keep], np.searchsorted(c.programmable, at[keep])


def of_rules(o: Overflow) -> Iterator[Rule]:
    """OF: set by an overflow, cleared by software only."""
    if not o.there:
        yield Rule("HPM.event.no_ext", o.all, o.over)
        return
    c = o.cells
    rows, columns = o.written_wrap
    if len(rows):
        values = o.of[rows]
        values[np.arange(len(rows)), columns] = True
        yield Rule("HPM.of.counter", rows, values)
    rows, columns, _ = c.of_written
    if len(rows):
        yield Rule("HPM.of.race", rows, o.ruling[rows])
        yield Rule("HPM.of.written", rows, o.of_before[rows] | o.over[rows])
    rows = np.flatnonzero((c.of_row(c.writes.event) >= 0) & (c.of_row(c.writes.half) == LOW))
    if len(rows):
        at = c.columns[c.writes.event[c.steps.row[rows]]]
        values = o.of[rows]
        values[np.flatnonzero(at >= 0), np.searchsorted(c.programmable, at[at >= 0])] = False
        yield Rule("HPM.of.low_half", rows, values)
    rows = np.flatnonzero(o.mip != NONE)
    if len(rows):
        yield Rule("HPM.of.lcofip", rows, np.repeat((o.mip[rows] == 1)[:, None], o.of.shape[1], axis=1))
    rows = np.flatnonzero(o.over.any(axis=1))
    if len(rows):
        over, want = o.over[rows], o.of[rows]
        narrow = c.widths[c.programmable] < 64
        beyond = c.want[rows][:, c.programmable] != 0
        yield Rule("HPM.of.beyond", rows, np.where(over & beyond, o.ruling[rows], want))
        yield Rule("HPM.of.width", rows, np.where(over & narrow, o.ruling[rows], want))
        yield Rule("HPM.of.set", rows, o.ruling[rows])
    yield Rule("HPM.of.sticky", o.all, ~o.of_before & o.of)
    yield Rule("HPM.of.only", o.all, (c.counted[:, c.programmable] != 0) | o.of)


def request_rules(o: Overflow) -> Iterator[Rule]:
    """LCOFIP: a request where OF was 0, none lost, none made up."""
    c, there = o.cells, o.there

    def rule(clause: str, rows: np.ndarray, values: np.ndarray) -> Rule:
        return Rule(clause, rows, (values if len(values) == len(rows) else values[rows])[:, None])

    if not there:
        yield rule("HPM.lcofi.no_ext", o.all, o.over.any(axis=1) | o.ip)
        return
    rows = np.flatnonzero(o.mip != NONE)
    if len(rows):
        yield rule("HPM.lcofi.race", rows, o.ip_written)
        yield rule("HPM.lcofi.written", rows, o.ip_before | o.requests)
    rows = np.flatnonzero((o.over & (o.ruling != o.of_before)).any(axis=1))
    if len(rows):
        yield rule("HPM.lcofi.rearm", rows, o.ip_written | (o.over & ~o.of_before).any(axis=1))
    rows, columns, values = c.of_written
    rising = rows[values & ~o.of_before[rows, columns]]
    if len(rising):
        yield rule("HPM.lcofi.event", rising, np.ones(len(rising), bool))
    rows, _ = o.written_wrap
    if len(rows):
        yield rule("HPM.lcofi.counter", rows, np.ones(len(rows), bool))
    rows = np.flatnonzero((o.over & o.ruling).any(axis=1))
    if len(rows):
        yield rule("HPM.lcofi.masked", rows, o.ip_written | o.over.any(axis=1))
    rows = np.flatnonzero(c.overflows[:, : len(c.numbers) - len(c.programmable)].any(axis=1))
    if len(rows):
        yield rule("HPM.lcofi.fixed", rows, np.ones(len(rows), bool))
    rows = np.flatnonzero(o.requests)
    if len(rows):
        yield rule("HPM.lcofi.several", rows, np.where((o.over & ~o.ruling).sum(axis=1) > 1, o.ip_written, o.ip))
        yield rule("HPM.lcofi.request", rows, o.ip_written)
    yield rule("HPM.lcofi.holds", o.all, o.requests | ((o.mip == 1) & ~o.ip_before))
    yield rule("HPM.lcofi.only", o.all, np.ones(len(o.all), bool))


def enable_rules(o: Overflow) -> Iterator[Rule]:
    """LCOFIE: what software wrote."""
    rows = np.flatnonzero(o.mie != NONE)
    if len(rows):
        yield Rule("HPM.lcofi.enable", rows, o.ie_before[rows][:, None])
    yield Rule("HPM.lcofi.enable", o.all, ~o.ie[:, None])
