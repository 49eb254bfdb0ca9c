# SPDX-License-Identifier: Apache-2.0
"""The stimulus of systems that are driven with rows of cycles."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired


@dataclass
class RowsStimulus:
    """What a job drives. program, retired, elf: of a real program, else None."""

    rows: Any
    config: Any
    program: Program | None = None
    retired: Retired | None = None
    elf: Path | None = None


def heard(job: Job, what: RowsStimulus) -> RowsStimulus:
    """Without accesses at XLEN 32, if the job omits them: the IP has no port for them."""
    if "xlen32" in job.without:
        what.rows = what.rows.select(slice(None))
        what.rows.xlen32[:] = 0
    return what
