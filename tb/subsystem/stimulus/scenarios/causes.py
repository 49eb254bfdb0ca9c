# SPDX-License-Identifier: Apache-2.0
"""System calls of U-mode that N-Trace traces by their cause: it must have the cause of the trap in each slot."""

from __future__ import annotations

from random import Random

from rvtrace.jobs.job import Job
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.models.subsystem.config import Config
from rvtrace.models.tandem.trace_data import Rows
from rvtrace.tb.subsystem.stimulus.builds import DEFAULT, DUAL, RV32
from rvtrace.tb.subsystem.stimulus.rows import walk_rows
from rvtrace.tb.subsystem.stimulus.scenarios.base import BASE, HANDLER, scenario
from rvtrace.tb.subsystem.stimulus.scenarios.rows import among, outside
from rvtrace.tb.subsystem.stimulus.walks import SubsystemStimulus, played

_ECALL = 8  # from U-mode
_BREAKPOINT = 3
_BY_CAUSE = {"ntrace_filter": f"priv=U|ecause={_ECALL}+{_BREAKPOINT}"}  # all of it: M runs the handlers only


@scenario(
    "SUB.parts.ntrace",
    "SUB.pcs.ntrace",
    "SUB.pcs.hart",
    "SUB.traps.ntrace",
    "SUB.traps.hart",
    configs=({**DUAL, **_BY_CAUSE}, {**RV32, **_BY_CAUSE, "mode": "btm"}, {**DEFAULT, **_BY_CAUSE}),
)
def traced_by_cause(job: Job, config: Config, rng: Random) -> SubsystemStimulus:
    """Filters choose handlers by the cause of their trap; some traps are in the second slot, after a row that only the
    tandem trace takes.
    """
    b = ProgramBuilder(config.xlen, BASE)
    b.label("start")
    b.nop()
    b.ecall()
    called = b.here
    b.nop()
    b.ebreak()
    broke = b.here
    b.c_j("start")
    b.org(HANDLER)
    b.nop()
    b.mret()
    program = b.build()
    walk = Walk(program, "v1_0", BASE, Priv.U, 0)
    for _ in range(30):
        for cause, back in ((_ECALL, called), (_BREAKPOINT, broke)):
            walk.step()
            walk.trap(cause, HANDLER, interrupt=False, priv=Priv.M)
            walk.step()
            walk.jump(back, priv=Priv.U)
        walk.step()
    retired = walk.retired()
    rows = walk_rows(retired, program, Random(job.rng_path("effects")))
    more = [Rows.from_rows([outside(config, rng)]) for _ in range(80)]
    return played(job, config, program, retired, among(rows, more, rng))
