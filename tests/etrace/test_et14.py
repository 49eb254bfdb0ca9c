# SPDX-License-Identifier: Apache-2.0
"""ET-14: runs that implicit return as ratified cannot distinguish, and what does: our ruling (anchors), and `irets` of
the 2.0.5 draft.

The ratified text reports the last instruction before a trap by its address, and by the depth of the return stack where
it asks for it. In code without branches the same address may be met at the same depth twice. Then two runs have the
same packets, and no decoder can be right about both. Nothing here but the last two tests uses our encoder or decoder.
"""

from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple

import pytest

from rvtrace.models.etrace.config import Config
from rvtrace.models.etrace.decoder.decode import decode
from rvtrace.models.etrace.encoder.encode import EncodedTrace, Encoder
from rvtrace.models.riscv.blocks import observable, to_beats
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import itype
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType, Kind, Retired


def builder() -> ProgramBuilder:
    """main calls g twice; g calls a leaf by t0; nothing branches."""
    b = ProgramBuilder(64, 0x1000)
    b.label("main")
    b.c_nop()
    b.jal(1, "g")
    b.label("second")
    b.jal(1, "g")
    b.label("end")
    b.c_nop()
    b.c_j("end")
    b.label("g")
    b.c_nop()
    b.jal(5, "leaf")
    b.label("back")
    b.c_nop()
    b.c_jr(1)
    b.label("leaf")
    b.c_nop()
    b.c_jr(5)
    b.label("handler")
    b.c_nop()
    return b


PLACES = {
    "g": "no return since the last call: no depth is reported",
    "back": "depth 1, both times",
    "leaf": "inside the inner call",
}


class Step(NamedTuple):
    """An instruction of the run. depth: calls that are open when it is reached; irets: implicit returns since the sync;
    after_return: the instruction before is a return; open_return: no call came since the last return."""

    pc: int
    depth: int
    irets: int
    after_return: bool
    open_return: bool


def execution(program: Program, start: int) -> Iterator[Step]:
    """The only way through a program without branches: calls push, returns pop."""
    stack: list[int] = []
    step = Step(start, 0, 0, False, False)
    while True:
        yield step
        insn = program.code[step.pc]
        assert insn is not None
        kind, after = itype(insn, "v2_0"), step.pc + insn.size
        if kind == IType.INFERABLE_CALL:
            stack.append(after)
            step = Step(insn.target or 0, len(stack), step.irets, False, False)
        elif kind == IType.RETURN:
            step = Step(stack.pop(), len(stack), step.irets + 1, True, True)
        else:
            step = Step(
                insn.target if insn.target is not None else after, len(stack), step.irets, False, step.open_return
            )


def run(program: Program, place: str, times: int) -> list[Step]:
    """From the sync at main to the n-th time that a place is reached, where an interrupt comes."""
    steps = list(islice(execution(program, program.symbols["main"]), 60))
    last = [i for i, step in enumerate(steps) if step.pc == program.symbols[place]][times - 1]
    return steps[: last + 1]


def ratified(steps: list[Step]) -> tuple[int, int | None]:
    """(address, irdepth or None) of the packet before the trap, by the section on irreport and irdepth of 2.0."""
    last = steps[-1]
    needed = last.depth > 0 if last.after_return else last.open_return  # no branch is in sight
    return last.pc, last.depth if needed else None


def literal(program: Program, address: int, irdepth: int | None, irets: int | None = None) -> list[int]:
    """The decoder of 2.0: go on from the sync to the first place where pc is the address, no branch is left, and the
    depth is irdepth; irets: as 2.0.5 has it instead: so many returns were implicit."""
    pcs = []
    for step in islice(execution(program, program.symbols["main"]), 60):
        pcs.append(step.pc)
        if step.pc == address and irdepth in (None, step.depth) and irets in (None, step.irets):
            return pcs
    raise AssertionError("the address is never reached")


program = builder().build()
each = pytest.mark.parametrize("place", PLACES)


@each
def test_two_runs_with_the_same_packets(place: str) -> None:
    """The first and the second time: other instructions retired, and the ratified text sends the same."""
    first, second = (run(program, place, times) for times in (1, 2))
    assert [step.pc for step in first] != [step.pc for step in second]
    assert ratified(first) == ratified(second)
    assert ratified(first)[1] == (1 if place == "back" else None)


@each
def test_the_ratified_decoder_is_wrong_about_one(place: str) -> None:
    for times, right in ((1, True), (2, False)):
        steps = run(program, place, times)
        assert (literal(program, *ratified(steps)) == [step.pc for step in steps]) == right


@each
@pytest.mark.parametrize("times", (1, 2))
def test_irets_would_decide(place: str, times: int) -> None:
    """The number of implicit returns since the last packet or branch names the place: what 2.0.5 sends instead of
    irdepth.
    """
    steps = run(program, place, times)
    assert literal(program, steps[-1].pc, None, steps[-1].irets) == [step.pc for step in steps]


def encoded(steps: list[Step], config: Config) -> EncodedTrace:
    """Our encoder's packets of the run: instructions, the interrupt, the first of the handler."""
    pcs = [step.pc for step in steps] + [program.symbols["end"], program.symbols["handler"]]
    kinds = [Kind.INSN] * len(steps) + [Kind.INTERRUPT, Kind.INSN]
    codes = [program.code[pc] for pc in pcs]
    # where the hart was interrupted
    pcs[-2] = next(islice(execution(program, program.symbols["main"]), len(steps), None)).pc
    rows = Retired.from_columns(
        kind=[Kind.TRACE_ON, *kinds, Kind.TRACE_OFF],
        pc=[0, *pcs, 0],
        size=[0, *(c.size * (k == Kind.INSN) for c, k in zip(codes, kinds)), 0],
        itype=[0, *(itype(c, "v2_0") * (k == Kind.INSN) for c, k in zip(codes, kinds)), 0],
    )
    return Encoder(config).run(to_beats(observable(rows, program), per_cycle=True))


@each
@pytest.mark.parametrize("times", (1, 2))
@pytest.mark.parametrize("stack", [{"return_stack_size_p": 4}, {"return_stack_size_p": 0, "call_counter_size_p": 4}])
def test_our_ruling(place: str, times: int, stack: dict[str, Any]) -> None:
    """A call after an implicit return is an anchor (reported, notify): our packets are decoded, with a return stack and
    with a call counter.
    """
    config = Config(implicit_return=1, **stack)
    steps = run(program, place, times)
    trace = encoded(steps, config)
    reported = decode(trace.payloads, program, config)
    assert [f"{d}" for d in reported.diagnostics] == []
    assert reported.pcs.tolist() == [step.pc for step in steps] + [program.symbols["handler"]]
    anchors = [packet for packet, reason in zip(trace.packets, trace.reasons) if reason == "ET.opt.anchor"]
    assert [bool(packet.get("notify")) for packet in anchors] == [True] * (times - 1)
