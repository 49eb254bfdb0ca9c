# SPDX-License-Identifier: Apache-2.0
"""The stimulus of one hart of the trace system."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rvtrace.models.ntrace.decoder.images import ImageMap
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.tb.tci.agents.files import Triggers


@dataclass
class HartStimulus:
    """What a hart does. beats: rows to drive (enable and inst_tracing come from registers). triggers: by row.

    images, pcs: what a decoder is given instead of the program, and the instructions it must find, where one program
    is not enough.
    """

    config: Any
    program: Program
    beats: Beats
    triggers: Triggers = field(default_factory=Triggers)
    images: ImageMap | None = None
    pcs: np.ndarray | None = None
