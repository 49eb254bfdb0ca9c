# SPDX-License-Identifier: Apache-2.0
"""Programs with trap handlers and walks through them, for the directed scenarios of the encoders."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.walk import Walk

BASE = 0x8000_0000
HANDLER = 0x8000_4000

ProgramRun = tuple[Program, Retired]  # what a scenario of an encoder builds


def with_handler(b: ProgramBuilder, base: int = BASE, handler: int | None = HANDLER) -> ProgramBuilder:
    """The program with a trap handler, `trap_handler` (three instructions and mret), its neighbour `trap_nested`, and
    the label `main`.
    """
    if handler is not None:
        b.org(handler)
        b.label("trap_handler")
        b.addi(10, 10, 1)
        b.c_nop()
        b.addi(11, 11, 1)
        b.mret()
        b.label("trap_nested")
        b.addi(12, 12, 1)
        b.mret()
        b.org(base + 0x10)
    b.label("main")
    return b


class Script:
    """What a directed scenario of an encoder writes: a program and one walk through it."""

    program: Program
    walk: Walk

    def __init__(self, config: Any, rng: Random, fresh: bool = False) -> None:
        self.config, self.rng = config, rng

    def start(self, b: ProgramBuilder, at: str = "main", on: bool = True) -> tuple[Walk, dict[str, int]]:
        """Assemble; a walk at `at` with tracing just enabled, or not yet, and the labels."""
        self.program = b.build("main")
        self.walk = Walk(self.program, self.config.variant, b.labels[at])
        return self.walk.trace_on() if on else self.walk, b.labels

    def rows(self) -> ProgramRun:
        """The run; it ends with tracing switched off."""
        return self.program, self.walk.trace_off().retired()


def handle(walk: Walk, back: int | None = None, steps: int = 3) -> Walk:
    """Run the three instructions of `trap_handler` and return, by default to where the trap came from."""
    walk.step(steps)
    return walk if back is None else walk.jump(back)


IDLE_SIJUMP = (*range(6), 9, 11, 15)  # itypes for which the ingress port has sijump ignored (E-Trace, table 4)


def with_idle_sijump(beats: Beats) -> Beats:
    """The same with sijump 1 at every block of an itype for which it means nothing."""
    beats.sijump = beats.sijump | (beats.valid() & np.isin(beats.itype, IDLE_SIJUMP)).astype(np.uint8)
    return beats


def behind(program: Program, pc: int) -> int:
    """The address behind the instruction at pc."""
    insn = program.insn(pc)
    assert insn is not None, f"there is no instruction at {pc:#x}"
    return pc + insn.size


def home(walk: Walk, main: int) -> Walk:
    """Go on to `main` from wherever the walk is: branches are not taken, the next indirect jump or xRET goes there."""
    while walk.pc != main:
        insn = walk.insn()
        flow = insn.flow if insn else None
        if flow == Flow.BRANCH:
            walk.branch(False)
        elif flow == Flow.UNINFERABLE:
            walk.jump(main)
        else:
            walk.step()
    return walk


def idle_sijump_code(b: ProgramBuilder) -> None:
    """A branch, a direct jump and an indirect one, for which the labels are `branch` and `back`."""
    b.nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.nop()
    b.label("target")
    b.nop()
    b.c_j("back")
    b.label("back")
    b.nop()
    b.c_jr(10)


def through_idle_sijump(walk: Walk, at: Mapping[str, int]) -> None:
    """Through that code with a trap at its end each time: the branch both ways, exceptions and interrupts."""
    for turn in range(8):
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["back"]).step()
        back = walk.pc
        handle(walk.trap(2, at["trap_handler"], interrupt=turn % 4 == 3), back).jump(at["main"])
