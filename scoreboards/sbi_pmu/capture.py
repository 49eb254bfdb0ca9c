# SPDX-License-Identifier: Apache-2.0
"""What one run of an SBI implementation on a counter block recorded: the input of its checks, from a simulation or from
files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from rvtrace.models.hpm.rows import Rows
from rvtrace.models.sbi_pmu.config import Config
from rvtrace.models.sbi_pmu.record import Record
from rvtrace.models.sbi_pmu.sample import Sample
from rvtrace.scoreboards.ctr.capture import CtrCapture
from rvtrace.scoreboards.hpm.capture import HpmCapture


@dataclass
class Sampling:
    """Overflows that a supervisor sampled. ctr: what was on the ports of the control transfer records; samples: on the
    device; model_samples: of the same supervisor on the models of both blocks.
    """

    ctr: CtrCapture
    samples: list[Sample]
    model_samples: list[Sample]


@dataclass
class SbiPmuCapture:
    """The record of one run.

    config: of the system; None where only the record is known, which has the platform. record: what supervisor and SBI
    implementation did, with the answers that the device gave. model: the same supervisor and the same implementation on
    models/hpm; None if it was not run. hpm: what was on the ports of the counter block; None if they were not observed.
    problems: sentences about the run itself (an X on an output, a client that could not go on); touched: about memory;
    each is a failure. exact: whether the implementation declares docs/reference/sbi-pmu.md. rerun: the one command that
    repeats the run. program: what the hart ran. sampling: of a hart with control transfer records.
    """

    config: Config | None
    record: Record
    model: Record | None = None
    hpm: HpmCapture | None = None
    problems: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)
    exact: bool = True
    rerun: str = ""
    program: Any = None
    sampling: Sampling | None = None

    @property
    def rows(self) -> Rows | None:
        """What was on the ports."""
        return self.hpm.rows if self.hpm else None
