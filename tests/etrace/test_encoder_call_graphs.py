# SPDX-License-Identifier: Apache-2.0
"""ET-14 at random: what the encoder model reports with implicit returns, the decoder reads from program and packets
alone.

The programs have recursion, tail calls, tails that functions share, branch-free leaf functions and jumps to addresses
that were just passed; the runs have traps, triggers, resynchronizations and returns that go elsewhere.
"""

from random import Random

import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.encoder.encode import Encoder
from rvtrace.models.riscv.blocks import to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import Flow, itype
from rvtrace.models.riscv.retired import IType, Kind, Priv, Retired
from tests.common.long import some
from tests.common.there import there

A0, A5, RA = 10, 15, 1
SIZE, DEPTH = 500, 12


class Graph:
    """Functions that call and jump in every way; calls without a branch before them go to later functions, so that no
    code without branches is endless.
    """

    def __init__(self, rng: Random) -> None:
        self.rng, self.builder, self.count = rng, ProgramBuilder(64, 0x1000, zcmp=False), rng.randint(2, 6)
        self.places: list[str] = []
        for number in range(self.count):
            self._place(f"f{number}")
            for _ in range(rng.randint(0, 4)):
                self._part(number)
            self._place(f"t{number}")
            self._straight(3)
            self._leave(number)
        self._place("handler")
        self._straight(2)
        self.builder.mret()
        self.program = self.builder.build("f0")

    def _place(self, name: str = "") -> str:
        name = name or f"p{len(self.places)}"
        self.builder.label(name)
        self.places.append(name)
        return name

    def _straight(self, most: int) -> None:
        for _ in range(self.rng.randint(0, most)):
            (self.builder.nop if self.rng.random() < 0.5 else self.builder.c_nop)()

    def _later(self, letter: str, number: int) -> str:
        return f"{letter}{self.rng.randint(number + 1, self.count - 1)}"

    def _part(self, number: int) -> None:
        b, kind = self.builder, self.rng.random()
        self._straight(3)
        if kind < 0.35 and number + 1 < self.count:
            b.jal(RA, self._later("f", number))
        elif kind < 0.6:
            after = f"g{b.here:x}"
            b.c_beqz(A0, after)
            self._straight(1)
            b.jal(RA, f"f{self.rng.randrange(self.count)}")
            b.label(after)
        elif kind < 0.7:
            b.c_jalr(A5)
        elif kind < 0.9:
            after = f"g{b.here:x}"
            b.beq(A0, 0, after)
            self._straight(2)
            b.c_jr(A5)
            b.label(after)
        else:
            self._place()

    def _leave(self, number: int) -> None:
        kind = self.rng.random()
        if kind < 0.3 and number + 1 < self.count:
            self.builder.jal(0, self._later("t" if kind < 0.2 else "f", number))
        else:
            self.builder.c_jr(RA if kind < 0.95 else A5)

    def address(self, name: str) -> int:
        return self.builder.labels[name]


def run(graph: Graph, rng: Random, elsewhere: float, traps: float, triggers: float) -> Retired:
    """A walk; elsewhere: the share of returns that go anywhere."""
    program, anywhere = graph.program, [graph.address(name) for name in graph.places if name != "handler"]
    functions = [graph.address(f"f{n}") for n in range(graph.count)]
    pc, stack, interrupted, count = functions[0], [], None, 0
    rows: list[tuple] = [(Kind.TRACE_ON, pc, 0, 0, -1, 0, 0, Priv.M, 0)]
    while count < SIZE:
        if count and not interrupted and rng.random() < traps:
            kind = rng.choice((Kind.EXCEPTION, Kind.INTERRUPT))
            rows.append((kind, pc, 0, int(kind), -1, 5, 0, Priv.M, 0))
            interrupted, pc, stack = (pc, stack), graph.address("handler"), []
        insn = there(program.insn(pc))
        kind, taken, after = itype(insn, "v1_0") if insn.flow != Flow.BRANCH else IType.NONE, -1, pc + insn.size
        target = after if insn.target is None else insn.target
        if insn.flow == Flow.BRANCH:
            taken = int(len(stack) > DEPTH or rng.random() < 0.5)
            kind, target = (IType.TAKEN, target) if taken else (IType.NOT_TAKEN, after)
        elif kind == IType.XRET:
            (target, stack), interrupted = interrupted or (functions[0], []), None
        elif kind == IType.RETURN:
            target = stack.pop() if stack else rng.choice(functions)
            target = rng.choice(anywhere + stack) if rng.random() < elsewhere else target
        elif kind in (IType.INFERABLE_CALL, IType.UNINFERABLE_CALL):
            stack = [*stack, after]
            target = target if kind == IType.INFERABLE_CALL else rng.choice(functions)
        elif insn.flow == Flow.UNINFERABLE:
            target = rng.choice(anywhere)
        rows.append((Kind.INSN, pc, insn.size, int(kind), taken, 0, 0, Priv.M, 0))
        pc, count = target, count + 1
        if rng.random() < triggers:
            rows.append((Kind.NOTIFY, pc, 0, 0, -1, 0, 0, Priv.M, 0))
    return Retired.from_rows([*rows, (Kind.TRACE_OFF, pc, 0, 0, -1, 0, 0, Priv.M, 0)])


@pytest.mark.parametrize("seed", some(range(40), 10))
def test_decoded(seed: int) -> None:
    rng = Random(f"{seed}:encoder_call_graphs")
    graph, counter = Graph(rng), seed % 5 == 0
    config = Config(
        implicit_return=1,
        return_stack_size_p=0 if counter else rng.choice((1, 2, 4)),
        call_counter_size_p=rng.choice((1, 2, 6)) if counter else 0,
        branch_prediction=int(rng.random() < 0.3),
        bpred_size_p=rng.choice((1, 4)),
        bcount_bits=rng.choice((1, 32)),
        jump_target_cache=int(rng.random() < 0.4),
        cache_size_p=rng.choice((1, 4)),
        inst_sync_mode=rng.choice((0, 0, 1, 2, 3)),
        full_address=int(rng.random() < 0.2),
    )
    elsewhere = 0 if counter else rng.choice((0, 0.05, 0.3))  # a counter does not see where a return goes
    retired = run(graph, rng, elsewhere, traps=rng.choice((0, 0.02, 0.1)), triggers=rng.choice((0, 0.02, 0.1)))
    trace = Encoder(config).run(to_beats(retired, 1, rng.choice(("single", "block")), per_cycle=True))
    decoded = decode(trace.payloads, graph.program, config)
    wanted = retired.pc[retired.kind == Kind.INSN]
    assert [str(d) for d in decoded.diagnostics] == []
    assert decoded.pcs.tolist() == wanted.tolist()
