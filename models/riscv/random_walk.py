"""Random walks through a program: loops, calls, traps, threads, trace and debug switches, by weights.

The program is read as it is, generated or compiled: functions are its symbols, trap handlers those that
contain an xRET. Directions of branches and targets of indirect jumps are chosen, not computed.
"""

from __future__ import annotations

import random
from bisect import bisect_right
from dataclasses import dataclass, field

from models.riscv import isa
from models.riscv.blocks import observable
from models.riscv.isa import Flow, Insn
from models.riscv.program import Program
from models.riscv.retired import IType, Priv, Retired
from models.riscv.walk import Walk, WalkError

_CONTEXT_CSRS = (0x5A8, 0x6A8, 0x7A8)
_ECALL_CAUSE = {Priv.U: 8, Priv.VU: 8, Priv.S: 9, Priv.VS: 10, Priv.M: 11}
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


@dataclass(frozen=True)
class Knobs:
    """Probabilities (0 to 1) of what a walk does; a knob at 0 never happens.

    trap: in each straight run of instructions, anywhere;
    trap_at_target: right at the target of an indirect jump, an xRET or a call; trap_first: as the first
    thing traced;
    back_to_back: at a handler's first instruction. interrupt: share of traps that are interrupts. unmapped:
    a trap vector outside the program, which faults at once. resume: share of exceptions that return to the
    same instruction (else the next). nest: most traps one in another. switch: an xRET goes to another
    thread, with its own privilege and context. mismatch: a return goes elsewhere than its call. depth: calls
    under branches are skipped beyond it. trace, debug: trace off/on and Debug Mode, at a point; elsewhere:
    debug exit at another address. loop: mean iterations; long_loop: a loop of 100 to 1000. start: how the
    stream begins: "trace_on", "debug_exit" (trace on while halted), "untraced" (some instructions before
    trace_on), "any". priv: of the first instruction, None for any. context: most bits of a context, 0 for
    none.
    """

    trap: float = 0.01
    trap_at_target: float = 0.03
    trap_first: float = 0.2
    back_to_back: float = 0.1
    interrupt: float = 0.4
    unmapped: float = 0.02
    resume: float = 0.5
    nest: int = 4
    switch: float = 0.15
    mismatch: float = 0.02
    depth: int = 24
    trace: float = 0.004
    debug: float = 0.004
    elsewhere: float = 0.3
    loop: float = 4.0
    long_loop: float = 0.02
    start: str = "any"
    priv: int | None = None
    context: int = 12

    @classmethod
    def plain(cls, **changes: object) -> Knobs:
        """Calls, loops and jumps only: no traps, no trace or debug switches."""
        quiet = dict.fromkeys(("trap", "trap_at_target", "trap_first", "trace", "debug", "mismatch"), 0.0)
        return cls(**{**quiet, "start": "trace_on", **changes})


class _Graph:
    """What a walk must know of a program beyond its instructions, found by one sweep over all functions."""

    def __init__(self, program: Program) -> None:
        self.functions: list[int] = []
        self.handlers: dict[str, list[int]] = {}
        self.leaders: dict[int, list[int]] = {}  # function: where its basic blocks begin
        self.guards: set[int] = set()  # forward branches that skip a call
        self.context_writes: set[int] = set()
        starts = sorted({address for _, address in program.labels if program.insn(address)} | {program.entry})
        self.starts = starts
        for start, stop in zip(starts, [*starts[1:], 1 << program.xlen]):
            self._sweep(program, start, stop)
        self.functions = self.functions or starts

    def _sweep(self, program: Program, pc: int, stop: int) -> None:
        start, leaders, calls, branches, xret = pc, {pc}, [], [], None
        while pc < stop and (insn := program.insn(pc)):
            after = pc + insn.size
            if insn.flow == Flow.BRANCH:
                branches.append(insn)
                leaders |= {insn.target, after}
            elif insn.flow in (Flow.INFERABLE, Flow.UNINFERABLE):
                leaders.add(after)
                calls += [pc] if insn.rd in isa.LINK else []
                xret = insn.name if insn.name in isa.XRET else xret
            elif insn.size == 4 and insn.raw & 0x707F == 0x1073 and insn.raw >> 20 in _CONTEXT_CSRS:
                self.context_writes.add(pc)
            pc = after
        self.leaders[start] = sorted(leader for leader in leaders if start <= leader < pc)
        for branch in branches:
            first = bisect_right(calls, branch.pc)
            if first < len(calls) and calls[first] < branch.target:
                self.guards.add(branch.pc)
        if xret:
            self.handlers.setdefault(xret, []).append(start)
        else:
            self.functions.append(start)

    def blocks_around(self, pc: int) -> list[int]:
        """Where the basic blocks of pc's function begin."""
        return self.leaders[self.starts[bisect_right(self.starts, pc) - 1]]


