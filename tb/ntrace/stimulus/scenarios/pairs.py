# SPDX-License-Identifier: Apache-2.0
"""Scenarios of two blocks a cycle: every kind of instruction beside every other (NT.2.pairs)."""

from __future__ import annotations

from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.ntrace.stimulus.scenarios.base import SMALL, TWO, Script, builder, configs, scenario


@scenario("NT.2.pairs", "NT.8.6.back_to_back", configs=configs(**TWO), retirement="single")
def pairs(s: Script) -> None:
    """Two blocks a cycle: every kind of instruction in lane 0 with every kind in lane 1, trap included."""
    pair_story(s, 0)


@scenario("NT.2.pairs", "NT.8.4.4.resource_full", "NT.8.3.1.hist_full", configs=configs(**SMALL), retirement="single")
def pairs_small(s: Script) -> None:
    """The same pairs one instruction later, with counters that fill up in either lane."""
    pair_story(s, 1)


def pair_story(s: Script, phase: int) -> None:
    """Walk through all ordered pairs of kinds; phase shifts which of them share a cycle."""
    b = builder(s.config)
    b.label("linear")
    b.nop()
    b.label("short")
    b.c_nop()
    b.label("taken")
    b.beq(8, 9, "taken_to")
    b.label("not_taken")
    b.bne(8, 9, "taken_to")
    b.label("taken_to")
    b.jalr(0, 12)
    b.label("direct")
    b.jal(0, "taken_to")
    b.label("call")
    b.jalr(1, 10)
    b.label("return")
    b.c_jr(1)
    walk, at = s.start(b, "linear")
    kinds = ("linear", "short", "taken", "not_taken", "direct", "call", "return", "trap")
    walk.step(phase)

    def visit(kind: str, target: int) -> None:
        """Retire one instruction of the kind at the current pc of the walk, and go on to target."""
        if kind == "trap":
            walk.trap(2, target)
            return
        if kind in ("taken", "not_taken"):
            walk.branch(kind == "taken")
        elif kind in ("linear", "short", "direct"):
            walk.step()
        else:
            walk.jump(target)
            return
        _reach(walk, target, at["taken_to"])

    for first in kinds:
        for second in kinds:
            _reach(walk, at.get(first, at["linear"]), at["taken_to"])
            visit(first, at.get(second, at["linear"]))
            visit(second, at["return"])
            walk.jump(at["taken_to"])
    walk.jump(at["linear"]).step()


def _reach(walk: Walk, target: int, hub: int) -> None:
    """Come to target by the indirect jump at the hub, if not there already."""
    while walk.pc != target:
        insn = walk.insn()
        assert insn is not None
        if insn.pc == hub or insn.flow == Flow.UNINFERABLE:
            walk.jump(target)
        elif insn.flow == Flow.BRANCH:
            walk.branch(True)
        else:
            walk.step()
