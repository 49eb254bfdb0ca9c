# SPDX-License-Identifier: Apache-2.0
"""The encoder model against docs/reference/ntrace-profile.md: periodic synchronization in its three units."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    OFF,
    Block,
    each,
    encode,
    exception,
    explained,
    jump,
    linear,
    not_taken,
    plain,
    row,
    taken,
)

START = ("ProgTraceSync", 5, 0, 0x80)
CYCLES: dict[str, Any] = {"inst_sync_mode": 2}  # every 16 cycles
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}

FORMS: list[tuple[str, list[Block], tuple]] = [
    ("htm", [linear(0x100, 2)], ("NT.8.5.sync2_linear", "ProgTraceSync", 2, 2, 0x100)),
    ("btm", [not_taken(0x100, 2)], ("NT.8.5.sync2_linear", "ProgTraceSync", 2, 2, 0x100)),
    ("htm", [not_taken(0x100, 2)], ("NT.8.5.sync2_linear", "IndirectBranchHistSync", 2, 0, 2, 0x100, 0b10)),
    ("htm", [taken(0x100, 2)], ("NT.8.5.sync2_linear", "IndirectBranchHistSync", 2, 0, 2, 0x100, 0b11)),
    ("btm", [taken(0x100, 2)], ("NT.8.5.sync2_direct", "DirectBranchSync", 2, 2, 0x100)),
    ("btm", [jump(0x100, 2)], ("NT.8.5.sync2_indirect", "IndirectBranchSync", 2, 0, 2, 0x100)),
    ("htm", [jump(0x100, 2)], ("NT.8.5.sync2_indirect", "IndirectBranchSync", 2, 0, 2, 0x100)),
    ("htm", [exception(0x100, 2)], ("NT.8.5.sync2_indirect", "IndirectBranchSync", 2, 2, 2, 0x100)),
    (
        "htm",
        [taken(0x100, 2), exception(0x104, 3)],
        ("NT.8.5.sync2_indirect", "IndirectBranchHistSync", 2, 2, 5, 0x100, 0b11),
    ),
]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("mode, blocks, expected", FORMS)
def test_form_and_cycle(mode: str, blocks: list[Block], expected: tuple, variant: str) -> None:
    """The sync of cycle 100 is too young in cycle 115 and 16 old in cycle 116; skipped cycles count."""
    first = [row(block, cycle=100 + lane) for lane, block in enumerate(blocks)]
    for cycle, due in ((115, False), (116, True)):
        rows = [*first, row(jump(0x200, 2), cycle=cycle), row(linear(0x300, 1))]
        trace = encode(rows, mode=mode, variant=variant, **CYCLES)
        assert plain(trace)[0] == START
        assert (expected in explained(trace)) == due
        assert trace.messages[-1].type.has_sync != due  # the interval begins anew, or ends one cycle later
        if due:  # and the sync's address is the new reference
            assert plain(trace)[-1] == ("IndirectBranch", 0, 2, (0x200 ^ 0x300) >> 1)


def test_interval() -> None:
    """inst_sync_max=2: 64 cycles."""
    for cycle, messages in ((163, 1), (164, 2)):
        rows = [row(linear(0x100, 2), cycle=100), row(linear(0x104, 2), cycle=cycle)]
        assert len(encode(rows, inst_sync_max=2, **CYCLES).messages) == messages


def test_sync4_serves_the_periodic_one() -> None:
    """rc7: SYNC=4 replaces a sync that is due, and begins a new interval."""
    rows = [
        row(not_taken(0x100, 15), cycle=100),
        row(linear(0x11E, 3), cycle=101),
        row(linear(0x124, 1), cycle=116),
        row(linear(0x126, 1), cycle=131),
        row(linear(0x128, 1), cycle=132),
    ]
    assert explained(encode(rows, variant="rc7", **CYCLES, **SMALL))[1:] == [
        ("NT.8.4.4.sync4", "IndirectBranchHistSync", 4, 0, 18, 0x92, 0b10),
        ("NT.8.5.sync2_linear", "ProgTraceSync", 2, 2, 0x94),
    ]


def test_start_begins_the_interval() -> None:
    """The counter is stopped while tracing is off."""
    rows = [row(linear(0x100, 2), cycle=10), row(levels=OFF, cycle=15), row(linear(0x100, 2), cycle=40)]
    rows += [row(linear(0x104, 2), cycle=55), row(linear(0x108, 2), cycle=56)]
    stop = ("ProgTraceCorrelation", 4, 1, 2, 1)
    assert plain(encode(rows, **CYCLES)) == [START, stop, START, ("ProgTraceSync", 2, 4, 0x84)]


def test_messages_btm() -> None:
    """Sixteen DirectBranch after the sync, then the Sync form; the sync itself is not counted."""
    trace = encode(each([taken(0x100, 2)] * 36), mode="btm", inst_sync_mode=1)
    period = [("DirectBranch", 2)] * 16 + [("DirectBranchSync", 2, 2, 0x80)]
    assert plain(trace) == [START, *period, *period, ("DirectBranch", 2)]


def test_messages_on_linear_code() -> None:
    """ResourceFull messages count: one each second block; the 33rd block finds sixteen of them."""
    trace = encode(each([linear(0x100, 15)] * 34), inst_sync_mode=1, **SMALL)
    full = [("ResourceFull", 0, 30)]
    assert plain(trace) == [START, *full * 16, ("ProgTraceSync", 2, 0, 0x80), *full]


def test_half_words() -> None:
    """8 half-words a block: the third block finds 16. Its own count towards the next interval."""
    rows = each(linear(0x100 + 16 * i, 8) for i in range(6))
    assert plain(encode(rows, inst_sync_mode=3)) == [
        START,
        ("ProgTraceSync", 2, 16, 0x90),
        ("ProgTraceSync", 2, 16, 0xA0),
    ]


def test_two_lanes() -> None:
    """The same blocks two a cycle: the same messages, the second sync in lane 0 of the third cycle."""
    blocks = [linear(0x100 + 16 * i, 8) for i in range(6)]
    trace = encode([row(*blocks[i : i + 2]) for i in (0, 2, 4)], inst_sync_mode=3, blocks=2)
    assert plain(trace)[1:] == [("ProgTraceSync", 2, 16, 0x90), ("ProgTraceSync", 2, 16, 0xA0)]
    assert trace.beat == [1, 2, 3]
    rows = [row(taken(0x100, 2), taken(0x100, 2)) for _ in range(9)]
    trace = encode(rows, mode="btm", inst_sync_mode=1, blocks=2)
    assert plain(trace)[1:] == [("DirectBranch", 2)] * 16 + [("DirectBranchSync", 2, 2, 0x80)]


def test_off() -> None:
    assert plain(encode(each([linear(0x100, 8)] * 100), inst_sync_max=0)) == [START]
