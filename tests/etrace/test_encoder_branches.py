# SPDX-License-Identifier: Apache-2.0
"""The encoder model: branch maps and where they go (ET-5, ET-9), and branch prediction (ET-11).

Profile: rules 3 to 5, Branches, address with `pbc` >= 31.
"""

from typing import Any

import pytest

from tests.etrace.encoder_stream import NTR, REP, after_start, branches, encode, reported, sends
from tests.ntrace.encoder_stream import OFF, Block, Row, exception, jump, linear, not_taken, row, taken

START, END = linear(0x1000, 2), row(levels=OFF)
BOUNDARIES = {  # branches: bits of branch_map
    "v2_0": {1: 1, 2: 3, 3: 3, 4: 7, 7: 7, 8: 15, 15: 15, 16: 31, 30: 31},
    "draft_0_026": {1: 1, 2: 9, 9: 9, 10: 17, 17: 17, 18: 25, 25: 25, 26: 31, 30: 31},
}


def pattern(n: int) -> str:
    """Directions of n branches that no rotation repeats."""
    return ("TNNTTNT" * 5)[:n]


def after_branches(n: int) -> list[Row | Block]:
    """A start, n branches and one more instruction, 4 * n bytes after the first branch."""
    return [START, *branches(pattern(n)), linear(0x2000 + 4 * n, 2), END]


@pytest.mark.parametrize("variant", BOUNDARIES)
def test_map_before_the_end(variant: str) -> None:
    """One branch per instruction: the last one, no branch, is reported with all that came before it."""
    for n, bits in BOUNDARIES[variant].items():
        trace = sends(after_branches(n), [(pattern(n), 0x1000 + 4 * n), REP], variant=variant)
        # format, branches, map, 63 bits of difference of which some stay, and for v2_0 flags that do not
        payload = int.from_bytes(trace.payloads[2], "little")
        assert payload & 3 == 1 and payload >> 2 & 31 == n
        assert payload >> (7 + bits) & 0xFFFF == (0x1000 + 4 * n) >> 1


@pytest.mark.parametrize("variant", BOUNDARIES)
def test_full_map(variant: str) -> None:
    """31 branches go at once, without address; what follows counts from 0 again."""
    full = [(pattern(31),), ("address", 0x1000 + 4 * 31), REP]
    assert sends(after_branches(31), full, variant=variant).payloads[2][0] & 0x7F == 1  # branches 0
    sends(after_branches(33), [(pattern(31),), (pattern(33)[31:], 0x1000 + 4 * 33), REP], variant=variant)


@pytest.mark.parametrize("variant, values", [("v2_0", (0, 1, 1)), ("draft_0_026", (0, 1, 0))])
def test_first_instruction_is_a_branch(variant: str, values: tuple) -> None:
    """Its outcome is in the 3.0 and not in the map: taken, not taken, and no branch."""
    for block, value in zip((taken(0x1000, 2), not_taken(0x1000, 2), START), values):
        trace = encode([block, *branches("NT"), END], variant=variant)
        assert trace.packets[1].get("branch") == value
        assert reported(trace)[2:] == [("NT", 0x1004), REP]


# Prediction: an entry begins with 01, not taken

LOOP, OUT = 0x1004, 0x1100
PREDICTED = {"branch_prediction": 1}
DRAFT = {"branch_prediction": 1, "variant": "draft_0_026"}
TO_OUT: list[Row | Block] = [linear(OUT, 2), END]


def rounds(outcomes: str, at: int = LOOP) -> list[Block]:
    """One and the same branch again and again: T goes back to itself, N falls through to a direct jump back to it."""
    blocks = {"T": [taken(at, 2)], "N": [not_taken(at, 2), Block(15, at + 4, 2)]}
    return [block for c in outcomes for block in blocks[c]]


CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "the last instruction is the 31st branch: it is reported, so all 31 go with an address": (
        [START, *branches(pattern(31)), END], [(pattern(31), 0x1000 + 4 * 30), REP], {},
    ),
    "the 31st branch after a jump": (
        [START, *branches(pattern(30)), jump(0x3000, 2), taken(0x4000, 2), linear(0x5000, 2)],
        [(pattern(30) + "T", 0x3000)], {},
    ),
    "the 31st branch is the last before a privilege change: one packet with its address, then 3.0": (
        [START, *branches(pattern(31)), Block(0, 0x6000, 2, priv=0), linear(0x6004, 2)],
        [(pattern(31), 0x1000 + 4 * 30), ("start", 0x6000)], {},
    ),
    "a branch that is the target of a jump is the last one in the map of its packet": (
        [START, *branches("TTN"), jump(0x200C, 2), not_taken(0x4000, 2), linear(0x4004, 2), END],
        [("TTNN", 0x3000), ("address", 4), REP], {},
    ),
    "the instructions before the branch in its block change nothing": (
        [START, taken(0x1004, 40), jump(0x2000, 3), linear(0x3000, 2), END], [("T", 0x2000), NTR], {},
    ),
    "40 branches not taken are all right: the last instruction has them counted, 0.0 with branch_fmt 10": (
        [START, *rounds("N" * 40), *TO_OUT], [("count", 40, 2, OUT - 0x1000), REP], PREDICTED,
    ),
    "40 branches not taken, draft": (
        [START, *rounds("N" * 40), *TO_OUT], [("count", 40, 1), ("address", OUT - 0x1000), REP], DRAFT,
    ),
    "30 predicted are not enough for a count": (
        [START, *rounds("N" * 30), *TO_OUT], [("N" * 30, OUT - 0x1000), REP], PREDICTED,
    ),
    "the 41st is not predicted: 40 counted, no address; it is not counted again": (
        [START, *rounds("N" * 40 + "TN"), *TO_OUT], [("count", 40, 0), ("N", OUT - 0x1000), REP], PREDICTED,
    ),
    "the 41st is not predicted, draft": (
        [START, *rounds("N" * 40 + "TN"), *TO_OUT], [("count", 40, 0), ("N", OUT - 0x1000), REP], DRAFT,
    ),
    "bcount_bits 1: at 32 the count goes with the branch's address and no flags; the 33rd is a new beginning": (
        [START, *rounds("N" * 33), *TO_OUT], [("count", 32, 2, 4), ("N", OUT - LOOP), REP],
        {"bcount_bits": 1, **PREDICTED},
    ),
    "bcount_bits 1, draft": (
        [START, *rounds("N" * 33), *TO_OUT], [("count", 32, 1), ("N", OUT - 0x1000), REP], {"bcount_bits": 1, **DRAFT},
    ),
    "the target of a jump, taken, is trained: 01 becomes 11, so the 31 that follow are predicted": (
        [START, jump(OUT, 2), *rounds("T" * 32), *TO_OUT],
        [("T", LOOP - 0x1000), ("count", 31, 2, OUT - LOOP), REP], PREDICTED,
    ),
    "the branch at a sync is trained: the 3.0 is the branch itself, taken, 01 becomes 11 after the reset": (
        [*rounds("T" * 32), *TO_OUT], [("count", 31, 2, OUT - LOOP), REP], PREDICTED,
    ),
    "a count after a jump that ends": (
        [START, *rounds("N" * 31), jump(OUT, 2), linear(0x2000, 2), END], [("count", 31, 2, 0x1000), NTR], PREDICTED,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


@pytest.mark.parametrize("wrong", [0, 15, 30])
def test_one_of_31(wrong: int) -> None:
    """Not all were right when the map is full: a map. T trains the entry from 00 to 01 only, so that N goes on being
    right.
    """
    outcomes = "NN"[: 2 * (wrong > 0)] + "N" * max(0, wrong - 2) + "T" + "N" * (30 - wrong)
    sends([START, *rounds(outcomes), *TO_OUT], [(outcomes,), ("address", OUT - 0x1000), REP], **PREDICTED)


@pytest.mark.parametrize("outcome, fmt", [(not_taken, 2), (taken, 3)])
def test_reported_branch(outcome: type, fmt: int) -> None:
    """The target of a jump is a branch that was predicted (counted with the others: 34) or not (branch_fmt 11, 33).
    Draft: reported with the address.
    """
    rows = [START, *rounds("N" * 33), jump(0x1200, 2), outcome(0x2000, 2), linear(0x2004, 2), END]
    right, own = (34, "N") if fmt == 2 else (33, "T")
    sends(rows, [("count", right, fmt, 0x1000), ("address", 4), REP], **PREDICTED)
    sends(rows, [("count", 33, 1), (own, 0x1000), ("address", 4), REP], **DRAFT)


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
    rows = [START, *rounds(before), jump(OUT, 2), linear(0x1000, 2), *rounds(then * 31), *TO_OUT]
    packets = after_start(encode(rows, **PREDICTED))
    assert packets[0] == ((before, 0) if before else ("address", 0))
    assert packets[1] == (("count", 31, 2, OUT - 0x1000) if right else (then * 31,))


def test_sync_resets_the_predictor() -> None:
    """Trained to 11; after a trap's 3.1 it is 01 again, and 31 T are not all predicted."""
    rows = [START, *rounds("TT"), exception(LOOP), linear(0x1000, 2), *rounds("T" * 31), *TO_OUT]
    assert after_start(encode(rows, **PREDICTED))[2:] == [("T" * 31,), ("address", OUT - 0x1000), REP]


@pytest.mark.parametrize("other, right", [(0x1008, True), (0x1006, False)])
def test_entries(other: int, right: bool) -> None:
    """bpred_size_p 1, lsb 1: bit 1 of the address chooses the entry. 0x1004 is trained to 11; 0x1008 shares the entry,
    0x1006 has its own.
    """
    rows = [START, *rounds("T"), jump(OUT, 2), linear(0x1000, 2), *rounds("T" * 31, other), *TO_OUT]
    packets = after_start(encode(rows, bpred_size_p=1, **PREDICTED))
    assert packets[1][0] == ("count" if right else "T" * 31)
