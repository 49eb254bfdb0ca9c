# SPDX-License-Identifier: Apache-2.0
"""Jumps that no message reports, and jumps that HIST or DirectBranch report: 9.1 and trTeInstEnAllJumps (table
3).
"""

from dataclasses import replace

import pytest

from rvtrace.models.ntrace.decoder.decode import decode
from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])
ELSEWHERE = 0x7000
# load, jump, target: sequentially inferable by 9.1
PAIRS = [
    ((0x000052B7, 4), (0x00028067, 4), 0x5000),  # lui x5, 5; jr x5
    ((0x00005337, 4), (0x01030367, 4), 0x5010),  # lui x6, 5; jalr x6, 16(x6)
    ((0x00000397, 4), (0x8302, 2), MAIN),  # auipc x7, 0 with c.jr x6: another register
    ((0x00001317, 4), (0xFF0300E7, 4), MAIN + 0xFF0),  # auipc x6, 1; jalr x1, -16(x6)
    ((0x00004317, 4), (0x9302, 2), MAIN + 0x4000),  # auipc x6, 4; c.jalr x6
    ((0x6315, 2), (0x8302, 2), 0x5000),  # c.lui x6, 5; c.jr x6
    ((0x737D, 2), (0x8302, 2), -0x1000),  # c.lui x6, -1
    ((0xFFFFF337, 4), (0x8302, 2), -0x1000),  # lui x6, -1: sign-extended on RV64
]


def pair_program(load: tuple[int, int], jump: tuple[int, int], target: int, xlen: int = 64) -> Program:
    b = ProgramBuilder(xlen, MAIN)
    b.raw(*load)
    b.raw(*jump)
    for address in sorted({target & (1 << xlen) - 1, ELSEWHERE} - {MAIN}):
        b.org(address)
        b.nop()
        b.c_nop()
    b.org(HANDLER + 0x4000)
    b.mret()
    return b.build()


@MODES
@pytest.mark.parametrize("xlen", [32, 64])
@pytest.mark.parametrize("load, jump, target", [p for p in PAIRS if p[2] != MAIN])
def test_sequential_jump(mode: str, xlen: int, load: tuple, jump: tuple, target: int) -> None:
    program, target = pair_program(load, jump, target, xlen), target & (1 << xlen) - 1
    w = Writer(program, mode=mode, sequential_jump=1).start(MAIN).step()
    w.infer(target).step().stop().check()
    w = Writer(program, mode=mode, sequential_jump=1).start(MAIN).step().jump(target).step(2).stop()
    w.check()  # the final decision is the encoder's
    w = Writer(program, mode=mode, sequential_jump=1).start(MAIN).step().infer(target)
    w.trap(HANDLER + 0x4000).stop().check()  # EPC is the target
    w = Writer(program, mode=mode).start(MAIN).step().infer(target).step().stop()
    assert [d.clause for d in w.decode().diagnostics] == ["NT.10.indirect"]


@pytest.mark.parametrize("load, jump, target", [p for p in PAIRS if p[2] == MAIN])
def test_another_register_is_no_pair(load: tuple, jump: tuple, target: int) -> None:
    w = Writer(pair_program(load, jump, target), sequential_jump=1).start(MAIN).step().infer(target).step().stop()
    assert [d.clause for d in w.decode().diagnostics] == ["NT.10.indirect"]


@MODES
def test_both_must_be_in_one_count(mode: str) -> None:
    """Adjacent instructions, but a message between them: the jump needs its own. ResourceFull does not end a count
    (NT-3).
    """
    program = pair_program(*PAIRS[0])
    w = Writer(program, mode=mode, sequential_jump=1).start(MAIN).step().full_icnt().infer(0x5000).step().stop()
    w.check()
    w = Writer(program, mode=mode, sequential_jump=1).start(MAIN).step().sync().jump(0x5000).step().stop()
    w.check()
    w = Writer(program, mode=mode, sequential_jump=1).start(MAIN).step().sync().infer(0x5000).step().stop()
    (found,) = w.decode().diagnostics
    assert found.clause == "NT.9.1.sequential_jump" and "same count" in found.text


def test_constant_wins_over_the_return_stack() -> None:
    """jalr x1, x5 after lui x5: a co-routine swap for the stack, but the constant says where it goes."""
    b = ProgramBuilder(64, MAIN)
    b.jal(1, "swap")
    b.c_nop()
    b.label("swap")
    b.lui(5, 0x5)
    b.jalr(1, 5)
    swapped = b.here
    b.c_nop()
    b.org(0x5000)
    b.c_jr(1)
    w = Writer(b.build(), sequential_jump=1, implicit_return=3).start(MAIN).step(2).infer(0x5000).infer(swapped)
    w.step().stop().check()


def loop_of_jumps() -> Program:
    b = ProgramBuilder(64, MAIN)
    b.label("loop")
    b.c_nop()
    b.c_j("over")
    b.label("back")
    b.c_bnez(8, "loop")
    b.c_jr(10)
    b.label("over")
    b.jal(0, "back")
    return b.build()


def around(w: Writer, turns: int) -> Writer:
    """All-jumps: each direct jump is reported as a taken branch."""
    for turn in range(turns):
        w.step(3).branch(int(turn < turns - 1))
    return w


@MODES
def test_all_jumps(mode: str) -> None:
    w = around(Writer(loop_of_jumps(), mode=mode, all_jumps=1).start(MAIN), 5)
    w.jump(MAIN).step()
    w.retire(1)  # the count may end in the jump (NT-13)
    w.hist = w.hist << 1 | 1
    trace = w.stop().decode()
    assert not trace.diagnostics and trace.pcs.tolist() == w.pcs
    assert trace.taken.tolist() == w.taken


@MODES
def test_all_jumps_says_nothing_of_a_jump(mode: str) -> None:
    silent = Writer(loop_of_jumps(), mode=mode).start(MAIN).step(3).branch(1).stop()
    trapped = Writer(loop_of_jumps(), mode=mode).start(MAIN).step(2).trap(MAIN).stop()
    for w in (silent, trapped):
        trace = decode(bytes(w.data), w.program, replace(w.config, all_jumps=1))
        assert [d.clause for d in trace.diagnostics] == ["NT.2.all_jumps"]


def test_a_jump_that_is_not_taken() -> None:
    w = Writer(loop_of_jumps(), all_jumps=1).start(MAIN).send("ResourceFull", 1, 0b10).stop()
    assert [d.clause for d in w.decode().diagnostics] == ["NT.2.all_jumps"]
