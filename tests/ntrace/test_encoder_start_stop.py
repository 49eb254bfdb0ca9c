# SPDX-License-Identifier: Apache-2.0
"""The encoder model against docs/reference/ntrace-profile.md, steps 1 to 3: tracing starts and stops."""

from __future__ import annotations

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    DEBUG_OFF,
    OFF,
    RESET,
    Block,
    each,
    encode,
    exception,
    explained,
    jump,
    linear,
    plain,
    row,
    taken,
)

START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
FIRST = linear(0x100, 2)


@pytest.mark.parametrize(
    "levels, evcode, clause",
    [(OFF, 4, "NT.7.12.trace_off"), (DEBUG, 0, "NT.7.12.debug_entry"), (DEBUG_OFF, 0, "NT.7.12.debug_entry"),
     (RESET, 4, "NT.7.12.trace_off")],
)  # fmt: skip
@pytest.mark.parametrize("mode, tail", [("btm", (0, 2)), ("htm", (1, 2, 1))])
def test_stop(levels: tuple, evcode: int, clause: str, mode: str, tail: tuple) -> None:
    """EVCODE distinguishes debug entry from disabling; HIST only in HTM, there even if empty (7.12, NT-8)."""
    trace = encode([row(FIRST), row(levels=levels)], mode=mode)
    assert explained(trace) == [START, (clause, "ProgTraceCorrelation", evcode, *tail)]


def test_stop_without_a_block() -> None:
    """Tracing that saw no block has no start, but its stop is reported; the next start is as usual."""
    trace = encode([row(), row(levels=OFF), row(FIRST)])
    assert plain(trace) == [("ProgTraceCorrelation", 4, 1, 0, 1), START[1:]]


def test_stop_after_a_taken_branch() -> None:
    """BTM: the DirectBranch, then I-CNT=0 (NT-13); HTM needs no extra message."""
    rows = [row(taken(0x100, 3)), row(levels=OFF)]
    assert explained(encode(rows, mode="btm"))[1:] == [
        ("NT-13", "DirectBranch", 3),
        ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 0, 0),
    ]
    assert plain(encode(rows))[1:] == [("ProgTraceCorrelation", 4, 1, 3, 0b11)]


@pytest.mark.parametrize("block", [jump(0x100, 2), exception(0x100, 2)])
@pytest.mark.parametrize("mode, tail", [("btm", (0, 2)), ("htm", (1, 2, 1))])
def test_stop_before_a_target(block: Block, mode: str, tail: tuple) -> None:
    """The correlation alone closes an open jump; a trap without a handler instruction is not reported."""
    trace = encode([row(block), row(levels=DEBUG), row(FIRST)], mode=mode)
    assert explained(trace)[1] == ("NT.7.12.open_target", "ProgTraceCorrelation", 0, *tail)
    assert plain(trace)[2] == ("ProgTraceSync", 3, 0, 0x80)


@pytest.mark.parametrize("before, sync", [(RESET, 5), (OFF, 5), (DEBUG, 3), (DEBUG_OFF, 3)])
def test_start(before: tuple, sync: int) -> None:
    """SYNC=3 out of Debug Mode whatever was enabled, else 5 (NT-2); sent with the first block only."""
    assert plain(encode([row(levels=before), row(), row(FIRST)]))[-1] == ("ProgTraceSync", sync, 0, 0x80)


@pytest.mark.parametrize("was, now", [((1, 0, 0), (1, 1, 1)), ((1, 0, 0), (0, 0, 1)), ((0, 0, 0), (1, 0, 1)),
                                      ((0, 0, 0), (0, 0, 1))])  # fmt: skip
def test_no_marker_unless_only_tracing_is_off(was: tuple, now: tuple) -> None:
    """Debug entry with inst_tracing on, or without the encoder enabled before and after (step 2)."""
    assert plain(encode([row(levels=was), row(levels=now)], variant="rc7")) == []


def test_only_traced_blocks_count() -> None:
    rows = [*each([FIRST, jump(0x104, 2)], levels=OFF), row(FIRST), row(levels=OFF), row(FIRST, levels=OFF)]
    assert plain(encode(rows)) == [START[1:], ("ProgTraceCorrelation", 4, 1, 2, 1)]
