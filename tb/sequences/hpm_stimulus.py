"""From a job to the rows that are played: a recorded program with its events, random ones, or a directed scenario."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from random import Random

from models.hpm.config import Config
from models.hpm.rows import Rows
from models.riscv import recording
from models.riscv.program import Program
from models.riscv.retired import Retired
from tb.job import Job, JobError
from tb.sequences.hpm_programs import program_rows
from tb.sequences.hpm_random import Mix


@dataclass
class HpmStimulus:
    """What a job plays. program, retired, elf: of a real program, else None."""

    rows: Rows
    config: Config
    program: Program | None = None
    retired: Retired | None = None
    elf: Path | None = None


def stimulus(job: Job) -> HpmStimulus:
    """Resolve a job's source. JobError, or the error of the source, if there is none of that name."""
    config: Config = job.settings
    kind, _, name = job.source.partition(":")
    if kind == "scenario":
        from tb.sequences.hpm_scenarios import SCENARIOS

        if name not in SCENARIOS:
            near = get_close_matches(name, SCENARIOS, 1)
            raise JobError(f"there is no scenario {name}; {f'did you mean {near[0]}? ' if near else ''}`make list IP=hpm` has them")
        return HpmStimulus(SCENARIOS[name].build(config, Random(job.rng_path("story"))), config)
    if kind == "program":
        run = recording.load(name, config.xlen)
        size = None if job.size == Job.size else job.size
        rows = program_rows(run.retired, config, Random(job.rng_path("program")), job.gaps, size)
        return HpmStimulus(rows, config, run.program, run.retired, Path(run.program_path))
    if job.source != "random":
        raise JobError(f"SOURCE={job.source} is no stimulus of the counters; give SOURCE=program:<name>, scenario:<name> or random")
    return HpmStimulus(Mix(config, Random(job.rng_path("mix")), job.gaps).play(job.size).rows(), config)