@dataclass
class _Thread:
    """Where a thread goes on, what it has called, and the trap that interrupted it: its handler, and when."""

    pc: int
    priv: int
    context: int
    stack: list[int] = field(default_factory=list)
    handler: int = 0
    since: int = 0


def random_walk(
    program: Program,
    rng: random.Random,
    n_instructions: int = 1000,
    knobs: Knobs | None = None,
    variant: str = "v1_0",
) -> Retired:
    """A stream of at least n_instructions retired instructions (at most 30 more) that `check_flow`
    accepts.

    Control rows are as an ingress port can tell them (`models.riscv.blocks.observable`).
    """
    wanderer = _Wanderer(program, rng, knobs or Knobs(), variant, n_instructions)
    return observable(wanderer.go(), program)


class _Wanderer:
    def __init__(self, program: Program, rng: random.Random, knobs: Knobs, variant: str, n: int) -> None:
        self.program, self.rng, self.knobs, self.n = program, rng, knobs, n
        self.graph = _Graph(program)
        priv = rng.choice(list(Priv)) if knobs.priv is None else knobs.priv
        self.walk = Walk(program, variant, None, priv, self._context(), frozenset(self.graph.context_writes))
        self.stack: list[int] = []  # return addresses of this thread
        self.frames: list[_Thread] = []  # what traps interrupted, innermost last
        self.parked: list[_Thread] = []
        self.loops: dict[int, int] = {}
        self.next_long = 0
        self.bias: dict[int, float] = {}
        self.unmapped = next(a for a in (0x7000_0000, 0x100) if program.insn(a) is None)

    def go(self) -> Retired:
        walk, rng, knobs = self.walk, self.rng, self.knobs
        self._start()
        while walk.count < self.n:
            if self._chance(knobs.trap):
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
                if insn.pc in self.graph.context_writes:
                    walk.step()
                    walk.context = self._context()
            elif insn.flow == Flow.INFERABLE:
                if insn.rd in isa.LINK:
                    self.stack.append(insn.pc + insn.size)
                    at_target = True
                walk.step()
            elif insn.flow == Flow.TRAP:
                cause = _ECALL_CAUSE[Priv(walk.priv)] if insn.name == "ecall" else 3
                self._trap(cause, self._after(insn))
            else:
                self._indirect(insn)
                at_target = True
            if at_target and self._chance(knobs.trap_at_target):
                self._trap()
            if rng.random() < knobs.trace + knobs.debug:
                self._switches()
        if walk.tracing and rng.random() < 0.7:
            walk.debug_entry() if rng.random() < 0.3 and knobs.debug else walk.trace_off()
        return walk.retired()

    def _chance(self, probability: float) -> bool:
        """Whether a trap comes; fewer in handlers, so that these return."""
        return self.rng.random() * (1 + 4 * len(self.frames)) < probability

    def _start(self) -> None:
        walk, rng = self.walk, self.rng
        start = self.knobs.start
        if start == "any":
            start = rng.choice(("trace_on", "trace_on", "debug_exit", "untraced"))
        if start == "untraced":
            walk.run(rng.randint(1, 20))
        walk.trace_on()
        if start == "debug_exit":
            walk.debug_exit()
        if rng.random() < self.knobs.trap_first:
            self._trap()

    def _context(self) -> int:
        return self.rng.getrandbits(self.rng.randint(0, self.knobs.context)) if self.knobs.context else 0

    def _after(self, insn: Insn) -> int:
        return insn.pc + insn.size & (1 << self.program.xlen) - 1

    def _direction(self, insn: Insn) -> bool:
        """Loops count, branches over calls are taken when calls are too deep, others have a bias each."""
        pc, rng, knobs = insn.pc, self.rng, self.knobs
        if insn.target <= pc:
            left = self.loops.get(pc)
            if left is None:
                long = self.walk.count >= self.next_long and rng.random() < knobs.long_loop
                self.next_long = self.walk.count + 2000 if long else self.next_long  # not one in another
                left = (
                    rng.randint(100, 1000)
                    if long
                    else int(rng.expovariate(1 / knobs.loop))
                    if knobs.loop
                    else 0
                )
            if left and not self._overdue():
                self.loops[pc] = left - 1
                return True
            self.loops.pop(pc, None)
            return False
        if pc in self.graph.guards and len(self.stack) >= knobs.depth:
            return True
        if pc not in self.bias:
            self.bias[pc] = rng.choice((0.02, 0.2, 0.5, 0.5, 0.8, 0.98))
        return rng.random() < self.bias[pc]

    def _indirect(self, insn: Insn) -> None:
        rng, itype = self.rng, isa.itype(insn, "v1_0")
        if itype == IType.XRET:
            self._xret(insn)
            return
        if itype in (IType.RETURN, IType.COROUTINE_SWAP):
            target = self.stack.pop() if self.stack else self._outermost()
            if rng.random() < self.knobs.mismatch:
                target = rng.choice((rng.choice(self.graph.functions), rng.choice(self.stack or [target])))
        elif itype == IType.UNINFERABLE_CALL or rng.random() < 0.3:
            target = rng.choice(self.graph.functions)
        else:
            target = rng.choice(self.graph.blocks_around(insn.pc))
        if self._overdue():
            target, self.stack = self._outermost(), []
        if itype in (IType.UNINFERABLE_CALL, IType.COROUTINE_SWAP):
            self.stack.append(self._after(insn))
        self.walk.jump(target)

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
        privs = _XRET_TO.get((insn.name, Priv(walk.priv)))
        if privs is None:
            self._trap(cause=2, resume=self._after(insn))
            return
        thread = self.frames.pop() if self.frames else None
        if thread and thread.priv not in privs:
            self.frames.clear()  # the walk has left the handlers that would return to them
            thread = None
        if thread and rng.random() < self.knobs.switch:
            self.parked.append(thread)
            ready = [i for i, parked in enumerate(self.parked[:-1]) if parked.priv in privs]
            thread = self.parked.pop(rng.choice(ready)) if ready and rng.random() < 0.6 else None
        if thread is None:
            thread = _Thread(rng.choice(self.graph.functions), rng.choice(privs), self._context())
        self.stack = thread.stack
        walk.jump(thread.pc, thread.priv, thread.context)

    def _trap(self, cause: int | None = None, resume: int | None = None) -> None:
        """A trap at pc, of this cause or any, and with back_to_back another at its handler, and so on."""
        walk, rng, knobs = self.walk, self.rng, self.knobs
        while True:
            asynchronous = cause is None and rng.random() < knobs.interrupt
            insn = walk.insn()
            allowed = [(p, x) for p, x in _TRAP_TO[Priv(walk.priv)] if self.graph.handlers.get(x)]
            if cause is None and (len(self.frames) >= knobs.nest or not allowed):
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
            if rng.random() < knobs.unmapped and len(self.frames) < knobs.nest:
                vector = self.unmapped
            if resume is None:
                resume = walk.pc
                if insn is None:
                    resume = rng.choice(self.graph.functions)
                elif not asynchronous and insn.flow == Flow.SEQUENTIAL and rng.random() >= knobs.resume:
                    resume = self._after(insn)
            if cause is None:
                cause = rng.choice(_INTERRUPTS[priv] if asynchronous else _EXCEPTIONS)
            tval = 0 if asynchronous else rng.choice((0, walk.pc, rng.getrandbits(self.program.xlen)))
            self.frames.append(_Thread(resume, walk.priv, walk.context, self.stack, handler, walk.count))
            self.stack = []
            walk.trap(cause, vector, asynchronous, tval, priv)
            if rng.random() >= knobs.back_to_back:
                return
            cause = resume = None

    def _switches(self) -> None:
        """Trace off and on, or Debug Mode, or one within the other."""
        walk, rng, knobs = self.walk, self.rng, self.knobs
        debug = rng.random() < knobs.debug / (knobs.trace + knobs.debug)
        if debug:
            walk.debug_entry()
        if not debug or rng.random() < 0.3:
            walk.trace_off() if walk.tracing else walk.trace_on()
            if debug and rng.random() < 0.5:
                walk.trace_off() if walk.tracing else walk.trace_on()
        if debug:
            walk.debug_exit(self._elsewhere() if rng.random() < knobs.elsewhere else None)
        if not walk.tracing:
            self._untraced()
        if rng.random() < knobs.trap_first:
            self._trap()

    def _elsewhere(self) -> int:
        """The debugger starts a function, and all that was called or interrupted is forgotten."""
        self.stack, self.frames = [], []
        return self.rng.choice(self.graph.functions)

    def _untraced(self) -> None:
        """Some instructions that are not traced, then tracing again."""
        walk, rng = self.walk, self.rng
        if rng.random() < 0.7:
            walk.run(rng.randint(1, 30))
        walk.trace_on()
