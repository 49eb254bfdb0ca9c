# SPDX-License-Identifier: Apache-2.0
"""Scenarios of start and stop by every cause, and of reconfiguration (format 3.3, ET-16)."""

from __future__ import annotations

from random import Random

import numpy as np

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.table import OPTIONS
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.levels import under_levels
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    DRAFT,
    FOUR,
    RA,
    SMALL,
    TWO,
    V2,
    Script,
    builder,
    configs,
    home,
    place,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.traps import main_code

_LAST = ("plain", "branch", "target", "jump", "direct", "call", "trap", "trap at target", "first", "nothing")


def _ends(s: Script, *causes: str) -> None:
    """Trace ends after each kind of instruction, with and without branches pending, by each cause."""
    b = main_code(builder(s.config))
    b.label("call")
    b.jal(RA, "jump")
    walk, at = s.start(b, "jump")
    for cause in causes:
        for last in _LAST:
            for pending in (False, True):
                _come(walk, last, at, pending)
                _pause(walk, cause, again=last == "first" and pending)
                home(walk, at["jump"])


def _come(walk: Walk, last: str, at: dict[str, int], pending: bool) -> Walk:
    """From the jump to the instruction that is to be the last, and retire it; pending: with a branch before it, or as
    one.
    """
    if pending and last in ("plain", "jump", "trap"):
        walk.jump(at["main"]).step(2).branch(True).step()
        return (
            walk.jump(at["landing"])
            if last == "jump"
            else walk.trap(7, at["trap_handler"], interrupt=True)
            if last == "trap"
            else walk
        )
    if last == "branch":
        return walk.jump(at["main"]).step(2).branch(pending)
    if last == "target":
        return walk.jump(at["branch"]).branch(True) if pending else walk.jump(at["after"]).step()
    if last == "jump":
        return walk.jump(at["jump"]).jump(at["landing"])
    if last == "direct":
        return walk.jump(at["after"]).step(2)
    if last == "call":
        return walk.jump(at["call"]).step()
    walk.jump(at["landing"])
    if last in ("plain", "trap"):
        walk.step(2)
    if last in ("first", "nothing"):
        walk.trace_off().trace_on().step(last == "first")
    return walk.trap(2 if pending else 5, at["trap_handler"]) if last.startswith("trap") else walk


def _pause(walk: Walk, cause: str, again: bool = False) -> None:
    if cause == "halted":
        walk.debug_entry().debug_exit()
    elif cause == "reset":
        walk.reset_entry().reset_exit(walk.pc)
    else:
        walk.trace_off()
        if again:  # nothing traced between
            walk.trace_on().trace_off()
        walk.trace_on()


