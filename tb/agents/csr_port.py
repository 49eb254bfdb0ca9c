"""CSR agent of any block: reads, writes, sets, clears (and SCTRCLR) at any privilege, at most one a cycle; the answer comes in the same cycle."""

from __future__ import annotations

from typing import Any

import numpy as np
from cocotb.handle import HierarchyObject, SimHandleBase
from cocotb_bus.bus import Bus

from tb.agents import port_files
from tb.agents.pins import Pins
from tb.agents.port import PortAgent, PortDriver, PortMonitor


class CsrBus(Bus):
    """The CSR port: the fields of the pins, told once a cycle."""

    def __init__(self, dut: HierarchyObject, pins: Pins) -> None:
        names = {name: "priv_i" if name == "mode" else f"{name}_i" for name in ("valid", *pins.once)}
        super().__init__(dut, "csr", names | {"rdata": "rdata_o", "outcome": "outcome_o"})


class CsrDriver(PortDriver):
    """Drives accesses."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = CsrBus(self.dut, self.pins)

    def handles(self) -> list[SimHandleBase]:
        return [self.bus.valid, *(getattr(self.bus, name) for name in self.pins.once)]

    def columns(self, rows: Any) -> tuple[np.ndarray, list[list[int]]]:
        there = rows.op != self.files.NO_ACCESS
        return there, [[1] * int(there.sum()), *(getattr(rows, name)[there].tolist() for name in self.pins.once)]


class CsrMonitor(PortMonitor):
    """Records every access with its answer; an X in it is a problem."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = CsrBus(self.dut, self.pins)
        self.fields = [getattr(self.bus, name) for name in self.pins.once]
        self.unknown: list[int] = []

    def look(self, cycle: int) -> None:
        if not int(self.bus.valid.value):
            return
        answer = self.bus.rdata.value, self.bus.outcome.value
        if not all(value.is_resolvable for value in answer):
            self.unknown.append(cycle)
        rdata, outcome = (int(value) if value.is_resolvable else 0 for value in answer)
        self.seen.append((cycle, *(int(handle.value) for handle in self.fields), rdata, outcome))

    def watched(self) -> Any:
        names = ("cycle", *self.pins.once, "rdata", "outcome")
        columns = dict(zip(names, list(zip(*self.seen)) or [()] * len(names)))
        rows = self.files.Rows.empty(len(columns["cycle"]), self.pins.blocks)
        for name, column in columns.items():
            setattr(rows, name, np.array(column, dtype=getattr(rows, name).dtype))
        if self.unknown:
            self.problems.append(port_files.unknown_at(self.unknown[0], len(self.unknown)))
        return rows

    def own(self, seen: Any) -> Any:
        return seen.select(seen.op != self.files.NO_ACCESS)


class CsrAgent(PortAgent):
    """Driver and monitor of the CSR port."""

    driver_class, monitor_class = CsrDriver, CsrMonitor
