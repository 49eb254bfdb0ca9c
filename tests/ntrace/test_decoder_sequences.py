# SPDX-License-Identifier: Apache-2.0
"""Sequences of events: traps, restarts, reset and sync messages in every legal form (8.5, 8.6, NT-9 to NT-13)."""

import random

import pytest

from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])
VARIANTS = pytest.mark.parametrize("variant", ["v1_0", "rc7"])


@MODES
@VARIANTS
def test_traps_anywhere(mode: str, variant: str) -> None:
    """NT-12: at a jump's target, back to back, right after xRET and as the first thing traced."""
    w = Writer(sample_program(), mode=mode, variant=variant)
    w.start(MAIN).trap(HANDLER, 3).trap(HANDLER, 2).step().jump(MAIN).trap(HANDLER, 3, sync=2)
    w.step().jump(MAIN, sync=2).step(3).branch(1).trap(HANDLER).step().jump(0x1006).step().branch(0)
    w.step().trap(HANDLER).stop().check()


@MODES
def test_ecall(mode: str) -> None:
    """rc7: ecall retires, is counted and is its own EPC; v1_0: it does not retire."""
    old = Writer(sample_program(), mode=mode, variant="rc7").start(0x1010).branch(0).step()
    old.traps.append((2, 0x1014, 2))
    old.indirect(2, HANDLER, None).step().stop().check()
    Writer(sample_program(), mode=mode).start(0x1010).branch(0).trap(HANDLER).step().stop().check()


@MODES
def test_filter_edges(mode: str) -> None:
    """NT-13: the last instruction is a jump or branch: with its message and I-CNT=0, or in the correlation."""
    w = Writer(sample_program(), mode=mode).start(0x101A).step().jump(0x1010).stop().start(0x101A).step()
    w.retire()
    w.stop().start(0x1010).branch(1).stop().start(0x1010)
    if mode == "btm":
        w.retire(-1)  # its direction is not reported
    else:
        w.branch(1)
    w.stop(0).start(MAIN, 3).step().stop().check()


@MODES
@pytest.mark.parametrize("sync", [0, 2, 4, 6])
def test_sync_on_linear_code(mode: str, sync: int) -> None:
    w = Writer(sample_program(), mode=mode).start(MAIN).sync(sync).step().sync(sync).step(2).branch(0).sync(sync)
    w.step().sync(sync).step().jump(0x1010, sync).branch(0).sync(sync).trap(HANDLER, 2, sync)
    trace = w.stop().check()
    assert [e.message.get("sync") for e in trace.events if e.kind in ("sync", "marker")].count(sync) == 7


def test_direct_branch_sync() -> None:
    w = Writer(sample_program(), mode="btm").start(MAIN).step(3)
    w.retire(1)
    w.send("DirectBranchSync", 2, w.counts()[0], 0x1006 >> 1)
    w.pc = 0x1006
    w.step().branch(0).stop().check()


@MODES
def test_reset_and_power_down(mode: str) -> None:
    """SYNC 1 and 9: the counts lead to the last instruction before, F-ADDR to the vector."""
    w = Writer(sample_program(), mode=mode).start(MAIN).step(2)
    w.send("ProgTraceSync", 1, w.counts()[0], HANDLER >> 1)
    w.pc = w.reference = HANDLER
    w.step().send("ProgTraceSync", 9, w.counts()[0], 0x101A >> 1)
    w.pc = w.reference = 0x101A
    w.step().jump(MAIN).stop().check()


def test_table_26_stop_while_off() -> None:
    w = Writer(sample_program()).send("ProgTraceCorrelation", 4, 1, 0, 1).start(MAIN).step().stop()
    trace = w.send("ProgTraceCorrelation", 0, 1, 0, 1).start(MAIN, 3).step().stop(0).check()
    kinds = ["trace_off", "trace_on", "trace_off", "debug_entry", "debug_exit", "debug_entry"]
    assert [e.kind for e in trace.events] == kinds
    assert trace.skipped_bytes == 0


@MODES
@pytest.mark.parametrize("xlen", [32, 64])
def test_wandering(mode: str, xlen: int) -> None:
    rng = random.Random(f"wander:{mode}:{xlen}")
    for _ in range(20):
        w = Writer(sample_program(xlen), mode=mode, variant="rc7").start(MAIN)
        while w.pc not in (0x1014, 0x101E) and len(w.pcs) < 3000:
            w.wander(rng, 1, HANDLER, [MAIN, 0x1006, 0x1010, 0x101A])
        w.stop().check()
