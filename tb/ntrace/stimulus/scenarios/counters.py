# SPDX-License-Identifier: Apache-2.0
"""Scenarios of full counters (7.8, 8.3.1, 8.4.4, NT-20).

The small build has an I-CNT of 8 bits (full at 128 half-words) and a HIST of 6 (full at five branches).
"""

from __future__ import annotations

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL, Script, builder, configs, scenario

FULL = 128  # half-words
SMALL_BOTH = configs(**SMALL)


def _nops(b: ProgramBuilder, half_words: int) -> None:
    for _ in range(half_words // 2):
        b.nop()
    if half_words % 2:
        b.c_nop()


@scenario("NT.8.4.4.resource_full", "NT.7.8.icnt", "NT.10.inferable", configs=SMALL_BOTH)
def icnt_full_linear(s: Script) -> None:
    """I-CNT fills up in linear code and in an endless loop of a direct jump, with HIST empty: ResourceFull RCODE=0."""
    b = builder(s.config)
    _nops(b, 3 * FULL + 7)
    b.label("loop")
    b.addi(10, 10, 1)
    b.c_j("loop")
    walk, at = s.start(b)
    walk.run_to(at["loop"]).step(200)


@scenario("NT.8.4.4.resource_full", "NT.8.4.4.sync4", "NT-23", configs=SMALL_BOTH)
def icnt_full_hist(s: Script) -> None:
    """I-CNT fills up with branches in HIST: ResourceFull in v1_0, SYNC=4 in rc7 HTM; then goes on to fill again."""
    b = builder(s.config)
    b.label("start")
    b.bne(8, 9, "end")
    _nops(b, FULL - 3)
    b.c_nop()
    b.beq(8, 9, "start")
    _nops(b, 2 * FULL + 9)
    b.label("end")
    b.nop()
    walk, at = s.start(b)
    for again in (True, True, False):
        walk.branch(False).run()
        walk.branch(again)
    walk.run_to(at["end"]).step()


@scenario("NT.8.4.4.resource_full", "NT.8.4.4.sync4", "NT.7.8.both_full", "NT-23", configs=SMALL_BOTH)
def icnt_full_on_flow(s: Script) -> None:
    """I-CNT gets full on a branch, an indirect jump and before a trap; with a flow change pending nothing extra is
    sent.
    """
    b = builder(s.config)
    for kind in ("taken", "not_taken", "jump", "trap"):
        b.label(kind)
        _nops(b, FULL - 1)
        if kind == "jump":
            b.jalr(0, 10)
        elif kind == "trap":
            b.nop()
        else:
            b.beq(8, 9, kind + "_to")
        b.label(kind + "_to")
        b.c_jr(10)
    walk, at = s.start(b)
    walk.run()
    walk.branch(True).jump(at["not_taken"]).run()
    walk.branch(False).jump(at["jump"]).run()
    walk.jump(at["trap"]).run(FULL // 2 + 1)
    walk.trap(5, at["trap_handler"]).step(3).jump(at["jump_to"]).jump(at["main"]).step()


@scenario("NT.8.3.1.hist_full", "NT.7.8.hist_bits", "NT.8.3.hist_reset", configs=SMALL_BOTH)
def hist_full(s: Script) -> None:
    """Many branches, both directions: ResourceFull RCODE=1 each time the stop bit reaches the top."""
    b = builder(s.config)
    b.label("loop")
    b.beq(8, 9, "skip")
    b.c_nop()
    b.label("skip")
    b.c_bnez(10, "loop")
    b.nop()
    walk, _ = s.start(b)
    for turn in range(20):
        skip = s.rng.random() < 0.5
        walk.branch(skip).step(not skip).branch(turn < 19)
    walk.step()


@scenario("NT.7.8.both_full", "NT.8.3.1.hist_full", "NT.8.4.4.resource_full", "NT.8.4.4.sync4", "NT-23",
          configs=SMALL_BOTH, retirement="single")  # fmt: skip
def both_full(s: Script) -> None:
    """I-CNT and HIST get full in one block, and one block apart in either order."""
    b = builder(s.config)
    for lead in (FULL - 9, FULL - 12, FULL - 8):
        for _ in range(4):
            b.bne(8, 9, "main")
        _nops(b, lead)
        b.bne(8, 9, "main")
        _nops(b, 6)
        b.label(f"jump{lead}")
        b.c_jr(10)
    b.nop()
    walk, _ = s.start(b)
    for _ in range(3):
        for _ in range(4):
            walk.branch(False)
        walk.run()
        walk.branch(False).run()
        walk.jump(walk.pc + 2)
    walk.step()


@scenario("NT-23", "NT.8.4.icnt", configs=SMALL_BOTH)
def full_and_marked(s: Script) -> None:
    """I-CNT gets full in the block of a taken branch or jump after which a trigger fires, and right before a trap with
    branches in HIST.
    """
    b = builder(s.config)
    for kind in ("taken", "jump", "trap"):
        b.label(kind)
        _nops(b, FULL - 2)
        if kind == "jump":
            b.jalr(0, 10)
        else:
            b.beq(8, 9, "jump" if kind == "taken" else "taken")
    b.nop()
    walk, at = s.start(b)
    walk.run()
    walk.branch(True).notify().run()
    walk.jump(at["trap"]).notify().run()
    walk.branch(False).trap(2, at["trap_handler"]).step()


@scenario("NT-23", "NT.7.12.trace_off", configs=configs(variant="rc7", **SMALL))
def stop_with_both_full(s: Script) -> None:
    """rc7: I-CNT and HIST get full in one block, and tracing stops before their message: the correlation has both."""
    b = builder(s.config)
    b.label("loop")
    _nops(b, 24)
    b.beq(8, 9, "loop")
    b.nop()
    walk, _ = s.start(b)
    for _ in range(4):
        walk.step(12).branch(True)
    walk.step(12).branch(False).trace_off().trace_on().step()
