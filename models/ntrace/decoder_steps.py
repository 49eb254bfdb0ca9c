"""Steps: the pieces of a program between two decisions, as the decoder walks and stores them.

A step is a run of consecutive instructions up to and with the next branch, uninferable jump or trap. It has a
number; the columns of `Steps` tell its instructions.
"""

from __future__ import annotations

from array import array
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from models.riscv.isa import Flow
from models.riscv.program import Program

STEP_LIMIT = 32  # instructions of a step: bounds what overlapping steps cost


class End(IntEnum):
    """What the last instruction of a step or of a walk is."""

    PLAIN = 0  # the next pc is known
    BRANCH = 1  # a direct conditional branch whose direction no HIST bit told (BTM)
    INDIRECT = 2  # an uninferable jump: the next pc is unknown
    TRAP = 3  # ecall or ebreak
    UNMAPPED = 4  # no instruction here


class Node(NamedTuple):
    """The step that begins at a pc.

    halves: half-words. count: instructions. after: next pc. step: its number. Both are those of a branch
    that is not taken; target and taken_step are those of one that is.
    """

    end: End
    halves: int
    count: int
    after: int
    step: int
    target: int
    taken_step: int


_ENDS = {Flow.BRANCH: End.BRANCH, Flow.UNINFERABLE: End.INDIRECT, Flow.TRAP: End.TRAP}


class Steps(dict):
    """pc to Node, made at first use, and the columns that tell the instructions of each step number.

    pool: pcs, at most STEP_LIMIT for each pc ever asked for. start, length: where in the pool a step's
    instructions are; taken: direction of its last one, -1 if it is no branch or not known.
    """

    def __init__(self, program: Program, xlen: int) -> None:
        super().__init__()
        self.code, self.mask = program.code, (1 << xlen) - 1
        self.pool = array("Q")  # pcs
        self.start, self.length, self.taken = array("Q"), array("H"), array("b")

    def new(self, start: int, length: int, taken: int) -> int:
        """Number of a new step on instructions in the pool."""
        self.start.append(start)
        self.length.append(length)
        self.taken.append(taken)
        return len(self.start) - 1

    def __missing__(self, pc: int) -> Node:
        pcs: list[int] = []
        halves, end, target, at = 0, End.PLAIN, 0, pc
        while len(pcs) < STEP_LIMIT:
            insn = self.code[at]
            if insn is None:
                end = End.PLAIN if pcs else End.UNMAPPED
                break
            pcs.append(at)
            halves += insn.size >> 1
            at = at + insn.size & self.mask
            if insn.flow is Flow.INFERABLE:
                at = insn.target
                if at in pcs:
                    break
            elif insn.flow is not Flow.SEQUENTIAL:
                end, target = _ENDS[insn.flow], insn.target or 0
                break
        start, is_branch = len(self.pool), end is End.BRANCH
        self.pool.extend(pcs)
        step = self.new(start, len(pcs), 0 if is_branch else -1)
        taken_step = self.new(start, len(pcs), 1) if is_branch else step
        node = self[pc] = Node(end, halves, len(pcs), at, step, target, taken_step)
        return node

    def last_pc(self, step: int) -> int:
        """pc of the step's last instruction."""
        return self.pool[self.start[step] + self.length[step] - 1]

    def arrays(self) -> Columns:
        """The columns for numpy; no steps may be added while they are in use."""
        return Columns(*(np.array(c) for c in (self.start, self.length, self.taken, self.pool)))


class Columns(NamedTuple):
    """`Steps` as arrays."""

    start: np.ndarray
    length: np.ndarray
    taken: np.ndarray
    pool: np.ndarray

    def instructions(self, steps: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """pcs and taken of consecutive steps, none of them empty."""
        sizes = self.length[steps].astype(np.int64)
        ends = np.cumsum(sizes)
        total = int(ends[-1]) if len(ends) else 0
        index = np.arange(total) + np.repeat(self.start[steps].astype(np.int64) - (ends - sizes), sizes)
        taken = np.full(total, -1, dtype=np.int8)
        taken[ends - 1] = self.taken[steps]
        return self.pool[index], taken
