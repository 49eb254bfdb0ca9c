# SPDX-License-Identifier: Apache-2.0
"""Markers, resets, sleep and vendor-defined messages: table 25, table 26, 7.12, 6.1, and 8.4.4 of v1_0."""

import pytest

from rvtrace.models.riscv.builder import ProgramBuilder
from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])
VARIANTS = pytest.mark.parametrize("variant", ["v1_0", "rc7"])


def kinds(w: Writer) -> list[str]:
    return [e.kind for e in w.check().events]


@MODES
@VARIANTS
@pytest.mark.parametrize("sync", [0, 6])
def test_markers_report_counts(mode: str, variant: str, sync: int) -> None:
    """SYNC 0 and 6 on linear code, at a jump, at a trap and after branches; I-CNT and HIST say where the event
    was.
    """
    w = Writer(sample_program(), mode=mode, variant=variant).start(MAIN).step().sync(sync).step(2).branch(0).sync(sync)
    w.step().step().jump(0x1010, sync).branch(1).trap(HANDLER, 2, sync).step().sync(sync).stop()
    assert kinds(w) == ["trace_on", "marker", "marker", "marker", "trap", "marker", "marker", "trace_off"]
    places = [e.index for e in w.check().events if e.kind == "marker"]
    assert places == [1, 4, 7, 8, 9]  # the two steps are a jal and a c.nop


@MODES
@pytest.mark.parametrize("begin, icnt, pcs", [(MAIN, 3, [MAIN, MAIN + 2]), (0x101A, 2, [0x101A, 0x101C])])
def test_reset_without_stopping(mode: str, begin: int, icnt: int, pcs: list[int]) -> None:
    """SYNC=1: the counts end at the last instruction before, F-ADDR is the vector; also after a jump whose target
    nobody saw.
    """
    w = Writer(sample_program(), mode=mode).start(begin).send("ProgTraceSync", 1, icnt, HANDLER >> 1)
    w.pcs, w.taken = list(pcs), [-1, -1]
    w.pc = w.reference = HANDLER
    assert kinds(w.step().jump(MAIN).step().stop()) == ["trace_on", "reset", "trace_off"]


def test_reset_with_history() -> None:
    """HIST and I-CNT provide the last instruction before the reset (table 25)."""
    w = Writer(sample_program()).start(MAIN).step(3).branch(1).step()
    icnt, hist = w.counts()
    w.send("IndirectBranchHistSync", 1, 0, icnt, HANDLER >> 1, hist)
    w.pc = w.reference = HANDLER
    trace = w.step().stop().check()
    (reset,) = [e for e in trace.events if e.kind == "reset"]
    assert (reset.index, reset.target) == (5, HANDLER)


@MODES
@VARIANTS
def test_sleep_and_wake(mode: str, variant: str) -> None:
    w = Writer(sample_program(), mode=mode, variant=variant).start(MAIN).step().stop(1).start(0x101A, 9).step().stop(0)
    assert kinds(w) == ["trace_on", "sleep", "wake", "debug_entry"]


@MODES
def test_start_by_any_reason(mode: str) -> None:
    for sync, kind in (
        (0, "marker"),
        (1, "reset"),
        (2, "sync"),
        (3, "debug_exit"),
        (5, "trace_on"),
        (6, "marker"),
        (9, "wake"),
    ):
        assert kinds(Writer(sample_program(), mode=mode).start(MAIN, sync).step().stop()) == [kind, "trace_off"]


@MODES
@VARIANTS
def test_table_26(mode: str, variant: str) -> None:
    """Back-to-back jumps and exceptions, pending interrupt, exception at the first instruction, trace that starts
    disabled.
    """
    w = Writer(sample_program(), mode=mode, variant=variant)
    w.start(0x1018, 3).jump(0x101C).jump(0x1018).jump(0x1010).branch(0)  # I-CNT=1 each
    w.stop(0).start(MAIN, 3).trap(HANDLER, 3)  # pending interrupt at the start
    w.trap(HANDLER, 2).trap(HANDLER, 2).stop(0)  # exception at its destination, and one after the other
    w.start(MAIN, 3).trap(HANDLER, 2).stop(0)  # exception at the first instruction
    w.send("ProgTraceCorrelation", 4, int(w.htm), 0, *([1] if w.htm else [])).start(MAIN, 5).step().stop(4)
    w.send("ProgTraceCorrelation", 0, int(w.htm), 0, *([1] if w.htm else []))  # stops with trace disabled
    found = kinds(w)
    assert found[-4:] == ["trace_off", "trace_on", "trace_off", "debug_entry"] and found.count("trap") == 4


