# SPDX-License-Identifier: Apache-2.0
"""A handwritten loop in which every two neighbours share a cycle."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from rvtrace.jobs.job import Job
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.models.subsystem.config import Config
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, DUAL, RV32
from rvtrace.tb.subsystem.stimulus.scenarios.base import BASE, ECALL, FLOW, HANDLER, TIMER, TRAPS, scenario, stimulus_of
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus


@dataclass(frozen=True)
class _Loop:
    """A loop of branches, a call and a system call, with the handler of all traps. after_call, after_system: where the
    call and the system call return to.
    """

    program: Program
    after_call: int
    after_system: int

    @classmethod
    def of(cls, xlen: int) -> _Loop:
        b = ProgramBuilder(xlen, BASE)
        b.label("start")
        b.c_nop()
        b.c_bnez(8, "start")
        b.label("again")
        b.c_bnez(9, "again")
        b.jal(1, "leaf")
        call = b.here
        b.nop()
        b.ecall()
        system = b.here
        b.c_j("start")
        b.label("leaf")
        b.c_nop()
        b.c_jr(1)
        b.org(HANDLER)
        b.nop()
        b.mret()
        return cls(b.build(), call, system)

    def turn(self, walk: Walk, rng: Random) -> None:
        """Once around: branches with either outcome, the call, a trap at one of its ends, the system call."""
        walk.step()
        while rng.random() < 0.4:
            walk.branch(True).step()
        walk.branch(False)
        for taken in [True] * rng.randrange(3) + [False]:
            walk.branch(taken)
        walk.step()
        where = rng.randrange(3)
        for place in range(2):
            if place == where:
                self.handled(walk, TIMER, walk.pc)
            walk.step() if not place else walk.jump(self.after_call)
        walk.step()
        self.handled(walk, ECALL, self.after_system)
        walk.step()

    def handled(self, walk: Walk, cause: int, back: int) -> None:
        """A trap, its handler and the way back."""
        walk.trap(cause, HANDLER, interrupt=cause == TIMER, priv=Priv.M)
        walk.step()
        walk.jump(back)


@scenario(
    *FLOW,
    *TRAPS,
    "SUB.count.branch",
    "SUB.count.taken_branch",
    "SUB.ctr.entries",
    configs=(DUAL, {**RV32, "mode": "btm"}, DEFAULT),
)
def pairs(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Neighbours share a cycle if they may: branches taken or not, calls, first instructions, returns and traps."""
    loop = _Loop.of(config.xlen)
    walk = Walk(loop.program, "v1_0", BASE, Priv.M, 0)
    for _ in range(30):
        loop.turn(walk, rng)
    return stimulus_of(job, config, loop.program, walk.retired())
