# SPDX-License-Identifier: Apache-2.0
"""Ingress agent: plays beats on the ingress port of an encoder, one by one or all of them in bulk, and observes what
was accepted.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from cocotb_bus.bus import Bus
from pyuvm import uvm_sequence_item

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType
from rvtrace.tb.common.agents import files as rows
from rvtrace.tb.common.agents.base import Agent, Driver, Monitor
from rvtrace.tb.common.agents.pins import Pins, pack, unpack
from rvtrace.tb.common.agents.reset import ResetDriver

GIVE_UP = 20_000  # cycles that a beat waits
_DROP, _ = rows.LEVEL_BITS["drop"]


class IngressBus(Bus):
    """The ingress port of a testbench: lane k of a field of W bits is in bits k*W +: W."""

    ready: Any
    drop: Any

    def __init__(self, dut: Any, pins: Pins) -> None:
        names = {name: f"{name}_i" for name in (*pins.lane, *pins.once)} | {"ready": "ready_o"}
        super().__init__(dut, "ing", names, {"drop": "drop_o"}, case_insensitive=False)


class LevelsBus(Bus):
    """The control levels and pulses that travel with the beats."""

    def __init__(self, dut: Any, pins: Pins) -> None:
        super().__init__(dut, "ctl", {name: f"{name}_i" for name in pins.controls}, case_insensitive=False)


class IngressItem(uvm_sequence_item):
    """All beats of a run, for the bulk player."""

    def __init__(self, name: str, beats: Beats) -> None:
        super().__init__(name)
        self.beats = beats


class BeatItem(uvm_sequence_item):
    """One cycle of the ingress port. gap: idle cycles before it. accepted: set by the driver, False if the port never
    became ready.

    values: of each field of the port, lane k of a field of W bits in bits k*W +: W, and of each level and pulse, by
    name; a level that is omitted stays as it is, anything else is 0.
    """

    def __init__(self, name: str = "beat", gap: int = 0, values: dict[str, int] | None = None) -> None:
        super().__init__(name)
        self.gap = gap
        self.values = values or {}
        self.accepted = False


@dataclass(frozen=True)
class Beat:
    """One accepted cycle of the ingress port. levels: the word of levels and pulses; values: of the fields in the order
    of `names`, lane k of a field of W bits in bits k*W +: W."""

    cycle: int
    levels: int
    values: tuple[int, ...]
    names: tuple[str, ...]
    pins: Pins

    def level(self, name: str) -> int:
        """A level or pulse by its name."""
        if name not in self.pins.bits:
            return self[name]
        bit, width = self.pins.bits[name]
        return self.levels >> bit & (1 << width) - 1

    def __getitem__(self, name: str) -> int:
        """A field as it was on the port, all lanes of it."""
        return self.values[self.names.index(name)]

    def lane(self, name: str, lane: int) -> int:
        """A field of one lane."""
        width = self.pins.lane[name]
        return self[name] >> lane * width & (1 << width) - 1


class IngressDriver(Driver):
    """Plays beats one by one, or all of them through the file of the player. problems: why a run was given up."""

    player: ResetDriver  # set by the environment

    def build_phase(self) -> None:
        super().build_phase()
        self.pins = self.config.pins
        self.bus = IngressBus(self.dut, self.pins)
        self.levels = LevelsBus(self.dut, self.pins)
        self.handles = {name: getattr(self.bus, name) for name in (*self.pins.lane, *self.pins.once)}
        self.handles |= {name: getattr(self.levels, name) for name in self.pins.controls}
        self.cleared = [name for name in self.handles if name not in self.pins.levels]  # 0 in an idle cycle
        self.last: dict[str, int] = {}
        self.ended = -1  # the time at which the last item ended
        self.problems: list[str] = []

    def idle(self) -> None:
        """Empty lanes, no pulses, all levels 0."""
        for name, handle in self.handles.items():
            handle.value = self.last[name] = 0

    def write(self, beats: Beats) -> None:
        """The file of the player."""
        rows.write_stimulus(Path(rows.STIMULUS), beats, self.pins.bits)

    def items(self, stimulus: Beats) -> Iterator[BeatItem]:
        lanes = [pack(getattr(stimulus, name), width) for name, width in self.pins.lane.items()]
        lanes += [getattr(stimulus, name)[:, 0].tolist() for name in self.pins.once]
        lanes += [getattr(stimulus, name).tolist() for name in self.pins.controls]
        cycle = stimulus.cycle.astype(np.int64)
        gaps = (np.diff(cycle, prepend=cycle[:1] - 1) - 1).tolist()
        for gap, *values in zip(gaps, *lanes):
            yield BeatItem("beat", gap, dict(zip(self.handles, values)))

    async def play(self, item: IngressItem | BeatItem) -> None:
        if isinstance(item, IngressItem):
            self.write(item.beats)
            await self.player.play()
            return
        clock = self.dut.clk_o
        if get_sim_time() != self.ended:
            await RisingEdge(clock)
        if item.gap:
            await ClockCycles(clock, item.gap)
        self._put(item.values)
        item.accepted = await self._accepted()
        self._put(dict.fromkeys(self.cleared, 0))  # unless the next item comes at this very edge
        self.ended = get_sim_time()

    def _put(self, values: dict[str, int]) -> None:
        handles, last = self.handles, self.last
        for name, value in values.items():
            if last[name] != value:
                handles[name].value = last[name] = value

    async def _accepted(self) -> bool:
        """Keep the beat on the port until it is accepted; False if it never is: ready is X, which the monitor reports,
        or 0 for too long.
        """
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
        """The sentence about a port that accepts nothing."""
        return f"ing_ready_o has been 0 for {cycles} cycles, the run was given up"


class IngressMonitor(Monitor):
    """Writes a `Beat` for every accepted cycle with a block, a pulse or a change of levels; the whole run as Beats."""

    def build_phase(self) -> None:
        super().build_phase()
        self.pins = self.config.pins
        self.bus = IngressBus(self.dut, self.pins)
        self.levels = LevelsBus(self.dut, self.pins)
        self.wide = [name for name in self.pins.pulses if name not in self.pins.bits]  # not in the levels word
        self.cycles = 0

    async def watch(self) -> None:
        clock, reset, bus, pins = self.dut.clk_o, self.dut.rst_ni, self.bus, self.pins
        names = ("tstamp", *self.wide, *pins.lane, *pins.once)
        handles = [self.dut.sts_tstamp_o, *(getattr(self.levels, name) for name in self.wide)]
        handles += [getattr(bus, name) for name in (*pins.lane, *pins.once)]
        kept = sum((1 << n) - 1 << bit for name, (bit, n) in pins.bits.items() if name in pins.levels) | 1 << _DROP
        word, block, before = self.dut.sts_levels_o, self.dut.sts_block_o, 0
        while True:
            await FallingEdge(clock)  # every signal of the cycle is settled, and stays until the rising edge
            if reset.value != 1:
                continue
            cycle, self.cycles = self.cycles, self.cycles + 1
            levels = word.value
            if not (bus.ready.value.is_resolvable and levels.is_resolvable):
                if not self.problems:
                    self.problems.append(
                        f"cycle {cycle}: ing_ready_o={bus.ready.value} drop_o={bus.drop.value}, an output is X"
                    )
                continue
            if not int(bus.ready.value):
                continue
            levels = int(levels)
            if levels != before or block.value == 1:  # a pulse, another level, a block
                self.ap.write(Beat(cycle, levels, tuple(int(h.value) for h in handles), names, pins))
                before = levels & kept

    def recorded(self) -> Beats:
        return rows.after_reset(rows.read_ingress(Path(rows.INGRESS), self.pins.blocks, self.pins.bits))

    def arrays(self, items: list[Beat]) -> Beats:
        pins = self.pins
        names = ("cycle", "levels", "tstamp", *self.wide, *pins.lane, *pins.once)
        seen = [(beat.cycle, beat.levels, *beat.values) for beat in items]
        columns: dict[str, Any] = dict(zip(names, list(zip(*seen)) or [()] * len(names)))
        fields = {name: unpack(columns.pop(name), width, pins.blocks) for name, width in pins.lane.items()}
        fields |= {name: unpack(columns.pop(name), width, 1) for name, width in pins.once.items()}
        given = {name: np.array(column, dtype=np.uint64) for name, column in columns.items()}
        levels = rows.split_levels(given.pop("levels"), pins.bits)
        block = (fields["iretire"] != 0) | np.isin(fields["itype"], (IType.EXCEPTION, IType.INTERRUPT))
        fields |= {name: np.where(block, fields[name], 0) for name in pins.once}
        return rows.after_reset(Beats(**levels, **given, **fields))


class IngressAgent(Agent):
    """Sequencer, driver and monitor of the ingress port."""

    driver_class, monitor_class = IngressDriver, IngressMonitor
