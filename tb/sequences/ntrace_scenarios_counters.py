"""Scenarios of full counters and periodic synchronization (7.8, 8.3.1, 8.4.4, 8.5, NT-20, NT-23).

The small build has an I-CNT of 8 bits (full at 128 half-words) and a HIST of 6 (full at five branches).
"""

from __future__ import annotations

from random import Random

from models.ntrace.config import Config
from models.riscv.builder import ProgramBuilder
from models.riscv.walk import Walk
from tb.sequences.ntrace_scenarios_base import SMALL, TWO, Story, builder, configs, scenario, start, stop

FULL = 128  # half-words
SMALL_BOTH = configs(**SMALL)


def _nops(b: ProgramBuilder, half_words: int) -> None:
    for _ in range(half_words // 2):
        b.nop()
    if half_words % 2:
        b.c_nop()


@scenario("NT.8.4.4.resource_full", "NT.7.8.icnt", "NT.10.inferable", configs=SMALL_BOTH)
def icnt_full_linear(config: Config, rng: Random) -> Story:
    """I-CNT fills up in linear code and in an endless loop of a direct jump, with HIST empty: ResourceFull RCODE=0."""
    b = builder(config)
    _nops(b, 3 * FULL + 7)
    b.label("loop")
    b.addi(10, 10, 1)
    b.c_j("loop")
    program, walk = start(b, config)
    walk.run_to(b.labels["loop"]).step(200)
    return stop(program, walk)


@scenario("NT.8.4.4.resource_full", "NT.8.4.4.sync4", "NT-23", configs=SMALL_BOTH)
def icnt_full_hist(config: Config, rng: Random) -> Story:
    """I-CNT fills up with branches in HIST: ResourceFull in v1_0, SYNC=4 in rc7 HTM; then goes on to fill again."""
    b = builder(config)
    b.label("start")
    b.bne(8, 9, "end")
    _nops(b, FULL - 3)
    b.c_nop()
    b.beq(8, 9, "start")
    _nops(b, 2 * FULL + 9)
    b.label("end")
    b.nop()
    program, walk = start(b, config)
    for again in (True, True, False):
        walk.branch(False).run()
        walk.branch(again)
    walk.run_to(b.labels["end"]).step()
    return stop(program, walk)


@scenario("NT.8.4.4.resource_full", "NT.8.4.4.sync4", "NT.7.8.both_full", "NT-23", configs=SMALL_BOTH)
def icnt_full_on_flow(config: Config, rng: Random) -> Story:
    """I-CNT gets full on a branch, an indirect jump and before a trap; with a flow change pending nothing extra is sent."""
    b = builder(config)
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
    program, walk = start(b, config)
    at = b.labels
    walk.run()
    walk.branch(True).jump(at["not_taken"]).run()
    walk.branch(False).jump(at["jump"]).run()
    walk.jump(at["trap"]).run(FULL // 2 + 1)
    walk.trap(5, at["trap_handler"]).step(3).jump(at["jump_to"]).jump(at["main"]).step()
    return stop(program, walk)


@scenario("NT.8.3.1.hist_full", "NT.7.8.hist_bits", "NT.8.3.hist_reset", configs=SMALL_BOTH)
def hist_full(config: Config, rng: Random) -> Story:
    """Many branches, both directions: ResourceFull RCODE=1 each time the stop bit reaches the top."""
    b = builder(config)
    b.label("loop")
    b.beq(8, 9, "skip")
    b.c_nop()
    b.label("skip")
    b.c_bnez(10, "loop")
    b.nop()
    program, walk = start(b, config)
    for turn in range(20):
        skip = rng.random() < 0.5
        walk.branch(skip).step(not skip).branch(turn < 19)
    return stop(program, walk.step())


@scenario("NT.7.8.both_full", "NT.8.3.1.hist_full", "NT.8.4.4.resource_full", "NT.8.4.4.sync4", "NT-23", configs=SMALL_BOTH,
          retirement="single")  # fmt: skip
def both_full(config: Config, rng: Random) -> Story:
    """I-CNT and HIST get full in one block, and one block apart in either order."""
    b = builder(config)
    for lead in (FULL - 9, FULL - 12, FULL - 8):
        for _ in range(4):
            b.bne(8, 9, "main")
        _nops(b, lead)
        b.bne(8, 9, "main")
        _nops(b, 6)
        b.label(f"jump{lead}")
        b.c_jr(10)
    b.nop()
    program, walk = start(b, config)
    for _ in range(3):
        for _ in range(4):
            walk.branch(False)
        walk.run()
        walk.branch(False).run()
        walk.jump(walk.pc + 2)
    return stop(program, walk.step())


def _mixed(b: ProgramBuilder) -> None:
    """A loop with linear stretches, branches, calls and returns: about 60 half-words a turn."""
    b.label("loop")
    _nops(b, 18)
    b.beq(8, 9, "skip")
    b.c_nop()
    b.label("skip")
    b.jal(1, "leaf")
    b.label("back")
    b.bne(8, 9, "skip2")
    _nops(b, 9)
    b.label("skip2")
    b.jalr(1, 10)
    b.label("back2")
    b.bne(10, 0, "loop")
    _nops(b, 150)
    b.c_j("end")
    b.label("leaf")
    _nops(b, 3)
    b.c_beqz(8, "leaf2")
    b.label("leaf2")
    b.c_jr(1)
    b.label("end")
    b.nop()


def _turns(walk: Walk, at: dict[str, int], rng: Random, turns: int) -> Walk:
    for turn in range(turns):
        for back in ("back", "back2"):
            walk.run()
            skip = rng.random() < 0.5
            walk.branch(skip).run()
            if back == "back":
                walk.step()
            else:
                walk.jump(at["leaf"])
            walk.run()
            walk.branch(rng.random() < 0.5).jump(at[back])
        walk.branch(turn < turns - 1)
    walk.run_to(at["end"])
    return walk


def _periodic(config: Config, rng: Random) -> Story:
    b = builder(config)
    _mixed(b)
    program, walk = start(b, config)
    _turns(walk, b.labels, rng, 24).step()
    return stop(program, walk)


_SYNC = ("NT.8.5.sync2_linear", "NT.8.5.sync2_indirect", "NT.8.5.sync2_direct", "NT-20", "NT-9")


@scenario(*_SYNC, configs=configs(inst_sync_mode=1), retirement="single")
def sync_messages(config: Config, rng: Random) -> Story:
    """Periodic sync after 16 messages: at indirect jumps, taken branches and linear code, with HIST pending or not."""
    return _periodic(config, rng)


@scenario(*_SYNC, configs=(*configs(inst_sync_mode=2, inst_sync_max=(0, 2)), *configs(inst_sync_mode=2, **TWO)))
def sync_cycles(config: Config, rng: Random) -> Story:
    """Periodic sync after 16 or 64 clock cycles."""
    return _periodic(config, rng)


@scenario(*_SYNC, configs=(*configs(inst_sync_mode=3, inst_sync_max=(0, 2)), *configs(inst_sync_mode=3, **TWO)))
def sync_half_words(config: Config, rng: Random) -> Story:
    """Periodic sync after 16 or 64 half-words."""
    return _periodic(config, rng)


@scenario("NT.8.5.sync2_linear", "NT.8.4.4.sync4", "NT-20", "NT-23", configs=configs(inst_sync_mode=(1, 2, 3), **SMALL))
def sync_small(config: Config, rng: Random) -> Story:
    """Periodic sync together with small counters: due while a full I-CNT waits, and with both lanes busy."""
    return _periodic(config, rng)


@scenario("NT.8.5.sync2_indirect", "NT.2.exception", "NT-20", configs=configs(inst_sync_mode=(1, 2, 3)))
def sync_at_trap(config: Config, rng: Random) -> Story:
    """Periodic sync at the handler of a trap: the Sync message keeps the B-TYPE; also at back-to-back traps."""
    b = builder(config)
    _nops(b, 60)
    program, walk = start(b, config)
    first, nested = b.labels["trap_handler"], b.labels["trap_nested"]
    for turn in range(25):
        back = walk.step().pc
        if turn % 3 == 2:
            walk.trap(5, first).trap(2, nested).step().jump(first)
        else:
            walk.trap(7 if turn % 2 else 5, first, interrupt=bool(turn % 2))
        walk.step(3).jump(back)
    return stop(program, walk)


@scenario("NT-23", "NT.8.4.icnt", configs=SMALL_BOTH)
def full_and_marked(config: Config, rng: Random) -> Story:
    """I-CNT gets full in the block of a taken branch or jump behind which a trigger fires, and right before a trap with branches in HIST."""
    b = builder(config)
    for kind in ("taken", "jump", "trap"):
        b.label(kind)
        _nops(b, FULL - 2)
        if kind == "jump":
            b.jalr(0, 10)
        else:
            b.beq(8, 9, "jump" if kind == "taken" else "taken")
    b.nop()
    program, walk = start(b, config)
    at = b.labels
    walk.run()
    walk.branch(True).notify().run()
    walk.jump(at["trap"]).notify().run()
    walk.branch(False).trap(2, at["trap_handler"]).step()
    return stop(program, walk)


@scenario("NT-23", "NT.7.12.trace_off", configs=configs(variant="rc7", **SMALL))
def stop_with_both_full(config: Config, rng: Random) -> Story:
    """rc7: I-CNT and HIST get full in one block, and tracing stops before their message: the correlation carries both."""
    b = builder(config)
    b.label("loop")
    _nops(b, 24)
    b.beq(8, 9, "loop")
    b.nop()
    program, walk = start(b, config)
    for _ in range(4):
        walk.step(12).branch(True)
    walk.step(12).branch(False).trace_off().trace_on().step()
    return stop(program, walk)


@scenario("NT-20", "NT.8.5.sync2_indirect", configs=configs(mode="htm", inst_sync_mode=1, ownership=1, inst_stall_ena=1))
def sync_due_with_history(config: Config, rng: Random) -> Story:
    """The sixteenth message is an Ownership in the block of a jump or trap behind branches: the sync takes over with HIST."""
    b = builder(config)
    b.label("loop")
    b.beq(8, 9, "loop")
    b.nop()
    b.c_jr(10)
    program, walk = start(b, config)
    at = b.labels
    for turn in range(80):
        walk.branch(False)
        walk.context = turn + 1
        if turn < 40:
            walk.step().jump(at["loop"])
        else:
            walk.trap(3, at["trap_handler"], interrupt=True)
            walk.step(3).jump(at["loop"])
    return stop(program, walk)
