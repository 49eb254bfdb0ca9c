# SPDX-License-Identifier: Apache-2.0
"""The encoder model with filters (NT-13): what ends a qualified stretch, what begins one, watchpoints."""

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    HART_RESET,
    OFF,
    SLEEP,
    Block,
    encode,
    exception,
    jump,
    linear,
    not_taken,
    ret,
    row,
    sends,
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
    rows = [last, OUT, jump(0x404, 2), OUT, IN]
    sends(rows, [START, *reported, ENTER], mode=mode, variant=variant, **ONLY)


STOP = ("ProgTraceCorrelation", 4, 1, 2, 1)
DEBUG_ENTRY, SLEEPS = ("ProgTraceCorrelation", 0), ("ProgTraceCorrelation", 1)
AGAIN = linear(0x210, 2)
WATCH: dict[str, Any] = {"filter": "watch=0x104"}
WATCHED, MARK = [linear(0x100, 2), linear(0x104, 2), linear(0x108, 2)], ("NT.8.5.sync6", "ProgTraceSync", 6, 4, 0x84)

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "lane 1 is left out, lane 0 of the next beat comes in again: its block alone counts": (
        [row(IN, OUT), row(linear(0x208, 2), linear(0x20C, 2)), row(levels=OFF)],
        [START, STOP, ("ProgTraceSync", 5, 0, 0x104), ("ProgTraceCorrelation", 4, 1, 4, 1)], ONLY | {"blocks": 2},
    ),
    "a start that was never reported is not stopped either": ([OUT, row(levels=OFF)], [], ONLY),
    # Entry into Debug Mode and low power is reported although nothing is traced, with I-CNT=0.
    "debug outside": (
        [IN, OUT, row(levels=DEBUG), IN], [START, STOP, (*DEBUG_ENTRY, 1, 0, 1), ("ProgTraceSync", 3, 0, 0x100)], ONLY,
    ),
    "sleep outside": (
        [IN, OUT, row(levels=SLEEP), IN], [START, STOP, (*SLEEPS, 1, 0, 1), ("ProgTraceSync", 9, 0, 0x100)], ONLY,
    ),
    "debug where nothing was traced": (
        [OUT, row(levels=DEBUG), OUT], [(*DEBUG_ENTRY, 0, 0)], ONLY | {"mode": "btm"},
    ),
    "sleep where nothing was traced": ([OUT, row(levels=SLEEP), OUT], [(*SLEEPS, 0, 0)], ONLY | {"mode": "btm"}),
    "debug exit into code that is left out: the start that comes later is the filter's, SYNC=5": (
        [row(levels=DEBUG), OUT, IN], [ENTER], ONLY,
    ),
    "a reset that is not traced leaves nothing pending": ([OUT, row(levels=HART_RESET), OUT, IN], [ENTER], ONLY),
    "entering empties the stack: the call was traced before the gap, its return is reported": (
        [Block(9, 0x200, 2), OUT, ret(0x280, 1), linear(0x204, 1)],
        [START, STOP, ("ProgTraceSync", 5, 0, 0x140), ("IndirectBranch", 0, 1, (0x280 ^ 0x204) >> 1)],
        ONLY | {"implicit_return": 3},
    ),
    "a watchpoint: SYNC=6 after the block at the address": (WATCHED, [..., MARK], WATCH),
    "while messages are lost, leaving and entering say nothing; lane 0 is left out, lane 1 restarts": (
        [IN, row(jump(0x200, 2), AGAIN, drop=1), row(OUT, OUT), row(OUT, AGAIN), row(linear(0x214, 2), OUT)],
        [START, ("NT.7.4.error", "Error", 0, 4), ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x108),
         ("NT-13", "ProgTraceCorrelation", 4, 1, 4, 1)], ONLY | {"blocks": 2},
    ),
    "Ownership after entering": (
        [IN, OUT, IN._replace(context=7)], [START, ..., STOP, ENTER, ("Ownership", 7 << 5 | 0b0_11_10)],
        ONLY | {"ownership": 1},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


def test_half_words_outside_do_not_count() -> None:
    """Sync every 16 half-words: 8 and 8 inside, the 100 between them are nobody's."""
    rows = [linear(0x200, 8), linear(0x400, 100), linear(0x210, 8), linear(0x220, 8), linear(0x230, 8)]
    trace = encode(rows, inst_sync_mode=3, **ONLY)
    assert [m.get("sync") for m in trace.messages] == [5, None, 5, 2]
    assert trace.beat == [1, 2, 3, 5]


def test_watchpoint_in_the_same_beat() -> None:
    """If it has one more block."""
    assert sends([WATCHED[0], row(*WATCHED[1:])], [..., MARK], blocks=2, **WATCH).beat == [1, 2]


def test_watchpoint_outside() -> None:
    trace = encode([IN, OUT, IN, linear(0x204, 2)], filter="iaddr=0x200..0x2ff;watch=0x400")
    assert [m.get("sync") for m in trace.messages] == [5, None, 5]
