# SPDX-License-Identifier: Apache-2.0
"""A hart that waits for each answer: drives all ports of a counter block cycle by cycle, with the values that a
generator gives.

The generator yields (priv, Counts, Access or None) for a cycle and gets the Answer of its access, None without one.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge

from rvtrace.models.hpm.events import Counts
from rvtrace.models.riscv.csr import Access, Answer
from rvtrace.tb.common.agents.base import Agent, Driver
from rvtrace.tb.common.agents.csr_port import CsrBus
from rvtrace.tb.common.agents.port import RowsItem
from rvtrace.tb.hpm.agents.hart import HartBus

Cycles = Generator[tuple[int, Counts, "Access | None"], "Answer | None", Any]


class CyclesDriver(Driver):
    """Drives hart and CSR port together; the rows of its items are such generators. An X in an answer counts as 0 here;
    the monitors of the ports report it.
    """

    def build_phase(self) -> None:
        super().build_phase()
        dut, pins = self.dut, self.config.pins
        hart, self.csr = HartBus(dut), CsrBus(dut, pins)
        self.clock, self.bits = dut.clk_o, pins.lane["events"]
        self.hart = [hart.priv, hart.stopcount, hart.running, hart.retired, hart.events]
        self.access = [getattr(self.csr, name) for name in pins.once]

    async def play(self, item: RowsItem) -> None:
        cycles: Cycles = item.rows
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
        return Answer(
            *(int(value) if value.is_resolvable else 0 for value in (self.csr.rdata.value, self.csr.outcome.value))
        )


class CyclesAgent(Agent):
    """Sequencer and driver; the monitors are those of the ports."""

    driver_class = CyclesDriver
