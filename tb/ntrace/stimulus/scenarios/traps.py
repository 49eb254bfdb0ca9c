# SPDX-License-Identifier: Apache-2.0
"""Scenarios of exceptions and interrupts (tables 3 and 26, sections 8.4 and 8.6, NT-11, NT-12)."""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.tb.ntrace.stimulus.scenarios.base import RV32, TWO, Script, builder, configs, handle, scenario

BOTH_BTYPES = configs(b_type=("2_3", "1"))
ILLEGAL, BREAKPOINT, LOAD_FAULT, ECALL_M, PAGE_FAULT, TIMER = 2, 3, 5, 11, 12, 7


def _main(config: Config) -> ProgramBuilder:
    """A stretch of code with places to trap at: linear, branch, jump, call."""
    b = builder(config)
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
    b.jal(0, "landing")
    b.nop()
    b.label("landing")
    b.nop()
    b.nop()
    return b


@scenario("NT.2.exception", "NT.2.interrupt", "NT.2.xret", "NT-11", "NT.8.4.icnt",
          configs=(*BOTH_BTYPES, *configs(**RV32), *configs(**TWO)))  # fmt: skip
def trap_kinds(s: Script) -> None:
    """An exception and an interrupt in linear code, with and without instructions before; return by mret."""
    walk, at = s.start(_main(s.config))
    for interrupt in (False, True):
        for steps in (0, 1):
            walk.step(steps)
            back = walk.pc
            walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt)
            handle(walk, back)
        walk.run_to(at["branch"]).branch(False).step(2).jump(at["main"])
    walk.step()


@scenario("NT.V.ecall", "NT.8.4.icnt", configs=configs())
def ecall(s: Script) -> None:
    """ecall, ebreak and c.ebreak: counted in rc7, not in v1_0; the handler returns after them."""
    b = builder(s.config)
    b.nop()
    b.ecall()
    b.nop()
    b.ebreak()
    b.c_ebreak()
    b.ecall()
    b.nop()
    walk, at = s.start(b)
    handler = at["trap_handler"]
    walk.step()
    for cause, size, after in ((ECALL_M, 4, 1), (BREAKPOINT, 4, 0), (BREAKPOINT, 2, 0), (ECALL_M, 4, 1)):
        back = walk.pc + size
        handle(walk.trap(cause, handler), back).step(after)


@scenario("NT.8.6.back_to_back_traps", "NT-12", "NT-19", configs=(*BOTH_BTYPES, *configs(**TWO)))
def back_to_back_traps(s: Script) -> None:
    """A trap at the handler's first instruction, two and three deep: I-CNT=0, U-ADDR against the handler before."""
    walk, at = s.start(_main(s.config))
    first, nested = at["trap_handler"], at["trap_nested"]
    walk.step()
    back = walk.pc
    walk.trap(LOAD_FAULT, first).trap(ILLEGAL, nested).step().jump(first)
    handle(walk, back).step()
    back = walk.pc
    walk.trap(TIMER, first, interrupt=True).trap(PAGE_FAULT, nested).trap(ILLEGAL, nested)
    walk.trap(TIMER, first, interrupt=True)
    handle(walk, nested).step().jump(back).branch(False)
    walk.step()


@scenario("NT.8.6.back_to_back_traps", configs=BOTH_BTYPES)
def exception_in_interrupt(s: Script) -> None:
    """An exception at the interrupt's destination, and one inside the handler (table 26)."""
    walk, at = s.start(_main(s.config))
    first, nested = at["trap_handler"], at["trap_nested"]
    walk.step()
    back = walk.pc
    walk.trap(TIMER, first, interrupt=True).trap(PAGE_FAULT, nested).step().jump(first).step()
    inside = walk.pc
    walk.trap(LOAD_FAULT, nested).step().jump(inside).step(2).jump(back)
    walk.step()


