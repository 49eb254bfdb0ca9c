"""Retire agent: the transfers of a hart and its privilege, one to four transfers a cycle."""

from __future__ import annotations

import numpy as np
from cocotb.handle import HierarchyObject, SimHandleBase
from cocotb_bus.bus import Bus

from models.ctr.rows import Rows
from tb.agents.pins import Pins, pack, unpack
from tb.agents.port import PortAgent, PortDriver, PortMonitor


class RetireBus(Bus):
    """Transfers: slot k of a field of W bits is in bits k*W +: W."""

    def __init__(self, dut: HierarchyObject, pins: Pins) -> None:
        names = {name: f"{name.rstrip('_')}_i" for name in pins.lane} | {"valid": "valid_i"}
        super().__init__(dut, "xfer", names)


class RetireDriver(PortDriver):
    """Drives privilege and transfers; the privilege stays where it is between rows."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = RetireBus(self.dut, self.pins)

    def handles(self) -> list[SimHandleBase]:
        return [self.bus.valid, self.dut.hart_priv_i, *(getattr(self.bus, name) for name in self.pins.lane)]

    def columns(self, rows: Rows) -> tuple[np.ndarray, list[list[int]]]:
        full = rows.type != 0
        moved = np.diff(rows.priv.astype(np.int8), prepend=np.int8(-1)) != 0
        there = full.any(axis=1) | moved
        fields = [pack(getattr(rows, name)[there], width) for name, width in self.pins.lane.items()]
        return there, [pack(full[there], 1), rows.priv[there].tolist(), *fields]


class RetireMonitor(PortMonitor):
    """Records every cycle with a transfer, or with another privilege than the one before."""

    def build_phase(self) -> None:
        super().build_phase()
        bus = RetireBus(self.dut, self.pins)
        self.valid, self.priv, self.before = bus.valid, self.dut.hart_priv_i, -1
        self.fields = [getattr(bus, name) for name in self.pins.lane]

    def look(self, cycle: int) -> None:
        valid, priv = int(self.valid.value), int(self.priv.value)
        if valid or priv != self.before:
            self.seen.append((cycle, priv, valid, *(int(handle.value) for handle in self.fields)))
            self.before = priv

    def watched(self) -> Rows:
        slots = self.pins.blocks
        cycle, priv, valid, *fields = list(zip(*self.seen)) or [()] * (3 + len(self.fields))
        rows = Rows.empty(len(cycle), slots)
        rows.cycle, rows.priv = np.array(cycle, np.uint64), np.array(priv, np.uint8)
        full = unpack(valid, 1, slots) != 0
        for column, (name, width) in zip(fields, self.pins.lane.items()):
            lanes = unpack(column, width, slots)
            setattr(rows, name, np.where(full, lanes, 0).astype(getattr(rows, name).dtype))
        return rows

    def own(self, seen: Rows) -> Rows:
        moved = np.diff(seen.priv.astype(np.int8), prepend=np.int8(-1)) != 0
        return seen.select((seen.type != 0).any(axis=1) | moved)


class RetireAgent(PortAgent):
    """Driver and monitor of the retire stream."""

    driver_class, monitor_class = RetireDriver, RetireMonitor
