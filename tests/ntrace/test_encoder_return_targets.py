# SPDX-License-Identifier: Apache-2.0
"""The encoder model at the target of a predicted return: what else happens at that block (section 9.2)."""

from __future__ import annotations

from tests.ntrace.encoder_stream import HART_RESET, OFF, call, each, encode, exception, explained, linear, ret, row

CALL, RETURN = call(0x100, 2), ret(0x200, 1)  # the return address is 0x104
FULL = {"implicit_return": 3}
SMALL = {"icnt_bits": 5, "hist_bits": 4, "iretire_bits": 4}  # full at 16 half-words


def test_trap() -> None:
    """The return is not reported: the trap's I-CNT has call and return, and the reference is still the start."""
    trace = encode(each([CALL, RETURN, exception(0x104), linear(0x800, 2)]), **FULL)
    assert explained(trace)[1:] == [("NT.2.exception", "IndirectBranch", 2, 3, (0x100 ^ 0x800) >> 1)]


def test_trap_after_a_full_icnt() -> None:
    """ResourceFull takes the half-words, the trap has none left."""
    blocks = [call(0x100, 15), ret(0x200, 15), exception(0x11E), linear(0x800, 2)]
    assert explained(encode(each(blocks), **FULL, **SMALL))[1:] == [
        ("NT.8.4.4.predicted", "ResourceFull", 0, 30),
        ("NT.2.exception", "IndirectBranch", 2, 0, (0x100 ^ 0x800) >> 1),
    ]


def test_trap_at_a_return_that_is_reported() -> None:
    """NT-12: the return with the address at which the trap is taken, then the trap with I-CNT=0."""
    trace = encode(each([RETURN, exception(0x104), linear(0x800, 2)]), **FULL)
    assert explained(trace)[1:] == [
        ("NT-4", "IndirectBranch", 0, 1, (0x200 ^ 0x104) >> 1),
        ("NT-12", "IndirectBranch", 2, 0, (0x104 ^ 0x800) >> 1),
    ]


def test_mark_and_periodic_sync() -> None:
    """They find nothing pending: ProgTraceSync with the half-words of call and return."""
    trace = encode([row(CALL), row(RETURN, notify=1), row(linear(0x104, 2))], **FULL)
    assert explained(trace)[1:] == [("NT.8.5.sync6", "ProgTraceSync", 6, 3, 0x82)]
    rows = [row(CALL, cycle=100), row(RETURN), row(linear(0x104, 2), cycle=116)]
    trace = encode(rows, inst_sync_mode=2, **FULL)
    assert explained(trace)[1:] == [("NT.8.5.sync2_linear", "ProgTraceSync", 2, 3, 0x82)]


def test_mark_at_a_full_icnt() -> None:
    """The sync message carries the full count: no ResourceFull."""
    rows = [row(call(0x100, 15)), row(ret(0x200, 15), ext_notify=1), row(linear(0x11E, 2))]
    assert explained(encode(rows, **FULL, **SMALL))[1:] == [("NT.8.5.sync0", "ProgTraceSync", 0, 30, 0x11E >> 1)]


def test_no_target() -> None:
    """Tracing stops, or the hart is reset, before the target is seen: the return is the last instruction
    reported.
    """
    trace = encode([row(CALL), row(RETURN), row(levels=OFF)], **FULL)
    assert explained(trace)[1:] == [("NT.7.12.open_target", "ProgTraceCorrelation", 4, 1, 3, 1)]
    # The stack address is that of the reset vector: no prediction may hide the reset.
    trace = encode([row(CALL), row(RETURN), row(levels=HART_RESET), row(linear(0x104, 2))], **FULL)
    assert explained(trace)[1:] == [("NT.8.5.sync1", "ProgTraceSync", 1, 3, 0x82)]
