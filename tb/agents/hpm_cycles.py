"""A hart that looks at each answer before it goes on: drives all ports of a counter block cycle by cycle, as a generator asks for.

The generator yields (priv, Counts, Access or None) for a cycle and gets the Answer of its access, None without one.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import cocotb
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, RisingEdge
from pyuvm import ConfigDB, uvm_agent, uvm_driver, uvm_sequencer

from models.hpm.events import Counts
from models.riscv.csr import Access, Answer
from tb.agents.csr_port import CsrBus
from tb.agents.hpm_hart import HartBus
from tb.agents.pins import Pins

Cycles = Generator[tuple[int, Counts, "Access | None"], "Answer | None", Any]


class CyclesDriver(uvm_driver):
    """Drives hart and CSR port together; the rows of its items are such generators. An X in an answer counts as 0 here; the monitors of the ports tell of it."""

    def build_phase(self) -> None:
        super().build_phase()
        dut: HierarchyObject = ConfigDB().get(self, "", "DUT")
        pins: Pins = ConfigDB().get(self, "", "PINS")
        hart, self.csr = HartBus(dut), CsrBus(dut, pins)
        self.clock, self.bits = dut.clk_o, pins.lane["events"]
        self.hart = [hart.priv, hart.stopcount, hart.running, hart.retired, hart.events]
        self.access = [getattr(self.csr, name) for name in pins.once]

    async def run_phase(self) -> None:
        self.task = cocotb.start_soon(self._serve())

    async def _serve(self) -> None:
        while True:
            item = await self.seq_item_port.get_next_item()
            await self._play(item.rows)
            self.seq_item_port.item_done()

    async def _play(self, cycles: Cycles) -> None:
        answer: Any = None
        valid, last = False, [-1] * len(self.hart)
        await RisingEdge(self.clock)
        while True:
            try:
                priv, counts, access, *more = cycles.send(answer)
            except StopIteration:
                break
            self.beside(more)
            events = sum(count << self.bits * k for k, count in enumerate(counts.events))
            for place, value in enumerate((priv, counts.stopcount, counts.cycle, counts.retired, events)):
                if last[place] != value:
                    self.hart[place].value = last[place] = value
            if valid != (access is not None):
                valid = access is not None
                self.csr.valid.value = int(valid)
            if access is not None:
                for handle, value in zip(self.access, (*access, counts.time)):
                    handle.value = value
            answer = await self.seen(valid)
            await RisingEdge(self.clock)
        for handle in (*self.hart[2:], self.csr.valid):
            handle.value = 0

    def beside(self, more: list[Any]) -> None:
        """Drive what the generator gives besides these three; nothing here."""

    async def seen(self, access: bool) -> Any:
        """What the generator gets of a cycle, with an access or without."""
        if not access:
            return None
        await FallingEdge(self.clock)
        return Answer(*(int(value) if value.is_resolvable else 0 for value in (self.csr.rdata.value, self.csr.outcome.value)))


class CyclesAgent(uvm_agent):
    """Sequencer and driver; the monitors are those of the ports."""

    driver_class = CyclesDriver

    def build_phase(self) -> None:
        self.sequencer = uvm_sequencer("sequencer", self)
        self.driver = self.driver_class("driver", self)

    def connect_phase(self) -> None:
        self.driver.seq_item_port.connect(self.sequencer.seq_item_export)
