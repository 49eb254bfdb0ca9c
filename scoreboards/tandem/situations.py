# SPDX-License-Identifier: Apache-2.0
"""Where each choice of the reference profile is made: for a clause, the rows (and of them the elements of
`Expected`) in which it decides a byte.

    Situations(expected).all()      clause, rows, elements (None: it is about rows)

The exact check counts them where the bytes are right, and finds the clause by them where they are not: the most
specific first.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from rvtrace.models.tandem import table as t
from rvtrace.models.tandem.config import INCREMENT, NO_INCREMENT
from rvtrace.models.tandem.table import STATE_KEY
from rvtrace.scoreboards.tandem.expected import Expected

_BASED = (t.FCSR, t.MCYCLE, t.MCYCLEH, t.MINSTRET, t.MINSTRETH)
_ONE = np.uint64(1)


class Situation(NamedTuple):
    """A clause, the rows in which it matters, and their elements (None if it is about the row)."""

    clause: str
    rows: np.ndarray
    expected: np.ndarray | None = None


class Situations:
    """Of the rows of one run."""

    def __init__(self, expected: Expected) -> None:
        self.expected, self.config, self.rows = expected, expected.config, expected.rows
        self.mask = np.uint64((1 << self.config.xlen) - 1)
        self.epoch = np.cumsum(expected.has("reset"))  # resets up to and with each row

    def all(self) -> Iterator[Situation]:
        """Every clause, the most specific first."""
        yield from self._forms()
        yield from self._pcs()
        yield from self._ends()
        yield from self._rows()

    def _of(self, clause: str, mask: np.ndarray) -> Situation:
        """Of elements."""
        at = np.flatnonzero(mask)
        return Situation(clause, self.expected.row[at], at)

    # --- Forms of registers

    def _forms(self) -> Iterator[Situation]:
        expected, level = self.expected, self.config.incremental
        row, key, value = expected.row, expected.key, expected.value
        base, before = self._bases()
        there = before >= 0
        same_epoch = there & (self.epoch[row] == self.epoch[row[before]])
        partial = there & np.isin(key[before], (t.FFLAGS, t.FRM))
        slot = expected.is_part("csr0", "csr1", "csr2", "csr3")
        fcsr, gpr, counter = expected.is_part("fcsr"), expected.is_part("gpr"), expected.is_part("mcycle", "minstret")
        may = (
            (fcsr if level == INCREMENT else fcsr | gpr | counter)
            if level != NO_INCREMENT
            else np.zeros(len(expected), bool)
        )
        known = same_epoch & ~partial
        added, cleared = value & ~base, base & ~value
        step = value - base & self.mask
        sets = (cleared == 0) & (added <= np.uint64(255))
        near = (step + np.uint64(128) & self.mask) <= np.uint64(255)
        fits, register = sets | near, (key < STATE_KEY)
        self.form = np.select(
            [~register | ~(may & known), sets, near], [0, t.OR, t.ADD], t.REGISTER
        )  # 0: always in full
        of = self._of
        inc = may & known
        lane = there & (self.rows.cycle[row] == self.rows.cycle[row[before]]) & (row != row[before])
        yield of("TV.form.lane", inc & fits & gpr & self._beside(before))
        yield of("TV.form.lane", inc & fits & lane)
        yield of("TV.form.slot_base", inc & slot[before])
        yield of("TV.form.partial", may & same_epoch & partial)
        yield of("TV.form.reset", may & there & ~same_epoch & ~partial & self._would(base, value))
        yield of("TV.form.first", may & ~there)
        yield of("TV.form.same", inc & (value == base))
        wraps = near & ~sets & ((value < base) != (step >> np.uint64(self.config.xlen - 1) & _ONE).astype(bool))
        yield of("TV.form.modulo", inc & wraps)
        yield of("TV.form.lowest", inc & ~sets & (step == self._minus(128)))
        yield of("TV.form.highest", inc & ~sets & (step == np.uint64(127)))
        beyond = (step == np.uint64(128)) | (step == self._minus(129))
        yield of("TV.form.beyond", inc & ~sets & beyond)
        yield of("TV.form.high_bit", inc & ~near & (cleared == 0) & (added > np.uint64(255)))
        yield of("TV.form.cleared", inc & ~near & (cleared != 0) & (added <= np.uint64(255)))
        yield of("TV.form.slot", slot & there & same_epoch & np.isin(key, _BASED) & fits & (level != NO_INCREMENT))
        yield of("TV.form.level", ~may & ~slot & known & fits & (gpr | fcsr | counter))
        yield of("TV.form.high_half", counter & np.isin(key, (t.MCYCLEH, t.MINSTRETH)))
        yield of("TV.form.or", inc & sets)
        yield of("TV.form.add", inc & ~sets & near)
        yield of("TV.form.full", inc & ~fits)
        yield of("TV.form.csr", slot)
        yield of("TV.form.fpr", expected.is_part("fpr"))

    def _bases(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each report the value reported before of its register, and the number of that report (-1: there is none).

        fflags and frm are reported of fcsr.
        """
        expected = self.expected
        key = np.where(np.isin(expected.key, (t.FFLAGS, t.FRM)), t.FCSR, expected.key)
        order = np.argsort(key, kind="stable")
        before = np.full(len(expected), -1)
        again = key[order][1:] == key[order][:-1]
        before[order[1:][again]] = order[:-1][again]
        return np.where(before >= 0, expected.value[before] if len(expected) else 0, np.uint64(0)), before

    def _minus(self, number: int) -> np.uint64:
        return np.uint64(-number & int(self.mask))

    def _beside(self, before: np.ndarray) -> np.ndarray:
        """Elements of a second lane that find their base in an older row, while lane 0 writes another x register."""
        cycle, row = self.rows.cycle, self.expected.row
        second = np.zeros(len(self.rows), bool)
        second[1:] = (cycle[1:] == cycle[:-1]) & self.expected.has("gpr")[:-1]
        return second[row] & (before >= 0) & (row[before] < row - 1)

    def _would(self, base: np.ndarray, value: np.ndarray) -> np.ndarray:
        """Whether the value would fit a short form, if the base were known."""
        return (((base & ~value) == 0) & ((value & ~base) <= np.uint64(255))) | (
            (value - base + np.uint64(128) & self.mask) <= np.uint64(255)
        )

    # --- Next pc

    def _pcs(self) -> Iterator[Situation]:
        expected = self.expected
        told = np.flatnonzero(expected.is_part("pc"))
        row, pc = expected.row[told], expected.value[told]
        before = np.concatenate(([np.uint64(0)], pc[:-1])) if len(pc) else pc
        where = np.concatenate(([0], row[:-1])) if len(pc) else row
        first = np.arange(len(told)) == 0
        known = ~first & (self.epoch[row] == self.epoch[where])
        insn, length = expected.has("insn")[row], np.where(self.rows.insn16[row], 2, 4).astype(np.uint64)
        group = expected.group[row]
        follows = pc == (before + length & self.mask)
        level = self.config.incremental != NO_INCREMENT
        three = known & insn & follows & level

        def tells_of(clause: str, mask: np.ndarray) -> Situation:
            at = told[mask]
            return Situation(clause, expected.row[at], at)

        self.by_three = set(row[three].tolist())
        yield tells_of("TV.pc.wrap", three & (pc < before))
        earlier = np.zeros(len(told), bool)
        acting = np.flatnonzero(expected.sent)
        place = np.searchsorted(acting, row)
        earlier[1:] = acting[np.maximum(place[1:] - 1, 0)] != row[:-1]
        yield tells_of("TV.pc.gap", known & earlier & insn & level)
        lane = ~first & (self.rows.cycle[row] == self.rows.cycle[where])
        yield tells_of("TV.pc.lane", three & lane)
        yield tells_of("TV.pc.reset", ~first & ~known & insn & follows & level)
        yield tells_of("TV.pc.first", first)
        yield tells_of("TV.pc.insn", known & group & ~insn & np.isin(pc - before, (2, 4)) & level)
        yield tells_of("TV.pc.outside", ~group)
        yield tells_of("TV.pc.length", three & self.rows.insn16[row].astype(bool))
        other = before + (np.uint64(6) - length) & self.mask
        yield tells_of("TV.pc.other_length", known & insn & level & (pc == other))
        yield tells_of("TV.pc.never", known & insn & follows & (not level))
        yield tells_of("TV.pc.jump", known & insn & ~follows & level)
        yield tells_of("TV.pc.increment", three)

    # --- Begin and end

    def _ends(self) -> Iterator[Situation]:
        expected, implied = self.expected, bool(self.config.implied_end)
        acts = np.flatnonzero(expected.acts)
        after_group = np.zeros(len(self.rows), bool)
        after_group[acts[1:]] = expected.group[acts[:-1]]
        self.late = after_group & ~expected.group & implied
        if implied:
            yield Situation("TV.end.flush", np.flatnonzero(expected.flush & after_group))
            yield Situation("TV.end.outside", np.flatnonzero(expected.outside & after_group))
            yield Situation("TV.end.implied", np.flatnonzero(expected.group & after_group))
        else:
            yield Situation("TV.group.end", np.flatnonzero(expected.group))
        yield Situation("TV.end.nothing", np.flatnonzero(expected.flush & ~(after_group & implied)))
        yield Situation("TV.group.begin", np.flatnonzero(expected.group))
        yield Situation("TV.group.outside", np.flatnonzero(expected.outside))

    # --- Rows

    def _rows(self) -> Iterator[Situation]:
        expected = self.expected
        yield Situation("TV.row.illegal", np.flatnonzero(expected.illegal))
        yield Situation("TV.row.x0", np.flatnonzero(expected.x0))
        untraced = np.zeros(len(self.rows), bool)
        for part in t.PARTS:
            if part.absent and not self.config.traces(part.absent):
                untraced |= self.rows.have(part.name) & ~expected.illegal
        yield Situation("TV.row.absent", np.flatnonzero(untraced))
        yield Situation("TV.row.nothing", np.flatnonzero(~expected.acts & ~expected.illegal))
        parts = sum(expected.has(part.name).astype(int) for part in t.PARTS[2:])
        yield Situation("TV.order.parts", np.flatnonzero(parts > 1))
        second = np.zeros(len(self.rows), bool)
        second[1:] = self.rows.cycle[1:] == self.rows.cycle[:-1]
        yield Situation("TV.order.lanes", np.flatnonzero(expected.sent & second))
        yield Situation("TV.order.rows", np.flatnonzero(expected.sent))
