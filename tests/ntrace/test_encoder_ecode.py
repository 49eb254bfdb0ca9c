# SPDX-License-Identifier: Apache-2.0
"""The encoder model's ECODE (section 7.4): what a loss says was lost, with Ownership and vendor-defined messages."""

from __future__ import annotations

from typing import Any

import pytest

from tests.ntrace.encoder_stream import OFF, RESET, Row, each, encode, explained, jump, linear, plain, row, taken

PROGRAM, OWNERSHIP, VENDOR = 0x04, 0x08, 0x80
END = row(levels=OFF)
ON: dict[str, Any] = {"ownership": 1}
FIRST, AGAIN = row(linear(0x100, 2)), row(linear(0x108, 2))
USER = linear(0x104, 2)._replace(priv=0)

LOSSES: list[tuple[str, list[Row], int]] = [
    ("the trap and its Ownership", [row(jump(0x100, 2)), row(USER, drop=1)], PROGRAM | OWNERSHIP),
    ("only Ownership", [FIRST, row(USER, drop=1)], PROGRAM | OWNERSHIP),
    ("only a vendor's", [FIRST, row(drop=1, vendor=60)], PROGRAM | VENDOR),
    ("a vendor's and Ownership", [FIRST, row(USER, drop=1, vendor=60)], PROGRAM | OWNERSHIP | VENDOR),
    ("a vendor's while lost", [FIRST, row(drop=1, levels=OFF), row(drop=1, vendor=60, levels=OFF)], PROGRAM | VENDOR),
    (
        "a vendor's while lost, room but no block",
        [row(jump(0x100, 2)), row(linear(0x200, 2), drop=1), row(vendor=60)],
        PROGRAM | VENDOR,
    ),
    (
        "a vendor's while disabled is none",
        [FIRST, row(drop=1, levels=OFF), row(drop=1, vendor=60, levels=RESET)],
        PROGRAM,
    ),
]


@pytest.mark.parametrize("what, rows, ecode", LOSSES, ids=[loss[0] for loss in LOSSES])
def test_ecode(what: str, rows: list[Row], ecode: int) -> None:
    clause = "NT.7.4.error" if ecode == PROGRAM else "NT.7.4.ecode"
    trace = encode([*rows, AGAIN], blocks=2, **ON)
    assert explained(trace)[2:] == [
        (clause, "Error", 0, ecode),
        ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x84),
        ("NT.7.1.after_sync", "Ownership", 0b0_11_10),
    ]


def test_start_lost_with_its_ownership() -> None:
    assert plain(encode([row(linear(0x100, 2), drop=1), AGAIN], **ON))[0] == ("Error", 0, PROGRAM | OWNERSHIP)


def test_each_loss_has_its_own_ecode() -> None:
    """The second loss does not report what the first one lost."""
    rows = [FIRST, row(drop=1, vendor=60), AGAIN, row(levels=OFF, drop=1), row(levels=OFF)]
    assert plain(encode(rows)) == [
        ("ProgTraceSync", 5, 0, 0x80),
        ("Error", 0, PROGRAM | VENDOR),
        ("ProgTraceSync", 7, 0, 0x84),
        ("Error", 0, PROGRAM),
    ]


def test_no_vendor_message_after_an_error() -> None:
    """NT-14: with the Error alone, and until a sync, it is discarded; after the sync it is passed."""
    rows = [FIRST, row(jump(0x104, 2)), row(linear(0x200, 2), drop=1), row(levels=OFF, vendor=60)]
    rows += [row(levels=OFF, vendor=60), row(linear(0x300, 2), vendor=60)]
    assert plain(encode(rows))[1:] == [("Error", 0, PROGRAM), ("ProgTraceSync", 5, 0, 0x180), ("Vendor60", 0)]


def test_discarded_message_loses_nothing() -> None:
    """A vendor-defined message that may not follow the Error is not one that found no room."""
    rows = [FIRST, row(levels=OFF, drop=1), END, row(levels=OFF, drop=1, vendor=60), row(linear(0x300, 2))]
    assert plain(encode(rows))[1:] == [("Error", 0, PROGRAM), ("ProgTraceSync", 5, 0, 0x180)]


def test_vendor_message_in_the_restart() -> None:
    rows = [FIRST, row(drop=1, vendor=60), row(linear(0x108, 2), vendor=61)]
    assert plain(encode(rows))[2:] == [("ProgTraceSync", 7, 0, 0x84), ("Vendor61", 0)]


def test_what_is_held_is_lost() -> None:
    """Three branches held back before the loss do not come back; nor do two repeats of a branch."""
    rows = [*each([taken(0x100, 2)] * 3), row(jump(0x100, 2)), row(linear(0x200, 2), drop=1), AGAIN, END]
    reported = plain(encode(rows, repeated_history=1, hist_bits=4))
    stop = ("ProgTraceCorrelation", 4, 1, 2, 1)
    assert reported[1:] == [("Error", 0, PROGRAM), ("ProgTraceSync", 7, 0, 0x84), stop]
    rows[3:4] = [row(taken(0x100, 2)), row(taken(0x100, 3))]
    reported = plain(encode(rows, mode="btm", repeat_branch=1))
    assert [name for name, *_ in reported] == [
        "ProgTraceSync", "DirectBranch", "Error", "ProgTraceSync", "ProgTraceCorrelation",
    ]  # fmt: skip


def test_counting_loses_nothing() -> None:
    """A branch that RepeatBranch counts makes no message: a full queue does not matter."""
    loop = taken(0x100, 2)
    rows = [row(loop), row(loop), row(loop, drop=1), row(loop, drop=1), row(linear(0x100, 2)), END]
    assert plain(encode(rows, mode="btm", repeat_branch=1))[1:] == [
        ("DirectBranch", 2),
        ("RepeatBranch", 3),
        ("ProgTraceCorrelation", 4, 0, 2),
    ]
