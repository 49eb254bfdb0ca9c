# SPDX-License-Identifier: Apache-2.0
"""The classifier: seed Table 2 row by row, lengths and text."""

import pytest

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.isa import Flow
from rvtrace.models.riscv.program import Program
from rvtrace.models.riscv.retired import IType
from tests.common.there import there

PC = 0x8000_0000
LINK, OTHER = (1, 5), (0, 6, 10, 31)

# Seed Table 2, 4-bit values: builder call, v1_0, rc7. v1_0 has 10 and 11 for jumps with rd = x0 (ntrace.md).
TABLE_2 = [
    *[(("jal", rd, "t"), 9, 9) for rd in LINK],
    (("jal", 0, "t"), 11, 15),
    *[(("jal", rd, "t"), 15, 15) for rd in OTHER if rd],
    *[(("jalr", rd, rs1), 8, 8) for rd in LINK for rs1 in OTHER],
    (("jalr", 1, 5), 12, 12), (("jalr", 5, 1), 12, 12), (("jalr", 1, 1), 8, 8), (("jalr", 5, 5), 8, 8),
    *[(("jalr", rd, rs1), 13, 13) for rd in OTHER for rs1 in LINK],
    *[(("jalr", 0, rs1), 10, 14) for rs1 in OTHER],
    *[(("jalr", rd, rs1), 14, 14) for rd in OTHER if rd for rs1 in OTHER],
    (("c_jal", "t"), 9, 9), (("c_jalr", 5), 12, 12), (("c_jalr", 1), 8, 8), (("c_jalr", 10), 8, 8),
    (("c_jr", 1), 13, 13), (("c_jr", 5), 13, 13), (("c_jr", 10), 10, 14), (("c_j", "t"), 11, 15),
    (("cm_jt", "t"), 11, 0), (("cm_jalt", "t"), 9, 9), (("cm_popret",), 13, 13), (("cm_popretz",), 13, 13),
    (("mret",), 3, 3), (("sret",), 3, 3), (("uret",), 3, 3), (("mnret",), 3, 3),
    (("ecall",), 1, 1), (("ebreak",), 1, 1), (("c_ebreak",), 1, 1),
    (("nop",), 0, 0), (("c_nop",), 0, 0), (("csrw", 0x5A8, 3), 0, 0),
    (("cm_push",), 0, 0), (("cm_pop",), 0, 0),
]  # fmt: skip


@pytest.mark.parametrize(
    ("call", "v1_0", "rc7"), TABLE_2, ids=lambda x: " ".join(map(str, x)) if isinstance(x, tuple) else None
)
def test_table_2(call, v1_0, rc7):
    builder = ProgramBuilder(32, PC)
    getattr(builder, call[0])(*call[1:])
    builder.label("t")
    builder.nop()
    insn = there(builder.build().insn(PC))
    assert (isa.itype(insn, "v1_0"), isa.itype(insn, "rc7")) == (v1_0, rc7)


@pytest.mark.parametrize(
    "call", [("branch", f, 8, 0, PC) for f in (0, 1, 4, 5, 6, 7)] + [("c_beqz", 8, PC), ("c_bnez", 8, PC)]
)
@pytest.mark.parametrize("variant", isa.VARIANTS)
def test_branch_direction(call, variant):
    builder = ProgramBuilder(64, PC)
    getattr(builder, call[0])(*call[1:])
    insn = there(builder.build().insn(PC))
    assert insn.flow == Flow.BRANCH and insn.target == PC
    assert isa.itype(insn, variant, taken=True) == IType.TAKEN
    assert isa.itype(insn, variant, taken=False) == IType.NOT_TAKEN


@pytest.mark.parametrize(
    ("parcel", "size"),
    [
        (0x0001, 2),
        (0xFFFE, 2),
        (0x0013, 4),
        (0x001F, 6),
        (0xFFDF, 6),
        (0x003F, 8),
        (0x007F, 10),
        (0x107F, 12),
        (0x6FFF, 22),
    ],
)
def test_length_encoding(parcel, size):
    assert isa.size_of(parcel) == size


def test_text_names_targets_and_survives_without_capstone(monkeypatch):
    builder = ProgramBuilder(64, PC)
    builder.label("main")
    for name, *args in (("beq", 10, 11, "main"), ("cm_popret", 5, 1), ("cm_jt", "main"), ("cm_push", 15)):
        getattr(builder, name)(*args)
    program = builder.build()
    assert program.where(PC) == f"{PC:#x} <main>: beq a0, a1, {PC:#x} <main>"
    assert program.where(PC + 4) == f"{PC + 4:#x} <main+0x4>: cm.popret {{ra, s0}}, 32"
    assert program.where(PC + 6).endswith(f"cm.jt 0, {PC:#x} <main>")
    assert program.where(PC + 8).endswith("cm.push {ra, s0-s11}, -112")
    monkeypatch.setattr(isa, "_engines", {32: None, 64: None})
    assert program.where(PC) == f"{PC:#x} <main>: .insn 0x00b50063, {PC:#x} <main>"
    assert Program(64, [(0, b"\x13")]).where(0) == "0x0: no instruction in the program"
