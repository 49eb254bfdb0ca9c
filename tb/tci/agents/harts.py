# SPDX-License-Identifier: Apache-2.0
"""Control of tci_tb: reset, recording, and starting the harts. Its files: tb/tci/agents/files.py."""

from __future__ import annotations

import time
from typing import Any

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, First, RisingEdge
from cocotb_bus.bus import Bus

from rvtrace.tb.common.agents.base import Component

GIVE_UP, SLOWEST = 100_000, 1_000  # cycles, and cycles a row, until harts that are stalled are given up


def patience(rows: int, slowest: int = SLOWEST) -> int:
    """Cycles until harts that have so many rows to play are given up; the simulation may say +give_up=."""
    return int(cocotb.plusargs.get("give_up", GIVE_UP)) + slowest * rows


class StuckError(RuntimeError):
    """Harts that are stalled and never continue."""


class TciBus(Bus):
    """The ports of tci_tb beside the register bus."""

    rst_n: Any
    record: Any
    go: Any
    played: Any
    wait_seed: Any
    wait_low: Any

    def __init__(self, dut: Any) -> None:
        names = {name: f"{name}_i" for name in ("record", "go", "wait_seed", "wait_low")}
        super().__init__(dut, None, names | {"rst_n": "rst_ni", "played": "played_o"}, case_insensitive=False)


class TciControl(Component):
    """Reset, recorders, harts. `seconds`: what the simulator took while harts played. rows: the most a hart has to
    play.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = TciBus(self.dut)
        self.seconds = 0.0
        self.rows = 0

    async def reset(self, wait_seed: int = 1, wait_low: int = 0) -> None:
        """Two cycles of reset; then everything is recorded."""
        for name, value in {
            "rst_n": 0, "record": 0, "go": 0, "wait_seed": wait_seed & 0xFFFF_FFFF or 1, "wait_low": wait_low,
        }.items():  # fmt: skip
            getattr(self.bus, name).value = value
        await ClockCycles(self.dut.clk_o, 2)
        self.bus.record.value = 1
        await ClockCycles(self.dut.clk_o, 1)
        self.bus.rst_n.value = 1
        await RisingEdge(self.dut.clk_o)

    async def play(self) -> None:
        """All harts play what they have, to the end; StuckError if they are stalled for good."""
        begin = time.perf_counter()
        self.bus.go.value = 1
        if self.bus.played.value != 1:
            cycles = patience(self.rows)
            ended = await First(RisingEdge(self.bus.played), over := ClockCycles(self.dut.clk_o, cycles))
            if ended is over and self.bus.played.value != 1:
                raise StuckError(f"the harts did not come to the end of their {self.rows} rows in {cycles} cycles")
        self.seconds += time.perf_counter() - begin
        await FallingEdge(self.dut.clk_o)

    async def cycles(self, count: int) -> None:
        """Let time pass."""
        await ClockCycles(self.dut.clk_o, count)

    async def stop(self) -> None:
        """End the recording: the files are complete."""
        self.bus.record.value = 0
        self.bus.go.value = 0
        await ClockCycles(self.dut.clk_o, 2)
