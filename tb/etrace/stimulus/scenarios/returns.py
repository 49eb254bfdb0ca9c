# SPDX-License-Identifier: Apache-2.0
"""Scenarios of implicit returns by counter and by stack: depth, misprediction, tail calls, what empties the stack
(ET-12, ET-14).
"""

from __future__ import annotations

from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus import nested
from rvtrace.tb.common.stimulus.nested import ascend, calls, deepen, descend, nest
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

COUNTED = configs(COUNTER, implicit_return=1)
STACKED = configs({}, TWO, SMALL, FOUR, implicit_return=1, variant=V2)
ALL = (*STACKED, *COUNTED)
AIDED = configs({}, SMALL, implicit_return=1, jump_target_cache=1, branch_prediction=1, variant=V2)
_DEEP = 20


@scenario("ET.opt.implicit_return", "ET.opt.stack", "ET.opt.counter", "ET.opt.stack_overflow", configs=(*ALL, *AIDED))
def nested_calls(s: Script) -> None:
    """Calls up to six deep return the way they came: reported only where the stack or counter is not deep enough."""
    walk, at = s.start(calls(builder(s.config)))
    nest(walk, at, (0, 1, 3, 5, 2, 4))


@scenario(
    "ET.opt.misreturn",
    "ET.pay.irreport",
    "ET.pay.irdepth",
    "ET.opt.implicit_return",
    "ET-12",
    configs=(*STACKED, *AIDED),
)
def wrong_return(s: Script) -> None:
    """A return goes elsewhere than its call, from every depth: it is reported with irdepth, and the entries below are
    still good.
    """
    walk, at = s.start(calls(builder(s.config)))
    for deepest in range(6):
        for wrong in range(deepest + 1):
            walk.run_to(at["f0"])
            descend(walk, at, deepest)
            for depth in range(deepest, 0, -1):
                if depth == wrong:
                    walk.jump(at["elsewhere"]).step().jump(at[f"r{depth - 1}"])
                else:
                    walk.jump(at[f"r{depth - 1}"])
                walk.run_to(at[f"e{depth - 1}"])
            walk.jump(at["back"] if wrong else at["again"]).step().jump(at["f0"] if wrong else at["main"])
            if wrong:
                descend(walk, at, 0).jump(at["elsewhere"]).step().jump(at["main"])
    walk.step()


@scenario("ET.opt.implicit_return", "ET.alg.updiscon", "ET-1", configs=(*ALL, *AIDED))
def return_without_call(s: Script) -> None:
    """Returns with an empty stack, and with as many calls before as they need: those without are reported."""
    walk, at = s.start(calls(builder(s.config)))
    walk.step()
    descend(walk, at, 0).jump(at["back"]).step()
    for returns in (("e2",), ("e1", "e2"), ("e0", "e1", "e0"), ("e3",)):
        walk.jump(at["e0"]).jump(at["again"]).step()  # with its call
        for name in returns:
            walk.jump(at[name])
        walk.jump(at["back"]).step()


def recursive(config: Config) -> ProgramBuilder:
    """`nested.recursive`, and `far`, where a wrong return goes."""
    b = nested.recursive(builder(config))
    b.label("far")
    b.jalr(0, 10)
    return b


@scenario("ET.opt.stack_overflow", "ET.opt.implicit_return", configs=(*ALL, *AIDED))
def recursion(s: Script) -> None:
    """A function calls itself 20 times and returns as often, more often and less: the oldest entries are lost, and
    their returns are reported.
    """
    walk, at = s.start(recursive(s.config))
    for depth in (1, 2, 3, 4, 15, 16, 17, _DEEP):
        ascend(deepen(walk, depth), at, depth).jump(at["back"]).step().jump(at["main"])
    ascend(deepen(walk, _DEEP), at, 10).trace_off().trace_on()
    ascend(walk, at, _DEEP - 10).jump(at["back"]).step()


@scenario("ET.opt.misreturn", "ET.pay.irdepth", "ET.pay.irreport", "ET.opt.stack_overflow", configs=(*STACKED, *AIDED))
def wrong_return_at_depths(s: Script) -> None:
    """In a recursion that is deeper than the stack one return goes wrong, at each depth in turn."""
    walk, at = s.start(recursive(s.config))
    deep = 2 + (1 << s.config.return_stack_size_p)
    for wrong in range(deep):
        ascend(deepen(walk, deep), at, wrong).jump(at["far"]).jump(at["inner"]).step()
        ascend(walk, at, deep - wrong - 1).jump(at["back"]).step().jump(at["main"])
    walk.step()


def _at_depths(s: Script, event: Any) -> None:
    """`event(walk, at, number)` after each number of returns of a deep recursion, before the next return."""
    walk, at = s.start(recursive(s.config))
    deep = min(
        _DEEP,
        2
        + (
            (1 << s.config.return_stack_size_p) if s.config.return_stack_size_p else (1 << s.config.call_counter_size_p)
        ),
    )
    for returns in range(deep + 1):
        for place in (0, 1):  # right at the return's target, or one instruction after it
            deepen(walk, deep)
            if returns:
                ascend(walk, at, returns - 1).jump(at["inner"])
                if place:
                    walk.step()
            event(walk, at, returns)
            if walk.pc == at["inner"]:
                walk.step()
            ascend(walk, at, deep - returns).jump(at["back"]).step().jump(at["main"])
    walk.step()


@scenario("ET-14", "ET.pay.irdepth", "ET.pay.irreport", "ET.alg.notify", configs=ALL)
def notify_at_depths(s: Script) -> None:
    """A trigger after each number of returns of a recursion: only irdepth distinguishes the equal addresses."""
    _at_depths(s, lambda walk, at, number: walk.notify())


@scenario(
    "ET-14", "ET.pay.irdepth", "ET.pay.irreport", "ET.alg.before_trap", "ET.opt.reset_on_sync", configs=(*ALL, *AIDED)
)
def trap_at_depths(s: Script) -> None:
    """A trap after each number of returns, also right at the return's target; it empties the stack, so the returns
    that follow are reported.
    """

    def event(walk: Walk, at: dict[str, int], number: int) -> None:
        back = walk.pc
        walk.trap(7 if number % 2 else 2, at["trap_handler"], interrupt=bool(number % 2))
        handle(walk, back)

    _at_depths(s, event)


@scenario("ET-14", "ET-16", "ET.pay.irdepth", "ET.alg.last", "ET.opt.reset_on_sync", configs=ALL)
def stop_at_depths(s: Script) -> None:
    """Trace ends after each number of returns, and begins again there with an empty stack."""
    _at_depths(s, lambda walk, at, number: walk.trace_off().trace_on())


@scenario(
    "ET-14",
    "ET-15",
    "ET.alg.before_sync",
    "ET.pay.irdepth",
    configs=configs({}, SMALL, implicit_return=1, ctype=("1", "2", "3"), variant=V2),
)
def context_at_depths(s: Script) -> None:
    """Another context after each number of returns, reported in each way."""

    def event(walk: Walk, at: dict[str, int], number: int) -> None:
        walk.context ^= 1 + number

    _at_depths(s, event)
