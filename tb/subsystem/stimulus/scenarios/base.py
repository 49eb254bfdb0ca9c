# SPDX-License-Identifier: Apache-2.0
"""What the directed scenarios of the subsystem are made of: their registry, the clauses that several of them exercise,
and how a stream of instructions becomes stimulus.
"""

from __future__ import annotations

from random import Random
from typing import Any

from rvtrace.jobs.job import Job
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.subsystem.config import Config
from rvtrace.tb.common.stimulus.scenario import Scenarios
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, RV32
from rvtrace.tb.subsystem.stimulus.rows import walk_rows
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus, played, walked

BOTH = (DEFAULT, RV32)
BASE, HANDLER = 0x8000_0000, 0x8000_4000
ECALL, TIMER = 11, 7
WALK = 1500  # instructions
FLOW = ("SUB.pcs.ntrace", "SUB.pcs.etrace", "SUB.pcs.tandem", "SUB.pcs.hart")
TRAPS = ("SUB.traps.ntrace", "SUB.traps.etrace", "SUB.traps.tandem", "SUB.traps.hart")
BUSY: dict[str, Any] = {
    "mode": "btm",
    "full_address": 1,
    "sync_mode": 2,
    "sync_max": 0,
    "timestamp": 1,
}  # long messages, and many


SCENARIOS = Scenarios(configs=BOTH)
scenario = SCENARIOS.scenario


def stimulus_of(job: Job, config: Config, program: Program, retired: Retired) -> SubsystemStimulus:
    """A stream of instructions with random effects on registers and memory."""
    return played(job, config, program, retired, walk_rows(retired, program, Random(job.rng_path("effects"))))


def walk(job: Job, config: Config, rng: Random, size: int = WALK, **probabilities: Any) -> SubsystemStimulus:
    """A random walk with other probabilities."""
    program, retired = walked(config, rng, size, **probabilities)
    return stimulus_of(job, config, program, retired)
