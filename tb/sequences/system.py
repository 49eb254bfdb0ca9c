"""The stories of the trace system: what harts run, what a tool does with the registers, where the trace goes."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from tb.sequences import registers, system_control, system_etrace, system_programs, system_sinks, system_time
from tb.sequences.system_base import BOTH, BY_IP, ETRACE_STORIES, STORIES, Story, harts, sram_run, story

if TYPE_CHECKING:
    from tb.envs.system import Session
    from tb.system_job import SystemJob

__all__ = ["BY_IP", "ETRACE_STORIES", "STORIES", "system_control", "system_etrace", "system_programs", "system_sinks", "system_time"]


@story("TCI.reg.reset", "TCI.reg.ro", "TCI.reg.rw", "TCI.reg.warl", "TCI.reg.reserved", "TCI.reg.unimplemented", "TCI.reg.inactive",
       ips=BOTH)
def register_traffic(job: SystemJob, rng: random.Random) -> Story:
    """Every register of every component: reset values, all bits, illegal values, neighbours, inactive components."""

    async def run(s: Session) -> None:
        await s.steps(registers.program(job.params, rng))

    return Story([], run)


@story("TCI.ram.data", "TCI.ram.wp", "TCI.seq.verify", "TCI.sys.sources", ips=BOTH)
def read_back(job: SystemJob, rng: random.Random) -> Story:
    """Two harts through the funnel into the SRAM, read back through trRamData and decoded."""

    async def run(s: Session) -> None:
        await sram_run(s)

    return Story(harts(job, rng), run)
