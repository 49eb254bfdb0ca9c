# SPDX-License-Identifier: Apache-2.0
"""Scenarios of overflow and stall (7.12, 8.5, NT-13, NT-14)."""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, TWO, Script, configs, scenario

# Two places so far apart that each jump between them is a message of a dozen bytes: more than the port takes.
_HIGH = {64: 0xFFFF_FFFF_8000_0000, 32: 0xC000_0000}


LOSSY = {"inst_stall_ena": 0}


def _bursts(config: Config) -> ProgramBuilder:
    b = ProgramBuilder(config.xlen, 0x4000_0000)
    b.label("main")
    b.c_jr(10)
    b.label("linear")
    for _ in range(60):
        b.nop()
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


def _calm(walk: Walk, at: dict[str, int]) -> Walk:
    """Sixty cycles in which the queue drains; ends at `main`."""
    return walk.jump(at["linear"]).step(61)


@scenario("NT.7.4.error", "NT.8.5.sync7", "NT.7.4.codes", "NT-14", "NT.3.room",
          configs=(*configs(**LOSSY), *configs(**RV32), *configs(**TWO)), retirement="single", drive="pins", loses=True,
          backpressure=60)  # fmt: skip
def overflow(s: Script) -> None:
    """More messages than the port takes: Error and SYNC=7, again and again, and calm code in between."""
    walk, at = s.start(_bursts(s.config))
    for _ in range(5):
        _calm(_burst(walk, at, 80), at)


@scenario("NT.7.4.error_alone", "NT.7.12.trace_off", "NT-14", "NT-22", configs=configs(), retirement="single",
          drive="pins", loses=True, backpressure=70)  # fmt: skip
def overflow_then_off(s: Script) -> None:
    """Tracing is disabled, or the hart halts, while messages are lost: Error alone; a later start is SYNC=5 or 3."""
    walk, at = s.start(_bursts(s.config))
    for turn in range(9):
        _burst(walk, at, 60 + 2 * turn)
        enter, leave = ((walk.trace_off, walk.trace_on), (walk.debug_entry, walk.debug_exit))[turn % 2]
        enter()
        if turn % 2 == 0:
            _calm(walk, at)
        leave()
        for again in range(turn % 3 * 4):  # the queue is still full: the start is lost as well
            _burst(walk, at, 12)
            enter()
            if turn % 2 == 0:
                _burst(walk, at, 4 + 2 * again)
            leave()
        _calm(walk, at)


@scenario(
    "NT-14", "NT.7.4.error_alone", configs=configs(), retirement="single", drive="pins", loses=True, backpressure=70
)
def marker_after_overflow(s: Script) -> None:
    """After an Error alone the hart halts and resumes, and tracing rises and falls without a block: only a sync may
    follow.
    """
    walk, at = s.start(_bursts(s.config))
    for turn in range(6):
        _burst(walk, at, 60 + 2 * turn)
        walk.trace_off()
        _calm(walk, at)  # untraced: the queue gets empty
        walk.debug_entry().debug_exit()
        if turn % 2:
            walk.trace_on().trace_off()
        walk.trace_on()
        _calm(walk, at)


@scenario(
    "NT.7.4.error_alone", "NT-14", configs=configs(), retirement="single", drive="pins", loses=True, backpressure=90
)
def overflow_to_end(s: Script) -> None:
    """Messages are still being lost when tracing ends for good: Error is the last message."""
    walk, at = s.start(_bursts(s.config))
    _burst(walk, at, 120)


@scenario("NT-14", configs=configs(), retirement="single", drive="pins", loses=True, backpressure=95)
def full_and_quiet(s: Script) -> None:
    """The queue has no room left just when the code makes no more messages: nothing is lost, and no Error is sent."""
    walk, at = s.start(_bursts(s.config))
    _burst(walk, at, 18).jump(at["linear"]).step(61)  # 18: the first count with which the queue is full
    for _ in range(30):
        walk.jump(at["linear"]).step(61)


@scenario("NT-14", configs=(*configs(inst_stall_ena=1), *configs(inst_stall_ena=1, **TWO)), retirement="single",
          drive="pins", backpressure=60)  # fmt: skip
def stall(s: Script) -> None:
    """The same bursts with stalling enabled: nothing is lost."""
    walk, at = s.start(_bursts(s.config))
    for _ in range(3):
        _calm(_burst(walk, at, 60), at)
