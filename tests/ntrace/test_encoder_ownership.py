# SPDX-License-Identifier: Apache-2.0
"""The encoder model's Ownership messages (section 7.1): when, in which order, with which PROCESS."""

from __future__ import annotations

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType, Priv
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
)

END = row(levels=OFF)
ON: dict[str, Any] = {"ownership": 1}
BOTH: dict[str, Any] = {"ownership": 1, "hcontext": 1}
FIRST = linear(0x100, 2)
M_SYNC = ("Ownership", 0b0_11_10)  # M-mode, scontext 0


def in_process(block: Block, priv: int = Priv.VS, context: int = 0, hcontext: int = 0) -> Block:
    return block._replace(priv=priv, context=context, hcontext=hcontext)


def test_the_examples() -> None:
    """Table 12: 0x3B2 is VU-mode with scontext 0x1D; 0xC is M-mode alone, here the handler of its ecall."""
    blocks = [in_process(exception(0x100, 2), Priv.VU, 0x1D), in_process(linear(0x800, 2), Priv.M, 0x1D)]
    assert explained(encode(each(blocks), **ON)) == [
        ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80),
        ("NT.7.1.after_sync", "Ownership", 0x3B2),
        ("NT.2.exception", "IndirectBranch", 2, 2, (0x100 ^ 0x800) >> 1),
        ("NT.7.1.trap", "Ownership", 0xC),
    ]


def test_off() -> None:
    assert plain(encode(each([in_process(FIRST, Priv.VU, 0x1D, 5)]), hcontext=1)) == [("ProgTraceSync", 5, 0, 0x80)]


@pytest.mark.parametrize("priv, low", [("U", 0b000), ("S", 0b001), ("M", 0b011), ("VU", 0b100), ("VS", 0b101)])
def test_privileges(priv: str, low: int) -> None:
    """{V, PRV} above FORMAT."""
    trace = encode([row(in_process(FIRST, Priv[priv]))], **ON)
    assert plain(trace)[1:] == [("Ownership", low << 2 | 0b10)]


def test_hcontext_comes_first() -> None:
    """7.1: after a sync both are reported, all 16 and 32 bits of them."""
    trace = encode([row(in_process(FIRST, Priv.VS, 0xFFFF_FFFF, 0xFFFF))], **BOTH)
    assert explained(trace)[1:] == [
        ("NT.7.1.after_sync", "Ownership", 0xFFFF << 5 | 0b1_01_11),
        ("NT.7.1.after_sync", "Ownership", 0xFFFF_FFFF << 5 | 0b1_01_10),
    ]


CHANGES = [
    # privilege, scontext, hcontext of the second block; the first is in VS 1 1
    ((Priv.VS, 1, 1), []),
    ((Priv.VU, 1, 1), [("NT.7.1.priv_change", 0b1_00_00)]),
    ((Priv.VS, 2, 1), [("NT.7.1.process", 2 << 5 | 0b1_01_10)]),
    ((Priv.VS, 1, 2), [("NT.7.1.process", 2 << 5 | 0b1_01_11)]),
    ((Priv.VU, 2, 3), [("NT.7.1.process", 3 << 5 | 0b1_00_11), ("NT.7.1.process", 2 << 5 | 0b1_00_10)]),
    ((Priv.VU, 2, 1), [("NT.7.1.process", 2 << 5 | 0b1_00_10)]),
]


@pytest.mark.parametrize("second, reported", CHANGES)
def test_changes(second: tuple[int, int, int], reported: list[tuple]) -> None:
    """Only what changed, hcontext first, the privilege alone if nothing else is reported; I-CNT goes on."""
    rows = [*each([in_process(FIRST, Priv.VS, 1, 1), in_process(linear(0x104, 2), *second)]), END]
    assert explained(encode(rows, **BOTH))[3:] == [
        *((clause, "Ownership", process) for clause, process in reported),
        ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 4, 1),
    ]


def test_no_hcontext() -> None:
    """A hart without it: what its lanes say is nothing."""
    rows = each([in_process(FIRST, Priv.VS, 1, 1), in_process(linear(0x104, 2), Priv.VS, 1, 2)])
    assert plain(encode(rows, **ON))[1:] == [("Ownership", 1 << 5 | 0b1_01_10)]


@pytest.mark.parametrize("itype, btype", [(IType.EXCEPTION, 2), (IType.INTERRUPT, 3), (IType.XRET, 0)])
def test_traps_without_a_change(itype: int, btype: int) -> None:
    """Reported at entry and return even if the privilege stays."""
    trace = encode(each([Block(itype, 0x100, 2), linear(0x800, 2)]), **ON)
    assert explained(trace)[2:] == [
        (trace.reasons[2], "IndirectBranch", btype, 2, (0x100 ^ 0x800) >> 1),
        ("NT.7.1.trap", "Ownership", 0b0_11_00),
    ]


def test_trap_into_another_process() -> None:
    """The change says it: no second message for the trap."""
    trace = encode(each([exception(0x100, 2), in_process(linear(0x800, 2), Priv.M, 1)]), **ON)
    assert explained(trace)[3:] == [("NT.7.1.process", "Ownership", 1 << 5 | 0b0_11_10)]


def test_jump_reports_nothing() -> None:
    assert plain(encode(each([jump(0x100, 2), linear(0x800, 2)]), **ON))[2:] == [("IndirectBranch", 0, 2, 0x480)]


def test_after_each_sync() -> None:
    """A mark at a trap's target: the Sync form, then scontext as after any sync."""
    rows = [row(exception(0x100, 2), notify=1), row(linear(0x800, 2))]
    assert plain(encode(rows, **ON))[2:] == [("IndirectBranchSync", 6, 2, 2, 0x400), M_SYNC]


def test_after_the_restart() -> None:
    """SYNC=7 goes on with Ownership; the lost one is named in ECODE."""
    rows = [row(FIRST), row(in_process(linear(0x104, 2), Priv.U), drop=1), row(in_process(linear(0x108, 2), Priv.U))]
    assert explained(encode(rows, **ON))[2:] == [
        ("NT.7.4.ecode", "Error", 0, 0b1100),
        ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x84),
        ("NT.7.1.after_sync", "Ownership", 0b0_00_10),
    ]


def test_history_that_is_held_comes_first() -> None:
    """Three branches in S-mode are held back; the next block is in U-mode."""
    branches = [in_process(not_taken(pc, 2), Priv.S) for pc in (0x100, 0x104, 0x108)]
    rows = [*each([*branches, in_process(linear(0x10C, 2), Priv.U)]), END]
    assert plain(encode(rows, hist_bits=4, repeated_history=1, **ON))[2:] == [
        ("ResourceFull", 1, 0b1_000),
        ("Ownership", 0b0_00_00),
        ("ProgTraceCorrelation", 4, 1, 8, 1),
    ]


def test_change_while_off() -> None:
    """A change that was not traced is reported after the start."""
    rows = [
        row(FIRST),
        row(in_process(linear(0x104, 2), Priv.U), levels=OFF),
        row(in_process(linear(0x108, 2), Priv.U)),
    ]
    assert plain(encode(rows, **ON))[3:] == [("ProgTraceSync", 5, 0, 0x84), ("Ownership", 0b0_00_10)]
