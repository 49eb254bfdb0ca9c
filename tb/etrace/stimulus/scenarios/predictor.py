# SPDX-License-Identifier: Apache-2.0
"""Scenarios of branch prediction and of the jump target cache: counts, states, hits and what empties them (format 0,
ET-11, ET-12).
"""

from __future__ import annotations

from itertools import product

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    ALL_ON,
    ALL_ON_V2,
    COUNTER,
    DRAFT,
    FOUR,
    SMALL,
    TWO,
    Script,
    builder,
    configs,
    handle,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.traps import LOAD_FAULT, TIMER

PREDICTED = configs({}, TWO, SMALL, FOUR, COUNTER, branch_prediction=1)
AIDED = (*configs(ALL_ON), *configs(ALL_ON_V2), *configs(ALL_ON_V2, full_address=0))


def _loop(config: Config) -> ProgramBuilder:
    """`loop`: an instruction and a branch back to it; after it `end`, an instruction, a branch forward at `last`, and
    an indirect jump at `jump`.
    """
    b = builder(config)
    b.label("loop")
    b.c_nop()
    b.label("back")
    b.bne(10, 0, "loop")
    b.label("end")
    b.nop()
    b.label("last")
    b.beq(8, 9, "jump")
    b.nop()
    b.label("jump")
    b.c_jr(10)
    return b


def _train(walk: Walk, at: dict[str, int], count: int) -> Walk:
    """A sync, the loop's branch then predicted taken, and so many of them with nothing else pending; the branch is
    next.
    """
    walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at["loop"])
    return _run(_run(walk.step(), 2).notify(), count)


def _run(walk: Walk, count: int) -> Walk:
    """So many times the branch back, taken; it is next again."""
    for _ in range(count):
        walk.branch(True).step()
    return walk


def _out(walk: Walk, at: dict[str, int], taken: bool = False) -> Walk:
    """The branch not taken, and on to the loop again."""
    walk.branch(False).step().branch(taken).run()
    return walk.jump(at["loop"])


@scenario(
    "ET-11",
    "ET.opt.prediction",
    "ET.opt.predictor",
    "ET.alg.mispredicted",
    "ET.alg.count_full",
    "ET.alg.full_map",
    "ET.pay.branch_count",
    configs=(*PREDICTED, *AIDED),
)
def counts_around_31(s: Script) -> None:
    """29 to 33 branches predicted, and all up to twice the greatest count of a small build, then a branch that is not,
    or an address.
    """
    walk, at = s.start(_loop(s.config))
    for count in (*range(29, 42), 69, 70, 71, 77):
        for leave in range(3):
            _train(walk, at, count)
            if leave == 1:  # an address: the trap's
                walk.trap(2, at["trap_handler"])
                handle(walk, at["back"])
            elif leave == 2:
                walk.notify()
            _out(walk, at)
    walk.step()


@scenario("ET-11", "ET.opt.prediction", "ET.pay.branch_count", "ET.alg.notify", "ET.alg.before_trap", "ET.alg.last",
          "ET.alg.updiscon", configs=(*PREDICTED, *AIDED), retirement="single")  # fmt: skip
def count_ends_in_branch(s: Script) -> None:
    """The address reported after 30 or more predicted branches is itself a branch, predicted (branch_fmt 10) and not
    (11).
    """
    walk, at = s.start(_loop(s.config))
    for count in (29, 30, 31, 32, 37, 38, 39, 40):
        for taken in (True, False):
            for event in range(4):
                _train(walk, at, count)
                walk.branch(taken)
                if event == 0:
                    walk.notify()
                elif event == 1:
                    back = walk.pc
                    handle(walk.trap(2, at["trap_handler"]), back)
                elif event == 2:
                    walk.trace_off().trace_on()
                else:
                    walk.context ^= 0x33
                _out(walk.step(), at) if taken else walk.step().branch(True).jump(at["loop"])
    walk.step()


@scenario("ET-11", "ET.opt.prediction", "ET.pay.branch_count", "ET.alg.updiscon", configs=PREDICTED)
def count_ends_at_target(s: Script) -> None:
    """A jump after 30 or more predicted branches leads to an instruction, to a branch that is predicted, and to one
    that is not.
    """
    b = builder(s.config)
    for k in range(45):
        b.label(f"b{k}")
        b.beq(8, 9, "far")  # never taken, as a fresh predictor says
    b.label("jump")
    b.c_jr(10)
    b.label("far")
    b.c_nop()
    b.label("target")
    b.bne(8, 9, "jump")
    b.nop()
    b.c_j("jump")
    walk, at = s.start(b, "jump")
    for count in (29, 30, 31, 32, 37, 38, 39, 40, 45):
        for target in range(3):
            walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at[f"b{45 - count}"])
            for _ in range(count):
                walk.branch(False)
            if target == 0:
                walk.jump(at["far"]).step().branch(True)
            else:
                walk.jump(at["target"]).branch(target == 2).run_to(at["jump"])
    walk.jump(at["far"]).step()


