# SPDX-License-Identifier: Apache-2.0
"""Scenarios of linear code and branches (chapters 2, 8.4)."""

from __future__ import annotations

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, SMALL, Script, builder, configs, scenario


@scenario("NT.7.5.icnt", "NT.7.12.trace_off", "NT.10.inferable", configs=(*configs(), *configs(**RV32)))
def linear(s: Script) -> None:
    """Linear code of both sizes from trace on to trace off: two messages, I-CNT counts half-words."""
    b = builder(s.config)
    for _ in range(20):
        b.filler(s.rng)
    walk, _ = s.start(b)
    walk.step(20)


@scenario("NT.8.4.icnt", "NT.8.3.hist", "NT.7.12.debug_entry", "NT.8.5.sync3", configs=configs())
def seed_8_4(s: Script) -> None:
    """The seed's example of 8.4.1 at its address 0x100, three times: I-CNT 3 and 1; 7 and 2; 10."""
    b = ProgramBuilder(s.config.xlen, 0x100)
    b.label("main")
    b.c_nop()
    b.beq(8, 9, 0x200)
    b.nop()
    b.beq(8, 9, 0x300)
    b.c_nop()
    b.nop()
    b.c_ebreak()
    b.org(0x200)
    b.c_nop()
    b.c_ebreak()
    b.org(0x300)
    b.nop()
    b.c_ebreak()
    walk, _ = s.start(b)
    walk.debug_entry()
    for first, second in ((True, None), (False, True), (False, False)):
        walk.debug_exit(0x100).step().branch(first)
        if second is not None:
            walk.step().branch(second)
        walk.step(2 if second is False else 1).debug_entry()


@scenario("NT.7.2.direct_branch", "NT.8.3.hist", "NT-1", configs=(*configs(), *configs(**SMALL)))
def branches(s: Script) -> None:
    """Taken and not-taken branches of both sizes, forwards and backwards, and two of them back to back."""
    b = builder(s.config)
    b.nop()
    b.label("loop")
    b.addi(10, 10, -1)
    b.c_beqz(8, "skip")
    b.bne(9, 0, "skip")
    b.c_nop()
    b.label("skip")
    b.bne(10, 0, "loop")
    b.beq(0, 0, "end")
    b.nop()
    b.label("end")
    for _ in range(4):
        b.nop()
    walk, _ = s.start(b)
    walk.step()
    for turn in range(4):
        walk.step().branch(turn == 0)
        if turn:
            walk.branch(turn == 1)
            walk.step(turn != 1)
        walk.branch(turn < 3)
    walk.branch(True).step(4)


@scenario("NT.10.inferable", configs=configs())
def not_taken(s: Script) -> None:
    """Branches that are not taken, and direct jumps and calls: no message in BTM, only HIST bits in HTM."""
    b = builder(s.config)
    for name in ("a", "b", "c"):
        b.beq(8, 9, "end")
        b.jal(0, name)
        b.nop()
        b.label(name)
        b.c_bnez(8, "end")
        b.jal(1, name + "call")
        b.label(name + "call")
    b.c_j("end")
    b.nop()
    b.label("end")
    b.nop()
    walk, _ = s.start(b)
    for _ in range(3):
        walk.branch(False).step().branch(False).step()
    walk.step(2)
