# SPDX-License-Identifier: Apache-2.0
"""Scenarios of jumps, calls and returns, and of their addresses (chapters 2, 7, 8.1, 8.3, 10)."""

from __future__ import annotations

from random import Random

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Retired
from rvtrace.models.riscv.stream import with_options
from rvtrace.tb.common.stimulus.traced_program import idle_sijump_code, through_idle_sijump, with_idle_sijump
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, SMALL, TWO, Script, builder, configs, scenario


@scenario("NT.8.2.extend", "NT.V.extend_msb", "NT-21",
          configs=(*configs(extend_addr_msb=(0, 1), inst_stall_ena=1),
                   *configs(extend_addr_msb=1, inst_stall_ena=1, **RV32)))  # fmt: skip
def extended_addresses(s: Script) -> None:
    """Jumps between user, kernel, physical and illegal addresses: each length of an address, with either top bit, plain
    and in a sync.
    """
    bits = s.config.xlen - 1  # of an address without bit 0
    groups = range(1, -(-bits // 6) + 1)
    values = {1 << min(6 * n - 2, bits - 1) for n in groups} | {
        (1 << bits) - (1 << 6 * n - 1) for n in groups if 6 * n - 1 < bits
    }
    values |= {1 << 6 * n - 1 for n in groups if 6 * n <= bits}  # a group of zeroes keeps them from being extended
    values |= {1 << 6 * n - 1 for n in groups if 6 * n < bits}  # its extension takes a group more
    values |= {v + 8 for v in values if v >= 64}  # a short way from another place
    b = ProgramBuilder(s.config.xlen, 0x100)
    b.label("main")
    b.c_nop()
    b.c_jr(10)
    for value in sorted(values):
        b.org(2 * value)
        b.label(f"{value:#x}")
        b.c_nop()
        b.c_jr(10)
    walk, at = s.start(b)
    order = [at[f"{value:#x}"] for value in sorted(values)]
    for fire in (False, True):
        for place in order:
            for target in (place, at["main"]):
                walk.step()
                if fire:
                    walk.notify()
                walk.jump(target)
                if fire:
                    walk.notify()
    low = min(order)
    for place in [*order, *s.rng.sample(order, len(order))]:
        walk.step().jump(place).step().jump(low)
    walk.step()


@scenario(
    "NT.2.all_jumps",
    "NT.7.2.direct_branch",
    "NT.8.3.hist",
    configs=(*configs(all_jumps=(0, 1)), *configs(all_jumps=1, implicit_return=3), *configs(all_jumps=1, **SMALL)),
)
def all_jumps(s: Script) -> None:
    """Direct jumps and calls of both sizes among branches: each is reported like a taken branch, and no call of theirs
    is pushed.
    """
    _direct_jumps(s)


def _reserved(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return to_beats(with_options(retired, program, True, IType.RESERVED), config.blocks, "single")


@scenario("NT.2.itype7", "NT.2.all_jumps", configs=configs(variant="rc7", all_jumps=(0, 1)), beats=_reserved)
def reserved_itype(s: Script) -> None:
    """The same where the port says itype 7 for the direct jumps: with all-jumps a taken branch, without it nothing."""
    _direct_jumps(s)


def _direct_jumps(s: Script) -> None:
    b = builder(s.config)
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
    walk, at = s.start(b)
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


@scenario("NT.10.1.custom", configs=(*configs(), *configs(implicit_return=3, repeated_history=1, **TWO)))
def custom_flow(s: Script) -> None:
    """A custom instruction that changes the flow or not (10.1): reported as an uninferable jump when it does."""
    b = builder(s.config)
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
    walk, at = s.start(b)
    for turn in range(20):
        walk.step()
        (walk.step if turn % 3 else lambda: walk.jump(at["end"]))()
        if walk.pc == at["next"]:
            walk.step().branch(turn % 2 == 0)
            if turn % 2:
                (walk.step if turn % 5 else lambda: walk.jump(at["loop"]))()
        if walk.pc == at["end"]:
            walk.step(2)


@scenario(
    "NT.2.uninferable_jump", "NT.2.uninferable_call", "NT.2.return", "NT.2.coroutine_swap", "NT.8.1.uaddr",
    configs=(*configs(), *configs(**RV32), *configs(**TWO)),
)  # fmt: skip
def indirect_kinds(s: Script) -> None:
    """Every uninferable jump: calls, returns, co-routine swaps and plain jumps, of 16 and 32 bits, tail calls (itype
    10, 11).
    """
    b = builder(s.config)
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
    walk, _ = s.start(b)
    for turn, target in enumerate([*places[1:], *s.rng.sample(places, len(places))]):
        walk.step().branch(False) if turn % 3 else walk.step().branch(True).step().branch(False)
        walk.jump(target)
    walk.step()


@scenario("NT.2.return", "NT.8.6.back_to_back", configs=(*configs(), *configs(**TWO)), retirement="single")
def back_to_back_returns(s: Script) -> None:
    """A return to a return, of both sizes: the second message has I-CNT 1 or 2 (table 26)."""
    b = builder(s.config)
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
    walk, at = s.start(b)
    labels = at
    walk.step(2).jump(labels["r1"]).jump(labels["r2"]).jump(labels["r3"]).jump(labels["r2"]).jump(labels["main"] + 4)
    walk.step()


@scenario("NT.8.6.back_to_back", configs=(*configs(), *configs(**TWO)), retirement="single")
def back_to_back_jumps(s: Script) -> None:
    """Jumps, branches and direct jumps at each other's targets, one after the other."""
    b = builder(s.config)
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
    walk, at = s.start(b, "j1")
    walk.jump(at["j2"]).jump(at["b1"]).branch(True).branch(True).jump(at["d1"]).step().branch(True)
    walk.branch(True).jump(at["j1"]).jump(at["j1"]).jump(at["b2"]).branch(False).step()


@scenario("NT.8.1.uaddr", "NT.8.1.xor", "NT.8.1.suppressed", "NT-7", configs=configs())
def same_target(s: Script) -> None:
    """Indirect jumps to the address reported last: U-ADDR is 0 and still takes its byte; also to itself."""
    b = builder(s.config)
    b.label("loop")
    b.addi(10, 10, -1)
    b.c_jr(10)
    b.label("self")
    b.c_jr(11)
    b.nop()
    walk, at = s.start(b)
    for _ in range(3):
        walk.step().jump(at["loop"])
    walk.step().jump(at["self"])
    for _ in range(3):
        walk.jump(at["self"])
    walk.jump(at["self"] + 2).step()


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
def far_addresses(s: Script) -> None:
    """Kernel addresses, bit 63 (31 on RV32) and bit 48, in U-ADDR and in F-ADDR, in every direction."""
    mask = (1 << s.config.xlen) - 1
    places = (
        list(dict.fromkeys(a & mask for a in FAR))
        if s.config.xlen == 64
        else [0xC000_31F4, 0x3_FC04, 0x8000_0000, 0xFFFF_FF00]
    )
    b = ProgramBuilder(s.config.xlen, 0x4000_0000)
    b.label("main")
    b.c_jr(10)
    for place in places:
        b.org(place)
        b.addi(10, 10, 1)
        b.c_jr(10)
    walk, _ = s.start(b)
    walk.jump(places[0])
    for target in [*places[1:], *s.rng.sample(places, len(places))]:
        walk.step().jump(target)
    for target in places:  # every address once as F-ADDR
        walk.step().trace_off().trace_on().jump(target)
    walk.step()


@scenario("NT.8.1.faddr", "NT.8.1.uaddr", "NT.8.1.suppressed", configs=(*configs(), *configs(**RV32)))
def address_lengths(s: Script) -> None:
    """F-ADDR and U-ADDR of every length, from one MDO group to eleven (six on RV32)."""
    groups = range(1, 12 if s.config.xlen == 64 else 7)
    places = [1 << (6 * group - 2 if group < groups[-1] else s.config.xlen - 1) for group in groups]
    b = ProgramBuilder(s.config.xlen, 0x40)
    b.label("main")
    b.c_jr(10)
    for place in places:
        b.org(place)
        b.c_jr(10)
    walk, _ = s.start(b)
    for place in places:  # from the lowest place and back: the difference is as long as the address
        walk.jump(place).jump(places[0])
    for place in places:
        walk.jump(place).trace_off().trace_on()
    walk.jump(places[0])


@scenario("NT.8.1.example", "NT-19", configs=configs())
def seed_8_1(s: Script) -> None:
    """Table 24: 0x3FC04, 0x3F368, 0x3E100 give F-ADDR 0x1FE02, U-ADDR 0x7B6 and 0x934; a taken branch between moves
    nothing.
    """
    b = ProgramBuilder(s.config.xlen, 0x3E100)
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
    walk, _ = s.start(b)
    walk.step().jump(0x3F368).branch(True).jump(0x3E100).step()


@scenario("NT.2.zcm", "NT.2.return", configs=(*configs(), *configs(**RV32)))
def zcm_jumps(s: Script) -> None:
    """cm.jt and cm.jalt are direct through the jump table, cm.popret and cm.popretz are returns."""
    b = builder(s.config)
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
    walk, at = s.start(b)
    walk.step(2).branch(False).jump(at["main"]).step(2).branch(True).jump(at["back"]).step(2)


def _with_sijump(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return with_idle_sijump(to_beats(retired, config.blocks, "block"))


@scenario(
    "NT.9.1.sequential_jump",
    "NT.2.xret",
    configs=(*configs(sequential_jump=1), *configs(sequential_jump=1, **TWO)),
    beats=_with_sijump,
)
def sijump_means_nothing(s: Script) -> None:
    """sijump is 1 at xRETs, branches and direct jumps, where the port's table has it ignored."""
    b = builder(s.config)
    idle_sijump_code(b)
    walk, at = s.start(b)
    through_idle_sijump(walk, at)
