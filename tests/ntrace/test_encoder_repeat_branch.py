# SPDX-License-Identifier: Apache-2.0
"""The encoder model's RepeatBranch (section 7.11, NT-6): what is counted, what ends the run."""

from __future__ import annotations

import pytest

from tests.ntrace.encoder_stream import (
    OFF,
    Block,
    each,
    encode,
    exception,
    explained,
    jump,
    linear,
    not_taken,
    plain,
    row,
    taken,
)

END = row(levels=OFF)
BTM = {"mode": "btm", "repeat_branch": 1}
STOP = ("ProgTraceCorrelation", 4, 0, 2)
AGAIN = taken(0x100, 2)  # a loop of one branch
OUT = not_taken(0x100, 2)


def test_loop() -> None:
    """Four taken branches: one message and three repeats; the last one falls through."""
    assert explained(encode([*each([AGAIN] * 4 + [OUT]), END], **BTM))[1:] == [
        ("NT.7.2.direct_branch", "DirectBranch", 2),
        ("NT.7.11.repeat", "RepeatBranch", 3),
        ("NT.7.12.trace_off", *STOP),
    ]


def test_off() -> None:
    trace = encode([*each([AGAIN] * 3 + [OUT]), END], mode="btm")
    assert plain(trace)[1:] == [*[("DirectBranch", 2)] * 3, STOP]


def test_bcnt_is_split() -> None:
    """B-CNT of 2 bits: the third repeat is reported at once, and the next branch is a message again."""
    trace = encode([*each([AGAIN] * 6 + [OUT]), END], repeat_bits=2, **BTM)
    assert explained(trace)[1:] == [
        ("NT.7.2.direct_branch", "DirectBranch", 2),
        ("NT.V.hrepeat", "RepeatBranch", 3),
        ("NT.7.2.direct_branch", "DirectBranch", 2),
        ("NT.7.11.repeat", "RepeatBranch", 1),
        ("NT.7.12.trace_off", *STOP),
    ]
    # Row 0 has reset levels: branch n is in row n, and reported by row n + 1.
    assert trace.beat[1:] == [2, 5, 6, 8, 8]


@pytest.mark.parametrize(
    "blocks, reported",
    [
        ([AGAIN, taken(0x100, 3), OUT], [("DirectBranch", 2), ("DirectBranch", 3)]),  # I-CNT
        ([AGAIN, AGAIN, linear(0x200, 2)], [("DirectBranch", 2), ("DirectBranch", 2)]),  # target
        ([AGAIN, jump(0x100, 2), linear(0x100, 2)], [("DirectBranch", 2), ("IndirectBranch", 0, 2, 0)]),  # TCODE
        ([jump(0x100, 2), exception(0x100, 2), linear(0x100, 2)],
         [("IndirectBranch", 0, 2, 0), ("IndirectBranch", 2, 2, 0)]),  # B-TYPE
    ],
)  # fmt: skip
def test_what_must_be_equal(blocks: list[Block], reported: list[tuple]) -> None:
    assert plain(encode([*each(blocks), END], **BTM))[1:] == [*reported, STOP]


def test_history_must_be_equal() -> None:
    """HTM: a taken branch and a jump back, twice, then with a branch not taken."""
    turn = [taken(0x100, 1), jump(0x180, 2)]
    rows = each([*turn, *turn, not_taken(0x100, 1), jump(0x102, 2), linear(0x100, 2)])
    assert plain(encode([*rows, END], repeat_branch=1))[1:] == [
        ("IndirectBranchHist", 0, 3, 0, 0b11),
        ("RepeatBranch", 1),
        ("IndirectBranchHist", 0, 3, 0, 0b10),
        ("ProgTraceCorrelation", 4, 1, 2, 1),
    ]


def test_jump_in_place() -> None:
    """HTM with empty HIST: the jump to the reference has U-ADDR=0 and may be repeated."""
    rows = [*each([jump(0x100, 2)] * 3 + [linear(0x100, 2)]), END]
    assert plain(encode(rows, repeat_branch=1))[1:-1] == [("IndirectBranch", 0, 2, 0), ("RepeatBranch", 2)]


def test_another_uaddr_is_never_repeated() -> None:
    """NT-6: jumps to and fro have the same fields, but readings differ on what a repeat of them means."""
    rows = each([jump(0x100, 2), jump(0x200, 2), jump(0x100, 2), linear(0x200, 2)])
    assert plain(encode(rows, repeat_branch=1))[1:] == [("IndirectBranch", 0, 2, 0x180)] * 3


def test_first_arrival_is_not_repeated() -> None:
    """The jump that comes to 0x200 has a U-ADDR; the first jump from there to there is a message, the second is
    counted.
    """
    rows = [*each([jump(0x100, 2), *[jump(0x200, 2)] * 2, linear(0x200, 2)]), END]
    assert plain(encode(rows, repeat_branch=1))[1:-1] == [
        ("IndirectBranch", 0, 2, 0x180),
        ("IndirectBranch", 0, 2, 0),
        ("RepeatBranch", 1),
    ]


def test_traps_are_repeated() -> None:
    """An exception whose handler is the instruction itself; with Ownership each one is reported."""
    rows = [*each([exception(0x100)] * 3 + [linear(0x100, 2)]), END]
    assert plain(encode(rows, repeat_branch=1))[1:-1] == [("IndirectBranch", 2, 0, 0), ("RepeatBranch", 2)]
    reported = plain(encode(rows, repeat_branch=1, ownership=1))[2:-1]
    assert reported == [("IndirectBranch", 2, 0, 0), ("Ownership", 0b0_11_00)] * 3
