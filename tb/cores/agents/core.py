# SPDX-License-Identifier: Apache-2.0
"""The agent of the core in cores_tb: it lets the core run, and says how that ended."""

from __future__ import annotations

from typing import Any

from cocotb.triggers import ClockCycles, FallingEdge, First, RisingEdge
from cocotb_bus.bus import Bus

from rvtrace.tb.common.agents.base import Component
from rvtrace.tb.cores.agents.files import ADAPTER_ERRORS, Run

_SLOWER = 50  # times the limit: cycles in which trace encoders hold the core up do not count for it
_OUTPUTS = ("done", "halted", "retired", "error", "error_code", "error_pc")


class CoreBus(Bus):
    """The ports of the bench that are about the core."""

    def __init__(self, dut: Any) -> None:
        names = {name: f"{name}_i" for name in ("core_run", "start_pc", "halt_pc", "tohost", "limit")}
        super().__init__(dut, None, names | {name: f"{name}_o" for name in _OUTPUTS}, case_insensitive=False)


class CoreControl(Component):
    """Starts the core, and waits for the end of its program. retired: rows of RVFI that were recorded."""

    def build_phase(self) -> None:
        super().build_phase()
        self.bus: Any = CoreBus(self.dut)
        self.retired = 0

    def hold(self, run: Run) -> None:
        """The core is in reset."""
        self.bus.core_run.value = 0
        self.bus.start_pc.value, self.bus.halt_pc.value, self.bus.limit.value = run.start, run.halt, run.limit
        self.bus.tohost.value = run.tohost

    async def run(self, run: Run) -> str:
        """Until the program is over and everything was given to the subsystem; a sentence if that does not come."""
        bus, clock = self.bus, self.dut.clk_o
        bus.core_run.value = 1
        await First(RisingEdge(bus.done), ClockCycles(clock, _SLOWER * run.limit))
        await FallingEdge(clock)
        self.retired = int(bus.retired.value)
        if bus.error.value == 1:
            code, pc = int(bus.error_code.value), int(bus.error_pc.value)
            return f"RVFI breaks its rules at pc {pc:#x}: {ADAPTER_ERRORS.get(code, f'error {code}')}"
        if bus.halted.value != 1:
            return run.over(self.retired)
        if bus.done.value != 1:
            return (
                "the core is at halt, and the trace encoders did not take what it retired within"
                f" {_SLOWER * run.limit} cycles"
            )
        return ""
