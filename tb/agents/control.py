"""Control agent: reset, the static options of a run, and the handshake with the bulk player."""

from __future__ import annotations

import time

from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb_bus.bus import Bus
from pyuvm import ConfigDB, uvm_agent, uvm_component

from tb.agents.pins import Pins


class ControlBus(Bus):
    """The ports of a testbench that stand still during a run, and those of its bulk player."""

    def __init__(self, dut: HierarchyObject, pins: Pins) -> None:
        names = {name: f"{name}_i" for name in (*pins.static, *pins.player)} | {"rst_n": "rst_ni", "done": "done_o"}
        super().__init__(dut, None, names)


class ControlDriver(uvm_component):
    """Sets up a run and starts the bulk player."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.pins: Pins = ConfigDB().get(self, "", "PINS")
        self.bus = ControlBus(self.dut, self.pins)
        self.seconds = 0.0

    async def reset(self, bulk: bool, backpressure: int = 0, ready_seed: int = 0) -> None:
        """Two cycles of reset with the options of the run; after it the levels of the ports are all 0."""
        player = {"drive_bulk": int(bulk), "go": 0, "ready_low": backpressure, "ready_seed": ready_seed & 0xFFFF_FFFF or 1}
        values = self.pins.static | {name: player[name] for name in self.pins.player} | {"rst_n": 0}
        for name, value in values.items():
            getattr(self.bus, name).value = value
        await ClockCycles(self.dut.clk_o, 2)
        self.bus.rst_n.value = 1
        await RisingEdge(self.dut.clk_o)

    async def play(self) -> None:
        """Run the bulk player to its end: one wake-up for the whole stimulus. `seconds` is what the simulator took."""
        self.bus.go.value = 1
        begin = time.perf_counter()
        await RisingEdge(self.bus.done)
        self.seconds = time.perf_counter() - begin
        await RisingEdge(self.dut.clk_o)  # the recorder closes its files
        await FallingEdge(self.dut.clk_o)
        self.bus.go.value = 0


class ControlMonitor(uvm_component):
    """Sees which configuration was really on the ports."""

    def build_phase(self) -> None:
        self.pins: Pins = ConfigDB().get(self, "", "PINS")
        self.bus = ControlBus(ConfigDB().get(self, "", "DUT"), self.pins)

    def problems(self) -> list[str]:
        """A sentence for each static port that does not have the value of the configuration."""
        found = {name: getattr(self.bus, name).value for name in self.pins.static}
        return [
            f"{name}_i is {found[name]} and the configuration says {value}"
            for name, value in self.pins.static.items()
            if not found[name].is_resolvable or int(found[name]) != value
        ]


class ControlAgent(uvm_agent):
    """Driver and monitor of the controls."""

    def build_phase(self) -> None:
        self.driver = ControlDriver("driver", self)
        self.monitor = ControlMonitor("monitor", self)