@scenario("ET-11", "ET.opt.predictor", "ET.opt.prediction", configs=PREDICTED)
def predictor_states(s: Script) -> None:
    """Every sequence of four outcomes after a reset, reported again and again so that prediction decides which packet
    comes; and two branches of one entry.
    """
    b = _loop(s.config)
    entries = 1 << s.config.bpred_size_p
    size = 1 << s.config.iaddress_lsb_p
    b.org(b.labels["back"] + entries * size * (64 if s.config.bpred_size_p < 6 else 4))
    b.label("alias")
    b.beq(8, 9, "alias_jump")
    b.nop()
    b.label("alias_jump")
    b.c_jr(10)
    walk, at = s.start(b)
    for outcomes in product((False, True), repeat=4):
        for last in (False, True):
            walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at["loop"])
            for taken in outcomes:
                walk.step()
                walk.branch(True) if taken else _out(walk, at)
            _out(_run(walk.step(), 36), at)  # what was predicted at first is seen by what this run ends with
            walk.step().branch(False).step().branch(False).step().jump(at["alias"])
            walk.branch(last).run()
            walk.jump(at["loop"])
    walk.step()


@scenario(
    "ET-11",
    "ET.opt.prediction",
    "ET.pay.full_map",
    "ET.alg.full_map",
    "ET-5",
    configs=(*configs({}, TWO, FOUR, branch_prediction=1), *configs(SMALL, branch_prediction=1)),
)
def one_of_31_fails(s: Script) -> None:
    """The first, second, 30th, 31st or 32nd of a run of branches is not predicted: the map is sent where it is among
    the first 31.
    """
    b = builder(s.config)
    for k in range(100):
        b.beq(8, 9, f"in{k + 1}")
        b.label(f"in{k + 1}")
    b.label("jump")
    b.c_jr(10)
    walk, at = s.start(b)
    for fails in (0, 1, 15, 29, 30, 31, 32, 61, 62, 99):
        walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at["main"])
        for number in range(100):
            walk.branch(number == fails)
        walk.jump(at["main"])
    walk.branch(True)


@scenario(
    "ET.pay.branch_count",
    "ET-11",
    "ET.opt.prediction",
    "ET.alg.mispredicted",
    configs=configs({}, FOUR, branch_prediction=1),
)
def long_counts(s: Script) -> None:
    """Counts of predicted branches around the ends of the first bytes of the field, ended by a failure, by an address,
    and by that of the failure.
    """
    _counts(s, (15, 16, 31, 32, 127, 128, 255, 256, 4095, 4096))


@scenario(
    "ET.alg.count_full", "ET.pay.branch_count", "ET-11", configs=configs(FOUR, branch_prediction=1, variant=DRAFT)
)
def greatest_count(s: Script) -> None:
    """The greatest count of 16 bits, and one less."""
    _counts(s, (0xFFFE, 0xFFFF))


def _counts(s: Script, counts: tuple[int, ...]) -> None:
    walk, at = s.start(_loop(s.config))
    for count in counts:
        for leave in range(3 if count < 300 else 1):
            _train(walk, at, count + 31)
            if leave == 1:
                walk.notify()
            walk.branch(False)
            if leave == 2:
                walk.notify()
            walk.step().branch(False).run()
            walk.jump(at["loop"])
    walk.step()


@scenario("ET-11", "ET.opt.reset_on_sync", "ET.opt.predictor", "ET-4", "ET.alg.resync",
          configs=(*configs({}, SMALL, branch_prediction=1, inst_sync_mode=(2, 3), inst_sync_max=2),
                   *configs({}, branch_prediction=1, inst_sync_mode=3, inst_sync_max=3),
                   *configs(COUNTER, {}, branch_prediction=1, inst_sync_mode=1)))  # fmt: skip
def predictor_and_resync(s: Script) -> None:
    """Resynchronization in a loop of branches: the predictor forgets, and the branch at the sync itself trains it."""
    walk, at = s.start(_loop(s.config))
    for count in range(20, 80, 3):
        _out(_run(walk.step(), count), at, count % 2 == 0)
        for _ in range(20):
            _out(_run(walk.step(), 1), at)
    walk.step()


