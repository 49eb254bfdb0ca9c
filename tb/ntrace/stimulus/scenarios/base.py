# SPDX-License-Identifier: Apache-2.0
"""What the directed N-Trace scenarios are made of: their registry, configurations and program; programs and walks are
in `rvtrace.tb.common.stimulus.traced_program`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.common.stimulus.scenario import Configs, Scenarios, combinations, scripted
from rvtrace.tb.common.stimulus.traced_program import BASE, HANDLER, Script, handle, home, with_handler

__all__ = [
    "BASE",
    "HANDLER",
    "RV32",
    "SCENARIOS",
    "SMALL",
    "TWO",
    "Script",
    "builder",
    "configs",
    "handle",
    "home",
    "scenario",
]

# Four builds serve all scenarios: the default one, small counters with two blocks a cycle, wide ones with two, RV32.
SMALL = {
    "icnt_bits": 8, "hist_bits": 6, "iretire_bits": 5, "blocks": 2, "stack_depth": 1, "repeat_bits": 3, "ts_width": 40,
}  # fmt: skip
TWO = {"blocks": 2}
RV32 = {"xlen": 32, "fifo_depth": 8}


def _place(config: Config, retirement: str, retired: Retired, rng: Random) -> Beats:
    longest = (1 << min(config.iretire_bits, config.icnt_bits - 1)) - 1
    return to_beats(retired, config.blocks, retirement, max_iretire=longest)


SCENARIOS = Scenarios(base={"inst_stall_ena": 1}, place=_place, script=scripted(Script))
scenario = SCENARIOS.scenario


def configs(**options: Any) -> Configs:
    """Every combination of the options given; by default both modes and both variants."""
    return combinations(**{"mode": ("htm", "btm"), "variant": ("v1_0", "rc7")} | options)


def builder(config: Config, base: int = BASE, handler: int | None = HANDLER) -> ProgramBuilder:
    """An empty program with a trap handler: `trap_handler` (three instructions and mret) and its neighbour
    `trap_nested`.
    """
    return with_handler(ProgramBuilder(config.xlen, base), base, handler)
