# SPDX-License-Identifier: Apache-2.0
"""Scenarios of uninferable discontinuities and of jumps that are inferred sequentially (ET-1, ET-13)."""

from __future__ import annotations

from random import Random

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv, Retired
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.traced_program import idle_sijump_code, through_idle_sijump, with_idle_sijump
from rvtrace.tb.etrace.stimulus.scenarios import base
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    DRAFT,
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

INDIRECT = ("tail", "other", "call", "return", "swap", "xret", "short", "short_call", "short_swap", "popret")


def _kinds(config: Config) -> ProgramBuilder:
    """Each kind of uninferable jump at the label of its name, after another instruction; and one of each inferable
    kind, in a row at `direct`.
    """
    b = builder(config)
    make = {
        "tail": lambda: b.jalr(0, 10),
        "other": lambda: b.jalr(3, 10),
        "call": lambda: b.jalr(RA, 10),
        "return": lambda: b.jalr(0, RA),
        "swap": lambda: b.jalr(T0, RA),
        "xret": b.mret,
        "short": lambda: b.c_jr(10),
        "short_call": lambda: b.c_jalr(10),
    }
    if config.iaddress_lsb_p == 1:
        make |= {"short_swap": lambda: b.c_jalr(T0), "popret": b.cm_popret}
    for name, emit in make.items():
        b.label(name)
        b.nop()
        emit()
    b.label("direct")
    direct = [lambda to: b.jal(0, to), lambda to: b.jal(RA, to), lambda to: b.jal(3, to), b.c_j]
    for number, emit in enumerate(direct + [b.cm_jt, b.cm_jalt] * (config.iaddress_lsb_p == 1)):
        emit(f"direct{number}")
        b.nop()
        b.label(f"direct{number}")
    b.label("direct_end")
    b.nop()
    b.c_jr(10)
    return b


@scenario("ET-1", "ET.alg.updiscon", "ET.ing.itype3", "ET.ing.blocks",
          configs=(*configs({}, TWO, COUNTER), *configs(itype_width_p=3, variant=V2), *configs(FOUR, full_address=1),
                   *configs(jump_target_cache=1, variant=V2)))  # fmt: skip
def uninferable_jumps(s: Script) -> None:
    """Every kind of uninferable jump, then every other kind: each target is reported; inferable jumps are not."""
    walk, at = s.start(_kinds(s.config), "tail")
    kinds = [name for name in INDIRECT if name in at]
    for first in kinds:
        for second in kinds:
            walk.step().jump(at[first]).step().jump(at[second])
    walk.step().jump(at["direct"])
    for _ in range(2):
        walk.run_to(at["direct_end"]).step().jump(at["direct"])
    walk.step()


@scenario("ET-1", "ET.alg.updiscon", configs=(*configs({}, TWO), *configs(itype_width_p=3, variant=V2)))
def jalr_from_zero(s: Script) -> None:
    """jalr with rs1 = x0, with and without link, to either end of the address space: uninferable as any other."""
    b = builder(s.config)
    ends = {0: 0x700, RA: -16, 3: 0x710}
    for rd, offset in ends.items():
        b.label(f"part{rd}")
        b.jalr(rd, 0, offset)
    for offset in ends.values():
        b.org(offset % (1 << s.config.xlen))
        b.nop()
        b.c_jr(10)
    walk, at = s.start(b)
    for rd, then in ((0, RA), (RA, 3), (3, 0), (0, 3), (3, 3)):
        walk.jump(ends[rd] % (1 << s.config.xlen)).step().jump(at[f"part{then}"])
    walk.jump(ends[3]).step()


@scenario("ET.pay.updiscon", "ET-1", "ET-6", "ET.alg.before_trap", "ET-16", "ET-15",
          configs=(*configs({}, TWO, ctype=("2", "3")),
                   *configs(SMALL, jump_target_cache=1, variant=V2, ctype=("1", "3")), *configs(COUNTER)),
          retirement="single")  # fmt: skip
