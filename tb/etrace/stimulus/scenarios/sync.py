# SPDX-License-Identifier: Apache-2.0
"""Scenarios of resynchronization in each mode, at each place (ET-4, sync counter, single-step resync)."""

from __future__ import annotations

from random import Random

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Priv, Retired
from rvtrace.tb.common.stimulus.levels import with_pause
from rvtrace.tb.etrace.stimulus.scenarios.base import (
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
    place,
    scenario,
)
from rvtrace.tb.etrace.stimulus.scenarios.packets import climb, ladder
from rvtrace.tb.etrace.stimulus.scenarios.traps import main_code

MODES = (1, 2, 3)
EVERY = (*configs({}, TWO, SMALL, inst_sync_mode=MODES), *configs(FOUR, COUNTER, inst_sync_mode=MODES, variant=V2))


@scenario("ET-4", "ET.alg.resync", "ET.alg.before_sync", "ET-9", configs=EVERY)
def resync_with_branches(s: Script) -> None:
    """Resynchronization with 0 to 31 branches pending, at a branch and elsewhere: they are flushed with the address,
    then comes 3.0.
    """
    walk, at = s.start(ladder(s.config), "end")
    walk.step()
    for branches in (*range(12), 29, 30, 31, 32, 45, 64):
        for taken in (True, False, s.rng):
            climb(walk.jump(at[f"in{100 - branches}"]), branches, taken).run()
    walk.jump(at["end"]).step()


@scenario(
    "ET-4",
    "ET.alg.resync",
    "ET.opt.reset_on_sync",
    configs=(*EVERY, *configs({}, TWO, inst_sync_mode=(2, 3), inst_sync_max=3)),
)
def resync_without_branches(s: Script) -> None:
    """Resynchronization after direct jumps, calls and indirect jumps with nothing pending: 3.0 alone."""
    b = builder(s.config)
    for number in range(12):
        b.label(f"part{number}")
        for _ in range(number):
            b.c_nop()
        if number % 3:
            b.jal(0 if number % 2 else RA, f"part{number + 1}" if number < 11 else "end")
        else:
            b.c_jr(10)
    b.label("end")
    b.c_jr(10)
    walk, at = s.start(b)
    for _ in range(8):
        for number in range(12):
            walk.run()
            walk.step() if number % 3 else walk.jump(at[f"part{number + 1}"])
        walk.run()
        walk.jump(at["main"])


@scenario(
    "ET-4",
    "ET.alg.resync",
    "ET.alg.trap",
    "ET-2",
    "ET-10",
    "ET-16",
    configs=(*configs({}, TWO, SMALL, inst_sync_mode=MODES), *configs(inst_sync_mode=3, implicit_exception=1)),
)
def resync_and_events(s: Script) -> None:
    """Where a resynchronization is due comes a trap, an xRET to another privilege, another context, a trigger or the
    end of trace.
    """
    walk, at = s.start(main_code(builder(s.config)), "jump")
    for event in range(6):
        for delay in range(10):
            for _ in range(2 if s.config.inst_sync_mode == 3 else 8):
                walk.jump(at["main"]).run(delay)
                walk.run_to(at["branch"]).branch(delay % 2 == 0).run_to(at["jump"])
            walk.jump(at["after"]).step(2)  # a direct jump: resynchronization may be due
            back = walk.pc
            if event == 0:
                handle(walk.trap(5, at["trap_handler"]), back)
            elif event == 1:
                walk.step(2).jump(at["trap_handler"]).step(3).jump(at["landing"], priv=Priv.U).trap(
                    8, at["trap_handler"]
                )
                handle(walk, at["landing"])
            elif event == 2:
                walk.context ^= 0x21
            elif event == 3:
                walk.notify()
            elif event == 4:
                walk.trace_off().trace_on()
            else:
                walk.step(2).jump(at["after"]).trap(7, at["trap_handler"], interrupt=True)
                handle(walk, at["landing"])
            walk.run()
            walk.jump(at["jump"])
    walk.jump(at["main"]).step()


