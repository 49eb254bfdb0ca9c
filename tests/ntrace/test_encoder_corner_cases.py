# SPDX-License-Identifier: Apache-2.0
"""The encoder model against table 26 and ruling NT-12: traps, starts and stops that meet."""

from __future__ import annotations

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    DEBUG_OFF,
    OFF,
    ON,
    Block,
    Row,
    each,
    encode,
    exception,
    explained,
    interrupt,
    jump,
    linear,
    row,
    taken,
)

FROM_DEBUG = row(levels=DEBUG)
START_5 = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
START_3 = ("NT.8.5.sync3", "ProgTraceSync", 3, 0, 0x80)
RETURNS = [Block(13, 0x100, 2), Block(13, 0x200, 1), linear(0x300, 2)]

TABLE_26: dict[str, tuple[list[Row], list[tuple]]] = {
    "back to back return": (
        each(RETURNS),
        [
            START_5,
            ("NT.2.return", "IndirectBranch", 0, 2, 0x180),
            ("NT.2.return", "IndirectBranch", 0, 1, 0x80),
        ],
    ),
    "back to back exceptions": (
        each([exception(0x100, 4), exception(0x800), linear(0x800, 2)]),
        [
            START_5,
            ("NT.2.exception", "IndirectBranch", 2, 4, 0x480),
            ("NT.8.6.back_to_back_traps", "IndirectBranch", 2, 0, 0),
        ],
    ),
    "exception at interrupt destination": (
        each([interrupt(0x100, 4), exception(0x800), linear(0x900, 2)]),
        [
            START_5,
            ("NT.2.interrupt", "IndirectBranch", 3, 4, 0x480),
            ("NT.8.6.back_to_back_traps", "IndirectBranch", 2, 0, 0x80),
        ],
    ),
    "pending interrupt at start of hart": (
        [FROM_DEBUG, *each([interrupt(0x100), linear(0x800, 2)])],
        [START_3, ("NT.8.6.trap_at_start", "IndirectBranch", 3, 0, 0x480)],
    ),
    "exception at first instruction traced": (
        [FROM_DEBUG, *each([exception(0x100), linear(0x800, 2)])],
        [START_3, ("NT.8.6.trap_at_start", "IndirectBranch", 2, 0, 0x480)],
    ),
    "hart stops with trace disabled": (
        [row(levels=OFF), row(linear(0x100, 2), levels=OFF), row(levels=DEBUG_OFF)],
        [("NT.8.6.stop_while_off", "ProgTraceCorrelation", 0, 1, 0, 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE_26)
@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_table_26(case: str, variant: str) -> None:
    rows, expected = TABLE_26[case]
    assert explained(encode(rows, variant=variant)) == expected


@pytest.mark.parametrize("variant, sent", [("rc7", 1), ("v1_0", 0)])
def test_table_26_trace_starts_disabled(variant: str, sent: int) -> None:
    """Debug exit with tracing off is reported in rc7 only; enabling it later is SYNC=5 in both."""
    rows = [row(levels=DEBUG_OFF), row(levels=OFF), row(linear(0x100, 2), levels=ON)]
    marker = ("NT.8.6.start_while_off", "ProgTraceCorrelation", 4, 1, 0, 1)
    assert explained(encode(rows, variant=variant)) == [marker] * sent + [START_5]


def test_trap_at_a_target() -> None:
    """NT-12: the jump with the trapping address, then the trap against it with I-CNT=0."""
    rows = each([jump(0x100, 2), exception(0x200), linear(0x800, 2)])
    assert explained(encode(rows))[1:] == [
        ("NT.2.uninferable_jump", "IndirectBranch", 0, 2, 0x180),
        ("NT-12", "IndirectBranch", 2, 0, 0x500),
    ]
    rows = each([taken(0x100, 2), exception(0x200), linear(0x800, 2)])
    assert explained(encode(rows, mode="btm"))[1:] == [
        ("NT.7.2.direct_branch", "DirectBranch", 2),
        ("NT-12", "IndirectBranch", 2, 0, 0x480),  # DirectBranch left the reference at 0x100
    ]