def updiscon_flag(s: Script) -> None:
    """The target of a jump is followed by an exception, an interrupt, another context or privilege, the end of trace,
    or by nothing special.
    """
    b = builder(s.config)
    b.label("plain")
    b.nop()
    b.nop()
    b.c_jr(10)
    b.label("branch")
    b.beq(8, 9, "behind")
    b.nop()
    b.label("behind")
    b.nop()
    b.label("tail")
    b.c_jr(10)
    b.label("call")
    b.jal(RA, "behind")
    b.label("xret")
    b.mret()
    walk, at = s.start(b, "tail")
    for target in ("plain", "branch", "tail", "call", "xret"):
        for event in range(6):
            walk.jump(at[target])
            if target == "branch":
                walk.branch(event % 2 == 0)
            elif target == "tail":
                walk.jump(at["plain"])
            elif target == "xret":
                walk.jump(at["plain"], priv=Priv.U if event == 5 else None)
            else:
                walk.step()
            _event(walk, event, at)
            walk.run_to(at["tail"]) if at["branch"] <= walk.pc <= at["tail"] else walk.run()
            if walk.priv != Priv.M:
                walk.trap(8, at["trap_handler"], priv=Priv.M)
                handle(walk, at["tail"])
    walk.jump(at["plain"]).step()


def _event(walk: Walk, event: int, at: dict[str, int]) -> None:
    """What follows an instruction: exception, interrupt, new context, end of trace, notify, nothing."""
    back = walk.pc
    if event == 0:
        handle(walk.trap(2, at["trap_handler"]), back)
    elif event == 1:
        handle(walk.trap(7, at["trap_handler"], interrupt=True), back)
    elif event == 2:
        walk.context ^= 0x3C
    elif event == 3:
        walk.trace_off().trace_on()
    elif event == 4:
        walk.notify()


_PAIRS = (
    ("auipc", "jalr", 0, 6),
    ("lui", "jalr", 0, 6),
    ("auipc", "jalr", RA, RA),
    ("auipc", "jalr", 0, RA),
    ("auipc", "jalr", T0, 7),
    ("auipc", "jalr", 3, 6),
)


def _pairs(config: Config) -> ProgramBuilder:
    """A load and a jump through it at `pair<n>`, leading to `to<n>`, which leads to the next; `apart` has an
    instruction between the two.
    """
    b = builder(config, 0x10_0000, 0x20_0000)
    for index, (load, jump, rd, rs1) in enumerate(_PAIRS):
        b.label(f"pair{index}")
        b.labels[f"jump{index}"] = b.pair(load, jump, rd, rs1, f"to{index}") + 4
        b.nop()
        b.label(f"to{index}")
        b.nop()
    b.label("apart")
    b.auipc(7, 0)
    b.nop()
    b.jalr(0, 7, 0)
    return b


@scenario("ET-13", "ET.opt.sijump",
          configs=(*configs({}, TWO, sijump=(0, 1)), *configs(FOUR, COUNTER, sijump=1),
                   *configs(sijump=1, itype_width_p=3, variant=V2),
                   *configs(SMALL, sijump=1, jump_target_cache=1, variant=V2)))  # fmt: skip
def sequential_jumps(s: Script) -> None:
    """lui or auipc right before the jump: nothing is reported with the option; with an instruction between them the
    target is.
    """
    b = _pairs(s.config)
    walk, at = s.start(b)
    for _ in range(2):
        _through(walk, b, range(len(_PAIRS)))
        walk.step(2).jump(at["main"])
    walk.step()


@scenario("ET-13", "ET.opt.sijump", configs=configs({}, TWO, sijump=(0, 1)), retirement="single")
def sequential_jumps_alone(s: Script) -> None:
    """The same with one instruction a block: the load is in the block before."""
    sequential_jumps(s)


def _through(walk: Walk, b: ProgramBuilder, pairs: range) -> Walk:
    for index in pairs:
        walk.run_to(b.labels[f"jump{index}"]).jump(b.labels[f"to{index}"]).step()
    return walk


