# SPDX-License-Identifier: Apache-2.0
"""A hart with counters and control transfer records that waits for its answers and samples LCOFI in each cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from cocotb.triggers import FallingEdge

from rvtrace.models.ctr.records import Transfer
from rvtrace.tb.common.agents.base import AgentConfig, config_of
from rvtrace.tb.common.agents.pins import Pins
from rvtrace.tb.ctr.agents.retire import RetireBus
from rvtrace.tb.hpm.agents.cycles import CyclesAgent, CyclesDriver
from rvtrace.tb.hpm.agents.hart import StateBus
from rvtrace.tb.sbi_pmu.stimulus.sampling import Seen

_FIELDS = ("type", "source", "target", "misp", "from_", "to", "cause")  # of a Transfer, in order


@dataclass(kw_only=True)
class SampledConfig(AgentConfig):
    """The configuration of the hart's agent. records: the ports of the control transfer records; `pins` are those of
    the counters.
    """

    records: Pins


class SampledDriver(CyclesDriver):
    """Drives transfers as well; a cycle gives `Seen`. An X in LCOFI counts as 0 here; the monitor of the state ports
    reports it.
    """

    def build_phase(self) -> None:
        super().build_phase()
        pins = config_of(self, SampledConfig).records
        self.xfer, self.lane = RetireBus(self.dut, pins), pins.lane
        self.state = StateBus(self.dut)
        self.none = False  # whether there is no transfer on the port already

    def beside(self, more: list[Any]) -> None:
        transfers: tuple[Transfer, ...] = more[0] if more else ()
        if not transfers and self.none:
            return
        self.none = not transfers
        self.xfer.valid.value = (1 << len(transfers)) - 1
        for field, name in zip(range(len(_FIELDS)), _FIELDS):
            getattr(self.xfer, name).value = sum(
                transfer[field] << self.lane[name] * slot for slot, transfer in enumerate(transfers)
            )

    async def seen(self, access: bool) -> Seen:
        answer = await super().seen(access)
        if not access:
            await FallingEdge(self.clock)
        levels = self.state.lcofi.value, self.state.lcofie.value
        return Seen(answer, all(level.is_resolvable and int(level) for level in levels))


class SampledAgent(CyclesAgent):
    """Sequencer and driver; the monitors are those of the ports."""

    driver_class = SampledDriver
