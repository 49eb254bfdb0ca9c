# SPDX-License-Identifier: Apache-2.0
"""Reset agent: reset, the static options of a run, and the handshake with the bulk player."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from cocotb_bus.bus import Bus

from rvtrace.tb.common.agents.base import Agent, Component, Monitor
from rvtrace.tb.common.agents.pins import Pins

PROGRAMMING = "programming.txt"  # what the wrapper of a device says of a register access that failed


class ProgrammingError(ValueError):
    """The registers of a device could not be programmed, so that the run says nothing of its trace."""


class ResetBus(Bus):
    """The ports of a testbench that are constant during a run, and those of its bulk player."""

    rst_n: Any
    go: Any
    done: Any

    def __init__(self, dut: Any, pins: Pins) -> None:
        names = {name: f"{name}_i" for name in (*pins.static, *pins.player)} | {"rst_n": "rst_ni", "done": "done_o"}
        super().__init__(dut, None, names, case_insensitive=False)


class ResetDriver(Component):
    """Sets up a run and starts the bulk player. seconds: what the simulator took for it. began: the simulator's time,
    in its steps, at which cycle 0 of the monitors begins; period: of the clock.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.pins = self.config.pins
        self.bus = ResetBus(self.dut, self.pins)
        self.seconds = 0.0
        self.began = self.period = 0
        Path(PROGRAMMING).unlink(missing_ok=True)

    def demand_programmed(self) -> None:
        """ProgrammingError with the step of [bus] of dut.toml that failed, if one did."""
        path = Path(PROGRAMMING)
        if path.exists() and (text := path.read_text().strip()):
            raise ProgrammingError(text)

    async def reset(self) -> None:
        """Two cycles of reset with the options of the run; after it the levels of the ports are all 0."""
        player = {
            "drive_bulk": int(self.config.bulk),
            "go": 0,
            "ready_low": self.config.backpressure,
            "ready_seed": self.config.ready_seed & 0xFFFF_FFFF or 1,
        }
        values = self.pins.static | {name: player[name] for name in self.pins.player} | {"rst_n": 0}
        for name, value in values.items():
            getattr(self.bus, name).value = value
        await ClockCycles(self.dut.clk_o, 2)
        self.bus.rst_n.value = 1
        self.began = get_sim_time("step")
        await RisingEdge(self.dut.clk_o)
        self.period = get_sim_time("step") - self.began

    async def play(self) -> None:
        """Run the bulk player to its end: one wake-up for the whole stimulus."""
        self.bus.go.value = 1
        self.began = get_sim_time("step")
        begin = time.perf_counter()
        await RisingEdge(self.bus.done)
        self.seconds = time.perf_counter() - begin
        await RisingEdge(self.dut.clk_o)  # the recorder closes its files
        await FallingEdge(self.dut.clk_o)
        self.bus.go.value = 0


class ResetMonitor(Monitor):
    """Observes which configuration was on the ports."""

    def build_phase(self) -> None:
        super().build_phase()
        self.pins = self.config.pins
        self.bus = ResetBus(self.dut, self.pins)

    async def run_phase(self) -> None:
        """Nothing to watch: the ports are constant."""

    def configured(self) -> list[str]:
        """A sentence for each static port that does not have the value of the configuration."""
        found = {name: getattr(self.bus, name).value for name in self.pins.static}
        return [
            f"{name}_i is {found[name]} and the configuration says {value}"
            for name, value in self.pins.static.items()
            if not found[name].is_resolvable or int(found[name]) != value
        ]


class ResetAgent(Agent):
    """Driver and monitor of reset and static options."""

    driver_class, monitor_class = ResetDriver, ResetMonitor
