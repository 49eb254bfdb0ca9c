# SPDX-License-Identifier: Apache-2.0
"""Programs: memory, symbols, the jump table, and what the assembler refuses."""

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.riscv.builder import BuilderError, ProgramBuilder
from rvtrace.models.riscv.generate import generate
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import NO_TARGET, Program, ProgramError
from tests.common.there import there


def small(xlen: int = 64) -> Program:
    builder = ProgramBuilder(xlen, 0x1000, jvt=0x4000)
    builder.label("main")
    builder.addi(10, 0, 1)
    builder.cm_jt("far")
    builder.org(0x8000_0000)
    builder.label("far")
    builder.c_j("far")
    return builder.build()


def test_instructions_exist_only_whole_and_at_even_addresses_of_segments():
    program = Program(64, [(0x1000, bytes.fromhex("13000000 0100 1300"))])
    assert [insn and insn.size for insn in map(program.insn, range(0xFFE, 0x100A))] == [
        None, None, 4, None, 2, None, 2, None, None, None, None, None
    ]  # fmt: skip


def test_adjacent_segments_are_one_and_overlapping_ones_refused():
    program = Program(32, [(0x1002, b"\0\0"), (0x1000, b"\x13\0")])
    assert there(program.insn(0x1000)).size == 4
    with pytest.raises(ProgramError, match="overlaps"):
        Program(32, [(0x1000, bytes(8)), (0x1004, bytes(8))])
    with pytest.raises(ProgramError, match="does not fit in 32-bit addresses"):
        Program(32, [(0xFFFF_FFFF, bytes(2))])


@pytest.mark.parametrize("xlen", [32, 64])
def test_jump_table_in_data(xlen):
    program = small(xlen)
    insn = there(program.insn(0x1004))
    assert (insn.flow, insn.target) == (Flow.INFERABLE, 0x8000_0000)
    assert program.insn(0x4000) is None  # data is not code
    unreadable = Program(xlen, program.segments, jvt=0x9000)
    assert there(unreadable.insn(0x1004)).flow == Flow.UNINFERABLE
    assert there(Program(xlen, program.segments).insn(0x1004)).flow == Flow.SEQUENTIAL  # without Zcmt it is c.fsdsp


def test_direct_targets_wrap_at_xlen():
    builder = ProgramBuilder(32, 0xFFFF_FFFE)
    builder.c_j(0x10)
    assert there(builder.build().insn(0xFFFF_FFFE)).target == 0x10


def test_symbols_name_the_place_within_their_segment():
    program = small()
    assert [program.symbol(pc) for pc in (0x1000, 0x1004, 0x8000_0000, 0x9000, 0)] == [
        "main", "main+0x4", "far", "0x9000", "0x0"
    ]  # fmt: skip
    unnamed = Program(64, [(0x1000, bytes(8)), (0x8000, bytes(8))], {"main": 0x1000})
    assert unnamed.symbol(0x8000) == "0x8000"


@given(seed=st.integers(0, 1000), xlen=st.sampled_from([32, 64]))
@settings(max_examples=10, deadline=None)
def test_columns_say_what_insn_says(seed, xlen):
    rng = random.Random(seed)
    program = generate(rng, xlen, 200)
    pcs = [base + rng.randrange(len(body) + 4) for base, body in program.segments * 30]
    columns = program.columns(np.array(pcs, dtype=np.uint64))
    for pc, size, flow, target in zip(pcs, columns.size, columns.flow, columns.target):
        insn = program.insn(pc)
        direct = insn is not None and insn.flow in (Flow.BRANCH, Flow.INFERABLE)
        assert (size, flow) == ((insn.size, insn.flow) if insn else (0, 0))
        assert target == (insn.target if insn and direct else NO_TARGET)


def test_builder_refuses_what_it_cannot_encode():
    builder = ProgramBuilder(64)
    builder.c_beqz(8, "far")
    builder.org(0x8000_0200)
    builder.label("far")
    with pytest.raises(BuilderError, match="does not reach 'far'"):
        builder.build()
    builder = ProgramBuilder(64)
    builder.jal(0, "nowhere")
    with pytest.raises(BuilderError, match="never placed"):
        builder.build()
