# SPDX-License-Identifier: Apache-2.0
"""The encoder model against docs/reference/ntrace-profile.md: periodic synchronization in its three units."""

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    OFF,
    Block,
    encode,
    exception,
    explained,
    jump,
    linear,
    not_taken,
    plain,
    row,
    sends,
    taken,
)

START = ("ProgTraceSync", 5, 0, 0x80)
CYCLES: dict[str, Any] = {"inst_sync_mode": 2}  # every 16 cycles
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}
LINEAR, DIRECT, INDIRECT = (f"NT.8.5.sync2_{kind}" for kind in ("linear", "direct", "indirect"))

FORMS: list[tuple[str, list[Block], tuple]] = [
    ("htm", [linear(0x100, 2)], (LINEAR, "ProgTraceSync", 2, 2, 0x100)),
    ("btm", [not_taken(0x100, 2)], (LINEAR, "ProgTraceSync", 2, 2, 0x100)),
    ("htm", [not_taken(0x100, 2)], (LINEAR, "IndirectBranchHistSync", 2, 0, 2, 0x100, 0b10)),
    ("htm", [taken(0x100, 2)], (LINEAR, "IndirectBranchHistSync", 2, 0, 2, 0x100, 0b11)),
    ("btm", [taken(0x100, 2)], (DIRECT, "DirectBranchSync", 2, 2, 0x100)),
    ("btm", [jump(0x100, 2)], (INDIRECT, "IndirectBranchSync", 2, 0, 2, 0x100)),
    ("htm", [jump(0x100, 2)], (INDIRECT, "IndirectBranchSync", 2, 0, 2, 0x100)),
    ("htm", [exception(0x100, 2)], (INDIRECT, "IndirectBranchSync", 2, 2, 2, 0x100)),
    ("htm", [taken(0x100, 2), exception(0x104, 3)], (INDIRECT, "IndirectBranchHistSync", 2, 2, 5, 0x100, 0b11)),
]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("mode, blocks, expected", FORMS)
def test_form_and_cycle(mode: str, blocks: list[Block], expected: tuple, variant: str) -> None:
    """The sync of cycle 100 is too young in cycle 115 and 16 old in cycle 116; skipped cycles count."""
    first = [row(block, cycle=100 + lane) for lane, block in enumerate(blocks)]
    for cycle, due in ((115, False), (116, True)):
        rows = [*first, row(jump(0x200, 2), cycle=cycle), linear(0x300, 1)]
        trace = encode(rows, mode=mode, variant=variant, **CYCLES)
        assert plain(trace)[0] == START
        assert (expected in explained(trace)) == due
        assert trace.messages[-1].type.has_sync != due  # the interval begins anew, or ends one cycle later
        if due:  # and the sync's address is the new reference
            assert plain(trace)[-1] == ("IndirectBranch", 0, 2, (0x200 ^ 0x300) >> 1)


BLOCKS = [linear(0x100 + 16 * i, 8) for i in range(6)]  # 16 half-words in two of them
SYNCS = [("ProgTraceSync", 2, 16, 0x90), ("ProgTraceSync", 2, 16, 0xA0)]
BRANCH, SAME = taken(0x100, 2), ("DirectBranch", 2)
PERIOD = [*[SAME] * 16, ("DirectBranchSync", 2, 2, 0x80)]
FULL = ("ResourceFull", 0, 30)

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "rc7: SYNC=4 replaces a sync that is due, and begins a new interval": (
        [row(not_taken(0x100, 15), cycle=100), row(linear(0x11E, 3), cycle=101), row(linear(0x124, 1), cycle=116),
         row(linear(0x126, 1), cycle=131), row(linear(0x128, 1), cycle=132)],
        [START, ("NT.8.4.4.sync4", "IndirectBranchHistSync", 4, 0, 18, 0x92, 0b10),
         (LINEAR, "ProgTraceSync", 2, 2, 0x94)], {"variant": "rc7", **CYCLES, **SMALL},
    ),
    "a start begins the interval: the counter is stopped while tracing is off": (
        [row(linear(0x100, 2), cycle=10), row(levels=OFF, cycle=15), row(linear(0x100, 2), cycle=40),
         row(linear(0x104, 2), cycle=55), row(linear(0x108, 2), cycle=56)],
        [START, ("ProgTraceCorrelation", 4, 1, 2, 1), START, ("ProgTraceSync", 2, 4, 0x84)], CYCLES,
    ),
    "BTM: sixteen DirectBranch after the sync, then the Sync form; the sync itself is not counted": (
        [BRANCH] * 36, [START, *PERIOD, *PERIOD, SAME], {"mode": "btm", "inst_sync_mode": 1},
    ),
    "ResourceFull messages count: one each second block; the 33rd block finds sixteen of them": (
        [linear(0x100, 15)] * 34, [START, *[FULL] * 16, ("ProgTraceSync", 2, 0, 0x80), FULL],
        {"inst_sync_mode": 1, **SMALL},
    ),
    "8 half-words a block: the third block finds 16; its own count towards the next interval": (
        BLOCKS, [START, *SYNCS], {"inst_sync_mode": 3},
    ),
    "two lanes in BTM": (
        [row(BRANCH, BRANCH)] * 9, [START, *PERIOD], {"mode": "btm", "inst_sync_mode": 1, "blocks": 2},
    ),
    "off": ([linear(0x100, 8)] * 100, [START], {"inst_sync_max": 0}),
    "inst_sync_max=2, one cycle less than 64": (
        [row(linear(0x100, 2), cycle=100), row(linear(0x104, 2), cycle=163)], [START], {"inst_sync_max": 2, **CYCLES},
    ),
    "inst_sync_max=2: 64 cycles": (
        [row(linear(0x100, 2), cycle=100), row(linear(0x104, 2), cycle=164)], [START, ...],
        {"inst_sync_max": 2, **CYCLES},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


def test_two_lanes() -> None:
    """The same blocks two a cycle: the same messages, the second sync in lane 0 of the third cycle."""
    trace = sends([row(*BLOCKS[i : i + 2]) for i in (0, 2, 4)], [START, *SYNCS], inst_sync_mode=3, blocks=2)
    assert trace.beat == [1, 2, 3]
