# SPDX-License-Identifier: Apache-2.0
"""Counts in any legal form: however an encoder splits and repeats them, the decoded run is the same (NT-3, NT-6)."""

import random

import pytest

from tests.ntrace.trace_writer import HANDLER, MAIN, Writer, sample_program

MODES = pytest.mark.parametrize("mode", ["btm", "htm"])


def test_resource_full_split_any_way() -> None:
    """NT-3: sums and concatenation decide, wherever ResourceFull messages come between."""
    rng = random.Random("split")
    for _ in range(200):
        w = Writer(sample_program()).start(MAIN).step(2)
        for taken in [1] * rng.randrange(40) + [0]:
            for full in rng.sample([w.full_hist, w.full_icnt], rng.choice((0, 0, 1, 2))):
                if full == w.full_icnt or w.hist > 1:
                    full()
            w.step().branch(taken)
        w.step(2).jump(0x1010).branch(0).stop().check()


def test_counts_run_ahead_of_each_other() -> None:
    """All I-CNT first, all HIST first, and one half-word at a time."""
    turns, halves = 20, 3 + 20 * 3 - 1 + 2
    for order in ("icnt", "hist", "halves"):
        w = Writer(sample_program()).start(MAIN).step(2)
        for taken in [1] * (turns - 1) + [0]:
            w.step().branch(taken)
        w.step()
        icnt, hist = w.counts()
        assert icnt == halves + 1
        if order == "icnt":
            w.send("ResourceFull", 0, icnt).send("ProgTraceCorrelation", 4, 1, 0, hist)
        elif order == "hist":
            w.send("ResourceFull", 1, hist).send("ProgTraceCorrelation", 4, 1, icnt, 1)
        else:
            for _ in range(icnt):
                w.send("ResourceFull", 0, 1)
            w.send("ProgTraceCorrelation", 4, 1, 0, hist)
        w.check()


def test_btm_count_full_on_the_branch() -> None:
    """The branch may be the last of a ResourceFull; only the next message says whether it was taken."""
    for taken in (0, 1):
        w = Writer(sample_program(), mode="btm").start(MAIN).step(3)
        w.send("ResourceFull", 0, w.icnt + 1)  # with the branch
        w.icnt = -1
        w.branch(taken).step().stop().check()


@pytest.mark.parametrize("times", [1, 2, 5, 1000, 200_000])
def test_repeated_history(times: int) -> None:
    """RCODE=2: HREPEAT counts all occurrences (NT-6)."""
    w = Writer(sample_program()).start(MAIN).step(2)
    for _ in range(2 * times):
        w.pcs += [0x1006, 0x100A]
        w.taken += [-1, 1]
    w.pc, w.icnt = 0x1006, 3 + 6 * times
    w.send("ResourceFull", 2, 0b111, times).step().branch(0).stop().check()


@MODES
@pytest.mark.parametrize("count", [1, 7, 1 << 17])
def test_repeat_branch(mode: str, count: int) -> None:
    """B-CNT counts additional occurrences (NT-6); several messages add up."""
    w = Writer(sample_program(), mode=mode)
    if mode == "btm":
        w.start(0x1006).step().branch(1).send("RepeatBranch", count).send("RepeatBranch", 1)
        for _ in range(count + 1):
            w.pcs += [0x1006, 0x100A]
            w.taken += [-1, 1]
        w.step().branch(0).stop().check()
        return
    w.start(0x101A).step().jump(0x101A).step().jump(0x101A).send("RepeatBranch", count)
    w.pcs += [0x101A, 0x101C] * count
    w.taken += [-1, -1] * count
    w.stop().check()


def test_repeated_trap() -> None:
    w = Writer(sample_program()).start(MAIN).step().trap(HANDLER).trap(HANDLER).send("RepeatBranch", 3)
    w.traps += [(1, HANDLER, 2)] * 3
    w.step().stop().check()
