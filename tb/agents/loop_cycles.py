"""A hart with counters and control transfer records that looks at its answers and at LCOFI before it goes on."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import FallingEdge
from pyuvm import ConfigDB

from models.ctr.records import Transfer
from tb.agents.ctr_retire import RetireBus
from tb.agents.hpm_cycles import CyclesAgent, CyclesDriver
from tb.agents.hpm_hart import StateBus
from tb.sequences.loop_play import Seen

_FIELDS = ("type", "source", "target", "misp", "from_", "to", "cause")  # of a Transfer, in order


class LoopDriver(CyclesDriver):
    """Drives transfers as well; a cycle gives `Seen`. An X in LCOFI counts as 0 here; the monitor of the state ports tells of it."""

    def build_phase(self) -> None:
        super().build_phase()
        dut = ConfigDB().get(self, "", "DUT")
        pins = ConfigDB().get(self, "", "RECORD_PINS")
        self.xfer, self.lane = RetireBus(dut, pins), pins.lane
        self.state = StateBus(dut)
        self.none = False  # whether there is no transfer on the port already

    def beside(self, more: list[Any]) -> None:
        transfers: tuple[Transfer, ...] = more[0] if more else ()
        if not transfers and self.none:
            return
        self.none = not transfers
        self.xfer.valid.value = (1 << len(transfers)) - 1
        for field, name in zip(range(len(_FIELDS)), _FIELDS):
            getattr(self.xfer, name).value = sum(transfer[field] << self.lane[name] * slot for slot, transfer in enumerate(transfers))

    async def seen(self, access: bool) -> Seen:
        answer = await super().seen(access)
        if not access:
            await FallingEdge(self.clock)
        levels = self.state.lcofi.value, self.state.lcofie.value
        return Seen(answer, all(level.is_resolvable and int(level) for level in levels))


class LoopAgent(CyclesAgent):
    """Sequencer and driver; the monitors are those of the ports."""

    driver_class = LoopDriver
