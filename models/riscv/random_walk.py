# SPDX-License-Identifier: Apache-2.0
"""Random walks through a program: loops, calls, traps, threads, triggers, resets, trace and debug switches, by weights.

The program is read as it is, generated or compiled (`rvtrace.models.riscv.graph`). Directions of branches and targets
of indirect jumps are chosen, not computed, but for jumps through a register that was just loaded with a constant.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from rvtrace.models.riscv import isa, sequential
from rvtrace.models.riscv.blocks import VENDOR_TCODES
from rvtrace.models.riscv.graph import HCONTEXT, Graph
from rvtrace.models.riscv.isa import Flow, Insn
from rvtrace.models.riscv.observed import observable
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Priv, Retired
from rvtrace.models.riscv.stream import ECALL_CAUSE
from rvtrace.models.riscv.walk import Walk, WalkError
from rvtrace.models.riscv.walk_habits import Habits
from rvtrace.models.riscv.walk_probabilities import PULSES, STOPS, WalkProbabilities

_EXCEPTIONS = (0, 1, 2, 4, 5, 6, 7, 12, 13, 15, 20, 21, 22, 23, 24, 63)
_INTERRUPTS = {Priv.U: (0, 4, 8), Priv.S: (1, 5, 9), Priv.VS: (2, 6, 10), Priv.M: (3, 7, 11, 13, 63)}
_HANDLER_LENGTH = 60  # instructions after which a handler takes the next chance to return
# Where a trap may go from each privilege, and with which xRET its handler ends.
_TRAP_TO = {
    Priv.U: ((Priv.M, "mret"), (Priv.S, "sret"), (Priv.U, "uret")),
    Priv.S: ((Priv.M, "mret"), (Priv.S, "sret")),
    Priv.M: ((Priv.M, "mret"),),
    Priv.VU: ((Priv.M, "mret"), (Priv.S, "sret"), (Priv.VS, "sret")),
    Priv.VS: ((Priv.M, "mret"), (Priv.S, "sret"), (Priv.VS, "sret")),
}
# Where an xRET may go, by the privilege that executes it; an xRET that is not here is an illegal instruction.
_XRET_TO = {
    ("mret", Priv.M): tuple(Priv), ("mnret", Priv.M): tuple(Priv),
    ("sret", Priv.M): (Priv.U, Priv.S), ("sret", Priv.S): (Priv.U, Priv.S, Priv.VU, Priv.VS),
    ("sret", Priv.VS): (Priv.VU, Priv.VS), ("uret", Priv.U): (Priv.U,),
}  # fmt: skip


_STARTS = ("trace_on", "trace_on", "debug_exit", "reset_exit", "wake", "untraced")


@dataclass
class _Thread:
    """Where a thread goes on, what it has called, and the trap that interrupted it: its handler, and when."""

    pc: int
    priv: int
    context: int
    hcontext: int
    stack: list[int] = field(default_factory=list)
    handler: int = 0
    since: int = 0


def random_walk(
    program: Program,
    rng: random.Random,
    n_instructions: int = 1000,
    probabilities: WalkProbabilities | None = None,
    variant: str = "v1_0",
) -> Retired:
    """A stream of at least n_instructions retired instructions (at most 30 more) that `check_flow`
    accepts.

    Control rows are as an ingress port can report them (`rvtrace.models.riscv.blocks.observable`).
    """
    wanderer = _Wanderer(program, rng, probabilities or WalkProbabilities(), variant, n_instructions)
    return observable(wanderer.go(), program)


class _Wanderer:
    def __init__(
        self, program: Program, rng: random.Random, probabilities: WalkProbabilities, variant: str, n: int
    ) -> None:
        self.program, self.rng, self.probabilities, self.n = program, rng, probabilities, n
        self.graph = graph = Graph(program)
        self.privs = [p for p in Priv if self.probabilities.virtualized or p <= Priv.M]
        self.vectors: dict[tuple[bool, int], tuple[int, int]] = {}  # (interrupt, cause): handler and vector
        self.options = 0  # that are toggled
        priv = rng.choice(self.privs) if self.probabilities.priv is None else self.probabilities.priv
        stops = frozenset(graph.context_writes) | graph.customs
        self.walk = Walk(program, variant, None, priv, self._context(), stops, self._hcontext())
        self.stack: list[int] = []  # return addresses of this thread
        self.seen: list[int] = []  # those of an endless return stack that sees what an encoder sees
        self.frames: list[_Thread] = []  # what traps interrupted, innermost last
        self.parked: list[_Thread] = []
        self.dive = 0  # calls that shall be open
        self.habits = Habits(rng, probabilities.habit, probabilities.loop)
        self.next_long = 0
        self.returns = (IType.RETURN, IType.COROUTINE_SWAP) if self.probabilities.swaps else (IType.RETURN,)
        self.calls = (
            (IType.UNINFERABLE_CALL, IType.COROUTINE_SWAP) if self.probabilities.swaps else (IType.UNINFERABLE_CALL,)
        )
        self.unmapped = next(a for a in (0x7000_0000, 0x100) if program.insn(a) is None)

    def go(self) -> Retired:
        walk, rng, probabilities = self.walk, self.rng, self.probabilities
        stops, pulses = (sum(getattr(probabilities, name) for name in names) for names in (STOPS, PULSES))
        self._start()
        while walk.count < self.n:
            if self._chance(probabilities.trap):
                walk.run(rng.randint(0, 12))
                self._trap()
            at_target = False
            insn = walk.run(self.n - walk.count)
            if walk.count >= self.n:
                break
            if insn is None:
                self._trap(cause=1)
            elif insn.flow == Flow.BRANCH:
                walk.branch(self._direction(insn))
            elif insn.flow == Flow.SEQUENTIAL:
                self._special(insn)
            elif insn.flow == Flow.INFERABLE:
                if insn.rd in isa.LINK:
                    self.stack.append(insn.pc + insn.size)
                    self.seen += [] if probabilities.all_jumps else [insn.pc + insn.size]
                    at_target = True
                walk.step()
            elif insn.flow == Flow.TRAP:
                cause = ECALL_CAUSE[Priv(walk.priv)] if insn.name == "ecall" else 3
                self._trap(cause, self._after(insn))
            else:
                self._indirect(insn)
                at_target = True
            if at_target and self._chance(probabilities.trap_at_target):
                self._trap()
            if rng.random() < pulses:
                self._pulses()
            if probabilities.toggled and rng.random() < probabilities.toggle:
                self._toggle()
            if rng.random() < stops:
                self._switches()
            if not self.dive and rng.random() < probabilities.dive:
                self.dive = rng.randint(8, 48)
        if walk.tracing and rng.random() < 0.7:
            walk.debug_entry() if rng.random() < 0.3 and probabilities.debug else walk.trace_off()
        return walk.retired()

    def _chance(self, probability: float) -> bool:
        """Whether a trap comes; fewer in handlers, so that these return."""
        return self.rng.random() * (1 + 4 * len(self.frames)) < probability

    def _start(self) -> None:
        walk, rng = self.walk, self.rng
        start = self.probabilities.start
        if start == "any":
            start = rng.choice(_STARTS)
        if start == "untraced":
            walk.run(rng.randint(1, 20))
        walk.trace_on()
        if start in ("debug_exit", "reset_exit", "wake"):
            getattr(walk, start)()
        if rng.random() < self.probabilities.trap_first:
            self._trap()

    def _bits(self, most: int) -> int:
        return self.rng.getrandbits(self.rng.randint(0, most)) if most else 0

    def _context(self) -> int:
        return self._bits(self.probabilities.context)

    def _hcontext(self) -> int:
        return self._bits(self.probabilities.hcontext)

    def _after(self, insn: Insn) -> int:
        return insn.pc + insn.size & (1 << self.program.xlen) - 1

    def _direction(self, insn: Insn) -> bool:
        """Loops count, branches over calls are taken when calls are too deep, others have habits."""
        pc, rng, probabilities = insn.pc, self.rng, self.probabilities
        if insn.target <= pc:
            chance = probabilities.long_loop * (10 if pc in self.graph.tight else 1)
            long = self.walk.count >= self.next_long and rng.random() < chance
            self.next_long = self.walk.count + 2500 if long else self.next_long  # not one in another
            return self.habits.again(pc, int(70 * 8 ** rng.random()) if long else None, self._overdue())
        if pc in self.graph.guards:
            if len(self.stack) >= max(probabilities.depth, self.dive) or self._overdue():
                self.dive = 0
                return True
            if self.dive:
                return False
        return self.habits.taken(pc)

    def _special(self, insn: Insn) -> None:
        """A sequential instruction at which the walk stopped: a write of a context, or a custom instruction."""
        walk, rng = self.walk, self.rng
        if insn.pc in self.graph.customs and rng.random() < self.probabilities.custom:
            walk.jump(rng.choice(self._places(insn.pc, 0.1)))
            return
        walk.step()
        csr = self.graph.context_writes.get(insn.pc)
        if csr == HCONTEXT:
            walk.hcontext = self._hcontext()
        elif csr is not None:
            walk.context = self._context()

    def _places(self, pc: int, far: float) -> list[int]:
        """Where a jump may go: to the blocks around it, or (with probability far) to a function."""
        stays = self.probabilities.well_behaved and self.graph.in_handler(
            pc
        )  # a function would return into what was interrupted
        away = self.rng.random() < far and not stays
        return self.graph.functions if away else self.graph.blocks_around(pc)

    def _indirect(self, insn: Insn) -> None:
        itype = isa.itype(insn, "v1_0")
        if itype == IType.XRET:
            self._xret(insn)
            return
        target = self.graph.inferable.get(insn.pc)
        if target is None:
            target = sequential.target(self.walk.previous, insn, self.program.xlen)
        if target is None:
            target = self._target(insn, itype)
        if itype in self.returns and self.seen:
            self.seen.pop()
        if itype in (IType.UNINFERABLE_CALL, IType.COROUTINE_SWAP):
            self.stack.append(self._after(insn))
        if itype in self.calls:
            self.seen.append(self._after(insn))
        self.walk.jump(target)

    def _target(self, insn: Insn, itype: int) -> int:
        """Where an indirect jump goes whose register nobody knows."""
        rng, probabilities = self.rng, self.probabilities
        if itype in (IType.RETURN, IType.COROUTINE_SWAP):
            target = self.stack.pop() if self.stack else self._outermost()
            if rng.random() < probabilities.mismatch:
                target = rng.choice((rng.choice(self.graph.functions), rng.choice(self.stack or [target])))
            if self._overdue() and not probabilities.well_behaved:
                target, self.stack = self._outermost(), []
            # A stack of partial addresses (mode 2) takes this for the same address.
            alike = bool(self.seen) and not (self.seen[-1] ^ target) & 0x7FE
            believed = probabilities.well_behaved and itype in self.returns
            return self.seen[-1] if self.seen and (believed or alike) else target
        if self._overdue() and not probabilities.well_behaved:
            self.stack = []
            return self._outermost()
        if itype != IType.UNINFERABLE_CALL and len(self.stack) > 2 * max(probabilities.depth, 24):
            return self.graph.blocks_around(insn.pc)[-1]  # calls without a branch around them may lead back here
        return self.habits.target(
            insn.pc, self.graph.functions if itype == IType.UNINFERABLE_CALL else self._places(insn.pc, 0.3)
        )

    def _overdue(self) -> bool:
        """Whether a trap handler has run for so long that it had better return."""
        return bool(self.frames) and self.walk.count - self.frames[-1].since > _HANDLER_LENGTH

    def _outermost(self) -> int:
        """Where a return goes that nothing called: the end of the trap handler, or another function."""
        if not self.frames:
            return self.rng.choice(self.graph.functions)
        return self.graph.blocks_around(self.frames[-1].handler)[-1]

    def _xret(self, insn: Insn) -> None:
        walk, rng = self.walk, self.rng
        privs = [p for p in _XRET_TO.get((insn.name, Priv(walk.priv)), ()) if p in self.privs]
        if not privs:
            self._trap(cause=2, resume=self._after(insn))
            return
        thread = self.frames.pop() if self.frames else None
        if thread and thread.priv not in privs:
            self.frames.clear()  # the walk has left the handlers that would return to them
            thread = None
        if thread and rng.random() < self.probabilities.switch and not self.probabilities.well_behaved:
            self.parked.append(thread)
            ready = [i for i, parked in enumerate(self.parked[:-1]) if parked.priv in privs]
            thread = self.parked.pop(rng.choice(ready)) if ready and rng.random() < 0.6 else None
        if thread is None:
            function = rng.choice(self.graph.functions)
            thread = _Thread(function, rng.choice(privs), self._context(), self._hcontext())
        self.stack = thread.stack
        walk.jump(thread.pc, thread.priv, thread.context, thread.hcontext)

    def _trap(self, cause: int | None = None, resume: int | None = None) -> None:
        """A trap at pc, of this cause or any, and with back_to_back another at its handler, and so on."""
        walk, rng, probabilities = self.walk, self.rng, self.probabilities
        while True:
            asynchronous = cause is None and rng.random() < probabilities.interrupt
            insn = walk.insn()
            allowed = [(p, x) for p, x in _TRAP_TO[Priv(walk.priv)] if self.graph.handlers.get(x)]
            allowed = [(p, x) for p, x in allowed if p == Priv.M] if probabilities.vectors else allowed
            if cause is None and (len(self.frames) >= probabilities.nest or not allowed):
                return
            if not allowed:
                raise WalkError(
                    f"at {self.program.where(walk.pc)}: a trap, and no function of the program ends in mret; "
                    "add one, or walk a program without traps"
                )
            priv, xret = rng.choice(allowed)
            if asynchronous and priv == Priv.M and "mnret" in self.graph.handlers and rng.random() < 0.2:
                xret = "mnret"
            handler = vector = rng.choice(self.graph.handlers[xret])
            if rng.random() < probabilities.unmapped and len(self.frames) < probabilities.nest:
                vector = self.unmapped
            if resume is None:
                resume = walk.pc
                if insn is None:
                    resume = rng.choice(self.graph.functions)
                elif not asynchronous and insn.flow == Flow.SEQUENTIAL and rng.random() >= probabilities.resume:
                    resume = self._after(insn)
            if cause is None:
                causes = _INTERRUPTS[priv] if asynchronous else _EXCEPTIONS
                cause = rng.choice([c for c in causes if not c >> probabilities.causes])
            if probabilities.vectors:
                fixed = handler, handler if cause == 1 else vector  # who faults at an unmapped vector needs one
                handler, vector = self.vectors.setdefault((asynchronous, cause), fixed)
            tval = 0 if asynchronous else rng.choice((0, walk.pc, rng.getrandbits(self.program.xlen)))
            thread = _Thread(resume, walk.priv, walk.context, walk.hcontext, self.stack, handler, walk.count)
            self.frames.append(thread)
            self.stack = []
            walk.trap(cause, vector, asynchronous, tval, priv)
            if rng.random() >= probabilities.back_to_back:
                return
            cause = resume = None

    def _pulses(self) -> None:
        """A trigger or a vendor-defined message, or a few of them."""
        walk, rng, probabilities = self.walk, self.rng, self.probabilities
        while True:
            (name,) = rng.choices(PULSES, [getattr(probabilities, name) for name in PULSES])
            if name == "vendor":
                walk.vendor(rng.choice(VENDOR_TCODES), rng.getrandbits(rng.choice((0, 5, 6, 17, 32))))
            else:
                getattr(walk, name)()
            if rng.random() < 0.8:
                return

    def _toggle(self) -> None:
        """Other options."""
        options = self.options
        while options == self.options:
            options = self.rng.choice((0, 0, self.rng.getrandbits(6) & self.probabilities.toggled))
            options ^= self.probabilities.toggled & 1 << self.rng.randrange(6)
        self.options = options
        self.walk.toggle(options)

    def _switches(self) -> None:
        """Trace off and on, or Debug Mode, reset or low-power mode, or one within the other."""
        walk, rng, probabilities = self.walk, self.rng, self.probabilities
        (what,) = rng.choices(STOPS, [getattr(probabilities, name) for name in STOPS])
        if what != "trace":
            {"debug": walk.debug_entry, "reset": walk.reset_entry, "sleep": walk.sleep}[what]()
            if rng.random() < 0.2 and any(getattr(probabilities, name) for name in PULSES):
                self._pulses()
            if probabilities.toggled and rng.random() < 0.2:
                self._toggle()
        if what == "trace" or rng.random() < 0.3:
            walk.trace_off() if walk.tracing else walk.trace_on()
            if what != "trace" and rng.random() < 0.5:
                walk.trace_off() if walk.tracing else walk.trace_on()
        elsewhere = self._elsewhere(what) if what == "reset" or rng.random() < probabilities.elsewhere else None
        if what == "reset":
            walk.reset_exit(elsewhere)
            walk.context = walk.hcontext = 0
        elif what != "trace":
            (walk.debug_exit if what == "debug" else walk.wake)(elsewhere)
        if not walk.tracing:
            self._untraced()
        if rng.random() < probabilities.trap_first:
            self._trap()

    def _elsewhere(self, what: str) -> int | None:
        """The hart starts at a function, after reset mostly the first; what was called or interrupted is forgotten."""
        if what == "trace":
            return None
        self.stack, self.frames, self.seen = [], [], []
        entry = what == "reset" and self.rng.random() < 0.8
        return self.program.entry if entry else self.rng.choice(self.graph.functions)

    def _untraced(self) -> None:
        """Some instructions that are not traced, then tracing again."""
        walk, rng = self.walk, self.rng
        if rng.random() < 0.7:
            walk.run(rng.randint(1, 30))
        walk.trace_on()
