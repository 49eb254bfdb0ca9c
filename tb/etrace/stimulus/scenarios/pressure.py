# SPDX-License-Identifier: Apache-2.0
"""Scenarios of back-pressure: overflow, recovery, stall, and a queue that is full without a loss (ET-16, ET-17)."""

from __future__ import annotations

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    FOUR,
    SMALL,
    TWO,
    V2,
    Script,
    builder,
    configs,
    handle,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.control import possible_options, switched_by_enable
from rvtrace.tb.etrace.stimulus.scenarios.traps import LOAD_FAULT

_HIGH = {64: 0xFFFF_FFFF_8000_0000, 32: 0xC000_0000}


def _bursts(config: Config) -> ProgramBuilder:
    """`main` and `high` are so far apart that each jump between them is a long packet; `linear` is a stretch without
    packets.
    """
    b = builder(config, 0x4000_0000 - 0x10, 0x4000_4000)
    b.c_jr(10)
    b.label("linear")
    for _ in range(60):
        b.nop()
    b.label("turn")
    b.beq(8, 9, "main")
    b.c_j("main")
    b.org(_HIGH[config.xlen])
    b.label("high")
    b.c_jr(10)
    return b


def _burst(walk: Walk, at: dict[str, int], jumps: int) -> Walk:
    """Jump to and fro; ends at `main`."""
    for _ in range(jumps // 2):
        walk.jump(at["high"]).jump(at["main"])
    return walk


def _calm(walk: Walk, at: dict[str, int], taken: bool = True) -> Walk:
    """Sixty cycles in which the queue drains; ends at `main`."""
    return walk.jump(at["linear"]).step(60).branch(taken).run_to(at["main"])


_LOSSY = (*configs({}, TWO, SMALL, inst_stall_ena=0), *configs(FOUR, COUNTER, inst_stall_ena=0, variant=V2))


@scenario(
    "ET-16",
    "ET-17",
    "ET.alg.lost",
    "ET.ing.overflow",
    "ET.ing.room",
    configs=_LOSSY,
    retirement="single",
    loses=True,
    backpressure=60,
)
def overflow(s: Script) -> None:
    """More packets than leave: trace_lost and a sync, again and again, and calm code in between."""
    walk, at = s.start(_bursts(s.config))
    for turn in range(6):
        _calm(_burst(walk, at, 90), at, turn % 2 == 0)
        walk.trap(2, at["trap_handler"])
        handle(walk, at["main"])


@scenario(
    "ET-16",
    "ET-17",
    "ET.alg.lost",
    "ET.ing.overflow",
    "ET.alg.ended",
    "ET.alg.reconfigured",
    configs=_LOSSY,
    retirement="single",
    loses=True,
    backpressure=70,
)
def overflow_and_events(s: Script) -> None:
    """Tracing stops, the hart halts, options change or a trap comes while packets are being lost, and begins while they
    still are.
    """
    walk, at = s.start(_bursts(s.config))
    for turn in range(15):
        _burst(walk, at, 70 + 2 * turn)
        event = turn % 5
        if event == 0:
            walk.trace_off()
            _calm(walk, at).trace_on()
        elif event == 1:
            walk.debug_entry().debug_exit()
        elif event == 2:
            walk.toggle(0b100 if turn % 2 else 0b010110 & possible_options(s.config))
        elif event == 3:
            walk.trap(7, at["trap_handler"], interrupt=True)
            handle(walk, at["main"])
        else:
            walk.trace_off()
            _burst(walk, at, 8).trace_on()
        _burst(walk, at, 6 * (turn % 3))
        if event == 2:
            walk.toggle(0)
        _calm(walk, at)


@scenario("ET-16", "ET.alg.lost", "ET.ing.overflow", configs=_LOSSY, retirement="single", loses=True, backpressure=90)
def overflow_to_end(s: Script) -> None:
    """Packets are still being lost when tracing ends for good."""
    walk, at = s.start(_bursts(s.config))
    _burst(walk, at, 140)


@scenario(
    "ET-16", "ET.alg.lost", "ET.ing.overflow", configs=_LOSSY, loses=True, backpressure=80, beats=switched_by_enable
)
def overflow_disabled(s: Script) -> None:
    """The encoder is disabled while packets are being lost, and enabled before there is room, and after."""
    walk, at = s.start(_bursts(s.config))
    for turn in range(8):
        _burst(walk, at, 80 + 2 * turn).trace_off()
        _burst(walk, at, 2 + 4 * turn)
        if turn % 2:
            _calm(_calm(walk, at), at)
        walk.trace_on()
        _calm(_calm(walk, at), at)


@scenario(
    "ET.ing.overflow",
    "ET-17",
    configs=configs({}, TWO, inst_stall_ena=0),
    retirement="single",
    loses=True,
    backpressure=95,
)
def full_and_quiet(s: Script) -> None:
    """The queue has no room for what a cycle could make just when the code makes nothing more: nothing is lost, and
    nothing is reported.
    """
    b = _bursts(s.config)
    b.label("long")
    for _ in range(700):
        b.nop()
    walk, at = s.start(b)
    _burst(walk, at, 28).jump(at["high"]).jump(at["long"]).step(699)  # 28: with these two the queue is as good as full


@scenario("ET.ing.overflow", configs=configs({}, TWO, inst_stall_ena=0), loses=True, backpressure=40, gaps=50)
def slow_without_stall(s: Script) -> None:
    """Packets wait in the queue while the hart is slow and may not be stalled: nothing is lost."""
    walk, at = s.start(_bursts(s.config))
    for turn in range(6):
        _calm(_burst(walk, at, 4 + 2 * turn), at, turn % 2 == 0)


@scenario("ET-17", "ET.ing.stall", configs=configs({}, TWO, SMALL, FOUR), retirement="single", backpressure=60)
def stall(s: Script) -> None:
    """The same bursts with stalling: nothing is lost, also where one cycle makes several packets."""
    walk, at = s.start(_bursts(s.config))
    for turn in range(3):
        _calm(_burst(walk, at, 70), at).trap(2, at["trap_handler"])
        handle(walk, at["main"]).trap(7, at["trap_handler"], interrupt=True).trap(2, at["trap_nested"]).step().jump(
            at["main"]
        )
        walk.context ^= 3 + turn
        _burst(walk, at, 20).trace_off().trace_on()


@scenario("ET-16", "ET-17", "ET.alg.lost", "ET.ing.overflow", loses=True, backpressure=75,
          configs=(*configs({}, TWO, SMALL, inst_stall_ena=(0, 1)),
                   *configs(FOUR, inst_stall_ena=(0, 1), variant=V2)))  # fmt: skip
def full_by_threes(s: Script) -> None:
    """Beats that make the most packets possible, target, first instruction and the last before a trap, meet a queue
    with room for all, one less, none.
    """
    b = builder(s.config, 0x4000_0000 - 0x10, 0x4000_4000)
    b.c_jr(10)
    b.label("target")
    b.nop()
    b.nop()
    b.c_jr(10)
    b.label("calm")
    for _ in range(40):
        b.nop()
    b.c_jr(10)
    walk, at = s.start(b)
    for number in range(160):
        for _ in range(number % 4):
            walk.jump(at["main"])
        back = walk.jump(at["target"]).step(2).pc
        walk.trap(LOAD_FAULT, at["trap_nested"] if number % 2 else at["trap_handler"])
        handle(walk, back, 1 if number % 2 else 3)
        walk.jump(at["calm"] if number % 8 == 7 else at["main"]).run()
    walk.jump(at["main"])
