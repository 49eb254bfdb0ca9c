# SPDX-License-Identifier: Apache-2.0
"""Scenarios of implicit returns and sequential jumps (9.1, 9.2, NT-4, NT-5)."""

from __future__ import annotations

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.tb.common.stimulus.nested import RA, T0, ascend, calls, deepen, descend, nest, recursive
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL, TWO, Script, builder, configs, handle, scenario

WELL = (1, 2, 3)
COMPARED = (2, 3)


def _calls(config: Config) -> ProgramBuilder:
    """`nested.calls`, and two places where a wrong return goes that are like r0."""
    b = calls(builder(config))
    b.org((b.here + 0x7FF & ~0x7FF) + (b.labels["r0"] & 0x7FF))
    b.label("alike")  # agrees with r0 in bits 10 to 0
    b.nop()
    b.jalr(0, 12)
    b.org(b.labels["alike"] ^ 0x400 | 0x800)
    b.label("near")  # agrees with r0 in bits 9 to 0
    b.nop()
    b.jalr(0, 12)
    return b


@scenario("NT.9.2.implicit_return", "NT-4", "NT-5", "NT.9.2.mode_counter",
          configs=(*configs(implicit_return=WELL), *configs(implicit_return=WELL, **SMALL),
                   *configs(implicit_return=3, **TWO)))  # fmt: skip
def nested_calls(s: Script) -> None:
    """Calls up to six deep return the way they came: nothing is sent but by a stack that is not deep enough."""
    walk, at = s.start(_calls(s.config))
    nest(walk, at, (0, 1, 3, 5, 2))


@scenario(
    "NT.9.2.implicit_return",
    "NT-4",
    "NT-5",
    configs=(*configs(implicit_return=COMPARED), *configs(implicit_return=COMPARED, **SMALL)),
)
def wrong_return(s: Script) -> None:
    """A return goes elsewhere than its call: it is reported, and the entries below are still good; so is a return
    without a call.
    """
    walk, at = s.start(_calls(s.config))
    walk.run_to(at["f0"])
    descend(walk, at, 0).jump(at["back"]).step()
    for _ in range(2):  # the second time without a call
        walk.jump(at["e0"]).jump(at["again"]).step()
    walk.jump(at["f0"])
    descend(walk, at, 2).jump(at["elsewhere"]).step().jump(at["e1"]).jump(at["r0"]).run_to(at["e0"]).jump(at["back"])
    walk.step().jump(at["e3"]).jump(at["e2"]).jump(at["main"]).run_to(at["f0"])
    descend(walk, at, 1).jump(at["elsewhere"]).step().jump(at["r0"]).run_to(at["e0"]).jump(at["back"]).step()
    for wrong in ("near", "alike" if s.config.implicit_return == 3 else "elsewhere"):  # mode 2 would not see "alike"
        walk.jump(at["f0"])
        descend(walk, at, 1).jump(at[wrong]).step().jump(at["main"]).run_to(at["f0"])
        descend(walk, at, 0).jump(at["back"]).step()


@scenario(
    "NT-5", "NT.9.2.implicit_return", configs=(*configs(implicit_return=WELL), *configs(implicit_return=WELL, **SMALL))
)
def recursion(s: Script) -> None:
    """A function calls itself 40 times and returns as often: of more than 32 returns, or than the stack has entries,
    each is reported.
    """
    walk, at = s.start(recursive(builder(s.config)))
    ascend(deepen(walk, 40), at, 40).jump(at["back"]).step()


@scenario("NT.9.2.implicit_return", "NT-5", configs=configs(implicit_return=WELL, inst_sync_mode=(1, 3)))
def stack_cleared_by_sync(s: Script) -> None:
    """Periodic syncs and markers come between call and return: the stack is empty then, and the return is reported."""
    walk, at = s.start(_calls(s.config))
    for turn in range(12):
        walk.run_to(at["f0"])
        descend(walk, at, turn % 6)
        for depth in range(turn % 6, 0, -1):
            if depth == turn % 4:
                (walk.notify if turn < 8 else walk.ext_notify)()
            walk.jump(at[f"r{depth - 1}"]).run_to(at[f"e{depth - 1}"])
        walk.jump(at["back"]).step().jump(at["e0"]).jump(at["again"]).step().jump(at["main"])
    walk.step()


