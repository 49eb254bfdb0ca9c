# SPDX-License-Identifier: Apache-2.0
"""The encoder model with filters (NT-13): what ends a qualified stretch, what begins one, watchpoints."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    HART_RESET,
    OFF,
    SLEEP,
    Block,
    each,
    encode,
    exception,
    explained,
    jump,
    linear,
    not_taken,
    plain,
    ret,
    row,
    taken,
)

ONLY: dict[str, Any] = {"filter": "iaddr=0x200..0x2ff"}
START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x100)
ENTER = ("NT.4.filters", "ProgTraceSync", 5, 0, 0x100)
IN, OUT = linear(0x200, 2), linear(0x400, 2)

LEAVING: list[tuple[str, Block, list[tuple]]] = [
    ("htm", IN, [("NT-13", "ProgTraceCorrelation", 4, 1, 2, 1)]),
    ("btm", IN, [("NT-13", "ProgTraceCorrelation", 4, 0, 2)]),
    ("htm", taken(0x200, 2), [("NT-13", "ProgTraceCorrelation", 4, 1, 2, 0b11)]),
    ("btm", taken(0x200, 2), [("NT-13", "DirectBranch", 2), ("NT-13", "ProgTraceCorrelation", 4, 0, 0)]),
    ("htm", not_taken(0x200, 2), [("NT-13", "ProgTraceCorrelation", 4, 1, 2, 0b10)]),
    ("htm", jump(0x200, 2), [("NT.7.12.open_target", "ProgTraceCorrelation", 4, 1, 2, 1)]),
    ("btm", exception(0x200, 2), [("NT.7.12.open_target", "ProgTraceCorrelation", 4, 0, 2)]),
]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("mode, last, reported", LEAVING)
def test_leaving_and_entering(mode: str, last: Block, reported: list[tuple], variant: str) -> None:
    """Up to the last qualified instruction; entering is a start. The blocks between are not reported."""
    rows = each([last, OUT, jump(0x404, 2), OUT, IN])
    assert explained(encode(rows, mode=mode, variant=variant, **ONLY)) == [START, *reported, ENTER]


def test_leaving_in_one_beat() -> None:
    """Lane 1 is left out, lane 0 of the next beat comes in again: its block alone counts."""
    rows = [row(IN, OUT), row(linear(0x208, 2), linear(0x20C, 2)), row(levels=OFF)]
    assert plain(encode(rows, blocks=2, **ONLY)) == [
        START[1:],
        ("ProgTraceCorrelation", 4, 1, 2, 1),
        ("ProgTraceSync", 5, 0, 0x104),
        ("ProgTraceCorrelation", 4, 1, 4, 1),
    ]


def test_nothing_qualified() -> None:
    """A start that was never reported is not stopped either."""
    assert plain(encode([row(OUT), row(levels=OFF)], **ONLY)) == []


@pytest.mark.parametrize("levels, evcode, sync", [(DEBUG, 0, 3), (SLEEP, 1, 9)])
def test_debug_and_sleep_outside(levels: tuple, evcode: int, sync: int) -> None:
    """Entry into Debug Mode and low power is reported although nothing is traced, with I-CNT=0."""
    rows = [row(IN), row(OUT), row(levels=levels), row(IN)]
    assert plain(encode(rows, **ONLY))[2:] == [
        ("ProgTraceCorrelation", evcode, 1, 0, 1),
        ("ProgTraceSync", sync, 0, 0x100),
    ]
    rows = [row(OUT), row(levels=levels), row(OUT)]
    assert plain(encode(rows, mode="btm", **ONLY)) == [("ProgTraceCorrelation", evcode, 0, 0)]


def test_start_outside() -> None:
    """Debug exit into code that is left out: the start that comes later is the filter's, SYNC=5."""
    assert explained(encode([row(levels=DEBUG), row(OUT), row(IN)], **ONLY)) == [ENTER]


def test_reset_outside() -> None:
    """A reset that is not traced leaves nothing pending."""
    assert explained(encode([row(OUT), row(levels=HART_RESET), row(OUT), row(IN)], **ONLY)) == [ENTER]


def test_entering_empties_the_stack() -> None:
    """The call was traced before the gap: its return is reported."""
    rows = each([Block(9, 0x200, 2), OUT, ret(0x280, 1), linear(0x204, 1)])
    assert plain(encode(rows, implicit_return=3, **ONLY))[2:] == [
        ("ProgTraceSync", 5, 0, 0x140),
        ("IndirectBranch", 0, 1, (0x280 ^ 0x204) >> 1),
    ]


def test_half_words_outside_do_not_count() -> None:
    """Sync every 16 half-words: 8 and 8 inside, the 100 between them are nobody's."""
    rows = each([linear(0x200, 8), linear(0x400, 100), linear(0x210, 8), linear(0x220, 8), linear(0x230, 8)])
    trace = encode(rows, inst_sync_mode=3, **ONLY)
    assert [m.get("sync") for m in trace.messages] == [5, None, 5, 2]
    assert trace.beat == [1, 2, 3, 5]


def test_watchpoint() -> None:
    """SYNC=6 after the block at the address, in the same beat if it has one more."""
    watch: dict[str, Any] = {"filter": "watch=0x104"}
    blocks = [linear(0x100, 2), linear(0x104, 2), linear(0x108, 2)]
    expected = ("NT.8.5.sync6", "ProgTraceSync", 6, 4, 0x84)
    assert explained(encode(each(blocks), **watch))[1:] == [expected]
    trace = encode([row(blocks[0]), row(*blocks[1:])], blocks=2, **watch)
    assert explained(trace)[1:] == [expected] and trace.beat == [1, 2]


def test_watchpoint_outside() -> None:
    rows = each([IN, OUT, IN, linear(0x204, 2)])
    trace = encode(rows, filter="iaddr=0x200..0x2ff;watch=0x400")
    assert [m.get("sync") for m in trace.messages] == [5, None, 5]


def test_restart_waits_for_a_qualified_block() -> None:
    """While messages are lost, leaving and entering say nothing; lane 0 is left out, lane 1 restarts."""
    again = linear(0x210, 2)
    rows = [row(IN), row(jump(0x200, 2), again, drop=1), row(OUT, OUT), row(OUT, again), row(linear(0x214, 2), OUT)]
    assert explained(encode(rows, blocks=2, **ONLY))[1:] == [
        ("NT.7.4.error", "Error", 0, 4),
        ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x108),
        ("NT-13", "ProgTraceCorrelation", 4, 1, 4, 1),
    ]


def test_ownership_after_entering() -> None:
    rows = each([IN, OUT, IN._replace(context=7)])
    assert plain(encode(rows, ownership=1, **ONLY))[3:] == [ENTER[1:], ("Ownership", 7 << 5 | 0b0_11_10)]
