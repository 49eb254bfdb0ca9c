"""A logical counter as the calls of a supervisor made it: its event, whether it was started, what a firmware counter holds."""

from __future__ import annotations

from dataclasses import dataclass, field

from models.sbi_pmu import tables as sbi
from models.sbi_pmu.platform import Firmware, Hardware


@dataclass
class Cell:
    """What counts: a counter, or (policy firmware_value=event) a firmware event.

    value: of a firmware counter; what a hardware counter holds is in the shadow. other: clause -> value if it had been broken since the last read.
    """

    started: bool = False
    value: int = 0
    other: dict[str, int] = field(default_factory=dict)


@dataclass
class Logical:
    """A logical counter as the supervisor's calls made it. cells: of firmware events, where counters share them."""

    counter: Hardware | Firmware
    own: Cell
    event: int | None = None
    data: int = 0
    cells: dict[int, Cell] | None = None

    @property
    def cell(self) -> Cell:
        """Its own, or that of its event."""
        if self.cells is None or self.event is None or not self.counts_firmware:
            return self.own
        return self.cells.setdefault(self.event, Cell())

    @property
    def started(self) -> bool:
        """Whether it was started, and not stopped since."""
        return self.cell.started

    @property
    def index(self) -> int:
        """Logical index."""
        return self.counter.index

    @property
    def counts_firmware(self) -> bool:
        """Whether its event is firmware's; policy firmware_base=position gives such events to hardware counters, which then stand still."""
        return self.event is not None and self.event >> 16 == sbi.FIRMWARE

    def alike(self, event: int) -> bool:
        """Whether counter and event are both firmware's, or both hardware's."""
        return (self.hardware is None) == (event >> 16 == sbi.FIRMWARE)

    @property
    def hardware(self) -> Hardware | None:
        """The hardware counter; None of a firmware counter."""
        return self.counter if isinstance(self.counter, Hardware) else None
