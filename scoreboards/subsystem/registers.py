# SPDX-License-Identifier: Apache-2.0
"""Registers of the tandem trace, addresses without one, and what the outputs for monitors say of all units
(docs/reference/rtl-subsystem.md, "Registers" and "Outputs").
"""

from __future__ import annotations

import numpy as np

from rvtrace.models.subsystem.registers import BASES, TANDEM_BASE, TANDEM_BYTES, TANDEM_CONTROL, TANDEM_STATUS
from rvtrace.models.tandem.trace_data import illegal
from rvtrace.models.tci.registers import component
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.tci.registers import Access

REGISTERS, ROWS, ON = "SUB.registers", "SUB.tandem.error", "SUB.monitors"
UNITS = {"ntrace": "N-Trace", "etrace": "E-Trace", "tandem": "tandem trace"}  # bits of mon_enable_o, from 0 up
_COUNTED_WITHIN = 2  # cycles between a byte that leaves and the register that counts it
_SEEN_WITHIN = 3  # cycles between an illegal row and the register that says so
_ON_WITHIN = 4  # cycles between a write of a control register and the unit that is on or off
_WORD = 0xFFFF_FFFF


class Registers:
    """Follows the accesses of one run."""

    def __init__(self, capture: SubsystemCapture, book: ClauseBook) -> None:
        self.capture, self.book = capture, book
        self._enable, self._ran = 0, False
        self._left = np.sort(np.asarray(capture.out_cycles.get("tandem", ()), np.int64))
        self._illegal = np.unique(capture.rows.cycle[illegal(capture.rows)].astype(np.int64))

    def check(self) -> None:
        """Every access, the rows that are not legal, and the times in which each unit was on."""
        for access in self.capture.accesses:
            self._hold(access, not access.error, "an access ended with PSLVERR", "0", "1")
            if access.addr < TANDEM_BASE:
                continue  # of a trace system: its own clauses
            if access.write:
                if access.addr == TANDEM_CONTROL:
                    self._enable = access.data & 1
                    self._ran |= bool(self._enable)
            else:
                self._read(access)
        self._rows()
        if self.capture.enabled is not None and self.capture.accesses:  # somebody looked at both
            for unit, ranges in zip(UNITS, self.capture.enabled):
                self._on(unit, ranges)

    def _read(self, access: Access) -> None:
        low, high = self._expected(access)
        wanted = f"{low:#x}" if low == high else f"{low:#x} to {high:#x}"
        self._hold(
            access, low <= access.data <= high and not access.unknown, f"a read of {access.addr:#07x} is wrong",
            wanted, "X" if access.unknown else f"{access.data:#x}",
        )  # fmt: skip

    def _expected(self, access: Access) -> tuple[int, int]:
        """The least and the greatest value that may be read."""
        if access.addr == TANDEM_CONTROL:
            return self._enable, self._enable
        if access.addr == TANDEM_STATUS:
            first = int(self._illegal[0]) if len(self._illegal) else access.cycle + 1
            certain, possible = int(first + _SEEN_WITHIN <= access.cycle), int(first < access.cycle)
            return certain << 1 | int(not self._ran), possible << 1 | 1
        if access.addr in (TANDEM_BYTES, TANDEM_BYTES + 4) and (len(self._left) or not self.capture.tandem):
            least, most = np.searchsorted(self._left, [access.cycle - _COUNTED_WITHIN, access.cycle + _COUNTED_WITHIN])
            shift = 32 * (access.addr != TANDEM_BYTES)
            return int(least) >> shift & _WORD, int(most) >> shift & _WORD
        return 0, _WORD if access.addr in (TANDEM_BYTES, TANDEM_BYTES + 4) else 0

    def _rows(self) -> None:
        """tandem_error_o is 1 in the cycle after one in which a row that is not legal was taken, and in no other."""
        wanted, seen = self._illegal + 1, np.unique(np.asarray(self.capture.errors, np.int64))
        wrong = np.setxor1d(wanted, seen).tolist()
        self.book.bulk(
            ROWS,
            max(len(wanted), 1),
            wrong,
            lambda cycle: Failure(
                ROWS,
                "tandem_error_o reports a row that is legal"
                if cycle in seen
                else "tandem_error_o does not report a row that is not legal",
                int(cycle),
                table=[("tandem_error_o", str(int(cycle in wanted)), str(int(cycle in seen)))],
            ),
        )

    def _on(self, unit: str, ranges: list[tuple[int, int]]) -> None:
        """mon_enable_o against what was written to the unit's control register."""
        wanted, begin = [], None
        for access in self.capture.accesses:
            if not access.write or access.addr != self._control(unit):
                continue
            on = access.data & self._bits(unit) == self._bits(unit)
            if on and begin is None:
                begin = access.cycle
            elif not on and begin is not None:
                wanted.append((begin, access.cycle))
                begin = None
        same = len(ranges) == len(wanted) + (begin is not None) and all(
            0 < have - want <= _ON_WITHIN
            for (first, last), (start, end) in zip(wanted, ranges)
            for want, have in ((first, start), (last, end))
        )
        if begin is not None and ranges:
            same &= 0 < ranges[-1][0] - begin <= _ON_WITHIN
        self.book.check(
            ON,
            same,
            lambda: Failure(
                ON,
                f"mon_enable_o says when {UNITS[unit]} is on, and its control register was written for other times",
                ranges[0][0] if ranges else None,
                table=[("cycles", _times([*wanted, *([] if begin is None else [(begin, -1)])]), _times(ranges))],
            ),
        )

    @staticmethod
    def _control(unit: str) -> int:
        return TANDEM_CONTROL if unit == "tandem" else BASES[unit]

    @staticmethod
    def _bits(unit: str) -> int:
        """The bits of the control register that let the unit trace."""
        if unit == "tandem":
            return 1
        register = component("encoder").register("trTeControl")
        return sum(register.field(name).mask for name in ("trTeActive", "trTeEnable", "trTeInstTracing"))

    def _hold(self, access: Access, good: bool, headline: str, expected: str, actual: str) -> None:
        self.book.check(
            REGISTERS, good, lambda: Failure(REGISTERS, headline, access.cycle, table=[("PRDATA", expected, actual)])
        )


def _times(ranges: list[tuple[int, int]]) -> str:
    return ", ".join(f"{begin} to {end if end >= 0 else 'the end'}" for begin, end in ranges) or "never"
