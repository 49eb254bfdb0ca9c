# SPDX-License-Identifier: Apache-2.0
"""Agents of subsystem_tb: reset and player, the hart port, the CSR port, and the registers of both trace systems behind
one bus.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cocotb.triggers import ClockCycles, FallingEdge, First, RisingEdge
from cocotb.utils import get_sim_time
from cocotb_bus.bus import Bus
from pyuvm import uvm_sequence_item, uvm_sequencer

from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.table import COLUMNS, PARTS, column_width
from rvtrace.models.tci.layout import Params
from rvtrace.tb.common.agents.base import Agent, AgentConfig, Component, Driver, config_of
from rvtrace.tb.common.agents.csr_port import CsrDriver
from rvtrace.tb.common.agents.pins import pack
from rvtrace.tb.subsystem.agents import files
from rvtrace.tb.subsystem.agents.files import HartRows
from rvtrace.tb.tci.agents.apb import ApbItem
from rvtrace.tb.tci.agents.harts import StuckError, patience
from rvtrace.tb.tci.agents.register_block import ApbAdapter, RegisterAccess, TableRegister

LOWS = ("ntrace_low", "etrace_low", "tandem_low")
_REPORTED_WIDTHS = {
    "reported": 1,
    "itype": 4,
    "pc": 0,
    "cause": 8,
    "tval": 0,
    "mode": 3,
    "mode_next": 3,
    "context": 32,
    "misp": 1,
}  # 0: XLEN
_RENAMED = {"pc": "next_pc"}  # of the row
_INSIDE = ("mcycle", "minstret")  # reported by the counters
_SLOWEST = 200  # cycles a beat, until a hart that is stalled is given up


@dataclass(kw_only=True)
class HartConfig(AgentConfig):
    """The configuration of the hart's agent. hart: the configuration of the subsystem."""

    hart: Config


class SubsystemBus(Bus):
    """The ports that are constant while the hart plays."""

    rst_n: Any
    record: Any
    go: Any
    played: Any
    tandem_low: Any

    def __init__(self, dut: Any) -> None:
        names = {name: f"{name}_i" for name in ("record", "drive_bulk", "go", "noise_seed", "wait_seed", *LOWS)}
        super().__init__(dut, None, names | {"rst_n": "rst_ni", "played": "played_o"}, case_insensitive=False)


