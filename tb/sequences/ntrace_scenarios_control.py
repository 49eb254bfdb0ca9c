"""Scenarios of enable and disable, Debug Mode, overflow and stall (7.4, 7.12, 8.5, 8.6, NT-2, NT-13, NT-14, NT-22)."""

from __future__ import annotations

from random import Random

from models.ntrace.config import Config
from models.riscv.beats import Beats
from models.riscv.blocks import to_beats
from models.riscv.builder import ProgramBuilder
from models.riscv.program import Program
from models.riscv.retired import Retired
from models.riscv.walk import Walk
from tb.sequences.levels import under_levels
from tb.sequences.ntrace_scenarios_base import (
    RV32,
    TWO,
    Story,
    builder,
    configs,
    handle,
    scenario,
    start,
    stop,
)


def _code(config: Config) -> ProgramBuilder:
    """Linear code, a branch, an indirect jump and some more."""
    b = builder(config)
    for _ in range(3):
        b.nop()
        b.c_nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.nop()
    b.label("target")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    b.label("after")
    for _ in range(20):
        b.nop()
    return b


@scenario("NT.8.5.sync5", "NT.7.12.trace_off", "NT.10.restart", "NT-13", "NT-2", "NT-22", configs=(*configs(), *configs(**TWO)))
def trace_off_on(config: Config, rng: Random) -> Story:
    """Tracing is switched off and on in linear code, with and without instructions in between, and for a while in which
    other code runs untraced."""
    b = _code(config)
    program, walk = start(b, config)
    walk.step(2).trace_off().trace_on().step(2).trace_off()
    walk.run_to(b.labels["branch"]).branch(True).step()
    walk.trace_on().jump(b.labels["after"]).step(3).trace_off().step(4).trace_on().step(2)
    return stop(program, walk)


@scenario("NT.7.12.open_target", "NT-13", "NT.7.12.trace_off", "NT.7.12.debug_entry", configs=configs(), retirement="single")
def stop_with_pending(config: Config, rng: Random) -> Story:
    """Tracing ends right behind an indirect jump, a taken branch, a not-taken branch and a trap: by trace off and by debug
    entry; then it starts at the target."""
    b = _code(config)
    program, walk = start(b, config)
    at = b.labels
    for enter, leave in ((walk.trace_off, walk.trace_on), (walk.debug_entry, walk.debug_exit)):
        for taken in (True, False):
            walk.run_to(at["branch"]).branch(taken)
            enter()
            leave()
            walk.run_to(at["jump"]).jump(at["after"])
            enter()
            leave()
            walk.step(2).trap(5, at["trap_handler"])
            enter()
            leave()
            handle(walk, at["main"])
    walk.step()
    return stop(program, walk)


@scenario("NT.8.5.sync3", "NT.7.12.debug_entry", "NT-2", "NT-22", configs=(*configs(), *configs(**RV32), *configs(**TWO)))
def debug_entry_exit(config: Config, rng: Random) -> Story:
    """The hart halts and resumes under trace: in linear code, with HIST pending, twice without an instruction between, and
    resumes elsewhere."""
    b = _code(config)
    program, walk = start(b, config)
    at = b.labels
    walk.step(2).debug_entry().debug_exit().run_to(at["branch"]).branch(False).debug_entry()
    walk.debug_exit().debug_entry().debug_exit(at["target"]).step().jump(at["after"]).step().debug_entry()
    walk.debug_exit(at["main"]).step(3)
    return stop(program, walk)


@scenario("NT.8.6.stop_while_off", "NT.8.6.start_while_off", "NT.8.5.sync3", "NT.8.5.sync5", "NT-22", configs=configs())
def debug_while_off(config: Config, rng: Random) -> Story:
    """The hart halts with trace disabled and starts disabled (table 26), in every order of trace and debug."""
    b = _code(config)
    program, walk = start(b, config, on=False)
    walk.debug_entry().debug_exit().step().trace_on().step()  # starts disabled, then SYNC=5
    walk.trace_off().step().debug_entry().trace_on().debug_exit().step()  # switched on in Debug Mode: SYNC=3
    walk.debug_entry().trace_off().debug_exit().step().trace_on().run_to(b.labels["branch"]).branch(True)  # switched off in Debug Mode
    walk.trace_off().debug_entry().debug_exit().debug_entry().debug_exit().step().trace_on()
    walk.jump(b.labels["after"]).step()
    return stop(program, walk)


@scenario("NT.8.5.sync5", "NT-22", configs=configs())
def start_without_block(config: Config, rng: Random) -> Story:
    """Tracing is switched on and off, and the hart halted, before any instruction retires."""
    b = _code(config)
    program, walk = start(b, config)
    walk.trace_off().trace_on().debug_entry().debug_exit().trace_off().trace_on().step(3)
    return stop(program, walk)


