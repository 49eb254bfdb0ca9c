# SPDX-License-Identifier: Apache-2.0
"""Scenarios of the status bits after an address in every format that has them, and of counts that are pending when
options change (ET-6, ET-14).
"""

from __future__ import annotations

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    RA,
    SMALL,
    T0,
    TWO,
    V2,
    Script,
    builder,
    configs,
    handle,
    scenario,
)

_BRANCHES = 34  # predicted by a fresh predictor: more than a map holds
_EVENTS = ("jump", "jump, trap", "notify", "trap", "wrong", "wrong, trap", "return, notify", "return, trap")
_AT_F = ("wrong", "wrong, trap", "return, notify", "return, trap")


def _ladders(config: Config) -> ProgramBuilder:
    """For each event a ladder of branches that are not taken, what happens after it, and entries to it from far below
    and far above.
    """
    b = builder(config)
    b.c_jr(10)
    for number, event in enumerate(_EVENTS):
        for k in range(_BRANCHES):
            b.label(f"in{number}_{k}")
            b.beq(8, 9, f"end{number}")
        b.label(f"in{number}_{_BRANCHES}")
        if event in _AT_F:
            b.jal(RA, f"f{number}")
        elif not event.startswith("jump"):
            b.c_nop()
        b.label(f"end{number}")
        b.c_jr(10)
        b.label(f"f{number}")
        b.jal(T0, f"g{number}")
        b.label(f"back{number}")
        b.c_nop()
        b.label(f"elsewhere{number}")
        b.nop()
        b.nop()
        b.c_jr(RA)
        b.label(f"g{number}")
        b.c_nop()
        b.c_jr(T0)
    middle = b.here
    for side, place in (("low", b.labels["main"] - 0x3000), ("high", middle + 0x3000)):
        b.org(place)
        for number in range(len(_EVENTS)):
            for branches in (0, 2, _BRANCHES):
                b.label(f"{side}{number}_{branches}")
                b.c_nop()
                b.jal(0, f"in{number}_{_BRANCHES - branches}")
    return b


def _happen(walk: Walk, at: dict[str, int], number: int) -> None:
    """The event after its ladder; ends at an indirect jump."""
    event = _EVENTS[number]
    if event in _AT_F:
        walk.step(3).jump(at[f"elsewhere{number}" if event.startswith("wrong") else f"back{number}"])
    if event.startswith("jump"):
        walk.jump(at[f"elsewhere{number}"])
    walk.step()
    if event.endswith("notify"):
        walk.notify()
    elif event.endswith("trap"):
        back = walk.pc
        handle(walk.trap(2, at["trap_handler"]), back)
    walk.run()
    if event in _AT_F or event.startswith("jump"):
        walk.jump(at[f"end{number}"])


@scenario("ET.pay.order", "ET.pay.notify", "ET.pay.updiscon", "ET.pay.irreport", "ET.pay.branch_count",
          "ET.opt.misreturn", "ET-14", retirement="single",
          configs=(*configs({}, SMALL, branch_prediction=1, implicit_return=1, full_address=(0, 1), variant=V2),
                   *configs({}, TWO, branch_prediction=(0, 1), implicit_return=1, jump_target_cache=1,
                            variant=V2)))  # fmt: skip
def status_bits(s: Script) -> None:
    """Each combination of the status bits after no branches, two, and a count of predicted ones, at addresses above
    and below the one before.
    """
    walk, at = s.start(_ladders(s.config))
    for number in range(len(_EVENTS)):
        for branches in (0, 2, _BRANCHES):
            for side in ("low", "high"):
                walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at[f"{side}{number}_{branches}"]).step(
                    2
                )  # a fresh predictor
                for _ in range(branches):
                    walk.branch(False)
                _happen(walk, at, number)
    walk.jump(at["main"])


@scenario("ET.alg.reconfigured", "ET-16", "ET.pay.branch_count", "ET.opt.prediction", "ET.alg.ended", "ET.alg.last",
          retirement="single", configs=configs({}, TWO, SMALL, COUNTER, branch_prediction=1))  # fmt: skip
def count_at_end(s: Script) -> None:
    """Options change, trace ends or the hart halts after 0 to 34 predicted branches: count, address, end and the new
    options in one cycle.
    """
    walk, at = s.start(_ladders(s.config))
    for branches in (0, 2, _BRANCHES):
        for taken in (False, True):
            for event in range(4):
                walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at[f"low2_{branches}"]).step(2)
                for left in range(branches, 0, -1):
                    walk.branch(taken and left == 1)
                if event < 2:
                    walk.toggle(0b010000 if event else 0b000100).step(walk.pc != at["end2"]).toggle(0)
                elif event == 2:
                    walk.trace_off().trace_on()
                else:
                    walk.debug_entry().debug_exit()
                walk.run()
    walk.jump(at["main"])
