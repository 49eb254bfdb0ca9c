# SPDX-License-Identifier: Apache-2.0
"""Scenarios of branch maps, addresses and compression: every field at its boundaries (payload chapter, ET-5, ET-18)."""

from __future__ import annotations

from random import Random

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import FOUR, SMALL, TWO, Script, builder, configs, handle, scenario

LENGTHS = (
    *range(5),
    *range(7, 11),
    *range(15, 19),
    24,
    25,
    26,
    27,
    30,
    31,
    32,
    33,
)  # around every length of branch_map
_RUNGS = 100


def ladder(config: Config, rungs: int = _RUNGS) -> ProgramBuilder:
    """`in<k>`: an instruction, then the branch `b<k>` to `in<k+1>`; after the last one `end`: an instruction and an
    indirect jump.
    """
    b = builder(config)
    for k in range(rungs):
        b.label(f"in{k}")
        b.c_nop()
        b.label(f"b{k}")
        b.beq(8, 9, f"in{k + 1}")
        b.nop()
    b.label(f"in{rungs}")
    b.label("end")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    return b


def climb(walk: Walk, branches: int, taken: Random | bool) -> Walk:
    """So many branches of the ladder; nothing follows the last one. taken: all alike, or each at random."""
    for _ in range(branches):
        walk.run()
        walk.branch(taken if isinstance(taken, bool) else taken.random() < 0.5)
    return walk


def _jump(walk: Walk, b: ProgramBuilder, branches: int) -> Walk:
    """From anywhere above: so many branches are left when the jump at the end retires."""
    return walk.jump(b.labels[f"in{_RUNGS - branches}"])


@scenario("ET-5", "ET.pay.map_length", "ET.pay.full_map", "ET.pay.differential", "ET.opt.full_address",
          "ET.alg.full_map", "ET.alg.updiscon",
          configs=(*configs({}, FOUR, full_address=(0, 1)), *configs(SMALL, TWO)))  # fmt: skip
def map_lengths(s: Script) -> None:
    """Every number of branches around each length of branch_map, all taken, none taken and mixed, then an address to
    report.
    """
    b = ladder(s.config)
    walk, _ = s.start(b, "end")
    walk.step()
    for taken in (True, False, s.rng):
        for branches in LENGTHS:
            climb(_jump(walk, b, branches), branches, taken).run()
    _jump(walk, b, 0).step()


@scenario("ET-5", "ET.pay.full_map", "ET.pay.branch_count", "ET.alg.full_map", "ET.pay.map_length",
          configs=(*configs({}, TWO), *configs(branch_prediction=1), *configs(FOUR, full_address=1)))  # fmt: skip
def full_map_at_target(s: Script) -> None:
    """The 31st branch is itself the target of an indirect jump: 31 branches with an address; and the 30th, the 32nd."""
    b = ladder(s.config)
    b.label("over")
    b.nop()
    b.c_jr(10)
    walk, at = s.start(b, "end")
    walk.step()
    for branches in (29, 30, 31, 32, 61, 62):
        for taken in (True, s.rng):
            climb(_jump(walk, b, branches), branches, taken).run()
            walk.jump(at[f"b{_RUNGS - 1}"]).branch(True).step().jump(at["over"]).step()
    walk.jump(at["end"]).step()


@scenario("ET-5", "ET.alg.full_map", "ET.alg.before_trap", "ET.alg.last", "ET.alg.before_sync", "ET.alg.notify",
          "ET-16", "ET-9", configs=(*configs({}, TWO), *configs(branch_prediction=1), *configs(SMALL)),
          retirement="single")  # fmt: skip
def full_map_at_event(s: Script) -> None:
    """The 30th, 31st or 32nd branch is the last one traced, the last before a trap or a new context, or is to be
    notified.
    """
    b = ladder(s.config)
    walk, at = s.start(b, "end")
    walk.step()
    for branches in (30, 31, 32, 62):
        for event in range(5):
            climb(_jump(walk, b, branches + 1), branches, s.rng)
            if event == 0:
                walk.trace_off().trace_on()
            elif event == 1:
                walk.trap(2, at["trap_handler"])
                handle(walk, at[f"in{_RUNGS - 1}"])
            elif event == 2:
                walk.context ^= 0x55
            elif event == 3:
                walk.notify()
            else:  # the new context begins with a branch
                walk.run(1)
                walk.context ^= 0x55
            walk.run()
            walk.branch(True).step()
    _jump(walk, b, 0).step()


@scenario("ET.pay.differential", "ET.pay.compression", "ET.pay.one_byte", "ET-18", "ET.opt.full_address",
          configs=(*configs({}, FOUR, full_address=(0, 1)), *configs(SMALL, variant="v2_0")),
          retirement="single")  # fmt: skip
