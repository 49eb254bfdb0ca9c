# SPDX-License-Identifier: Apache-2.0
"""The decoder on single messages the specification prints: table 6, table 24, 10.1 and the vectors of the rulings."""

import pytest

from rvtrace.models.ntrace.config import Config
from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import Writer

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])


def test_table_6() -> None:
    """I-CNT=0x7D, U-ADDR=7, HIST=0xFFE: ten taken branches and one not, 125 half-words in all."""
    b = ProgramBuilder(64, 0x1000)
    b.label("loop")
    for _ in range(5):
        b.nop()
    b.c_beqz(8, "loop")  # 11 half-words a turn, 11 turns: 121
    b.nop()
    b.c_nop()
    b.c_jr(1)
    w = Writer(b.build()).start(0x1000)
    w.data += bytes.fromhex("ff 70 d0 1d 1d f8 ff ff")
    trace = w.decode()
    assert not trace.diagnostics
    turn = [0x1000, 0x1004, 0x1008, 0x100C, 0x1010, 0x1014]
    assert trace.pcs.tolist() == turn * 11 + [0x1016, 0x101A, 0x101C]
    assert trace.taken.tolist() == ([-1] * 5 + [1]) * 10 + [-1] * 5 + [0] + [-1] * 3
    assert w.send("ProgTraceSync", 2, 0, (0x1000 ^ 7 << 1) >> 1).decode().diagnostics == []


@MODES
def test_table_24(mode: str) -> None:
    """U-ADDR is XORed with the last address reported."""
    b = ProgramBuilder(64, 0x3FC04)
    b.c_jr(1)
    b.org(0x3F368)
    b.c_jr(1)
    b.org(0x3E100)
    b.c_nop()
    w = Writer(b.build(), mode=mode).send("ProgTraceSync", 5, 0, 0x1FE02)
    trace = w.send("IndirectBranch", 0, 1, 0x7B6).send("IndirectBranch", 0, 1, 0x934).stop().decode()
    assert trace.pcs.tolist() == [0x3FC04, 0x3F368] and not trace.diagnostics
    assert w.send("ProgTraceSync", 5, 0, 0x3E100 >> 1).decode().events[-1].target == 0x3E100


@MODES
@pytest.mark.parametrize("taken", [0, 1])
def test_10_1_custom_instruction(mode: str, taken: int) -> None:
    b = ProgramBuilder(64, 0x100)
    b.nop()
    b.raw(0x0000000B, 4)  # custom-0
    b.c_nop()
    b.c_ebreak()
    b.org(0x200)
    b.c_nop()
    b.c_ebreak()
    w = Writer(b.build(), mode=mode).start(0x100)
    (w.step().jump(0x200).step() if taken else w.step(3)).stop(0).check()
    assert w.pcs == [0x100, 0x104, 0x200 if taken else 0x108]


def loop_program(branch_size: int) -> Program:
    b = ProgramBuilder(64, 0x1000)
    b.label("loop")
    b.nop()
    _ = b.c_bnez(8, "loop") if branch_size == 2 else b.beq(1, 2, "next")
    b.label("next")
    b.nop()
    b.nop()
    b.nop()
    return b.build()


SYNC, STOP, ICNT_4, HIST_3 = "24 15 00 83", "84 40 19 0f", "6c 00 07", "6c c7"
LINE = [0x1000, 0x1004, 0x1008, 0x100C, 0x1010]
VECTORS = [  # bytes, size of the branch, pcs
    ((SYNC, STOP), 4, LINE[:3]),
    ((SYNC, ICNT_4, STOP), 4, LINE),
    ((SYNC, HIST_3, STOP), 2, [0x1000, 0x1004] * 2),
    ((SYNC, "6c c9 0f", ICNT_4, ICNT_4, STOP), 2, [0x1000, 0x1004] * 4 + [0x1000]),
    ((SYNC, HIST_3, "20 00 07"), 2, [0x1000, 0x1004]),
]


@pytest.mark.parametrize("data, branch_size, pcs", VECTORS)
def test_vectors(data: tuple[str, ...], branch_size: int, pcs: list[int]) -> None:
    """The byte vectors of the rulings, over programs that fit them."""
    trace = decode(bytes.fromhex("".join(data)), loop_program(branch_size), Config())
    assert trace.pcs.tolist() == pcs
    assert all(taken == (1 if pc == 0x1004 else -1) for pc, taken in zip(pcs, trace.taken.tolist()))
    assert not trace.diagnostics
    assert trace.events[-1].kind == ("error" if data[-1] == "20 00 07" else "debug_entry")


def test_vector_btm_correlation() -> None:
    trace = decode(bytes.fromhex(SYNC + "84 00 03"), loop_program(4), Config(mode="btm"))
    assert [e.kind for e in trace.events] == ["trace_on", "debug_entry"]
    assert len(trace) == 0 and not trace.diagnostics
