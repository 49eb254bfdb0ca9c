# SPDX-License-Identifier: Apache-2.0
"""Scenarios of context, privilege and time, and of triggers (formats 3.0 and 3.2, notify, ET-15)."""

from __future__ import annotations

from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    BASE,
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
    handle,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.traps import main_code

CTYPES = ("0", "1", "2", "3")


@scenario("ET-15", "ET.alg.context", "ET.alg.ppccd", "ET.alg.before_sync", "ET.pay.context", "ET.pay.start",
          configs=(*configs({}, SMALL, TWO, ctype=CTYPES), *configs(COUNTER, FOUR, ctype=("1", "2"))))  # fmt: skip
def contexts(s: Script) -> None:
    """Another context on straight code, at a branch, after it, at the target of each jump, in a handler, with another
    privilege, twice in a row.
    """
    walk, at = s.start(main_code(builder(s.config)))
    mask = (1 << s.config.context_width_p) - 1
    number = 0

    def other() -> Walk:
        nonlocal number
        number += 1
        walk.context = number * 0x9E37_79B1 & mask
        return walk

    for taken in (True, False):
        other().step()
        other().step()  # and at the branch
        other().branch(taken)
        other().run_to(at["jump"])
        other().jump(at["after"])
        other().step()
        other().step()  # after a direct jump
        other().run()
        walk.jump(at["target"])
        other().run_to(at["jump"]).jump(at["branch"])
        other().branch(not taken)
        other().trap(2, at["trap_handler"])
        other().step(3)
        walk.jump(at["main"], priv=Priv.U, context=number + 1 & mask).step()
        other().trap(8, at["trap_handler"])
        walk.step()
        other().step(2)
        other().jump(at["main"], priv=Priv.S)
        other().step().trap(7, at["trap_handler"], interrupt=True)
        other()
        handle(walk, at["main"]).step(2).branch(taken)
        other().trap(2, at["trap_handler"]).trap(
            3, at["trap_nested"]
        )  # before two traps in a row, then nothing in the new context
        other().step().jump(at["after"])
        other().trap(5, at["trap_handler"])
        other()
        handle(walk, at["main"])
    walk.step()


