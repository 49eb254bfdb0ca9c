# SPDX-License-Identifier: Apache-2.0
"""What one run of the loop recorded: what was on the ports of both blocks, and what the supervisor saw."""

from __future__ import annotations

from dataclasses import dataclass, field

from rvtrace.models.hpm.rows import Rows
from rvtrace.models.loop.config import Config
from rvtrace.models.loop.sample import Sample
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.hpm.capture import HpmCapture


@dataclass
class LoopCapture:
    """One run.

    hpm, ctr: what the monitors of each block's ports saw. record, samples: of the supervisor on the device;
    model_record, model_samples: of the same supervisor on the models of all blocks. problems: sentences about the run
    itself; touched: about memory. rerun: the command that repeats it.
    """

    config: Config
    hpm: HpmCapture
    ctr: CtrCapture
    record: Record
    samples: list[Sample]
    model_record: Record
    model_samples: list[Sample]
    problems: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""

    @property
    def rows(self) -> Rows:
        """What was on the ports of the counters."""
        return self.hpm.rows