@pytest.mark.parametrize("tcode", range(56, 63))
@pytest.mark.parametrize("timestamp", [0, 1])
def test_vendor_messages(tcode: int, timestamp: int) -> None:
    """Our own layout, and any other: skipped, reported as events or notes, and nothing is lost."""
    w = Writer(sample_program(), timestamp=timestamp).send(
        "ProgTraceSync", 5, 0, MAIN >> 1, tstamp=1 if timestamp else None
    )
    w.pc = MAIN
    w.step().send(f"Vendor{tcode}", 0x1234)
    w.data += bytes([tcode << 2, 0x45, 0x11, 0x85, 0x07])  # several fields
    w.data += bytes([tcode << 2 | 0, 0x03])
    trace = w.step().stop().check()
    assert [e.kind for e in trace.events].count("vendor") == 3 and len(trace.notes) == 3


@pytest.mark.parametrize("tcode", [0, 1, 5, 7, 10, 13, 34, 35, 40, 55, 63])
def test_reserved_messages(tcode: int) -> None:
    w = Writer(sample_program(), src_bits=3, src_id=2).start(MAIN).step()
    w.data += bytes([tcode << 2, 0x44, 0x11, 0x85, 0x07]) + bytes([tcode << 2, 0x03])
    trace = w.step(2).stop().check()
    assert [n.clause for n in trace.notes] == ["NT.6.1.tcode"] * 2


def test_idle_anywhere() -> None:
    w = Writer(sample_program())
    for pause in (1, 100, 0, 3):
        w.data += b"\xff" * pause
        w.start(MAIN, 5).step()
        w.data += b"\xff" * pause
        w.stop()
    w.data += b"\xff"
    w.check()


@VARIANTS
@pytest.mark.parametrize("count", [0, 3, 6])
def test_direct_branch_sync_on_linear_code(variant: str, count: int) -> None:
    """v1_0: also where no branch was taken; rc7: only in place of DirectBranch."""
    w = Writer(sample_program(), mode="btm", variant=variant).start(0x1006)
    w = {0: lambda: w, 3: lambda: w.step().branch(0), 6: lambda: w.step().branch(0).step()}[count]()
    w.send("DirectBranchSync", 2, w.counts()[0], w.pc >> 1)
    w.reference = w.pc
    trace = w.stop().decode()
    assert [d.clause for d in trace.diagnostics] == (
        [] if variant == "v1_0" else {3: ["NT.8.1.faddr"]}.get(count, ["NT.10.branches"])
    )
    assert variant == "rc7" or (trace.pcs.tolist(), trace.taken.tolist()) == (w.pcs, w.taken)


def test_icnt_full_examples_of_v1_0() -> None:
    """8.4 of v1_0: ResourceFull with I-CNT=9 in HTM; SYNC=4 in BTM."""
    b = ProgramBuilder(64, 0x100)
    b.c_nop()
    b.beq(1, 2, 0x200)
    for _ in range(5):
        b.nop()
    b.c_nop()
    b.c_ebreak()
    b.org(0x200)
    b.c_ebreak()
    pcs = [0x100, 0x102, 0x106, 0x10A, 0x10E, 0x112, 0x116, 0x11A]
    htm = (
        Writer(b.build())
        .send("ProgTraceSync", 3, 0, 0x80)
        .send("ResourceFull", 0, 9)
        .send("ProgTraceCorrelation", 0, 1, 5, 2)
    )
    btm = Writer(b.build(), mode="btm").send("ProgTraceSync", 3, 0, 0x80).send("ProgTraceSync", 4, 9, 0x89)
    for w in (htm, btm.send("ProgTraceCorrelation", 0, 0, 5)):
        trace = w.decode()
        assert not trace.diagnostics and trace.pcs.tolist() == pcs