@scenario(
    "ET-15",
    "ET.alg.context",
    "ET.alg.first",
    "ET.alg.last",
    "ET-16",
    configs=configs({}, TWO, SMALL, ctype=("1", "2", "3")),
    retirement="single",
)
def context_at_edges(s: Script) -> None:
    """Another context in the first and in the last instruction traced, while nothing is traced, and in every
    instruction.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for number in range(6):
        walk.context = 0x10 + number
        walk.step().trace_off()
        walk.context = 0x20 + number
        walk.step(number % 2).trace_on()
        if number % 3:
            walk.context = 0x30 + number
        walk.run_to(at["branch"]).branch(True)
        walk.context = 0x40 + number
        walk.trace_off().trace_on().step()
        for turn in range(3):
            walk.context = 0x50 + number + turn
            walk.jump(at["after"] if turn < 2 else at["main"])
            if turn < 2:
                walk.context = 0x60 + number + turn
                walk.run_to(at["landing"]).run()
    walk.step()


@scenario(
    "ET.pay.context",
    "ET.pay.compression",
    "ET-15",
    "ET-18",
    configs=(*configs({}, SMALL, ctype=("1", "2")), *configs(FOUR, ctype="1", variant=DRAFT)),
)
def context_values(s: Script) -> None:
    """Contexts of every length, with the top bit set and not: 3.2 is compressed to each length."""
    walk, at = s.start(main_code(builder(s.config)))
    width = s.config.context_width_p
    for bit in range(width):
        for value in (1 << bit, (1 << width) - (1 << bit), (1 << bit) - 1):
            walk.context = value
            walk.step()
            walk.context = 0
            walk.step().branch(bit % 2 == 0).run_to(at["jump"]).jump(at["main"])
    walk.step()


@scenario("ET-7", "ET-10", "ET.pay.start", "ET.alg.ppccd", configs=configs({}, SMALL, TWO, branch_prediction=1))
def time_and_privilege(s: Script) -> None:
    """Syncs and context packets over a longer time, in every privilege, between long runs of code."""
    b = main_code(builder(s.config))
    b.label("long")
    for _ in range(100):
        b.nop()
    b.c_jr(10)
    walk, at = s.start(b)
    for number, mode in enumerate((Priv.U, Priv.VU, Priv.S, Priv.VS, Priv.M) * 2):
        walk.run_to(at["branch"]).branch(number % 2 == 0).run_to(at["jump"]).jump(at["long"]).run()
        walk.jump(at["trap_handler"]).step(3).jump(at["long"], priv=mode)
        walk.context ^= number + 1
        walk.run()
        walk.trap(number, at["trap_handler"], interrupt=True)
        handle(walk, at["main"])
    walk.step()


_WATCHED = {
    name: BASE + 0x10 + offset for name, offset in {"branch": 6, "jump": 0x10, "after": 0x12}.items()  # of main_code
}  # fmt: skip


_KINDS = (
    "plain",
    "taken",
    "not_taken",
    "direct",
    "call",
    "link",
    "indirect_call",
    "tail",
    "other",
    "return",
    "swap",
    "xret",
)


def _notified(config: Config) -> ProgramBuilder:
    """One instruction of each kind at the label of its name, after another at `to_<name>`; all lead to `end`, or to
    the next.
    """
    b = builder(config)
    make = {
        "plain": b.nop,
        "taken": lambda: b.beq(8, 9, "end"),
        "not_taken": lambda: b.bne(8, 9, "end"),
        "direct": lambda: b.jal(0, "end"),
        "call": lambda: b.jal(RA, "end"),
        "link": lambda: b.jal(3, "end"),
        "indirect_call": lambda: b.jalr(RA, 10),
        "tail": lambda: b.c_jr(10),
        "other": lambda: b.jalr(3, 10),
        "return": lambda: b.c_jr(RA),
        "swap": lambda: b.jalr(5, RA),
        "xret": b.mret,
    }
    for name in _KINDS:
        b.label(f"to_{name}")
        b.nop()
        b.label(name)
        make[name]()
    b.label("end")
    b.nop()
    b.label("leave")
    b.c_jr(10)
    return b


@scenario("ET.pay.notify", "ET.alg.notify", "ET.ing.notify", "ET.ing.triggers", "ET-6",
          configs=(*configs({}, TWO, FOUR, SMALL),
                   *configs({}, SMALL, branch_prediction=1, jump_target_cache=1, implicit_return=1, sijump=1,
                            variant=V2), *configs(COUNTER, implicit_return=1)))  # fmt: skip
def notify_kinds(s: Script) -> None:
    """A trigger on every kind of instruction: after straight code, right at a jump's target, before a trap, and on two
    in a row.
    """
    walk, at = s.start(_notified(s.config), "leave")
    for name in _KINDS:
        if name == "return" and s.config.call_counter_size_p:
            continue  # whose call is not there
        for event in range(5):
            walk.jump(at[name] if event == 4 else at[f"to_{name}"])
            if event < 4:
                walk.step()
            if event == 3:
                walk.notify()
            if name in ("taken", "not_taken"):
                walk.branch(name == "taken")
            elif name in ("plain", "direct", "call", "link"):
                walk.step()
            else:
                walk.jump(at["end"])
            walk.notify()
            if event == 1:
                back = walk.pc
                handle(walk.trap(2, at["trap_handler"]), back)
            elif event == 2:
                walk.trace_off().trace_on()
            while walk.pc != at["leave"]:
                walk.branch(True) if walk.pc == at["taken"] else walk.step()
    walk.jump(at["end"]).step()


def _watching() -> tuple[dict[str, Any], ...]:
    """Configurations with two comparators each, which together watch an instruction of every kind."""
    at = _notified(Config()).labels
    return tuple(
        c | {"filter": f"watch={at[one]:#x};watch={at[other]:#x}"}
        for one, other in zip(_KINDS[::2], _KINDS[1::2])
        for c in configs()
    )


@scenario(
    "ET.ing.triggers", "ET.alg.notify", "ET.ing.filters", "ET.pay.notify", configs=_watching(), retirement="single"
)
def watch_kinds(s: Script) -> None:
    """The comparators of the filters watch an instruction of every kind."""
    notify_kinds(s)


@scenario("ET.ing.triggers", "ET.alg.notify", "ET.ing.filters", "ET.pay.notify",
          configs=tuple(c | {"filter": f"watch={_WATCHED[a]:#x};watch={_WATCHED[z]:#x}"}
                        for a, z in (("branch", "after"), ("jump", "branch")) for c in configs({}, TWO, SMALL)),
          retirement="single")  # fmt: skip
def watchpoints(s: Script) -> None:
    """The comparators of the filters watch a branch, a jump and its target."""
    b = main_code(builder(s.config))
    assert all(b.labels[name] == address for name, address in _WATCHED.items())
    walk, at = s.start(b)
    for taken in (True, False, True):
        walk.run_to(at["branch"]).branch(taken).run_to(at["jump"]).jump(at["after"]).run_to(at["return"]).jump(
            at["main"]
        )
        walk.run_to(at["branch"]).trap(2, at["trap_handler"])
        handle(walk, at["branch"]).branch(taken).run_to(at["jump"]).jump(at["branch"]).branch(True).run_to(
            at["jump"]
        ).jump(at["main"])
    walk.step()


@scenario(
    "ET-14",
    "ET.alg.before_sync",
    "ET.pay.irreport",
    "ET.pay.irdepth",
    configs=configs({}, SMALL, implicit_return=1, ctype=("2", "3"), variant=V2),
)
def context_behind_return(s: Script) -> None:
    """Another context one and two instructions after an inferred return, with no branch anywhere: the address before
    it is still reported.
    """
    b = builder(s.config)
    for number in range(4):
        b.jal(RA, "f")
        b.label(f"back{number}")
        for _ in range(3):
            b.nop()
    b.c_jr(10)
    b.label("f")
    b.c_nop()
    b.c_jr(RA)
    walk, at = s.start(b)
    for turn in range(4):
        for number in range(4):
            walk.step(2).jump(at[f"back{number}"]).step(1 + (turn + number) % 2)
            if (turn + number) % 3:
                walk.context ^= 5
            walk.run_to(at[f"back{number}"] + 12)
        walk.jump(at["main"])
    walk.step()
