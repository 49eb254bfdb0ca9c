# SPDX-License-Identifier: Apache-2.0
"""The rules of counting, each as what a block that breaks it would leave: `rules(cells)`.

A cycle of a counter tests a rule if such a block would leave another value there; where the device is wrong, the first
rule that explains its value is the clause.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

import numpy as np

from rvtrace.models.hpm.config import FIRST
from rvtrace.models.hpm.events import CYCLES, RETIRED
from rvtrace.models.riscv.csr import CLEAR, DEBUG, SET
from rvtrace.scoreboards.hpm.bounds import MODES
from rvtrace.scoreboards.hpm.cells import HIGH, LOW, NONE, Cells

_LOW = np.uint64(0xFFFF_FFFF)
_ONE, _ZERO = np.uint64(1), np.uint64(0)


class Rule(NamedTuple):
    """What a block that breaks the clause leaves, [r, c], in r of the cycles; where: the cells that it is about, None
    for all.
    """

    clause: str
    rows: np.ndarray
    values: np.ndarray
    where: np.ndarray | None = None


def rules(c: Cells) -> Iterator[Rule]:
    """Every rule of counting, the most specific first."""
    yield from _writes(c)
    yield from _refused(c)
    yield from _next(c)
    yield from _stopped(c)
    yield from _amounts(c)
    yield from _selected(c)
    yield from _kinds(c)


def unexplained(c: Cells, row: int, column: int) -> str:
    """The clause of a wrong value that no rule explains."""
    if c.written[row] == column:
        return "HPM.write.value"
    if c.overflows[row, column]:
        return "HPM.wrap.width"
    if not c.selected[row, column]:
        return "HPM.select.zero"
    number, selector = int(c.numbers[column]), int(c.selected[row, column])
    return _kind(number, selector) if c.counted[row, column] else "HPM.count.idle"


def _kind(number: int, selector: int) -> str:
    if number < FIRST:
        return "HPM.count.cycles" if number == 0 else "HPM.count.retired"
    return {CYCLES: "HPM.select.cycles", RETIRED: "HPM.select.retired"}.get(selector, "HPM.count.event")


# --- Writes -----------------------------------------------------------------------------------------


def _writes(c: Cells) -> Iterator[Rule]:
    """HPM-4, HPM-6: a counter is written."""
    rows = np.flatnonzero(c.written >= 0)
    if not len(rows):
        return
    at, r = c.written[rows], np.arange(len(rows))
    want, value, keep = c.want[rows], c.value[rows], c.keep[at]
    moved = (c.before[rows] + c.counted[rows] & c.keep)[r, at]
    here = np.zeros(want.shape, bool)
    here[r, at] = True

    def leaving(values: np.ndarray) -> np.ndarray:
        out = want.copy()
        out[r, at] = values
        return out

    yield Rule("HPM.write.wins", rows, leaving(value + c.counted[rows][r, at] & keep))
    half, op = c.writes.half[c.steps.row[rows]], c.writes.op[c.steps.row[rows]]
    high = half == HIGH
    carried = np.where(high, value & ~_LOW | moved & _LOW, value & _LOW | moved & ~_LOW)
    yield Rule("HPM.write.half", rows, leaving(np.where((half == LOW) | high, carried, value)))
    yield Rule(
        "HPM.half.write", rows, leaving(np.where(high, value & ~_LOW, np.where(half == LOW, value & _LOW, value)))
    )
    operand = c.writes.operand[c.steps.row[rows]]
    late = np.where(op == SET, moved | operand, np.where(op == CLEAR, moved & ~operand, value)) & keep
    yield Rule("HPM.write.modify", rows, leaving(late))
    yield Rule(
        "HPM.write.modify", rows, leaving(np.where(op == SET, operand, np.where(op == CLEAR, operand, value)) & keep)
    )
    yield Rule("HPM.width.mask", rows, leaving(c.writes.raw[c.steps.row[rows]]))
    yield Rule("HPM.write.value", rows, leaving(moved))
    yield Rule("HPM.write.value", rows, leaving(c.before[rows][r, at]))
    yield Rule("HPM.write.others", rows, c.before[rows], ~here)
    yield Rule("HPM.write.one", rows, np.broadcast_to(value[:, None], want.shape) & c.keep, ~here)


def _refused(c: Cells) -> Iterator[Rule]:
    """A refused write of a counter; and accesses of other registers, which stop no counter."""
    rows = np.flatnonzero(c.of_row(c.writes.refused) >= 0)
    at = c.columns[c.writes.refused[c.steps.row[rows]]]
    rows, at = rows[at >= 0], at[at >= 0]
    if len(rows):
        values = c.want[rows]
        values[np.arange(len(rows)), at] = c.value[rows]
        yield Rule("HPM.csr.refused", rows, values)
    rows = np.flatnonzero((c.of_row(c.writes.access) > 0) & (c.written < 0) & c.counted.any(axis=1))
    if len(rows):
        yield Rule("HPM.write.elsewhere", rows, c.before[rows])


# --- Settings ---------------------------------------------------------------------------------------


def _next(c: Cells) -> Iterator[Rule]:
    """Settings rule from the cycle after their write: not in it, and not one later."""
    for other, when in ((c.steps.late, "next"), (c.steps.early, "after")):
        rows = np.flatnonzero(other != c.steps.epoch)
        if not len(rows):
            continue
        epoch, fixed = other[rows], c.numbers < FIRST
        yield Rule(f"HPM.inhibit.{when}", rows, c.left(rows, c.increments(rows, inhibit=epoch)))
        yield Rule("HPM.select.next", rows, c.left(rows, c.increments(rows, select=epoch)))
        filters = c.left(rows, c.increments(rows, filters=epoch))
        yield Rule(f"HPM.cfg.{when}", rows, filters, np.broadcast_to(fixed, filters.shape))
        yield Rule("HPM.filter.next", rows, filters, np.broadcast_to(~fixed, filters.shape))


def _stopped(c: Cells) -> Iterator[Rule]:
    """What stops counting: mcountinhibit, filters, Debug Mode; and what does not."""
    stop, priv = c.steps.stop, c.steps.priv
    rows = np.flatnonzero((c.inhibit & (c.raw != 0)).any(axis=1) & ~stop)
    if len(rows):
        raw = np.where(c.filtered[rows], _ZERO, c.raw[rows])
        yield Rule("HPM.inhibit.stops", rows, c.left(rows, raw))
    fixed = c.numbers < FIRST
    for mode, name in (*MODES.items(), (DEBUG, "debug")):
        rows = np.flatnonzero((priv == mode) & (c.filtered & (c.raw != 0)).any(axis=1) & ~stop)
        if len(rows):
            values = c.left(rows, np.where(c.inhibit[rows], _ZERO, c.raw[rows]))
            yield Rule(f"HPM.filter.{name}", rows, values, np.broadcast_to(~fixed, values.shape))
            yield Rule(f"HPM.cfg.{name}", rows, values, np.broadcast_to(fixed, values.shape))
    filters = c.filters(c.steps.epoch)
    foreign = (filters != 0) & ~c.filtered
    rows = np.flatnonzero((foreign & (c.counted != 0)).any(axis=1))
    if len(rows):
        values = c.left(rows, np.where(foreign[rows], _ZERO, c.counted[rows]))
        yield Rule("HPM.filter.others", rows, values, np.broadcast_to(~fixed, values.shape))
        yield Rule("HPM.cfg.others", rows, values, np.broadcast_to(fixed, values.shape))
    rows = np.flatnonzero(stop & (c.raw != 0).any(axis=1))
    if len(rows):
        yield Rule(
            "HPM.debug.stopcount", rows, c.left(rows, np.where(c.inhibit[rows] | c.filtered[rows], _ZERO, c.raw[rows]))
        )
    rows = np.flatnonzero((priv == DEBUG) & ~stop & (c.counted != 0).any(axis=1))
    if len(rows):
        yield Rule("HPM.debug.counts", rows, c.left(rows, np.zeros_like(c.counted[rows])))
    rows = np.flatnonzero(~c.steps.running & ~stop)
    if len(rows):
        clocked = ~(c.inhibit[rows] | c.filtered[rows])
        yield Rule("HPM.count.wfi", rows, c.left(rows, clocked.astype(np.uint64)), c.selected[rows] == CYCLES)
        yield Rule("HPM.count.asleep", rows, c.left(rows, np.zeros_like(c.counted[rows])), c.selected[rows] > CYCLES)


# --- How much, of what ------------------------------------------------------------------------------


def _amounts(c: Cells) -> Iterator[Rule]:
    """HPM-5, HPM-6 and widths: the whole increment, the carry, the wrap."""
    rows = np.flatnonzero((c.counted > _ONE).any(axis=1))
    if len(rows):
        counted = c.counted[rows]
        yield Rule("HPM.count.several", rows, c.left(rows, np.minimum(counted, _ONE)))
        yield Rule("HPM.count.several", rows, c.left(rows, np.maximum(counted, _ONE) - _ONE))
    sums = c.before + c.counted
    carries = (sums >> np.uint64(32)) != (c.before >> np.uint64(32))
    rows = np.flatnonzero((carries & (c.keep > _LOW)).any(axis=1))
    if len(rows):
        yield Rule(
            "HPM.half.carry",
            rows,
            c.before[rows] & ~_LOW | sums[rows] & _LOW,
            carries[rows] & (c.keep > _LOW) & ~_own(c, rows),
        )
    rows = np.flatnonzero(c.overflows.any(axis=1))
    if len(rows):
        where = c.overflows[rows]
        yield Rule("HPM.wrap.width", rows, sums[rows], where)
        yield Rule("HPM.wrap.width", rows, np.broadcast_to(c.keep, where.shape), where)
        yield Rule("HPM.wrap.sum", rows, np.zeros_like(sums[rows]), where)
        yield Rule("HPM.wrap.width", rows, c.before[rows], where)


def _own(c: Cells, rows: np.ndarray) -> np.ndarray:
    """The cells that are written."""
    return c.written[rows][:, None] == np.arange(len(c.numbers))


def _selected(c: Cells) -> Iterator[Rule]:
    """What a selector names, and nothing else."""
    rows = np.flatnonzero(c.steps.first & (c.steps.source[:, 1:].any(axis=1)))
    if not len(rows):
        return
    most, selected = c.steps.source.shape[1] - 1, c.selected[rows]
    allowed = ~(c.inhibit[rows] | c.filtered[rows] | c.steps.stop[rows][:, None])
    asked = c.epochs.asked[c.steps.epoch[rows]][:, c.numbers]
    if (asked != selected).any():
        yield Rule(
            "HPM.select.warl", rows, c.left(rows, np.where(allowed, c.happened(rows, asked), _ZERO)), asked != selected
        )
    for step in (-1, 1):
        other = np.where(selected == 0, 0, np.clip(selected + step, 0, most))
        yield Rule(
            "HPM.select.event",
            rows,
            c.left(rows, np.where(allowed, c.happened(rows, other), _ZERO)),
            selected > RETIRED,
        )
    anything = allowed * c.steps.source[rows].max(axis=1)[:, None]
    yield Rule("HPM.select.zero", rows, c.left(rows, anything), selected == 0)


def _kinds(c: Cells) -> Iterator[Rule]:
    """Each kind of counter counts; where nothing happens nothing does."""
    counts = c.counted != 0
    for name, column in (("HPM.count.cycles", 0), ("HPM.count.retired", 2)):
        rows = np.flatnonzero(counts[:, c.columns[column]])
        if len(rows):
            yield Rule(name, rows, c.before[rows], np.broadcast_to(c.numbers == column, (len(rows), len(c.numbers))))
    some = c.numbers >= FIRST
    if not some.any():
        return
    rows = np.flatnonzero(counts[:, some].any(axis=1))
    if len(rows):
        before, selected = c.before[rows], np.where(some, c.selected[rows], 0)
        yield Rule("HPM.select.cycles", rows, before, selected == CYCLES)
        yield Rule("HPM.select.retired", rows, before, selected == RETIRED)
        yield Rule("HPM.count.event", rows, before, selected > RETIRED)
    rows = np.flatnonzero(~counts.all(axis=1))
    if len(rows):
        yield Rule(
            "HPM.count.idle", rows, c.left(rows, c.counted[rows] + _ONE), (c.raw[rows] == 0) & (c.selected[rows] != 0)
        )


class Overflow:
    """OF, LCOFIP and LCOFIE of the same cycles: before, as written (`ruling`), and as they should be after them."""

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
        """Step 4: OF after the write of the cycle, which comes first."""
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
        return np.any(self.over & ~self.ruling, axis=1) & self.there

    @cached_property
    def ip_written(self) -> np.ndarray:
        return np.where(self.mip == NONE, self.ip_before, self.mip == 1)

    @cached_property
    def ip(self) -> np.ndarray:
        """Step 5: LCOFIP after the cycle."""
        return self.ip_written | self.requests

    @cached_property
    def ie(self) -> np.ndarray:
        return np.where(self.mie == NONE, self.ie_before, self.mie == 1)

    @cached_property
    def written_wrap(self) -> tuple[np.ndarray, np.ndarray]:
        """Cycles in which a counter with OF is written that would have wrapped, or that a write takes from the upper
        half of its range to the lower; and its column.
        """
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