def address_lengths(s: Script) -> None:
    """Jumps by every power of two forward and back: differences, and addresses, of every length in bytes, positive and
    negative.
    """
    _spans(s, range(s.config.iaddress_lsb_p, s.config.xlen - 1))


@scenario("ET.pay.differential", "ET.pay.order", "ET.pay.map_length",
          configs=configs({}, FOUR, full_address=(0, 1)), retirement="single")  # fmt: skip
def address_lengths_behind_maps(s: Script) -> None:
    """The same after maps of 1 and of 31 branches, so that the address begins elsewhere in its packet."""
    _spans(s, range(3, s.config.xlen - 1), maps=(1, 3, 16))


def _spans(s: Script, powers: range, maps: tuple[int, ...] = (0,)) -> None:
    """From a base to each base +- 2**k and back. maps: branches before each jump."""
    base = 1 << s.config.xlen - 2
    b = builder(s.config, base, handler=None)
    b.c_jr(10)
    if maps != (0,):
        b.org(base - 0x3000)
        for k in range(max(maps)):
            b.label(f"m{k}")
            b.beq(8, 9, f"m{k + 1}")
        b.label(f"m{max(maps)}")
        b.c_jr(10)
        powers = range(15, powers.stop)
    for k in powers:
        for sign in (1, -1):
            b.org(base + sign * (1 << k))
            b.c_jr(10)
    walk, at = s.start(b)

    def jump(target: int, branches: int) -> None:
        if branches:
            walk.jump(at[f"m{max(maps) - branches}"])
            for number in range(branches):
                walk.branch(number % 3 != 1)
        walk.jump(target)

    for branches in maps:
        for k in powers:
            for sign in (1, -1):
                jump(base + sign * (1 << k), branches)
                jump(base, branches)


@scenario(
    "ET.opt.full_address",
    "ET.pay.compression",
    "ET.pay.start",
    "ET.pay.trap",
    "ET-18",
    configs=configs({}, FOUR, full_address=(0, 1)),
)
def full_addresses(s: Script) -> None:
    """Code at every power of two from either end of the address space: in format 1, 2, 3.0 and 3.1 addresses of every
    length.
    """
    top = 1 << s.config.xlen
    sites = [1 << k for k in range(5, s.config.xlen)] + [top - (1 << k) for k in range(6, s.config.xlen - 1)]
    b = builder(s.config, sites[0] + 0x40, handler=None)
    b.c_jr(10)
    for address in sites:
        b.org(address)
        b.nop()
        b.beq(8, 9, address + 8)
        b.c_jr(10)
    walk, at = s.start(b)
    for number, address in enumerate(sites):
        walk.jump(at["main"]).jump(address).step().branch(number % 2 == 0).jump(at["main"]).trap(
            2, address
        ).step().branch(True)
        walk.jump(address).trap(7, address, interrupt=True).step().branch(True).trace_off().trace_on(
            address
        ).step().branch(False)


@scenario(
    "ET-18", "ET.pay.differential", "ET.pay.start", configs=(*configs({}, FOUR, full_address=(0, 1)), *configs(SMALL))
)
def address_wraps(s: Script) -> None:
    """Jumps and straight code across the end of the address space: the difference wraps."""
    top = 1 << s.config.xlen
    b = builder(s.config, 0, handler=None)
    b.nop()
    b.nop()
    b.label("low")
    b.c_jr(10)
    b.org(top - 32)
    b.label("high")
    b.c_jr(10)
    b.org(top - 8)
    b.label("last")
    b.nop()
    b.nop()
    walk, at = s.start(b, "low")
    for _ in range(2):
        walk.jump(at["high"]).jump(at["low"]).jump(at["last"]).run()
    walk.jump(at["high"]).trace_off().trace_on().jump(at["last"]).run(2)
    walk.trace_off().trace_on(at["low"]).jump(at["high"]).jump(at["main"]).step()


@scenario(
    "ET.pay.one_byte",
    "ET.pay.compression",
    "ET.pay.differential",
    configs=(*configs({}, TWO), *configs(FOUR, full_address=1)),
    retirement="single",
)
def short_jumps(s: Script) -> None:
    """Jumps by 0 to 140 bytes forward and back: the boundary between packets of one byte and two."""
    b = builder(s.config)
    for _ in range(150):
        b.c_jr(10)
    b.label("end")
    walk, labels = s.start(b)
    at = labels["main"]
    size = (labels["end"] - at) // 150
    for distance in (*range(40), *range(60, 70), *range(125, 135)):
        walk.jump(at + distance * size).jump(at)
