# SPDX-License-Identifier: Apache-2.0
"""The entries, the write pointer and the cycle counter: what a cycle's transfers leave in them, and what a clear
leaves.

Chapters Behavior and Cycle Counting, section RAS Emulation Mode; order and choices: docs/reference/ctr-profile.md
(CTR-1, 2, 7, 13, 14).
"""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import Transfer, decode_cc, encode_cc, largest_count
from rvtrace.models.ctr.registers import entries
from rvtrace.models.ctr.rules import CALL, FREEZE, NO_SOURCE, NO_TARGET, NOTHING, OVERWRITE, POP, Rules

CAPACITY = 256  # physical entries; those at or above the depth in force read 0
SOURCE, TARGET, DATA = 1, 2, 3  # numbers of the iregs
_CCV = 1 << 15
_CC = 0xFFFF8000  # CCV and CC


class Recorder:
    """State that recording changes. Control registers come in through `configure`; 0 entries are 0.

    source, target, data: the three registers of each physical entry. depth: entries in force. wrptr, wrap, frozen: the
    status. counter: cycles since the last record. invalid: the next record has CCV 0. open: bits of (physical entry,
    ireg) that the specification leaves open (only if the model keeps account). count_open: the counter is.
    """

    def __init__(self, config: Config) -> None:
        self.config = config
        self.source, self.target, self.data = [0] * CAPACITY, [0] * CAPACITY, [0] * CAPACITY
        self.depth = config.depths[0]
        self.wrptr = self.wrap = self.frozen = self.counter = 0
        self.invalid = True
        self.open: dict[tuple[int, int], int] = {}
        self.count_open = False
        self.recorded = 0  # records and pops since reset
        self._pcs = (1 << config.xlen) - 2
        self._types = 15 if config.has_type else 0
        self._cc_bits = _CC & entries(config)[2].mask
        self._misp, self._counted, self._cce_bits = config.has_misp, config.has_cc, config.cce_bits
        self._emulated = (CALL, OVERWRITE) if config.ras_policy == 0 else ()  # actions whose record has CCV 0
        self._limit = largest_count(config.cce_bits)
        self.configure(0, 0)

    def configure(self, ctl: int, vsctl: int) -> None:
        """The control registers have these values from the next transfer on."""
        self._rules = Rules(self.config, ctl, vsctl)
        self._actions: dict[int, int] = {}
        counts = self.config.has_cc
        self._counts = [int(bool(counts and self._rules.enabled(mode))) for mode in range(8)]

    def restart_counter(self) -> None:
        """A control register was written, or SCTRCLR executed: the counter is 0, the next record has CCV 0."""
        self.counter, self.invalid, self.count_open = 0, True, False

    def physical(self, logical: int) -> int:
        """Physical entry of a logical one: (WRPTR - X - 1) mod depth."""
        return (self.wrptr - logical - 1) % self.depth

    def clear(self, entries: int) -> None:
        """Physical entries 0 to `entries` - 1 are 0."""
        for part in (self.source, self.target, self.data):
            part[:entries] = [0] * entries
        self.open = {key: bits for key, bits in self.open.items() if key[0] >= entries}

    # --- A cycle ------------------------------------------------------------------------------------

    def idle(self, priv: int, cycles: int) -> None:
        """Cycles without transfers in this mode."""
        if self.counts(priv):
            self.tick(cycles)

    def tick(self, cycles: int) -> None:
        """Cycles that count."""
        self.counter += cycles
        if self.counter > self._limit:
            self.counter = self._limit

    def retire(self, priv: int, transfers: Iterable[Transfer]) -> None:
        """One cycle: its transfers, oldest first, then the counter. priv: mode at the start of the cycle."""
        counts = 0 if self.frozen else self._counts[priv]
        actions = self._actions
        for type_, source, target, misp, from_, to, cause in transfers:
            if self.frozen:
                break
            key = type_ | from_ << 4 | to << 7 | cause << 10
            action = actions.get(key)
            if action is None:
                action = actions[key] = self._rules.action(type_, from_, to, cause)
            if action != NOTHING:
                self.act(action, type_, source, target, misp)
        if counts and self.counter < self._limit:
            self.counter += 1

    def counts(self, priv: int) -> int:
        """Whether a cycle that begins in this mode is counted."""
        return 0 if self.frozen else self._counts[priv]

    def place(self, action: int) -> int:
        """The physical entry that a record or a pop is to change."""
        return (self.wrptr - 1) % self.depth if action == OVERWRITE or action == POP else self.wrptr

    def act(self, action: int, type_: int, source: int, target: int, misp: int) -> None:
        """Freeze, pop, or write a record: at WRPTR, which then moves on; a swap in RAS emulation overwrites entry 0."""
        if action == FREEZE:
            self.frozen = 1
            return
        if action == POP:
            self._pop()
            return
        place = self.wrptr
        if action == OVERWRITE:
            place = (place - 1) % self.depth
        elif place == self.depth - 1:
            self.wrptr, self.wrap = 0, 1
        else:
            self.wrptr = place + 1
        self.source[place] = 1 if action == NO_SOURCE else source & self._pcs | 1
        self.target[place] = (0 if action == NO_TARGET else target & self._pcs) | misp & self._misp
        data = type_ & self._types
        if self._counted:
            count = self.counter
            data |= (count if count < 4096 else encode_cc(count, self._cce_bits)) << 16
            if not self.invalid and action not in self._emulated:
                data |= _CCV
            self.invalid, self.counter = False, 0
        self.data[place] = data
        self.recorded += 1
        if self.open or self.count_open:
            self._known(place)

    def _known(self, place: int) -> None:
        """A record leaves nothing open in its entry, but its CC if the counter was."""
        for part in (SOURCE, TARGET, DATA):
            self.open.pop((place, part), None)
        if self.count_open:
            self.open[place, DATA] = self._cc_bits
            self.count_open = False

    def _pop(self) -> None:
        """A return in RAS emulation: WRPTR steps back, the entry it then names gets V = 0 and keeps the rest."""
        if self.wrptr == 0:
            self.wrap = 0
        place = self.wrptr = (self.wrptr - 1) % self.depth
        self.source[place] &= ~1
        self.recorded += 1
        data, unknown = self.data[place], self.open.get((place, DATA), 0)
        if (place, SOURCE) in self.open:
            self.open[place, SOURCE] &= ~1
        if self.config.ras_policy == 1:
            self.invalid = True
        elif self.config.ras_policy == 2 and unknown:
            self.count_open = True
        elif self.config.ras_policy == 2 and data & _CCV:
            self.counter = min(self.counter + decode_cc(data >> 16), self._limit)
        elif self.config.ras_policy == 2:
            self.invalid = True
