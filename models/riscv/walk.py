# SPDX-License-Identifier: Apache-2.0
"""Walks: a path through a program, recorded as a retire stream.

`Walk` records a path instruction by instruction and refuses what the program does not allow. `with_variant`
and `check_flow` (see `rvtrace.models.riscv.stream`) work on any stream.
"""

from __future__ import annotations

from typing import NoReturn

import numpy as np

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from rvtrace.models.riscv.sequential import mark
from rvtrace.models.riscv.stream import WalkError, check_flow, mode_rows, size_and_itype, trap_retires, with_variant

__all__ = ["Walk", "WalkError", "check_flow", "with_variant"]


# Where the hart stops, what ends it, and the row of each.
_STOPPED = {"in Debug Mode": "debug_exit", "in reset": "reset_exit", "asleep": "wake"}


class Walk:
    """A hart at one place of a program; each call retires instructions or reports an event.

    program; variant: one of `isa.VARIANTS`; start_pc: by default the program's entry; priv, context, hcontext: those
    of the first instruction. stops: addresses of sequential instructions at which `run` also stops.
    pc, priv, context, hcontext: of the next instruction (the contexts may be set: a write to the CSR takes effect
    there). tracing: None until the first trace_on or trace_off. stopped: why the hart retires nothing ("in Debug Mode",
    "in reset", "asleep"), "" if it runs; halted: it is in Debug Mode. count: instructions retired.
    """

    def __init__(
        self,
        program: Program,
        variant: str = "v1_0",
        start_pc: int | None = None,
        priv: int = Priv.M,
        context: int = 0,
        stops: frozenset[int] = frozenset(),
        hcontext: int = 0,
    ) -> None:
        if variant not in isa.VARIANTS:
            raise WalkError(f"variant {variant!r} is not known; give one of {', '.join(isa.VARIANTS)}")
        self.program, self.variant = program, variant
        self.pc: int = program.entry if start_pc is None else start_pc
        self.tracing: bool | None = None
        self.stopped = ""
        self._woken: set[str] = set()  # of `_STOPPED`: what the hart has been in, or cannot have been in any more
        self.count = 0
        self._code, self._stops = program.code, stops
        self._mode_now = int(priv), context, hcontext
        self._pcs: list[int] = []
        self._taken: dict[int, bool] = {}
        self._custom: list[int] = []  # rows of custom instructions that changed the flow
        self._events: dict[int, tuple[int, int, int]] = {}  # row: kind, cause, tval
        self._modes: list[tuple[int, int, int, int]] = [(0, *self._mode_now)]  # from row on: priv, contexts
        self._lines: dict[int, tuple[list[int], int]] = {}

    def __len__(self) -> int:
        return len(self._pcs)

    @property
    def priv(self) -> int:
        return self._mode_now[0]

    @property
    def context(self) -> int:
        return self._mode_now[1]

    @context.setter
    def context(self, value: int) -> None:
        self._mode(context=value)

    @property
    def hcontext(self) -> int:
        return self._mode_now[2]

    @hcontext.setter
    def hcontext(self, value: int) -> None:
        self._mode(hcontext=value)

    @property
    def halted(self) -> bool:
        return self.stopped == "in Debug Mode"

    def _mode(self, priv: int | None = None, context: int | None = None, hcontext: int | None = None) -> None:
        now = self._mode_now
        mode = (
            now[0] if priv is None else int(priv),
            now[1] if context is None else int(context),
            now[2] if hcontext is None else int(hcontext),
        )
        if mode != self._mode_now:
            self._mode_now = mode
            self._modes.append((len(self._pcs), *mode))

    @property
    def previous(self) -> Insn | None:
        """The instruction retired last, whatever happened since."""
        rows = (row for row in range(len(self._pcs) - 1, -1, -1) if row not in self._events)
        row = next(rows, None)
        return None if row is None else self._code[self._pcs[row]]

    def insn(self) -> Insn | None:
        """The instruction at pc."""
        return self._code[self.pc]

    def _need(self, flow: Flow, way_out: str) -> Insn:
        insn = self._code[self.pc]
        if self.stopped or insn is None or insn.flow != flow:
            self._refuse(way_out if insn else "the walk has left the program")
        return insn

    def _refuse(self, reason: str) -> NoReturn:
        if self.stopped:
            reason = f"the hart is {self.stopped}; call {_STOPPED[self.stopped]}() first"
        raise WalkError(f"at {self.program.where(self.pc)}: {reason}")

    def _go(self, target: int) -> None:
        if target & 1 or not 0 <= target < 1 << self.program.xlen:
            self._refuse(f"{target:#x} cannot be the next address; it must be even and of {self.program.xlen} bits")
        self.pc = target

    def step(self, n: int = 1) -> Walk:
        """Retire n instructions whose successor the program alone reports (sequential, direct jump or call)."""
        append, code, pc = self._pcs.append, self._code, self.pc
        for _ in range(n):
            insn = code[pc]
            if self.stopped or insn is None or insn.flow not in (Flow.SEQUENTIAL, Flow.INFERABLE):
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
            if self.stopped:
                self._refuse("")
            if len(line) > limit:
                line, end = line[:limit], line[limit]
            self._pcs += line
            self.count += len(line)
            limit -= len(line)
            self.pc = end
        return self._code[self.pc]

    def _line(self, start: int) -> tuple[list[int], int]:
        """The sequential instructions from start on (a thousand at most), and the address after them."""
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

    def jump(
        self, target: int, priv: int | None = None, context: int | None = None, hcontext: int | None = None
    ) -> Walk:
        """Retire the indirect jump, xRET or custom instruction at pc; an xRET may change privilege and contexts.

        A custom instruction that goes elsewhere counts as an uninferable jump (section 10.1, itype 14); `step`
        retires one that does not.
        """
        insn = self._code[self.pc]
        custom = insn is not None and insn.flow == Flow.SEQUENTIAL and isa.is_custom(insn)
        if self.stopped or insn is None or not custom:
            insn = self._need(Flow.UNINFERABLE, "not an indirect jump; use step(), branch(taken) or trap(...)")
        if priv is not None and int(priv) != self.priv and insn.name not in isa.XRET:
            self._refuse("only mret, sret, uret and mnret change the privilege; leave priv out")
        self._go(target)
        if custom:
            self._custom.append(len(self._pcs))
        self._pcs.append(insn.pc)
        self.count += 1
        self._mode(priv, context, hcontext)
        return self

    def trap(self, cause: int, handler: int, interrupt: bool = False, tval: int = 0, priv: int = Priv.M) -> Walk:
        """An exception of the instruction at pc, or an interrupt before it; goes on at handler with priv.

        ecall and ebreak with their own cause retire before it in rc7 (N-Trace Table 2) and do not in v1_0.
        """
        if self.stopped:
            self._refuse("")
        epc = self.pc
        self._go(handler)
        if not interrupt and self.variant == "rc7" and trap_retires(self._code[epc], cause):
            self._pcs.append(epc)
            self.count += 1
        self._event(Kind.INTERRUPT if interrupt else Kind.EXCEPTION, epc, cause, tval)
        self._mode(priv)
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
        return self._stop("in Debug Mode", Kind.DEBUG_ENTRY)

    def debug_exit(self, resume_pc: int | None = None, priv: int | None = None) -> Walk:
        """The hart leaves Debug Mode, at resume_pc if given (also at the start: it was halted before)."""
        return self._go_on("in Debug Mode", Kind.DEBUG_EXIT, resume_pc, priv)

    def reset_entry(self) -> Walk:
        """The hart is reset before the next instruction."""
        return self._stop("in reset", Kind.RESET_ENTRY)

    def reset_exit(self, resume_pc: int | None = None, priv: int | None = Priv.M) -> Walk:
        """The hart leaves reset in M-mode, at resume_pc if given (also at the start: it was in reset before)."""
        return self._go_on("in reset", Kind.RESET_EXIT, resume_pc, priv)

    def sleep(self) -> Walk:
        """The hart enters low-power mode before the next instruction."""
        return self._stop("asleep", Kind.SLEEP)

    def wake(self, resume_pc: int | None = None, priv: int | None = None) -> Walk:
        """The hart wakes up, at resume_pc if given (also at the start: it was asleep before)."""
        return self._go_on("asleep", Kind.WAKE, resume_pc, priv)

    def _stop(self, where: str, kind: Kind) -> Walk:
        if self.stopped:
            self._refuse("")
        self._event(kind, self.pc)
        self.stopped = where
        self._woken.add(where)
        return self

    def _go_on(self, where: str, kind: Kind, resume_pc: int | None, priv: int | None) -> Walk:
        if self.stopped != where and (self.stopped or where in self._woken):
            entry = {"in Debug Mode": "debug_entry", "in reset": "reset_entry", "asleep": "sleep"}[where]
            self._refuse(f"the hart is not {where}; call {entry}() first")
        if resume_pc is not None:
            self._go(resume_pc)
        self.stopped = ""
        self._woken.add(where)
        self._mode(priv)
        self._event(kind, self.pc)
        return self

    def notify(self) -> Walk:
        """A debug trigger with action 4 fires on the instruction before."""
        self._event(Kind.NOTIFY, self.pc)
        return self

    def ext_notify(self) -> Walk:
        """An external trigger whose action is trace-notify fires."""
        self._event(Kind.EXT_NOTIFY, self.pc)
        return self

    def vendor(self, tcode: int, data: int) -> Walk:
        """The encoder is handed a vendor-defined message: TCODE 56 to 62 and 32 bits of data."""
        self._event(Kind.VENDOR, self.pc, tcode, data)
        return self

    def toggle(self, options: int) -> Walk:
        """E-Trace: from the next cycle on the options differ from the configured ones in these bits."""
        self._event(Kind.TOGGLE, self.pc, options)
        return self

    def retired(self) -> Retired:
        """The walk so far; control rows have the privilege and context of the instruction or trap after
        them."""
        n = len(self._pcs)
        pcs = np.array(self._pcs, dtype=np.uint64)
        kind, cause, tval = np.zeros(n, np.uint8), np.zeros(n, np.uint64), np.zeros(n, np.uint64)
        taken, (rows, *modes) = np.full(n, -1, np.int8), zip(*self._modes)
        for row, (what, number, value) in self._events.items():
            kind[row], cause[row], tval[row] = what, number, value
        for row, direction in self._taken.items():
            taken[row] = direction
        lengths = np.diff(np.array([*rows, n]))
        sayer = mode_rows(kind)
        priv, context, hcontext = (np.repeat(np.array(column, np.uint64), lengths)[sayer] for column in modes)
        size, itype = size_and_itype(self.program, self.variant, kind, pcs, taken)
        itype[self._custom] = IType.OTHER_UNINFERABLE_JUMP
        plain = Retired(kind, pcs, size, itype, taken, cause, tval, priv, context, hcontext=hcontext)
        return mark(plain, self.program)
