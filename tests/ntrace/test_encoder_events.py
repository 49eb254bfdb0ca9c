# SPDX-License-Identifier: Apache-2.0
"""The encoder model where tracing starts and stops, at traps, resets, sleep and markers, and where they meet.

Steps 1 to 3 of docs/reference/ntrace-profile.md, section 8.5, table 26 and ruling NT-12.
"""

from typing import Any

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    DEBUG_OFF,
    HART_RESET,
    OFF,
    ON,
    RESET,
    SLEEP,
    Block,
    Row,
    each,
    encode,
    exception,
    explained,
    interrupt,
    jump,
    linear,
    not_taken,
    plain,
    row,
    sends,
    taken,
)

SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
FIRST, SECOND, VECTOR = linear(0x100, 2), linear(0x104, 2), linear(0x1000, 2)
START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
START_3 = ("NT.8.5.sync3", "ProgTraceSync", 3, 0, 0x80)
START_1 = ("NT.8.5.sync1", "ProgTraceSync", 1, 0, 0x800)
AT_VECTOR = ("NT.8.5.sync1", "ProgTraceSync", 1, 2, 0x800)
FROM_DEBUG, IN_RESET, ASLEEP, END = row(levels=DEBUG), row(levels=HART_RESET), row(levels=SLEEP), row(levels=OFF)
RESET_OFF = row(levels=(1, 0, 0, 1))

VARIANTS = pytest.mark.parametrize("variant", ["v1_0", "rc7"])


# Starts and stops


@pytest.mark.parametrize(
    "levels, evcode, clause",
    [(OFF, 4, "NT.7.12.trace_off"), (DEBUG, 0, "NT.7.12.debug_entry"), (DEBUG_OFF, 0, "NT.7.12.debug_entry"),
     (RESET, 4, "NT.7.12.trace_off")],
)  # fmt: skip
@pytest.mark.parametrize("mode, tail", [("btm", (0, 2)), ("htm", (1, 2, 1))])
def test_stop(levels: tuple, evcode: int, clause: str, mode: str, tail: tuple) -> None:
    """EVCODE distinguishes debug entry from disabling; HIST only in HTM, there even if empty (7.12, NT-8)."""
    sends([row(FIRST), row(levels=levels)], [START, (clause, "ProgTraceCorrelation", evcode, *tail)], mode=mode)


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
    sends([row(levels=was), row(levels=now)], [], variant="rc7")


@pytest.mark.parametrize("variant, reports", [("rc7", 1), ("v1_0", 0)])
def test_table_26_trace_starts_disabled(variant: str, reports: int) -> None:
    """Debug exit with tracing off is reported in rc7 only; enabling it later is SYNC=5 in both."""
    rows = [row(levels=DEBUG_OFF), row(levels=OFF), row(FIRST, levels=ON)]
    marker = ("NT.8.6.start_while_off", "ProgTraceCorrelation", 4, 1, 0, 1)
    sends(rows, [marker] * reports + [START], variant=variant)