@scenario(
    "ET-4",
    "ET.alg.resync",
    configs=(
        *configs({}, TWO, inst_sync_mode=3, inst_sync_max=(0, 1, 2)),
        *configs(FOUR, SMALL, inst_sync_mode=3, inst_sync_max=1),
    ),
)
def resync_interval(s: Script) -> None:
    """Special instructions right before, at and after the end of the interval, in steps of one half-word."""
    b = builder(s.config)
    size = 2 * s.config.iaddress_lsb_p
    for _ in range(80):
        b.c_nop()
    b.label("direct")
    b.jal(0, "end")
    b.label("end")
    b.nop()
    b.beq(8, 9, "main")
    b.c_jr(10)
    walk, at = s.start(b)
    interval = s.config.sync_interval
    for distance in range(max(2, interval - 8), interval + 5):
        walk.trace_off().trace_on(at["direct"] - min(distance * 2 // size * size, 160))
        walk.run()
        walk.step(2).branch(False).jump(at["direct"] - 4).run()
        walk.step(2).branch(True)
    walk.step()


@scenario(
    "ET-4", "ET.alg.resync", configs=configs({}, SMALL, inst_sync_mode=3, inst_sync_max=(0, 1)), retirement="single"
)
def resync_interval_single(s: Script) -> None:
    """The same with one instruction a block: the interval begins with the instruction of the sync."""
    resync_interval(s)


@scenario(
    "ET-4",
    "ET.alg.resync",
    "ET.alg.first",
    configs=(*configs({}, TWO, inst_sync_mode=2, inst_sync_max=(0, 1)), *configs(SMALL, inst_sync_mode=2)),
    gaps=60,
)
def resync_by_cycles(s: Script) -> None:
    """Intervals in clock cycles, with idle cycles and pauses of trace between."""
    walk, at = s.start(main_code(builder(s.config)))
    for number in range(25):
        walk.run_to(at["branch"]).branch(number % 2 == 0).run_to(at["jump"]).jump(at["after"]).run_to(
            at["return"]
        ).jump(at["main"])
        if number % 8 == 7:
            walk.trace_off().step(2).trace_on()
            walk.branch(True).run_to(at["jump"]).jump(at["main"])
    walk.step()


@scenario("ET-4", "ET.alg.resync", configs=configs({}, TWO, inst_sync_mode=3, inst_sync_max=15))
def longest_sync_interval(s: Script) -> None:
    """2^19 half-words until the resynchronization is due: the counter does not stop before."""
    b = builder(s.config)
    for _ in range(500):
        b.nop()
    b.beq(8, 9, "main")
    b.c_jr(10)
    walk, at = s.start(b)
    for _ in range((1 << 19) // 1002 + 3):
        walk.step(500).branch(True)
        assert walk.pc == at["main"]
    walk.step(500).branch(False).jump(at["main"]).step(2)


def _paused(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return with_pause(place(config, "single", retired, rng), 20)


@scenario("ET-4", "ET.alg.resync", configs=configs(variant=V2, inst_sync_mode=2, inst_sync_max=(4, 15)), beats=_paused,
          slow=True)  # fmt: skip
def resync_after_pause(s: Script) -> None:
    """The hart retires nothing for a million cycles: a resynchronization is due, although a count may have
    overflowed.
    """
    walk, at = s.start(main_code(builder(s.config)))
    for number in range(5):
        walk.run_to(at["branch"]).branch(number % 2 == 0).run_to(at["jump"]).jump(at["after"]).run_to(
            at["return"]
        ).jump(at["main"])
    walk.step()


@scenario("ET-4", "ET.alg.resync", "ET.pay.order",
          configs=(*configs({}, SMALL, inst_sync_mode=1), *configs(inst_sync_mode=1, inst_sync_max=(1, 2), variant=V2),
                   *configs(inst_sync_mode=1, branch_prediction=1, variant=DRAFT)), retirement="single")  # fmt: skip
def resync_by_packets(s: Script) -> None:
    """Packets of every kind count: addresses, full maps, contexts, branch counts; traps begin the count anew."""
    walk, at = s.start(ladder(s.config, 40), "end")
    walk.step()
    for number in range(30):
        climb(walk.jump(at["in0"]), 40, number % 2 == 0 or s.rng).run()
        for _ in range(number % 9):
            walk.jump(at["in38"])
            climb(walk, 2, s.rng).run()
            walk.context ^= number + 1
        if number % 10 == 9:
            walk.trap(2, at["trap_handler"])
            handle(walk, at["end"]).step()
    walk.jump(at["end"]).step()
