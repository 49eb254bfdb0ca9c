# SPDX-License-Identifier: Apache-2.0
"""The encoder model's RepeatBranch (section 7.11): other messages that end a run, or do not."""

from __future__ import annotations

from tests.ntrace.encoder_stream import OFF, each, encode, not_taken, plain, row, taken

END = row(levels=OFF)
BTM = {"mode": "btm", "repeat_branch": 1}
STOP = ("ProgTraceCorrelation", 4, 0, 2)
AGAIN = taken(0x100, 2)  # a loop of one branch
OUT = not_taken(0x100, 2)


def test_owner_change_ends_the_run() -> None:
    """The second repeat lands in another process: it is a message, with Ownership after it."""
    there = AGAIN._replace(context=1)
    rows = [*each([AGAIN, AGAIN, AGAIN, there, OUT._replace(context=1)]), END]
    assert plain(encode(rows, ownership=1, **BTM))[2:] == [
        ("DirectBranch", 2),
        ("RepeatBranch", 1),
        ("DirectBranch", 2),
        ("Ownership", 1 << 5 | 0b0_11_10),
        ("DirectBranch", 2),
        STOP,
    ]


def test_sync_ends_the_run() -> None:
    """A mark: the repeats, then the Sync form, which is not repeated itself."""
    rows = [*each([AGAIN] * 2), row(AGAIN, notify=1), *each([AGAIN, AGAIN, OUT]), END]
    assert plain(encode(rows, **BTM))[1:] == [
        ("DirectBranch", 2),
        ("RepeatBranch", 1),
        ("DirectBranchSync", 6, 2, 0x80),
        ("DirectBranch", 2),
        ("RepeatBranch", 1),
        STOP,
    ]


def test_vendor_message_does_not_end_the_run() -> None:
    rows = [*each([AGAIN] * 2), row(vendor=56, vendor_data=1), *each([AGAIN, OUT]), END]
    assert plain(encode(rows, **BTM))[1:] == [("DirectBranch", 2), ("Vendor56", 1), ("RepeatBranch", 2), STOP]


def test_stop_after_a_taken_branch() -> None:
    """NT-13: the branch that no block followed is reported, never counted."""
    assert plain(encode([*each([AGAIN] * 3), END], **BTM))[1:] == [
        ("DirectBranch", 2),
        ("RepeatBranch", 1),
        ("DirectBranch", 2),
        ("ProgTraceCorrelation", 4, 0, 0),
    ]
