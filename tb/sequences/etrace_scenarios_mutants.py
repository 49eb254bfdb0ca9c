"""Scenarios that mutations of the RTL asked for: what survived the others is shown here (predictor entries, cache tags, compressed calls, a full queue)."""

from __future__ import annotations

from random import Random

from models.etrace.config import Config
from models.riscv.walk import Walk
from tb.sequences.etrace_scenarios_base import (
    COUNTER,
    FOUR,
    RA,
    SMALL,
    TWO,
    V2,
    Story,
    builder,
    configs,
    handle,
    scenario,
    start,
    stop,
)

TIMER, LOAD_FAULT = 7, 5
_RUN = 33  # branches: more than a map holds


def _spin(walk: Walk, count: int) -> Walk:
    """From the head of a loop so many times around it."""
    for _ in range(count):
        walk.step().branch(True)
    return walk


@scenario("ET-11", "ET.opt.predictor", "ET.opt.prediction", configs=configs({}, TWO, FOUR, SMALL, COUNTER, branch_prediction=1))
def predictor_entries(config: Config, rng: Random) -> Story:
    """Two branches in neighbouring entries, half the predictor apart, in the same entry: whether the other one was trained decides if a count is sent."""
    b = builder(config)
    size, entries = 1 << config.iaddress_lsb_p, 1 << config.bpred_size_p
    distances = (1, 2, entries // 2, entries, 2 * entries)
    b.c_jr(10)
    for number, distance in enumerate(distances):
        b.org(b.labels["main"] + 0x10000 + number * 64 * entries * size)
        b.label(f"pre{number}")
        b.c_nop()
        asked = b.here
        b.c_beqz(8, asked + 2 * size)
        if distance > 1:
            b.c_nop() if distance == 2 else b.c_j(f"trained{number}")
        b.org(asked + distance * size)
        b.label(f"trained{number}")
        b.c_beqz(8, f"loop{number}")
        b.label(f"loop{number}")
        b.c_nop()
        b.bne(10, 0, f"loop{number}")
        b.c_jr(10)
    program, walk = start(b, config)
    at = b.labels
    for number, distance in enumerate(distances):
        walk.jump(at["main"]).trap(TIMER, at["trap_nested"], interrupt=True).step().jump(at[f"trained{number}"])  # a fresh predictor
        for again in ("trained", "pre"):
            _spin(walk.branch(True), 3).step().branch(False).jump(at[f"{again}{number}"])
        walk.step().branch(False).step(distance > 1)
        _spin(walk.branch(True), _RUN).notify().step().branch(False)
    return stop(program, walk.jump(at["main"]))


@scenario("ET-9", "ET-11", "ET.opt.reset_on_sync", "ET.opt.predictor",
          configs=(*configs({}, TWO, SMALL, FOUR, COUNTER, branch_prediction=1), *configs(branch_prediction=1, inst_sync_mode=3, inst_sync_max=3)))  # fmt: skip
def branch_at_sync_trains(config: Config, rng: Random) -> Story:
    """A handler, and a trace, begin with a branch to itself: its first outcome is in the branch bit, and trains the predictor for the count behind it."""
    b = builder(config)
    b.c_jr(10)
    b.label("self")
    b.bne(10, 0, "self")
    b.nop()
    b.mret()
    program, walk = start(b, config)
    at = b.labels
    for count in (_RUN, _RUN + 1, 2 * _RUN):
        for begin in range(3):
            if begin < 2:
                walk.jump(at["main"]).trap(LOAD_FAULT if begin else TIMER, at["self"], interrupt=not begin)
            else:
                walk.trace_off().trace_on(at["self"])
            for _ in range(count):
                walk.branch(True)
            walk.notify().branch(False).step()
    return stop(program, walk.jump(at["main"]))


@scenario("ET-12", "ET.opt.cache", configs=configs({}, SMALL, FOUR, jump_target_cache=1, full_address=(0, 1), variant=V2))
def cache_tags(config: Config, rng: Random) -> Story:
    """Targets of one entry that differ in one bit of their address, each bit in turn: none is taken for the other."""
    bits = range(config.iaddress_lsb_p + config.cache_size_p, config.xlen - 1)
    base = (0x5A5A_5A5A_5A5A_5A5A if config.xlen == 64 else 0x5A5A_5A5A) >> 14 << 14
    b = builder(config, base, handler=None)
    b.c_jr(10)
    for bit in bits:
        b.org(base ^ 1 << bit)
        b.c_jr(10)
    b.org(base + 0x3FF0)
    b.label("other")
    b.c_jr(10)
    program, walk = start(b, config)
    for bit in bits:
        for target in (base, base ^ 1 << bit, base, base ^ 1 << bit):
            walk.jump(target).jump(b.labels["other"])
    return stop(program, walk)


@scenario("ET.opt.implicit_return", "ET.opt.stack", "ET.opt.misreturn", configs=configs({}, TWO, SMALL, implicit_return=1, variant=V2), retirement="single")
def compressed_calls(config: Config, rng: Random) -> Story:
    """Calls of two and of four bytes at every half-word return where they should, and two bytes before and behind."""
    b = builder(config)
    calls = ((b.c_jalr, 10), (b.jalr, RA, 10), (b.c_jalr, 10), (b.c_jalr, 10), (b.jalr, RA, 10), (b.jalr, RA, 10))
    for number, (call, *how) in enumerate(calls):
        b.label(f"call{number}")
        call(*how)
        b.label(f"back{number}")
        b.c_nop()
        b.c_nop()
    b.c_jr(10)
    b.label("f")
    b.c_nop()
    b.c_jr(RA)
    program, walk = start(b, config)
    at = b.labels
    for wrong in (0, 2, 0, 2):
        for number in range(len(calls)):
            walk.jump(at["f"]).step().jump(at[f"back{number}"] + wrong).step(1 if wrong else 2)
        walk.jump(at["main"])
    return stop(program, walk.jump(at["f"]).step())


@scenario("ET-14", "ET.alg.before_sync", "ET.pay.irreport", "ET.pay.irdepth", configs=configs({}, SMALL, implicit_return=1, ctype=("2", "3"), variant=V2))
def context_behind_return(config: Config, rng: Random) -> Story:
    """Another context one and two instructions behind an inferred return, with no branch anywhere: the address before it is still told."""
    b = builder(config)
    for number in range(4):
        b.jal(RA, "f")
        b.label(f"back{number}")
        for _ in range(3):
            b.nop()
    b.c_jr(10)
    b.label("f")
    b.c_nop()
    b.c_jr(RA)
    program, walk = start(b, config)
    at = b.labels
    for turn in range(4):
        for number in range(4):
            walk.step(2).jump(at[f"back{number}"]).step(1 + (turn + number) % 2)
            if (turn + number) % 3:
                walk.context ^= 5
            walk.run_to(at[f"back{number}"] + 12)
        walk.jump(at["main"])
    return stop(program, walk.step())


@scenario("ET-16", "ET-17", "ET.alg.lost", "ET.ing.overflow", loses=True, backpressure=75,
          configs=(*configs({}, TWO, SMALL, inst_stall_ena=(0, 1)), *configs(FOUR, inst_stall_ena=(0, 1), variant=V2)))  # fmt: skip
def full_by_threes(config: Config, rng: Random) -> Story:
    """Beats that make the most packets possible, target, first instruction and the last before a trap, meet a queue with room for all, one less, none."""
    b = builder(config, 0x4000_0000 - 0x10, 0x4000_4000)
    b.c_jr(10)
    b.label("target")
    b.nop()
    b.nop()
    b.c_jr(10)
    b.label("calm")
    for _ in range(40):
        b.nop()
    b.c_jr(10)
    program, walk = start(b, config)
    at = b.labels
    for number in range(160):
        for _ in range(number % 4):
            walk.jump(at["main"])
        back = walk.jump(at["target"]).step(2).pc
        walk.trap(LOAD_FAULT, at["trap_nested"] if number % 2 else at["trap_handler"])
        handle(walk, back, 1 if number % 2 else 3)
        walk.jump(at["calm"] if number % 8 == 7 else at["main"]).run()
    return stop(program, walk.jump(at["main"]))
