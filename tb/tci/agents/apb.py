# SPDX-License-Identifier: Apache-2.0
"""APB agent: accesses to the registers, what every access did, and whether the bus kept its protocol.

The cycles of an access are played and recorded by tb/tci/hdl/tci_requester.sv: Python is called once for each access,
and while none runs, the simulation goes on without it.
"""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
from cocotb.triggers import RisingEdge, ValueChange
from cocotb.utils import get_sim_time
from cocotb_bus.bus import Bus
from pyuvm import uvm_sequence_item

from rvtrace.scoreboards.tci.registers import Access
from rvtrace.tb.common.agents.base import Agent, Driver, Monitor
from rvtrace.tb.tci.agents import layout

FILE = "apb.bin"
FOREIGN = 0.25  # of the accesses come after one of another completer


class ApbBus(Bus):
    """The ports of tci_requester: what is asked for, and the answer."""

    request: Any
    done: Any
    rdata: Any
    error: Any

    def __init__(self, dut: Any) -> None:
        names = {"request": "request_i"} | {name: f"{name}_o" for name in ("done", "rdata", "error")}
        super().__init__(dut, "apb", names, case_insensitive=False)


class ApbItem(uvm_sequence_item):
    """An access to make; `data` is what was read once it is done, 0 if bits of it were X."""

    def __init__(self, name: str = "apb", write: bool = False, addr: int = 0, data: int = 0) -> None:
        super().__init__(name)
        self.write, self.addr, self.data = write, addr, data
        self.error = False


class ApbDriver(Driver):
    """Asks for the accesses of its items, one after the other, back to back if they come so.

    The bus has other completers, which share every wire but PSEL: between two accesses the wires are as an access of
    another has them, and sometimes there is one in the two cycles before ours. PWDATA of a read has any value. `noise`
    chooses them; a test gives it a seed.

    An access that is not answered is given up, as a tool would; the monitor reports it.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.bus = ApbBus(self.dut)
        self.edge = -1.0  # when the last access ended
        self.noise = random.Random(0)
        self.go = 0

    def idle(self) -> None:
        self.go = int(self.bus.done.value == 1)  # nothing is asked for; X before the first time step
        self.bus.request.value = self.go

    async def play(self, item: ApbItem) -> None:
        bus = self.bus
        if get_sim_time() != self.edge:
            await RisingEdge(self.dut.clk_o)
        self.go ^= 1
        bus.request.value = self._request(item)
        await ValueChange(bus.done)
        self.edge = get_sim_time()
        item.error = bus.error.value != 0
        if not item.write:
            value = bus.rdata.value
            item.data = int(value) if value.is_resolvable else 0

    def _request(self, item: ApbItem) -> int:
        """A row of kind request. The other access has any address, or that of ours in our own range; any data, often
        with the two low bits set, as Active and Enable are.
        """
        noise = self.noise
        control = {
            layout.GO: self.go,
            layout.WRITE: int(item.write),
            layout.PRECEDED: int(noise.random() < FOREIGN),
            layout.OTHER_ENABLE: noise.randrange(2),
            layout.OTHER_WRITE: noise.randrange(2),
        }
        words = (
            sum(value << bits.lsb for bits, value in control.items()),
            item.addr,
            item.data if item.write else noise.getrandbits(32),
            noise.choice((item.addr, noise.getrandbits(16))),
            noise.getrandbits(32) | noise.choice((0, 3)),
        )
        return int.from_bytes(np.array(words, layout.REQUEST.dtype()).tobytes(), "little")


class ApbMonitor(Monitor):
    """Writes an `Access` for each one that ended, in the order of time, when the simulation is over and the recording
    is complete. problems: (cycle, sentence) for each rule that was broken.
    """

    def build_phase(self) -> None:
        super().build_phase()
        self.problems: list[tuple[int, str]] = []

    async def run_phase(self) -> None:
        """The bench records, in both drives."""

    def extract_phase(self) -> None:
        """Before the checks."""
        accesses, self.problems = read_accesses(Path(FILE))
        for access in accesses:
            self.ap.write(access)


def read_accesses(path: Path) -> tuple[list[Access], list[tuple[int, str]]]:
    """The accesses of a recording that ended, and (cycle, sentence) for each answer that broke a rule; none of either
    if there is no recording.
    """
    table = np.fromfile(path, layout.ACCESS.dtype()) if path.exists() else np.zeros(0, layout.ACCESS.dtype())
    flag = {bits.name: (table["flags"] & np.uint32(bits.mask)) != 0 for bits in layout.ACCESS_FLAGS}
    access, write = flag["penable"], flag["pwrite"]
    last = access & np.append(~access[1:], True)  # of each access: the next row is the setup cycle of another
    setup = np.maximum.accumulate(np.where(access, -1, np.arange(len(table)))) if len(table) else table["flags"]
    ended = last & flag["pready"]
    problems: list[tuple[int, str]] = []
    for k in np.flatnonzero(last & (~ended | flag["pslverr_unknown"])).tolist():
        low = f"PREADY stayed low for {k - setup[k]} cycles of"
        said = "PSLVERR is X at the end of" if ended[k] else "PREADY is X in" if flag["pready_unknown"][k] else low
        problems.append((int(table["cycle"][k]), f"{said} an access to {int(table['paddr'][k]):#x}"))
    columns = (
        table["cycle"],
        write,
        table["paddr"],
        np.where(write, table["pwdata"], table["prdata"]),
        flag["pslverr"],
        flag["prdata_unknown"] & ~write,
    )
    return [Access(*row) for row in zip(*(column[ended].tolist() for column in columns))], problems


class ApbAgent(Agent):
    """Sequencer, driver and monitor of the register bus."""

    driver_class, monitor_class = ApbDriver, ApbMonitor
