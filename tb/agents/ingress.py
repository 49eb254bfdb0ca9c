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

from models.riscv.beats import Beats
from models.riscv.retired import IType
from tb.agents import rows
from tb.agents.control import ControlDriver
from tb.agents.pins import Pins, pack, unpack

GIVE_UP = 20_000  # cycles that a beat waits
_DROP, _ = rows.LEVEL_BITS["drop"]


class IngressBus(Bus):
    """The ingress port of a testbench: lane k of a field of W bits is in bits k*W +: W."""

    def __init__(self, dut: HierarchyObject, pins: Pins) -> None:
        names = {name: f"{name}_i" for name in (*pins.lane, *pins.once)} | {"ready": "ready_o"}
        super().__init__(dut, "ing", names, {"drop": "drop_o"})


class LevelsBus(Bus):
    """The control levels and pulses that travel with the beats."""

    def __init__(self, dut: HierarchyObject, pins: Pins) -> None:
        super().__init__(dut, "ctl", {name: f"{name}_i" for name in pins.controls})


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
        self.pins: Pins = ConfigDB().get(self, "", "PINS")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.control: ControlDriver | None = None  # set by the environment: starts the player
        self.bus = IngressBus(self.dut, self.pins)
        self.levels = LevelsBus(self.dut, self.pins)
        self.busy = True
        self.problems: list[str] = []  # a run that was given up

    async def run_phase(self) -> None:
        self.idle()
        self.task = cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            if self.bulk:
                self.write(item.beats)
                await self.control.play()
            else:
                await self._play(item.beats)
            self.seq_item_port.item_done()

    def write(self, beats: Beats) -> None:
        """The file of the player."""
        rows.write_stimulus(Path(rows.STIMULUS), beats, self.pins.bits)

    def idle(self, keep_levels: bool = False) -> None:
        """Empty lanes, no pulses, and levels 0 unless they are kept."""
        for name in (*self.pins.lane, *self.pins.once):
            getattr(self.bus, name).value = 0
        for name in self.pins.pulses if keep_levels else self.pins.controls:
            getattr(self.levels, name).value = 0

    async def _play(self, beats: Beats) -> None:
        clock = self.dut.clk_o
        lanes = {name: pack(getattr(beats, name), width) for name, width in self.pins.lane.items()}
        lanes |= {name: getattr(beats, name)[:, 0].tolist() for name in self.pins.once}
        gaps = (np.diff(beats.cycle.astype(np.int64), prepend=int(beats.cycle[0]) - 1 if len(beats) else 0) - 1).tolist()
        signals = [(name, getattr(self.bus, name), lanes[name]) for name in lanes]
        signals += [(name, getattr(self.levels, name), getattr(beats, name).tolist()) for name in self.pins.controls]
        last: dict[str, int] = {}
        await RisingEdge(clock)
        for index, gap in enumerate(gaps):
            if gap:
                self.idle(keep_levels=True)
                last = {name: last[name] for name in self.pins.levels if name in last}
                await ClockCycles(clock, gap)
            for name, handle, column in signals:
                if last.get(name) != column[index]:
                    handle.value = last[name] = column[index]
            if not await self._accepted():
                break
        self.idle(keep_levels=True)

    async def _accepted(self) -> bool:
        """Hold what is on the port until it is taken; False if it never is: ready is X (the monitor tells that), or 0 for too long."""
        for _ in range(GIVE_UP):
            await FallingEdge(self.dut.clk_o)  # nothing changes between here and the rising edge
            ready = self.bus.ready.value
            await RisingEdge(self.dut.clk_o)
            if not ready.is_resolvable:
                return False
            if ready == 1:
                return True
        self.problems.append(self.stuck(GIVE_UP))
        return False

    def stuck(self, cycles: int) -> str:
        """The sentence about a port that takes nothing."""
        return f"ing_ready_o has been 0 for {cycles} cycles, the run was given up"


class IngressMonitor(uvm_component):
    """Records every accepted cycle with a block, a pulse or a change of levels; `collect` gives them as Beats."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.pins: Pins = ConfigDB().get(self, "", "PINS")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.bus = IngressBus(self.dut, self.pins)
        self.levels = LevelsBus(self.dut, self.pins)
        self.wide = [name for name in self.pins.pulses if name not in self.pins.bits]  # not in the levels word
        self.port = uvm_analysis_port("port", self)
        self.seen: list[tuple[int, ...]] = []
        self.problems: list[str] = []
        self.cycles = 0

    async def run_phase(self) -> None:
        if not self.bulk:
            self.task = cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        clock, reset, bus = self.dut.clk_o, self.dut.rst_ni, self.bus
        handles = [self.dut.sts_tstamp_o, *(getattr(self.levels, name) for name in self.wide)]
        handles += [getattr(bus, name) for name in (*self.pins.lane, *self.pins.once)]
        kept = sum((1 << n) - 1 << bit for name, (bit, n) in self.pins.bits.items() if name in self.pins.levels) | 1 << _DROP
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
            if levels != before or block.value == 1:  # a pulse, another level, a block
                self.seen.append((cycle, levels, *(int(h.value) for h in handles)))
                before = levels & kept

    def collect(self) -> None:
        """Send what was seen, as one Beats, to whoever listens."""
        seen = rows.read_ingress(Path(rows.INGRESS), self.pins.blocks, self.pins.bits) if self.bulk else self._beats()
        self.port.write(rows.after_reset(seen))

    def _beats(self) -> Beats:
        pins = self.pins
        names = ("cycle", "levels", "tstamp", *self.wide, *pins.lane, *pins.once)
        columns = dict(zip(names, list(zip(*self.seen)) or [()] * len(names)))
        fields = {name: unpack(columns.pop(name), width, pins.blocks) for name, width in pins.lane.items()}
        fields |= {name: unpack(columns.pop(name), width, 1) for name, width in pins.once.items()}
        given = {name: np.array(column, dtype=np.uint64) for name, column in columns.items()}
        told = rows.split_levels(given.pop("levels"), pins.bits)
        block = (fields["iretire"] != 0) | np.isin(fields["itype"], (IType.EXCEPTION, IType.INTERRUPT))
        fields |= {name: np.where(block, fields[name], 0) for name in pins.once}
        return Beats(**told, **given, **fields)


class IngressAgent(uvm_agent):
    """Sequencer, driver and monitor of the ingress port."""

    driver_class: type[IngressDriver] = IngressDriver
    monitor_class: type[IngressMonitor] = IngressMonitor

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = self.driver_class("driver", self)
        self.monitor = self.monitor_class("monitor", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
