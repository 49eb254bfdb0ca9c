# SPDX-License-Identifier: Apache-2.0
"""Scenarios of jumps, calls and returns, and of their addresses (chapters 2, 7, 8.1, 8.3, 10)."""

from __future__ import annotations

from random import Random

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.tb.common.stimulus.traced_program import idle_sijump_code, through_idle_sijump, with_idle_sijump
from rvtrace.tb.ntrace.stimulus.scenarios.base import (
    RV32,
    SMALL,
    TWO,
    ProgramRun,
    builder,
    configs,
    scenario,
    start,
    stop,
)


@scenario("NT.8.2.extend", "NT.V.extend_msb", "NT-21",
          configs=(*configs(extend_addr_msb=(0, 1), inst_stall_ena=1),
                   *configs(extend_addr_msb=1, inst_stall_ena=1, **RV32)))  # fmt: skip
def extended_addresses(config: Config, rng: Random) -> ProgramRun:
    """Jumps between user, kernel, physical and illegal addresses: each length of an address, with either top bit, plain
    and in a sync.
    """
    bits = config.xlen - 1  # of an address without bit 0
    groups = range(1, -(-bits // 6) + 1)
    values = {1 << min(6 * n - 2, bits - 1) for n in groups} | {
        (1 << bits) - (1 << 6 * n - 1) for n in groups if 6 * n - 1 < bits
    }
    values |= {1 << 6 * n - 1 for n in groups if 6 * n <= bits}  # a group of zeroes keeps them from being extended
    values |= {1 << 6 * n - 1 for n in groups if 6 * n < bits}  # its extension takes a group more
    values |= {v + 8 for v in values if v >= 64}  # a short way from another place
    b = ProgramBuilder(config.xlen, 0x100)
    b.label("main")
    b.c_nop()
    b.c_jr(10)
    for value in sorted(values):
        b.org(2 * value)
        b.label(f"{value:#x}")
        b.c_nop()
        b.c_jr(10)
    program, walk = start(b, config)
    order = [b.labels[f"{value:#x}"] for value in sorted(values)]
    for fire in (False, True):
        for place in order:
            for target in (place, b.labels["main"]):
                walk.step()
                if fire:
                    walk.notify()
                walk.jump(target)
                if fire:
                    walk.notify()
    low = min(order)
    for place in [*order, *rng.sample(order, len(order))]:
        walk.step().jump(place).step().jump(low)
    walk.step()
    return stop(program, walk)


@scenario(
    "NT.2.all_jumps",
    "NT.7.2.direct_branch",
    "NT.8.3.hist",
    configs=(*configs(all_jumps=(0, 1)), *configs(all_jumps=1, implicit_return=3), *configs(all_jumps=1, **SMALL)),
)
def all_jumps(config: Config, rng: Random) -> ProgramRun:
    """Direct jumps and calls of both sizes among branches: each is reported like a taken branch, and no call of theirs
    is pushed.
    """
    b = builder(config)
    for n in range(6):
        b.label(f"n{n}")
        (b.c_j if n % 2 else lambda t: b.jal(0, t))(f"m{n}")
        b.nop()
        b.label(f"m{n}")
        b.beq(8, 9, f"n{(n + 1) % 6}")
        b.jal(1, "f")
    b.c_j("main")
    b.label("f")
    b.c_nop()
    b.c_jr(1)
    program, walk = start(b, config)
    at = b.labels
    for turn in range(30):
        n = turn % 6
        walk.step()
        if turn % 5 == 2:
            walk.branch(False).step().run_to(at["f"] + 2).jump(at[f"m{n}"] + 8)
            if n == 5:
                walk.step()
            if walk.pc != at[f"n{(n + 1) % 6}"]:
                walk.run_to(at[f"n{(n + 1) % 6}"])
        else:
            walk.branch(True)
    return stop(program, walk)


@scenario("NT.10.1.custom", configs=(*configs(), *configs(implicit_return=3, repeated_history=1, **TWO)))
def custom_flow(config: Config, rng: Random) -> ProgramRun:
    """A custom instruction that changes the flow or not (10.1): reported as an uninferable jump when it does."""
    b = builder(config)
    b.label("loop")
    b.addi(10, 10, 1)
    b.raw(0x0000_000B | 5 << 7, 4)  # custom-0
    b.label("next")
    b.c_nop()
    b.beq(8, 9, "loop")
    b.raw(0x0000_007B | 6 << 7, 4)  # custom-3
    b.label("end")
    b.c_nop()
    b.c_j("loop")
    program, walk = start(b, config)
    at = b.labels
    for turn in range(20):
        walk.step()
        (walk.step if turn % 3 else lambda: walk.jump(at["end"]))()
        if walk.pc == at["next"]:
            walk.step().branch(turn % 2 == 0)
            if turn % 2:
                (walk.step if turn % 5 else lambda: walk.jump(at["loop"]))()
        if walk.pc == at["end"]:
            walk.step(2)
    return stop(program, walk)


@scenario(
    "NT.2.uninferable_jump", "NT.2.uninferable_call", "NT.2.return", "NT.2.coroutine_swap", "NT.8.1.uaddr",
    configs=(*configs(), *configs(**RV32), *configs(**TWO)),
)  # fmt: skip
def indirect_kinds(config: Config, rng: Random) -> ProgramRun:
    """Every uninferable jump: calls, returns, co-routine swaps and plain jumps, of 16 and 32 bits, tail calls (itype
    10, 11).
    """
    b = builder(config)
    kinds = (
        lambda: b.jalr(1, 10), lambda: b.jalr(5, 11), lambda: b.jalr(1, 1), lambda: b.jalr(0, 1), lambda: b.jalr(7, 5),
        lambda: b.jalr(1, 5), lambda: b.jalr(5, 1), lambda: b.jalr(0, 12), lambda: b.jalr(13, 12), lambda: b.c_jr(1),
        lambda: b.c_jr(5), lambda: b.c_jr(10), lambda: b.c_jalr(5), lambda: b.c_jalr(10), lambda: b.c_jalr(1),
        lambda: b.cm_popret(), lambda: b.cm_popretz(),
    )  # fmt: skip
    places = []
    for emit in kinds:
        places.append(b.here)
        b.c_nop()
        b.c_beqz(8, "main")
        emit()
        b.nop()
    program, walk = start(b, config)
    for turn, target in enumerate([*places[1:], *rng.sample(places, len(places))]):
        walk.step().branch(False) if turn % 3 else walk.step().branch(True).step().branch(False)
        walk.jump(target)
    return stop(program, walk.step())


@scenario("NT.2.return", "NT.8.6.back_to_back", configs=(*configs(), *configs(**TWO)), retirement="single")
def back_to_back_returns(config: Config, rng: Random) -> ProgramRun:
    """A return to a return, of both sizes: the second message has I-CNT 1 or 2 (table 26)."""
    b = builder(config)
    b.jal(1, "outer")
    b.nop()
    b.label("outer")
    b.jal(5, "inner")
    b.label("r1")
    b.c_jr(1)
    b.label("r2")
    b.jalr(0, 1)
    b.label("r3")
    b.c_jr(1)
    b.label("inner")
    b.c_jr(5)
    program, walk = start(b, config)
    labels = b.labels
    walk.step(2).jump(labels["r1"]).jump(labels["r2"]).jump(labels["r3"]).jump(labels["r2"]).jump(labels["main"] + 4)
    return stop(program, walk.step())


@scenario("NT.8.6.back_to_back", configs=(*configs(), *configs(**TWO)), retirement="single")
def back_to_back_jumps(config: Config, rng: Random) -> ProgramRun:
    """Jumps, branches and direct jumps at each other's targets, one after the other."""
    b = builder(config)
    b.label("j1")
    b.jalr(0, 10)
    b.label("j2")
    b.c_jr(10)
    b.label("b1")
    b.beq(0, 0, "b2")
    b.label("d1")
    b.jal(0, "b1")
    b.label("b2")
    b.c_beqz(8, "j2")
    b.nop()
    program, walk = start(b, config, "j1")
    at = b.labels
    walk.jump(at["j2"]).jump(at["b1"]).branch(True).branch(True).jump(at["d1"]).step().branch(True)
    walk.branch(True).jump(at["j1"]).jump(at["j1"]).jump(at["b2"]).branch(False).step()
    return stop(program, walk)


@scenario("NT.8.1.uaddr", "NT.8.1.xor", "NT.8.1.suppressed", "NT-7", configs=configs())
def same_target(config: Config, rng: Random) -> ProgramRun:
    """Indirect jumps to the address reported last: U-ADDR is 0 and still takes its byte; also to itself."""
    b = builder(config)
    b.label("loop")
    b.addi(10, 10, -1)
    b.c_jr(10)
    b.label("self")
    b.c_jr(11)
    b.nop()
    program, walk = start(b, config)
    for _ in range(3):
        walk.step().jump(b.labels["loop"])
    walk.step().jump(b.labels["self"])
    for _ in range(3):
        walk.jump(b.labels["self"])
    walk.jump(b.labels["self"] + 2).step()
    return stop(program, walk)


FAR = (
    0xFFFF_FFFF_8000_31F4,
    0x0000_0000_0003_FC04,
    0x8000_0000_0000_0000,
    0x7FFF_FFFF_FFFF_F000,
    0x0001_0000_0000_0000,
    0xFFFF_FFFF_FFFF_FF00,
    0xBFFF_FFFF_FFFF_FFE0,
)


@scenario("NT.8.1.faddr", "NT.8.1.uaddr", "NT.8.1.xlen", "NT-21", "NT-19", configs=(*configs(), *configs(**RV32)))
def far_addresses(config: Config, rng: Random) -> ProgramRun:
    """Kernel addresses, bit 63 (31 on RV32) and bit 48, in U-ADDR and in F-ADDR, in every direction."""
    mask = (1 << config.xlen) - 1
    places = (
        list(dict.fromkeys(a & mask for a in FAR))
        if config.xlen == 64
        else [0xC000_31F4, 0x3_FC04, 0x8000_0000, 0xFFFF_FF00]
    )
    b = ProgramBuilder(config.xlen, 0x4000_0000)
    b.label("main")
    b.c_jr(10)
    for place in places:
        b.org(place)
        b.addi(10, 10, 1)
        b.c_jr(10)
    program, walk = start(b, config)
    walk.jump(places[0])
    for target in [*places[1:], *rng.sample(places, len(places))]:
        walk.step().jump(target)
    for target in places:  # every address once as F-ADDR
        walk.step().trace_off().trace_on().jump(target)
    return stop(program, walk.step())


@scenario("NT.8.1.faddr", "NT.8.1.uaddr", "NT.8.1.suppressed", configs=(*configs(), *configs(**RV32)))
def address_lengths(config: Config, rng: Random) -> ProgramRun:
    """F-ADDR and U-ADDR of every length, from one MDO group to eleven (six on RV32)."""
    groups = range(1, 12 if config.xlen == 64 else 7)
    places = [1 << (6 * group - 2 if group < groups[-1] else config.xlen - 1) for group in groups]
    b = ProgramBuilder(config.xlen, 0x40)
    b.label("main")
    b.c_jr(10)
    for place in places:
        b.org(place)
        b.c_jr(10)
    program, walk = start(b, config)
    for place in places:  # from the lowest place and back: the difference is as long as the address
        walk.jump(place).jump(places[0])
    for place in places:
        walk.jump(place).trace_off().trace_on()
    walk.jump(places[0])
    return stop(program, walk)


@scenario("NT.8.1.example", "NT-19", configs=configs())
def seed_8_1(config: Config, rng: Random) -> ProgramRun:
    """Table 24: 0x3FC04, 0x3F368, 0x3E100 give F-ADDR 0x1FE02, U-ADDR 0x7B6 and 0x934; a taken branch between moves
    nothing.
    """
    b = ProgramBuilder(config.xlen, 0x3E100)
    b.nop()
    b.org(0x3F368)
    b.c_beqz(8, "next")
    b.nop()
    b.label("next")
    b.c_jr(10)
    b.org(0x3FC04)
    b.label("main")
    b.nop()
    b.c_jr(10)
    program, walk = start(b, config)
    walk.step().jump(0x3F368).branch(True).jump(0x3E100).step()
    return stop(program, walk)


@scenario("NT.2.zcm", "NT.2.return", configs=(*configs(), *configs(**RV32)))
def zcm_jumps(config: Config, rng: Random) -> ProgramRun:
    """cm.jt and cm.jalt are direct through the jump table, cm.popret and cm.popretz are returns."""
    b = builder(config)
    b.cm_jalt("leaf")
    b.label("back")
    b.cm_jt("end")
    b.nop()
    b.label("leaf")
    b.cm_push()
    b.c_beqz(8, "other")
    b.cm_popret()
    b.label("other")
    b.cm_popretz()
    b.label("end")
    b.nop()
    program, walk = start(b, config)
    walk.step(2).branch(False).jump(b.labels["main"]).step(2).branch(True).jump(b.labels["back"]).step(2)
    return stop(program, walk)


def _with_sijump(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return with_idle_sijump(to_beats(retired, config.blocks, "block"))


@scenario(
    "NT.9.1.sequential_jump",
    "NT.2.xret",
    configs=(*configs(sequential_jump=1), *configs(sequential_jump=1, **TWO)),
    beats=_with_sijump,
)
def sijump_means_nothing(config: Config, rng: Random) -> ProgramRun:
    """sijump is 1 at xRETs, branches and direct jumps, where the port's table has it ignored."""
    b = builder(config)
    idle_sijump_code(b)
    program, walk = start(b, config)
    through_idle_sijump(walk, b.labels)
    return stop(program, walk)
