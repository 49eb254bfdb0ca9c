# SPDX-License-Identifier: Apache-2.0
"""What one N-Trace run recorded: the input of every check, whether it came from a simulation or from files."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from rvtrace.models.common.filters import OURS, FilterReading
from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.scoreboards.common.traced import Observed


@dataclass
class NtraceCapture(Observed):
    """The monitors' record of one run.

    beats: accepted cycles of the ingress port, None when only files are available (then `given` is the stream).
    data: the bytes the encoder sent. out_cycle: shape [len(data)], the cycle each byte left in, or None.
    problems: sentences of the monitors about the run itself (an X on an output, data that changed before
    ready, an encoder that did not become empty); each is a failure. exact: whether the device declares the
    reference profile. rerun: the one command that repeats the run. origin: shape [len(data)], where each byte was in
    the trace as it was sent, None if it is there. queue: messages that the queue of the encoder holds, 0 if nobody
    knows. filters: what they do where the text is silent. base: where the trace that `data` is a part of has its
    first byte.
    """

    config: Config
    program: Program
    data: bytes
    beats: Beats | None = None
    given: Retired | None = None
    out_cycle: np.ndarray | None = None
    problems: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    origin: np.ndarray | None = None
    base: int = 0
    queue: int = 0
    filters: FilterReading = OURS

    def sent_at(self, offset: int) -> int:
        """Where a byte of `data` was in the trace as it was sent."""
        if self.origin is None or not len(self.origin):
            return self.base + offset
        return self.base + int(self.origin[min(offset, len(self.origin) - 1)])
