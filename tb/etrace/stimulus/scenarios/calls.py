# SPDX-License-Identifier: Apache-2.0
"""Scenarios of calls and returns that make the implicit return ambiguous: anchors, tail calls, shared tails,
co-routines (ET-14).
"""

from __future__ import annotations

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.nested import ascend, deepen
from rvtrace.tb.etrace.stimulus.scenarios.base import RA, SMALL, T0, TWO, V2, Script, builder, configs, handle, scenario
from rvtrace.tb.etrace.stimulus.scenarios.returns import AIDED, ALL, COUNTED, recursive


def _repeated(config: Config) -> ProgramBuilder:
    """`main` calls f four times in a row, directly, indirectly and through a pair, without a branch between; f has two
    instructions and a return.
    """
    b = builder(config, 0x10_0000, 0x20_0000)
    for number in range(3):
        b.label(f"call{number}")
        b.jal(RA, "f")
        b.label(f"back{number}")
    b.nop()
    b.label("call3")
    b.jalr(RA, 10)
    b.label("back3")
    b.label("load")
    b.labels["call4"] = b.pair("auipc", "jalr", RA, RA, "f") + 4
    b.label("back4")
    b.label("call5")
    b.jal(T0, "g")
    b.label("back5")
    b.nop()
    b.beq(8, 9, "main")
    b.c_jr(10)
    b.label("f")
    b.nop()
    b.c_nop()
    b.label("f_end")
    b.c_jr(RA)
    b.label("g")
    b.jal(RA, "f")
    b.label("g_back")
    b.label("g_end")
    b.c_jr(T0)
    return b


