"""Scenarios of sources, timestamps, Ownership, extended addresses, all-jumps, vendor-defined messages and custom instructions."""

from __future__ import annotations

from random import Random

from models.ntrace.config import Config
from models.riscv.builder import ProgramBuilder
from models.riscv.retired import Priv
from models.riscv.walk import Walk
from tb.sequences.ntrace_scenarios_base import (
    RV32,
    SMALL,
    TWO,
    Story,
    builder,
    configs,
    handle,
    home,
    scenario,
    start,
    stop,
)


def _mixed(config: Config) -> ProgramBuilder:
    """A bit of everything that makes a message."""
    b = builder(config)
    b.nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.c_nop()
    b.label("target")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    b.label("after")
    for _ in range(12):
        b.nop()
    b.c_j("main")
    return b


def _tour(walk: Walk, b: ProgramBuilder) -> Walk:
    """Through all of `_mixed` and one trap."""
    at = b.labels
    walk.run_to(at["branch"]).branch(True).run_to(at["jump"]).jump(at["after"]).step(3)
    walk.trap(2, at["trap_handler"])
    return handle(walk, at["main"]).run_to(at["branch"]).branch(False).run_to(at["jump"]).jump(at["after"])


_SOURCE = {"inst_sync_mode": 1, "inst_sync_max": 0, "ownership": 1, "repeat_branch": 1, "repeated_history": 1, "src_id": 1}


@scenario("NT.3.2.src", "NT-17", loses=True, backpressure=50,
          configs=(*configs(src_bits=tuple(range(1, 13)), variant="v1_0", inst_stall_ena=(0, 1), **_SOURCE, **SMALL), *configs(src_bits=6, src_id=63, inst_stall_ena=1),
                   *configs(src_bits=12, src_id=0xA5A, inst_stall_ena=1, **TWO), *configs(src_bits=5, src_id=21, inhibit_src=1, inst_stall_ena=1)))  # fmt: skip
def sources(config: Config, rng: Random) -> Story:
    """Every kind of message with SRC of every width, and with SRC inhibited; some are lost."""
    b = _mixed(config)
    b.label("loop")
    b.addi(5, 5, 1)
    b.bne(5, 6, "loop")
    for _ in range(80):
        b.nop()
    b.c_jr(10)
    program, walk = start(b, config)
    at = b.labels
    for turn in range(12):
        _tour(home(walk, at["main"]), b).trace_off().trace_on().step(2).debug_entry().debug_exit().vendor(56 + turn % 7, 0x1234)
        home(walk, at["main"]).run_to(at["branch"]).branch(True).notify().run_to(at["jump"]).jump(at["after"]).notify().step(2)
        home(walk, at["main"]).run_to(at["branch"]).branch(False).run_to(at["jump"]).jump(at["main"]).notify()
        walk.run_to(at["branch"]).branch(True).run_to(at["jump"]).jump(at["loop"])
        for _ in range(20 + turn):
            walk.step().branch(True)
        walk.step().branch(False).run()
        for _ in range(turn % 5):
            walk.jump(at["jump"])
        walk.jump(at["main"])
    return stop(program, walk)


@scenario("NT.8.7.absolute", "NT.8.7.monotonic", "NT-15", gaps=40,
          configs=(*configs(timestamp=1), *configs(timestamp=1, ts_mode=(1, 3), ts_prescale=(0, 2), mode="htm", variant="v1_0"),
                   *configs(timestamp=1, ts_prescale=(1, 3), ts_run_in_debug=1, ts_mode=3, mode="btm", variant="rc7"),
                   *configs(timestamp=1, inst_sync_mode=1, src_bits=3, src_id=5, **SMALL)))  # fmt: skip
def timestamps(config: Config, rng: Random) -> Story:
    """Time passes between a jump and its target, between messages and while tracing is off or the hart is halted."""
    b = _mixed(config)
    program, walk = start(b, config)
    for _ in range(4):
        _tour(home(walk, b.labels["main"]), b).debug_entry().debug_exit().step(2).trace_off().step().trace_on().run_to(b.labels["main"])
    walk.vendor(56, 1).vendor(62, 0xFFFF_FFFF)
    _tour(home(walk, b.labels["main"]), b)
    return stop(program, walk)


@scenario("NT.7.1.after_sync", "NT.7.1.priv_change", "NT.7.1.process", "NT.7.1.trap",
          configs=(*configs(ownership=1, hcontext=(0, 1)), *configs(ownership=1, hcontext=1, inst_sync_mode=1, **TWO), *configs(ownership=1, src_bits=12, inst_stall_ena=1)))  # fmt: skip
