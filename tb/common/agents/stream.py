# SPDX-License-Identifier: Apache-2.0
"""Stream agents: accept what an encoder sends, or not, and observe it: transfers, messages, and packets before their
transport.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import cocotb
import numpy as np
from cocotb.triggers import FallingEdge, RisingEdge
from cocotb_bus.bus import Bus

from rvtrace.models.tci.grammar import Grammar
from rvtrace.tb.common.agents import files as rows
from rvtrace.tb.common.agents.base import Agent, Component, Monitor, TransactionPort

_BURST = 32  # cycles, one random choice in 16, as tb/common/hdl/ready_source.sv
_PACKET_BYTES = 36  # of pkt_data_o: 31 of payload, 0, type and start, 0, time (2)


class TransferBus(Bus):
    """A port with transfers of bytes."""

    valid: Any
    nbytes: Any
    data: Any
    ready: Any


class StreamBus(TransferBus):
    """The byte stream port of a testbench."""

    def __init__(self, dut: Any) -> None:
        names = {"valid": "valid_o", "nbytes": "nbytes_o", "data": "data_o", "ready": "ready_i"}
        super().__init__(dut, "out", names, case_insensitive=False)


class PacketBus(TransferBus):
    """The packets between encoder and transport, both inside the testbench: nothing here is driven."""

    def __init__(self, dut: Any) -> None:
        names = {"valid": "valid_o", "nbytes": "nbytes_o", "data": "data_o", "ready": "ready_o"}
        super().__init__(dut, "pkt", names, case_insensitive=False)


@dataclass
class Packets:
    """Packets as the encoder gave them. types, start, time16 and cycle have one element for each payload."""

    payloads: list[bytes]
    types: np.ndarray
    start: np.ndarray
    time16: np.ndarray
    cycle: np.ndarray


class Transfer(NamedTuple):
    """One transfer of a port: the first `nbytes` bytes of `data`, which is as wide as the port, first byte lowest."""

    cycle: int
    nbytes: int
    data: int

    @property
    def bytes(self) -> bytes:
        """The bytes that are transferred."""
        return (self.data & (1 << 8 * self.nbytes) - 1).to_bytes(self.nbytes, "little")


class Message(NamedTuple):
    """A complete message of a byte stream. cycle: in which its last byte was transferred."""

    cycle: int
    data: bytes


class Packet(NamedTuple):
    """A packet as the encoder gave it to its transport. type, start: of its header; time16: the time beside it."""

    cycle: int
    data: bytes
    type: int
    start: int
    time16: int


class StreamDriver(Component):
    """Sets out_ready_i each cycle; in a bulk run the SystemVerilog of the bench does that."""

    def build_phase(self) -> None:
        super().build_phase()
        self.low, self.rng = self.config.backpressure, self.config.ready
        self.bus = StreamBus(self.dut)
        self.draining = False

    async def run_phase(self) -> None:
        self.bus.ready.value = 0
        if not self.config.bulk:
            self.task = cocotb.start_soon(self._drive())

    async def _drive(self) -> None:
        hold = ready = 0
        while True:
            await RisingEdge(self.dut.clk_o)
            if self.config.waiting:
                ready = int(not ready and self.bus.valid.value == 1)  # what was shown in the cycle before
            elif hold:
                hold -= 1
            else:
                ready = int(self.rng.randrange(100) >= self.low)
                hold = _BURST - 1 if self.rng.randrange(16) == 0 else 0
            self.bus.ready.value = 1 if self.draining else ready


class TransferMonitor(Monitor):
    """Writes a `Transfer` for each transfer of a port to `ap`, and what is complete with it to `messages`; reports
    illegal outputs.

    prefix: of the names of its signals; width: its bytes.
    """

    prefix, width = "out", rows.OUT_BYTES

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = self.connected()
        self.messages = TransactionPort("messages", self)
        self.cycles = 0

    def connected(self) -> TransferBus:
        """The port."""
        return StreamBus(self.dut)

    def complete(self, transfer: Transfer) -> Iterator[Message | Packet]:
        """The messages whose last byte is in this transfer."""
        return iter(())

    def taking(self) -> bool:
        """Whether the encoder takes in this cycle what may come out later; here always: levels make messages."""
        return True

    async def watch(self) -> None:
        bus, empty, clock, reset = self.bus, self.dut.sts_empty_o, self.dut.clk_o, self.dut.rst_ni
        # was_empty: and nothing was taken since, or in the cycle before: empty_o may be a register
        name, waiting, was_empty, taken = self.prefix, None, False, False
        while True:
            await FallingEdge(clock)  # every signal of the cycle is settled, and stays until the rising edge
            if reset.value != 1:
                continue
            cycle, self.cycles = self.cycles, self.cycles + 1
            valid = bus.valid.value
            if not valid.is_resolvable or not empty.value.is_resolvable:
                self._problem(cycle, f"{name}_valid_o={valid} empty_o={empty.value}, an output is X")
                waiting, was_empty = None, False
                continue
            if was_empty and int(valid):
                self._problem(cycle, "empty_o was 1, and a packet came out although nothing more went in")
            before, taken = taken, self.taking()
            was_empty = (was_empty or (bool(int(empty.value)) and not before)) and not taken
            if not int(valid):
                if waiting:
                    self._problem(cycle, f"{name}_valid_o=0 changed before {name}_ready_i")
                waiting = None
                continue
            if not (bus.nbytes.value.is_resolvable and bus.data.value.is_resolvable):
                self._problem(
                    cycle, f"{name}_nbytes_o={bus.nbytes.value} {name}_data_o={bus.data.value}, an output is X"
                )
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
                self._transferred(Transfer(cycle, *now))
                waiting = None
            else:
                waiting = now

    def _transferred(self, transfer: Transfer) -> None:
        self.ap.write(transfer)
        for message in self.complete(transfer):
            self.messages.write(message)

    def _problem(self, cycle: int, text: str) -> None:
        kind = text.rpartition(" ")[2]
        if not any(old.endswith(kind) for old in self.problems):  # each kind is reported once
            self.problems.append(f"cycle {cycle}: {text}")

    async def drained(self, quiet: int = 8, give_up: int = 20_000) -> None:
        """Wait until the encoder has been empty for `quiet` cycles; a problem if it never is. X, which `watch` reports,
        ends it at once.
        """
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

    def columns(self, transfers: list[Transfer]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(cycle, nbytes, data) of transfers; data has shape [n, width]."""
        raw = b"".join(transfer.data.to_bytes(self.width, "little") for transfer in transfers)
        data = np.frombuffer(raw, dtype=np.uint8).reshape(-1, self.width)
        cycle, nbytes = ([transfer[field] for transfer in transfers] for field in (0, 1))
        return np.array(cycle, dtype=np.uint64), np.array(nbytes, dtype=np.uint32), data


