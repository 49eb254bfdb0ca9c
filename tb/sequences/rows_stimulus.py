"""What systems that play rows make of a job: the rows with where they come from, and the scenario of a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from models.riscv.program import Program
from models.riscv.retired import Retired
from tb.job import Job, JobError


@dataclass
class RowsStimulus:
    """What a job plays. program, retired, elf: of a real program, else None."""

    rows: Any
    config: Any
    program: Program | None = None
    retired: Retired | None = None
    elf: Path | None = None


def heard(job: Job, what: RowsStimulus) -> RowsStimulus:
    """Without accesses at XLEN 32, if the job leaves them out: the IP has no port that tells them."""
    if "xlen32" in job.without:
        what.rows = what.rows.select(slice(None))
        what.rows.xlen32[:] = 0
    return what


def scenario_of(job: Job, scenarios: Mapping[str, Any]) -> Any:
    """The scenario that a job names; JobError if there is none."""
    name = job.source.partition(":")[2]
    if name not in scenarios:
        near = get_close_matches(name, scenarios, 1)
        raise JobError(f"there is no scenario {name}; {f'did you mean {near[0]}? ' if near else ''}`make list IP={job.ip}` has them")
    return scenarios[name]
