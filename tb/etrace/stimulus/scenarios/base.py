# SPDX-License-Identifier: Apache-2.0
"""What the directed E-Trace scenarios are made of: their registry, builds, configurations and program; programs and
walks are in `rvtrace.tb.common.stimulus.traced_program`.
"""

from __future__ import annotations

from random import Random
from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import VARIANTS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import report_contexts, to_beats
from rvtrace.models.riscv.builder import ProgramBuilder, Target
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.stream import with_itype_width
from rvtrace.tb.common.stimulus.scenario import Configs, Scenarios, combinations, scripted
from rvtrace.tb.common.stimulus.traced_program import BASE, HANDLER, Script, handle, home, with_handler

__all__ = [
    "ALL_ON",
    "ALL_ON_V2",
    "BASE",
    "COUNTER",
    "DRAFT",
    "FOUR",
    "HANDLER",
    "RA",
    "SCENARIOS",
    "SMALL",
    "T0",
    "TWO",
    "V2",
    "Script",
    "builder",
    "configs",
    "handle",
    "home",
    "place",
    "scenario",
]

V2, DRAFT = VARIANTS
RA, T0 = 1, 5  # the link registers
# Five builds serve all scenarios: the default one and these.
TWO: dict[str, Any] = {"blocks_p": 2}
FOUR: dict[str, Any] = {"blocks_p": 4, "iaddress_width_p": 32}
SMALL: dict[str, Any] = {
    "blocks_p": 2,
    "bpred_size_p": 2,
    "cache_size_p": 2,
    "return_stack_size_p": 1,
    "bcount_bits": 3,
    "iretire_width_p": 5,
    "context_width_p": 8,
    "notime_p": 0,
    "time_width_p": 16,
    "fifo_depth": 16,
}
COUNTER: dict[str, Any] = {
    "iaddress_width_p": 32,
    "iaddress_lsb_p": 2,
    "call_counter_size_p": 2,
    "return_stack_size_p": 0,
    "privilege_width_p": 2,
    "nocontext_p": 1,
    "notval_p": 1,
}
# Every option that a variant has.
ALL_ON: dict[str, Any] = {"branch_prediction": 1, "full_address": 1, "implicit_exception": 1, "sijump": 1}
ALL_ON_V2: dict[str, Any] = ALL_ON | {"implicit_return": 1, "jump_target_cache": 1, "variant": V2}
_COUNTS = {"bcount_bits": 16}  # in both variants, so that one build serves both
_AS_V2: dict[str, Any] = {
    "return_stack_size_p": 4,
    "call_counter_size_p": 0,
    "cache_size_p": 5,
    "f0s_width_p": 1,
}  # draft on the default build
_DRAFT_CTYPE = {"0": "3", "1": "2", "2": "1", "3": "0"}


def place(config: Config, retirement: str, retired: Retired, rng: Random) -> Beats:
    """The retired instructions on the ingress port, by retirement."""
    reported = with_itype_width(retired, config.itype_width_p)
    beats = to_beats(reported, config.blocks, retirement, max_iretire=(1 << config.iretire_width_p) - 1, per_cycle=True)
    return report_contexts(beats, config.ctype, rng, config.variant)


SCENARIOS = Scenarios(base={"inst_stall_ena": 1}, place=place, script=scripted(Script))
scenario = SCENARIOS.scenario


def configs(*builds: dict[str, Any], **options: Any) -> Configs:
    """Every combination of the builds (the default one if none is given) and options; by default both variants.

    ctype: as v2_0 codes it; the draft gets its own code for the same, and a notification where v2_0 reports nothing.
    """
    made: list[dict[str, Any]] = []
    for build in builds or ({},):
        for one in combinations(**{"variant": VARIANTS} | build | options):
            if one["variant"] == DRAFT:
                one = _AS_V2 | one | ({"ctype": _DRAFT_CTYPE[one["ctype"]]} if "ctype" in one else {})
            made.append(_COUNTS | one)
    return tuple(made)


class _Wide(ProgramBuilder):
    """A program without 16-bit instructions: each that a scenario uses is the one of 32 bits that does the same."""

    def c_nop(self) -> int:
        return self.nop()

    def c_jr(self, rs1: int) -> int:
        return self.jalr(0, rs1)

    def c_jalr(self, rs1: int) -> int:
        return self.jalr(RA, rs1)

    def c_j(self, target: Target) -> int:
        return self.jal(0, target)

    def c_beqz(self, rs1: int, target: Target) -> int:
        return self.beq(rs1, 0, target)

    def c_bnez(self, rs1: int, target: Target) -> int:
        return self.bne(rs1, 0, target)

    def c_ebreak(self) -> int:
        return self.ebreak()


def builder(config: Config, base: int = BASE, handler: int | None = HANDLER) -> ProgramBuilder:
    """An empty program with the trap handlers of `rvtrace.tb.common.stimulus.traced_program`; of 32-bit instructions
    only where addresses ask for it.
    """
    kind = _Wide if config.iaddress_lsb_p == 2 else ProgramBuilder
    return with_handler(kind(config.xlen, base), base, handler)
