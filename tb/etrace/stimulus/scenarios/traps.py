# SPDX-License-Identifier: Apache-2.0
"""Scenarios of exceptions, interrupts and their returns (formats 3.1 and 3.0, ET-2, ET-3, ET-7 to ET-10)."""

from __future__ import annotations

from itertools import product

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.traced_program import behind
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    FOUR,
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

ILLEGAL, BREAKPOINT, LOAD_FAULT, ECALL_U, ECALL_S, ECALL_M, PAGE_FAULT, TIMER, SOFTWARE = 2, 3, 5, 8, 9, 11, 12, 7, 3
EVERYWHERE = configs({}, TWO, FOUR, SMALL, COUNTER)


def main_code(b: ProgramBuilder) -> ProgramBuilder:
    """A stretch of code with places to trap at: linear, branch, jump, direct jump, return."""
    b.nop()
    b.c_nop()
    b.label("branch")
    b.beq(8, 9, "target")
    b.nop()
    b.label("target")
    b.c_nop()
    b.label("jump")
    b.c_jr(10)
    b.label("after")
    b.nop()
    b.label("direct")
    b.jal(0, "landing")
    b.nop()
    b.label("landing")
    b.nop()
    b.nop()
    b.label("return")
    b.c_jr(RA)
    return b


@scenario("ET-8", "ET-7", "ET.alg.trap", "ET.alg.before_trap", "ET.pay.trap", "ET.pay.thaddr",
          "ET.opt.implicit_exception", "ET.opt.full_address",
          configs=(*EVERYWHERE, *configs({}, SMALL, implicit_exception=1), *configs(FOUR, full_address=1)))  # fmt: skip
def trap_kinds(s: Script) -> None:
    """An exception and an interrupt with and without instructions in their block, with and without branches pending;
    return by mret.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for interrupt in (False, True):
        for steps in (0, 1, 2):
            walk.step(steps)
            back = walk.pc
            walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt, tval=0x1234)
            handle(walk, back)
            walk.run_to(at["branch"]).branch(steps == 1)
            walk.run(steps)
            back = walk.pc
            handle(walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt), back)
            walk.run_to(at["jump"]).jump(at["main"])
    walk.step()


@scenario("ET-8", "ET.alg.trap", "ET.ing.blocks", configs=configs({}, TWO, FOUR), retirement="single")
def trap_kinds_alone(s: Script) -> None:
    """The same with one instruction a block: an interrupt with iretire 0 after the retirement."""
    trap_kinds(s)


@scenario(
    "ET-3",
    "ET.alg.first",
    "ET.alg.trap_again",
    "ET.alg.reported",
    "ET.pay.thaddr",
    configs=(*EVERYWHERE, *configs(implicit_exception=1)),
)
def trap_first(s: Script) -> None:
    """The first instruction traced traps, or an interrupt comes before it or after it; for each way in which trace
    begins.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for first in range(3):  # instructions retired before the trap
        for interrupt in (False, True):
            for again in ("trace", "debug", "reset"):
                if again == "trace":
                    walk.trace_off().trace_on()
                elif again == "debug":
                    walk.debug_entry().debug_exit()
                else:
                    walk.reset_entry().reset_exit(at["main"])
                walk.run(first)
                back = walk.pc
                walk.trap(TIMER if interrupt else PAGE_FAULT, at["trap_handler"], interrupt, tval=back)
                handle(walk, at["main"])
    for length in (2, 3, 4):
        walk.trace_off().trace_on()
        for depth in range(length):
            walk.trap((ILLEGAL, SOFTWARE)[depth % 2], at["trap_nested"], interrupt=depth % 2 == 1)
        walk.step().jump(at["main"])
    walk.step()


@scenario(
    "ET-2",
    "ET.alg.trap_again",
    "ET.alg.trap",
    "ET.pay.thaddr",
    configs=(*EVERYWHERE, *configs({}, SMALL, implicit_exception=1)),
)
def back_to_back_traps(s: Script) -> None:
    """Two, three and four traps without an instruction between them, exceptions and interrupts in every order, after
    straight code.
    """
    b = main_code(builder(s.config))
    walk, _ = s.start(b, "jump")
    _chains(walk, b, "main", 1)


@scenario("ET-2", "ET.alg.trap_again", "ET.alg.reported", "ET.alg.updiscon", "ET.pay.thaddr",
          configs=(*EVERYWHERE, *configs({}, SMALL, implicit_exception=1), *configs(implicit_return=1, variant=V2),
                   *configs(COUNTER, implicit_return=1)))  # fmt: skip
def traps_at_target(s: Script) -> None:
    """One to four traps at the target of an uninferable jump, where nothing has retired: the EPC, then the handler by
    3.0.
    """
    b = main_code(builder(s.config))
    walk, _ = s.start(b, "jump")
    _chains(walk, b, "after", 0)


