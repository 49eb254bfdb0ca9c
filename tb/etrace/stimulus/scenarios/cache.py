# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the jump target cache: hits, misses, the shorter choice, what empties it (format 0.1, ET-12)."""

from __future__ import annotations

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    FOUR,
    RA,
    SMALL,
    TWO,
    V2,
    Script,
    builder,
    configs,
    handle,
    scenario,
)

CACHED = configs({}, TWO, SMALL, FOUR, jump_target_cache=1, variant=V2)
_SITES, _FAR = 0x1000_0000, 0x10_0000


def _sites(config: Config, count: int) -> ProgramBuilder:
    """Indirect jumps far apart: `site<n>` has entry n of the cache (modulo its size); `twin<n>` the same entry; `near`
    is right after site0.
    """
    b = builder(config, _SITES, _SITES + 0x4000)
    for n in range(count):
        b.label(f"b{n}")
        b.beq(8, 9, f"b{n + 1}")
    b.label(f"b{count}")
    b.c_jr(10)
    for n in range(count):
        for number, name in enumerate(("site", "twin")):
            b.org(_SITES + _FAR * (1 + n + number * 0x40) + (n << config.iaddress_lsb_p) + number * 0x400)
            b.label(f"{name}{n}")
            b.c_jr(10)
            if n == 0:
                b.label("near" if not number else "near_twin")
                b.c_jr(10)
    return b


def _branches(walk: Walk, at: dict[str, int], count: int, most: int, taken: int = 0) -> Walk:
    """By the ladder of branches: so many of them, then the jump."""
    walk.jump(at[f"b{most - count}"])
    for number in range(count):
        walk.branch(number % 3 < taken)
    return walk


@scenario(
    "ET-12",
    "ET.opt.cache",
    "ET.alg.updiscon",
    configs=(*CACHED, *configs(jump_target_cache=1, full_address=1, variant=V2)),
)
def cache_fills(s: Script) -> None:
    """Every entry missed, hit, replaced by another address of the same entry, and hit again: each index is sent."""
    entries = 1 << s.config.cache_size_p
    walk, at = s.start(_sites(s.config, 32), "b32")
    for name in ("site", "site", "twin", "twin", "site"):
        for n in range(32 if entries > 4 else 8):
            walk.jump(at[f"{name}{n}"])
    for n in s.rng.sample(range(32), 32):
        walk.jump(at[f"site{n}"]).jump(at[f"twin{n}"]).jump(at[f"site{n}"])
    walk.jump(at["main"]).branch(True)


@scenario(
    "ET-12",
    "ET.opt.cache_shorter",
    "ET.opt.cache",
    configs=(*CACHED, *configs(jump_target_cache=1, full_address=1, variant=V2)),
)
def cache_shorter(s: Script) -> None:
    """A hit with a small difference, zero, or an equal length: the index is sent only if the packet gets shorter."""
    b = _sites(s.config, 32)
    for distance in (6, 9, 12, 14, 15, 17, 18):
        b.org(b.labels["site0"] + (1 << distance) + (distance << s.config.iaddress_lsb_p) % 32)
        b.label(f"at{distance}")
        b.c_jr(10)
    walk, at = s.start(b, "b32")
    for _ in range(3):
        for name in (
            "site0",
            "near",
            "site0",
            "site0",
            "site1",
            "near",
            *(x for d in (6, 9, 12, 14, 15, 17, 18) for x in (f"at{d}", "site0")),
        ):
            walk.jump(at[name])
    walk.jump(at["main"]).branch(True)


@scenario(
    "ET-12",
    "ET.opt.cache",
    "ET.pay.map_length",
    configs=(*CACHED, *configs({}, SMALL, jump_target_cache=1, branch_prediction=1, variant=V2)),
)
def cache_and_branches(s: Script) -> None:
    """Hits and misses after every number of branches around the lengths of branch_map, with and without prediction of
    them.
    """
    walk, at = s.start(_sites(s.config, 34), "b34")
    for taken in (0, 2, 3):
        for count in (0, 1, 2, 3, 4, 7, 8, 15, 16, 30, 31, 32, 33, 34):
            for site in ("site3", "site3", "twin3"):
                _branches(walk, at, count, 34, taken).jump(at[site])
    walk.jump(at["main"]).branch(True)


@scenario("ET-12", "ET.opt.cache", "ET.opt.reset_on_sync", "ET.pay.updiscon", "ET.alg.trap", "ET.alg.ppccd", "ET-16",
          configs=(*(c | {"ctype": n} for c in CACHED for n in ("1", "2")),))  # fmt: skip
