"""Stream agent: makes room for the encoder's bytes, or not, and records them."""

from __future__ import annotations

import random
from pathlib import Path

import cocotb
import numpy as np
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb_bus.bus import Bus
from pyuvm import ConfigDB, uvm_agent, uvm_analysis_port, uvm_component

from tb.agents import rows

_BURST = 32  # cycles, one draw in 16, as tb/hdl/ready_source.sv


class StreamBus(Bus):
    """The byte stream port of ntrace_tb."""

    def __init__(self, dut: HierarchyObject) -> None:
        super().__init__(dut, "out", {"valid": "valid_o", "nbytes": "nbytes_o", "data": "data_o", "ready": "ready_i"})


class StreamDriver(uvm_component):
    """Sets out_ready_i each cycle; in a bulk run tb/hdl does that."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.low: int = ConfigDB().get(self, "", "BACKPRESSURE")
        self.rng: random.Random = ConfigDB().get(self, "", "READY_RNG")
        self.bus = StreamBus(self.dut)
        self.draining = False

    async def run_phase(self) -> None:
        self.bus.ready.value = 0
        if not self.bulk:
            self.task = cocotb.start_soon(self._drive())

    async def _drive(self) -> None:
        hold = ready = 0
        while True:
            await RisingEdge(self.dut.clk_o)
            if hold:
                hold -= 1
            else:
                ready = int(self.rng.randrange(100) >= self.low)
                hold = _BURST - 1 if self.rng.randrange(16) == 0 else 0
            self.bus.ready.value = 1 if self.draining else ready


class StreamMonitor(uvm_component):
    """Records every transfer and what the port may not do; `collect` gives bytes and cycles."""

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.bus = StreamBus(self.dut)
        self.port = uvm_analysis_port("port", self)
        self.cycle: list[int] = []
        self.nbytes: list[int] = []
        self.data: list[int] = []
        self.problems: list[str] = []
        self.cycles = 0

    async def run_phase(self) -> None:
        if not self.bulk:
            self.task = cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        bus, empty, clock, reset = self.bus, self.dut.sts_empty_o, self.dut.clk_o, self.dut.rst_ni
        waiting: tuple[int, int] | None = None
        while True:
            await FallingEdge(clock)  # every signal of the cycle is settled, and stays until the rising edge
            if reset.value != 1:
                continue
            cycle, self.cycles = self.cycles, self.cycles + 1
            valid = bus.valid.value
            if not valid.is_resolvable or not empty.value.is_resolvable:
                self._problem(cycle, f"out_valid_o={valid} empty_o={empty.value}, an output is X")
                waiting = None
                continue
            if not int(valid):
                if waiting:
                    self._problem(cycle, "out_valid_o=0 changed before out_ready_i")
                waiting = None
                continue
            if not (bus.nbytes.value.is_resolvable and bus.data.value.is_resolvable):
                self._problem(cycle, f"out_nbytes_o={bus.nbytes.value} out_data_o={bus.data.value}, an output is X")
                waiting = None
                continue
            now = int(bus.nbytes.value), int(bus.data.value)
            if waiting and now != waiting:
                self._problem(cycle, f"out_nbytes_o={now[0]} out_data_o={now[1]:x} changed before out_ready_i")
            if not 1 <= now[0] <= rows.OUT_BYTES:
                self._problem(cycle, f"out_nbytes_o={now[0]} while out_valid_o is 1")
            if int(empty.value):
                self._problem(cycle, "empty_o is 1 while out_valid_o is 1")
            if int(bus.ready.value):
                self.cycle.append(cycle)
                self.nbytes.append(now[0])
                self.data.append(now[1])
                waiting = None
            else:
                waiting = now

    def _problem(self, cycle: int, text: str) -> None:
        kind = text.rpartition(" ")[2]
        if not any(old.endswith(kind) for old in self.problems):  # each kind is told once
            self.problems.append(f"cycle {cycle}: {text}")

    async def drained(self, quiet: int = 8, give_up: int = 20_000) -> None:
        """Wait until the encoder has been empty for `quiet` cycles; a problem if it never is."""
        still = 0
        for _ in range(give_up):
            await FallingEdge(self.dut.clk_o)
            empty = self.dut.sts_empty_o.value
            still = still + 1 if empty.is_resolvable and int(empty) else 0
            if still > quiet:
                return
        self.problems.append(f"empty_o does not become 1 in {give_up} cycles after the last block")

    def collect(self) -> None:
        """Send (bytes, cycle of each byte) to whoever listens."""
        if self.bulk:
            self.problems += rows.read_problems(Path(rows.PROBLEMS))
            self.port.write(rows.read_stream(Path(rows.STREAM)))
            return
        raw = b"".join(word.to_bytes(rows.OUT_BYTES, "little") for word in self.data)
        data = np.frombuffer(raw, dtype=np.uint8).reshape(-1, rows.OUT_BYTES)
        self.port.write(rows.flatten(np.array(self.cycle, dtype=np.uint64), np.array(self.nbytes, dtype=np.uint32), data))


class StreamAgent(uvm_agent):
    """Driver and monitor of the byte stream."""

    def build_phase(self) -> None:
        self.driver = StreamDriver("driver", self)
        self.monitor = StreamMonitor("monitor", self)
