# SPDX-License-Identifier: Apache-2.0
"""Scenarios of two and four blocks a cycle: every kind of instruction beside every other (blocks = single, ET-17)."""

from __future__ import annotations

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk
from rvtrace.tb.common.stimulus.traced_program import behind
from rvtrace.tb.etrace.stimulus.scenarios.base import (
    ALL_ON_V2,
    FOUR,
    RA,
    SMALL,
    T0,
    TWO,
    V2,
    Script,
    builder,
    configs,
    scenario,
)

_WIDE = (
    *configs(TWO, FOUR, SMALL),
    *(c | ALL_ON_V2 | {"full_address": 0} for c in configs(TWO, FOUR, SMALL, variant=V2)),
    *configs(TWO, inst_sync_mode=(1, 3), variant=V2),
)
_JUMPS = {
    "tail": (0, 10),
    "other": (3, 10),
    "call": (RA, 10),
    "return": (0, RA),
    "swap": (T0, RA),
}  # rd and rs1 of an indirect jump
_DIRECT = {"direct": 0, "direct_call": RA, "direct_other": 3}  # rd of a direct one
_KINDS = ("linear", "short", "taken", "not_taken", "xret", *_DIRECT, *_JUMPS)


def _emit(b: ProgramBuilder, kind: str, to: str) -> None:
    """One instruction of the kind, whose target is the instruction after it."""
    if kind in ("taken", "not_taken"):
        b.beq(8, 9, to)
    elif kind in _DIRECT:
        b.jal(_DIRECT[kind], to)
    elif kind in _JUMPS:
        b.jalr(*_JUMPS[kind])
    else:
        {"linear": b.nop, "short": b.c_nop, "xret": b.mret}[kind]()


def _retire(walk: Walk, kind: str) -> Walk:
    """Go on to the instruction after it."""
    after = behind(walk.program, walk.pc)
    if kind in ("taken", "not_taken"):
        return walk.branch(kind == "taken")
    return walk.jump(after) if kind in _JUMPS or kind == "xret" else walk.step()


def _pairs(s: Script, phase: int) -> None:
    """All ordered pairs of kinds, and each kind before a trap; phase: instructions before each pair, which shift what
    shares a cycle.
    """
    b = builder(s.config)
    b.c_jr(10)
    for first in _KINDS:
        for second in _KINDS:
            b.label(f"{first}_{second}")
            for _ in range(phase):
                b.c_nop()
            _emit(b, first, f".{first}_{second}_0")
            b.label(f".{first}_{second}_0")
            _emit(b, second, f".{first}_{second}_1")
            b.label(f".{first}_{second}_1")
            b.c_jr(10)
    walk, at = s.start(b)
    for first in _KINDS:
        for second in (*_KINDS, "exception", "interrupt"):
            pair = f"{first}_{second if second in _KINDS else _KINDS[0]}"
            walk.trap(7, at["trap_nested"], interrupt=True).step().jump(at[pair]).run(
                phase
            )  # a trap ends its cycle: the lanes are known
            _retire(walk, first)
            if second in _KINDS:
                _retire(walk, second)
                walk.jump(at["main"])
            else:
                walk.trap(2, at["trap_nested"], interrupt=second == "interrupt").step().jump(at["main"])


@scenario("ET.ing.blocks", "ET.alg.multi", "ET-17", configs=_WIDE, retirement="single")
def pairs(s: Script) -> None:
    """Two and four blocks a cycle: every kind of instruction in a lane with every kind in the next, trap included."""
    _pairs(s, 0)


@scenario("ET.ing.blocks", "ET.alg.multi", "ET-17", configs=_WIDE, retirement="single")
def pairs_shifted(s: Script) -> None:
    """The same pairs one instruction later: other pairs share a cycle, and the first of each is the last of the cycle
    before.
    """
    _pairs(s, 1)