class SubsystemControl(Component):
    """Reset, recorders, player. `seconds`: what the simulator took while the hart played."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = SubsystemBus(self.dut)
        self.seconds = 0.0
        self.period = 0  # of the clock, in steps of the simulator

    async def reset(self, bulk: bool, noise_seed: int, wait_seed: int, lows: dict[str, int]) -> None:
        """Two cycles of reset; then everything is recorded. lows: % of cycles in which somebody behind the subsystem is
        not ready.
        """
        values = {
            "rst_n": 0,
            "record": 0,
            "go": 0,
            "drive_bulk": int(bulk),
            "noise_seed": noise_seed,
            "wait_seed": wait_seed or 1,
        }
        for name, value in (values | dict.fromkeys(LOWS, 0) | lows).items():
            getattr(self.bus, name).value = value
        await ClockCycles(self.dut.clk_o, 2)
        self.bus.record.value = 1
        await ClockCycles(self.dut.clk_o, 1)
        self.bus.rst_n.value = 1
        began = get_sim_time("step")
        await RisingEdge(self.dut.clk_o)
        self.period = get_sim_time("step") - began

    async def play(self, beats: int) -> None:
        """The hart plays its file; StuckError if it is stalled for good."""
        begin = time.perf_counter()
        self.bus.go.value = 1
        cycles = patience(beats, _SLOWEST)
        ended = await First(RisingEdge(self.bus.played), over := ClockCycles(self.dut.clk_o, cycles))
        self.seconds += time.perf_counter() - begin
        if ended is over and self.bus.played.value != 1:
            raise StuckError(f"the hart did not come to the end of its {beats} beats in {cycles} cycles")
        await FallingEdge(self.dut.clk_o)
        self.bus.go.value = 0
        await RisingEdge(self.dut.clk_o)  # the player starts over
        await RisingEdge(self.dut.clk_o)

    def tandem_low(self, percent: int) -> None:
        """In how many % of the cycles nobody takes the bytes of the tandem trace, from now on."""
        self.bus.tandem_low.value = percent

    async def cycles(self, count: int) -> None:
        """Let time pass."""
        await ClockCycles(self.dut.clk_o, count)

    async def stop(self) -> None:
        """End the recording: the files are complete."""
        self.bus.record.value = 0
        await ClockCycles(self.dut.clk_o, 2)


class HartItem(uvm_sequence_item):
    """A stretch of what the hart does."""

    def __init__(self, name: str, hart: HartRows) -> None:
        super().__init__(name)
        self.hart = hart


class HartBus(Bus):
    """The hart port, driven pin by pin: slot k of a field of W bits is in bits k*W +: W."""

    ready: Any

    def __init__(self, dut: Any, names: list[str]) -> None:
        super().__init__(
            dut, "ret", {name: f"{name}_i" for name in names} | {"ready": "ready_o"}, case_insensitive=False
        )


class HartDriver(Driver):
    """Plays stretches: through the player's file if the run is bulk, else cycle by cycle. stuck: a sentence if the hart
    was stalled for good.
    """

    control: SubsystemControl  # set by the environment

    def build_phase(self) -> None:
        super().build_phase()
        self.hart = config_of(self, HartConfig).hart
        self.stuck = ""
        reported = {name: width or self.hart.xlen for name, width in _REPORTED_WIDTHS.items()}
        row = {column.name: column_width(self.hart.tandem, column) for column in COLUMNS if column.name not in _INSIDE}
        self.fields = [("hart", name, name, width) for name, width in reported.items()]
        self.fields += [
            ("row", name, _RENAMED.get(name, name), width)
            for name, width in ({"valid": 1, "has": len(PARTS)} | row).items()
        ]
        self.bus = HartBus(self.dut, [port for _, _, port, _ in self.fields])

    def idle(self) -> None:
        self._idle(0)

    async def play(self, item: HartItem) -> None:
        if self.config.bulk:
            files.write_stimulus(Path(files.STIMULUS), item.hart, self.hart.tandem)
            try:
                await self.control.play(len(item.hart))
            except StuckError as error:  # in a task of its own: the test reports it
                self.stuck = str(error)
        else:
            await self._play(item.hart)

    def _idle(self, levels: int) -> None:
        self.dut.levels_i.value = levels
        for _, _, port, _ in self.fields:
            getattr(self.bus, port).value = 0

    async def _play(self, hart: HartRows) -> None:
        clock, table = self.dut.clk_o, hart.table(self.hart.tandem)
        columns = [self._packed(table["slots"][part][name], width) for part, name, _, width in self.fields]
        handles = [getattr(self.bus, port) for _, _, port, _ in self.fields]
        last: list[int | None] = [None] * len(handles)
        kept = 0  # levels without pulses
        await RisingEdge(clock)
        for gap, levels, *values in zip(table["gap"].tolist(), table["levels"].tolist(), *columns):
            if gap:
                self._idle(kept)
                last = [0] * len(handles)
                await ClockCycles(clock, gap)
            self.dut.levels_i.value = levels
            for place, (handle, value) in enumerate(zip(handles, values)):
                if last[place] != value:
                    handle.value = last[place] = value
            while True:
                await FallingEdge(clock)  # nothing changes between here and the rising edge
                taken = self.bus.ready.value == 1
                await RisingEdge(clock)
                if taken:
                    break
            kept = levels & 0xFF
        self._idle(0)

    @staticmethod
    def _packed(values: np.ndarray, width: int) -> list[int]:
        return pack(values.reshape(len(values), -1), width)


class HartAgent(Agent):
    """Sequencer and driver of the hart port. The bench records the port in both drives."""

    driver_class = HartDriver


class SubsystemCsrAgent(Agent):
    """Sequencer and driver of the CSR port, pin by pin in both drives. The bench records the port."""

    driver_class = CsrDriver


class _Shifted(ApbAdapter):
    """Register operations to APB items at a base address."""

    def __init__(self, base: int) -> None:
        super().__init__()
        self.base = base

    def reg2bus(self, rw: Any) -> ApbItem:
        item = super().reg2bus(rw)
        item.addr += self.base
        return item


class TraceRegisters(RegisterAccess):
    """Registers of a trace system with one hart that begin at an address of their own; its only encoder is `encoder0`
    to a tool.
    """

    def __init__(self, params: Params, sequencer: uvm_sequencer, base: int) -> None:
        super().__init__(params, sequencer)
        for block in self.blocks.values():
            block.map.set_sequencer(sequencer, _Shifted(base))

    def _register(self, component: str, name: str) -> TableRegister:
        return super()._register(component.removesuffix("0"), name)
