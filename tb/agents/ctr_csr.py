"""CSR agent: reads, writes, sets, clears and SCTRCLR at any privilege, at most one a cycle; the answer comes in the same cycle."""

from __future__ import annotations

import numpy as np
from cocotb.handle import HierarchyObject, SimHandleBase
from cocotb_bus.bus import Bus

from models.ctr.rows import NO_ACCESS, Rows
from tb.agents import ctr_rows
from tb.agents.ctr_port import PortAgent, PortDriver, PortMonitor

_FIELDS = ("op", "addr", "wdata", "mode", "xlen32")


class CsrBus(Bus):
    """The CSR port."""

    def __init__(self, dut: HierarchyObject) -> None:
        names = {"mode" if name == "priv" else name: f"{name}_i" for name in ("valid", "op", "addr", "wdata", "priv", "xlen32")}
        super().__init__(dut, "csr", names | {"rdata": "rdata_o", "outcome": "outcome_o"})


class CsrDriver(PortDriver):
    """Drives accesses."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = CsrBus(self.dut)

    def handles(self) -> list[SimHandleBase]:
        return [self.bus.valid, *(getattr(self.bus, name) for name in _FIELDS)]

    def columns(self, rows: Rows) -> tuple[np.ndarray, list[list[int]]]:
        there = rows.op != NO_ACCESS
        return there, [[1] * int(there.sum()), *(getattr(rows, name)[there].tolist() for name in _FIELDS)]


class CsrMonitor(PortMonitor):
    """Records every access with its answer; an X in it is a problem."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = CsrBus(self.dut)
        self.fields = [getattr(self.bus, name) for name in _FIELDS]
        self.unknown: list[int] = []

    def look(self, cycle: int) -> None:
        if not int(self.bus.valid.value):
            return
        answer = self.bus.rdata.value, self.bus.outcome.value
        if not all(value.is_resolvable for value in answer):
            self.unknown.append(cycle)
        rdata, outcome = (int(value) if value.is_resolvable else 0 for value in answer)
        self.seen.append((cycle, *(int(handle.value) for handle in self.fields), rdata, outcome))

    def watched(self) -> Rows:
        names = ("cycle", *_FIELDS, "rdata", "outcome")
        columns = dict(zip(names, list(zip(*self.seen)) or [()] * len(names)))
        rows = Rows.empty(len(columns["cycle"]), self.pins.blocks)
        for name, column in columns.items():
            setattr(rows, name, np.array(column, dtype=getattr(rows, name).dtype))
        if self.unknown:
            self.problems.append(ctr_rows.unknown_at(self.unknown[0], len(self.unknown)))
        return rows

    def own(self, rows: Rows) -> Rows:
        kept = rows.select(rows.op != NO_ACCESS)
        for name in self.pins.lane:
            getattr(kept, name)[:] = 0
        return kept


class CsrAgent(PortAgent):
    """Driver and monitor of the CSR port."""

    driver_class, monitor_class = CsrDriver, CsrMonitor