def _round(walk: Walk, at: dict[str, int], event: int = -1, inside: int = 0) -> Walk:
    """All six calls; `event` after the instruction `inside` of f in that call (`_happen`)."""
    for number in range(6):
        walk.run_to(at[f"call{number}"]) if number != 4 else walk.step()
        if number in (3, 4):
            walk.jump(at["f"])
        else:
            walk.step()
        if number == 5:
            walk.step()
        if number == event % 10 and event >= 0:
            walk.step(inside)
            _happen(walk, at, event // 10)
        walk.run_to(at["f_end"]).jump(at["g_back"] if number == 5 else at[f"back{number}"])
        if number == event % 10 and event >= 0 and inside == 3 and walk.pc != at["g_back"]:
            _happen(walk, at, event // 10)
        if number == 5:
            walk.jump(at["back5"])
    return walk.step()


def _happen(walk: Walk, at: dict[str, int], what: int) -> None:
    if what == 0:
        walk.notify()
    elif what == 1:
        back = walk.pc
        handle(walk.trap(2, at["trap_handler"]), back)
    elif what == 2:
        walk.trace_off().trace_on()
    elif what == 3:
        walk.context ^= 5


@scenario("ET-14", "ET.opt.anchor", "ET.opt.implicit_return", "ET.pay.notify",
          configs=(*ALL, *AIDED, *configs({}, SMALL, implicit_return=1, sijump=1, variant=V2),
                   *configs(implicit_return=0)))  # fmt: skip
def anchors(s: Script) -> None:
    """Calls of one function in a row without a branch between them: each call after an inferred return is an anchor."""
    walk, at = s.start(_repeated(s.config))
    for taken in (True, True, False):
        _round(walk, at).branch(taken)
    walk.jump(at["main"]).step()


@scenario("ET-14", "ET.opt.anchor", "ET.alg.before_trap", "ET.alg.notify", "ET.alg.last", "ET.pay.irdepth",
          configs=(*ALL, *configs({}, SMALL, implicit_return=1, sijump=1, ctype=("2", "3"), variant=V2)),
          retirement="single")  # fmt: skip
def events_between_calls(s: Script) -> None:
    """A trigger, a trap, another context or the end of trace in each of these calls: the same address was met in those
    before.
    """
    walk, at = s.start(_repeated(s.config))
    for event in range(4):
        for number in range(6):
            for inside in (1, 2):
                _round(walk, at, 10 * event + number, inside).branch(True)
    walk.step()


@scenario("ET-14", "ET.opt.anchor", "ET.alg.resync", "ET-4", "ET.opt.reset_on_sync",
          configs=configs({}, SMALL, implicit_return=1, inst_sync_mode=(1, 2, 3), variant=V2))  # fmt: skip
def resync_between_calls(s: Script) -> None:
    """Resynchronization at changing places of these calls: the stack is empty after it, and what is due is reported
    before it.
    """
    walk, at = s.start(_repeated(s.config))
    for number in range(60):
        _round(walk, at).branch(number % 5 > 0)
        if walk.pc != at["main"]:
            walk.jump(at["main"])
    walk.step()


@scenario("ET-14", "ET.opt.implicit_return", "ET.opt.stack", "ET-1", configs=(*ALL, *configs(implicit_return=0)))
def tail_calls(s: Script) -> None:
    """f ends in a jump to g, direct or by register, and g returns to the caller of f; two functions share a tail."""
    b = builder(s.config)
    b.jal(RA, "f")
    b.label("back0")
    b.jal(RA, "h")
    b.label("back1")
    b.jalr(RA, 10)
    b.label("back2")
    b.nop()
    b.c_jr(10)
    b.label("f")
    b.nop()
    b.beq(8, 9, "f_far")
    b.jal(0, "g")
    b.label("f_far")
    b.jalr(0, 12)
    b.label("h")
    b.nop()
    b.c_j("g_middle")
    b.label("g")
    b.nop()
    b.label("g_middle")
    b.nop()
    b.label("g_end")
    b.c_jr(RA)
    walk, at = s.start(b)
    for far in (False, True, False):
        walk.step(2).branch(far)
        if far:
            walk.jump(at["g"])
        walk.run_to(at["g_end"]).jump(at["back0"]).run_to(at["g_end"]).jump(at["back1"])
        for number, name in enumerate(("g", "h", "g_middle")):
            walk.jump(at[name]).run_to(at["g_end"])
            if number == 1:
                walk.notify()
            walk.jump(at["back2"])
            if number == 2:
                back = walk.pc
                handle(walk.trap(7, at["trap_handler"], interrupt=True), back)
            walk.step().jump(at["back1"] if number < 2 else at["main"])
    walk.step()


@scenario("ET.opt.implicit_return", "ET-1", "ET.alg.updiscon", configs=(*ALL, *configs(implicit_return=0)))
def coroutines(s: Script) -> None:
    """Two co-routines swap: a swap neither pushes nor pops and is reported; the next return is still inferred."""
    b = builder(s.config)
    b.jal(RA, "outer")
    b.label("back")
    b.nop()
    b.c_jr(10)
    b.label("outer")
    for name in ("one", "other"):
        b.label(name)
        for part in range(4):
            b.nop()
            b.label(f"{name}{part}")
            b.jalr(T0 if name == "one" else RA, RA if name == "one" else T0)
    b.label("end")
    b.c_jr(RA)
    walk, at = s.start(b)
    for last in (True, False):
        walk.step()
        for part in range(3):
            walk.run_to(at[f"one{part}"]).jump(at["other"] if part == 0 else at[f"other{part - 1}"] + 4)
            walk.run_to(at[f"other{part}"]).jump(at[f"one{part}"] + 4)
        walk.run_to(at["one3"]).jump(at["end"]).jump(at["back"]).step().jump(at["main"] if last else at["back"])
    walk.step()


@scenario("ET-14", "ET-2", "ET.alg.trap_again", "ET.alg.updiscon", configs=(*ALL, *AIDED))
def trap_behind_return(s: Script) -> None:
    """A trap strikes right at the address an inferred return goes to, and at one it should not have gone to; by
    exceptions and interrupts.
    """
    walk, at = s.start(recursive(s.config))
    for number in range(4):
        for depth in (1, 2, 4):
            for where in ("inner", "far") if s.config.return_stack_size_p else ("inner",):
                ascend(deepen(walk, depth), at, depth // 2).jump(at[where])
                walk.trap(7 if number % 2 else 12, at["trap_handler"], interrupt=bool(number % 2))
                if number > 1:
                    walk.trap(2, at["trap_nested"]).step().jump(at["trap_handler"])
                handle(walk, at["inner"]).step()
                ascend(walk, at, depth - depth // 2 - 1).jump(at["back"]).step().jump(at["main"])
    walk.step()


@scenario("ET-4", "ET-15", "ET.alg.resync", "ET.alg.context", "ET.alg.before_sync", "ET.pay.irreport",
          configs=(*configs({}, SMALL, implicit_return=1, inst_sync_mode=1, ctype="1", variant=V2),
                   *configs(inst_sync_mode=1, ctype="1")))  # fmt: skip
def resync_by_contexts(s: Script) -> None:
    """Context packets alone make a resynchronization due, where branches and returns are pending, or nothing is."""
    b = recursive(s.config)
    b.label("far_too")
    b.nop()
    b.jal(0, "leap")
    b.nop()
    b.label("leap")
    b.nop()
    b.jalr(0, 10)
    walk, at = s.start(b)

    def other() -> Walk:
        walk.context = walk.context + 1 & 0xFF
        return walk

    for depth in (*range(1, 12), 14, 15, 16):
        deepen(walk, depth)
        for _ in range(depth):
            walk.jump(at["inner"])
            other().step()
        walk.jump(at["back"]).step().jump(at["far_too"])
        for _ in range(depth):
            other().step()
            other().step()
            other().step().jump(at["far_too"])
        other().step(3).jump(at["main"])
    walk.step()


@scenario("ET.opt.reset_on_sync", "ET.opt.implicit_return", "ET-4", "ET.alg.resync",
          configs=(*configs({}, SMALL, implicit_return=1, inst_sync_mode=(1, 2, 3), variant=V2),
                   *(c | {"inst_sync_mode": 3} for c in COUNTED)))  # fmt: skip
def resync_in_recursion(s: Script) -> None:
    """Resynchronization while a recursion goes down and comes up, at every depth in turn, also right after a return."""
    walk, at = s.start(recursive(s.config))
    for depth in (*range(1, 14), 19, 18, 17, 3, 2):
        ascend(deepen(walk, depth), at, depth).jump(at["back"]).step().jump(at["main"])
    walk.step()


@scenario(
    "ET.opt.implicit_return",
    "ET.opt.stack",
    "ET.opt.misreturn",
    configs=configs({}, TWO, SMALL, implicit_return=1, variant=V2),
    retirement="single",
)
def compressed_calls(s: Script) -> None:
    """Calls of two and of four bytes at every half-word return where they should, and two bytes before and after."""
    b = builder(s.config)
    calls = ((b.c_jalr, 10), (b.jalr, RA, 10), (b.c_jalr, 10), (b.c_jalr, 10), (b.jalr, RA, 10), (b.jalr, RA, 10))
    for number, (call, *how) in enumerate(calls):
        b.label(f"call{number}")
        call(*how)
        b.label(f"back{number}")
        b.c_nop()
        b.c_nop()
    b.c_jr(10)
    b.label("f")
    b.c_nop()
    b.c_jr(RA)
    walk, at = s.start(b)
    for wrong in (0, 2, 0, 2):
        for number in range(len(calls)):
            walk.jump(at["f"]).step().jump(at[f"back{number}"] + wrong).step(1 if wrong else 2)
        walk.jump(at["main"])
    walk.jump(at["f"]).step()
