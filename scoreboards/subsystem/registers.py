# SPDX-License-Identifier: Apache-2.0
"""Registers of the tandem trace, and addresses without one (docs/reference/rtl-subsystem.md, "Registers")."""

from __future__ import annotations

import numpy as np
from rvtrace.models.subsystem.registers import TANDEM_BASE, TANDEM_BYTES, TANDEM_CONTROL, TANDEM_STATUS
from rvtrace.scoreboards.common.clauses import ClauseBook, Failure
from rvtrace.scoreboards.subsystem.capture import SubsystemCapture
from rvtrace.scoreboards.tci.registers import Access

CLAUSE = "SUB.registers"
_COUNTED_WITHIN = 2  # cycles between a byte that leaves and the register that counts it
_WORD = 0xFFFF_FFFF


class Registers:
    """Follows the accesses of one run."""

    def __init__(self, capture: SubsystemCapture, book: ClauseBook) -> None:
        self.capture, self.book = capture, book
        self._enable, self._ran = 0, False
        self._left = np.sort(np.asarray(capture.out_cycles.get("tandem", ()), np.int64))

    def check(self) -> None:
        """Every access."""
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
        if access.addr == TANDEM_STATUS:  # every row of these runs is legal
            return int(not self._ran), 1
        if access.addr in (TANDEM_BYTES, TANDEM_BYTES + 4) and (len(self._left) or not self.capture.tandem):
            least, most = np.searchsorted(self._left, [access.cycle - _COUNTED_WITHIN, access.cycle + _COUNTED_WITHIN])
            shift = 32 * (access.addr != TANDEM_BYTES)
            return int(least) >> shift & _WORD, int(most) >> shift & _WORD
        return 0, _WORD if access.addr in (TANDEM_BYTES, TANDEM_BYTES + 4) else 0

    def _hold(self, access: Access, good: bool, headline: str, expected: str, actual: str) -> None:
        self.book.check(
            CLAUSE, good, lambda: Failure(CLAUSE, headline, access.cycle, table=[("PRDATA", expected, actual)])
        )