def switched_by_enable(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    """The encoder is disabled and enabled where the retire stream switches tracing."""
    beats = place(config, "single", retired, rng)
    beats.enable, beats.inst_tracing = beats.inst_tracing.copy(), np.ones_like(beats.inst_tracing)
    return beats


_STOPS = ("ET-16", "ET.alg.ended", "ET.alg.last", "ET.pay.support", "ET.pay.qual_status")


@scenario(
    *_STOPS,
    "ET.ing.halted",
    "ET.ing.reset",
    configs=(
        *configs({}, TWO, FOUR, SMALL),
        *configs(branch_prediction=1, jump_target_cache=1, implicit_return=1, variant=V2),
    ),
    retirement="single",
)
def stops(s: Script) -> None:
    """Trace ends after each kind of instruction by inst_tracing, by halted and by reset, and begins again."""
    _ends(s, "trace", "halted", "reset")


@scenario(*_STOPS, "ET.alg.enable", "ET.alg.disable", configs=configs({}, TWO, COUNTER), beats=switched_by_enable)
def disables(s: Script) -> None:
    """The same by disabling the encoder: ienable is 0 in the support packet; one more follows when it is enabled."""
    _ends(s, "enable")


def _levels(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    plain = to_beats(retired, config.blocks, "single", per_cycle=True)
    return under_levels(plain, ("enable", "inst_tracing", "halted", "in_reset"), ("halted", "in_reset"), rng)


@scenario(
    *_STOPS,
    "ET.alg.enable",
    "ET.alg.disable",
    "ET.alg.first",
    "ET.ing.halted",
    "ET.ing.reset",
    configs=configs({}, TWO, SMALL),
    beats=_levels,
)
def level_walk(s: Script) -> None:
    """Enable, tracing, halted and reset change in every order and in the same cycle: all 240 transitions of the four
    levels.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for turn in range(70):
        walk.run_to(at["branch"]).branch(turn % 2 == 0).run_to(at["jump"]).jump(at["after"]).step()
        walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at["main"])


def possible_options(config: Config) -> int:
    """The options that this build has, as bits."""
    draft = config.variant == DRAFT
    missing = {
        "implicit_return": not (config.call_counter_size_p or (config.return_stack_size_p and not draft)),
        "jump_target_cache": draft or not config.cache_size_p,
    }  # fmt: skip
    return sum(1 << bit for bit, name in enumerate(OPTIONS) if not missing.get(name))


@scenario("ET.alg.reconfigured", "ET-16", "ET.pay.support", "ET.alg.ended",
          *(f"ET.opt.{n}"
            for n in ("full_address", "implicit_exception", "sijump", "implicit_return", "prediction", "cache")),
          configs=(*configs({}, TWO, SMALL, COUNTER),
                   *configs(branch_prediction=1, jump_target_cache=1, variant=V2)))  # fmt: skip
def reconfigured(s: Script) -> None:
    """Every option is switched on and off while the encoder runs: after each kind of instruction, alone and together,
    while tracing is off too.
    """
    b = main_code(builder(s.config))
    b.label("call")
    b.jal(RA, "jump")
    b.label("back")
    b.c_nop()
    b.c_jr(RA)
    walk, labels = s.start(b, "jump")
    at, possible = labels, possible_options(s.config)
    masks = [1 << bit for bit in range(len(OPTIONS)) if possible >> bit & 1] + [
        possible,
        possible & 0b010101,
        possible & 0b101010,
        possible,
    ]
    for number, mask in enumerate(masks):
        for last in _LAST:
            for now in (mask, 0):
                _come(walk, last, at, pending=number % 2 == 0)
                if (number + now) % 5 == 4:
                    walk.trace_off().toggle(now).trace_on()
                else:
                    walk.toggle(now)
                home(walk, at["jump"]).jump(at["branch"]).branch(True).run_to(at["jump"]).jump(at["after"]).trap(
                    3, at["trap_nested"]
                ).step().jump(at["jump"])


@scenario("ET-16", "ET.pay.support", "ET.alg.enable", configs=configs({}, TWO, COUNTER), beats=switched_by_enable)
def reconfigured_disabled(s: Script) -> None:
    """Options change while the encoder is disabled: the support packet of the next enable reports them, and what
    follows obeys them.
    """
    b = main_code(builder(s.config))
    b.label("call")
    b.jal(RA, "jump")
    walk, labels = s.start(b, "jump")
    at, possible = labels, possible_options(s.config)
    for bit in range(len(OPTIONS)):
        if possible >> bit & 1:
            for now in (1 << bit, possible, 0):
                _come(walk, _LAST[bit % len(_LAST)], at, pending=bool(now))
                walk.trace_off().toggle(now).trace_on()
                home(walk, at["jump"]).jump(at["branch"]).branch(True).run_to(at["jump"]).jump(at["after"]).trap(
                    3, at["trap_nested"]
                ).step().jump(at["jump"])


def _with_the_fall(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    """What the options become while the encoder is disabled they become in the cycle that disables it."""
    beats = switched_by_enable(config, rng, program, retired)
    toggle = beats.toggle.copy()
    for row in np.flatnonzero(beats.enable == 0)[::-1]:
        if row + 1 < len(beats) and not beats.enable[row + 1]:
            toggle[row] = toggle[row + 1]
    beats.toggle = toggle
    return beats


@scenario(
    "ET-16", "ET.pay.support", "ET.alg.ended", "ET.alg.enable", configs=configs({}, TWO, COUNTER), beats=_with_the_fall
)
def disabled_with_options(s: Script) -> None:
    """Options change in the cycle that disables the encoder: one support packet, not one for each."""
    reconfigured_disabled(s)


def _with_blocks(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    """Levels change together with the blocks that follow, never in a separate cycle."""
    beats = place(config, "block", retired, rng)
    return beats.select(beats.valid().any(axis=1) | (np.arange(len(beats)) == 0))


@scenario("ET.alg.reconfigured", "ET.opt.full_address", configs=configs(TWO, FOUR), beats=_with_blocks)
def reconfigured_lanes(s: Script) -> None:
    """The first cycle under new options has more than one block: the jump in its middle is reported under the new
    options too.
    """
    walk, at = s.start(main_code(builder(s.config)), "jump")
    for now in (1 << OPTIONS.index("full_address"), 0) * 2:
        home(walk, at["jump"]).jump(at["target"]).toggle(now).run_to(at["jump"]).jump(at["return"]).jump(
            at["target"]
        ).run_to(at["jump"]).jump(at["jump"])
