# SPDX-License-Identifier: Apache-2.0
"""Retire agent: the transfers of a hart and its privilege, one to four transfers a cycle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from cocotb_bus.bus import Bus

from rvtrace.models.ctr.rows import Rows
from rvtrace.tb.common.agents.pins import Pins, pack, unpack
from rvtrace.tb.common.agents.port import PortAgent, PortDriver, PortMonitor


class RetireBus(Bus):
    """Transfers: slot k of a field of W bits is in bits k*W +: W."""

    valid: Any

    def __init__(self, dut: Any, pins: Pins) -> None:
        names = {name: f"{name.rstrip('_')}_i" for name in pins.lane} | {"valid": "valid_i"}
        super().__init__(dut, "xfer", names, case_insensitive=False)


class RetireRow(NamedTuple):
    """A cycle with transfers, or with another privilege than the one before; slot k of a field of W bits in bits k*W +:
    W.
    """

    cycle: int
    priv: int
    valid: int
    type: int
    source: int
    target: int
    misp: int
    from_: int
    to: int
    cause: int


class RetireDriver(PortDriver):
    """Drives privilege and transfers; the privilege does not change between rows."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = RetireBus(self.dut, self.pins)

    def handles(self) -> list[Any]:
        return [self.bus.valid, self.dut.hart_priv_i, *(getattr(self.bus, name) for name in self.pins.lane)]

    def columns(self, rows: Rows) -> tuple[np.ndarray, list[list[int]]]:
        full = rows.type != 0
        moved = np.diff(rows.priv.astype(np.int8), prepend=np.int8(-1)) != 0
        there = full.any(axis=1) | moved
        fields = [pack(getattr(rows, name)[there], width) for name, width in self.pins.lane.items()]
        return there, [pack(full[there], 1), rows.priv[there].tolist(), *fields]


class RetireMonitor(PortMonitor):
    """Writes a `RetireRow` for each cycle with a transfer, or with another privilege than the one before; the whole run
    as rows.
    """

    def build_phase(self) -> None:
        super().build_phase()
        bus = RetireBus(self.dut, self.pins)
        self.valid, self.priv, self.before = bus.valid, self.dut.hart_priv_i, -1
        self.fields = {name: getattr(bus, name) for name in self.pins.lane}

    def look(self, cycle: int) -> None:
        valid, priv = int(self.valid.value), int(self.priv.value)
        if valid or priv != self.before:
            fields = {name: int(handle.value) for name, handle in self.fields.items()}
            self.ap.write(RetireRow(cycle, priv, valid, **fields))
            self.before = priv

    def arrays(self, items: list[RetireRow]) -> Rows:
        slots = self.pins.blocks
        rows = Rows.empty(len(items), slots)
        rows.cycle = np.array([item.cycle for item in items], np.uint64)
        rows.priv = np.array([item.priv for item in items], np.uint8)
        full = unpack([item.valid for item in items], 1, slots) != 0
        for name, width in self.pins.lane.items():
            lanes = unpack([getattr(item, name) for item in items], width, slots)
            setattr(rows, name, np.where(full, lanes, 0).astype(getattr(rows, name).dtype))
        return rows


class RetireAgent(PortAgent):
    """Driver and monitor of the retire stream."""

    driver_class, monitor_class = RetireDriver, RetireMonitor