@scenario(
    "ET-11", "ET-4", "ET.alg.resync", "ET.pay.branch_count", configs=configs({}, branch_prediction=1, inst_sync_mode=1)
)
def resync_after_counts(s: Script) -> None:
    """Resynchronization by packets where most report a branch count with an address; the draft needs two packets for
    that, and both count.
    """
    walk, at = s.start(_loop(s.config))
    walk.step()
    for count in range(31, 71):
        _run(walk, count).notify()
    _out(walk, at).step()


@scenario(
    "ET-11",
    "ET-5",
    "ET.opt.prediction",
    "ET.alg.before_sync",
    "ET-15",
    configs=(
        *configs({}, SMALL, branch_prediction=1, ctype=("1", "2", "3")),
        *configs(FOUR, branch_prediction=1, ctype="2"),
    ),
)
def count_before_context(s: Script) -> None:
    """Another context while a count of predicted branches is pending: the count is sent before the sync, and goes on
    after a 3.2.
    """
    walk, at = s.start(_loop(s.config))
    for count in (5, 29, 30, 31, 32, 35, 40, 50):
        for place in (0, 1):
            _train(walk, at, count)
            if place:
                walk.branch(True)
            walk.context ^= 0x2A
            _out(_run(walk.step(place), 3), at)
    walk.step()


_RUN = 33  # branches: more than a map holds


def _spin(walk: Walk, count: int) -> Walk:
    """From the head of a loop so many times around it."""
    for _ in range(count):
        walk.step().branch(True)
    return walk


@scenario(
    "ET-11",
    "ET.opt.predictor",
    "ET.opt.prediction",
    configs=configs({}, TWO, FOUR, SMALL, COUNTER, branch_prediction=1),
)
def predictor_entries(s: Script) -> None:
    """Two branches in neighbouring entries, half the predictor apart, in the same entry: whether the other one was
    trained decides if a count is sent.
    """
    b = builder(s.config)
    size, entries = 1 << s.config.iaddress_lsb_p, 1 << s.config.bpred_size_p
    distances = (1, 2, entries // 2, entries, 2 * entries)
    b.c_jr(10)
    for number, distance in enumerate(distances):
        b.org(b.labels["main"] + 0x10000 + number * 64 * entries * size)
        b.label(f"pre{number}")
        b.c_nop()
        asked = b.here
        b.c_beqz(8, asked + 2 * size)
        if distance > 1:
            b.c_nop() if distance == 2 else b.c_j(f"trained{number}")
        b.org(asked + distance * size)
        b.label(f"trained{number}")
        b.c_beqz(8, f"loop{number}")
        b.label(f"loop{number}")
        b.c_nop()
        b.bne(10, 0, f"loop{number}")
        b.c_jr(10)
    walk, at = s.start(b)
    for number, distance in enumerate(distances):
        walk.jump(at["main"]).trap(TIMER, at["trap_nested"], interrupt=True).step().jump(
            at[f"trained{number}"]
        )  # a fresh predictor
        for again in ("trained", "pre"):
            _spin(walk.branch(True), 3).step().branch(False).jump(at[f"{again}{number}"])
        walk.step().branch(False).step(distance > 1)
        _spin(walk.branch(True), _RUN).notify().step().branch(False)
    walk.jump(at["main"])


@scenario("ET-9", "ET-11", "ET.opt.reset_on_sync", "ET.opt.predictor",
          configs=(*configs({}, TWO, SMALL, FOUR, COUNTER, branch_prediction=1),
                   *configs(branch_prediction=1, inst_sync_mode=3, inst_sync_max=3)))  # fmt: skip
def branch_at_sync_trains(s: Script) -> None:
    """A handler, and a trace, begin with a branch to itself: its first outcome is in the branch bit, and trains the
    predictor for the count after it.
    """
    b = builder(s.config)
    b.c_jr(10)
    b.label("self")
    b.bne(10, 0, "self")
    b.nop()
    b.mret()
    walk, at = s.start(b)
    for count in (_RUN, _RUN + 1, 2 * _RUN):
        for begin in range(3):
            if begin < 2:
                walk.jump(at["main"]).trap(LOAD_FAULT if begin else TIMER, at["self"], interrupt=not begin)
            else:
                walk.trace_off().trace_on(at["self"])
            for _ in range(count):
                walk.branch(True)
            walk.notify().branch(False).step()
    walk.jump(at["main"])
