# SPDX-License-Identifier: Apache-2.0
"""Steps of E-Trace: the pieces of a program between two decisions, and how each instruction is left.

A step is a run of consecutive instructions up to and with the next branch, uninferable jump, ecall or ebreak, or a call
that the return stack has to know. Its number names it in a `Pool` that all walks through the program share.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from rvtrace.models.riscv.isa import XRET, Flow, Insn, MaybeNone, itype
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.models.riscv.sequential import target as constant_target
from rvtrace.models.riscv.step_store import STEP_LIMIT, Pool

NOWHERE = -1  # a pc that no walk comes to
_CALLS = (IType.INFERABLE_CALL, IType.UNINFERABLE_CALL)


class End(IntEnum):
    """What the last instruction of a step is."""

    PLAIN = 0  # the next pc is known
    BRANCH = 1
    CALL = 2  # a direct call, with a return stack
    INDIRECT = 3  # an uninferable jump, unless an option infers its target
    TRAP = 4  # ecall or ebreak
    UNMAPPED = 5  # no instruction here


class Exit(NamedTuple):
    """How an instruction is left.

    after: next pc, of a branch that is not taken; target: of one that is. back: what a call pushes (CALL always does),
    else None. pops: a return that takes an entry of the stack or counter. xret: a return from a trap. returns: a
    return, whatever is kept of calls.
    """

    end: End
    pc: int
    after: int
    target: int
    back: int | MaybeNone
    pops: bool
    xret: bool
    returns: bool


class Node(NamedTuple):
    """The step that begins at a pc.

    count: instructions. step: its number (of a branch not taken); step - count + n is that of its first n instructions.
    exit: of its last instruction. after, target: those of exit. taken_step: of a branch that is taken.
    """

    end: End
    count: int
    step: int
    after: int
    target: int
    taken_step: int
    exit: Exit


_ENDS = {Flow.BRANCH: End.BRANCH, Flow.UNINFERABLE: End.INDIRECT, Flow.TRAP: End.TRAP}


class _Exits(dict[int, Exit]):
    """pc to `Exit`, made at first use."""

    def __init__(self, steps: Steps) -> None:
        super().__init__()
        self._steps = steps

    def __missing__(self, pc: int) -> Exit:
        leaves = self._steps.leave(pc, self._steps.program.code[pc])
        if leaves.end is not End.UNMAPPED:  # there is no end of such addresses
            self[pc] = leaves
        return leaves


class Steps(dict[int, Node]):
    """pc to `Node`, made at first use. exits: pc to `Exit` likewise. stacked: direct calls end a step.
    constant_returns: returns may be inferred from the instruction before.
    """

    def __init__(self, program: Program, pool: Pool, stacked: bool, constant_returns: bool = True) -> None:
        super().__init__()
        self.program, self.pool, self.stacked, self._constant_returns = program, pool, stacked, constant_returns
        self._mask = (1 << program.xlen) - 1
        self.exits = _Exits(self)
        self._constants: dict[tuple[int, int], int | None] = {}

    def __missing__(self, pc: int) -> Node:
        pcs: list[int] = []
        at, last = pc, self.exits[pc]
        if last.end is End.UNMAPPED:
            return Node(last.end, 0, NOWHERE, NOWHERE, NOWHERE, NOWHERE, last)
        while len(pcs) < STEP_LIMIT and at not in pcs:
            leaves = self.exits[at]
            if leaves.end is End.UNMAPPED:
                break
            pcs.append(at)
            last, at = leaves, leaves.after
            if leaves.end is not End.PLAIN:
                break
        start = len(self.pool.pcs)
        self.pool.pcs.extend(pcs)
        more = len(pcs) - 1
        self.pool.start.extend([start] * more)
        self.pool.length.extend(range(1, len(pcs)))
        self.pool.taken.extend([-1] * more)
        step = self.pool.new(start, len(pcs), 0 if last.end is End.BRANCH else -1)
        taken_step = self.pool.new(start, len(pcs), 1) if last.end is End.BRANCH else step
        node = self[pc] = Node(last.end, len(pcs), step, last.after, last.target, taken_step, last)
        return node

    def leave(self, pc: int, insn: Insn | None) -> Exit:
        """How the instruction is left."""
        if insn is None:
            return Exit(End.UNMAPPED, pc, NOWHERE, NOWHERE, None, False, False, False)
        after, target, end = pc + insn.size & self._mask, NOWHERE, _ENDS.get(insn.flow, End.PLAIN)
        xret = insn.name in XRET
        kind = IType.XRET if xret else itype(insn, "v2_0")
        back = after if self.stacked and kind in _CALLS else None
        if insn.flow is Flow.BRANCH:
            target = insn.target
        elif insn.flow is Flow.INFERABLE:
            after, end = insn.target, End.PLAIN if back is None else End.CALL
        elif insn.flow is not Flow.SEQUENTIAL:
            after = NOWHERE
        returns = kind == IType.RETURN
        return Exit(end, pc, after, target, back, self.stacked and returns, xret, returns)

    def loaded(self, leaves: Exit) -> tuple[int, int]:
        """Where a jump leads by sijump, in half-words or -1: (if what retired before it has two half-words, if one)."""
        if leaves.end is not End.INDIRECT or leaves.xret:
            return -1, -1
        befores = (leaves.pc - size & self._mask for size in (4, 2))
        whole, short = (self.constant(before, leaves.pc) for before in befores)
        return -1 if whole is None else whole >> 1, -1 if short is None else short >> 1

    def constant(self, before: int, jump: int) -> int | None:
        """Target of the jump if it retires immediately after the instruction at `before`, which loads its register."""
        key = (before, jump)
        if key not in self._constants:
            reported = not self._constant_returns and itype(self.program.code[jump], "v2_0") == IType.RETURN
            self._constants[key] = (
                None
                if reported
                else constant_target(self.program.code[before], self.program.code[jump], self.program.xlen)
            )
        return self._constants[key]
