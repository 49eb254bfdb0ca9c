"""Ingress agent: plays `Beats` on the E-Trace ingress port, pin by pin or in bulk, and records what was accepted."""

from __future__ import annotations

from pathlib import Path

import cocotb
import numpy as np
from cocotb.handle import HierarchyObject
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb_bus.bus import Bus
from pyuvm import (
    ConfigDB,
    uvm_agent,
    uvm_analysis_port,
    uvm_component,
    uvm_driver,
    uvm_sequence_item,
    uvm_sequencer,
)

from models.ntrace.config import Config
from models.riscv.beats import LANE_FIELDS, LEVELS, PULSES, Beats
from tb.agents import rows
from tb.agents.control import ControlDriver

_CONTROLS = LEVELS + PULSES


class IngressBus(Bus):
    """The ingress port of ntrace_tb: lane k of a field of W bits is in bits k*W +: W."""

    def __init__(self, dut: HierarchyObject) -> None:
        names = {name: f"{name}_i" for name in LANE_FIELDS} | {"ready": "ready_o", "drop": "drop_o"}
        super().__init__(dut, "ing", names)


class LevelsBus(Bus):
    """The control levels and pulses that travel with the beats."""

    def __init__(self, dut: HierarchyObject) -> None:
        super().__init__(dut, "ctl", {name: f"{name}_i" for name in _CONTROLS})


def lane_widths(config: Config) -> dict[str, int]:
    """Bits of each lane field on the port."""
    return {
        "itype": 4, "iaddr": config.xlen, "iretire": config.iretire_bits, "ilastsize": 1, "sijump": 1, "cause": 8,
        "tval": config.xlen, "priv": 3, "context": 32, "hcontext": 16,
    }  # fmt: skip


class IngressItem(uvm_sequence_item):
    """A stretch of beats to play."""

    def __init__(self, name: str, beats: Beats) -> None:
        super().__init__(name)
        self.beats = beats


class IngressDriver(uvm_driver):
    """Plays the beats of each item: through the player's file if the run is bulk, else cycle by cycle."""

    def build_phase(self) -> None:
        super().build_phase()
        self.dut = ConfigDB().get(self, "", "DUT")
        self.config: Config = ConfigDB().get(self, "", "CONFIG")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.control: ControlDriver | None = None  # set by the environment: starts the player
        self.bus = IngressBus(self.dut)
        self.levels = LevelsBus(self.dut)
        self.busy = True

    async def run_phase(self) -> None:
        self.idle()
        self.task = cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            if self.bulk:
                rows.write_stimulus(Path(rows.STIMULUS), item.beats)
                await self.control.play()
            else:
                await self._pins(item.beats)
            self.seq_item_port.item_done()

    def idle(self, keep_levels: bool = False) -> None:
        """Empty lanes, no pulses, and levels 0 unless they are kept."""
        for name in LANE_FIELDS:
            getattr(self.bus, name).value = 0
        for name in PULSES if keep_levels else _CONTROLS:
            getattr(self.levels, name).value = 0

    async def _pins(self, beats: Beats) -> None:
        clock = self.dut.clk_o
        widths = lane_widths(self.config)
        lanes = {name: _pack(getattr(beats, name), width) for name, width in widths.items()}
        gaps = (np.diff(beats.cycle.astype(np.int64), prepend=int(beats.cycle[0]) - 1 if len(beats) else 0) - 1).tolist()
        signals = [(name, getattr(self.bus, name), lanes[name]) for name in lanes]
        signals += [(name, getattr(self.levels, name), getattr(beats, name).tolist()) for name in _CONTROLS]
        last: dict[str, int] = {}
        await RisingEdge(clock)
        for index, gap in enumerate(gaps):
            if gap:
                self.idle(keep_levels=True)
                last = {name: last[name] for name in LEVELS if name in last}
                await ClockCycles(clock, gap)
            for name, handle, column in signals:
                if last.get(name) != column[index]:
                    handle.value = last[name] = column[index]
            while True:
                await FallingEdge(clock)  # nothing changes between here and the rising edge
                accepted = self.bus.ready.value == 1
                await RisingEdge(clock)
                if accepted:
                    break
        self.idle(keep_levels=True)


class IngressMonitor(uvm_component):
    """Records every accepted cycle with a block, a pulse or a change of levels; `collect` gives them as Beats."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.config: Config = ConfigDB().get(self, "", "CONFIG")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.bus = IngressBus(self.dut)
        self.levels = LevelsBus(self.dut)
        self.port = uvm_analysis_port("port", self)
        self.seen: list[tuple[int, ...]] = []
        self.problems: list[str] = []
        self.cycles = 0

    async def run_phase(self) -> None:
        if not self.bulk:
            self.task = cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        clock, reset, bus = self.dut.clk_o, self.dut.rst_ni, self.bus
        handles = [self.dut.sts_tstamp_o, self.levels.vendor_data, *(getattr(bus, name) for name in LANE_FIELDS)]
        word, block, before = self.dut.sts_levels_o, self.dut.sts_block_o, 0
        while True:
            await FallingEdge(clock)  # every signal of the cycle is settled, and stays until the rising edge
            if reset.value != 1:
                continue
            cycle, self.cycles = self.cycles, self.cycles + 1
            levels = word.value
            if not (bus.ready.value.is_resolvable and levels.is_resolvable):
                if not self.problems:
                    self.problems.append(f"cycle {cycle}: ing_ready_o={bus.ready.value} drop_o={bus.drop.value}, an output is X")
                continue
            if not int(bus.ready.value):
                continue
            levels = int(levels)
            if levels >> 8 or levels != before or block.value == 1:  # a pulse, another level, a block
                self.seen.append((cycle, levels, *(int(h.value) for h in handles)))
                before = levels & 0xFF

    def collect(self) -> None:
        """Send what was seen, as one Beats, to whoever listens."""
        seen = rows.read_ingress(Path(rows.INGRESS), self.config.blocks) if self.bulk else self._beats()
        self.port.write(rows.after_reset(seen))

    def _beats(self) -> Beats:
        names = ("cycle", "levels", "tstamp", "vendor_data")
        columns = list(zip(*self.seen)) or [()] * (len(names) + len(LANE_FIELDS))
        given = {name: np.array(column, dtype=np.uint64) for name, column in zip(names, columns)}
        widths = lane_widths(self.config)
        lanes = {
            name: _unpack(column, widths[name], self.config.blocks) for name, column in zip(LANE_FIELDS, columns[len(names) :])
        }
        return Beats(**rows.split_levels(given.pop("levels")), **given, **lanes)


class IngressAgent(uvm_agent):
    """Sequencer, driver and monitor of the ingress port."""

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = IngressDriver("driver", self)
        self.monitor = IngressMonitor("monitor", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)


def _pack(column: np.ndarray, width: int) -> list[int]:
    """Lanes of one field, shape [n, lanes], to one int for each row."""
    total = column[:, 0].tolist()
    for lane in range(1, column.shape[1]):
        total = [low | high << lane * width for low, high in zip(total, column[:, lane].tolist())]
    return total


def _unpack(column: tuple[int, ...], width: int, lanes: int) -> np.ndarray:
    mask = (1 << width) - 1
    return np.array([[value >> lane * width & mask for lane in range(lanes)] for value in column], dtype=np.uint64).reshape(-1, lanes)
