# SPDX-License-Identifier: Apache-2.0
"""The encoder model where messages find a full queue: Error with its ECODE (7.4) and SYNC=7.

docs/reference/ntrace-profile.md: what is lost, with Ownership and vendor-defined messages.
"""

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    DEBUG_OFF,
    OFF,
    RESET,
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

START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
ERROR = ("NT.7.4.error", "Error", 0, 4)
ERROR_ALONE = ("NT.7.4.error_alone", "Error", 0, 4)
RESTART = ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x108)
STOP = ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 2, 0b10)
PROGRAM, OWNERSHIP, VENDOR = 0x04, 0x08, 0x80

FIRST = not_taken(0x100, 3)
LOSE = [FIRST, jump(0x106, 2), row(linear(0x200, 2), drop=1)]  # the jump's message finds no room
BACK, END = not_taken(0x210, 2), row(levels=OFF)
PLAIN, AGAIN = linear(0x100, 2), linear(0x108, 2)
LOST_VENDOR = row(drop=1, vendor=60)
LOOP = taken(0x100, 2)
BTM = {"mode": "btm", "repeat_branch": 1}

CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "blocks taken without room, but without a message, are not lost": (
        [FIRST, row(linear(0x106, 2), drop=1), row(not_taken(0x10A, 2), drop=1), END],
        [START, (*STOP[:4], 7, 0b100)], {},
    ),
    "the restart is the reference": (
        [*LOSE, jump(0x210, 2), linear(0x300, 2)],
        [START, ERROR, RESTART, ("IndirectBranch", 0, 2, (0x210 ^ 0x300) >> 1)], {},
    ),
    "the start is lost": ([row(linear(0x100, 2), drop=1), BACK, END], [ERROR, RESTART, STOP], {}),
    "no correlation for a stop that is found while lost, in the same beat as the Error or before": (
        [*LOSE, END, END], [START, ERROR_ALONE], {},
    ),
    "stop and start while lost, without room for all that time: a restart after overrun, not SYNC=5": (
        [*LOSE, row(levels=OFF, drop=1), row(linear(0x300, 2), drop=1), BACK, END], [START, ERROR, RESTART, STOP], {},
    ),
    "stop and start while lost in Debug Mode: not SYNC=3": (
        [*LOSE, row(levels=DEBUG, drop=1), row(linear(0x300, 2), drop=1), BACK, END], [START, ERROR, RESTART, STOP], {},
    ),
    "lost at the stop, room again in the beat of the next start, which waits for a block": (
        [FIRST, row(levels=OFF, drop=1), row(), BACK, END], [START, ERROR, RESTART, STOP], {},
    ),
    "a marker can be lost; after the Error that reports it no marker may come, only a sync (NT-14)": (
        [END, row(levels=DEBUG_OFF, drop=1), END, row(levels=DEBUG_OFF)], [ERROR_ALONE], {"variant": "rc7"},
    ),
    "Error alone, then the next start is lost as well: one Error, and the sync comes right after it (NT-14)": (
        [*LOSE, END, row(linear(0x300, 2), drop=1), BACK, END], [START, ERROR_ALONE, RESTART, STOP], {},
    ),
    "tracing that rises and falls without a block sends no correlation after an Error (NT-14)": (
        [*LOSE, END, row(), END], [START, ERROR_ALONE], {},
    ),
    # The restart takes lane 0, lane 1 goes on as usual.
    "a whole beat is lost: lane 1 makes the message, lane 0 goes with it": (
        [row(FIRST, jump(0x106, 2)), row(linear(0x200, 2), linear(0x204, 2), drop=1),
         row(jump(0x210, 2), not_taken(0x300, 2)), END],
        [START, ERROR, RESTART, ("NT.2.uninferable_jump", "IndirectBranch", 0, 2, (0x210 ^ 0x300) >> 1), STOP],
        {"blocks": 2},
    ),
    "a trap at the restart": (
        [*LOSE, exception(0x210), linear(0x800, 2)],
        [START, ERROR, RESTART, ("NT.8.6.trap_at_start", "IndirectBranch", 2, 0, (0x210 ^ 0x800) >> 1)], {},
    ),
    "the stream may end while lost": ([*LOSE, row(drop=1)], [START], {}),
    "the restart begins the sync interval": (
        [*LOSE, row(linear(0x210, 2), cycle=50), row(linear(0x214, 2), cycle=65), linear(0x218, 2)],
        [START, ERROR, RESTART, ("ProgTraceSync", 2, 4, 0x10C)], {"inst_sync_mode": 2},
    ),
    "the second loss does not report what the first one lost": (
        [PLAIN, LOST_VENDOR, AGAIN, row(levels=OFF, drop=1), END],
        [START, ("Error", 0, PROGRAM | VENDOR), ("ProgTraceSync", 7, 0, 0x84), ("Error", 0, PROGRAM)], {},
    ),
    "a vendor's message with the Error alone, and until a sync, is discarded; after the sync it is passed (NT-14)": (
        [PLAIN, jump(0x104, 2), row(linear(0x200, 2), drop=1), row(levels=OFF, vendor=60), row(levels=OFF, vendor=60),
         row(linear(0x300, 2), vendor=60)],
        [START, ("Error", 0, PROGRAM), ("ProgTraceSync", 5, 0, 0x180), ("Vendor60", 0)], {},
    ),
    "a vendor's message that may not follow the Error is not one that found no room": (
        [PLAIN, row(levels=OFF, drop=1), END, row(levels=OFF, drop=1, vendor=60), linear(0x300, 2)],
        [START, ("Error", 0, PROGRAM), ("ProgTraceSync", 5, 0, 0x180)], {},
    ),
    "a vendor's message in the restart": (
        [PLAIN, LOST_VENDOR, row(AGAIN, vendor=61)], [START, ..., ("ProgTraceSync", 7, 0, 0x84), ("Vendor61", 0)], {},
    ),
    "three branches held back before the loss do not come back": (
        [LOOP, LOOP, LOOP, jump(0x100, 2), row(linear(0x200, 2), drop=1), AGAIN, END],
        [START, ("Error", 0, PROGRAM), ("ProgTraceSync", 7, 0, 0x84), ("ProgTraceCorrelation", 4, 1, 2, 1)],
        {"repeated_history": 1, "hist_bits": 4},
    ),
    "two repeats of a branch do not come back": (
        [LOOP, LOOP, LOOP, LOOP, taken(0x100, 3), row(linear(0x200, 2), drop=1), AGAIN, END],
        [START, ("DirectBranch", 2), ("Error", 0, PROGRAM), ("ProgTraceSync", 7, 0, 0x84),
         ("ProgTraceCorrelation", 4, 0, 2)], BTM,
    ),
    "a branch that RepeatBranch counts makes no message: a full queue does not matter": (
        [LOOP, LOOP, row(LOOP, drop=1), row(LOOP, drop=1), linear(0x100, 2), END],
        [START, ("DirectBranch", 2), ("RepeatBranch", 3), ("ProgTraceCorrelation", 4, 0, 2)], BTM,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


def test_lost_and_back() -> None:
    """Nothing until there is room and a block: Error, SYNC=7; I-CNT and HIST begin with that block."""
    rows = [*LOSE, row(jump(0x204, 2), drop=1), row(linear(0x20C, 2), drop=1), row(), BACK, END]
    assert sends(rows, [START, ERROR, RESTART, STOP]).beat == [1, 7, 7, 8]


@pytest.mark.parametrize("levels, next_start", [(OFF, 5), (DEBUG, 3)])
def test_stop_lost(levels: tuple, next_start: int) -> None:
    """Error alone as soon as there is room; the next start is an ordinary one."""
    rows = [FIRST, row(levels=levels, drop=1), row(levels=levels, drop=1), row(levels=levels), BACK]
    assert sends(rows, [START, ERROR_ALONE, ("ProgTraceSync", next_start, 0, 0x108)]).beat == [1, 4, 5]


USER = linear(0x104, 2)._replace(priv=0)
LOSSES: dict[str, tuple[list[Any], int]] = {
    "the trap and its Ownership": ([jump(0x100, 2), row(USER, drop=1)], PROGRAM | OWNERSHIP),
    "only Ownership": ([PLAIN, row(USER, drop=1)], PROGRAM | OWNERSHIP),
    "only a vendor's": ([PLAIN, LOST_VENDOR], PROGRAM | VENDOR),
    "a vendor's and Ownership": ([PLAIN, row(USER, drop=1, vendor=60)], PROGRAM | OWNERSHIP | VENDOR),
    "a vendor's while lost": (
        [PLAIN, row(drop=1, levels=OFF), row(drop=1, vendor=60, levels=OFF)], PROGRAM | VENDOR,
    ),
    "a vendor's while lost, room but no block": (
        [jump(0x100, 2), row(linear(0x200, 2), drop=1), row(vendor=60)], PROGRAM | VENDOR,
    ),
    "a vendor's while disabled is none": (
        [PLAIN, row(drop=1, levels=OFF), row(drop=1, vendor=60, levels=RESET)], PROGRAM,
    ),
}  # fmt: skip


@pytest.mark.parametrize("loss", LOSSES)
def test_ecode(loss: str) -> None:
    rows, ecode = LOSSES[loss]
    clause = "NT.7.4.error" if ecode == PROGRAM else "NT.7.4.ecode"
    assert explained(encode([*rows, AGAIN], blocks=2, ownership=1))[2:] == [
        (clause, "Error", 0, ecode),
        ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x84),
        ("NT.7.1.after_sync", "Ownership", 0b0_11_10),
    ]


def test_start_lost_with_its_ownership() -> None:
    rows: list[Any] = [row(PLAIN, drop=1), AGAIN]
    assert plain(encode(rows, ownership=1))[0] == ("Error", 0, PROGRAM | OWNERSHIP)
