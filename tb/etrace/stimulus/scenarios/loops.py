# SPDX-License-Identifier: Apache-2.0
"""Scenarios of loops: entered by falling through and repeated by an indirect jump (notify and updiscon, ET-6, ET-16),
or without a packet.
"""

from __future__ import annotations

from rvtrace.models.etrace.config import Config
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.retired import Priv
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    COUNTER,
    FOUR,
    RA,
    SMALL,
    TWO,
    V2,
    Script,
    builder,
    configs,
    handle,
    scenario,
)

LABELS = ("plain", "branch", "direct", "call", "xret")  # the instruction at the label


def _loops(config: Config) -> ProgramBuilder:
    """For each kind of label: `<kind>` begins before it, `<kind>_label` is the label, after it comes `<kind>_after`,
    at the end `<kind>_jump`.
    """
    b = builder(config)
    make = {
        "plain": b.nop,
        "branch": lambda: b.beq(8, 9, "branch_after"),
        "direct": lambda: b.jal(0, "direct_after"),
        "call": lambda: b.jal(RA, "call_after"),
        "xret": b.mret,
    }
    for kind in LABELS:
        b.label(kind)
        for _ in range(12):
            b.nop()
        b.beq(10, 11, f"{kind}_label")
        b.label(f"{kind}_enter")
        b.c_nop()
        b.label(f"{kind}_label")
        make[kind]()
        b.label(f"{kind}_after")
        b.nop()
        b.nop()
        b.label(f"{kind}_jump")
        b.jalr(0, 12)
    return b


def _label(walk: Walk, kind: str, at: dict[str, int], priv: Priv | None = None) -> Walk:
    """Retire the instruction at the label."""
    if kind == "branch":
        return walk.branch(True)
    return walk.jump(at["xret_after"], priv=priv) if kind == "xret" else walk.step()


def _enter(walk: Walk, kind: str, at: dict[str, int], rounds: int, branches: bool) -> Walk:
    """Fall into the loop, with or without branches pending, and repeat it; the label is the next instruction."""
    walk.jump(at[kind])
    walk.run()
    walk.branch(not branches).run_to(at[f"{kind}_label"])
    for _ in range(rounds):
        _label(walk, kind, at).run_to(at[f"{kind}_jump"]).jump(at[f"{kind}_label"])
    return walk


_CASES = [(kind, rounds, branches) for kind in LABELS for rounds in (0, 1, 2) for branches in (False, True)]


@scenario("ET-6", "ET.pay.updiscon", "ET.alg.before_trap", "ET.alg.updiscon",
          configs=(*configs({}, TWO, SMALL, COUNTER), *configs(FOUR, full_address=1),
                   *configs(branch_prediction=1, jump_target_cache=1, variant=V2)))  # fmt: skip
def loop_trap(s: Script) -> None:
    """A trap after the label in the first, second and third round: updiscon shows whether a jump led to the label."""
    walk, at = s.start(_loops(s.config), "plain_jump")
    for kind, rounds, branches in _CASES:
        for interrupt in (False, True):
            _label(_enter(walk, kind, at, rounds, branches), kind, at).trap(
                7 if interrupt else 2, at["trap_handler"], interrupt
            )
            handle(walk, at[f"{kind}_after"]).run()


@scenario("ET-6", "ET-4", "ET.alg.resync", "ET.alg.before_sync", "ET.pay.updiscon",
          configs=(*configs({}, TWO, inst_sync_mode=(2, 3)),
                   *configs(SMALL, inst_sync_mode=3, variant=V2)))  # fmt: skip