class StreamMonitor(TransferMonitor):
    """Observes the byte stream; the whole run as (bytes, cycle of each byte). grammar: how messages end, None if bytes
    do not show it.
    """

    grammar: Grammar | None = None

    def build_phase(self) -> None:
        super().build_phase()
        self.open = bytearray()  # of the message that is not complete

    def complete(self, transfer: Transfer) -> Iterator[Message]:
        if self.grammar is None:
            return
        for byte in transfer.bytes:
            if self.open or byte != self.grammar.idle:
                self.open.append(byte)
                if self.grammar.ends(bytes(self.open)):
                    yield Message(transfer.cycle, bytes(self.open))
                    self.open.clear()

    def recorded(self) -> tuple[bytes, np.ndarray]:
        self.problems += rows.read_problems(Path(rows.PROBLEMS))
        return rows.read_stream(Path(rows.STREAM), self.width)

    def arrays(self, items: list[Transfer]) -> tuple[bytes, np.ndarray]:
        return rows.flatten(*self.columns(items))


class PacketMonitor(TransferMonitor):
    """Observes the packets of an encoder, each of which is one transfer; the whole run as `Packets`."""

    prefix, width = "pkt", _PACKET_BYTES

    def connected(self) -> TransferBus:
        return PacketBus(self.dut)

    def complete(self, transfer: Transfer) -> Iterator[Packet]:
        head, time16 = transfer.data >> 8 * 32 & 0xFF, transfer.data >> 8 * 34 & 0xFFFF
        yield Packet(transfer.cycle, transfer.bytes, head & 3, head >> 2 & 1, time16)

    def recorded(self) -> Packets:
        table, problems = rows.read_transfers(Path(rows.PACKETS), self.width)
        self.problems += problems
        return self._packets(table["cycle"], table["nbytes"], table["data"])

    def arrays(self, items: list[Transfer]) -> Packets:
        return self._packets(*self.columns(items))

    def _packets(self, cycle: np.ndarray, nbytes: np.ndarray, data: np.ndarray) -> Packets:
        raw = data.tobytes()
        payloads = [raw[at : at + n] for at, n in zip(range(0, len(raw), self.width), nbytes.tolist())]
        time16 = data[:, 34].astype(np.uint16) | data[:, 35].astype(np.uint16) << 8
        return Packets(payloads, data[:, 32] & 3, data[:, 32] >> 2 & 1, time16, cycle)


class StreamAgent(Agent):
    """Driver and monitor of the byte stream."""

    driver_class, monitor_class = StreamDriver, StreamMonitor


class PacketAgent(Agent):
    """A passive agent: the monitor of the packets."""

    monitor_class = PacketMonitor
