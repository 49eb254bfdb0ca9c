# SPDX-License-Identifier: Apache-2.0
"""Scenarios of periodic synchronization in each mode, at each place (8.5, NT-20, NT-23)."""

from __future__ import annotations

from random import Random

from rvtrace.models.ntrace.config import Config
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import Retired
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.levels import with_pause
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL, TWO, Script, builder, configs, scenario
from rvtrace.tb.ntrace.stimulus.scenarios.counters import _nops


def _mixed(b: ProgramBuilder) -> None:
    """A loop with linear stretches, branches, calls and returns: about 60 half-words a turn."""
    b.label("loop")
    _nops(b, 18)
    b.beq(8, 9, "skip")
    b.c_nop()
    b.label("skip")
    b.jal(1, "leaf")
    b.label("back")
    b.bne(8, 9, "skip2")
    _nops(b, 9)
    b.label("skip2")
    b.jalr(1, 10)
    b.label("back2")
    b.bne(10, 0, "loop")
    _nops(b, 150)
    b.c_j("end")
    b.label("leaf")
    _nops(b, 3)
    b.c_beqz(8, "leaf2")
    b.label("leaf2")
    b.c_jr(1)
    b.label("end")
    b.nop()


def _turns(walk: Walk, at: dict[str, int], rng: Random, turns: int) -> Walk:
    for turn in range(turns):
        for back in ("back", "back2"):
            walk.run()
            skip = rng.random() < 0.5
            walk.branch(skip).run()
            if back == "back":
                walk.step()
            else:
                walk.jump(at["leaf"])
            walk.run()
            walk.branch(rng.random() < 0.5).jump(at[back])
        walk.branch(turn < turns - 1)
    walk.run_to(at["end"])
    return walk


def _periodic(s: Script) -> None:
    b = builder(s.config)
    _mixed(b)
    walk, at = s.start(b)
    _turns(walk, at, s.rng, 24).step()


_SYNC = ("NT.8.5.sync2_linear", "NT.8.5.sync2_indirect", "NT.8.5.sync2_direct", "NT-20", "NT-9")


@scenario(*_SYNC, configs=configs(inst_sync_mode=1), retirement="single")
def sync_messages(s: Script) -> None:
    """Periodic sync after 16 messages: at indirect jumps, taken branches and linear code, with HIST pending or not."""
    _periodic(s)


@scenario(*_SYNC, configs=(*configs(inst_sync_mode=2, inst_sync_max=(0, 2)), *configs(inst_sync_mode=2, **TWO)))
def sync_cycles(s: Script) -> None:
    """Periodic sync after 16 or 64 clock cycles."""
    _periodic(s)


@scenario(*_SYNC, configs=(*configs(inst_sync_mode=3, inst_sync_max=(0, 2)), *configs(inst_sync_mode=3, **TWO)))
def sync_half_words(s: Script) -> None:
    """Periodic sync after 16 or 64 half-words."""
    _periodic(s)


def _paused(config: Config, rng: Random, program: Program, retired: Retired) -> Beats:
    return with_pause(to_beats(retired, config.blocks, "single"), 20)


@scenario(
    "NT.8.5.sync2_linear",
    "NT-20",
    configs=configs(mode="htm", variant="v1_0", inst_sync_mode=2, inst_sync_max=4),
    beats=_paused,
    slow=True,
)
def sync_after_pause(s: Script) -> None:
    """The hart retires nothing for a million cycles: the periodic sync is due, although a count may have overflowed."""
    b = builder(s.config)
    _nops(b, 120)
    walk, _ = s.start(b)
    walk.step(50)


@scenario("NT.8.5.sync2_linear", "NT.8.4.4.sync4", "NT-20", "NT-23", configs=configs(inst_sync_mode=(1, 2, 3), **SMALL))
def sync_small(s: Script) -> None:
    """Periodic sync together with small counters: due while a full I-CNT waits, and with both lanes busy."""
    _periodic(s)


@scenario("NT.8.5.sync2_indirect", "NT.2.exception", "NT-20", configs=configs(inst_sync_mode=(1, 2, 3)))
def sync_at_trap(s: Script) -> None:
    """Periodic sync at the handler of a trap: the Sync message keeps the B-TYPE; also at back-to-back traps."""
    b = builder(s.config)
    _nops(b, 60)
    walk, at = s.start(b)
    first, nested = at["trap_handler"], at["trap_nested"]
    for turn in range(25):
        back = walk.step().pc
        if turn % 3 == 2:
            walk.trap(5, first).trap(2, nested).step().jump(first)
        else:
            walk.trap(7 if turn % 2 else 5, first, interrupt=bool(turn % 2))
        walk.step(3).jump(back)


def _branch_loop(config: Config) -> ProgramBuilder:
    """A branch to itself, and an indirect jump behind it."""
    b = builder(config)
    b.label("loop")
    b.beq(8, 9, "loop")
    b.nop()
    b.c_jr(10)
    return b


@scenario(
    "NT-20", "NT.8.5.sync2_indirect", configs=configs(mode="htm", inst_sync_mode=1, ownership=1, inst_stall_ena=1)
)
def sync_due_with_history(s: Script) -> None:
    """The sixteenth message is an Ownership in the block of a jump or trap after branches: the sync takes over with
    HIST.
    """
    walk, at = s.start(_branch_loop(s.config))
    for turn in range(80):
        walk.branch(False)
        walk.context = turn + 1
        if turn < 40:
            walk.step().jump(at["loop"])
        else:
            walk.trap(3, at["trap_handler"], interrupt=True)
            walk.step(3).jump(at["loop"])


@scenario("NT-20", configs=configs(mode="htm", inst_sync_mode=1, inst_stall_ena=1))
def messages_of_histories(s: Script) -> None:
    """Sixteen messages until the sync is due, nearly all of them full histories."""
    walk, at = s.start(_branch_loop(s.config))
    for turn in range(4):
        for _ in range(18 * s.config.hist_bits + 7 * turn):
            walk.branch(True)
        walk.branch(False).step().jump(at["loop"])


@scenario("NT.8.5.sync2_linear", "NT-20", configs=configs(inst_sync_mode=3, inst_sync_max=15, **TWO))
def longest_sync_interval(s: Script) -> None:
    """2^19 half-words until the sync is due: the counter does not stop before."""
    b = builder(s.config)
    for _ in range(500):
        b.nop()
    b.c_j("main")
    walk, labels = s.start(b)
    at = labels["main"]
    for _ in range((1 << 19) // 1001 + 2):
        walk.step(501)
        assert walk.pc == at
    walk.step(40)


@scenario("NT.3.2.src", "NT.8.5.sync6", configs=configs(src_bits=12, mode="htm"))
def longest_sync(s: Script) -> None:
    """A marker with SRC of 12 bits, 30 branches in HIST and a kernel address: 23 bytes."""
    b = builder(s.config, base=0xFFFF_FFFF_8000_0000, handler=None)
    b.beq(8, 9, "main")
    for _ in range(40):
        b.nop()
    walk, _ = s.start(b)
    for _ in range(29):
        walk.branch(True)
    walk.branch(False).step(20).notify().step(3)
