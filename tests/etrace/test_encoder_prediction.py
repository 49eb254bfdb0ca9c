# SPDX-License-Identifier: Apache-2.0
"""The encoder model with branch prediction (ET-11). Profile: Branches, rule 5, address with `pbc` >= 31."""

from __future__ import annotations

import pytest

from tests.etrace.encoder_stream import NTR, REP, after_start, encode
from tests.ntrace.encoder_stream import OFF, Block, Row, each, exception, jump, linear, not_taken, row, taken

START, LOOP, OUT = row(linear(0x1000, 2)), 0x1004, 0x1100
PREDICTED = {"branch_prediction": 1}
DRAFT = {"branch_prediction": 1, "variant": "draft_0_026"}


def rounds(outcomes: str, at: int = LOOP) -> list[Row]:
    """One and the same branch again and again: T goes back to itself, N falls through to a direct jump back to it."""
    blocks = {"T": [taken(at, 2)], "N": [not_taken(at, 2), Block(15, at + 4, 2)]}
    return each(block for c in outcomes for block in blocks[c])


def test_all_predicted() -> None:
    """An entry begins with 01, not taken: 40 branches not taken are all right. The last instruction has them counted,
    0.0 with branch_fmt 10.
    """
    rows = [START, *rounds("N" * 40), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [("count", 40, 2, OUT - 0x1000), REP]
    assert after_start(encode(rows, **DRAFT)) == [("count", 40, 1), ("address", OUT - 0x1000), REP]


def test_thirty_predicted() -> None:
    """Not enough for a count."""
    rows = [START, *rounds("N" * 30), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [("N" * 30, OUT - 0x1000), REP]


def test_mispredicted() -> None:
    """The 41st is not predicted: 40 counted, no address; it is not counted again."""
    rows = [START, *rounds("N" * 40 + "TN"), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [("count", 40, 0), ("N", OUT - 0x1000), REP]
    assert after_start(encode(rows, **DRAFT)) == [("count", 40, 0), ("N", OUT - 0x1000), REP]


@pytest.mark.parametrize("wrong", [0, 15, 30])
def test_one_of_31(wrong: int) -> None:
    """Not all were right when the map is full: a map. T trains the entry from 00 to 01 only, so that N goes on being
    right.
    """
    outcomes = "NN"[: 2 * (wrong > 0)] + "N" * max(0, wrong - 2) + "T" + "N" * (30 - wrong)
    rows = [START, *rounds(outcomes), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [(outcomes,), ("address", OUT - 0x1000), REP]


@pytest.mark.parametrize("outcome, fmt", [(not_taken, 2), (taken, 3)])
def test_reported_branch(outcome: type, fmt: int) -> None:
    """The target of a jump is a branch that was predicted (counted with the others: 34) or not (branch_fmt 11, 33).
    Draft: reported with the address.
    """
    rows = [
        START,
        *rounds("N" * 33),
        row(jump(0x1200, 2)),
        row(outcome(0x2000, 2)),
        row(linear(0x2004, 2)),
        row(levels=OFF),
    ]
    right = 34 if fmt == 2 else 33
    assert after_start(encode(rows, **PREDICTED)) == [("count", right, fmt, 0x1000), ("address", 4), REP]
    own = "N" if fmt == 2 else "T"
    assert after_start(encode(rows, **DRAFT)) == [("count", 33, 1), (own, 0x1000), ("address", 4), REP]


def test_greatest_count() -> None:
    """bcount_bits 1: at 32 the count goes with the branch's address and no flags; the 33rd is a new beginning."""
    rows = [START, *rounds("N" * 33), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, bcount_bits=1, **PREDICTED)) == [("count", 32, 2, 4), ("N", OUT - LOOP), REP]
    assert after_start(encode(rows, bcount_bits=1, **DRAFT)) == [("count", 32, 1), ("N", OUT - 0x1000), REP]


# after these outcomes an entry that began with 01 is in this state, and 31 of the second outcome are all predicted or
# not:
STATES = [
    ("", "N", True), ("", "T", False),  # 01
    ("N", "N", True), ("N", "T", False),  # 00
    ("NT", "N", True), ("NT", "T", False),  # 01 again
    ("T", "T", True), ("T", "N", False),  # 11
    ("TN", "T", True), ("TN", "N", False),  # 10
    ("TNT", "T", True), ("TNN", "N", True), ("TNN", "T", False),  # 11, 00
]  # fmt: skip


@pytest.mark.parametrize("before, then, right", STATES)
def test_states(before: str, then: str, right: bool) -> None:
    """The transitions of the specification; a jump's packet in between empties map and count but not the predictor."""
    rows = [
        START,
        *rounds(before),
        row(jump(OUT, 2)),
        row(linear(0x1000, 2)),
        *rounds(then * 31),
        row(linear(OUT, 2)),
        row(levels=OFF),
    ]
    reported = after_start(encode(rows, **PREDICTED))
    assert reported[0] == ((before, 0) if before else ("address", 0))
    assert reported[1] == (("count", 31, 2, OUT - 0x1000) if right else (then * 31,))


def test_sync_resets_the_predictor() -> None:
    """Trained to 11; after a trap's 3.1 it is 01 again, and 31 T are not all predicted."""
    rows = [
        START,
        *rounds("TT"),
        row(exception(LOOP)),
        row(linear(0x1000, 2)),
        *rounds("T" * 31),
        row(linear(OUT, 2)),
        row(levels=OFF),
    ]
    assert after_start(encode(rows, **PREDICTED))[2:] == [("T" * 31,), ("address", OUT - 0x1000), REP]


def test_branch_that_is_reported_is_trained() -> None:
    """The target of a jump, taken: 01 becomes 11, so the 31 that follow are predicted."""
    rows = [START, row(jump(OUT, 2)), *rounds("T" * 32), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [("T", LOOP - 0x1000), ("count", 31, 2, OUT - LOOP), REP]


def test_branch_at_a_sync_is_trained() -> None:
    """The 3.0 is the branch itself, taken: 01 becomes 11 after the reset, so the 31 that follow are predicted."""
    rows = [*rounds("T" * 32), row(linear(OUT, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [("count", 31, 2, OUT - LOOP), REP]


def test_entries() -> None:
    """bpred_size_p 1, lsb 1: bit 1 of the address chooses the entry. 0x1004 is trained to 11; 0x1008 shares the entry,
    0x1006 has its own.
    """
    for other, right in ((0x1008, True), (0x1006, False)):
        rows = [
            START,
            *rounds("T"),
            row(jump(OUT, 2)),
            row(linear(0x1000, 2)),
            *rounds("T" * 31, other),
            row(linear(OUT, 2)),
            row(levels=OFF),
        ]
        reported = after_start(encode(rows, bpred_size_p=1, **PREDICTED))
        assert reported[1][0] == ("count" if right else "T" * 31)


def test_count_after_a_jump_that_ends() -> None:
    rows = [START, *rounds("N" * 31), row(jump(OUT, 2)), row(linear(0x2000, 2)), row(levels=OFF)]
    assert after_start(encode(rows, **PREDICTED)) == [("count", 31, 2, 0x1000), NTR]