def ownership(config: Config, rng: Random) -> Story:
    """Privilege and contexts change on linear code, one and several at a time, at traps, xRETs and under syncs."""
    b = _mixed(config)
    program, walk = start(b, config)
    at = b.labels
    walk.step()
    for scontext, hcontext in ((1, 0), (1, 0x3FFF), (0xFFFF_FFFF, 0x3FFF), (5, 6), (0, 0)):
        walk.run_to(at["branch"])
        walk.context, walk.hcontext = scontext, hcontext
        walk.branch(bool(scontext & 1)).run_to(at["jump"]).jump(at["after"]).step(2)
        walk.context = scontext ^ 1
        walk.step().trap(8, at["trap_handler"], priv=Priv.M).step().trap(2, at["trap_nested"], priv=Priv.M)
        walk.step().jump(at["trap_handler"] + 4, priv=Priv.M).step(2).jump(at["main"], priv=(Priv.U, Priv.S, Priv.VS, Priv.VU, Priv.M)[hcontext % 5], context=scontext)
    for priv in (Priv.VS, Priv.U, Priv.VU, Priv.S, Priv.M):
        walk.step().trap(9, at["trap_handler"], priv=Priv.M)
        handle(walk).jump(at["main"], priv=priv)
    for bit in range(33):  # every length of PROCESS
        walk.context = (1 << bit) - 1
        home(walk, at["main"]).run_to(at["branch"])
    return stop(program, walk)


@scenario("NT.8.2.extend", "NT.V.extend_msb", "NT-21",
          configs=(*configs(extend_addr_msb=(0, 1), inst_stall_ena=1), *configs(extend_addr_msb=1, inst_stall_ena=1, **RV32)))  # fmt: skip
def extended_addresses(config: Config, rng: Random) -> Story:
    """Jumps between user, kernel, physical and illegal addresses: each length of an address, with either top bit, plain and in a sync."""
    bits = config.xlen - 1  # of an address without bit 0
    groups = range(1, -(-bits // 6) + 1)
    values = {1 << min(6 * n - 2, bits - 1) for n in groups} | {(1 << bits) - (1 << 6 * n - 1) for n in groups if 6 * n - 1 < bits}
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


@scenario("NT.2.all_jumps", "NT.7.2.direct_branch", "NT.8.3.hist", configs=(*configs(all_jumps=(0, 1)), *configs(all_jumps=1, implicit_return=3), *configs(all_jumps=1, **SMALL)))
def all_jumps(config: Config, rng: Random) -> Story:
    """Direct jumps and calls of both sizes among branches: each is told like a taken branch, and no call of theirs is pushed."""
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


@scenario("NT.6.1.vendor", "NT.6.1.fields", configs=(*configs(), *configs(timestamp=1, src_bits=4, src_id=9), *configs(**TWO)), backpressure=30)
def vendor_messages(config: Config, rng: Random) -> Story:
    """Vendor-defined messages with each TCODE and every length of data, while tracing is on, off and between a jump and its target."""
    b = _mixed(config)
    program, walk = start(b, config)
    at = b.labels
    for n in range(33):
        walk.vendor(56 + n % 7, (1 << n) - 1)
        if n % 8 == 3:
            walk.trace_off().vendor(56, n).trace_on()
        elif n % 8 == 5:
            walk.run_to(at["branch"]).branch(True).vendor(61, n).run_to(at["jump"]).jump(at["after"]).vendor(58, n).step().run_to(at["main"])
    return stop(program, walk)


@scenario("NT.10.1.custom", configs=(*configs(), *configs(implicit_return=3, repeated_history=1, **TWO)))
def custom_flow(config: Config, rng: Random) -> Story:
    """A custom instruction that changes the flow or not (10.1): told as an uninferable jump when it does."""
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


@scenario("NT.3.2.src", "NT.8.5.sync6", configs=configs(src_bits=12, mode="htm"))
def longest_sync(config: Config, rng: Random) -> Story:
    """A marker with SRC of 12 bits, 30 branches in HIST and a kernel address: 23 bytes."""
    b = builder(config, base=0xFFFF_FFFF_8000_0000, handler=None)
    b.beq(8, 9, "main")
    for _ in range(40):
        b.nop()
    program, walk = start(b, config)
    for _ in range(29):
        walk.branch(True)
    walk.branch(False).step(20).notify().step(3)
    return stop(program, walk)
