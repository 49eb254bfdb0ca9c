# SPDX-License-Identifier: Apache-2.0
"""The decoder on the programs of chapter 8: every count the specification calls right, and those it calls wrong."""

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import Writer


def program_8_4_1() -> Program:
    b = ProgramBuilder(64, 0x100)
    b.c_nop()
    b.beq(1, 2, 0x200)
    b.nop()
    b.beq(1, 2, 0x300)
    b.c_nop()
    b.nop()
    b.c_ebreak()
    b.org(0x200)
    b.c_nop()
    b.c_ebreak()
    b.org(0x300)
    b.nop()
    b.c_ebreak()
    return b.build()


NONE_TAKEN = [0x100, 0x102, 0x106, 0x10A, 0x10E, 0x110]
# HIST, I-CNT of a correlation in HTM (8.4.2); the same in BTM as messages (8.4.1); the pcs both mean
RUNS = [
    (0b11, 4, [("DirectBranch", 3)], 1, [0x100, 0x102, 0x200]),
    (0b101, 9, [("DirectBranch", 7)], 2, [0x100, 0x102, 0x106, 0x10A, 0x300]),
    (0b100, 10, [], 10, NONE_TAKEN),
]


@pytest.mark.parametrize("hist, icnt, branches, last_icnt, pcs", RUNS)
def test_8_4_1_and_8_4_2(hist: int, icnt: int, branches: list, last_icnt: int, pcs: list[int]) -> None:
    htm = Writer(program_8_4_1()).start(0x100, 3).send("ProgTraceCorrelation", 0, 1, icnt, hist).decode()
    btm = Writer(program_8_4_1(), mode="btm").start(0x100, 3)
    for branch in branches:
        btm.send(*branch)
    btm = btm.send("ProgTraceCorrelation", 0, 0, last_icnt).decode()
    for trace in (htm, btm):
        assert trace.pcs.tolist() == pcs
        assert not trace.diagnostics
        assert [e.kind for e in trace.events] == ["debug_exit", "debug_entry"]
    assert htm.taken.tolist() == btm.taken.tolist()
    assert [t for t in htm.taken.tolist() if t >= 0] == [int(bit) for bit in f"{hist:b}"[1:]]


@pytest.mark.parametrize("icnt, epc", [(0, 0x100), (1, 0x102), (5, 0x10A)])
def test_8_4_1_exceptions(icnt: int, epc: int) -> None:
    """I-CNT of a trap counts what retired before it."""
    w = Writer(program_8_4_1(), mode="btm").start(0x100, 3)
    trace = w.send("IndirectBranch", 1, icnt, (0x300 ^ 0x100) >> 1).send("ProgTraceCorrelation", 4, 0, 2).decode()
    (trap,) = [e for e in trace.events if e.kind == "trap"]
    assert (trap.epc, trap.btype, trap.target) == (epc, 1, 0x300)
    assert trace.pcs.tolist() == [pc for pc in NONE_TAKEN if pc < epc] + [0x300]
    assert not trace.diagnostics


@pytest.mark.parametrize("icnt", [4, 6, 9])
def test_8_4_1_half_an_instruction(icnt: int) -> None:
    trace = Writer(program_8_4_1(), mode="btm").start(0x100).send("IndirectBranch", 1, icnt, 0x100).decode()
    assert [d.clause for d in trace.diagnostics] == ["NT.8.4.count"]
    assert "inside" in trace.diagnostics[0].text
    assert len(trace) == 0


def test_8_4_4_sync_4() -> None:
    b = ProgramBuilder(64, 0x100)
    b.c_nop()
    b.beq(1, 2, 0x200)
    b.c_nop()
    for _ in range(5):
        b.nop()
    b.c_ebreak()
    b.org(0x200)
    b.c_ebreak()
    w = Writer(b.build()).send("ProgTraceSync", 3, 0, 0x80).send("IndirectBranchHistSync", 4, 0, 8, 0x88, 2)
    trace = w.send("ProgTraceCorrelation", 0, 1, 6, 1).decode()
    assert trace.pcs.tolist() == [0x100, 0x102, 0x106, 0x108, 0x10C, 0x110, 0x114, 0x118]
    assert [(e.kind, e.index, e.target) for e in trace.events] == [
        ("debug_exit", 0, 0x100), ("sync", 5, 0x110), ("debug_entry", 8, None)]  # fmt: skip
    assert not trace.diagnostics