TABLE_26: dict[str, tuple[list[Row], list[tuple]]] = {
    "back to back return": (
        each([Block(13, 0x100, 2), Block(13, 0x200, 1), linear(0x300, 2)]),
        [START, ("NT.2.return", "IndirectBranch", 0, 2, 0x180), ("NT.2.return", "IndirectBranch", 0, 1, 0x80)],
    ),
    "back to back exceptions": (
        each([exception(0x100, 4), exception(0x800), linear(0x800, 2)]),
        [START, ("NT.2.exception", "IndirectBranch", 2, 4, 0x480),
         ("NT.8.6.back_to_back_traps", "IndirectBranch", 2, 0, 0)],
    ),
    "exception at interrupt destination": (
        each([interrupt(0x100, 4), exception(0x800), linear(0x900, 2)]),
        [START, ("NT.2.interrupt", "IndirectBranch", 3, 4, 0x480),
         ("NT.8.6.back_to_back_traps", "IndirectBranch", 2, 0, 0x80)],
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
        [END, row(FIRST, levels=OFF), row(levels=DEBUG_OFF)],
        [("NT.8.6.stop_while_off", "ProgTraceCorrelation", 0, 1, 0, 1)],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", TABLE_26)
@VARIANTS
def test_table_26(case: str, variant: str) -> None:
    rows, expected = TABLE_26[case]
    sends(rows, expected, variant=variant)


# Markers: SYNC 6 of debug triggers, SYNC 0 of external ones

# what is pending when the trigger fires: the message that has the mark, SYNC left out
FORMS: list[tuple[str, list[Block], tuple]] = [
    ("htm", [FIRST], ("ProgTraceSync", 2, 0x100)),
    ("btm", [not_taken(0x100, 2)], ("ProgTraceSync", 2, 0x100)),
    ("htm", [not_taken(0x100, 2)], ("IndirectBranchHistSync", 0, 2, 0x100, 0b10)),
    ("btm", [taken(0x100, 2)], ("DirectBranchSync", 2, 0x100)),
    ("htm", [jump(0x100, 2)], ("IndirectBranchSync", 0, 2, 0x100)),
    ("btm", [exception(0x100, 2)], ("IndirectBranchSync", 2, 2, 0x100)),
    ("htm", [taken(0x100, 2), exception(0x104, 3)], ("IndirectBranchHistSync", 2, 5, 0x100, 0b11)),
]


@VARIANTS
@pytest.mark.parametrize("pulse, sync", [("notify", 6), ("ext_notify", 0)])
@pytest.mark.parametrize("mode, blocks, reported", FORMS)
def test_forms(mode: str, blocks: list[Block], reported: tuple, pulse: str, sync: int, variant: str) -> None:
    """With the last of the blocks the trigger fires; the next block, at 0x200, reports it and is the new
    reference.
    """
    rows = [*map(row, blocks[:-1]), row(blocks[-1], levels=ON, **{pulse: 1})]
    rows += [row(jump(0x200, 2)), row(linear(0x300, 1))]
    name, *values = reported
    after = ("NT.2.uninferable_jump", "IndirectBranch", 0, 2, (0x200 ^ 0x300) >> 1)
    sends(rows, [..., (f"NT.8.5.sync{sync}", name, sync, *values), after], mode=mode, variant=variant)


def test_both_marks_reported_by_one_beat() -> None:
    """Two lanes: each lane is a block."""
    rows = [row(FIRST, notify=1, ext_notify=1), row(SECOND, linear(0x108, 2))]
    trace = encode(rows, blocks=2)
    assert [m.get("sync") for m in trace.messages] == [5, 6, 0]
    assert trace.beat == [1, 2, 2]


# Reset and low power

# table 25: HIST and I-CNT lead to the last instruction before the reset, the address is the vector
RESETS: list[tuple[str, list[Block], list[tuple]]] = [
    ("htm", [FIRST], [AT_VECTOR]),
    ("btm", [not_taken(0x100, 2)], [AT_VECTOR]),
    ("htm", [taken(0x100, 2)], [("NT.8.5.sync1", "IndirectBranchHistSync", 1, 0, 2, 0x800, 0b11)]),
    ("btm", [taken(0x100, 2)], [("NT.8.5.sync1", "DirectBranch", 2), START_1]),
    # targets that were never seen: B-TYPE says nothing, the count covers the instruction
    ("htm", [jump(0x100, 2)], [AT_VECTOR]),
    ("btm", [exception(0x100, 2)], [AT_VECTOR]),
    ("htm", [not_taken(0x100, 2), jump(0x104, 1)], [("NT.8.5.sync1", "IndirectBranchHistSync", 1, 0, 3, 0x800, 0b10)]),
]


@VARIANTS
@pytest.mark.parametrize("mode, blocks, reported", RESETS)
def test_reset_while_traced(mode: str, blocks: list[Block], reported: list[tuple], variant: str) -> None:
    rows = [*each(blocks), IN_RESET, row(VECTOR), row(linear(0x1004, 2))]
    sends(rows, [..., *reported], mode=mode, variant=variant)


@pytest.mark.parametrize(
    "mode, block, reported",
    [
        ("htm", not_taken(0x100, 2), [("NT.7.12.low_power", "ProgTraceCorrelation", 1, 1, 2, 0b10)]),
        ("btm", FIRST, [("NT.7.12.low_power", "ProgTraceCorrelation", 1, 0, 2)]),
        ("btm", taken(0x100, 2),
         [("NT-13", "DirectBranch", 2), ("NT.7.12.low_power", "ProgTraceCorrelation", 1, 0, 0)]),
        ("htm", jump(0x100, 2), [("NT.7.12.open_target", "ProgTraceCorrelation", 1, 1, 2, 1)]),
    ],
)  # fmt: skip
def test_sleep_and_wake(mode: str, block: Block, reported: list[tuple]) -> None:
    wake = ("NT.8.5.sync9", "ProgTraceSync", 9, 0, 0x800)
    sends([row(block), ASLEEP, row(VECTOR)], [..., *reported, wake], mode=mode)


@VARIANTS
def test_while_tracing_is_off(variant: str) -> None:
    """Neither sleep nor reset is reported then; nor is Debug Mode entered from sleep while tracing is on."""
    rows = [END, row(levels=(1, 0, 0, 0, 1)), RESET_OFF, END]
    rows += [row(levels=(1, 1, 0, 0, 1)), row(levels=(1, 1, 1, 0, 1)), row(levels=DEBUG)]
    sends(rows, [], variant=variant)


# Where they meet

CASES: dict[str, tuple[list[Row], list[Any], dict[str, Any]]] = {
    "a stop that saw no block has no start; the next start is as usual": (
        [row(), END, row(FIRST)], [("ProgTraceCorrelation", 4, 1, 0, 1), START], {},
    ),
    "BTM, stop after a taken branch: the DirectBranch, then I-CNT=0 (NT-13)": (
        [row(taken(0x100, 3)), END],
        [..., ("NT-13", "DirectBranch", 3), ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 0, 0)], {"mode": "btm"},
    ),
    "HTM, stop after a taken branch: no extra message": (
        [row(taken(0x100, 3)), END], [..., ("ProgTraceCorrelation", 4, 1, 3, 0b11)], {},
    ),
    "only traced blocks count": (
        [*each([FIRST, jump(0x104, 2)], levels=OFF), row(FIRST), END, row(FIRST, levels=OFF)],
        [START, ("ProgTraceCorrelation", 4, 1, 2, 1)], {},
    ),
    "a trap at a jump's target: the jump with the trapping address, the trap with I-CNT=0 (NT-12)": (
        each([jump(0x100, 2), exception(0x200), linear(0x800, 2)]),
        [..., ("NT.2.uninferable_jump", "IndirectBranch", 0, 2, 0x180), ("NT-12", "IndirectBranch", 2, 0, 0x500)], {},
    ),
    "BTM, a trap at a branch's target: DirectBranch left the reference at 0x100": (
        each([taken(0x100, 2), exception(0x200), linear(0x800, 2)]),
        [..., ("NT.7.2.direct_branch", "DirectBranch", 2), ("NT-12", "IndirectBranch", 2, 0, 0x480)], {"mode": "btm"},
    ),
    "both marks at once: the debug trigger first, the external one at the block after it": (
        [row(FIRST, notify=1, ext_notify=1), row(SECOND), row(linear(0x108, 2)), END],
        [..., ("ProgTraceSync", 6, 2, 0x82), ("ProgTraceSync", 0, 2, 0x84), ("ProgTraceCorrelation", 4, 1, 2, 1)], {},
    ),
    "a trigger in a beat of two blocks marks the second": (
        [row(FIRST, SECOND, notify=1), row(linear(0x108, 2))], [..., ("ProgTraceSync", 6, 4, 0x84)], {"blocks": 2},
    ),
    "a cycle that retires nothing may have the trigger; several fire as one": (
        [row(FIRST), row(notify=1), row(notify=1), row(SECOND), row(linear(0x108, 2))],
        [..., ("ProgTraceSync", 6, 2, 0x82)], {},
    ),
    "the trigger in the cycle that starts tracing waits after the start's own sync": (
        [row(notify=1), row(FIRST), row(SECOND)], [START, ("ProgTraceSync", 6, 2, 0x82)], {},
    ),
    "while tracing is off, and without a later block, a trigger is nothing": (
        [row(notify=1, levels=OFF), row(FIRST), row(SECOND, ext_notify=1), END, row(FIRST), row(SECOND)],
        [START, ("ProgTraceCorrelation", 4, 1, 4, 1), START], {},
    ),
    "a mark replaces a periodic sync that is due, every 16 cycles, and begins a new interval": (
        [row(FIRST, cycle=100), row(cycle=110, notify=1), row(SECOND, cycle=116),
         row(linear(0x108, 2), cycle=131), row(linear(0x10C, 2), cycle=132)],
        [..., ("ProgTraceSync", 6, 2, 0x82), ("ProgTraceSync", 2, 4, 0x86)], {"inst_sync_mode": 2},
    ),
    "rc7: SYNC=4 is pending already; the mark waits for the next block": (
        [row(not_taken(0x100, 10)), row(linear(0x114, 10), notify=1), *each([linear(0x128, 1), linear(0x12A, 1)])],
        [..., ("IndirectBranchHistSync", 4, 0, 20, 0x94, 0b10), ("ProgTraceSync", 6, 1, 0x95)],
        {"variant": "rc7", **SMALL},
    ),
    "a mark in the beat that is lost, and one while nothing is reported, are lost too": (
        [row(jump(0x100, 2)), row(linear(0x200, 2), drop=1, notify=1), row(drop=1, ext_notify=1),
         *each([linear(0x210, 2), linear(0x214, 2)])],
        [..., ("Error", 0, 4), ("ProgTraceSync", 7, 0, 0x108)], {},
    ),
    "a trigger in the beat that reports the overflow marks its last block": (
        [row(jump(0x100, 2)), row(linear(0x200, 2), drop=1), row(linear(0x210, 2), notify=1), row(linear(0x214, 2))],
        [..., ..., ..., ("ProgTraceSync", 6, 2, 0x10A)], {},
    ),
    "rc7: the full I-CNT that waits is reported by SYNC=1": (
        [*each([not_taken(0x100, 10), linear(0x114, 10)]), IN_RESET, row(VECTOR)],
        [..., ("IndirectBranchHistSync", 1, 0, 20, 0x800, 0b10)], {"variant": "rc7", **SMALL},
    ),
    "tracing starts, the hart is reset before it retires anything: one start, SYNC=1": (
        [row(), IN_RESET, row(VECTOR)], [START_1], {},
    ),
    "tracing is enabled as the hart leaves reset": ([RESET_OFF, row(VECTOR)], [START_1], {}),
    "no instruction after a reset: the correlation has what was counted": (
        [row(taken(0x100, 2)), IN_RESET, END, RESET_OFF, END], [START, ("ProgTraceCorrelation", 4, 1, 2, 0b11)], {},
    ),
    "at a reset a mark is reported at the second block; the periodic sync was served by SYNC=1": (
        [row(FIRST, cycle=100, notify=1), IN_RESET, row(VECTOR, cycle=120), row(linear(0x1004, 2)),
         row(linear(0x1008, 2))],
        [..., AT_VECTOR, ("ProgTraceSync", 6, 2, 0x802)], {"inst_sync_mode": 2},
    ),
    "a trap at the vector": (
        [row(FIRST), IN_RESET, row(exception(0x1000)), row(linear(0x80, 1))],
        [..., AT_VECTOR, ("NT.8.6.trap_at_start", "IndirectBranch", 2, 0, (0x1000 ^ 0x80) >> 1)], {},
    ),
    "debug and sleep at once: EVCODE=0 must not be another; from both, SYNC=3": (
        [row(FIRST), row(levels=(1, 1, 1, 0, 1)), row(VECTOR)],
        [..., ("ProgTraceCorrelation", 0, 1, 2, 1), ("ProgTraceSync", 3, 0, 0x800)], {},
    ),
    "sleep, and power comes back with the hart in reset: SYNC=9": (
        [row(FIRST), row(levels=(1, 1, 0, 1, 1)), row(VECTOR)],
        [..., ("ProgTraceCorrelation", 1, 1, 2, 1), ("ProgTraceSync", 9, 0, 0x800)], {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)
