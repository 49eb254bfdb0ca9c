# SPDX-License-Identifier: Apache-2.0
"""Scenarios of what a trap reports: cause, tval, privilege, and how it ends (format 3.1, ET-7, ET-10, implicit
exceptions).
"""

from __future__ import annotations

from rvtrace.models.riscv.retired import Priv
from rvtrace.tb.common.stimulus.traced_program import behind
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    FOUR,
    SMALL,
    TWO,
    Script,
    builder,
    configs,
    handle,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.traps import (
    BREAKPOINT,
    ECALL_M,
    ECALL_S,
    ECALL_U,
    EVERYWHERE,
    ILLEGAL,
    LOAD_FAULT,
    PAGE_FAULT,
    SOFTWARE,
    TIMER,
    main_code,
)

EXTERNAL = 11  # interrupt


@scenario(
    "ET-7", "ET.pay.trap", "ET.pay.tval", configs=(*configs({}, SMALL, FOUR, COUNTER), *configs(implicit_exception=1))
)
def causes(s: Script) -> None:
    """Every cause of 6 bits, as exception and as interrupt, with a tval of each length."""
    walk, at = s.start(main_code(builder(s.config)))
    for cause in range(64):
        for interrupt in (False, True):
            value = (1 << cause % s.config.xlen) - (cause & 1)
            walk.trap(cause, at["trap_handler"], interrupt, tval=value if cause % 3 else -value % (1 << s.config.xlen))
            handle(walk, at["main"]).step()
            walk.step().branch(True).step().jump(at["main"])
    walk.step()


@scenario("ET.alg.before_trap", "ET.alg.trap", "ET-7", configs=configs({}, TWO, FOUR, COUNTER))
def ecall(s: Script) -> None:
    """ecall and ebreak do not retire: their own address is the EPC; the handler returns after them."""
    b = builder(s.config)
    b.nop()
    b.ecall()
    b.label("behind")
    b.nop()
    b.ebreak()
    b.c_ebreak()
    b.ecall()
    b.nop()
    b.c_jr(10)
    walk, at = s.start(b)
    walk.step()
    for cause, after in ((ECALL_M, 1), (BREAKPOINT, 0), (BREAKPOINT, 0), (ECALL_M, 1)):
        back = behind(s.program, walk.pc)
        handle(walk.trap(cause, at["trap_handler"]), back).step(after)
    walk.jump(at["behind"] - 4)  # the target of a jump is an ecall
    handle(walk.trap(ECALL_M, at["trap_handler"]), at["behind"]).step()


@scenario("ET-10", "ET-7", "ET.alg.ppccd", "ET.alg.before_sync", "ET.pay.start", "ET.alg.updiscon",
          configs=(*EVERYWHERE, *configs({}, TWO, jump_target_cache=1, variant="v2_0"),
                   *configs(branch_prediction=1)))  # fmt: skip
def xret_kinds(s: Script) -> None:
    """xRETs to every privilege, the same and another, with and without branches pending; traps back from each."""
    b = main_code(builder(s.config))
    b.label("supervisor")
    b.nop()
    b.beq(8, 9, "supervisor_end")
    b.c_nop()
    b.label("supervisor_end")
    b.sret()
    walk, at = s.start(b)
    modes = (Priv.M, Priv.S, Priv.U) + ((Priv.VS, Priv.VU) if s.config.privilege_width_p == 3 else ())
    for mode in (*modes, *modes):
        walk.run_to(at["branch"]).branch(True).step().jump(at["trap_handler"])
        walk.step(3).jump(at["main"], priv=mode).step().trap(
            {Priv.U: ECALL_U, Priv.VU: ECALL_U, Priv.M: ECALL_M}.get(mode, ECALL_S), at["trap_handler"]
        )
        walk.step(3).jump(at["main"], priv=mode).trap(
            TIMER, at["trap_handler"], interrupt=True
        )  # nothing retires in the new mode
        walk.step(3).jump(at["main"], priv=mode).step(2).branch(False).trap(PAGE_FAULT, at["supervisor"], priv=Priv.S)
        walk.step().branch(mode == Priv.U).run()
        walk.jump(at["main"], priv=Priv.S if mode == Priv.M else mode).step()
        walk.step().branch(True).step().jump(at["after"])
        walk.trap(ILLEGAL, at["trap_handler"]).step(3).jump(at["supervisor"], priv=Priv.S).step().branch(True)
        walk.jump(at["trap_handler"], priv=Priv.S).trap(LOAD_FAULT, at["trap_nested"]).step().jump(
            at["main"]
        )  # the same privilege
    walk.step()


