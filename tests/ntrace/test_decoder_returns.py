# SPDX-License-Identifier: Apache-2.0
"""Implicit returns (9.2, table 4, NT-4, NT-5): a return without a message goes back to its call, whatever the encoder's
stack is.
"""

from typing import Any

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from rvtrace.models.riscv.program import Program
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])
STACKS = pytest.mark.parametrize("implicit_return", [1, 2, 3])
F, G, DEEP, SWAP, LEAF = 0x2000, 0x2100, 0x2200, 0x2300, 0x2400
BACK = MAIN + 6  # where the call at main returns to


def program() -> Program:
    b = ProgramBuilder(64, MAIN)
    b.c_nop()
    b.jal(1, F)
    b.bne(1, 2, MAIN)  # BACK
    b.c_jalr(10)  # 0x100a: an indirect call, back to 0x100c
    b.c_nop()
    b.org(F)  # calls a leaf, then returns
    b.nop()
    b.jal(1, LEAF)
    b.c_jr(1)  # 0x2008
    b.org(G)
    b.bne(1, 2, G)
    b.c_jr(1)  # 0x2104
    b.org(DEEP)
    b.jal(1, DEEP)
    b.c_jr(1)  # 0x2204
    b.org(SWAP)
    b.c_jalr(5)  # x1, x5: pops, then pushes 0x2302
    b.c_jr(1)  # 0x2302
    b.org(LEAF)
    b.c_jr(1)
    b.org(HANDLER)
    b.mret()
    return b.build()


def writer(mode: str = "htm", implicit_return: int = 3, **options: Any) -> Writer:
    return Writer(program(), mode=mode, implicit_return=implicit_return, **options)


def called(w: Writer) -> Writer:
    """From main into the leaf and back at BACK, without a message."""
    return w.start(MAIN).step(4).infer(0x2008).infer(BACK)


@MODES
@STACKS
def test_predicted_returns(mode: str, implicit_return: int) -> None:
    """Calls and returns of one count, more code after them (NT-5: the call need not be reported before)."""
    called(writer(mode, implicit_return)).branch(1).step().stop().check()


@MODES
def test_explicit_return_takes_its_call_off(mode: str) -> None:
    """NT-4: both sides pop anyway, whether the target is the call's or another."""
    for reported in (0x2008, G):
        w = writer(mode).start(MAIN).step(4).jump(reported)
        w = w if reported == 0x2008 else w.branch(0)
        w.infer(BACK).branch(0).stop().check()


@MODES
def test_what_makes_a_return_explicit_is_that_its_message_ends_the_count_there(mode: str) -> None:
    """ResourceFull up to the return leaves it open: the next message says whether it was reported."""
    reported, left_out = writer(mode).start(MAIN).step(4), writer(mode).start(MAIN).step(4)
    reported.retire()  # the leaf's return
    reported.full_icnt().indirect(0, G, None).branch(0).stop().check()
    left_out.infer(0x2008).full_icnt().full_icnt().infer(BACK).branch(0).stop().check()


@MODES
@pytest.mark.parametrize("sync", [None, 2])
def test_trap_after_a_predicted_return(mode: str, sync: int | None) -> None:
    """The EPC is where the return goes."""
    called(writer(mode)).trap(HANDLER, 3, sync).jump(BACK).branch(0).stop().check()


@MODES
def test_stop_and_sync_after_a_return(mode: str) -> None:
    called(writer(mode)).stop().check()
    w = called(writer(mode)).sync(2).branch(0).stop()
    assert w.check().events[1].target == BACK


def test_history_decides_that_a_return_was_predicted() -> None:
    """HTM: branches that are reported after it, before the I-CNT of either."""
    w = called(writer()).branch(1).step(4).infer(0x2008).infer(BACK).branch(0)
    w.full_hist().full_icnt().stop().check()


@pytest.mark.parametrize("depth", [2, 32, 200])
def test_depth_is_the_encoder_s_own_matter(depth: int) -> None:
    """A recursion deeper than the encoder's stack: the first returns are predicted, the others reported."""
    w = writer().start(DEEP).step(depth + 40).trap(LEAF, 3)
    for _ in range(depth):
        w.infer(0x2204)
    for _ in range(40):
        w.jump(0x2204)
    w.jump(BACK).branch(0).stop().check()


@MODES
def test_coroutine_pops_then_pushes(mode: str) -> None:
    """F's leaf goes to the swap, which takes BACK off and leaves its own return address."""
    writer(mode).start(MAIN).step(4).jump(SWAP).infer(BACK).branch(0).jump(LEAF).infer(0x100C).step().stop().check()
    writer(mode).start(MAIN).step(4).jump(SWAP).jump(LEAF).infer(SWAP + 2).jump(BACK).branch(0).stop().check()


@pytest.mark.parametrize("variant, sync, kept", [
    ("v1_0", 2, False), ("v1_0", 6, False), ("rc7", 2, False), ("rc7", 0, True), ("rc7", 4, True), ("rc7", 6, True),
])  # fmt: skip
def test_sync_clears_the_stack(variant: str, sync: int, kept: bool) -> None:
    """NT-5, table 25: in rc7 an encoder may keep its state at SYNC 0, 4 and 6, or not."""
    w = writer(variant=variant).start(MAIN).step(4).sync(sync).jump(0x2008).jump(BACK).branch(0).stop()
    w.check()  # an encoder that forgot
    w = writer(variant=variant).start(MAIN).step(4).sync(sync).infer(0x2008).infer(BACK).branch(0).stop()
    found = [d.clause for d in w.decode().diagnostics]
    assert found == ([] if kept else ["NT.9.2.implicit_return"])


def test_return_without_a_call() -> None:
    w = writer().start(LEAF).infer(BACK).branch(0).stop()
    (found,) = w.decode().diagnostics
    assert found.clause == "NT.9.2.implicit_return" and "no call that is known" in found.text


def test_return_is_not_predicted_where_the_option_is_off() -> None:
    w = called(Writer(program())).branch(0).stop()
    assert [d.clause for d in w.decode().diagnostics] == ["NT.8.3.hist"]


def test_all_jumps_hides_direct_calls_from_the_stack() -> None:
    """Table 3: they are reported as taken branches; an indirect call is on the stack."""
    Writer(program(), implicit_return=3, all_jumps=1).start(0x100A).jump(F).step(2).infer(0x100C).step().stop().check()
