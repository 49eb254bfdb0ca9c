# SPDX-License-Identifier: Apache-2.0
"""CPU time that a search for the cause may take.

    budget = Budget.of(capture_bytes, watched=True)
    for candidate in candidates:
        if budget.ended: break

The order of the candidates never depends on the time, so that a search that ends within its budget gives the same
result on every machine; one that does not says so in its finding.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

DEVICE = 10.0  # seconds for a run of a device, beside the minute that its build takes
FILE = 2.0  # the same for a short file, whose user waits for the verdict
SHORT = 100_000  # bytes of a short file: some 70,000 instructions, which are checked in a second
FEW, OF_FEW = 2_000, 1.0  # bytes that say little about a layout, and seconds for them
WORD = (
    "seconds of CPU time to look for the cause if a trace does not decode (default 10, of a short file 2 or 1; 0: none)"
)

_given: list[float] = []  # of a command line, for all searches of this process


@contextmanager
def limited(seconds: float | None) -> Iterator[None]:
    """Within it a search may take so long, 0: there is none; None: what it may take anyway."""
    before = list(_given)
    _given[:] = before if seconds is None else [float(seconds)]
    try:
        yield
    finally:
        _given[:] = before


def shared(parts: int) -> AbstractContextManager[None]:
    """Within it a search gets one of so many equal parts of what it may take."""
    return limited((_given[0] if _given else DEVICE) / max(parts, 1))


def _now() -> float:
    return time.process_time()


@dataclass
class Budget:
    """seconds: of this process that may be used from `begin` on. said: whether somebody was refused because of it."""

    seconds: float
    begin: float = field(default_factory=_now)
    said: bool = False

    @classmethod
    def of(cls, size: int, watched: bool) -> Budget:
        """For a capture of so many bytes. watched: monitors of a testbench recorded it, it is not a file."""
        if _given:
            return cls(_given[0])
        return cls(DEVICE if watched or size >= SHORT else FILE if size >= FEW else OF_FEW)

    @property
    def ended(self) -> bool:
        """Whether it is used up; whoever asks then does no more, and the finding says so."""
        self.said = self.said or _now() - self.begin > self.seconds
        return self.said

    def sentence(self, tried: int = 0) -> str:
        """What a finding says if the search ended early, after so many readings if they were counted; else empty."""
        if not self.said:
            return ""
        readings = f" and {tried:,} readings" if tried else ""
        return f"the search for its cause ended after {self.seconds:g} s of CPU time{readings}"
