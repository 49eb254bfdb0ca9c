# SPDX-License-Identifier: Apache-2.0
"""The encoder model's timestamps (section 8.7, NT-15): whose time a message has, absolute or as a difference."""

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    HART_RESET,
    OFF,
    Block,
    Row,
    call,
    encode,
    exception,
    jump,
    linear,
    not_taken,
    ret,
    row,
    taken,
)

SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
FLUSHES = {"repeated_history": 1, "hist_bits": 4}
BTM, BOTH = {"mode": "btm"}, {"mode": "btm", "repeat_branch": 1, "repeat_bits": 2}
START, STOP = ("ProgTraceSync", 100), "ProgTraceCorrelation"


def at(time: int, block: Block, **more: Any) -> Row:
    """The block at a time."""
    return row(block, tstamp=time, **more)


def stop(time: int) -> Row:
    return row(levels=OFF, tstamp=time)


FIRST, JUMP, BRANCH = at(100, linear(0x100, 2)), at(130, jump(0x104, 2)), at(130, taken(0x104, 2))
HELD = [at(100 + index, not_taken(0x100, 2)) for index in range(3)]
LOOP = [at(100 + 10 * index, taken(0x100, 2)) for index in range(9)]
# A vendor-defined message at 120, after a jump at 100 whose target comes at 130
AFTER_VENDOR = [row(vendor=60, tstamp=120), at(130, linear(0x200, 2)), stop(150)]

# Name and TSTAMP of each message
CASES: dict[str, tuple[list[Row], list[tuple], dict[str, Any]]] = {
    "a jump's message has the time of the jump, 130, not of its target, 70 later; the stop at 250 is 120 later": (
        [FIRST, JUMP, at(200, linear(0x200, 2)), stop(250)], [START, ("IndirectBranch", 30), (STOP, 120)], {},
    ),
    # The Sync form of a pending message has the pending time; a mark on linear code that of the marked block.
    "a trap's sync is absolute": (
        [FIRST, at(130, exception(0x104, 2), notify=1), at(200, linear(0x200, 2)), stop(250)],
        [START, ("IndirectBranchSync", 130), (STOP, 120)], {},
    ),
    "a branch's sync is absolute": (
        [FIRST, at(130, taken(0x104, 2), notify=1), at(200, linear(0x200, 2)), stop(250)],
        [START, ("DirectBranchSync", 130), (STOP, 120)], BTM,
    ),
    "a sync on linear code is absolute": (
        [FIRST, at(130, not_taken(0x104, 2), notify=1), at(200, linear(0x200, 2)), stop(250)],
        [START, ("IndirectBranchHistSync", 200), (STOP, 50)], {},
    ),
    "a restart is absolute, the Error before it is not: both at 400 (NT-14)": (
        [at(100, jump(0x100, 2)), at(200, linear(0x200, 2), drop=1), at(400, linear(0x204, 2))],
        [START, ("Error", 300), ("ProgTraceSync", 400)], {},
    ),
    "the difference is to the last message that was really sent, not to one that was lost": (
        [at(100, jump(0x100, 2)), at(200, linear(0x200, 2), drop=1), stop(300)], [START, ("Error", 200)], {},
    ),
    "BTM, stop after a taken branch: the DirectBranch has the branch's time, the correlation that of the stop": (
        [FIRST, BRANCH, stop(250)], [START, ("DirectBranch", 30), (STOP, 120)], BTM,
    ),
    "stop after a jump: the correlation resolves nothing, it has the time of the stop": (
        [FIRST, JUMP, stop(250)], [START, (STOP, 150)], {},
    ),
    "SYNC=1 has the time of the reset, the DirectBranch before it that of the branch": (
        [FIRST, BRANCH, row(levels=HART_RESET, tstamp=180), at(300, linear(0x1000, 2))],
        [START, ("DirectBranch", 30), ("ProgTraceSync", 180)], BTM,
    ),
    "rc7, SYNC=4: the time at which I-CNT was full": (
        [at(100, not_taken(0x100, 10)), at(150, linear(0x114, 10)), at(170, linear(0x128, 1))],
        [START, ("IndirectBranchHistSync", 150)], {"variant": "rc7", **SMALL},
    ),
    "a predicted return is not reported: ResourceFull has the time of the block that shows it": (
        [at(100, call(0x100, 15)), at(150, ret(0x200, 15)), at(170, linear(0x11E, 1))], [START, ("ResourceFull", 70)],
        {"implicit_return": 3, **SMALL},
    ),
    "a flush before a jump's message has the jump's time": (
        [*HELD, at(150, jump(0x100, 2)), at(170, linear(0x200, 2))],
        [START, ("ResourceFull", 50), ("IndirectBranch", 0)], FLUSHES,
    ),
    "a flush before the correlation has the stop's": (
        [*HELD, stop(150)], [START, ("ResourceFull", 50), (STOP, 0)], FLUSHES,
    ),
    "a full HREPEAT has the time of its third repeat": (
        LOOP, [START, ("ResourceFull", 80)], {"repeat_bits": 2, **FLUSHES},
    ),
    "a full B-CNT that of the block after the third repeat, where it is counted": (
        LOOP[:5], [START, ("DirectBranch", 0), ("RepeatBranch", 40)], BOTH,
    ),
    "the trap's message has the trap's time, Ownership that of the handler's first block": (
        [at(100, exception(0x100, 2)), at(120, linear(0x800, 2))],
        [START, ("Ownership", 0), ("IndirectBranch", 0), ("Ownership", 20)], {"ownership": 1},
    ),
    "the jump of 100 comes after the vendor's message of 120: the stop is 30 after 120, not 50 after 100": (
        [at(100, jump(0x100, 2)), *AFTER_VENDOR], [START, ("Vendor60", 20), ("IndirectBranch", 0), (STOP, 30)], {},
    ),
    "a sync may go back: the mark's message has the jump's time, 100": (
        [at(100, jump(0x100, 2), notify=1), *AFTER_VENDOR],
        [START, ("Vendor60", 20), ("IndirectBranchSync", 100), (STOP, 50)], {},
    ),
    "before the first message the time reported is 0": (
        [row(levels=OFF, vendor=60, tstamp=120), row(levels=OFF, vendor=60, tstamp=125)],
        [("Vendor60", 120), ("Vendor60", 5)], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    trace = encode(rows, timestamp=1, **config)
    assert [(m.name, m.tstamp) for m in trace.messages] == expected


def test_off() -> None:
    assert encode([FIRST]).messages[0].tstamp is None
