# SPDX-License-Identifier: Apache-2.0
"""A script of what happens at the ports of a counter block: instructions, events and CSR accesses, cycle by cycle.

    s = Script(config)
    s.count(3, 5, "MINH")                            # mhpmevent3: event of selector 5, not in M-mode
    s.preset(3, -2)                                  # mhpmcounter3: two events before it wraps at its width
    s.at(U)
    s.step(retired=2, events={5: 1})                 # a cycle: two instructions, one event of selector 5
    s.read("hpmcounter3", events={5: 3})             # three more in the cycle of a read
    s.clear("mip", LCOFI, mode=M, events={5: 1})
    s.idle(100)
    rows = s.rows()

CSRs are named as in `models/hpm/registers.py`, or by address; an access is made at the hart's mode unless `mode` says
another. Every cycle has an instruction's access at most; `retired` and `events` go with any of them. `running`
(cycle_i), `stopcount` and `time` stay as they were set.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from rvtrace.models.hpm import readout
from rvtrace.models.hpm.config import Config
from rvtrace.models.hpm.events import FIRST_EVENT, Counts
from rvtrace.models.hpm.registers import INHIBITS, LCOFI_BIT, OF_BIT, csr, csrs
from rvtrace.models.hpm.rows import Rows
from rvtrace.models.riscv.csr import READ, WRITE, Access, M
from rvtrace.tb.common.stimulus.csr_script import CsrScript

LCOFI, OF = 1 << LCOFI_BIT, 1 << OF_BIT
_NONE: Mapping[int, int] = MappingProxyType({})


class Script(CsrScript):
    """Rows in the making. running, stopcount, time: the values of `cycle_i`, `stopcount_i` and `time_i` (one more each
    cycle).

    there: names of the CSRs of this implementation.
    """

    config: Config

    def __init__(self, config: Config, priv: int = M) -> None:
        super().__init__(config, priv)
        self.running, self.stopcount, self.time = 1, 0, 0
        self.there = {c.name for c in csrs(config)}
        self._rows: list[tuple[int, int, Counts, Access | None]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def rows(self) -> Rows:
        """What was written so far, and a last idle cycle that shows what the one before it left."""
        self._add(Counts(self.running, 0, (), self.stopcount, self.time), None)
        return Rows.from_rows(self._rows, self.config.events)

    def address(self, name: str) -> int:
        return csr(name, self.config).address

    # --- Time and events ----------------------------------------------------------------------------

    def idle(self, cycles: int = 1) -> None:
        """So many cycles in which nothing happens but, if `running`, cycles of the hart."""
        if cycles:
            self.step()
            self._pass(cycles - 1)

    def step(self, access: Access | None = None, retired: int = 0, events: Mapping[int, int] = _NONE) -> None:
        """One cycle. events: how often each happened, by selector (3 and up)."""
        counts = [0] * self.config.events
        for selector, number in events.items():
            counts[selector - FIRST_EVENT] = number
        self._add(Counts(self.running, retired, tuple(counts), self.stopcount, self.time), access)

    def put(self, access: Access | None, retired: int = 0, events: Mapping[int, int] = _NONE) -> None:
        self.step(access, retired, events)

    def _add(self, counts: Counts, access: Access | None) -> None:
        self._rows.append((self.cycle, self.priv, counts, access))
        self._pass(1)

    def _pass(self, cycles: int) -> None:
        self.cycle += cycles
        self.time = (self.time + cycles) % (1 << 64)

    # --- Registers of any XLEN ----------------------------------------------------------------------

    def _high(self, name: str, xlen32: int) -> bool:
        """Whether the register has to be accessed in halves, and has an h register."""
        return (self.config.xlen == 32 or bool(xlen32)) and f"{name}h" in self.there

    def whole(self, name: str, value: int, mode: int | None = M) -> None:
        """All 64 bits of a register; at XLEN 32 its high half first, in a separate cycle."""
        if self._high(name, 0):
            self.write(f"{name}h", value >> 32 & 0xFFFF_FFFF, mode)
        self.write(name, value & self.ones(0), mode)

    def look(self, name: str, mode: int | None = M, xlen32: int = 0) -> None:
        """Read all 64 bits of a register; at XLEN 32 its high half first, in a separate cycle."""
        if self._high(name, xlen32):
            self.read(f"{name}h", mode, xlen32)
        self.read(name, mode, xlen32)

    def ones(self, xlen32: int = 0) -> int:
        """An operand of ones."""
        return (1 << (32 if xlen32 else self.config.xlen)) - 1

    # --- Counters -----------------------------------------------------------------------------------

    counter = staticmethod(readout.counter)
    filters = staticmethod(readout.filters)

    def view(self, n: int) -> str:
        """Name of counter n for everybody."""
        return self.counter(n)[1:]

    def count(self, n: int, selector: int, *inhibited: str, of: int = 0) -> None:
        """Program mhpmevent n: the selector that it counts, in which modes not ("MINH", "SINH", ...), its OF."""
        self.whole(
            self.filters(n), self.config.code(selector) | sum(1 << INHIBITS[name] for name in inhibited) | of << OF_BIT
        )

    def preset(self, n: int, value: int) -> None:
        """Write counter n; a negative value is so far below the wrap at its width."""
        self.whole(self.counter(n), value % (1 << self.config.widths[n]))

    def open(self, mask: int | None = None) -> None:
        """Counters open for every mode: mcounteren, scounteren, hcounteren, those that exist."""
        for name in ("mcounteren", "scounteren", "hcounteren"):
            if name in self.there:
                self.write(name, self.config.enables if mask is None else mask, M)

    def look_at(self, *numbers: int) -> None:
        """Read counters and the OF bits in M-mode, all of them without numbers."""
        for n in numbers or (n for n in range(32) if self.config.has(n)):
            self.look(self.counter(n))
            if n > 2:
                self.look(self.filters(n))
        self.read("mip", M)


__all__ = ["LCOFI", "OF", "READ", "WRITE", "Script"]
