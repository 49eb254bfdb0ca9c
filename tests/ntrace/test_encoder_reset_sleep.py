# SPDX-License-Identifier: Apache-2.0
"""The encoder model at a reset of the hart (SYNC=1) and in low power (EVCODE=1, SYNC=9)."""

from __future__ import annotations

import pytest

from tests.ntrace.encoder_stream import (
    DEBUG,
    HART_RESET,
    OFF,
    SLEEP,
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

START = ("ProgTraceSync", 5, 0, 0x80)
IN_RESET = row(levels=HART_RESET)
ASLEEP = row(levels=SLEEP)
VECTOR = linear(0x1000, 2)
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words
AT_VECTOR = ("NT.8.5.sync1", "ProgTraceSync", 1, 2, 0x800)

FORMS: list[tuple[str, list[Block], list[tuple]]] = [
    ("htm", [linear(0x100, 2)], [AT_VECTOR]),
    ("btm", [not_taken(0x100, 2)], [AT_VECTOR]),
    ("htm", [taken(0x100, 2)], [("NT.8.5.sync1", "IndirectBranchHistSync", 1, 0, 2, 0x800, 0b11)]),
    ("btm", [taken(0x100, 2)],
     [("NT.8.5.sync1", "DirectBranch", 2), ("NT.8.5.sync1", "ProgTraceSync", 1, 0, 0x800)]),
    # targets that were never seen: B-TYPE says nothing, the count covers the instruction
    ("htm", [jump(0x100, 2)], [AT_VECTOR]),
    ("btm", [exception(0x100, 2)], [AT_VECTOR]),
    ("htm", [not_taken(0x100, 2), jump(0x104, 1)], [("NT.8.5.sync1", "IndirectBranchHistSync", 1, 0, 3, 0x800, 0b10)]),
]  # fmt: skip


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
@pytest.mark.parametrize("mode, blocks, reported", FORMS)
def test_reset_while_traced(mode: str, blocks: list[Block], reported: list[tuple], variant: str) -> None:
    """Table 25: HIST and I-CNT lead to the last instruction before the reset, the address is the vector."""
    rows = [*each(blocks), IN_RESET, row(VECTOR), row(linear(0x1004, 2))]
    assert explained(encode(rows, mode=mode, variant=variant))[1:] == reported


def test_reset_before_sync4() -> None:
    """rc7: the full I-CNT that waits is reported by SYNC=1."""
    rows = [*each([not_taken(0x100, 10), linear(0x114, 10)]), IN_RESET, row(VECTOR)]
    assert plain(encode(rows, variant="rc7", **SMALL))[1:] == [("IndirectBranchHistSync", 1, 0, 20, 0x800, 0b10)]


def test_start_in_reset() -> None:
    """Tracing starts, the hart is reset before it retires anything: one start, SYNC=1."""
    rows = [row(), IN_RESET, row(VECTOR)]
    assert explained(encode(rows)) == [("NT.8.5.sync1", "ProgTraceSync", 1, 0, 0x800)]


def test_start_after_a_reset() -> None:
    """Tracing is enabled as the hart leaves reset."""
    rows = [row(levels=(1, 0, 0, 1)), row(VECTOR)]
    assert explained(encode(rows)) == [("NT.8.5.sync1", "ProgTraceSync", 1, 0, 0x800)]


def test_stop_in_reset() -> None:
    """No instruction after it: the correlation has what was counted."""
    rows = [row(taken(0x100, 2)), IN_RESET, row(levels=OFF), row(levels=(1, 0, 0, 1)), row(levels=OFF)]
    assert plain(encode(rows)) == [START, ("ProgTraceCorrelation", 4, 1, 2, 0b11)]


def test_marks_and_periodic_sync_wait() -> None:
    """The mark is reported at the second block; the periodic sync was served by SYNC=1."""
    rows = [row(linear(0x100, 2), cycle=100, notify=1), row(levels=HART_RESET), row(VECTOR, cycle=120)]
    rows += [row(linear(0x1004, 2)), row(linear(0x1008, 2))]
    assert plain(encode(rows, inst_sync_mode=2))[1:] == [AT_VECTOR[1:], ("ProgTraceSync", 6, 2, 0x802)]


def test_trap_at_the_vector() -> None:
    rows = [row(linear(0x100, 2)), IN_RESET, row(exception(0x1000)), row(linear(0x80, 1))]
    trap = ("NT.8.6.trap_at_start", "IndirectBranch", 2, 0, (0x1000 ^ 0x80) >> 1)
    assert explained(encode(rows))[1:] == [AT_VECTOR, trap]


@pytest.mark.parametrize(
    "mode, block, reported",
    [
        ("htm", not_taken(0x100, 2), [("NT.7.12.low_power", "ProgTraceCorrelation", 1, 1, 2, 0b10)]),
        ("btm", linear(0x100, 2), [("NT.7.12.low_power", "ProgTraceCorrelation", 1, 0, 2)]),
        ("btm", taken(0x100, 2),
         [("NT-13", "DirectBranch", 2), ("NT.7.12.low_power", "ProgTraceCorrelation", 1, 0, 0)]),
        ("htm", jump(0x100, 2), [("NT.7.12.open_target", "ProgTraceCorrelation", 1, 1, 2, 1)]),
    ],
)  # fmt: skip
def test_sleep_and_wake(mode: str, block: Block, reported: list[tuple]) -> None:
    trace = encode([row(block), ASLEEP, row(VECTOR)], mode=mode)
    assert explained(trace)[1:] == [*reported, ("NT.8.5.sync9", "ProgTraceSync", 9, 0, 0x800)]


def test_debug_before_sleep() -> None:
    """Both at once: EVCODE=0 must not be another; from both, SYNC=3."""
    rows = [row(linear(0x100, 2)), row(levels=(1, 1, 1, 0, 1)), row(VECTOR)]
    assert plain(encode(rows))[1:] == [("ProgTraceCorrelation", 0, 1, 2, 1), ("ProgTraceSync", 3, 0, 0x800)]


def test_sleep_before_reset() -> None:
    """Power comes back with the hart in reset: SYNC=9."""
    rows = [row(linear(0x100, 2)), row(levels=(1, 1, 0, 1, 1)), row(VECTOR)]
    assert plain(encode(rows))[1:] == [("ProgTraceCorrelation", 1, 1, 2, 1), ("ProgTraceSync", 9, 0, 0x800)]


@pytest.mark.parametrize("variant", ["v1_0", "rc7"])
def test_while_tracing_is_off(variant: str) -> None:
    """Neither sleep nor reset is reported then; nor is Debug Mode entered from sleep while tracing is on."""
    rows = [row(levels=OFF), row(levels=(1, 0, 0, 0, 1)), row(levels=(1, 0, 0, 1)), row(levels=OFF)]
    rows += [row(levels=(1, 1, 0, 0, 1)), row(levels=(1, 1, 1, 0, 1)), row(levels=DEBUG)]
    assert plain(encode(rows, variant=variant)) == []
