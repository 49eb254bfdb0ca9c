# SPDX-License-Identifier: Apache-2.0
"""The encoder model: resynchronization in its three units (ET-4). Profile: Resync count, resync_next, rule 4."""

from __future__ import annotations

from typing import Any

import pytest

from tests.etrace.encoder_stream import NTR, REP, after_start, encode, explained
from tests.ntrace.encoder_stream import OFF, Block, Row, call, exception, jump, linear, ret, row, taken

PACKETS, CYCLES, HALF_WORDS = ({"inst_sync_mode": mode, "inst_sync_max": 0} for mode in (1, 2, 3))  # the interval is 16


def direct(iaddr: int, iretire: int = 2) -> Block:
    return Block(15, iaddr, iretire)


def reported(rows: list[Row], **config: Any) -> list[tuple]:
    return after_start(encode([*rows, row(levels=OFF)], **config))


def test_packets() -> None:
    """Jumps in a row: 16 targets reported after the 3.0; with the 17th the count is 16, and it is a jump: its packet
    has updiscon, then comes 3.0.
    """
    rows = [row(jump(0x1000 + 0x10 * n, 2)) for n in range(20)]
    assert reported(rows, **PACKETS) == [("address", 0x10)] * 16 + [
        ("address", 0x10, "updiscon"),
        ("start", 0x1120),
        ("address", 0x10),
        NTR,
    ]


def test_packets_of_every_kind_count() -> None:
    """3.2 counts as well; the packets of an instruction count after it: 15 targets, then a 3.2 with a target that is
    no jump, a direct jump, and 3.0.
    """
    rows = [row(jump(0x1000 + 0x10 * n, 2)) for n in range(15)]
    rows += [row(linear(0x10F0, 2), ctype=1), row(direct(0x10F4)), row(linear(0x2000, 2)), row(linear(0x2004, 2))]
    assert reported(rows, **PACKETS)[14:] == [("context", 0), ("address", 0x10), ("start", 0x2000), ("address", 4), REP]


@pytest.mark.parametrize("cycle, synced", [(16, False), (17, True)])
def test_cycles(cycle: int, synced: bool) -> None:
    """The 3.0 is of cycle 1. A direct jump 16 cycles later makes the next instruction a 3.0, with nothing before it: no
    branch waits.
    """
    rows = [row(linear(0x1000, 2), cycle=1), row(direct(0x1004), cycle=cycle), row(linear(0x2000, 4), cycle=40)]
    expected = [("start", 0x2000), ("address", 4), REP] if synced else [("address", 0x1004), REP]
    assert reported(rows, **CYCLES) == expected


@pytest.mark.parametrize("more, synced", [(0, False), (1, True)])
def test_half_words(more: int, synced: bool) -> None:
    """Both blocks count whole: 6 with the 3.0 in it and 9 or 10 with the jump."""
    rows = [row(linear(0x1000, 6)), row(direct(0x100C, 9 + more)), row(linear(0x2000, 2)), row(linear(0x2004, 2))]
    expected = [("start", 0x2000), ("address", 4), REP] if synced else [("address", 0x1004), REP]
    assert reported(rows, **HALF_WORDS) == expected


def test_half_words_within_one_block() -> None:
    assert reported([row(direct(0x1000, 16)), row(linear(0x2000, 2))], **HALF_WORDS) == [("start", 0x2000), NTR]


def test_only_after_special_instructions() -> None:
    """Straight code is not interrupted, however long the interval is over; a direct call is special, 7 is not."""
    rows = [
        row(linear(0x1000, 40)),
        row(Block(7, 0x1050, 2)),
        row(linear(0x1054, 2)),
        row(call(0x1058, 2)),
        row(linear(0x2000, 2)),
    ]
    assert reported(rows, **HALF_WORDS) == [("start", 0x2000), NTR]


def test_branches_are_reported_first() -> None:
    """ET-4: the packet before the 3.0 has the address of the instruction before it, and here the branch itself."""
    rows = [row(linear(0x1000, 20)), row(taken(0x1028, 2)), row(linear(0x2000, 2)), row(linear(0x2004, 2))]
    trace = encode([*rows, row(levels=OFF)], **HALF_WORDS)
    assert explained(trace)[2:] == [
        ("before_sync", "T", 0x28), ("resync", "start", 0x2000), ("last", "address", 4), ("ended", *REP),
    ]  # fmt: skip


def test_a_jump_is_reported_first() -> None:
    """ET-14: its target may have been passed before."""
    rows = [row(linear(0x1000, 20)), row(jump(0x1028, 2)), row(linear(0x2000, 2))]
    assert reported(rows, **HALF_WORDS) == [("address", 0x28), ("start", 0x2000), NTR]


def test_an_open_return_is_reported_first() -> None:
    """The call at 0x1000 counts 2, the return ends at 8, the direct jump after it at 16."""
    rows = [row(call(0x1000, 2)), row(ret(0x2000, 6)), row(direct(0x1004, 8)), row(linear(0x3000, 2))]
    assert reported(rows, implicit_return=1, **HALF_WORDS) == [
        ("address", 0x10, ("irdepth", 0)),
        ("start", 0x3000),
        NTR,
    ]


def test_not_at_a_trap() -> None:
    """The special instruction is the last before a trap: 3.1 is a sync, and the count begins again."""
    rows = [
        row(linear(0x1000, 20)),
        row(direct(0x1028)),
        row(exception(0x2000)),
        row(direct(0x8000, 4)),
        row(linear(0x9000, 2)),
    ]
    assert reported(rows, **HALF_WORDS) == [
        ("address", 0x28), ("trap", "exception", 0, 1, 0x8000), ("address", 0x1000), REP,
    ]  # fmt: skip


def test_sync_is_not_followed_by_a_sync() -> None:
    """An instruction that is a 3.0 itself asks for no other: the first of each pair of jumps is."""
    rows = [row(direct(0x1000 + 0x100 * n, 20)) for n in range(3)]
    assert reported(rows, **HALF_WORDS) == [("start", 0x1100), ("start", 0x1200), ("address", 0x24), REP]
    rows = [row(Block(15, 0x1000 + 0x100 * n, 2), cycle=20 * n + 1) for n in range(6)]
    assert reported(rows, **CYCLES) == [("start", 0x1200), ("start", 0x1400), ("address", 0x100), REP]


def test_interval() -> None:
    """inst_sync_max 2: 64."""
    rows = [row(direct(0x1000 + 0x100 * n, 16)) for n in range(6)]
    assert reported(rows, inst_sync_mode=3, inst_sync_max=2) == [("start", 0x1400), ("address", 0x11C), REP]
