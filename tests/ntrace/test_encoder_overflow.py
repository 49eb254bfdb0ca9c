# SPDX-License-Identifier: Apache-2.0
"""The encoder model against docs/reference/ntrace-profile.md: messages lost in a full queue, Error and SYNC=7."""

from __future__ import annotations

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    DEBUG_OFF,
    OFF,
    Row,
    encode,
    exception,
    explained,
    jump,
    linear,
    not_taken,
    plain,
    row,
)

START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
ERROR = ("NT.7.4.error", "Error", 0, 4)
ERROR_ALONE = ("NT.7.4.error_alone", "Error", 0, 4)
RESTART = ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x108)
STOP = ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 2, 0b10)

FIRST = row(not_taken(0x100, 3))
LOSE = [FIRST, row(jump(0x106, 2)), row(linear(0x200, 2), drop=1)]  # the jump's message finds no room
BACK = row(not_taken(0x210, 2))
END = row(levels=OFF)


def test_lost_and_back() -> None:
    """Nothing until there is room and a block: Error, SYNC=7; I-CNT and HIST begin with that block."""
    rows = [*LOSE, row(jump(0x204, 2), drop=1), row(linear(0x20C, 2), drop=1), row(), BACK, END]
    trace = encode(rows)
    assert explained(trace) == [START, ERROR, RESTART, STOP]
    assert trace.beat == [1, 7, 7, 8]


def test_no_message_no_loss() -> None:
    """Blocks taken without room, but without a message, are not lost."""
    rows = [FIRST, row(linear(0x106, 2), drop=1), row(not_taken(0x10A, 2), drop=1), END]
    assert explained(encode(rows)) == [START, (*STOP[:4], 7, 0b100)]


def test_restart_is_the_reference() -> None:
    rows = [*LOSE, row(jump(0x210, 2)), row(linear(0x300, 2))]
    assert plain(encode(rows))[-1] == ("IndirectBranch", 0, 2, (0x210 ^ 0x300) >> 1)


def test_start_lost() -> None:
    assert explained(encode([row(linear(0x100, 2), drop=1), BACK, END])) == [ERROR, RESTART, STOP]


@pytest.mark.parametrize("levels, next_start", [(OFF, 5), (DEBUG, 3)])
def test_stop_lost(levels: tuple, next_start: int) -> None:
    """Error alone as soon as there is room; the next start is an ordinary one."""
    rows = [FIRST, row(levels=levels, drop=1), row(levels=levels, drop=1), row(levels=levels), BACK]
    trace = encode(rows)
    assert explained(trace)[:2] == [START, ERROR_ALONE]
    assert plain(trace)[2:] == [("ProgTraceSync", next_start, 0, 0x108)]
    assert trace.beat == [1, 4, 5]


def test_stop_while_lost() -> None:
    """No correlation for a stop that is found while lost, in the same beat as the Error or before."""
    assert explained(encode([*LOSE, END, END])) == [START, ERROR_ALONE]


def test_stop_and_start_while_lost() -> None:
    """Without room for all that time it is a restart after overrun, not SYNC=5 or 3."""
    for gap in (OFF, DEBUG):
        rows = [*LOSE, row(levels=gap, drop=1), row(linear(0x300, 2), drop=1), BACK, END]
        assert explained(encode(rows)) == [START, ERROR, RESTART, STOP]


def test_start_while_lost_without_room() -> None:
    """Lost at the stop, room again in the beat of the next start, which waits for a block."""
    rows = [FIRST, row(levels=OFF, drop=1), row(), BACK, END]
    assert explained(encode(rows)) == [START, ERROR, RESTART, STOP]


def test_marker_lost() -> None:
    """A marker can be lost; after the Error that reports it no marker may come, only a sync (NT-14)."""
    rows: list[Row] = [row(levels=OFF), row(levels=DEBUG_OFF, drop=1), row(levels=OFF), row(levels=DEBUG_OFF)]
    assert explained(encode(rows, variant="rc7")) == [ERROR_ALONE]


def test_second_loss_after_an_error_alone() -> None:
    """Error alone, then the next start is lost as well: one Error, and the sync comes right after it (NT-14)."""
    rows = [*LOSE, END, row(linear(0x300, 2), drop=1), BACK, END]
    assert explained(encode(rows)) == [START, ERROR_ALONE, RESTART, STOP]


def test_empty_trace_after_an_error_alone() -> None:
    """Tracing that rises and falls without a block sends no correlation after an Error (NT-14)."""
    rows = [*LOSE, END, row(), END]
    assert explained(encode(rows)) == [START, ERROR_ALONE]


def test_whole_beat_lost() -> None:
    """Lane 1 makes the message, lane 0 goes with it; the restart takes lane 0, lane 1 goes on as usual."""
    rows = [
        row(not_taken(0x100, 3), jump(0x106, 2)),
        row(linear(0x200, 2), linear(0x204, 2), drop=1),
        row(jump(0x210, 2), not_taken(0x300, 2)),
        END,
    ]
    jumped = ("NT.2.uninferable_jump", "IndirectBranch", 0, 2, (0x210 ^ 0x300) >> 1)
    assert explained(encode(rows, blocks=2)) == [START, ERROR, RESTART, jumped, STOP]


def test_trap_at_restart() -> None:
    rows = [*LOSE, row(exception(0x210)), row(linear(0x800, 2))]
    trap = ("NT.8.6.trap_at_start", "IndirectBranch", 2, 0, (0x210 ^ 0x800) >> 1)
    assert explained(encode(rows)) == [START, ERROR, RESTART, trap]


def test_nothing_after_the_last_loss() -> None:
    """The stream may end while lost."""
    assert explained(encode([*LOSE, row(drop=1)])) == [START]


def test_restart_begins_the_sync_interval() -> None:
    rows = [*LOSE, row(linear(0x210, 2), cycle=50), row(linear(0x214, 2), cycle=65), row(linear(0x218, 2))]
    assert plain(encode(rows, inst_sync_mode=2))[2:] == [RESTART[1:], ("ProgTraceSync", 2, 4, 0x10C)]
