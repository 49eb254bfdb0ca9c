"""Memory agent: the physical memory that supervisor and SBI implementation share, on the bench's side, with a monitor of every access.

Memory takes no time on the ports of a counter block: accesses happen between two cycles.
"""

from __future__ import annotations

from pyuvm import uvm_analysis_port, uvm_component

from models.sbi_pmu.monitor import WatchedMemory


class MemoryAgent(uvm_component):
    """The memory of a run pin by pin: `memory` serves SBI implementation and supervisor. `collect` sends all accesses to whoever listens."""

    memory: WatchedMemory

    def build_phase(self) -> None:
        self.port = uvm_analysis_port("port", self)

    def collect(self) -> None:
        """Send what was seen."""
        self.port.write(tuple(self.memory.done))