@scenario("NT-12", configs=(*configs(), *configs(**TWO)))
def trap_at_target(s: Script) -> None:
    """A trap right at the target of an indirect jump, a taken branch and a direct jump: the jump's message, then
    I-CNT=0.
    """
    walk, at = s.start(_main(s.config))
    walk.step(2).branch(True).trap(PAGE_FAULT, at["trap_handler"])
    handle(walk, at["target"]).step().jump(at["after"]).trap(PAGE_FAULT, at["trap_handler"])
    handle(walk, at["after"]).step(2).trap(TIMER, at["trap_handler"], interrupt=True)
    handle(walk, at["landing"]).step()


@scenario("NT.8.6.trap_at_start", "NT.8.5.sync3", "NT.8.5.sync5", configs=BOTH_BTYPES)
def trap_at_start(s: Script) -> None:
    """An exception or a pending interrupt at the first instruction traced, after trace on and after debug exit (table
    26).
    """
    walk, at = s.start(_main(s.config), on=False)
    walk.debug_entry().trace_on().debug_exit(at["main"]).trap(TIMER, at["trap_handler"], interrupt=True)
    handle(walk, at["main"]).step().debug_entry().debug_exit(at["branch"]).trap(ILLEGAL, at["trap_handler"])
    handle(walk, at["branch"]).branch(False).trace_off().trace_on(at["landing"]).trap(PAGE_FAULT, at["trap_handler"])
    handle(walk, at["landing"]).step().trace_off().trace_on(at["landing"]).trap(
        TIMER, at["trap_nested"], interrupt=True
    )
    walk.step().jump(at["landing"]).step()


@scenario("NT-12", "NT.2.xret", configs=(*configs(), *configs(**TWO)))
def trap_after_xret(s: Script) -> None:
    """A trap before the first instruction after mret, sret and uret: ordinary messages."""
    b = _main(s.config)
    b.label("user")
    b.nop()
    b.uret()
    b.label("supervisor")
    b.nop()
    b.sret()
    walk, at = s.start(b)
    walk.step().trap(LOAD_FAULT, at["trap_handler"])
    handle(walk).jump(at["supervisor"], priv=Priv.S).trap(PAGE_FAULT, at["trap_handler"])
    handle(walk).jump(at["supervisor"], priv=Priv.S).step().jump(at["user"], priv=Priv.U)
    walk.trap(TIMER, at["trap_handler"], interrupt=True)
    handle(walk).jump(at["user"], priv=Priv.U).step().jump(at["main"]).trap(TIMER, at["trap_nested"], interrupt=True)
    walk.step().jump(at["main"]).step()


@scenario("NT.2.exception", "NT.8.3.hist", "NT.8.4.icnt", configs=configs(b_type=("2_3", "1")), retirement="single")
def trap_after_branch(s: Script) -> None:
    """A trap right after a branch, taken and not taken, and inside a stretch with HIST pending."""
    walk, at = s.start(_main(s.config))
    for taken in (True, False):
        walk.step(2).branch(taken)
        back = walk.pc
        handle(walk.trap(LOAD_FAULT, at["trap_handler"]), back).step(1 if taken else 2).jump(at["main"])
    walk.step(2).branch(False).step()
    handle(walk.trap(TIMER, at["trap_handler"], interrupt=True), at["target"]).step().jump(at["landing"]).step()


@scenario("NT.2.exception", "NT.2.interrupt", configs=configs())
def handler_starts(s: Script) -> None:
    """Handlers whose first instruction is a call, a return, a jump, a branch or an xRET, after exceptions and
    interrupts.
    """
    b = _main(s.config)
    makers = {
        "call": lambda: b.c_jalr(10),
        "return": lambda: b.c_jr(1),
        "swap": lambda: b.jalr(1, 5),
        "tail": lambda: b.c_jr(10),
        "jump": lambda: b.jalr(3, 10),
        "branch": lambda: b.c_beqz(8, "handler_end"),
        "xret": b.mret,
    }
    for name, make in makers.items():
        b.label(f"handler_{name}")
        make()
    b.label("handler_end")
    b.mret()
    walk, at = s.start(b)
    for interrupt in (False, True):
        for name in makers:
            walk.step().trap(TIMER if interrupt else LOAD_FAULT, at[f"handler_{name}"], interrupt=interrupt)
            if name == "branch":
                walk.branch(True)
            elif name != "xret":
                walk.jump(at["handler_end"])
            walk.jump(at["main"])
    walk.step()
