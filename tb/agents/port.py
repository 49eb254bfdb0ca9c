"""What the agents of a block that plays rows share: rows as items, and a driver that plays columns cycle by cycle.

Each agent plays its part of one `Rows`: started at the same clock edge they stay in step, since each counts the same cycles.
In a bulk run tb/hdl plays and records all ports, from and to one file each; the block's module `FILES` (ctr_rows, hpm_rows)
writes and reads them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cocotb
import numpy as np
from cocotb.handle import SimHandleBase
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from pyuvm import (
    ConfigDB,
    uvm_agent,
    uvm_analysis_port,
    uvm_component,
    uvm_driver,
    uvm_sequence_item,
    uvm_sequencer,
)

from tb.agents.control import ControlDriver
from tb.agents.pins import Pins

STIMULUS, SEEN = "stimulus.bin", "rows.bin"


class RowsItem(uvm_sequence_item):
    """Rows to play; the cycle of the first of them is the next one."""

    def __init__(self, name: str, rows: Any) -> None:
        super().__init__(name)
        self.rows = rows


class PortDriver(uvm_driver):
    """Plays its part of the rows of each item. A subclass has the ports, and says in which rows something is on them.

    pulses: how many of its handles, the first ones, are 0 in a cycle without a row.
    """

    pulses = 1

    def build_phase(self) -> None:
        super().build_phase()
        self.dut = ConfigDB().get(self, "", "DUT")
        self.pins: Pins = ConfigDB().get(self, "", "PINS")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.files: Any = ConfigDB().get(self, "", "FILES")
        self.control: ControlDriver | None = None  # of the one that starts the player, set by the environment

    async def run_phase(self) -> None:
        for handle in self.handles():
            handle.value = 0
        self.task = cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            if not self.bulk:
                await self._play(item.rows)
            elif self.control is not None:
                self.files.write_stimulus(Path(STIMULUS), item.rows)
                await self.control.play()
            self.seq_item_port.item_done()

    def handles(self) -> list[SimHandleBase]:
        """Every port that is driven; first those that are 0 where nothing is on the ports."""
        raise NotImplementedError

    def columns(self, rows: Any) -> tuple[np.ndarray, list[list[int]]]:
        """(rows in which something stands on the ports, the value of each port in each of those)."""
        raise NotImplementedError

    async def _play(self, rows: Any) -> None:
        clock, handles = self.dut.clk_o, self.handles()
        there, columns = self.columns(rows)
        cycles = (rows.cycle - rows.cycle[0])[there].tolist() if len(rows) else []
        last: list[Any] = [None] * len(handles)
        now = 0
        await RisingEdge(clock)
        for at, values in zip(cycles, zip(*columns)):
            if at > now:
                self._leave(handles, last)
                await ClockCycles(clock, at - now)
            for place, (handle, value) in enumerate(zip(handles, values)):
                if last[place] != value:
                    handle.value = last[place] = value
            await RisingEdge(clock)
            now = at + 1
        self._leave(handles, last)
        end = int(rows.cycle[-1] - rows.cycle[0]) + 1 if len(rows) else 0
        if end > now:
            await ClockCycles(clock, end - now)

    def _leave(self, handles: list[SimHandleBase], last: list[Any]) -> None:
        """What changes on the ports in the cycle behind a row, unless the next one follows at once."""
        for place in range(self.pulses):
            if last[place] != 0:
                handles[place].value = last[place] = 0


class PortMonitor(uvm_component):
    """Watches its ports at the falling edge, when every signal of the cycle is settled. `collect` sends what was seen."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.pins: Pins = ConfigDB().get(self, "", "PINS")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.files: Any = ConfigDB().get(self, "", "FILES")
        self.port = uvm_analysis_port("port", self)
        self.seen: list[tuple[int, ...]] = []
        self.problems: list[str] = []

    async def run_phase(self) -> None:
        if not self.bulk:
            self.task = cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        clock, reset, cycle = self.dut.clk_o, self.dut.rst_ni, 0
        while True:
            await FallingEdge(clock)
            if reset.value == 1:
                self.look(cycle)
                cycle += 1

    def look(self, cycle: int) -> None:
        """See what is on the ports in this cycle."""
        raise NotImplementedError

    def watched(self) -> Any:
        """What was seen pin by pin."""
        raise NotImplementedError

    def own(self, seen: Any) -> Any:
        """Its part of what tb/hdl recorded."""
        raise NotImplementedError

    def collect(self) -> None:
        """Send it to whoever listens."""
        if self.bulk:
            seen, problems = self.files.read_seen(Path(SEEN), self.pins)
            self.problems += problems
            self.port.write(self.own(seen))
        else:
            self.port.write(self.watched())


class PortAgent(uvm_agent):
    """Sequencer, driver and monitor of one port; of outputs only the monitor."""

    driver_class: type[PortDriver] | None = None
    monitor_class: type[PortMonitor]

    def build_phase(self) -> None:
        self.driver: PortDriver | None = None
        if self.driver_class is not None:
            self.sequencer = uvm_sequencer("sequencer", self)
            self.driver = self.driver_class("driver", self)
        self.monitor = self.monitor_class("monitor", self)

    def connect_phase(self) -> None:
        if self.driver is not None:
            self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