@scenario(
    "ET-7",
    "ET.alg.ppccd",
    "ET.alg.trap",
    "ET.alg.trap_again",
    configs=(*configs({}, TWO, SMALL), *configs({}, implicit_exception=1)),
    retirement="single",
)
def nested_privileges(s: Script) -> None:
    """Traps from user to supervisor to machine mode, back to back and one instruction apart: each reports its own
    cause, tval and privilege.
    """
    b = main_code(builder(s.config))
    b.label("supervisor")
    b.nop()
    b.nop()
    b.sret()
    walk, at = s.start(b)
    walk.step(2).branch(True).step().jump(at["trap_handler"])
    for steps in (0, 1, 2):
        walk.step(3).jump(at["main"], priv=Priv.U).step().trap(ECALL_U, at["supervisor"], priv=Priv.S, tval=1)
        walk.step(steps).trap(PAGE_FAULT, at["trap_handler"], tval=2).step(steps)
        walk.trap(SOFTWARE, at["trap_nested"], interrupt=True, tval=3).step().jump(at["trap_handler"]).run()
        walk.jump(at["supervisor"], priv=Priv.S).step(2).jump(at["main"], priv=Priv.U).trap(
            TIMER, at["supervisor"], interrupt=True, priv=Priv.S
        )
        walk.step(steps).trap(EXTERNAL, at["trap_handler"], interrupt=True)
    handle(walk, at["main"]).step()
    if s.config.privilege_width_p == 3:
        walk.step().branch(True).step().jump(at["trap_handler"]).step(3).jump(at["supervisor"], priv=Priv.VS).step(
            2
        ).jump(at["main"], priv=Priv.VU)
        walk.step().trap(ECALL_U, at["supervisor"], priv=Priv.VS).step(2).jump(at["main"], priv=Priv.VU).step().trap(
            PAGE_FAULT, at["trap_handler"]
        )
        handle(walk, at["main"]).step()


@scenario("ET.alg.trap", "ET.alg.ended", "ET-16", configs=(*configs({}, TWO, SMALL), *configs(COUNTER)))
def trap_last(s: Script) -> None:
    """Trace ends right after a trap, before or at the handler's first instruction; after two traps, and after one at
    a jump's target.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for interrupt in (False, True):
        for steps in (0, 1):
            for chain in (1, 2):
                for come in (False, True):
                    if come:
                        walk.step(2).branch(True).step().jump(at["after"])
                    else:
                        walk.step()
                    for _ in range(chain):
                        walk.trap(TIMER if interrupt else LOAD_FAULT, at["trap_handler"], interrupt)
                    walk.step(steps).trace_off().trace_on()
                    walk.step(3 - steps).jump(at["main"])
    walk.step()


@scenario(
    "ET.opt.implicit_exception",
    "ET.pay.trap",
    "ET-9",
    configs=(*configs({}, FOUR, SMALL, implicit_exception=(0, 1)), *configs(COUNTER, implicit_exception=1)),
)
def implicit_exceptions(s: Script) -> None:
    """Handlers at many addresses, one for each cause, so that with the option only a table of vectors finds them."""
    b = main_code(builder(s.config))
    for cause in range(12):
        for what in ("exception", "interrupt"):
            b.label(f"{what}{cause}")
            b.addi(5, 5, cause)
            b.mret()
    walk, at = s.start(b)
    for cause in range(12):
        for interrupt in (False, True):
            name = f"{'interrupt' if interrupt else 'exception'}{cause}"
            walk.step(2).trap(cause, at[name], interrupt=interrupt).step().jump(at["branch"]).branch(False)
            walk.trap(cause, at[name], interrupt=interrupt).step().jump(at["jump"]).jump(at["after"])
            walk.trap(cause, at[name], interrupt=interrupt).step().jump(at["landing"])  # at the target of a jump
            walk.trap(cause, at[name], interrupt=interrupt).trap(11 - cause, at[f"exception{11 - cause}"]).step().jump(
                at["main"]
            )
    walk.step()


@scenario(
    "ET-7",
    "ET.pay.ecause",
    "ET.pay.tval",
    "ET.pay.trap",
    "ET.alg.trap",
    configs=(*configs({}, SMALL, FOUR, COUNTER), *configs({}, implicit_exception=1)),
)
def causes_inside(s: Script) -> None:
    """Every cause of 6 bits, as exception and as interrupt, with a tval of each length, after code that retired:
    reported at the handler.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for cause in range(64):
        for interrupt in (False, True):
            value = (1 << cause % s.config.xlen) - (cause & 1)
            walk.step(1 + cause % 2).trap(
                cause, at["trap_handler"], interrupt, tval=value if cause % 3 else -value % (1 << s.config.xlen)
            )
            handle(walk, at["main"])
    walk.step()
