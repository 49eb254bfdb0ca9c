# SPDX-License-Identifier: Apache-2.0
"""Sequentially inferable jumps (N-Trace 9.1): constants by hand, pairs by the assembler, and which jumps are marked."""

import pytest

from rvtrace.models.riscv import sequential
from rvtrace.models.riscv.builder import BuilderError, ProgramBuilder
from rvtrace.models.riscv.isa import Flow, decode
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.walk import Walk
from tests.common.there import there

TOP = 1 << 64
# bits, pc, register and value on RV64; the values follow from the immediates by hand
CONSTANTS = {
    "lui x6, 0x12345": (0x12345337, 0, (6, 0x12345000)),
    "lui x6, 0x80000 is negative": (0x80000337, 0, (6, TOP - 0x80000000)),
    "auipc x1, 1": (0x00001097, 0x80000004, (1, 0x80001004)),
    "auipc x1, 0xfffff": (0xFFFFF097, 0x80000004, (1, 0x7FFFF004)),
    "c.lui x15, 1": (0x6785, 0, (15, 0x1000)),
    "c.lui x15, 0x3f is -1": (0x77FD, 0, (15, TOP - 0x1000)),
    "c.lui with 0 is reserved": (0x6781, 0, None),
    "c.addi16sp": (0x6141, 0, None),
    "lui x0": (0x12345037, 0, None),
    "addi x6, x0, 1": (0x00100313, 0, None),
}


@pytest.mark.parametrize("name", CONSTANTS)
def test_constants(name):
    raw, pc, expected = CONSTANTS[name]
    assert sequential.constant(decode(pc, raw, 64), 64) == expected


def test_a_constant_has_the_bits_of_the_hart():
    assert sequential.constant(decode(0, 0x80000337, 32), 32) == (6, 0x80000000)


FORMS = [  # of a far jump on a program at 0x10000, to 0x1f000
    ("auipc", "jalr", 1, 6),
    ("auipc", "jalr", 1, 1),
    ("auipc", "jalr", 0, 7),
    ("lui", "jalr", 1, 7),
    ("lui", "c_jr", 0, 7),
    ("c_lui", "jalr", 5, 10),
    ("c_lui", "c_jr", 0, 15),
    ("c_lui", "c_jalr", 1, 9),
]


def paired(form: tuple[str, str, int, int], target: int = 0x1F000, xlen: int = 64) -> tuple[Program, int]:
    """A pair at 0x10000 and a nop at its target; and the address of the jump."""
    b = ProgramBuilder(xlen, 0x10000)
    load = b.pair(*form, target)
    b.org(target)
    b.nop()
    program = b.build()
    return program, load + there(program.insn(load)).size


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("xlen", [32, 64])
def test_pairs_lead_where_the_assembler_aimed(form, xlen):
    program, jump = paired(form, xlen=xlen)
    load, insn = program.insn(0x10000), there(program.insn(jump))
    assert (insn.flow, insn.rd, insn.rs1) == (Flow.UNINFERABLE, form[2], form[3])
    assert sequential.target(load, insn, xlen) == 0x1F000
    assert sequential.target(insn, load, xlen) is None
    assert sequential.target(program.insn(0x1F000), insn, xlen) is None  # not right before


@pytest.mark.parametrize("target", [0x0FFF0, 0x107FE, 0x10800, 0x8000_0000, 0x7FFF_F7FE])
def test_upper_and_lower_part_add_up(target):
    program, jump = paired(("auipc", "jalr", 1, 1), target)
    assert sequential.target(program.insn(0x10000), program.insn(jump), 64) == target


def test_a_pair_that_does_not_reach_is_refused():
    b = ProgramBuilder(64, 0x8000_0000)
    b.pair("lui", "jalr", 1, 7, 0x8000_1000)  # lui gives 0xffffffff80001000
    assert b.unreachable() == [0x8000_0000]
    with pytest.raises(BuilderError, match="lui and jalr at 0x80000000 do not reach"):
        b.build()


def test_what_is_marked():
    program, jump = paired(("auipc", "jalr", 1, 6))

    def marks(walk: Walk) -> list[int]:
        retired = walk.retired()
        return retired.pc[retired.sijump == 1].tolist()

    assert marks(Walk(program).step().jump(0x1F000).step()) == [jump]
    assert marks(Walk(program).step().jump(0x10000).step()) == []  # elsewhere: the register held something else
    assert marks(Walk(program).step().jump(0x1F000)) == [jump]  # nothing contradicts
    assert marks(Walk(program).step().notify().jump(0x1F000).step()) == [jump]
    assert marks(Walk(program).step().trace_on().jump(0x1F000).step()) == [jump]
    assert marks(Walk(program, start_pc=jump).jump(0x1F000).step()) == []  # its load was not retired
    assert marks(Walk(program).step().debug_entry().debug_exit().jump(0x1F000).step()) == []
    again = Walk(program).step().trap(7, jump, interrupt=True).jump(0x1F000).step()
    assert marks(again) == []
