"""Scenarios that planted bugs asked for: situations of other scenarios in which nothing else happens that would hide them or be blamed first."""

from __future__ import annotations

from random import Random

from models.etrace.config import Config
from tb.sequences.etrace_scenarios_base import (
    COUNTER,
    DRAFT,
    FOUR,
    RA,
    SMALL,
    TWO,
    Story,
    builder,
    configs,
    handle,
    scenario,
    start,
    stop,
)
from tb.sequences.etrace_scenarios_traps import main_code

TIMER, LOAD_FAULT = 7, 5


@scenario("ET-7", "ET.pay.ecause", "ET.pay.tval", "ET.pay.trap", "ET.alg.trap", configs=(*configs({}, SMALL, FOUR, COUNTER), *configs({}, implicit_exception=1)))
def causes_inside(config: Config, rng: Random) -> Story:
    """Every cause of 6 bits, as exception and as interrupt, with a tval of each length, behind code that retired: told at the handler."""
    b = main_code(builder(config))
    program, walk = start(b, config)
    at = b.labels
    for cause in range(64):
        for interrupt in (False, True):
            value = (1 << cause % config.xlen) - (cause & 1)
            walk.step(1 + cause % 2).trap(cause, at["trap_handler"], interrupt, tval=value if cause % 3 else -value % (1 << config.xlen))
            handle(walk, at["main"])
    return stop(program, walk.step())


@scenario("ET.bt.inferable", "ET-8", "ET.alg.before_trap", configs=configs({}, TWO, FOUR, COUNTER))
def trap_behind_direct(config: Config, rng: Random) -> Story:
    """One, two and three instructions behind a direct jump, a direct call and a linked jump comes a trap; no branch anywhere."""
    b = builder(config)
    for number, rd in enumerate((0, RA, 3)):
        b.label(f"from{number}")
        b.nop()
        b.jal(rd, f"to{number}")
        b.nop()
        b.label(f"to{number}")
        for _ in range(4):
            b.nop()
    b.c_jr(10)
    program, walk = start(b, config, "from0")
    at = b.labels
    for steps in (1, 2, 3):
        for interrupt in (False, True):
            for number in range(3):
                walk.step(2 + steps)
                back = walk.pc
                handle(walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt), back)
                walk.run_to(at[f"from{number + 1}"]) if number < 2 else walk.run()
            walk.jump(at["from0"])
    return stop(program, walk.step())


@scenario("ET-13", "ET.opt.sijump", "ET.alg.updiscon", "ET.alg.first",
          configs=(*configs({}, TWO, sijump=(0, 1)), *configs(COUNTER, sijump=1), *configs(FOUR, sijump=1, full_address=1), *configs(sijump=1, full_address=1, variant=DRAFT)))  # fmt: skip
def sequential_jump_first(config: Config, rng: Random) -> Story:
    """Trace begins between load and jump, by level and behind a halt: the target is told, and what follows is the ordinary pair."""
    b = builder(config, 0x10_0000, 0x20_0000)
    for index in range(4):
        b.pair("auipc" if index < 3 else "lui", "jalr", (0, 3, RA, 0)[index], 6 if index != 2 else RA, f"to{index}")
        b.nop()
        b.label(f"to{index}")
        b.nop()
    b.c_jr(10)
    program, walk = start(b, config)
    at = b.labels
    for index in range(4):
        walk.step()
        (walk.debug_entry if index % 2 else walk.trace_off)()
        (walk.debug_exit if index % 2 else walk.trace_on)()
        walk.jump(at[f"to{index}"]).step()
    return stop(program, walk.jump(at["main"]).step())


@scenario("ET.ing.blocks", "ET.alg.before_trap", "ET.alg.notify", configs=configs({}, TWO, FOUR, SMALL, COUNTER))
def long_blocks_told(config: Config, rng: Random) -> Story:
    """The last instruction of blocks of every length up to the longest is told: a trap follows, or a trigger asks for it."""
    b = builder(config)
    longest = (1 << config.iretire_width_p) - 1
    for _ in range(longest + 12):
        b.c_nop()
    b.label("end")
    b.nop()
    b.c_jr(10)
    program, walk = start(b, config)
    at = b.labels
    walk.run()
    size = 2 * config.iaddress_lsb_p
    for number, length in enumerate((*range(1, 8), *range(longest // 2 - 3, longest // 2 + 6), *range(longest - 6, longest + 6))):
        walk.jump(at["end"] - length * size).run_to(at["end"]).step(number % 2)
        if number % 3:
            back = walk.pc
            handle(walk.trap(TIMER if number % 3 == 1 else LOAD_FAULT, at["trap_handler"], number % 3 == 1), back)
        else:
            walk.notify()
        walk.run()
    return stop(program, walk.jump(at["end"]).step())
