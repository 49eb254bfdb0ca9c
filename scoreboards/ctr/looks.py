# SPDX-License-Identifier: Apache-2.0
"""Accesses of a stretch of rows as columns: software writes an iselect, to select an entry, and reads its registers.

A write shows what was there. These change nothing that is recorded, so they and the transfers among them can be looked
at together: `agree` compares them all, and the other methods give what `Comparison` counts of each. Where one differs,
`Comparison` replays the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from rvtrace.models.common.port_rows import NO_ACCESS
from rvtrace.models.csr.file import acting
from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.recorder import CAPACITY, DATA, SOURCE, TARGET
from rvtrace.models.ctr.records import largest_count
from rvtrace.models.ctr.registers import csrs
from rvtrace.models.ctr.rows import Rows
from rvtrace.models.ctr.rules import POP
from rvtrace.models.riscv.csr import DONE, READ, WRITE, Access
from rvtrace.scoreboards.ctr.access import Suspects
from rvtrace.scoreboards.ctr.follow import PARTS, Follower, Origin
from rvtrace.scoreboards.ctr.log import Stretch
from rvtrace.scoreboards.ctr.reads import Field, alike, beyond_fields, fields_from
from rvtrace.scoreboards.ctr.stretch import Ahead

_WINDOWS = ("m", "s", "vs")
_ENTRY = 2  # bits 15:8 of an iselect that selects an entry


def calm(rows: Rows, config: Config) -> np.ndarray:
    """Rows without an access, or with one that may be in a `Looks`."""
    known = {csr.name: csr.address for csr in csrs(config)}
    iregs = [known[name] for w in ("s", "vs") for name in (f"{w}ireg", f"{w}ireg2", f"{w}ireg3") if name in known]
    selects = [known[name] for name in ("siselect", "vsiselect") if name in known]
    reads = (rows.op == READ) & np.isin(rows.addr, iregs)
    writes = (rows.op == WRITE) & np.isin(rows.addr, selects) & (rows.wdata >> np.uint64(8) == _ENTRY)
    return (rows.op == NO_ACCESS) | ((reads | writes) & (rows.outcome == DONE) & (rows.xlen32 == 0))


def known_to_look(f: Follower) -> bool:
    """Whether it is known what a read of any entry is to show: nothing is open."""
    r = f.recorder
    return not (r.open or r.count_open or f.depth_open or f.unsure)


@dataclass
class _Kind:
    """Accesses to one address, from one mode. window: that answers, an index of `_WINDOWS`. part: 0 of a write."""

    access: Access
    csr: Csr
    window: int
    part: int
    suspects: Suspects
    key: tuple[Any, ...]


class Looks:
    """The accesses of some rows, all of them `calm`.

    at: their rows. stop: the first row that is not to be done here, because the read in it confirms what was recorded
    before it, or its iselect is not known to select an entry, or its outcome is not to be DONE. Afterwards, of each:
    kind: an index of kinds. part. logical: the entry that is selected or read.
    """

    def __init__(self, f: Follower, rows: Rows) -> None:
        self.f, self.rows, self.stop = f, rows, len(rows)
        self.at = np.flatnonzero(rows.op != NO_ACCESS)
        code = (rows.op[self.at].astype(np.int64) << 32) | (rows.mode[self.at].astype(np.int64) << 16)
        code |= rows.addr[self.at]
        _, first, self.kind = np.unique(code, return_index=True, return_inverse=True)
        self.kind = self.kind.reshape(-1)
        self.kinds: list[_Kind] = []
        for n, i in enumerate(first.tolist()):
            self._add(n, int(self.at[i]))
        if self.kinds:
            self.part = np.array([kind.part for kind in self.kinds])[self.kind]
            self.window = np.array([kind.window for kind in self.kinds])[self.kind]
            self.selects = self._selects()
            self.logical = np.choose(self.window, self.selects).astype(np.int64) - (_ENTRY << 8)
            confirms = self.at[(self.part == SOURCE) & (self.logical == 0)]
            self.stop = min([self.stop, *confirms[:1].tolist()])

    def _add(self, n: int, row: int) -> None:
        f, rows = self.f, self.rows
        access = Access(*(int(column[row]) for column in (rows.op, rows.addr, rows.wdata, rows.mode, rows.xlen32)))
        csr = f.csr_of(access)
        assert csr is not None
        window = acting(csr, access.priv).partition("i")[0]
        suspects, want = f.wanted(csr, access)
        known = getattr(f.gates, f"{window}iselect") >> 8 == _ENTRY and window not in f.select_open
        if not known or want.outcome != DONE or f.unsure:
            self.stop = min(self.stop, row)
        part = PARTS.get(f.state_of(csr, access.priv), 0)
        self.kinds.append(_Kind(access, csr, _WINDOWS.index(window), part, suspects, f.key))

    def _selects(self) -> list[np.ndarray]:
        """The three iselects at each access, after it. Of writes, what was there (`old`) and which access wrote that
        (`by`, -1 if none of these).
        """
        found, n = [], len(self.at)
        self.old, self.by = np.zeros(n, np.uint64), np.full(n, -1)
        wdata = self.rows.wdata[self.at]
        for window, name in enumerate(_WINDOWS):
            held = np.uint64(getattr(self.f.gates, f"{name}iselect"))
            writes = (self.part == 0) & (self.window == window)
            last = np.maximum.accumulate(np.where(writes, np.arange(n), -1))
            before = np.concatenate([[-1], last[:-1]])[writes]
            self.by[writes], self.old[writes] = before, np.where(before < 0, held, wdata[before])
            found.append(np.where(last < 0, held, wdata[last]))
        return found

    def __len__(self) -> int:
        return len(self.at)

    @property
    def reads(self) -> bool:
        """Whether an entry is read."""
        return bool(len(self)) and bool(self.part.any())

    # --- What they show -----------------------------------------------------------------------------

    def agree(self, ahead: Ahead) -> bool:
        """Whether every access shows what it should, with the transfers up to it; nothing is followed yet.

        False, too, where that depends on more: on what is open, on pops, or on a clear before records.
        """
        f, r, block, reads = self.f, self.f.recorder, ahead.block, self.part > 0
        if (self.old[~reads] != self.rows.rdata[self.at[~reads]]).any():
            return False
        if not reads.any():
            return True
        if not known_to_look(f) or (f.clean and len(ahead.at)) or POP in ahead.action:
            return False
        self.of, self.block = np.flatnonzero(reads), block
        row, part, logical = self.at[reads], self.part[reads], self.logical[reads]
        before = np.searchsorted(ahead.at, row, side="right")  # the transfers of a row are before its access
        wrptr = r.wrptr + np.concatenate([[0], ahead.moves])[before]
        self.below = logical < r.depth
        self.place = np.where(self.below, (wrptr - logical - 1) % r.depth, 0)
        want = np.array([r.source, r.target, r.data], np.uint64)[part - 1, self.place]
        self.record = np.full(len(row), -1)
        if block is not None:
            self.record = _newest(block, self.place, before)
            registers = np.stack(block.registers(f.config))
            want = np.where(self.record >= 0, registers[part - 1, self.record], want)
        return bool((np.where(self.below, want, np.uint64(0)) == self.rows.rdata[row]).all())

    # --- Counts, before the transfers are followed ------------------------------------------------------

    def fields(self) -> Iterator[tuple[int, Origin | None, list[Field], int]]:
        """Reads of which the same clauses are counted: ireg, where the content comes from (None at or above the depth),
        fields, how many.
        """
        f, part, old = self.f, self.part[self.of], self.record < 0
        for ireg in np.flatnonzero(np.bincount(part[~self.below])).tolist():
            yield ireg, None, beyond_fields(f, ireg), int(np.count_nonzero(part[~self.below] == ireg))
        found: dict[tuple[Any, ...], tuple[Origin, int, list[int]]] = {}

        def add(origin: Origin, place: int, ireg: int, n: int) -> None:
            found.setdefault(alike(f, origin, ireg, place), (origin, place, [ireg, 0]))[2][1] += n

        before = (self.place << 2 | part)[self.below & old]
        for one, n in zip(*(column.tolist() for column in np.unique(before, return_counts=True))):
            add(f.origin[one >> 2], one >> 2, one & 3, n)
        if self.block is not None and not old.all():
            some = ~old & self.below
            kinds, times = np.unique(
                _alike(self.block, f, self.record[some]) << 2 | part[some], return_index=True, return_counts=True
            )[1:]
            which = self.record[some][kinds]
            for event, ireg, n in zip(self.block.events(which), part[some][kinds].tolist(), times.tolist()):
                add(Origin("record", event), event.place, ireg, n)
        for origin, place, (ireg, n) in found.values():
            yield ireg, origin, fields_from(f, origin, ireg, place), n

    def selected_otherwise(self) -> Iterator[tuple[Csr, int]]:
        """Reads while another iselect selects another entry: by the CSR how many."""
        logical, other = self.logical[self.of], np.zeros(len(self.of), bool)
        for window, values in enumerate(self.selects):
            selected = values[self.of] - np.uint64(_ENTRY << 8)  # of one below it is very great
            elsewhere = (selected < CAPACITY) & (selected != logical.astype(np.uint64))
            other |= (self.window[self.of] != window) & elsewhere
        times = np.bincount(self.kind[self.of][other], minlength=len(self.kinds))
        for kind, n in zip(self.kinds, times.tolist()):
            if n:
                yield kind.csr, n

    def entries(self) -> Iterator[tuple[int, int]]:
        """Logical entries that were read, each with how often."""
        return zip(*(column.tolist() for column in np.unique(self.logical[self.of], return_counts=True)))

    def again(self, view: dict[tuple[int, int], int], ahead: Ahead) -> int:
        """How many reads show what the one before did, with no transfer since; the view is brought up to date."""
        row, part, logical = self.at[self.of], self.part[self.of], self.logical[self.of]
        shown = self.rows.rdata[row]
        epoch = np.cumsum(ahead.many > 0)[row]
        key = (epoch * CAPACITY + logical) << 2 | part
        first, count = np.unique(key, return_index=True)[1], len(row)
        known = 0
        if view:
            early = first[epoch[first] == 0]
            seen = zip(logical[early].tolist(), part[early].tolist(), shown[early].tolist())
            known = sum(view.get((x, ireg)) == value for x, ireg, value in seen)
        if len(ahead.at):
            view.clear()
        late = epoch == np.count_nonzero(ahead.many)
        view.update(zip(zip(logical[late].tolist(), part[late].tolist()), shown[late].tolist()))
        return count - len(first) + known

    def writes(self) -> Iterator[tuple[_Kind, _Kind | None, int]]:
        """Writes of an iselect: kind, that of the write before to the same one (None if it is not among these), how
        many.
        """
        which = np.flatnonzero(self.part == 0)
        by = np.where(self.by[which] < 0, -1, self.kind[self.by[which]]) + 1
        for one, n in zip(*(found.tolist() for found in np.unique(self.kind[which] << 8 | by, return_counts=True))):
            yield self.kinds[one >> 8], self.kinds[(one & 0xFF) - 1] if one & 0xFF else None, n

    def valid(self) -> int:
        """How many reads of ctrsource show V 1."""
        return int(np.count_nonzero((self.part == SOURCE) & (self.rows.rdata[self.at] & np.uint64(1) != 0)))

    def accesses(self) -> Iterator[tuple[_Kind, int]]:
        """Each kind of access and how often it occurred."""
        return zip(self.kinds, np.bincount(self.kind, minlength=len(self.kinds)).tolist())

    def note(self, ahead: Ahead) -> None:
        """What `Follower.apply` notes of the accesses, and who wrote the iselects last."""
        f, effects = self.f, ahead.effects[self.at]
        for writes, several in ((w, s) for w in (False, True) for s in (False, True)):
            shared = (effects > 0) & ((effects > 1) == several) & ((self.part == 0) == writes)
            if n := int(np.count_nonzero(shared)):
                f.notes.together("select written" if writes else "entry read", several, n)
                if writes:
                    f.met["CTR-13"] += n
        for window in range(len(_WINDOWS)):
            if len(writes_ := np.flatnonzero((self.part == 0) & (self.window == window))):
                i = int(writes_[-1])
                kind, row = self.kinds[self.kind[i]], int(self.at[i])
                access = kind.access._replace(wdata=int(self.rows.wdata[row]))
                f.selected(kind.csr, access, ahead.first + row, int(effects[i]))


def _newest(block: Stretch, place: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Of each read the number of the last record of its entry among the first `before` transfers, -1 if none."""
    which = np.flatnonzero(block.records)
    size = len(block) + 1
    keys = np.sort(block.place[which] * size + which)
    found = np.searchsorted(keys, place * size + before) - 1
    key = keys[np.maximum(found, 0)] if len(keys) else np.full(len(place), -1)
    return np.where((found >= 0) & (key // size == place), key % size, -1)


def _alike(block: Stretch, f: Follower, which: np.ndarray) -> np.ndarray:
    """As `alike`, of records of a stretch: equal numbers for what `fields_from` does not distinguish."""
    count, most = block.count[which], largest_count(f.config.cce_bits)
    key = block.why[which].astype(np.int64)
    for column in (count >= most, count > 4095, block.kept[which] == count, block.all[which] == count):
        key = key << 1 | column
    return key << 2 | block.ccv[which]


assert (SOURCE, TARGET, DATA) == (1, 2, 3)
