"""Control agent: reset, the static options of a run, and the handshake with the bulk player."""

from __future__ import annotations

import time
from typing import Any

from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb_bus.bus import Bus
from pyuvm import ConfigDB, uvm_agent, uvm_component

from models.ntrace.config import Config
from models.ntrace.filters import MAX_COMPS, MAX_FILTERS, FilterSettings

_STATIC = (
    "inst_mode", "sync_mode", "sync_max", "stall_ena", "rc7", "btype_ext", "src_bits", "src_id", "inhibit_src", "ts_enable",
    "ts_mode", "ts_prescale", "ts_run_in_debug", "context_ena", "hcontext_ena", "extend_addr_msb", "implicit_return",
    "repeated_history", "repeat_branch", "sequential_jump", "all_jumps", "filters", "filter_cfg", "comp_cfg",
)  # fmt: skip
_BULK = ("drive_bulk", "go", "ready_seed", "ready_low")


class ControlBus(Bus):
    """The ports of ntrace_tb that stand still during a run, and those of its bulk player."""

    def __init__(self, dut: HierarchyObject) -> None:
        names = {name: f"{name}_i" for name in (*_STATIC, *_BULK)} | {"rst_n": "rst_ni", "done": "done_o"}
        super().__init__(dut, None, names)


def static_levels(config: Config) -> dict[str, int]:
    """The value of each static port for a configuration (docs/ntrace-profile.md, Inputs)."""
    same = (
        "inst_mode", "src_bits", "src_id", "inhibit_src", "ts_mode", "ts_prescale", "ts_run_in_debug", "extend_addr_msb",
        "implicit_return", "repeated_history", "repeat_branch", "sequential_jump", "all_jumps",
    )  # fmt: skip
    return {
        **{name: getattr(config, name) for name in same},
        "sync_mode": config.inst_sync_mode, "sync_max": config.inst_sync_max, "stall_ena": config.inst_stall_ena,
        "rc7": int(config.variant == "rc7"), "btype_ext": int(config.b_type == "2_3"), "ts_enable": config.timestamp,
        "context_ena": config.ownership, "hcontext_ena": config.hcontext, **filter_levels(config),
    }  # fmt: skip


def filter_levels(config: Config) -> dict[str, int]:
    """trTeInstFilters, and the registers of filters and comparators in the order of the encoder's ports, lowest first."""
    registers = FilterSettings.parse(config.filter, config.xlen).registers()

    def packed(unit: str, count: int, names: tuple[str, ...]) -> int:
        words = [registers[f"{unit}{index}{name}"] for index in range(count) for name in names]
        return sum(word << 32 * place for place, word in enumerate(words))

    return {
        "filters": registers["trTeInstFilters"],
        "filter_cfg": packed("trTeFilter", MAX_FILTERS, ("Control", "MatchInst", "MatchEcauseLow", "MatchEcauseHigh")),
        "comp_cfg": packed("trTeComp", MAX_COMPS, ("Control", "PMatchLow", "PMatchHigh", "SMatchLow", "SMatchHigh")),
    }


class ControlDriver(uvm_component):
    """Sets up a run and starts the bulk player."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.bus = ControlBus(self.dut)
        self.seconds = 0.0

    async def reset(self, config: Config, bulk: bool, backpressure: int, ready_seed: int) -> None:
        """Two cycles of reset with the options of the run; after it the levels of the ports are all 0."""
        values = static_levels(config) | {
            "drive_bulk": int(bulk), "go": 0, "ready_low": backpressure, "ready_seed": ready_seed & 0xFFFF_FFFF or 1,
            "rst_n": 0,
        }  # fmt: skip
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
        self.bus = ControlBus(ConfigDB().get(self, "", "DUT"))

    def problems(self, config: Config) -> list[str]:
        """A sentence for each static port that does not have the value of the configuration."""
        wanted: dict[str, Any] = static_levels(config)
        found = {name: getattr(self.bus, name).value for name in wanted}
        return [
            f"{name}_i is {found[name]} and the configuration says {value}"
            for name, value in wanted.items()
            if not found[name].is_resolvable or int(found[name]) != value
        ]


class ControlAgent(uvm_agent):
    """Driver and monitor of the controls."""

    def build_phase(self) -> None:
        self.driver = ControlDriver("driver", self)
        self.monitor = ControlMonitor("monitor", self)
