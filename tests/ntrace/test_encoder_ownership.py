# SPDX-License-Identifier: Apache-2.0
"""The encoder model's Ownership messages (section 7.1): when, in which order, with which PROCESS."""

from typing import Any

import pytest

from rvtrace.models.riscv.retired import IType, Priv
from tests.ntrace.encoder_stream import OFF, Block, exception, jump, linear, not_taken, row, sends

END = row(levels=OFF)
ON: dict[str, Any] = {"ownership": 1}
BOTH: dict[str, Any] = {"ownership": 1, "hcontext": 1}
FIRST = linear(0x100, 2)
START = ("NT.8.5.sync5", "ProgTraceSync", 5, 0, 0x80)
M_SYNC = ("Ownership", 0b0_11_10)  # M-mode, scontext 0
TO_800 = (0x100 ^ 0x800) >> 1


def in_process(block: Block, priv: int = Priv.VS, context: int = 0, hcontext: int = 0) -> Block:
    return block._replace(priv=priv, context=context, hcontext=hcontext)


def user(iaddr: int) -> Block:
    return in_process(linear(iaddr, 2), Priv.U)


CASES: dict[str, tuple[list[Any], list[Any], dict[str, Any]]] = {
    "table 12: 0x3B2 is VU-mode with scontext 0x1D; 0xC is M-mode alone, here the handler of its ecall": (
        [in_process(exception(0x100, 2), Priv.VU, 0x1D), in_process(linear(0x800, 2), Priv.M, 0x1D)],
        [START, ("NT.7.1.after_sync", "Ownership", 0x3B2), ("NT.2.exception", "IndirectBranch", 2, 2, TO_800),
         ("NT.7.1.trap", "Ownership", 0xC)], ON,
    ),
    "off": ([in_process(FIRST, Priv.VU, 0x1D, 5)], [START], {"hcontext": 1}),
    "after a sync both are reported, hcontext first, all 16 and 32 bits of them": (
        [in_process(FIRST, Priv.VS, 0xFFFF_FFFF, 0xFFFF)],
        [START, ("NT.7.1.after_sync", "Ownership", 0xFFFF << 5 | 0b1_01_11),
         ("NT.7.1.after_sync", "Ownership", 0xFFFF_FFFF << 5 | 0b1_01_10)], BOTH,
    ),
    "a hart without hcontext: what its lanes say is nothing": (
        [in_process(FIRST, Priv.VS, 1, 1), in_process(linear(0x104, 2), Priv.VS, 1, 2)],
        [START, ("Ownership", 1 << 5 | 0b1_01_10)], ON,
    ),
    "a trap into another process: the change says it, no second message for the trap": (
        [exception(0x100, 2), in_process(linear(0x800, 2), Priv.M, 1)],
        [START, M_SYNC, ..., ("NT.7.1.process", "Ownership", 1 << 5 | 0b0_11_10)], ON,
    ),
    "a jump reports nothing": (
        [jump(0x100, 2), linear(0x800, 2)], [START, M_SYNC, ("IndirectBranch", 0, 2, 0x480)], ON,
    ),
    "a mark at a trap's target: the Sync form, then scontext as after any sync": (
        [row(exception(0x100, 2), notify=1), linear(0x800, 2)],
        [START, M_SYNC, ("IndirectBranchSync", 6, 2, 2, 0x400), M_SYNC], ON,
    ),
    "SYNC=7 goes on with Ownership; the lost one is named in ECODE": (
        [FIRST, row(user(0x104), drop=1), user(0x108)],
        [START, M_SYNC, ("NT.7.4.ecode", "Error", 0, 0b1100), ("NT.8.5.sync7", "ProgTraceSync", 7, 0, 0x84),
         ("NT.7.1.after_sync", "Ownership", 0b0_00_10)], ON,
    ),
    "history that is held comes first: three branches in S-mode; the next block is in U-mode": (
        [*(in_process(not_taken(pc, 2), Priv.S) for pc in (0x100, 0x104, 0x108)), user(0x10C), END],
        [START, ..., ("ResourceFull", 1, 0b1_000), ("Ownership", 0b0_00_00), ("ProgTraceCorrelation", 4, 1, 8, 1)],
        {"hist_bits": 4, "repeated_history": 1, **ON},
    ),
    "a change that was not traced is reported after the start": (
        [FIRST, row(user(0x104), levels=OFF), user(0x108)],
        [START, M_SYNC, ..., ("ProgTraceSync", 5, 0, 0x84), ("Ownership", 0b0_00_10)], ON,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    rows, expected, config = CASES[case]
    sends(rows, expected, **config)


@pytest.mark.parametrize("priv, low", [("U", 0b000), ("S", 0b001), ("M", 0b011), ("VU", 0b100), ("VS", 0b101)])
def test_privileges(priv: str, low: int) -> None:
    """{V, PRV} above FORMAT."""
    sends([in_process(FIRST, Priv[priv])], [START, ("Ownership", low << 2 | 0b10)], **ON)


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
    changed = [(clause, "Ownership", process) for clause, process in reported]
    stop = ("NT.7.12.trace_off", "ProgTraceCorrelation", 4, 1, 4, 1)
    rows = [in_process(FIRST, Priv.VS, 1, 1), in_process(linear(0x104, 2), *second), END]
    sends(rows, [START, ..., ..., *changed, stop], **BOTH)


@pytest.mark.parametrize("itype, btype", [(IType.EXCEPTION, 2), (IType.INTERRUPT, 3), (IType.XRET, 0)])
def test_traps_without_a_change(itype: int, btype: int) -> None:
    """Reported at entry and return even if the privilege stays."""
    jumped = ("IndirectBranch", btype, 2, TO_800)
    rows = [Block(itype, 0x100, 2), linear(0x800, 2)]
    sends(rows, [START, M_SYNC, jumped, ("NT.7.1.trap", "Ownership", 0b0_11_00)], **ON)
