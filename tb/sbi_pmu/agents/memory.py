# SPDX-License-Identifier: Apache-2.0
"""Memory agent: the physical memory that supervisor and SBI implementation share, on the bench's side, with a monitor
of every access.

Memory takes no time on the ports of a counter block: accesses happen between two cycles.
"""

from __future__ import annotations

from collections.abc import Iterable

from pyuvm import uvm_analysis_port, uvm_component

from rvtrace.models.sbi_pmu.monitor import Access, WatchedMemory
from rvtrace.tb.common.agents.base import Created


class _Published(list[Access]):
    """The accesses so far; each is written to a port when it is added."""

    def __init__(self, port: uvm_analysis_port) -> None:
        super().__init__()
        self.port = port

    def __iadd__(self, accesses: Iterable[Access]) -> _Published:
        for access in accesses:
            self.append(access)
            self.port.write(access)
        return self


class MemoryAgent(Created, uvm_component):
    """The memory of a run pin by pin. ap: gets every access of a call of the SBI implementation when the call ends."""

    def build_phase(self) -> None:
        self.ap = uvm_analysis_port("ap", self)

    def serve(self, memory: WatchedMemory) -> None:
        """Observe a memory from now on."""
        memory.done = _Published(self.ap)
