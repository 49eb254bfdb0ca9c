"""Walks: a path through a program, recorded as a retire stream.

`Walk` tells a story instruction by instruction and refuses what the program does not allow. `with_variant`
and `check_flow` (see `models.riscv.stream`) work on any stream.
"""

from __future__ import annotations

import numpy as np

from models.riscv import isa
from models.riscv.isa import Flow, Insn
from models.riscv.program import Program
from models.riscv.retired import Kind, Priv, Retired
from models.riscv.stream import (
    WalkError,
    check_flow,
    mode_rows,
    size_and_itype,
    trap_retires,
    with_variant,
)

__all__ = ["Walk", "WalkError", "check_flow", "with_variant"]


class Walk:
    """A hart at one place of a program; each call retires instructions or tells an event.

    program; variant: one of `isa.VARIANTS`; start_pc: by default the program's entry; priv, context: those
    of the first instruction. stops: addresses of sequential instructions at which `run` also stops.
    pc, priv, context: of the next instruction (context may be set: a write to scontext takes effect there).
    tracing: None until the first trace_on or trace_off. halted: in Debug Mode. count: instructions retired.
    """

    def __init__(
        self,
        program: Program,
        variant: str = "v1_0",
        start_pc: int | None = None,
        priv: int = Priv.M,
        context: int = 0,
        stops: frozenset[int] = frozenset(),
    ) -> None:
        if variant not in isa.VARIANTS:
            raise WalkError(f"variant {variant!r} is not known; give one of {', '.join(isa.VARIANTS)}")
        self.program, self.variant = program, variant
        self.pc = program.entry if start_pc is None else start_pc
        self.tracing: bool | None = None
        self.halted = self._debugged = False
        self.count = 0
        self._code, self._stops = program.code, stops
        self._priv, self._context = int(priv), context
        self._pcs: list[int] = []
        self._taken: dict[int, bool] = {}
        self._events: dict[int, tuple[int, int, int]] = {}  # row: kind, cause, tval
        self._modes: list[tuple[int, int, int]] = [(0, self._priv, context)]  # from row on: priv, context
        self._lines: dict[int, tuple[list[int], int]] = {}

    def __len__(self) -> int:
        return len(self._pcs)

    @property
    def priv(self) -> int:
        return self._priv

    @property
    def context(self) -> int:
        return self._context

    @context.setter
    def context(self, value: int) -> None:
        self._mode(self._priv, value)

    def _mode(self, priv: int | None, context: int | None) -> None:
        priv, context = (
            self._priv if priv is None else int(priv),
            self._context if context is None else context,
        )
        if (priv, context) != (self._priv, self._context):
            self._priv, self._context = priv, context
            self._modes.append((len(self._pcs), priv, context))

    def insn(self) -> Insn | None:
        """The instruction at pc."""
        return self._code[self.pc]

    def _need(self, flow: Flow, way_out: str) -> Insn:
        insn = self._code[self.pc]
        if self.halted or insn is None or insn.flow != flow:
            self._refuse(way_out if insn else "the walk has left the program")
        return insn

    def _refuse(self, reason: str) -> None:
        reason = "the hart is in Debug Mode; call debug_exit() first" if self.halted else reason
        raise WalkError(f"at {self.program.where(self.pc)}: {reason}")

    def _go(self, target: int) -> None:
        if target & 1 or not 0 <= target < 1 << self.program.xlen:
            self._refuse(
                f"{target:#x} cannot be the next address; it must be even and of {self.program.xlen} bits"
            )
        self.pc = target

    def step(self, n: int = 1) -> Walk:
        """Retire n instructions whose successor the program alone tells (sequential, direct jump or call)."""
        append, code, pc = self._pcs.append, self._code, self.pc
        for _ in range(n):
            insn = code[pc]
            if self.halted or insn is None or insn.flow not in (Flow.SEQUENTIAL, Flow.INFERABLE):
                self.pc = pc
                way = ("", "branch(taken)", "", "jump(target)", "trap(...)")[insn.flow if insn else 0]
                self._refuse(f"not a step; use {way}" if insn else "the walk has left the program")
            append(pc)
            self.count += 1
            pc = insn.target if insn.flow else self._after(pc, insn)
        self.pc = pc
        return self

    def _after(self, pc: int, insn: Insn) -> int:
        return pc + insn.size & (1 << self.program.xlen) - 1

    def run(self, limit: int = 1 << 62) -> Insn | None:
        """Retire at most `limit` sequential instructions, up to one that is not or is in stops; return
        that."""
        while limit > 0:
            line, end = self._lines.get(self.pc) or self._line(self.pc)
            if not line:
                break
            if self.halted:
                self._refuse("")
            if len(line) > limit:
                line, end = line[:limit], line[limit]
            self._pcs += line
            self.count += len(line)
            limit -= len(line)
            self.pc = end
        return self._code[self.pc]

    def _line(self, start: int) -> tuple[list[int], int]:
        """The sequential instructions from start on (a thousand at most), and the address behind them."""
        pc, line = start, []
        while len(line) < 1000:
            insn = self._code[pc]
            if insn is None or insn.flow or (pc in self._stops and line):
                break
            line.append(pc)
            pc = self._after(pc, insn)
        if start in self._stops:
            line, pc = [], start
        self._lines[start] = line, pc
        return line, pc

    def run_to(self, pc: int, limit: int = 1_000_000) -> Walk:
        """Step until `pc` is next; refuses branches and indirect jumps on the way, and endless loops."""
        left = limit
        while self.pc != pc:
            if not left:
                self._refuse(f"{pc:#x} was not reached in {limit} instructions; give an address on the way")
            self.step()
            left -= 1
        return self

    def branch(self, taken: bool) -> Walk:
        """Retire the conditional branch at pc."""
        insn = self._need(Flow.BRANCH, "not a branch; use step() or jump(target)")
        self._taken[len(self._pcs)] = bool(taken)
        self._pcs.append(self.pc)
        self.count += 1
        self.pc = insn.target if taken else self._after(self.pc, insn)
        return self

    def jump(self, target: int, priv: int | None = None, context: int | None = None) -> Walk:
        """Retire the indirect jump or xRET at pc; an xRET may change the privilege (and context)."""
        insn = self._need(Flow.UNINFERABLE, "not an indirect jump; use step(), branch(taken) or trap(...)")
        if priv is not None and int(priv) != self._priv and insn.name not in isa.XRET:
            self._refuse("only mret, sret, uret and mnret change the privilege; leave priv out")
        self._go(target)
        self._pcs.append(insn.pc)
        self.count += 1
        self._mode(priv, context)
        return self

    def trap(
        self, cause: int, handler: int, interrupt: bool = False, tval: int = 0, priv: int = Priv.M
    ) -> Walk:
        """An exception of the instruction at pc, or an interrupt before it; goes on at handler with priv.

        ecall and ebreak with their own cause retire before it in rc7 (seed Table 2) and do not in v1_0.
        """
        if self.halted:
            self._refuse("")
        epc = self.pc
        self._go(handler)
        if not interrupt and self.variant == "rc7" and trap_retires(self._code[epc], cause):
            self._pcs.append(epc)
            self.count += 1
        self._event(Kind.INTERRUPT if interrupt else Kind.EXCEPTION, epc, cause, tval)
        self._mode(priv, None)
        return self

    def _event(self, kind: Kind, pc: int, cause: int = 0, tval: int = 0) -> None:
        self._events[len(self._pcs)] = (kind, cause, tval)
        self._pcs.append(pc)

    def trace_on(self, resume_pc: int | None = None) -> Walk:
        """Tracing starts before the next instruction; resume_pc: where, if untraced ones are left out."""
        if self.tracing:
            self._refuse("tracing is on already; call trace_off() first")
        if resume_pc is not None:
            self._go(resume_pc)
        self.tracing = True
        self._event(Kind.TRACE_ON, self.pc)
        return self

    def trace_off(self) -> Walk:
        """Tracing stops before the next instruction; what follows is recorded as well, until trace_on."""
        if self.tracing is False:
            self._refuse("tracing is off already; call trace_on() first")
        self.tracing = False
        self._event(Kind.TRACE_OFF, self.pc)
        return self

    def debug_entry(self) -> Walk:
        """The hart enters Debug Mode before the next instruction."""
        if self.halted:
            self._refuse("")
        self._event(Kind.DEBUG_ENTRY, self.pc)
        self.halted = self._debugged = True
        return self

    def debug_exit(self, resume_pc: int | None = None, priv: int | None = None) -> Walk:
        """The hart leaves Debug Mode, at resume_pc if given (also at the start: it was halted before)."""
        if not self.halted and self._debugged:
            self._refuse("the hart is not in Debug Mode; call debug_entry() first")
        if resume_pc is not None:
            self._go(resume_pc)
        self.halted, self._debugged = False, True
        self._mode(priv, None)
        self._event(Kind.DEBUG_EXIT, self.pc)
        return self

    def retired(self) -> Retired:
        """The walk so far; control rows have the privilege and context of the instruction or trap after
        them."""
        n = len(self._pcs)
        pcs = np.array(self._pcs, dtype=np.uint64)
        kind, cause, tval = np.zeros(n, np.uint8), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
        taken, (rows, privs, contexts) = np.full(n, -1, np.int8), zip(*self._modes)
        for row, (what, number, value) in self._events.items():
            kind[row], cause[row], tval[row] = what, number, value
        for row, direction in self._taken.items():
            taken[row] = direction
        lengths = np.diff(np.array([*rows, n]))
        priv = np.repeat(np.array(privs, np.uint8), lengths)
        context = np.repeat(np.array(contexts, np.uint64), lengths)
        sayer = mode_rows(kind)
        size, itype = size_and_itype(self.program, self.variant, kind, pcs, taken)
        return Retired(kind, pcs, size, itype, taken, cause, tval, priv[sayer], context[sayer])
