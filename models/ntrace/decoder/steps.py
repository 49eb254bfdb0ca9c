# SPDX-License-Identifier: Apache-2.0
"""Steps: the pieces of a program between two decisions, as the decoder walks and stores them.

A step is a run of consecutive instructions up to and with the next branch, uninferable jump or trap, or a call that the
return stack has to know. It has a number; the columns of a `Pool` hold its instructions. One pool serves all the
program images of a trace, one `Steps` each of them.
"""

from __future__ import annotations

from enum import IntEnum
from typing import NamedTuple

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.images import View
from rvtrace.models.riscv.bits import signed
from rvtrace.models.riscv.isa import XRET, Flow, Insn, MaybeNone, itype
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from rvtrace.models.riscv.step_store import STEP_LIMIT, Pool

CALLS = (IType.INFERABLE_CALL, IType.UNINFERABLE_CALL, IType.COROUTINE_SWAP)
RETURNS = (IType.RETURN, IType.COROUTINE_SWAP)
LUI, AUIPC = 0x37, 0x17  # opcodes


class End(IntEnum):
    """What the last instruction of a step or of a walk is."""

    PLAIN = 0  # the next pc is known
    BRANCH = 1  # a direct conditional branch whose direction no HIST bit reported (BTM)
    INDIRECT = 2  # an uninferable jump: the next pc is unknown, unless 9.1 or 9.2 predicts it
    TRAP = 3  # ecall or ebreak
    UNMAPPED = 4  # no instruction here
    CALL = 5  # a direct call, with a return stack
    JUMP = 6  # a direct jump or call that is reported as a taken branch (trTeInstEnAllJumps)


class Jump(NamedTuple):
    """The jump that ends a step: whether it takes an entry off the return stack, and which it then adds (9.2)."""

    pc: int
    pops: bool
    back: int | MaybeNone


class Node(NamedTuple):
    """The step that begins at a pc.

    halves: half-words. count: instructions. after: next pc. step: its number. Both are those of a branch
    that is not taken; target and taken_step (of a branch always step + 1) are those of one that is. jump: of INDIRECT,
    CALL and JUMP, which is always taken.
    """

    end: End
    halves: int
    count: int
    after: int
    step: int
    target: int
    taken_step: int
    jump: Jump | MaybeNone


_ENDS = {Flow.BRANCH: End.BRANCH, Flow.UNINFERABLE: End.INDIRECT, Flow.TRAP: End.TRAP}


class Steps(dict[int, Node]):
    """pc to Node, made at first use, for one program image."""

    def __init__(self, program: Program | View, config: Config, pool: Pool) -> None:
        super().__init__()
        self.code, self.pool, self.mask = program.code, pool, (1 << config.xlen) - 1
        self._variant, self._all_jumps = config.variant, bool(config.all_jumps)
        self._stacked, self._infers = bool(config.implicit_return), bool(config.sequential_jump)
        self._stacks_direct = (
            not config.all_jumps
        )  # the port then reports direct calls as branches: no encoder stacks them
        self._constants: dict[tuple[int, int], int | None] = {}

    def __missing__(self, pc: int) -> Node:
        pcs: list[int] = []
        halves, end, target, at, jump = 0, End.PLAIN, 0, pc, None
        while len(pcs) < STEP_LIMIT:
            insn = self.code[at]
            if insn is None:
                end = End.PLAIN if pcs else End.UNMAPPED
                break
            pcs.append(at)
            halves += insn.size >> 1
            at = at + insn.size & self.mask
            if insn.flow is Flow.INFERABLE:
                jump = self._jump(insn)
                if self._all_jumps:
                    end, target = End.JUMP, insn.target
                    break
                at = insn.target
                if jump.back is not None:
                    end = End.CALL
                    break
                if at in pcs:
                    break
            elif insn.flow is not Flow.SEQUENTIAL:
                end, target = _ENDS[insn.flow], insn.target or 0
                jump = self._jump(insn) if end is End.INDIRECT else None
                break
        start = len(self.pool.pcs)
        self.pool.pcs.extend(pcs)
        step = self.pool.new(start, len(pcs), {End.BRANCH: 0, End.JUMP: 1}.get(end, -1))
        taken_step = self.pool.new(start, len(pcs), 1) if end is End.BRANCH else step
        node = self[pc] = Node(end, halves, len(pcs), at, step, target, taken_step, jump)
        return node

    def _jump(self, insn: Insn) -> Jump:
        if not self._stacked or insn.name in XRET:
            return Jump(insn.pc, False, None)
        kind = itype(insn, self._variant)
        pushes = kind in CALLS and (self._stacks_direct or insn.flow is not Flow.INFERABLE)
        return Jump(insn.pc, kind in RETURNS, insn.pc + insn.size & self.mask if pushes else None)

    def constant(self, before: int, pc: int) -> int | None:
        """Target of the jump at `pc` if the instruction at `before` is right before it and loads its register (9.1)."""
        key = (before, pc)
        if key not in self._constants:
            self._constants[key] = self._constant(self.code[before], self.code[pc])
        return self._constants[key]

    def loaded(self, node: Node, jump: int) -> tuple[int, int]:
        """Where the jump at the end of a node leads by 9.1, in half-words or -1: (if the instruction before it has two
        half-words, if one), and in a node that has that instruction (where it leads, -1).
        """
        if not self._infers:
            return -1, -1
        start, pcs = self.pool.start[node.step], self.pool.pcs
        before = (pcs[start + node.count - 2],) if node.count > 1 else (jump - 4, jump - 2)
        found = [self.constant(pc, jump) if pc >= 0 else None for pc in before]
        first, *others = [-1 if target is None else target >> 1 for target in found]
        return first, others[0] if others else -1

    def loads(self, pc: int) -> bool:
        """Whether the code before the jump at `pc` loads its register, wherever the hart came from."""
        return any(self.code[pc - size] and self.constant(pc - size, pc) is not None for size in (2, 4) if pc >= size)

    def _constant(self, load: Insn | None, jump: Insn | None) -> int | None:
        if (
            load is None
            or jump is None
            or load.pc + load.size != jump.pc
            or jump.name not in ("jalr", "c.jr", "c.jalr")
        ):
            return None
        rd, value = load.raw >> 7 & 31, None
        if load.size == 4 and load.raw & 0x7F in (LUI, AUIPC):
            value = signed(load.raw & 0xFFFFF000, 32) + (load.pc if load.raw & 0x7F == AUIPC else 0)
        elif load.size == 2 and load.raw & 0xE003 == 0x6001 and rd != 2:  # c.lui; with sp it is c.addi16sp
            value = signed((load.raw >> 12 & 1) << 17 | (load.raw >> 2 & 31) << 12, 18) or None
        if value is None or rd != jump.rs1 or not rd:
            return None
        offset = signed(jump.raw >> 20, 12) if jump.size == 4 else 0
        return value + offset & self.mask & ~1