def cache_and_sync(s: Script) -> None:
    """Between two visits of one target comes a trap, another context, or the end of trace: the entry is gone; a target
    right before a sync is sent in full.
    """
    b = _sites(s.config, 8)
    for n in range(3):
        b.org(b.labels["site7"] + 0x100 * (n + 1) + n * 2)
        b.label(f"long{n}")
        b.nop()
        b.c_jr(10)
    walk, at = s.start(b, "b8")
    for event in range(4):
        for steps in (0, 1):
            for _ in range(2):
                walk.jump(at["long1"]).step().jump(at["site5"]).jump(at["long1"]).step().jump(at["site2"]).jump(
                    at["long2"]
                ).step(steps)
                if event == 0:
                    back = walk.pc
                    handle(walk.trap(5, at["trap_handler"]), back)
                elif event == 1:
                    walk.context ^= 0x77
                elif event == 2:
                    walk.trace_off().trace_on()
                else:
                    back = walk.pc
                    handle(walk.trap(7, at["trap_handler"], interrupt=True), back)
                walk.run()
                walk.jump(at["site5"]).jump(at["long1"]).step().jump(at["site5"]).jump(at["site2"])
    walk.jump(at["main"]).branch(True)


@scenario(
    "ET-12",
    "ET-4",
    "ET.opt.reset_on_sync",
    "ET.alg.resync",
    configs=(*configs({}, SMALL, jump_target_cache=1, inst_sync_mode=(1, 2, 3), variant=V2),),
)
def cache_and_resync(s: Script) -> None:
    """Resynchronization while the cache is in use: it begins anew."""
    walk, at = s.start(_sites(s.config, 8), "b8")
    for number in range(120):
        _branches(walk, at, number % 4, 8, number % 3).jump(at[f"site{number % 3}"])
        if number % 7 == 0:
            walk.jump(at["twin1"])
    walk.jump(at["main"]).branch(True)


@scenario("ET-12", "ET.opt.implicit_return", "ET.opt.misreturn", "ET.pay.irreport", "ET.opt.cache",
          configs=configs({}, SMALL, FOUR, jump_target_cache=1, implicit_return=1, full_address=(0, 1),
                          variant=V2))  # fmt: skip
def cache_and_returns(s: Script) -> None:
    """Targets of inferred returns are not stored; those of mispredicted ones are, and may be reported by their index
    with irdepth.
    """
    b = _sites(s.config, 8)
    b.org(b.labels["site7"] + 0x800)
    b.label("call")
    b.jal(RA, "f")
    b.label("back")
    b.nop()
    b.label("leave")
    b.c_jr(10)
    b.label("f")
    b.c_nop()
    b.label("f_end")
    b.c_jr(RA)
    walk, at = s.start(b, "b8")
    for number in range(24):
        walk.jump(at["call"]).step(2)
        walk.jump(at["back"] if number % 3 else at[f"site{number % 2}"])
        if number % 3:
            walk.step().jump(at["back"] if number % 4 else at["leave"]).run()
        walk.jump(at["f_end"] if number % 5 else at[f"site{number % 2}"]).jump(at["site1"])
    walk.jump(at["main"]).branch(True)


@scenario(
    "ET-12", "ET.opt.cache", configs=configs({}, SMALL, FOUR, jump_target_cache=1, full_address=(0, 1), variant=V2)
)
def cache_tags(s: Script) -> None:
    """Targets of one entry that differ in one bit of their address, each bit in turn: none is taken for the other."""
    bits = range(s.config.iaddress_lsb_p + s.config.cache_size_p, s.config.xlen - 1)
    base = (0x5A5A_5A5A_5A5A_5A5A if s.config.xlen == 64 else 0x5A5A_5A5A) >> 14 << 14
    b = builder(s.config, base, handler=None)
    b.c_jr(10)
    for bit in bits:
        b.org(base ^ 1 << bit)
        b.c_jr(10)
    b.org(base + 0x3FF0)
    b.label("other")
    b.c_jr(10)
    walk, at = s.start(b)
    for bit in bits:
        for target in (base, base ^ 1 << bit, base, base ^ 1 << bit):
            walk.jump(target).jump(at["other"])


@scenario("ET-12", "ET.opt.cache", configs=CACHED)
def cache_empty(s: Script) -> None:
    """The first jumps of a trace go to addresses near 0: an entry that was never filled is not taken for one of them,
    although all of its bits are 0.
    """
    b = builder(s.config)
    b.label("jump")
    b.c_jr(10)
    low = [2 * s.config.iaddress_lsb_p * n for n in (1, 2, 3)]
    b.org(low[0])
    for _ in low:
        b.c_jr(10)
    walk, at = s.start(b, "jump")
    for address in low:
        walk.jump(address).jump(at["jump"]).jump(address).jump(at["jump"]).trace_off().trace_on()