@scenario(
    "NT-4",
    "NT.2.coroutine_swap",
    configs=(*configs(implicit_return=COMPARED), *configs(implicit_return=COMPARED, **SMALL)),
)
def coroutines(s: Script) -> None:
    """Two co-routines swap: each swap pops the other's address and pushes its own; one swap goes astray."""
    b = builder(s.config)
    b.jal(RA, "other")
    for name in ("one", "other"):
        b.label(name)
        for part in range(4):
            b.nop()
            b.label(f"{name}{part}")
            b.jalr(T0 if name == "one" else RA, RA if name == "one" else T0)
    b.nop()
    walk, at = s.start(b)
    walk.step().run_to(at["other0"])
    places = {"one": at["one"], "other": at["other0"] + 4}
    walk.jump(places["one"])
    for part in range(3):
        walk.run_to(at[f"one{part}"])
        places["one"] = at[f"one{part}"] + 4
        walk.jump(places["other"]).run_to(at[f"other{part + 1}"])
        places["other"] = at[f"other{part + 1}"] + 4
        walk.jump(places["one"] if part != 1 else at["one2"] - 4)
    walk.step()


@scenario("NT-4", "NT-12", "NT.9.2.implicit_return", configs=configs(implicit_return=WELL, b_type=("2_3", "1")))
def trap_behind_predicted_return(s: Script) -> None:
    """A trap strikes right at the address a predicted return goes to: one message, the trap's, reports both."""
    walk, at = s.start(_calls(s.config))
    for interrupt in (False, True):
        walk.run_to(at["f0"])
        descend(walk, at, 1).jump(at["r0"]).trap(7 if interrupt else 2, at["trap_handler"], interrupt=interrupt)
        handle(walk, at["r0"]).run_to(at["e0"]).jump(at["back"]).step().jump(at["main"])
    walk.run_to(at["f0"])
    descend(walk, at, 1).jump(at["r0"])


@scenario("NT.8.4.4.predicted", "NT.8.4.4.sync4", configs=configs(implicit_return=3, **SMALL))
def icnt_full_at_return(s: Script) -> None:
    """I-CNT gets full in the block of a return that is predicted, with and without branches in HIST."""
    b = builder(s.config)
    b.label("call")
    b.jal(RA, "long")
    b.label("behind")
    b.beq(8, 9, "call")
    b.jal(RA, "long")
    b.nop()
    b.label("long")
    for _ in range(63):
        b.nop()
    b.c_jr(RA)
    walk, at = s.start(b)
    for taken in (True, True, False):
        walk.run_to(at["long"]).run()
        walk.jump(at["behind"]).branch(taken)
    walk.run_to(at["long"]).run()
    walk.jump(at["behind"] + 8).step()


_PAIRS = (("auipc", "jalr", 0), ("auipc", "jalr", RA), ("lui", "jalr", 0), ("auipc", "jalr", T0))


@scenario("NT.9.1.sequential_jump",
          configs=(*configs(sequential_jump=(0, 1)), *configs(sequential_jump=1, implicit_return=3),
                   *configs(sequential_jump=1, **TWO)))  # fmt: skip
def sequential_jumps(s: Script) -> None:
    """lui or auipc right before the jump: nothing is sent; with an instruction between, or the load untraced, the
    target is reported.
    """
    b = ProgramBuilder(s.config.xlen, 0x10_0000)
    b.label("main")
    for index, (load, jump, rd) in enumerate(_PAIRS):
        b.pair(load, jump, rd, 6 if rd != RA else RA, f"to{index}")
        b.nop()
        b.label(f"to{index}")
        b.c_nop()
    b.auipc(7, 0)
    b.nop()
    b.jalr(0, 7, 0)
    b.label("end")
    b.nop()
    walk, at = s.start(b)
    for index in range(len(_PAIRS)):
        walk.step().jump(at[f"to{index}"]).step()
    walk.step(2).jump(at["main"])
    walk.step().trace_off().trace_on().jump(at["to0"]).step().step().trap(3, at["main"], interrupt=True)
    walk.step().jump(at["to0"]).step()


@scenario("NT.9.1.sequential_jump", configs=configs(sequential_jump=1), retirement="single")
def sequential_jumps_alone(s: Script) -> None:
    """The same with one instruction a block: the load is in the block before."""
    sequential_jumps(s)


@scenario("NT.9.1.sequential_jump", configs=configs(sequential_jump=1, **SMALL), retirement="single")
def sequential_jump_parted(s: Script) -> None:
    """I-CNT gets full between load and jump: the pair is not in one count any more, so the target is reported; a call,
    a return and a swap.
    """
    b = ProgramBuilder(s.config.xlen, 0x10_0000)
    b.label("main")
    for rd, register in ((0, 6), (RA, 6), (0, RA), (T0, RA)):
        b.label(f"run{rd}_{register}")
        for _ in range(63):
            b.nop()
        b.pair("auipc", "jalr", rd, register, f"run{rd}_{register}")
    walk, labels = s.start(b)
    for rd, register in ((0, 6), (RA, 6), (0, RA), (T0, RA)):
        at = labels[f"run{rd}_{register}"]
        for _ in range(2):
            walk.step(64).jump(at)
        walk.trace_off().trace_on(at + 64 * 4 + 4) if (rd, register) != (T0, RA) else walk.step(3)
