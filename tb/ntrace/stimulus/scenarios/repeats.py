# SPDX-License-Identifier: Apache-2.0
"""Scenarios of repeated history and RepeatBranch (7.11, 9.3, NT-6)."""

from __future__ import annotations

from collections.abc import Sequence

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL, TWO, Script, builder, configs, scenario

HTM = {"mode": "htm", "repeated_history": 1}


@scenario(
    "NT.9.3.repeated_history", "NT.9.3.pattern", "NT.7.8.hist_bits", configs=(*configs(**HTM), *configs(**HTM, **TWO))
)
def loop_patterns(s: Script) -> None:
    """Loops whose branches repeat every 1 to 15, and one without a pattern; each ends in the middle of a pattern."""
    walk, at = s.start(_pattern_code(s))
    full = s.config.hist_bits - 1
    for period in (*range(1, 16), 31, 17):
        pattern = [bool(s.rng.randrange(2)) for _ in range(period - 1)] + [True]
        pattern[0] = period == 1
        length = max(full // period, 1) * period
        for turns in (2 * length + 3, 6 * length + s.rng.randrange(length), 17 * length + 5):
            _turns(walk, at, pattern, max(turns, full + 1))
    walk.step()


@scenario("NT.9.3.repeated_history", configs=(*configs(**HTM), *configs(**HTM, repeat_branch=1)))
def patterns_again(s: Script) -> None:
    """The branches of a pattern that was held and is reported already, once more: as many, one less and one more, with
    a trap after them.
    """
    walk, at = s.start(_pattern_code(s))
    full = s.config.hist_bits - 1
    for period in (1, 2, 3, 4, 7):
        whole = full // period * period
        pattern = [period == 1] + [True] * (period - 1)
        for turns in (2 * full, *(whole + more for more in (0, -1, 1, 0)), full, full + 1):
            _turns(walk, at, pattern, turns)
    walk.step()


def _pattern_code(s: Script) -> ProgramBuilder:
    """A loop that goes on whether its branch is taken or not."""
    b = builder(s.config)
    b.label("loop")
    b.nop()
    b.beq(8, 9, "loop")
    b.c_nop()
    b.c_j("loop")
    b.label("end")
    b.jalr(0, 10)
    return b


def _turns(walk: Walk, at: dict[str, int], pattern: Sequence[bool], count: int) -> None:
    """So many of the loop, and an interrupt."""
    for turn in range(count):
        taken = pattern[turn % len(pattern)]
        walk.step().branch(taken)
        if not taken:
            walk.step(2)
    walk.trap(5, at["trap_handler"], interrupt=True).step(3).jump(at["loop"])


def _loop(s: Script, counts: tuple[int, ...]) -> None:
    """A branch to itself, taken so many times and then not."""
    b = builder(s.config)
    b.label("loop")
    b.beq(8, 9, "loop")
    b.nop()
    b.c_j("loop")
    walk, _ = s.start(b)
    for turns in counts:
        for _ in range(turns):
            walk.branch(True)
        walk.branch(False).step(2)


@scenario("NT.9.3.repeated_history", configs=configs(variant="v1_0", **HTM))
def very_long_loop(s: Script) -> None:
    """One branch 130,000 times: HREPEAT of two and three MDO groups."""
    _loop(s, (31 * 70, 31 * 4200))


@scenario("NT.V.hrepeat", "NT-6", "NT.9.3.repeated_history", configs=configs(**HTM, **SMALL))
def long_loop(s: Script) -> None:
    """A loop so long that HREPEAT is full several times; the small build counts to 7."""
    _loop(s, (7 * 3 + 3, 7 * 5, 7 * 5 + 1, 7 * 5 * 4 + 3, 500))


@scenario(
    "NT.9.3.repeated_history",
    "NT-20",
    "NT.8.4.4.resource_full",
    configs=(*configs(**HTM, inst_sync_mode=1, inst_sync_max=0), *configs(**HTM, **SMALL)),
)
def loop_interrupted(s: Script) -> None:
    """A repeating loop is interrupted by traps, indirect jumps, full counts, stops and periodic syncs: what is held
    comes first.
    """
    b = builder(s.config)
    b.label("loop")
    b.c_nop()
    b.beq(8, 9, "loop")
    b.c_jr(10)
    walk, at = s.start(b)
    for turn in range(24):
        for _ in range(s.rng.choice((30, 31, 32, 62, 63, 95))):
            walk.step().branch(True)
        if turn % 4 == 0:
            walk.trap(5, at["trap_handler"], interrupt=True).step(3).jump(at["loop"])
        elif turn % 4 == 1:
            walk.step().branch(False).jump(at["loop"])
        elif turn % 4 == 2:
            walk.trace_off().trace_on()
        else:
            walk.debug_entry().debug_exit()
    walk.step()


@scenario(
    "NT.7.11.repeat",
    "NT-6",
    configs=(*configs(mode="btm", repeat_branch=1), *configs(mode="btm", repeat_branch=1, **SMALL)),
)
def repeated_branch(s: Script) -> None:
    """A tight loop in BTM: one DirectBranch and its RepeatBranch; the small build's B-CNT is full at 7."""
    b = builder(s.config)
    b.nop()
    b.label("loop")
    b.nop()
    b.bne(8, 9, "loop")
    b.c_nop()
    b.c_j("main")
    walk, _ = s.start(b)
    for turns in (1, 2, 3, 7, 8, 9, 15, 40, 100):
        walk.step()
        for _ in range(turns):
            walk.step().branch(True)
        walk.step().branch(False).step(2)
    walk.step()


@scenario(
    "NT.7.11.repeat",
    "NT-6",
    configs=(*configs(repeat_branch=1), *configs(repeat_branch=1, repeated_history=1, **SMALL)),
)
def repeated_jump(s: Script) -> None:
    """An indirect jump to the same place again and again, then with as long a way but another branch, or to another
    place.
    """
    b = builder(s.config)
    for place in ("loop", "other"):
        b.label(place)
        b.nop()
        b.beq(8, 9, f"{place}_taken")
        b.jalr(0, 10)
        b.label(f"{place}_taken")
        b.jalr(0, 10)
    walk, at = s.start(b)
    for taken, turns, then in (
        (True, 12, "loop"),
        (False, 5, "loop"),
        (True, 2, "other"),
        (True, 4, "other"),
        (False, 3, "loop"),
        (False, 30, "other"),
        (True, 1, "other"),
        (False, 1, "loop"),
    ):
        here = walk.pc
        for turn in range(turns):
            walk.step().branch(taken).jump(at[then] if turn == turns - 1 else here)
    walk.step()


@scenario("NT.7.11.repeat", configs=configs(mode="btm", repeat_branch=1))
def repeat_of_another_kind(s: Script) -> None:
    """A taken branch and an indirect jump, each as long a way and to the same place, in both orders: the second is no
    repeat of the first.
    """
    b = builder(s.config)
    b.nop()
    b.bne(8, 9, "jump")
    b.c_nop()
    b.label("jump")
    b.nop()
    b.jalr(0, 10)
    b.label("to_branch")
    b.nop()
    b.jalr(0, 10)
    b.label("branch")
    b.nop()
    b.bne(8, 9, "branch")
    b.jalr(0, 10)
    walk, at = s.start(b)
    for turns in (1, 2, 5):
        walk.step().branch(True)
        for _ in range(turns):
            walk.step().jump(at["jump"])
        walk.step().jump(at["to_branch"]).step().jump(at["branch"])
        for _ in range(turns):
            walk.step().branch(True)
        walk.step().branch(False).jump(at["main"])
    walk.step()


@scenario("NT-6", "NT.7.11.repeat", configs=configs(repeat_branch=1, inst_sync_mode=(1, 2), ownership=(0, 1)))
def repeats_interrupted(s: Script) -> None:
    """What a RepeatBranch counts is interrupted by traps, syncs, markers, vendor-defined messages and other targets."""
    b = builder(s.config)
    b.label("loop")
    b.nop()
    b.bne(8, 9, "loop")
    b.c_jr(10)
    walk, at = s.start(b)
    for turn in range(42):
        for _ in range(s.rng.randrange(1, 12)):
            walk.step().branch(True)
        event = turn % 7
        if event == 0:
            walk.trap(5, at["trap_handler"], interrupt=True).step(3).jump(at["loop"])
        elif event == 1:
            walk.notify()
        elif event == 2:
            walk.vendor(57, turn)
        elif event == 3:
            walk.step().branch(False).jump(at["main"])
        elif event == 4:
            walk.ext_notify()
        elif event == 5:
            walk.step().branch(False).trace_off().trace_on().jump(at["loop"])
        else:
            walk.trace_off().trace_on()
    walk.step()


@scenario("NT.7.11.repeat", "NT-6", configs=configs(mode="btm", repeat_branch=1, ownership=1, hcontext=(0, 1)))
def repeats_with_ownership(s: Script) -> None:
    """A context changes in the block that a repeated branch goes to: it is sent, with Ownership after it."""
    b = builder(s.config)
    b.nop()
    b.label("loop")
    b.nop()
    b.bne(8, 9, "loop")
    b.c_j("main")
    walk, _ = s.start(b)
    for turn in range(24):
        walk.step()
        for _ in range(s.rng.randrange(3)):
            walk.step().branch(True)
        if turn % 3:
            walk.context += 1
        else:
            walk.hcontext += 1
        for _ in range(s.rng.randrange(1, 4)):
            walk.step().branch(True)
        walk.step().branch(False).step()
    walk.step()


@scenario(
    "NT.7.11.repeat",
    "NT-6",
    "NT.8.6.back_to_back_traps",
    configs=(*configs(repeat_branch=1, variant="v1_0"), *configs(repeat_branch=1, **SMALL)),
)
def repeated_traps(s: Script) -> None:
    """A handler whose first instruction faults again and again, and is then interrupted so: I-CNT=0, U-ADDR=0, and then
    repeats.
    """
    b = builder(s.config)
    b.nop()
    walk, at = s.start(b)
    for turns in (2, 3, 4, 9, 10, 25):
        walk.step()
        for _ in range(turns):
            walk.trap(2, at["trap_handler"])
        for _ in range(turns % 4):
            walk.trap(7, at["trap_handler"], interrupt=True)
        walk.step(3).jump(at["main"])
    walk.step()
