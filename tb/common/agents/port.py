# SPDX-License-Identifier: Apache-2.0
"""What the agents of a block that plays rows share: items of rows, a driver, a monitor, and the recorder of a bulk run.

With DRIVE=pins each agent plays its part of one `Rows`: started at the same clock edge they stay in step, since each
counts the same cycles; each monitor observes its own port. With DRIVE=bulk the SystemVerilog of the bench plays and
records all ports, from one file and to one file, which `Recorder` reads once; the `files` of the configuration
(tb/ctr/agents/files.py, tb/hpm/agents/files.py) write and read them.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from pyuvm import uvm_sequence_item

from rvtrace.tb.common.agents.base import Agent, BeatSequence, Component, Driver, Monitor
from rvtrace.tb.common.agents.reset import ResetDriver

STIMULUS, SEEN = "stimulus.bin", "rows.bin"


class RowsItem(uvm_sequence_item):
    """Rows to play; the cycle of the first of them is the next one."""

    def __init__(self, name: str, rows: Any) -> None:
        super().__init__(name)
        self.rows = rows


class RowItem(uvm_sequence_item):
    """One cycle of a port. gap: idle cycles before it. values: of each port in the order of the driver's `handles`,
    None for no row.
    """

    def __init__(self, name: str = "row", gap: int = 0, values: tuple[int, ...] | None = None) -> None:
        super().__init__(name)
        self.gap = gap
        self.values = values


class RowSequence(BeatSequence):
    """A port's part of the rows of a job, row by row; `stimulus` is the rows."""


class PortDriver(Driver):
    """Plays its part of rows. A subclass has the ports, and says which rows have something on them.

    pulses: how many of its handles, the first ones, are 0 in a cycle without a row.
    """

    pulses = 1

    def build_phase(self) -> None:
        super().build_phase()
        self.pins = self.config.pins
        self.player: ResetDriver | None = None  # of the one that starts the player, set by the environment
        self.last: list[int] = []
        self.ended = -1  # the time at which the last item ended

    def idle(self) -> None:
        for handle in self.handles():
            handle.value = 0
        self.last = [0] * len(self.handles())

    def handles(self) -> list[Any]:
        """Every port that is driven; first those that are 0 in a cycle without a row."""
        raise NotImplementedError

    def columns(self, rows: Any) -> tuple[np.ndarray, list[list[int]]]:
        """(rows with something on the ports, the value of each port in each of those)."""
        raise NotImplementedError

    def items(self, stimulus: Any) -> Iterator[RowItem]:
        there, columns = self.columns(stimulus)
        cycles = (stimulus.cycle - stimulus.cycle[0])[there].tolist() if len(stimulus) else []
        now = 0
        for at, values in zip(cycles, zip(*columns)):
            yield RowItem("row", at - now, values)
            now = at + 1
        end = int(stimulus.cycle[-1] - stimulus.cycle[0]) + 1 if len(stimulus) else 0
        yield RowItem("end", end - now)

    async def play(self, item: RowsItem | RowItem) -> None:
        if isinstance(item, RowItem):
            await self._row(item)
        elif not self.config.bulk:
            self.ended = -1  # the first row is in the cycle after the next edge, even if the item before ended just now
            for row in self.items(item.rows):
                await self._row(row)
        elif self.player is not None:
            self.config.files.write_stimulus(Path(STIMULUS), item.rows)
            await self.player.play()

    async def _row(self, item: RowItem) -> None:
        clock, handles, last = self.dut.clk_o, self.handles(), self.last
        if get_sim_time() != self.ended:
            await RisingEdge(clock)
        if item.gap > 0:
            await ClockCycles(clock, item.gap)
        if item.values is not None:
            for place, (handle, value) in enumerate(zip(handles, item.values)):
                if last[place] != value:
                    handle.value = last[place] = value
            await RisingEdge(clock)
            for place in range(self.pulses):  # unless the next item comes at this very edge
                if last[place] != 0:
                    handles[place].value = last[place] = 0
        self.ended = get_sim_time()


class PortMonitor(Monitor):
    """Watches its ports at the falling edge, when every signal of the cycle is settled."""

    def build_phase(self) -> None:
        super().build_phase()
        self.pins = self.config.pins

    async def watch(self) -> None:
        clock, reset, cycle = self.dut.clk_o, self.dut.rst_ni, 0
        while True:
            await FallingEdge(clock)
            if reset.value == 1:
                self.look(cycle)
                cycle += 1

    def look(self, cycle: int) -> None:
        """Write what is on the ports in this cycle, if it is something, to `ap`."""
        raise NotImplementedError


class Recorder(Component):
    """Reads what the bench recorded of all ports in a bulk run."""

    def build_phase(self) -> None:
        super().build_phase()
        self.problems: list[str] = []

    def recorded(self) -> Any:
        """What the `files` of the configuration made of the record; its sentences go to `problems`."""
        recording = self.config.files.read_seen(Path(SEEN), self.config.pins)
        self.problems += recording.problems
        return recording


class PortAgent(Agent):
    """Sequencer, driver and monitor of one port; of outputs only the monitor."""

    driver_class: type[PortDriver] | None = None
    monitor_class: type[PortMonitor]
