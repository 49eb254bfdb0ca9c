# SPDX-License-Identifier: Apache-2.0
"""The encoder model's repeats: of history (section 9.3) and of branch messages (7.11, NT-6), what is held back, counted
and flushed, and what ends a run.
"""

from typing import Any

import pytest

from rvtrace.models.ntrace.encoder.output import pattern
from tests.ntrace.encoder_stream import OFF, Block, exception, jump, linear, not_taken, row, sends, taken

END = row(levels=OFF)


# Repeated history

FIVE = {"repeated_history": 1, "hist_bits": 6, "repeat_bits": 3}  # full at 5 branches; at most 7 repeats in a message
THREE = {"repeated_history": 1, "hist_bits": 4, "repeat_bits": 3}
SMALL = {"icnt_bits": 5, "iretire_bits": 4, **THREE}  # I-CNT is full at 16 half-words
REPEATED, FULL = "NT.9.3.pattern", "NT.8.3.1.hist_full"


def branches(outcomes: str, iretire: int = 2) -> list[Block]:
    """Branches as the string says, oldest first, at one place."""
    return [taken(0x100, iretire) if bit == "1" else not_taken(0x100, iretire) for bit in outcomes]


def stop(half_words: int, hist: int) -> tuple:
    return ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, half_words, hist)


FILLED = [*branches("111", 5), linear(0x200, 1)]  # 15 half-words with the third branch; one more fills I-CNT
FLUSHED = [(FULL, "ResourceFull", 1, 0b1_111), ("NT.8.4.4.resource_full", "ResourceFull", 0, 16), stop(0, 1)]

# What follows the start
HISTORY: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "9.3: '01' 150 times is one message with 0x55555555 ten times": (
        [*branches("01" * 150), END], [(REPEATED, "ResourceFull", 2, 0x5555_5555, 10), stop(600, 1)],
        {"repeated_history": 1},
    ),
    "one branch less: nine times, and 29 branches that are no whole pattern": (
        [*branches(("01" * 150)[:-1]), END], [(REPEATED, "ResourceFull", 2, 0x5555_5555, 9), stop(598, 0x2AAA_AAAA)],
        {"repeated_history": 1},
    ),
    "without the option each full HIST is a message: 31 branches, then 31 that begin with the other outcome": (
        [*branches("01" * 31), END],
        [(FULL, "ResourceFull", 1, 0b1_0101010101010101010101010101010),
         (FULL, "ResourceFull", 1, 0b1_1010101010101010101010101010101), stop(124, 1)], {},
    ),
    "01010 is held as 0101; its rest 0 and the next 101 are the second 0101": (
        [*branches("01010101"), END], [(REPEATED, "ResourceFull", 2, 0b1_0101, 2), stop(16, 1)], FIVE,
    ),
    "what is held once is an ordinary message": (
        [*branches("01010"), END], [(FULL, "ResourceFull", 1, 0b1_0101), stop(10, 0b1_0)], FIVE,
    ),
    "00101 has no pattern: it is counted as it is, until another HIST is full": (
        [*branches("00101" * 2 + "11111"), END],
        [("NT.9.3.repeated_history", "ResourceFull", 2, 0b1_00101, 2), (FULL, "ResourceFull", 1, 0b1_11111),
         stop(30, 1)], FIVE,
    ),
    "after the split of a full counter nothing is held: two more branches stay in HIST": (
        [*branches("1" * 23), END], [("NT.V.hrepeat", "ResourceFull", 2, 0b1_111, 7), stop(46, 0b1_11)], THREE,
    ),
    "a full I-CNT flushes; HIST is empty, so no SYNC=4": ([*FILLED, END], FLUSHED, SMALL),
    "rc7: the same": ([*FILLED, END], FLUSHED, SMALL | {"variant": "rc7"}),
    "rc7: a branch more is in HIST, so the full I-CNT is SYNC=4, after what is held": (
        [*branches("1110", 4), linear(0x200, 1)],
        [("ResourceFull", 1, 0b1_111), ("IndirectBranchHistSync", 4, 0, 16, 0x100, 0b1_0)], SMALL | {"variant": "rc7"},
    ),
    "both full in one block: I-CNT first; HIST is held back": (
        [*branches("111", 6), END], [("ResourceFull", 0, 18), ("ResourceFull", 1, 0b1_111), stop(0, 1)], SMALL,
    ),
    "a jump reports the held branches first, then the rest with its own HIST": (
        [*branches("1" * 7), jump(0x200, 1), linear(0x300, 1)],
        [("ResourceFull", 2, 0b1_111, 2), ("IndirectBranchHist", 0, 15, (0x100 ^ 0x300) >> 1, 0b1_1)], THREE,
    ),
    "a vendor's message does not flush": (
        [*branches("111"), row(vendor=60, vendor_data=7), *branches("111"), END],
        [("Vendor60", 7), ("ResourceFull", 2, 0b1_111, 2), stop(12, 1)], THREE,
    ),
    "BTM has no history": (branches("11"), [("DirectBranch", 2)], THREE | {"mode": "btm"}),
}  # fmt: skip

