# SPDX-License-Identifier: Apache-2.0
"""What a random walk must know of a program beyond its instructions: functions, handlers, blocks, loops."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from rvtrace.models.riscv import isa, sequential
from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.program import Program

SCONTEXT, HCONTEXT, MCONTEXT = 0x5A8, 0x6A8, 0x7A8
_TIGHT = 64  # bytes: a loop of this length at most, without calls and indirect jumps, is worth many iterations


class Graph:
    """Found by one sweep over all functions, which are the program's symbols; trap handlers contain an xRET.

    functions, handlers (by the xRET's name): addresses. leaders: for each function where its basic blocks begin.
    guards: forward branches that skip a call. tight: backward branches of short loops without calls. customs:
    custom instructions. context_writes: writes of scontext and hcontext, with the CSR. inferable: sequentially
    inferable jumps, with their target.
    """

    def __init__(self, program: Program) -> None:
        self.functions: list[int] = []
        self.handlers: dict[str, list[int]] = {}
        self.leaders: dict[int, list[int]] = {}
        self.guards: set[int] = set()
        self.tight: set[int] = set()
        self.customs: set[int] = set()
        self.context_writes: dict[int, int] = {}
        self.inferable: dict[int, int] = {}
        starts = sorted({address for _, address in program.labels if program.insn(address)} | {program.entry})
        self.starts = starts
        for start, stop in zip(starts, [*starts[1:], 1 << program.xlen]):
            self._sweep(program, start, stop)
        self.functions = self.functions or starts

    def _sweep(self, program: Program, pc: int, stop: int) -> None:
        start, leaders, branches, xret = pc, {pc}, [], None
        calls: list[int] = []
        jumps: list[int] = []  # calls included
        before: Insn | None = None
        while pc < stop and (insn := program.insn(pc)):
            after = pc + insn.size
            if insn.flow == Flow.BRANCH:
                branches.append(insn)
                leaders |= {insn.target, after}
            elif insn.flow in (Flow.INFERABLE, Flow.UNINFERABLE):
                leaders.add(after)
                calls += [pc] if insn.rd in isa.LINK else []
                jumps.append(pc)
                xret = insn.name if insn.name in isa.XRET else xret
                leads = sequential.target(before, insn, program.xlen)
                if leads is not None:
                    self.inferable[pc] = leads
            elif insn.flow == Flow.TRAP:
                jumps.append(pc)
            elif isa.is_custom(insn):
                self.customs.add(pc)
                leaders.add(after)
            elif insn.size == 4 and insn.raw & 0x707F == 0x1073 and insn.raw >> 20 in (SCONTEXT, HCONTEXT, MCONTEXT):
                self.context_writes[pc] = insn.raw >> 20
            before, pc = insn, after
        self.leaders[start] = sorted(leader for leader in leaders if start <= leader < pc)
        for branch in branches:
            first = bisect_right(calls, branch.pc)
            if first < len(calls) and calls[first] < branch.target:
                self.guards.add(branch.pc)
            within = bisect_left(jumps, branch.target) < bisect_left(jumps, branch.pc)
            if branch.pc - _TIGHT < branch.target <= branch.pc and not within:
                self.tight.add(branch.pc)
        if xret:
            self.handlers.setdefault(xret, []).append(start)
        else:
            self.functions.append(start)

    def blocks_around(self, pc: int) -> list[int]:
        """Where the basic blocks of pc's function begin."""
        return self.leaders[self._start(pc)]

    def in_handler(self, pc: int) -> bool:
        """Whether pc's function is a trap handler."""
        return any(self._start(pc) in handlers for handlers in self.handlers.values())

    def _start(self, pc: int) -> int:
        return self.starts[max(bisect_right(self.starts, pc), 1) - 1]