def _level_walk(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    """Every transition among the eight combinations of enable, inst_tracing and halted, once and in random order, with
    blocks wherever the hart runs, in the very cycle of the change as well."""
    plain = to_beats(retired, config.blocks, "single")
    return under_levels(plain, ("enable", "inst_tracing", "halted"), ("halted",), rng)


@scenario("NT-22", "NT-2", "NT.8.5.sync3", "NT.8.5.sync5", "NT.7.12.debug_entry", "NT.7.12.trace_off", "NT.8.6.stop_while_off",
          "NT.8.6.start_while_off", configs=(*configs(), *configs(**TWO)), beats=_level_walk)  # fmt: skip
def level_walk(config: Config, rng: Random) -> Story:
    """Enable, trace and debug change in every order and in the same cycle: all 56 transitions of the three levels."""
    b = _code(config)
    program, walk = start(b, config)
    at = b.labels
    for turn in range(30):
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(at["after"]).step()
        walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at["main"])
    return stop(program, walk)


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


@scenario("NT.7.4.error", "NT.8.5.sync7", "NT.7.4.codes", "NT-14", configs=(*configs(**LOSSY), *configs(**RV32), *configs(**TWO)),
          retirement="single", drive="pins", loses=True, backpressure=60)  # fmt: skip
def overflow(config: Config, rng: Random) -> Story:
    """More messages than the port takes: Error and SYNC=7, again and again, and calm code in between."""
    b = _bursts(config)
    program, walk = start(b, config)
    for _ in range(5):
        _calm(_burst(walk, b.labels, 80), b.labels)
    return stop(program, walk)


@scenario("NT.7.4.error_alone", "NT.7.12.trace_off", "NT-14", "NT-22", configs=configs(), retirement="single",
          drive="pins", loses=True, backpressure=70)  # fmt: skip
def overflow_then_off(config: Config, rng: Random) -> Story:
    """Tracing is disabled, or the hart halts, while messages are lost: Error alone; a later start is SYNC=5 or 3."""
    b = _bursts(config)
    program, walk = start(b, config)
    for turn in range(9):
        _burst(walk, b.labels, 60 + 2 * turn)
        enter, leave = ((walk.trace_off, walk.trace_on), (walk.debug_entry, walk.debug_exit))[turn % 2]
        enter()
        if turn % 2 == 0:
            _calm(walk, b.labels)
        leave()
        for again in range(turn % 3 * 4):  # the queue is still full: the start is lost as well
            _burst(walk, b.labels, 12)
            enter()
            if turn % 2 == 0:
                _burst(walk, b.labels, 4 + 2 * again)
            leave()
        _calm(walk, b.labels)
    return stop(program, walk)


@scenario("NT-14", "NT.7.4.error_alone", configs=configs(), retirement="single", drive="pins", loses=True, backpressure=70)
def marker_after_overflow(config: Config, rng: Random) -> Story:
    """After an Error alone the hart halts and resumes, and tracing rises and falls without a block: only a sync may follow."""
    b = _bursts(config)
    program, walk = start(b, config)
    for turn in range(6):
        _burst(walk, b.labels, 60 + 2 * turn)
        walk.trace_off()
        _calm(walk, b.labels)  # untraced: the queue gets empty
        walk.debug_entry().debug_exit()
        if turn % 2:
            walk.trace_on().trace_off()
        walk.trace_on()
        _calm(walk, b.labels)
    return stop(program, walk)


@scenario("NT.7.4.error_alone", "NT-14", configs=configs(), retirement="single", drive="pins", loses=True, backpressure=90)
def overflow_to_end(config: Config, rng: Random) -> Story:
    """Messages are still being lost when tracing ends for good: Error is the last message."""
    b = _bursts(config)
    program, walk = start(b, config)
    return stop(program, _burst(walk, b.labels, 120))


@scenario("NT-14", configs=configs(), retirement="single", drive="pins", loses=True, backpressure=95)
def full_and_quiet(config: Config, rng: Random) -> Story:
    """The queue has no room left just when the code makes no more messages: nothing is lost, and no Error is sent."""
    b = _bursts(config)
    program, walk = start(b, config)
    _burst(walk, b.labels, 18).jump(b.labels["linear"]).step(61)  # 18: the first count with which the queue is full
    for _ in range(30):
        walk.jump(b.labels["linear"]).step(61)
    return stop(program, walk)


@scenario("NT-14", configs=(*configs(inst_stall_ena=1), *configs(inst_stall_ena=1, **TWO)), retirement="single",
          drive="pins", backpressure=60)  # fmt: skip
def stall(config: Config, rng: Random) -> Story:
    """The same bursts with stalling enabled: nothing is lost."""
    b = _bursts(config)
    program, walk = start(b, config)
    for _ in range(3):
        _calm(_burst(walk, b.labels, 60), b.labels)
    return stop(program, walk)
