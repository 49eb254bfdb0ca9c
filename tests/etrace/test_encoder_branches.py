# SPDX-License-Identifier: Apache-2.0
"""The encoder model: branch maps and where they go (ET-5, ET-9). Profile: rules 3 to 5, Branches."""

from __future__ import annotations

import pytest

from tests.etrace.encoder_stream import NTR, REP, after_start, branches, encode, reported
from tests.ntrace.encoder_stream import OFF, Block, Row, each, jump, linear, not_taken, row, taken

START = row(linear(0x1000, 2))
BOUNDARIES = {  # branches: bits of branch_map
    "v2_0": {1: 1, 2: 3, 3: 3, 4: 7, 7: 7, 8: 15, 15: 15, 16: 31, 30: 31},
    "draft_0_026": {1: 1, 2: 9, 9: 9, 10: 17, 17: 17, 18: 25, 25: 25, 26: 31, 30: 31},
}


def pattern(n: int) -> str:
    """Directions of n branches that no rotation repeats."""
    return ("TNNTTNT" * 5)[:n]


def after_branches(n: int) -> list[Row]:
    """A start, n branches and one more instruction, 4 * n bytes after the first branch."""
    return [START, *each(branches(pattern(n))), row(linear(0x2000 + 4 * n, 2)), row(levels=OFF)]


@pytest.mark.parametrize("variant", BOUNDARIES)
def test_map_before_the_end(variant: str) -> None:
    """One branch per instruction: the last one, no branch, is reported with all that came before it."""
    for n, bits in BOUNDARIES[variant].items():
        trace = encode(after_branches(n), variant=variant)
        assert after_start(trace) == [(pattern(n), 0x1000 + 4 * n), REP]
        # format, branches, map, 63 bits of difference of which some stay, and for v2_0 flags that do not
        payload = int.from_bytes(trace.payloads[2], "little")
        assert payload & 3 == 1 and payload >> 2 & 31 == n
        assert payload >> (7 + bits) & 0xFFFF == (0x1000 + 4 * n) >> 1


@pytest.mark.parametrize("variant", BOUNDARIES)
def test_full_map(variant: str) -> None:
    """31 branches go at once, without address; what follows counts from 0 again."""
    trace = encode(after_branches(31), variant=variant)
    assert after_start(trace) == [(pattern(31),), ("address", 0x1000 + 4 * 31), REP]
    assert trace.payloads[2][0] & 0x7F == 1  # branches 0
    trace = encode(after_branches(33), variant=variant)
    assert after_start(trace) == [(pattern(31),), (pattern(33)[31:], 0x1000 + 4 * 33), REP]


def test_last_instruction_is_the_31st_branch() -> None:
    """It is reported as the last one, so all 31 go with an address."""
    rows = [START, *each(branches(pattern(31))), row(levels=OFF)]
    assert after_start(encode(rows)) == [(pattern(31), 0x1000 + 4 * 30), REP]


def test_31st_branch_after_a_jump() -> None:
    rows = [START, *each(branches(pattern(30))), row(jump(0x3000, 2)), row(taken(0x4000, 2)), row(linear(0x5000, 2))]
    assert after_start(encode(rows)) == [(pattern(30) + "T", 0x3000)]


def test_full_map_before_a_sync() -> None:
    """The 31st branch is the last instruction before a privilege change: one packet with its address, then 3.0."""
    rows = [START, *each(branches(pattern(31))), row(Block(0, 0x6000, 2, priv=0)), row(linear(0x6004, 2))]
    assert after_start(encode(rows)) == [(pattern(31), 0x1000 + 4 * 30), ("start", 0x6000)]


@pytest.mark.parametrize("variant, values", [("v2_0", (0, 1, 1)), ("draft_0_026", (0, 1, 0))])
def test_first_instruction_is_a_branch(variant: str, values: tuple) -> None:
    """Its outcome is in the 3.0 and not in the map: taken, not taken, and no branch."""
    for block, value in zip((taken(0x1000, 2), not_taken(0x1000, 2), linear(0x1000, 2)), values):
        trace = encode([row(block), *each(branches("NT")), row(levels=OFF)], variant=variant)
        assert trace.packets[1].get("branch") == value
        assert reported(trace)[2:] == [("NT", 0x1004), REP]


def test_jump_after_branches() -> None:
    """A branch that is the target of a jump is the last one in the map of its packet."""
    rows = [
        START,
        *each(branches("TTN")),
        row(jump(0x200C, 2)),
        row(not_taken(0x4000, 2)),
        row(linear(0x4004, 2)),
        row(levels=OFF),
    ]
    assert after_start(encode(rows)) == [("TTNN", 0x3000), ("address", 4), REP]


def test_branch_that_ends_a_block() -> None:
    """The instructions before the branch in its block change nothing."""
    rows = [START, row(taken(0x1004, 40)), row(jump(0x2000, 3)), row(linear(0x3000, 2)), row(levels=OFF)]
    assert after_start(encode(rows)) == [("T", 0x2000), NTR]
