# SPDX-License-Identifier: Apache-2.0
"""The encoder model's timestamps (section 8.7, NT-15): whose time a message has, absolute or as a difference."""

from __future__ import annotations

from typing import Any

import pytest

from rvtrace.models.ntrace.encoder.encode import EncodedTrace
from tests.ntrace.encoder_stream import (
    HART_RESET,
    OFF,
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

ON: dict[str, Any] = {"timestamp": 1}
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
START = ("ProgTraceSync", 100)


def reported(rows: list[Row], **config: Any) -> list[tuple]:
    """Name and TSTAMP of each message."""
    trace: EncodedTrace = encode(rows, **ON, **config)
    return [(m.name, m.tstamp) for m in trace.messages]


def stop(time: int) -> Row:
    return row(levels=OFF, tstamp=time)


def test_off() -> None:
    assert encode([row(linear(0x100, 2), tstamp=100)]).messages[0].tstamp is None


def test_jump_has_the_time_of_the_jump() -> None:
    """Jump at 130, its target 70 later: the message has 130, the stop at 250 is 120 later."""
    rows = [row(linear(0x100, 2), tstamp=100), row(jump(0x104, 2), tstamp=130), row(linear(0x200, 2), tstamp=200)]
    assert reported([*rows, stop(250)]) == [START, ("IndirectBranch", 30), ("ProgTraceCorrelation", 120)]


@pytest.mark.parametrize(
    "mode, block, name",
    [("htm", exception(0x104, 2), "IndirectBranchSync"), ("btm", taken(0x104, 2), "DirectBranchSync"),
     ("htm", not_taken(0x104, 2), "IndirectBranchHistSync")],
)  # fmt: skip
def test_sync_is_absolute(mode: str, block: Any, name: str) -> None:
    """The Sync form of a pending message has the pending time; a mark on linear code that of the marked block."""
    rows = [row(linear(0x100, 2), tstamp=100), row(block, tstamp=130, notify=1), row(linear(0x200, 2), tstamp=200)]
    time = 200 if name == "IndirectBranchHistSync" else 130
    assert reported([*rows, stop(250)], mode=mode) == [START, (name, time), ("ProgTraceCorrelation", 250 - time)]


def test_restart_is_absolute_error_is_not() -> None:
    """NT-14: both at 400; the Error 300 after the start, the sync has 400."""
    rows = [
        row(jump(0x100, 2), tstamp=100),
        row(linear(0x200, 2), drop=1, tstamp=200),
        row(linear(0x204, 2), tstamp=400),
    ]
    assert reported(rows) == [START, ("Error", 300), ("ProgTraceSync", 400)]


def test_lost_messages_are_not_reported() -> None:
    """The difference is to the last message that was really sent."""
    rows = [row(jump(0x100, 2), tstamp=100), row(linear(0x200, 2), drop=1, tstamp=200), stop(300)]
    assert reported(rows) == [START, ("Error", 200)]


def test_stop_after_a_taken_branch() -> None:
    """BTM: the DirectBranch has the branch's time, the correlation that of the stop."""
    rows = [row(linear(0x100, 2), tstamp=100), row(taken(0x104, 2), tstamp=130), stop(250)]
    assert reported(rows, mode="btm") == [START, ("DirectBranch", 30), ("ProgTraceCorrelation", 120)]


def test_stop_after_a_jump() -> None:
    """The correlation resolves nothing: it has the time of the stop."""
    rows = [row(linear(0x100, 2), tstamp=100), row(jump(0x104, 2), tstamp=130), stop(250)]
    assert reported(rows) == [START, ("ProgTraceCorrelation", 150)]


def test_reset() -> None:
    """SYNC=1 has the time of the reset, the DirectBranch before it that of the branch."""
    rows = [row(linear(0x100, 2), tstamp=100), row(taken(0x104, 2), tstamp=130)]
    rows += [row(levels=HART_RESET, tstamp=180), row(linear(0x1000, 2), tstamp=300)]
    assert reported(rows, mode="btm") == [START, ("DirectBranch", 30), ("ProgTraceSync", 180)]


def test_sync4() -> None:
    """rc7: the time at which I-CNT was full."""
    rows = [
        row(not_taken(0x100, 10), tstamp=100),
        row(linear(0x114, 10), tstamp=150),
        row(linear(0x128, 1), tstamp=170),
    ]
    assert reported(rows, variant="rc7", **SMALL) == [START, ("IndirectBranchHistSync", 150)]


def test_predicted_return() -> None:
    """The return itself is not reported: ResourceFull has the time of the block that shows it."""
    rows = [row(call(0x100, 15), tstamp=100), row(ret(0x200, 15), tstamp=150), row(linear(0x11E, 1), tstamp=170)]
    assert reported(rows, implicit_return=3, **SMALL) == [START, ("ResourceFull", 70)]


def test_flush_has_the_time_of_its_cause() -> None:
    """Before a jump's message it is the jump's time, before the correlation the stop's."""
    branches = [row(not_taken(0x100, 2), tstamp=100 + index) for index in range(3)]
    config = {"repeated_history": 1, "hist_bits": 4}
    rows = [*branches, row(jump(0x100, 2), tstamp=150), row(linear(0x200, 2), tstamp=170)]
    assert reported(rows, **config) == [START, ("ResourceFull", 50), ("IndirectBranch", 0)]
    assert reported([*branches, stop(150)], **config) == [START, ("ResourceFull", 50), ("ProgTraceCorrelation", 0)]


def test_full_counters_have_the_beats_time() -> None:
    """HREPEAT at its third repeat; B-CNT when the third repeat is counted, at the block after the branch."""
    rows = [row(taken(0x100, 2), tstamp=100 + 10 * index) for index in range(9)]
    assert reported(rows, repeated_history=1, hist_bits=4, repeat_bits=2) == [START, ("ResourceFull", 80)]
    rows = rows[:5]
    assert reported(rows, mode="btm", repeat_branch=1, repeat_bits=2) == [
        START,
        ("DirectBranch", 0),
        ("RepeatBranch", 40),
    ]


def test_ownership() -> None:
    """The trap's message has the trap's time, Ownership that of the handler's first block."""
    rows = [row(exception(0x100, 2), tstamp=100), row(linear(0x800, 2), tstamp=120)]
    assert reported(rows, ownership=1) == [START, ("Ownership", 0), ("IndirectBranch", 0), ("Ownership", 20)]


def test_time_reported_stays() -> None:
    """A vendor-defined message at 120 has a later time than the jump of 100 after it; the stop is 30 after 120, not 50
    after 100.
    """
    rows = [row(jump(0x100, 2), tstamp=100), row(vendor=60, tstamp=120), row(linear(0x200, 2), tstamp=130), stop(150)]
    assert reported(rows) == [START, ("Vendor60", 20), ("IndirectBranch", 0), ("ProgTraceCorrelation", 30)]


def test_a_sync_may_go_back() -> None:
    """The mark's message has the jump's time, 100, after a vendor-defined one of 120."""
    rows = [row(jump(0x100, 2), notify=1, tstamp=100), row(vendor=60, tstamp=120), row(linear(0x200, 2), tstamp=130)]
    assert reported([*rows, stop(150)]) == [
        START,
        ("Vendor60", 20),
        ("IndirectBranchSync", 100),
        ("ProgTraceCorrelation", 50),
    ]


def test_no_sync_before() -> None:
    """Before the first message the time reported is 0."""
    assert reported([row(levels=OFF, vendor=60, tstamp=120), row(levels=OFF, vendor=60, tstamp=125)]) == [
        ("Vendor60", 120),
        ("Vendor60", 5),
    ]
