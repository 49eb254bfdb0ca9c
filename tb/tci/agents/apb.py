# SPDX-License-Identifier: Apache-2.0
"""APB agent: accesses to the registers, what every access did, and whether the bus kept its protocol.

The driver and the monitor wake for accesses only: while no access runs, the simulation goes on without Python.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge, RisingEdge
from cocotb.utils import get_sim_time
from cocotb_bus.bus import Bus
from pyuvm import uvm_sequence_item
from rvtrace.tb.common.agents.base import Agent, Driver, Monitor

CYCLE_NS = 10
FOREIGN = 0.25  # of the accesses come behind one of another completer
GIVE_UP = 1000  # cycles with PREADY low
_REQUEST = ("psel", "penable", "pwrite", "paddr", "pwdata")
_RESPONSE = ("prdata", "pready", "pslverr")


class ApbBus(Bus):
    """The APB ports of tci_tb: 32-bit data, byte addresses."""

    psel: Any
    penable: Any
    pwrite: Any
    paddr: Any
    pwdata: Any
    prdata: Any
    pready: Any
    pslverr: Any

    def __init__(self, dut: Any) -> None:
        names = {name: f"{name}_i" for name in _REQUEST} | {name: f"{name}_o" for name in _RESPONSE}
        super().__init__(dut, "apb", names, case_insensitive=False)


@dataclass(frozen=True)
class Access:
    """One access as the monitor saw it. cycle: of its last clock cycle. data: written or read. error: PSLVERR.

    unknown: bits of PRDATA were X; data has 0 for them.
    """

    cycle: int
    write: bool
    addr: int
    data: int
    error: bool = False
    unknown: bool = False


class ApbItem(uvm_sequence_item):
    """An access to make; `data` is what was read once it is done."""

    def __init__(self, name: str = "apb", write: bool = False, addr: int = 0, data: int = 0) -> None:
        super().__init__(name)
        self.write, self.addr, self.data = write, addr, data
        self.error = False


class ApbDriver(Driver):
    """Makes the accesses of its items, one after the other, back to back if they come so.

    The bus has other completers, which share every wire but PSEL: between two accesses the wires are as an access of
    another left them or has them, and sometimes there is one in the two cycles before ours. PWDATA of a read has any
    value. `noise` chooses them; a test gives it a seed.

    An access that is not answered is given up, as a tool would; the monitor reports it.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = ApbBus(self.dut)
        self.edge = -1.0  # when the last access ended
        self.noise = random.Random(0)

    def idle(self) -> None:
        for name in _REQUEST:
            getattr(self.bus, name).value = 0

    async def play(self, item: ApbItem) -> None:
        bus, clock = self.bus, self.dut.clk_o
        if get_sim_time() != self.edge:
            await RisingEdge(clock)
        if self.noise.random() < FOREIGN:
            self._foreign(item, 0)
            await RisingEdge(clock)
            bus.penable.value = 1
            await RisingEdge(clock)
        bus.psel.value = 1
        bus.penable.value = 0
        bus.pwrite.value = int(item.write)
        bus.paddr.value = item.addr
        bus.pwdata.value = item.data if item.write else self.noise.getrandbits(32)
        await RisingEdge(clock)
        bus.penable.value = 1
        for _ in range(GIVE_UP):
            await FallingEdge(clock)  # every signal of the cycle is settled, and stays until the rising edge
            if bus.pready.value == 1 or not bus.pready.value.is_resolvable:
                break
        item.error = bus.pslverr.value != 0
        if not item.write:
            value = bus.prdata.value
            item.data = int(value) if value.is_resolvable else 0
        await RisingEdge(clock)
        self.edge = get_sim_time()
        self._foreign(item, self.noise.randrange(2))

    def _foreign(self, item: ApbItem, enable: int) -> None:
        """An access to another completer. Its address is any, or the one that our last or next access has in our own
        range; its data is any, with often with the two low bits set, as Active and Enable are.
        """
        bus, noise = self.bus, self.noise
        bus.psel.value = 0
        bus.penable.value = enable
        bus.pwrite.value = noise.randrange(2)
        bus.paddr.value = noise.choice((item.addr, noise.getrandbits(16)))
        bus.pwdata.value = noise.getrandbits(32) | noise.choice((0, 3))


class ApbMonitor(Monitor):
    """Writes an `Access` for each one that ended, in both drives. problems: (cycle, sentence) for each rule that was
    broken.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = ApbBus(self.dut)
        self.problems: list[tuple[int, str]] = []
        self.accesses = 0

    @staticmethod
    def cycle() -> int:
        """Clock cycles since the simulation began, as the recorders of tb/hdl count them."""
        return int(get_sim_time("ns")) // CYCLE_NS

    async def watch(self) -> None:
        while True:
            if self.bus.psel.value != 1:
                await RisingEdge(self.bus.psel)
            await self._transfer()

    async def _transfer(self) -> None:
        bus, clock = self.bus, self.dut.clk_o
        await FallingEdge(clock)
        if bus.psel.value != 1:
            return
        if bus.penable.value != 0:
            self._problem("PENABLE is 1 in the first cycle of an access")
        held = [int(getattr(bus, name).value) for name in ("pwrite", "paddr", "pwdata")]
        waited = 0
        while True:
            await FallingEdge(clock)
            now = [int(getattr(bus, name).value) for name in ("pwrite", "paddr", "pwdata")]
            if bus.psel.value != 1 or bus.penable.value != 1 or now != held:
                self._problem("PSEL, PENABLE, PWRITE, PADDR or PWDATA changed before PREADY")
                return
            ready = bus.pready.value
            if not ready.is_resolvable:
                self._problem(f"PREADY={ready} in an access to {held[1]:#x}")
                return
            if int(ready):
                break
            waited += 1
            if waited == GIVE_UP:
                self._problem(f"PREADY stayed low for {GIVE_UP} cycles of an access to {held[1]:#x}")
        self._answered(*held)

    def _answered(self, write: int, addr: int, wdata: int) -> None:
        self.accesses += 1
        bus = self.bus
        error, rdata = bus.pslverr.value, bus.prdata.value
        if not error.is_resolvable:
            self._problem(f"PSLVERR={error} at the end of an access to {addr:#x}")
        unknown = not write and not rdata.is_resolvable
        data = wdata if write else 0 if unknown else int(rdata)
        self.ap.write(Access(self.cycle(), bool(write), addr, data, error.is_resolvable and bool(int(error)), unknown))

    def _problem(self, text: str) -> None:
        self.problems.append((self.cycle(), text))


class ApbAgent(Agent):
    """Sequencer, driver and monitor of the register bus."""

    driver_class, monitor_class = ApbDriver, ApbMonitor
