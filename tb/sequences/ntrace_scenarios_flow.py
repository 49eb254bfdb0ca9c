"""Scenarios of ordinary program flow: branches, jumps, calls and returns, addresses (chapters 2, 7, 8.1, 8.3, 8.4, 10)."""

from __future__ import annotations

from random import Random

from models.ntrace.config import Config
from models.riscv.builder import ProgramBuilder
from models.riscv.walk import Walk
from tb.sequences.ntrace_scenarios_base import (
    RV32,
    SMALL,
    TWO,
    Story,
    builder,
    configs,
    scenario,
    start,
    stop,
)


@scenario("NT.7.5.icnt", "NT.7.12.trace_off", "NT.10.inferable", configs=(*configs(), *configs(**RV32)))
def linear(config: Config, rng: Random) -> Story:
    """Linear code of both sizes from trace on to trace off: two messages, I-CNT counts half-words."""
    b = builder(config)
    for _ in range(20):
        b.filler(rng)
    program, walk = start(b, config)
    return stop(program, walk.step(20))


@scenario("NT.8.4.icnt", "NT.8.3.hist", "NT.7.12.debug_entry", "NT.8.5.sync3", configs=configs())
def seed_8_4(config: Config, rng: Random) -> Story:
    """The seed's example of 8.4.1 at its address 0x100, three times: I-CNT 3 and 1; 7 and 2; 10."""
    b = ProgramBuilder(config.xlen, 0x100)
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
    program = b.build("main")
    walk = Walk(program, config.variant).trace_on().debug_entry()
    for first, second in ((True, None), (False, True), (False, False)):
        walk.debug_exit(0x100).step().branch(first)
        if second is not None:
            walk.step().branch(second)
        walk.step(2 if second is False else 1).debug_entry()
    return program, walk.trace_off().retired()


@scenario("NT.7.2.direct_branch", "NT.8.3.hist", "NT-1", configs=(*configs(), *configs(**SMALL)))
def branches(config: Config, rng: Random) -> Story:
    """Taken and not-taken branches of both sizes, forwards and backwards, and two of them back to back."""
    b = builder(config)
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
    program, walk = start(b, config)
    walk.step()
    for turn in range(4):
        walk.step().branch(turn == 0)
        if turn:
            walk.branch(turn == 1)
            walk.step(turn != 1)
        walk.branch(turn < 3)
    walk.branch(True).step(4)
    return stop(program, walk)


@scenario("NT.10.inferable", configs=configs())
def not_taken(config: Config, rng: Random) -> Story:
    """Branches that are not taken, and direct jumps and calls: no message in BTM, only HIST bits in HTM."""
    b = builder(config)
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
    program, walk = start(b, config)
    for _ in range(3):
        walk.branch(False).step().branch(False).step()
    return stop(program, walk.step(2))


@scenario(
    "NT.2.uninferable_jump", "NT.2.uninferable_call", "NT.2.return", "NT.2.coroutine_swap", "NT.8.1.uaddr",
    configs=(*configs(), *configs(**RV32), *configs(**TWO)),
)  # fmt: skip
def indirect_kinds(config: Config, rng: Random) -> Story:
    """Every uninferable jump: calls, returns, co-routine swaps and plain jumps, of 16 and 32 bits, tail calls (itype 10, 11)."""
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
def back_to_back_returns(config: Config, rng: Random) -> Story:
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
def back_to_back_jumps(config: Config, rng: Random) -> Story:
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
def same_target(config: Config, rng: Random) -> Story:
    """Indirect jumps to the address told last: U-ADDR is 0 and still takes its byte; also to itself."""
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


FAR = (0xFFFF_FFFF_8000_31F4, 0x0000_0000_0003_FC04, 0x8000_0000_0000_0000, 0x7FFF_FFFF_FFFF_F000, 0x0001_0000_0000_0000,
       0xFFFF_FFFF_FFFF_FF00, 0xBFFF_FFFF_FFFF_FFE0)  # fmt: skip


@scenario("NT.8.1.faddr", "NT.8.1.uaddr", "NT.8.1.xlen", "NT-21", "NT-19", configs=(*configs(), *configs(**RV32)))
def far_addresses(config: Config, rng: Random) -> Story:
    """Kernel addresses, bit 63 (31 on RV32) and bit 48, in U-ADDR and in F-ADDR, in every direction."""
    mask = (1 << config.xlen) - 1
    places = list(dict.fromkeys(a & mask for a in FAR)) if config.xlen == 64 else [0xC000_31F4, 0x3_FC04, 0x8000_0000, 0xFFFF_FF00]
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
def address_lengths(config: Config, rng: Random) -> Story:
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
def seed_8_1(config: Config, rng: Random) -> Story:
    """Table 24: 0x3FC04, 0x3F368, 0x3E100 give F-ADDR 0x1FE02, U-ADDR 0x7B6 and 0x934; a taken branch between moves nothing."""
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
def zcm_jumps(config: Config, rng: Random) -> Story:
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
