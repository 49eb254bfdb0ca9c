# SPDX-License-Identifier: Apache-2.0
"""Scenarios of privilege and contexts (Ownership, 7.3)."""

from __future__ import annotations

from rvtrace.models.riscv.retired import Priv
from rvtrace.tb.ntrace.stimulus.scenarios.base import TWO, Script, configs, handle, home, scenario
from rvtrace.tb.ntrace.stimulus.scenarios.options import _mixed


@scenario("NT.7.1.after_sync", "NT.7.1.priv_change", "NT.7.1.process", "NT.7.1.trap",
          configs=(*configs(ownership=1, hcontext=(0, 1)), *configs(ownership=1, hcontext=1, inst_sync_mode=1, **TWO),
                   *configs(ownership=1, src_bits=12, inst_stall_ena=1)))  # fmt: skip
def ownership(s: Script) -> None:
    """Privilege and contexts change on linear code, one and several at a time, at traps, xRETs and under syncs."""
    walk, at = s.start(_mixed(s.config))
    walk.step()
    for scontext, hcontext in ((1, 0), (1, 0x3FFF), (0xFFFF_FFFF, 0x3FFF), (5, 6), (0, 0)):
        walk.run_to(at["branch"])
        walk.context, walk.hcontext = scontext, hcontext
        walk.branch(bool(scontext & 1)).run_to(at["jump"]).jump(at["after"]).step(2)
        walk.context = scontext ^ 1
        walk.step().trap(8, at["trap_handler"], priv=Priv.M).step().trap(2, at["trap_nested"], priv=Priv.M)
        walk.step().jump(at["trap_handler"] + 4, priv=Priv.M).step(2).jump(
            at["main"], priv=(Priv.U, Priv.S, Priv.VS, Priv.VU, Priv.M)[hcontext % 5], context=scontext
        )
    for priv in (Priv.VS, Priv.U, Priv.VU, Priv.S, Priv.M):
        walk.step().trap(9, at["trap_handler"], priv=Priv.M)
        handle(walk).jump(at["main"], priv=priv)
    for bit in range(33):  # every length of PROCESS
        walk.context = (1 << bit) - 1
        home(walk, at["main"]).run_to(at["branch"])
