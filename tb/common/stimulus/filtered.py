# SPDX-License-Identifier: Apache-2.0
"""What the scenarios of filters of both encoders share: a program, filters that name its addresses, and walks."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np

from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.traced_program import BASE, handle

# Offsets in `filtered_code`: the blocks before, at and after LIMIT; a range; and the block after it.
LIMIT, FIRST, LAST = 0x1C, 0x2E, 0x36
CONTEXT, TVAL = 7, 1 << 32
_CONTEXTS = (CONTEXT - 1, CONTEXT, CONTEXT + 1, CONTEXT << 8, 0xFFFF_FFFF)
_TVALS = (0, 1, TVAL - 1, TVAL, TVAL + 1, TVAL << 8, (1 << 64) - 1)
_RELATIONS = ("<", "<=", ">", ">=", "=", "!=")


def place(offset: int) -> str:
    """The address of an offset, as filters write it."""
    return f"{BASE + offset:#x}"


COMPARISONS = tuple(
    f"{name}{relation}{limit}"
    for name, limit in (("iaddr", place(LIMIT)), ("context", str(CONTEXT)), ("tval", f"{TVAL:#x}"))
    for relation in _RELATIONS
)
# The limit of 32 bits that a context has is none of tval, and what is left out of a mask is not compared.
WIDE = (f"tval={TVAL << 8 | 1:#x}..{(1 << 64) - 1:#x}", "context=0x80000000..0xffffffff")
MASKED = (
    f"iaddr={place(LIMIT)}/0xc",
    f"iaddr!={place(LIMIT)}/0xffc",
    "context=0x700/0xff00",
    f"tval<{TVAL:#x}/{TVAL:#x}",
)
FROM_FIRST = (f"iaddr=->{place(FIRST)}", f"context=->{CONTEXT}")
# What has begun to match ends when the encoder is disabled.
STARTED = (
    f"iaddr={place(LIMIT)}->{place(LAST)}",
    f"iaddr=->{place(FIRST)}",
    "trap=exception",
    "trap=interrupt",
    "ecause=2",
)

# Two conditions of one filter: of both comparators, and of a trap and its cause.
PAIRS = (
    f"iaddr={place(FIRST)}..{place(LAST)}&context={CONTEXT}",
    f"iaddr<{place(LIMIT)}&context!={CONTEXT}",
    f"context={CONTEXT}&tval=0",
    "trap=exception&ecause=2",
    "trap=interrupt&ecause=2",
    f"ecause=5&context!={CONTEXT}",
    "ecause=13",
)
_CAUSES = (2, 5, 13)
# A trap condition of the second filter, beside another one of the first and alone in its filter.
SECOND = ("ecause=13|ecause=2", "trap=interrupt|trap=exception", f"iaddr<{place(LIMIT)}|trap=exception&ecause=5")
# Of these the address of a block and of the one before differ in whether they match.
EDGES = (
    f"iaddr!={place(FIRST)}",
    f"iaddr={place(LIMIT)}->{place(LAST)}",
    f"iaddr!={place(FIRST)}..{place(LAST)}",
    f"iaddr=->{place(LAST)};watch={place(LIMIT)}",
    f"context=0&iaddr!={place(LIMIT)}/0xfe",
)
# A filter beside one that is configured and matches nothing, and such a one alone. With none selected all is traced.
OFF = (
    f"iaddr={place(FIRST)}..{place(LAST)}|unselected:iaddr<{place(LIMIT)}",
    f"unselected:trap=exception|iaddr={place(FIRST)}..{place(LAST)}",
    f"iaddr={place(FIRST)}..{place(LAST)}|disabled:ecause=2",
    f"disabled:iaddr<{place(LIMIT)}|context={CONTEXT}",
    f"unselected:iaddr={place(FIRST)}..{place(LAST)}",
)


def filtered_code(b: ProgramBuilder) -> ProgramBuilder:
    """Straight code that ends with an indirect jump, twice; labels `jump`, `first` and `back`."""
    for _ in range(7):
        b.nop()
    b.label("jump")
    b.c_jr(10)
    b.label("first")
    for _ in range(5):
        b.nop()
    b.label("back")
    b.c_jr(10)
    return b


def _round(walk: Walk, at: dict[str, int]) -> Walk:
    """From `main` through all of the code; ends at `main`."""
    return walk.run_to(at["jump"]).jump(at["first"]).run_to(at["back"]).jump(at["main"])


def compare(walk: Walk, at: dict[str, int], xlen: int) -> Walk:
    """Every address, contexts and trap values around the limits of `COMPARISONS`, one after the other."""
    for turn, context in enumerate(_CONTEXTS * 2):
        walk.context = context
        _round(walk, at).step(2)
        for tval in _TVALS[turn % 2 :: 2]:
            back = walk.pc
            walk.trap(2, at["trap_handler"], tval=tval & (1 << xlen) - 1)
            handle(walk, back).step()
        walk.run_to(at["jump"]).jump(at["main"])
    return walk


def compare_twice(walk: Walk, at: dict[str, int], xlen: int) -> None:
    """The same once more after a pause of tracing, in which the filters go on."""
    compare(walk, at, xlen).trace_off().step().trace_on()
    compare(walk.run_to(at["jump"]).jump(at["main"]), at, xlen)


def nest(walk: Walk, at: dict[str, int]) -> Walk:
    """More traps nested in each other than a counter of four bits counts, and their xRETs one after the other."""
    for depth in (3, 15, 16, 17, 20):
        for number in range(depth):
            walk.trap(2, at["trap_handler"] if number % 2 else at["trap_nested"], interrupt=number % 3 == 2).step()
        for _ in range(depth + 1):
            while walk.pc not in (at["trap_nested"] + 4, at["trap_handler"] + 10):
                walk.step()
            walk.jump(at["trap_nested"])
        walk.step().jump(at["main"])
        _round(walk, at)
    return walk


def pairs(walk: Walk, at: dict[str, int]) -> Walk:
    """Exceptions and interrupts of several causes within each other, some before the handler's first instruction, in
    every context; ends at `main`.
    """
    kinds = [(cause, interrupt) for cause in _CAUSES for interrupt in (False, True)]
    for turn, ((outer, first), (inner, second)) in enumerate(product(kinds, kinds)):
        walk.context = _CONTEXTS[turn % len(_CONTEXTS)]
        _round(walk, at).step().trap(outer, at["trap_handler"], interrupt=first, tval=turn % 3)
        walk.step(turn // 2 % 2).trap(inner, at["trap_nested"], interrupt=second).step().jump(at["trap_handler"])
        handle(walk, at["main"]).step(turn % 3).run_to(at["jump"]).jump(at["main"])
    return _round(walk, at)


def interrupts(walk: Walk, at: dict[str, int]) -> Walk:
    """An interrupt before each instruction, twice at every second one: a port that reports it by itself has no address
    for it, whatever it carries.
    """
    for number in range(3 * 14):  # three rounds: nops, a jump, nops, a jump
        back = walk.pc
        for _ in range(1 + number % 2):
            handle(walk.trap(2, at["trap_handler"], interrupt=True), back)
        if back in (at["jump"], at["back"]):
            walk.jump(at["first"] if back == at["jump"] else at["main"])
        else:
            walk.step()
    return _round(walk.run_to(at["jump"]).jump(at["main"]), at)


def disable(walk: Walk, at: dict[str, int]) -> Walk:
    """The encoder is disabled (`by_enable`) before, within and after what the filters of `STARTED` match: for no
    instruction, for some, and for the one that begins or ends it.
    """
    for pause in range(4):
        for before in (3, 4, 6):
            walk.step(before).trace_off()
            walk.step(pause if before < 6 else 0).trace_on().run_to(at["jump"]).jump(at["first"]).run_to(at["back"])
            walk.jump(at["main"])
        for interrupt in (False, True):
            _round(walk, at).step().trap(2, at["trap_handler"], interrupt=interrupt).step(pause == 1).trace_off()
            walk.step(pause == 2).trace_on()
            handle(walk, at["main"], at_handler_left(walk, at))
            walk.step().trace_off().trap(2, at["trap_handler"], interrupt=interrupt).step().trace_on()
            handle(walk, at["main"], 2)
            _round(walk, at)
    return walk


def at_handler_left(walk: Walk, at: dict[str, int]) -> int:
    """Instructions up to the mret of `trap_handler`."""
    return {0: 3, 4: 2, 6: 1, 10: 0}[walk.pc - at["trap_handler"]]


def by_enable(beats: Beats) -> Beats:
    """The beats with the encoder disabled and enabled where they switch tracing."""
    beats.enable, beats.inst_tracing = beats.inst_tracing.copy(), np.ones_like(beats.inst_tracing)
    return beats


def in_turn(filters: tuple[str, ...], *options: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """A configuration for each filter, with the options in turn: each filter need not be seen with all of them."""
    return tuple(options[number % len(options)] | {"filter": text} for number, text in enumerate(filters))
