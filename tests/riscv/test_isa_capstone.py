# SPDX-License-Identifier: Apache-2.0
"""The classifier against capstone, where capstone is right: it knows no mnret, Zcmp and Zcmt."""

from functools import cache

import capstone
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rvtrace.models.riscv import isa
from rvtrace.models.riscv.isa import Flow

PC = 0x8000_0000

FLOW_OF = {
    Flow.BRANCH: ["beq", "bne", "blt", "bge", "bltu", "bgeu", "beqz", "bnez", "blez", "bgez", "bltz", "bgtz"],
    Flow.INFERABLE: ["jal", "j", "c.j", "c.jal"],
    Flow.UNINFERABLE: ["jalr", "jr", "ret", "c.jr", "c.jalr", "mret", "sret", "uret"],
    Flow.TRAP: ["ecall", "ebreak", "c.ebreak"],
}
FLOW_OF[Flow.BRANCH] += ["c.beqz", "c.bnez"]
FLOWS = {name: flow for flow, names in FLOW_OF.items() for name in names}


@cache
def engine(xlen: int) -> capstone.Cs:
    mode = capstone.CS_MODE_RISCV64 if xlen == 64 else capstone.CS_MODE_RISCV32
    cs = capstone.Cs(capstone.CS_ARCH_RISCV, mode | capstone.CS_MODE_RISCVC)
    cs.detail = True
    return cs


def agrees(cs: capstone.Cs, raw: int, size: int, xlen: int) -> bool:
    """Compare one encoding with capstone; whether capstone knows it."""
    insn = isa.decode(PC, raw, xlen, zcmp=False, zcmt=False)
    found = list(cs.disasm(raw.to_bytes(size, "little"), PC))
    assert insn.size == size
    if not found:
        assert insn.flow == Flow.SEQUENTIAL or insn.name == "mnret", f"{raw:#x}: capstone knows no {insn.name}"
        return False
    other = found[0]
    assert other.size == size
    assert insn.flow == FLOWS.get(other.mnemonic, Flow.SEQUENTIAL), f"{raw:#x}: {other.mnemonic}"
    if insn.flow in (Flow.BRANCH, Flow.INFERABLE):
        assert insn.target == PC + other.operands[-1].imm & (1 << xlen) - 1, f"{raw:#x}: {other.mnemonic}"
    return True


@pytest.mark.parametrize("xlen", [32, 64])
def test_every_compressed_word_against_capstone(xlen):
    cs = engine(xlen)
    assert sum(agrees(cs, raw, 2, xlen) for raw in range(1 << 16) if raw & 3 != 3) > 46000


def test_zcmp_and_zcmt_take_only_the_encodings_of_c_fsdsp():
    taken = {}
    for raw in range(1 << 16):
        if raw & 3 != 3 and (insn := isa.decode(PC, raw, 64)) != isa.decode(PC, raw, 64, zcmp=False, zcmt=False):
            assert raw & 0xE003 == 0xA002 and insn.flow == Flow.UNINFERABLE  # no table: cm.jt goes anywhere
            taken[insn.name] = taken.get(insn.name, 0) + 1
    # rlist 4 to 15 and 4 stack sizes; 32 and 224 indices
    assert taken == {"cm.popret": 48, "cm.popretz": 48, "cm.jt": 32, "cm.jalt": 224}


@given(opcode=st.sampled_from([0x63, 0x6F, 0x67, 0x73, 0x13, 0x33, 0x03]), rest=st.integers(0, (1 << 25) - 1))
@settings(max_examples=2000, deadline=None)
def test_random_words_against_capstone(opcode, rest):
    for xlen in (32, 64):
        agrees(engine(xlen), rest << 7 | opcode, 4, xlen)


@pytest.mark.parametrize("bit", range(2, 32))
@pytest.mark.parametrize("raw", [0x73, 0x100073, 0x200073, 0x10200073, 0x30200073, 0x10500073, 0x7B200073])
def test_system_words_and_their_neighbours(raw, bit):
    agrees(engine(64), raw ^ 1 << bit, 4, 64)
