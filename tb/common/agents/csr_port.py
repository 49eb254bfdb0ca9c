# SPDX-License-Identifier: Apache-2.0
"""CSR agent of any block: reads, writes, sets, clears (and SCTRCLR) at any privilege, at most one a cycle; the answer
comes in the same cycle.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from cocotb_bus.bus import Bus

from rvtrace.tb.common.agents import port_files
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.common.agents.port import PortAgent, PortDriver, PortMonitor


class CsrBus(Bus):
    """The CSR port: one access in a cycle."""

    valid: Any
    rdata: Any
    outcome: Any

    def __init__(self, dut: Any, pins: Pins) -> None:
        names = {name: "priv_i" if name == "mode" else f"{name}_i" for name in ("valid", *pins.once)}
        super().__init__(dut, "csr", names | {"rdata": "rdata_o", "outcome": "outcome_o"}, case_insensitive=False)


class CsrAccess(NamedTuple):
    """One access with its answer. time: that the access sees, 0 where the port has none."""

    cycle: int
    op: int
    addr: int
    wdata: int
    mode: int
    xlen32: int
    rdata: int
    outcome: int
    time: int = 0


class CsrDriver(PortDriver):
    """Drives accesses."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = CsrBus(self.dut, self.pins)

    def handles(self) -> list[Any]:
        return [self.bus.valid, *(getattr(self.bus, name) for name in self.pins.once)]

    def columns(self, rows: Any) -> tuple[np.ndarray, list[list[int]]]:
        there = rows.op != self.config.files.NO_ACCESS
        return there, [[1] * int(there.sum()), *(getattr(rows, name)[there].tolist() for name in self.pins.once)]


class CsrMonitor(PortMonitor):
    """Writes a `CsrAccess` for each access; an X in an answer is a problem. The whole run as rows."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = CsrBus(self.dut, self.pins)
        self.fields = {name: getattr(self.bus, name) for name in self.pins.once}
        self.unknown: list[int] = []

    def look(self, cycle: int) -> None:
        if not int(self.bus.valid.value):
            return
        answer = self.bus.rdata.value, self.bus.outcome.value
        if not all(value.is_resolvable for value in answer):
            self.unknown.append(cycle)
        rdata, outcome = (int(value) if value.is_resolvable else 0 for value in answer)
        given = {name: int(handle.value) for name, handle in self.fields.items()}
        self.ap.write(CsrAccess(cycle, **given, rdata=rdata, outcome=outcome))

    def arrays(self, items: list[CsrAccess]) -> Any:
        rows = self.config.files.Rows.empty(len(items), self.pins.blocks)
        for name in ("cycle", *self.pins.once, "rdata", "outcome"):
            setattr(rows, name, np.array([getattr(item, name) for item in items], dtype=getattr(rows, name).dtype))
        if self.unknown:
            self.problems.append(port_files.unknown_at(self.unknown[0], len(self.unknown)))
        return rows


class CsrAgent(PortAgent):
    """Driver and monitor of the CSR port."""

    driver_class, monitor_class = CsrDriver, CsrMonitor
