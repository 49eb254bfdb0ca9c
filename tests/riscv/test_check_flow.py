# SPDX-License-Identifier: Apache-2.0
"""Streams that no hart running the program could have produced are found at the row that is wrong."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.generate import generate, random_walk
from rvtrace.models.riscv.retired import Kind
from rvtrace.models.riscv.walk import Walk, WalkError, check_flow


@given(seed=st.integers(0, 10_000), row=st.floats(0, 1), delta=st.sampled_from([-4, -2, 2, 4, 64]))
@settings(max_examples=60, deadline=None)
def test_a_moved_instruction_is_found(seed, row, delta):
    program = generate(random.Random(f"{seed}:program"), 64, 150, "mcu")
    retired = random_walk(program, random.Random(f"{seed}:walk"), 300)
    check_flow(retired, program)
    insns = np.flatnonzero(retired.kind == Kind.INSN)
    after_fixed = insns[1:][(insns[1:] - insns[:-1] == 1) & (retired.itype[insns[:-1]] == 0)]
    at = int(after_fixed[int(row * (len(after_fixed) - 1))])
    retired.pc[at] = int(retired.pc[at]) + delta
    with pytest.raises(WalkError, match=f"^row ({at}|{at + 1}),"):
        check_flow(retired, program)


def stream():
    """0x1000 nop; beq (taken) to 0x1008; ecall and its exception; then anywhere: nop; trace_off; trace_on;
    nop."""
    b = ProgramBuilder(64, 0x1000)
    for name, *args in (("nop",), ("beq", 0, 0, "call"), ("label", "call"), ("ecall",), ("nop",), ("nop",)):
        getattr(b, name)(*args)
    walk = Walk(b.build(), "rc7").step().branch(True).trap(11, 0x100C).step().trace_off().trace_on().step()
    return walk.program, walk.retired()


def test_the_stream_as_it_should_be():
    program, retired = stream()
    check_flow(retired, program)
    retired.pc[5] = 0  # a control row whose address is unknown
    check_flow(retired, program)


@pytest.mark.parametrize(("row", "column", "value", "reason"), [
    (0, "size", 2, "row 0, insn at 0x1000: nop, has another size"),
    (0, "taken", 1, "row 0, .* needs a direction exactly if it is a branch"),
    (1, "taken", -1, "row 1, .* needs a direction"),
    (1, "itype", 9, "row 1, .* has another itype"),
    (0, "pc", 0x2000, "row 0, .* is not an instruction of the program"),
    (3, "kind", Kind.INTERRUPT, "row 2, .* is an ecall or ebreak that no exception follows"),
    (3, "pc", 0x100C, "row 3, exception at 0x100c.* does not follow .*0x1008.* after which 0x1008 comes"),
    (5, "pc", 0x1000, "row 5, trace_off at 0x1000.* does not follow"),
    (7, "pc", 0x100C, "row 7, insn at 0x100c.* does not follow"),
])  # fmt: skip
def test_a_wrong_row_is_named(row, column, value, reason):
    program, retired = stream()
    getattr(retired, column)[row] = value
    with pytest.raises(WalkError, match=reason):
        check_flow(retired, program)
