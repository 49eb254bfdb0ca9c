# SPDX-License-Identifier: Apache-2.0
"""The encoder model's repeated history (section 9.3): what is held back, counted and flushed."""

from __future__ import annotations

import pytest

from tests.ntrace.encoder_stream import OFF, Block, each, encode, explained, jump, linear, not_taken, plain, row, taken

END = row(levels=OFF)
# Full at 5 branches; at most 7 repeats in a message
FIVE = {"repeated_history": 1, "hist_bits": 6, "repeat_bits": 3}
THREE = {"repeated_history": 1, "hist_bits": 4, "repeat_bits": 3}


def branches(outcomes: str, iretire: int = 2) -> list[Block]:
    """Branches as the string says, oldest first, at one place."""
    return [taken(0x100, iretire) if bit == "1" else not_taken(0x100, iretire) for bit in outcomes]


def messages(outcomes: str, **config: int) -> list[tuple]:
    """What follows the start, up to and with the stop."""
    return explained(encode([*each(branches(outcomes)), END], **config))[1:]


def stop(half_words: int, hist: int) -> tuple:
    return ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, half_words, hist)


def test_the_example() -> None:
    """9.3: '01' 150 times is one message with 0x55555555 ten times."""
    assert messages("01" * 150, repeated_history=1) == [
        ("NT.9.3.pattern", "ResourceFull", 2, 0x5555_5555, 10),
        stop(600, 1),
    ]


def test_the_example_cut_short() -> None:
    """One branch less: nine times, and 29 branches that are no whole pattern."""
    assert messages(("01" * 150)[:-1], repeated_history=1) == [
        ("NT.9.3.pattern", "ResourceFull", 2, 0x5555_5555, 9),
        stop(598, 0x2AAA_AAAA),
    ]


def test_off() -> None:
    """Without the option each full HIST is a message: 31 branches, then 31 that begin with the other outcome."""
    assert messages("01" * 31) == [
        ("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1_0101010101010101010101010101010),
        ("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1_1010101010101010101010101010101),
        stop(124, 1),
    ]


def test_rest_begins_the_next_pattern() -> None:
    """01010 is held as 0101; its rest 0 and the next 101 are the second 0101."""
    assert messages("01010101", **FIVE) == [("NT.9.3.pattern", "ResourceFull", 2, 0b1_0101, 2), stop(16, 1)]


def test_held_once_is_an_ordinary_message() -> None:
    assert messages("01010", **FIVE) == [("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1_0101), stop(10, 0b1_0)]


def test_whole_history_repeats() -> None:
    """00101 has no pattern: it is counted as it is, until another HIST is full."""
    assert messages("00101" * 2 + "11111", **FIVE) == [
        ("NT.9.3.repeated_history", "ResourceFull", 2, 0b1_00101, 2),
        ("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1_11111),
        stop(30, 1),
    ]


def test_hrepeat_is_split() -> None:
    """Seven times three branches fill a counter of 3 bits with the 21st branch; three more are a separate run."""
    trace = encode([*each(branches("1" * 24)), END], **THREE)
    assert explained(trace)[1:] == [
        ("NT.V.hrepeat", "ResourceFull", 2, 0b1_111, 7),
        ("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1_111),
        stop(48, 1),
    ]
    assert trace.beat[1:] == [21, 25, 25]


def test_full_counter_needs_a_full_history_again() -> None:
    """After the split nothing is held: two more branches stay in HIST."""
    assert messages("1" * 23, **THREE) == [("NT.V.hrepeat", "ResourceFull", 2, 0b1_111, 7), stop(46, 0b1_11)]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_full_icnt_flushes(variant: str) -> None:
    """15 half-words with the third branch; one more fills I-CNT. HIST is empty: no SYNC=4 in either variant."""
    rows = [*each([*branches("111", 5), linear(0x200, 1)]), END]
    trace = encode(rows, variant=variant, icnt_bits=5, iretire_bits=4, **THREE)
    assert explained(trace)[1:] == [
        ("NT.8.3.1.hist_full", "ResourceFull", 1, 0b1_111),
        ("NT.8.4.4.resource_full", "ResourceFull", 0, 16),
        stop(0, 1),
    ]


def test_sync4_flushes() -> None:
    """rc7: a branch more is in HIST, so the full I-CNT is SYNC=4, after what is held."""
    rows = each([*branches("1110", 4), linear(0x200, 1)])
    trace = encode(rows, variant="rc7", icnt_bits=5, iretire_bits=4, **THREE)
    assert plain(trace)[1:] == [("ResourceFull", 1, 0b1_111), ("IndirectBranchHistSync", 4, 0, 16, 0x100, 0b1_0)]


def test_both_full() -> None:
    """Both full in one block: I-CNT first; HIST is held back."""
    rows = [*each(branches("111", 6)), END]
    assert plain(encode(rows, icnt_bits=5, iretire_bits=4, **THREE))[1:] == [
        ("ResourceFull", 0, 18),
        ("ResourceFull", 1, 0b1_111),
        stop(0, 1)[1:],
    ]


def test_branch_message_flushes() -> None:
    """A jump reports the held branches first, then the rest with its own HIST."""
    rows = each([*branches("1" * 7), jump(0x200, 1), linear(0x300, 1)])
    assert plain(encode(rows, **THREE))[1:] == [
        ("ResourceFull", 2, 0b1_111, 2),
        ("IndirectBranchHist", 0, 15, (0x100 ^ 0x300) >> 1, 0b1_1),
    ]


def test_vendor_message_does_not_flush() -> None:
    rows = [*each(branches("111")), row(vendor=60, vendor_data=7), *each(branches("111")), END]
    assert plain(encode(rows, **THREE))[1:] == [("Vendor60", 7), ("ResourceFull", 2, 0b1_111, 2), stop(12, 1)[1:]]


def test_btm_has_no_history() -> None:
    assert plain(encode(each(branches("11")), mode="btm", **THREE))[1:] == [("DirectBranch", 2)]