def _chains(walk: Walk, b: ProgramBuilder, target: str, steps: int) -> Walk:
    """Jump to the target and go so many steps, then each chain of one to three traps, and one of four."""
    at = b.labels
    chains = [chain for length in (1, 2, 3) for chain in product((False, True), repeat=length)]
    for chain in (*chains, (True, False, True, True)):
        walk.jump(at[target]).run(steps)
        for depth, interrupt in enumerate(chain):
            cause = (TIMER if depth % 2 else SOFTWARE) if interrupt else (ILLEGAL if depth % 2 else PAGE_FAULT)
            walk.trap(cause, at["trap_nested" if depth % 2 else "trap_handler"], interrupt, tval=0x10 << depth)
        walk.run()
        walk.jump(at["jump"])
    return walk.jump(at["main"]).step()


@scenario(
    "ET-2",
    "ET-1",
    "ET.alg.before_trap",
    "ET.alg.updiscon",
    configs=(*EVERYWHERE, *configs(jump_target_cache=1, branch_prediction=1, variant=V2)),
)
def trap_behind_jumps(s: Script) -> None:
    """A trap right at, and one instruction after, the target of a branch, a direct jump, an indirect one, a return and
    an xRET.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for interrupt in (False, True):
        for steps in (0, 1):
            for taken in (True, False):
                walk.run_to(at["branch"]).branch(taken)
                _trap(walk, at, steps, interrupt).run_to(at["jump"]).jump(at["after"])
                _trap(walk, at, steps, interrupt).run_to(at["direct"]).step()
                _trap(walk, at, steps, interrupt).run_to(at["return"]).jump(at["target"])
                _trap(walk, at, steps, interrupt).run_to(at["jump"]).jump(behind(s.program, at["trap_handler"]))
                walk.step(2).jump(at["landing"])
                _trap(walk, at, steps, interrupt).run_to(at["return"]).jump(at["main"])
    walk.step()


def _trap(walk: Walk, at: dict[str, int], steps: int, interrupt: bool) -> Walk:
    walk.run(steps)
    back = walk.pc
    walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt)
    return handle(walk, back)


@scenario("ET-9", "ET.pay.branch_bit", "ET.alg.trap", "ET.alg.reported", "ET.opt.reset_on_sync",
          configs=(*EVERYWHERE, *configs(branch_prediction=1),
                   *configs(implicit_return=1, jump_target_cache=1, variant=V2)))  # fmt: skip
def handler_starts(s: Script) -> None:
    """Handlers, and traces, whose first instruction is a branch, a call, a return, a jump of any kind or an xRET."""
    b = main_code(builder(s.config))
    makers = {
        "taken": lambda: b.c_beqz(8, "handler_end"),
        "not_taken": lambda: b.c_bnez(8, "handler_end"),
        "call": lambda: b.c_jalr(10),
        "return": lambda: b.c_jr(RA),
        "swap": lambda: b.jalr(RA, T0),
        "tail": lambda: b.c_jr(10),
        "direct": lambda: b.jal(RA, "handler_end"),
        "jump": lambda: b.jal(0, "handler_end"),
        "link": lambda: b.jal(3, "handler_end"),
        "other": lambda: b.jalr(3, 10),
        "xret": b.mret,
    }
    for name, make in makers.items():
        b.label(f"handler_{name}")
        make()
    b.label("handler_end")
    b.mret()
    walk, at = s.start(b)

    def first(name: str) -> None:
        if name in ("taken", "not_taken"):
            walk.branch(name == "taken")
            if name == "not_taken":
                walk.jump(at["handler_end"])
        elif name in ("direct", "jump", "link"):
            walk.step()
        elif name != "xret":
            walk.jump(at["handler_end"])
        walk.jump(at["main"])

    for cause, name in enumerate(makers):
        for interrupt in (False, True):
            walk.step().trap(cause + 16, at[f"handler_{name}"], interrupt=interrupt)
            first(name)
            walk.step(2).branch(True).step().jump(at["after"]).trap(
                cause + 16, at[f"handler_{name}"], interrupt=interrupt
            )  # 3.0 at the handler
            first(name)
        walk.trace_off().trace_on(at[f"handler_{name}"])
        first(name)
    walk.step()


@scenario("ET.bt.inferable", "ET-8", "ET.alg.before_trap", configs=configs({}, TWO, FOUR, COUNTER))
def trap_behind_direct(s: Script) -> None:
    """One, two and three instructions after a direct jump, a direct call and a linked jump comes a trap; no branch
    anywhere.
    """
    b = builder(s.config)
    for number, rd in enumerate((0, RA, 3)):
        b.label(f"from{number}")
        b.nop()
        b.jal(rd, f"to{number}")
        b.nop()
        b.label(f"to{number}")
        for _ in range(4):
            b.nop()
    b.c_jr(10)
    walk, at = s.start(b, "from0")
    for steps in (1, 2, 3):
        for interrupt in (False, True):
            for number in range(3):
                walk.step(2 + steps)
                back = walk.pc
                handle(walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt), back)
                walk.run_to(at[f"from{number + 1}"]) if number < 2 else walk.run()
            walk.jump(at["from0"])
    walk.step()