@scenario("ET-13", "ET.opt.sijump", "ET.alg.before_trap", "ET-2", configs=configs({}, TWO, FOUR, sijump=(0, 1)))
def sequential_jump_broken(s: Script) -> None:
    """A trap between load and jump, trace or a filter that begins between them, a jump to the second half: the target
    is reported.
    """
    b = _pairs(s.config)
    walk, at = s.start(b)
    for index in range(len(_PAIRS)):
        for interrupt in (False, True):  # between the two
            walk.step().trap(7 if interrupt else 2, at["trap_handler"], interrupt)
            handle(walk, at[f"jump{index}"]).jump(at[f"to{index}"]).step().trap(3, at["trap_nested"], interrupt=True)
            walk.step().jump(at[f"pair{index}"])
        walk.step().trace_off().trace_on().jump(at[f"to{index}"]).trap(
            7, at["trap_nested"], interrupt=True
        )  # trace begins between
        walk.step().jump(at[f"jump{index}"]).jump(at[f"to{index}"]).trap(
            3, at["trap_nested"], interrupt=True
        )  # the load elsewhere
        walk.step().jump(at[f"pair{index}"])
        _through(walk, b, range(index, index + 1))


@scenario("ET-13", "ET.opt.sijump", "ET.alg.before_trap", "ET.alg.last", "ET.alg.notify", "ET-15",
          configs=(*configs({}, TWO, sijump=1, ctype=("1", "2", "3")),
                   *configs(FOUR, sijump=1, variant=DRAFT)))  # fmt: skip
def sequential_jump_then_event(s: Script) -> None:
    """An inferred jump, or its target, is followed by a trap, another context, a trigger or the end of trace: the
    address is still reported.
    """
    b = _pairs(s.config)
    walk, at = s.start(b)
    for index in (0, 2, 3):
        for place in range(3):  # after the load, the jump, its target
            for event in range(5):
                walk.step()
                if place > 0:
                    walk.jump(at[f"to{index}"])
                if place > 1:
                    walk.step()
                _event(walk, event, at)
                if place == 0:
                    walk.jump(at[f"to{index}"])
                walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at[f"pair{index}"])
        _through(walk, b, range(index, index + 1 if index else 2))
    walk.step()


@scenario("ET-13", "ET.opt.sijump", "ET.alg.updiscon", "ET.alg.first",
          configs=(*configs({}, TWO, sijump=(0, 1)), *configs(COUNTER, sijump=1),
                   *configs(FOUR, sijump=1, full_address=1),
                   *configs(sijump=1, full_address=1, variant=DRAFT)))  # fmt: skip
def sequential_jump_first(s: Script) -> None:
    """Trace begins between load and jump, by level and after a halt: the target is reported, and what follows is the
    ordinary pair.
    """
    b = builder(s.config, 0x10_0000, 0x20_0000)
    for index in range(4):
        b.pair("auipc" if index < 3 else "lui", "jalr", (0, 3, RA, 0)[index], 6 if index != 2 else RA, f"to{index}")
        b.nop()
        b.label(f"to{index}")
        b.nop()
    b.c_jr(10)
    walk, at = s.start(b)
    for index in range(4):
        walk.step()
        (walk.debug_entry if index % 2 else walk.trace_off)()
        (walk.debug_exit if index % 2 else walk.trace_on)()
        walk.jump(at[f"to{index}"]).step()
    walk.jump(at["main"]).step()


def _with_sijump(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return with_idle_sijump(base.place(config, "block", retired, rng))


@scenario("ET-13", "ET.opt.sijump", "ET.ing.sijump", configs=configs({}, TWO, sijump=1), beats=_with_sijump)
def sijump_means_nothing(s: Script) -> None:
    """sijump is 1 at xRETs, branches, traps and direct jumps, where the port's table has it ignored."""
    b = builder(s.config)
    idle_sijump_code(b)
    walk, at = s.start(b)
    through_idle_sijump(walk, at)
