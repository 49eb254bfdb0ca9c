# SPDX-License-Identifier: Apache-2.0
"""Scenarios of enable and disable, and Debug Mode (7.4, 8.6, NT-2, NT-22)."""

from __future__ import annotations

from random import Random

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.common.stimulus.levels import under_levels
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, TWO, Script, builder, configs, handle, scenario


def _code(config: Config) -> ProgramBuilder:
    """Linear code, a branch, an indirect jump and some more."""
    b = builder(config)
    for _ in range(3):
        b.nop()
        b.c_nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.nop()
    b.label("target")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    b.label("after")
    for _ in range(20):
        b.nop()
    return b


@scenario(
    "NT.8.5.sync5",
    "NT.7.12.trace_off",
    "NT.10.restart",
    "NT-13",
    "NT-2",
    "NT-22",
    configs=(*configs(), *configs(**TWO)),
)
def trace_off_on(s: Script) -> None:
    """Tracing is switched off and on in linear code, with and without instructions in between, and for a while in which
    other code runs untraced."""
    walk, at = s.start(_code(s.config))
    walk.step(2).trace_off().trace_on().step(2).trace_off()
    walk.run_to(at["branch"]).branch(True).step()
    walk.trace_on().jump(at["after"]).step(3).trace_off().step(4).trace_on().step(2)


@scenario(
    "NT.7.12.open_target", "NT-13", "NT.7.12.trace_off", "NT.7.12.debug_entry", configs=configs(), retirement="single"
)
def stop_with_pending(s: Script) -> None:
    """Tracing ends right after an indirect jump, a taken branch, a not-taken branch and a trap: by trace off and by
    debug entry; then it starts at the target."""
    walk, at = s.start(_code(s.config))
    for enter, leave in ((walk.trace_off, walk.trace_on), (walk.debug_entry, walk.debug_exit)):
        for taken in (True, False):
            walk.run_to(at["branch"]).branch(taken)
            enter()
            leave()
            walk.run_to(at["jump"]).jump(at["after"])
            enter()
            leave()
            walk.step(2).trap(5, at["trap_handler"])
            enter()
            leave()
            handle(walk, at["main"])
    walk.step()


@scenario(
    "NT.8.5.sync3", "NT.7.12.debug_entry", "NT-2", "NT-22", configs=(*configs(), *configs(**RV32), *configs(**TWO))
)
def debug_entry_exit(s: Script) -> None:
    """The hart halts and resumes under trace: in linear code, with HIST pending, twice without an instruction between,
    and resumes elsewhere."""
    walk, at = s.start(_code(s.config))
    walk.step(2).debug_entry().debug_exit().run_to(at["branch"]).branch(False).debug_entry()
    walk.debug_exit().debug_entry().debug_exit(at["target"]).step().jump(at["after"]).step().debug_entry()
    walk.debug_exit(at["main"]).step(3)


@scenario("NT.8.6.stop_while_off", "NT.8.6.start_while_off", "NT.8.5.sync3", "NT.8.5.sync5", "NT-22", configs=configs())
def debug_while_off(s: Script) -> None:
    """The hart halts with trace disabled and starts disabled (table 26), in every order of trace and debug."""
    walk, at = s.start(_code(s.config), on=False)
    walk.debug_entry().debug_exit().step().trace_on().step()  # starts disabled, then SYNC=5
    walk.trace_off().step().debug_entry().trace_on().debug_exit().step()  # switched on in Debug Mode: SYNC=3
    walk.debug_entry().trace_off().debug_exit().step().trace_on().run_to(at["branch"]).branch(
        True
    )  # switched off in Debug Mode
    walk.trace_off().debug_entry().debug_exit().debug_entry().debug_exit().step().trace_on()
    walk.jump(at["after"]).step()


@scenario("NT.8.5.sync5", "NT-22", configs=configs())
def start_without_block(s: Script) -> None:
    """Tracing is switched on and off, and the hart halted, before any instruction retires."""
    walk, _ = s.start(_code(s.config))
    walk.trace_off().trace_on().debug_entry().debug_exit().trace_off().trace_on().step(3)


def _level_walk(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    """Every transition among the eight combinations of enable, inst_tracing and halted, once and in random order, with
    blocks wherever the hart runs, in the very cycle of the change as well."""
    plain = to_beats(retired, config.blocks, "single")
    return under_levels(plain, ("enable", "inst_tracing", "halted"), ("halted",), rng)


@scenario("NT-22", "NT-2", "NT.8.5.sync3", "NT.8.5.sync5", "NT.7.12.debug_entry", "NT.7.12.trace_off",
          "NT.8.6.stop_while_off", "NT.8.6.start_while_off", configs=(*configs(), *configs(**TWO)),
          beats=_level_walk)  # fmt: skip
def level_walk(s: Script) -> None:
    """Enable, trace and debug change in every order and in the same cycle: all 56 transitions of the three levels."""
    walk, at = s.start(_code(s.config))
    for turn in range(30):
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(at["after"]).step()
        walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at["main"])
