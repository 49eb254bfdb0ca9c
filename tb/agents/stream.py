"""Stream agents: make room for what an encoder sends, or not, and record it: bytes, and packets before their transport."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import cocotb
import numpy as np
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb_bus.bus import Bus
from pyuvm import ConfigDB, uvm_agent, uvm_analysis_port, uvm_component

from tb.agents import rows

_BURST = 32  # cycles, one draw in 16, as tb/hdl/ready_source.sv
_PACKET_BYTES = 36  # of pkt_data_o: 31 of payload, 0, type and start, 0, time (2)


class StreamBus(Bus):
    """The byte stream port of a testbench."""

    def __init__(self, dut: HierarchyObject) -> None:
        super().__init__(dut, "out", {"valid": "valid_o", "nbytes": "nbytes_o", "data": "data_o", "ready": "ready_i"})


class PacketBus(Bus):
    """The packets between encoder and transport, both of whose sides the testbench has: nothing here is driven."""

    def __init__(self, dut: HierarchyObject) -> None:
        super().__init__(dut, "pkt", {"valid": "valid_o", "nbytes": "nbytes_o", "data": "data_o", "ready": "ready_o"})


@dataclass
class Packets:
    """Packets as the encoder gave them. types, start, time16 and cycle have one element for each payload."""

    payloads: list[bytes]
    types: np.ndarray
    start: np.ndarray
    time16: np.ndarray
    cycle: np.ndarray


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


class TransferMonitor(uvm_component):
    """Records every transfer of a port, and what the port may not do. prefix: of the names of its signals; width: its bytes."""

    prefix, width = "out", rows.OUT_BYTES

    def build_phase(self) -> None:
        self.dut = ConfigDB().get(self, "", "DUT")
        self.bulk: bool = ConfigDB().get(self, "", "BULK")
        self.bus = self.connected()
        self.port = uvm_analysis_port("port", self)
        self.cycle: list[int] = []
        self.nbytes: list[int] = []
        self.data: list[int] = []
        self.problems: list[str] = []
        self.cycles = 0

    def connected(self) -> Bus:
        """The port."""
        return StreamBus(self.dut)

    async def run_phase(self) -> None:
        if not self.bulk:
            self.task = cocotb.start_soon(self._watch())

    async def _watch(self) -> None:
        bus, empty, clock, reset = self.bus, self.dut.sts_empty_o, self.dut.clk_o, self.dut.rst_ni
        name, waiting = self.prefix, None
        while True:
            await FallingEdge(clock)  # every signal of the cycle is settled, and stays until the rising edge
            if reset.value != 1:
                continue
            cycle, self.cycles = self.cycles, self.cycles + 1
            valid = bus.valid.value
            if not valid.is_resolvable or not empty.value.is_resolvable:
                self._problem(cycle, f"{name}_valid_o={valid} empty_o={empty.value}, an output is X")
                waiting = None
                continue
            if not int(valid):
                if waiting:
                    self._problem(cycle, f"{name}_valid_o=0 changed before {name}_ready_i")
                waiting = None
                continue
            if not (bus.nbytes.value.is_resolvable and bus.data.value.is_resolvable):
                self._problem(cycle, f"{name}_nbytes_o={bus.nbytes.value} {name}_data_o={bus.data.value}, an output is X")
                waiting = None
                continue
            now = int(bus.nbytes.value), int(bus.data.value)
            if waiting and now != waiting:
                self._problem(cycle, f"{name}_nbytes_o={now[0]} {name}_data_o={now[1]:x} changed before {name}_ready_i")
            if not 1 <= now[0] <= self.width:
                self._problem(cycle, f"{name}_nbytes_o={now[0]} while {name}_valid_o is 1")
            if int(empty.value):
                self._problem(cycle, f"empty_o is 1 while {name}_valid_o is 1")
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
        """Wait until the encoder has been empty for `quiet` cycles; a problem if it never is. X, which is told as such, ends it at once."""
        still = 0
        for _ in range(give_up):
            await FallingEdge(self.dut.clk_o)
            empty = self.dut.sts_empty_o.value
            if not empty.is_resolvable:
                return
            still = still + 1 if int(empty) else 0
            if still > quiet:
                return
        self.problems.append(f"empty_o does not become 1 in {give_up} cycles after the last block")

    def columns(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(cycle, nbytes, data) of the transfers that were watched pin by pin; data has shape [n, width]."""
        raw = b"".join(word.to_bytes(self.width, "little") for word in self.data)
        data = np.frombuffer(raw, dtype=np.uint8).reshape(-1, self.width)
        return np.array(self.cycle, dtype=np.uint64), np.array(self.nbytes, dtype=np.uint32), data


class StreamMonitor(TransferMonitor):
    """Records the byte stream; `collect` gives bytes and cycles."""

    def collect(self) -> None:
        """Send (bytes, cycle of each byte) to whoever listens."""
        if self.bulk:
            self.problems += rows.read_problems(Path(rows.PROBLEMS))
            self.port.write(rows.read_stream(Path(rows.STREAM), self.width))
        else:
            self.port.write(rows.flatten(*self.columns()))


class PacketMonitor(TransferMonitor):
    """Records the packets of an encoder; `collect` gives them as `Packets`."""

    prefix, width = "pkt", _PACKET_BYTES

    def connected(self) -> Bus:
        return PacketBus(self.dut)

    def collect(self) -> None:
        """Send the packets to whoever listens."""
        if self.bulk:
            table, problems = rows.read_transfers(Path(rows.PACKETS), self.width)
            self.problems += problems
            cycle, nbytes, data = table["cycle"], table["nbytes"], table["data"]
        else:
            cycle, nbytes, data = self.columns()
        raw = data.tobytes()
        payloads = [raw[at : at + n] for at, n in zip(range(0, len(raw), self.width), nbytes.tolist())]
        time16 = data[:, 34].astype(np.uint16) | data[:, 35].astype(np.uint16) << 8
        self.port.write(Packets(payloads, data[:, 32] & 3, data[:, 32] >> 2 & 1, time16, cycle))


class StreamAgent(uvm_agent):
    """Driver and monitor of the byte stream."""

    monitor_class: type[StreamMonitor] = StreamMonitor

    def build_phase(self) -> None:
        self.driver = StreamDriver("driver", self)
        self.monitor = self.monitor_class("monitor", self)


class PacketAgent(uvm_agent):
    """A passive agent: the monitor of the packets."""

    def build_phase(self) -> None:
        self.monitor = PacketMonitor("monitor", self)