# RepeatBranch

BTM = {"mode": "btm", "repeat_branch": 1}
HTM = {"repeat_branch": 1}
STOP, STOP_HTM = ("ProgTraceCorrelation", 4, 0, 2), ("ProgTraceCorrelation", 4, 1, 2, 1)
AGAIN, OUT = taken(0x100, 2), not_taken(0x100, 2)  # a loop of one branch
ONE = ("DirectBranch", 2)
IN_PLACE, THERE, TRAP = ("IndirectBranch", 0, 2, 0), ("IndirectBranch", 0, 2, 0x180), ("IndirectBranch", 2, 0, 0)
TURN = [taken(0x100, 1), jump(0x180, 2)]
TRAPS = [exception(0x100)] * 3

REPEATS: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "four taken branches: one message and three repeats; the last one falls through": (
        [*[AGAIN] * 4, OUT, END],
        [("NT.7.2.direct_branch", *ONE), ("NT.7.11.repeat", "RepeatBranch", 3), ("NT.7.12.trace_off", *STOP)], BTM,
    ),
    "off": ([*[AGAIN] * 3, OUT, END], [ONE, ONE, ONE, STOP], {"mode": "btm"}),
    "another I-CNT": ([AGAIN, taken(0x100, 3), OUT, END], [ONE, ("DirectBranch", 3), STOP], BTM),
    "another target": ([AGAIN, AGAIN, linear(0x200, 2), END], [ONE, ONE, STOP], BTM),
    "another TCODE": ([AGAIN, jump(0x100, 2), linear(0x100, 2), END], [ONE, IN_PLACE, STOP], BTM),
    "another B-TYPE": (
        [jump(0x100, 2), exception(0x100, 2), linear(0x100, 2), END],
        [IN_PLACE, ("IndirectBranch", 2, 2, 0), STOP], BTM,
    ),
    "history must be equal: a taken branch and a jump back, twice, then with a branch not taken": (
        [*TURN, *TURN, not_taken(0x100, 1), jump(0x102, 2), linear(0x100, 2), END],
        [("IndirectBranchHist", 0, 3, 0, 0b11), ("RepeatBranch", 1), ("IndirectBranchHist", 0, 3, 0, 0b10), STOP_HTM],
        HTM,
    ),
    "HTM with empty HIST: the jump to the reference has U-ADDR=0 and may be repeated": (
        [*[jump(0x100, 2)] * 3, linear(0x100, 2), END], [IN_PLACE, ("RepeatBranch", 2), STOP_HTM], HTM,
    ),
    "jumps to and fro have the same fields, but readings differ on what a repeat of them means (NT-6)": (
        [jump(0x100, 2), jump(0x200, 2), jump(0x100, 2), linear(0x200, 2)], [THERE] * 3, HTM,
    ),
    # The first jump from 0x200 to there is a message, the second is counted.
    "the jump that comes to 0x200 has a U-ADDR": (
        [jump(0x100, 2), *[jump(0x200, 2)] * 2, linear(0x200, 2), END],
        [THERE, IN_PLACE, ("RepeatBranch", 1), STOP_HTM], HTM,
    ),
    "an exception whose handler is the instruction itself": (
        [*TRAPS, linear(0x100, 2), END], [TRAP, ("RepeatBranch", 2), STOP_HTM], HTM,
    ),
    "with Ownership each one is reported": (
        [*TRAPS, linear(0x100, 2), END], [..., *[TRAP, ("Ownership", 0b0_11_00)] * 3, STOP_HTM],
        HTM | {"ownership": 1},
    ),
    "the second repeat is in another process: it is a message, with Ownership after it": (
        [AGAIN, AGAIN, AGAIN, AGAIN._replace(context=1), OUT._replace(context=1), END],
        [..., ONE, ("RepeatBranch", 1), ONE, ("Ownership", 1 << 5 | 0b0_11_10), ONE, STOP], BTM | {"ownership": 1},
    ),
    "a mark: the repeats, then the Sync form, which is not repeated itself": (
        [AGAIN, AGAIN, row(AGAIN, notify=1), AGAIN, AGAIN, OUT, END],
        [ONE, ("RepeatBranch", 1), ("DirectBranchSync", 6, 2, 0x80), ONE, ("RepeatBranch", 1), STOP], BTM,
    ),
    "a vendor's message does not end the run": (
        [AGAIN, AGAIN, row(vendor=56, vendor_data=1), AGAIN, OUT, END],
        [ONE, ("Vendor56", 1), ("RepeatBranch", 2), STOP], BTM,
    ),
    "stop after a taken branch: the one that no block followed is reported, never counted (NT-13)": (
        [AGAIN, AGAIN, AGAIN, END], [ONE, ("RepeatBranch", 1), ONE, ("ProgTraceCorrelation", 4, 0, 0)], BTM,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", [*HISTORY.values(), *REPEATS.values()], ids=[*HISTORY, *REPEATS])
def test_case(case: tuple[list[Any], list[Any], dict[str, Any]]) -> None:
    rows, expected, config = case
    sends(rows, [..., *expected], **config)


def test_hrepeat_is_split() -> None:
    """Seven times three branches fill a counter of 3 bits with the 21st branch; three more are a separate run."""
    expected = [("NT.V.hrepeat", "ResourceFull", 2, 0b1_111, 7), (FULL, "ResourceFull", 1, 0b1_111), stop(48, 1)]
    assert sends([*branches("1" * 24), END], [..., *expected], **THREE).beat[1:] == [21, 25, 25]


def test_bcnt_is_split() -> None:
    """B-CNT of 2 bits: the third repeat is reported at once, and the next branch is a message again."""
    one, end = ("NT.7.2.direct_branch", *ONE), ("NT.7.12.trace_off", *STOP)
    expected = [one, ("NT.V.hrepeat", "RepeatBranch", 3), one, ("NT.7.11.repeat", "RepeatBranch", 1), end]
    trace = sends([*[AGAIN] * 6, OUT, END], [..., *expected], repeat_bits=2, **BTM)
    # Row 0 has reset levels: branch n is in row n, and reported by row n + 1.
    assert trace.beat[1:] == [2, 5, 6, 8, 8]


@pytest.mark.parametrize("hist, held, rest", [
    (0b1_11111, 0b1_11111, 0b1), (0b1_01010, 0b1_0101, 0b1_0),
    (0b1_11011, 0b1_11011, 0b1),  # period 3 would be more than half
    (0b1_00101, 0b1_00101, 0b1), (0b1_110110, 0b1_110110, 0b1), (0b1_1101101, 0b1_110110, 0b1_1),
    (0b1_100, 0b1_100, 0b1), (0b1_000, 0b1_000, 0b1),
])  # fmt: skip
def test_pattern(hist: int, held: int, rest: int) -> None:
    """The pattern that is found in a full HIST (docs/reference/ntrace-profile.md, Pattern)."""
    assert pattern(hist) == (held, rest)
