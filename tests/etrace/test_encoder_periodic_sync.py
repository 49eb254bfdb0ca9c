# SPDX-License-Identifier: Apache-2.0
"""The encoder model: resynchronization in its three units (ET-4). Profile: Resync count, resync_next, rule 4."""

from typing import Any

import pytest

from tests.etrace.encoder_stream import NTR, REP, sends
from tests.ntrace.encoder_stream import OFF, Block, call, exception, jump, linear, ret, row, taken

PACKETS, CYCLES, HALF_WORDS = ({"inst_sync_mode": mode, "inst_sync_max": 0} for mode in (1, 2, 3))  # the interval is 16
END = row(levels=OFF)


def direct(iaddr: int, iretire: int = 2) -> Block:
    return Block(15, iaddr, iretire)


LONG, TO_2000 = linear(0x1000, 20), [linear(0x2000, 2), linear(0x2004, 2)]
JUMPS = [jump(0x1000 + 0x10 * n, 2) for n in range(20)]

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    # With the 17th the count is 16, and it is a jump: its packet has updiscon.
    "jumps in a row: 16 targets reported after the 3.0, the 17th, then 3.0": (
        JUMPS,
        [*[("address", 0x10)] * 16, ("address", 0x10, "updiscon"), ("start", 0x1120), ("address", 0x10), NTR], PACKETS,
    ),
    # The packets of an instruction count after it.
    "3.2 counts as well: 15 targets, then a 3.2 with a target that is no jump, a direct jump, and 3.0": (
        [*JUMPS[:15], row(linear(0x10F0, 2), ctype=1), direct(0x10F4), *TO_2000],
        [*[("address", 0x10)] * 14, ("context", 0), ("address", 0x10), ("start", 0x2000), ("address", 4), REP], PACKETS,
    ),
    "half-words within one block": ([direct(0x1000, 16), linear(0x2000, 2)], [("start", 0x2000), NTR], HALF_WORDS),
    "straight code is not interrupted, however long the interval is over; a direct call is special, 7 is not": (
        [linear(0x1000, 40), Block(7, 0x1050, 2), linear(0x1054, 2), call(0x1058, 2), linear(0x2000, 2)],
        [("start", 0x2000), NTR], HALF_WORDS,
    ),
    "the packet before the 3.0 has the address of the instruction before it, here the branch itself (ET-4)": (
        [LONG, taken(0x1028, 2), *TO_2000],
        [("before_sync", "T", 0x28), ("resync", "start", 0x2000), ("last", "address", 4), ("ended", *REP)], HALF_WORDS,
    ),
    "a jump is reported first: its target may have been passed before (ET-14)": (
        [LONG, jump(0x1028, 2), linear(0x2000, 2)], [("address", 0x28), ("start", 0x2000), NTR], HALF_WORDS,
    ),
    # The call at 0x1000 counts 2, the return ends at 8, the direct jump after it at 16.
    "an open return is reported first": (
        [call(0x1000, 2), ret(0x2000, 6), direct(0x1004, 8), linear(0x3000, 2)],
        [("address", 0x10, ("irdepth", 0)), ("start", 0x3000), NTR], HALF_WORDS | {"implicit_return": 1},
    ),
    "the special instruction is the last before a trap: 3.1 is a sync, and the count begins again": (
        [LONG, direct(0x1028), exception(0x2000), direct(0x8000, 4), linear(0x9000, 2)],
        [("address", 0x28), ("trap", "exception", 0, 1, 0x8000), ("address", 0x1000), REP], HALF_WORDS,
    ),
    "an instruction that is a 3.0 itself asks for no other: the first of each pair of jumps is": (
        [direct(0x1000 + 0x100 * n, 20) for n in range(3)],
        [("start", 0x1100), ("start", 0x1200), ("address", 0x24), REP], HALF_WORDS,
    ),
    "the first of each pair of jumps, in cycles": (
        [row(direct(0x1000 + 0x100 * n), cycle=20 * n + 1) for n in range(6)],
        [("start", 0x1200), ("start", 0x1400), ("address", 0x100), REP], CYCLES,
    ),
    "inst_sync_max 2: 64": (
        [direct(0x1000 + 0x100 * n, 16) for n in range(6)], [("start", 0x1400), ("address", 0x11C), REP],
        {"inst_sync_mode": 3, "inst_sync_max": 2},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends([*rows, END], expected, **config)


@pytest.mark.parametrize("cycle, synced", [(16, False), (17, True)])
def test_cycles(cycle: int, synced: bool) -> None:
    """The 3.0 is of cycle 1. A direct jump 16 cycles later makes the next instruction a 3.0, with nothing before it: no
    branch waits.
    """
    rows = [row(linear(0x1000, 2), cycle=1), row(direct(0x1004), cycle=cycle), row(linear(0x2000, 4), cycle=40), END]
    sends(rows, [("start", 0x2000), ("address", 4), REP] if synced else [("address", 0x1004), REP], **CYCLES)


@pytest.mark.parametrize("more, synced", [(0, False), (1, True)])
def test_half_words(more: int, synced: bool) -> None:
    """Both blocks count whole: 6 with the 3.0 in it and 9 or 10 with the jump."""
    rows = [linear(0x1000, 6), direct(0x100C, 9 + more), *TO_2000, END]
    sends(rows, [("start", 0x2000), ("address", 4), REP] if synced else [("address", 0x1004), REP], **HALF_WORDS)
