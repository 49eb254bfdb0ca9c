# SPDX-License-Identifier: Apache-2.0
"""What the scenarios of implicit returns of both encoders share: programs of nested calls, and walks through them."""

from __future__ import annotations

from collections.abc import Iterable

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.walk import Walk

RA, T0 = 1, 5  # the link registers


def calls(b: ProgramBuilder) -> ProgramBuilder:
    """f0 calls f1 calls ... f5, each with a return; `elsewhere` is where a wrong return goes."""
    b.jal(RA, "f0")
    b.label("back")
    b.nop()
    b.jalr(RA, 10)
    b.label("again")
    b.c_nop()
    b.jalr(0, 11)
    for depth in range(6):
        b.label(f"f{depth}")
        b.c_nop()
        b.beq(8, 9, f"r{depth}")
        b.jal(RA if depth % 2 else T0, f"f{min(depth + 1, 5)}")
        b.label(f"r{depth}")
        b.nop()
        b.label(f"e{depth}")
        b.c_jr(RA if depth % 2 == 0 else T0)
    b.org(b.here + 0x40)
    b.label("elsewhere")
    b.nop()
    b.jalr(0, 12)
    return b


def descend(walk: Walk, at: dict[str, int], to: int) -> Walk:
    """From the start of f0 to the return of f<to>."""
    for _ in range(to):
        walk.step().branch(False).step()
    return walk.step().branch(True).run_to(at[f"e{to}"])


def nest(walk: Walk, at: dict[str, int], depths: Iterable[int]) -> None:
    """Calls up to each depth return the way they came, and one that the second instruction of `back` makes."""
    for deepest in depths:
        descend(walk.run_to(at["f0"]), at, deepest)
        for depth in range(deepest, 0, -1):
            walk.jump(at[f"r{depth - 1}"]).run_to(at[f"e{depth - 1}"])
        walk.jump(at["back"]).step().jump(at["f0"])
        descend(walk, at, 0).jump(at["again"]).step().jump(at["main"])
    walk.step()


def recursive(b: ProgramBuilder) -> ProgramBuilder:
    """`again` calls itself and comes back at `inner`; the first call comes back at `back`."""
    b.jal(RA, "again")
    b.label("back")
    b.nop()
    b.jalr(0, 10)
    b.label("again")
    b.nop()
    b.beq(8, 9, "leaf")
    b.jal(RA, "again")
    b.label("inner")
    b.c_nop()
    b.label("leaf")
    b.c_jr(RA)
    return b


def deepen(walk: Walk, depth: int) -> Walk:
    """From `main` into so many calls of itself; the return of the innermost is next."""
    walk.step()
    for _ in range(depth):
        walk.step().branch(False).step()
    return walk.step().branch(True)


def ascend(walk: Walk, at: dict[str, int], times: int) -> Walk:
    """So many returns; the next return is next."""
    for _ in range(times):
        walk.jump(at["inner"]).step()
    return walk
