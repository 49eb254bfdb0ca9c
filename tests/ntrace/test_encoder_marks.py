# SPDX-License-Identifier: Apache-2.0
"""The encoder model's markers (section 8.5): SYNC 6 of debug triggers, SYNC 0 of external ones."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    OFF,
    ON,
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
END = row(levels=OFF)
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
CYCLES: dict[str, Any] = {"inst_sync_mode": 2}  # every 16 cycles

# what is pending when the trigger fires: the message that has the mark, SYNC left out
FORMS: list[tuple[str, list[Block], tuple]] = [
    ("htm", [linear(0x100, 2)], ("ProgTraceSync", 2, 0x100)),
    ("btm", [not_taken(0x100, 2)], ("ProgTraceSync", 2, 0x100)),
    ("htm", [not_taken(0x100, 2)], ("IndirectBranchHistSync", 0, 2, 0x100, 0b10)),
    ("btm", [taken(0x100, 2)], ("DirectBranchSync", 2, 0x100)),
    ("htm", [jump(0x100, 2)], ("IndirectBranchSync", 0, 2, 0x100)),
    ("btm", [exception(0x100, 2)], ("IndirectBranchSync", 2, 2, 0x100)),
    ("htm", [taken(0x100, 2), exception(0x104, 3)], ("IndirectBranchHistSync", 2, 5, 0x100, 0b11)),
]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("pulse, sync", [("notify", 6), ("ext_notify", 0)])
@pytest.mark.parametrize("mode, blocks, reported", FORMS)
def test_forms(mode: str, blocks: list[Block], reported: tuple, pulse: str, sync: int, variant: str) -> None:
    """With the last of the blocks the trigger fires; the next block, at 0x200, reports it and is the new
    reference.
    """
    rows = [*map(row, blocks[:-1]), row(blocks[-1], levels=ON, **{pulse: 1})]
    rows += [row(jump(0x200, 2)), row(linear(0x300, 1))]
    name, *values = reported
    assert explained(encode(rows, mode=mode, variant=variant))[1:] == [
        (f"NT.8.5.sync{sync}", name, sync, *values),
        ("NT.2.uninferable_jump", "IndirectBranch", 0, 2, (0x200 ^ 0x300) >> 1),
    ]


def test_both_at_once() -> None:
    """The debug trigger first, the external one at the block after it."""
    rows = [row(linear(0x100, 2), notify=1, ext_notify=1), row(linear(0x104, 2)), row(linear(0x108, 2)), END]
    assert plain(encode(rows))[1:] == [
        ("ProgTraceSync", 6, 2, 0x82),
        ("ProgTraceSync", 0, 2, 0x84),
        ("ProgTraceCorrelation", 4, 1, 2, 1),
    ]


def test_both_reported_by_one_beat() -> None:
    """Two lanes: each lane is a block."""
    rows = [row(linear(0x100, 2), notify=1, ext_notify=1), row(linear(0x104, 2), linear(0x108, 2))]
    trace = encode(rows, blocks=2)
    assert [m.get("sync") for m in trace.messages] == [5, 6, 0]
    assert trace.beat == [1, 2, 2]


def test_after_the_last_lane() -> None:
    """A trigger in a beat of two blocks marks the second."""
    rows = [row(linear(0x100, 2), linear(0x104, 2), notify=1), row(linear(0x108, 2))]
    assert plain(encode(rows, blocks=2))[1:] == [("ProgTraceSync", 6, 4, 0x84)]


def test_without_a_block() -> None:
    """A cycle that retires nothing may have the trigger; several fire as one."""
    rows = [row(linear(0x100, 2)), row(notify=1), row(notify=1), row(linear(0x104, 2)), row(linear(0x108, 2))]
    assert plain(encode(rows))[1:] == [("ProgTraceSync", 6, 2, 0x82)]


def test_with_the_start() -> None:
    """The trigger in the cycle that starts tracing waits after the start's own sync."""
    rows = [row(notify=1), row(linear(0x100, 2)), row(linear(0x104, 2))]
    assert plain(encode(rows)) == [START, ("ProgTraceSync", 6, 2, 0x82)]


def test_not_reported() -> None:
    """While tracing is off, and without a later block, a trigger is nothing."""
    rows = [row(notify=1, levels=OFF), row(linear(0x100, 2)), row(linear(0x104, 2), ext_notify=1), END]
    rows += [row(linear(0x100, 2)), row(linear(0x104, 2))]
    stop = ("ProgTraceCorrelation", 4, 1, 4, 1)
    assert plain(encode(rows)) == [START, stop, START]


def test_before_a_periodic_sync() -> None:
    """A mark replaces a periodic sync that is due, and begins a new interval."""
    rows = [row(linear(0x100, 2), cycle=100), row(cycle=110, notify=1), row(linear(0x104, 2), cycle=116)]
    rows += [row(linear(0x108, 2), cycle=131), row(linear(0x10C, 2), cycle=132)]
    assert plain(encode(rows, **CYCLES))[1:] == [("ProgTraceSync", 6, 2, 0x82), ("ProgTraceSync", 2, 4, 0x86)]


def test_after_sync4() -> None:
    """rc7: SYNC=4 is pending already; the mark waits for the next block."""
    rows = [row(not_taken(0x100, 10)), row(linear(0x114, 10), notify=1)]
    rows += each([linear(0x128, 1), linear(0x12A, 1)])
    assert plain(encode(rows, variant="rc7", **SMALL))[1:] == [
        ("IndirectBranchHistSync", 4, 0, 20, 0x94, 0b10),
        ("ProgTraceSync", 6, 1, 0x95),
    ]


def test_lost() -> None:
    """A mark in the beat that is lost, and one while nothing is reported, are lost too."""
    rows = [row(jump(0x100, 2)), row(linear(0x200, 2), drop=1, notify=1), row(drop=1, ext_notify=1)]
    rows += each([linear(0x210, 2), linear(0x214, 2)])
    assert plain(encode(rows))[1:] == [("Error", 0, 4), ("ProgTraceSync", 7, 0, 0x108)]


def test_in_the_restart() -> None:
    """A trigger in the beat that reports the overflow marks its last block."""
    rows = [row(jump(0x100, 2)), row(linear(0x200, 2), drop=1), row(linear(0x210, 2), notify=1), row(linear(0x214, 2))]
    assert plain(encode(rows))[3:] == [("ProgTraceSync", 6, 2, 0x10A)]