def loop_resync(s: Script) -> None:
    """Resynchronization falls due at each instruction of the loop in turn, so also right after the label, in each
    round.
    """
    walk, at = s.start(_loops(s.config), "plain_jump", on=False)
    walk.trace_on().jump(at["plain"])
    for kind in LABELS[1:]:
        for rounds in (0, 1, 2):
            for skipped in range(0, 11):  # each begins one instruction later
                walk.trace_off().trace_on(at[kind] + 4 * skipped)
                walk.run()
                walk.branch(skipped % 3 > 0).run_to(at[f"{kind}_label"])
                for _ in range(rounds):
                    _label(walk, kind, at).run_to(at[f"{kind}_jump"]).jump(at[f"{kind}_label"])
                _label(walk, kind, at).run()
                walk.jump(at["branch_jump"]).jump(at["plain_jump"])


@scenario("ET-6", "ET-16", "ET.alg.ended", "ET.alg.last", "ET.pay.qual_status",
          configs=(*configs({}, TWO, SMALL), *configs(FOUR, full_address=1),
                   *configs(jump_target_cache=1, variant=V2)))  # fmt: skip
def loop_ended(s: Script) -> None:
    """Trace ends at the label in the first round (ended_rep) and later (ended_ntr), and after it."""
    walk, at = s.start(_loops(s.config), "plain_jump")
    for kind, rounds, branches in _CASES:
        for steps in (0, 1):
            _label(_enter(walk, kind, at, rounds, branches), kind, at).step(steps)
            (walk.debug_entry if rounds == 1 else walk.trace_off)()
            (walk.debug_exit if rounds == 1 else walk.trace_on)()
            walk.run()


@scenario("ET-6", "ET.pay.notify", "ET.alg.notify", configs=(*configs({}, TWO, SMALL), *configs(FOUR, full_address=1)))
def loop_notify(s: Script) -> None:
    """A trigger at the label in one round or in all: notify reports the first arrival, and arrivals by a jump are
    reported anyway.
    """
    walk, at = s.start(_loops(s.config), "plain_jump")
    for kind, rounds, branches in _CASES:
        for chosen in range(rounds + 1):
            walk.jump(at[kind])
            walk.run()
            walk.branch(not branches).run_to(at[f"{kind}_label"])
            for number in range(rounds + 1):
                _label(walk, kind, at)
                if number >= chosen:
                    walk.notify()
                walk.run_to(at[f"{kind}_jump"])
                if number < rounds:
                    walk.jump(at[f"{kind}_label"])


@scenario("ET-6", "ET-15", "ET-10", "ET.alg.ppccd", "ET.alg.before_sync", "ET.pay.updiscon",
          configs=(*configs({}, TWO, SMALL, ctype=("2", "3")), *configs(FOUR, ctype="1", variant=V2)))  # fmt: skip
def loop_context(s: Script) -> None:
    """Another context, or another privilege after an xRET, comes after the label in the first, second and third
    round.
    """
    walk, at = s.start(_loops(s.config), "plain_jump")
    for kind, rounds, branches in _CASES:
        _enter(walk, kind, at, rounds, branches)
        if kind == "xret" and branches:
            _label(walk, kind, at, Priv.U).step().trap(8, at["trap_handler"])
            handle(walk, at[f"{kind}_after"]).run()
        else:
            _label(walk, kind, at)
            walk.context ^= 0x11
            walk.run()


def spinning(config: Config) -> ProgramBuilder:
    """A nop, then `spin`: a nop and a jump back to it, which needs no packet."""
    b = builder(config)
    b.nop()
    b.label("spin")
    b.nop()
    b.jal(0, "spin")
    return b


@scenario("ET-4", "ET-15", "ET.alg.context", "ET.alg.resync",
          configs=configs({}, TWO, ctype="1", inst_sync_mode=(0, 3), inst_stall_ena=1))  # fmt: skip
def loop_without_packets(s: Script) -> None:
    """A direct jump back, which needs no packet: other contexts and resynchronizations come in rounds that no decoder
    can count.
    """
    walk, at = s.start(spinning(s.config))
    spin = at["spin"]
    walk.step()
    for changed in (None, 6, 9, 20, 27):
        for number in range(28):
            if number == changed:
                walk.context ^= 0x11
            walk.step()
        walk.trap(7, at["trap_handler"], interrupt=True)
        handle(walk, spin)
    walk.step(2)
