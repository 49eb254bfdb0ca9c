# SPDX-License-Identifier: Apache-2.0
"""Depths: supported and other codes, what a change leaves, and what the two clears clear (CTR-10, CTR-14)."""

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.records import SCTRCLR
from rvtrace.models.riscv.csr import HS, READ, VS, WRITE, Access, M
from tests.ctr.blocks import DRAFT, block, jump, read


def test_v1_0_depths_that_are_not_supported_change_nothing() -> None:
    ctr = block(Config(depths=(16, 64), has_stateen=0), 64)
    ctr.retire(M, [jump(1)])
    for code in (1, 3, 4, 5, 6, 7):
        ctr.access(Access(WRITE, 0x15F, code))
        assert ctr.access(Access(READ, 0x15F)).rdata == 2 and ctr.state.wrptr == 1
    ctr.access(Access(WRITE, 0x15F, 2))
    assert ctr.state.wrptr == 1  # no change of depth
    ctr.access(Access(WRITE, 0x15F, 0xFFFFFFF8))  # only bits 2:0 are there
    assert (ctr.state.depth, ctr.state.wrptr) == (16, 0)


def test_draft_depth_takes_the_greatest_supported_not_above() -> None:
    ctr = block(Config(variant="v0_1_4", depths=(32, 64, 128), has_stateen=0), 32)
    expected = {0: 1, 1: 1, 2: 1, 3: 3, 4: 3, 6: 3, 7: 7, 8: 7, 14: 7, 15: 7}
    for code, kept in expected.items():
        ctr.access(Access(WRITE, 0x381, code << 16))
        assert ctr.access(Access(READ, 0x381)).rdata == kept << 16


def test_draft_depth_change_keeps_entries_wrap_and_wrptr_modulo_depth() -> None:
    ctr = block(DRAFT, 32)
    for n in range(20):
        ctr.retire(M, [jump(n)])
    ctr.access(Access(WRITE, 0x183, 1 << 14 | 20))
    ctr.access(Access(WRITE, 0x181, 0))
    assert (ctr.state.depth, ctr.state.wrptr, ctr.state.wrap, ctr.state.ctl) == (16, 4, 1, 1)
    assert ctr.entry(0).source == 3 * 16 and ctr.entry(4).source == 15 * 16 and read(ctr, 16) == 0
    ctr.access(Access(WRITE, 0x181, 1 << 16))
    assert ctr.state.wrptr == 4 and ctr.entry(20).source == 15 * 16  # physical (4 - 20 - 1) mod 32 = 15


def test_clears() -> None:
    ctr = block(depth=64)
    for n in range(64):
        ctr.retire(M, [jump(n)])
    ctr.access(Access(WRITE, 0x14F, 1 << 31 | 5))
    ctr.access(Access(WRITE, 0x15F, 0))
    ctr.access(Access(WRITE, 0x14F, 1 << 31 | 5))
    ctr.access(Access(SCTRCLR, priv=HS))
    assert ctr.access(Access(READ, 0x14F)).rdata == 1 << 31 | 5  # the status stays
    ctr.access(Access(WRITE, 0x15F, 2))
    assert not any(ctr.recorder.source) and not any(ctr.recorder.target) and not any(ctr.recorder.data)


def test_clr_of_the_draft() -> None:
    ctr = block(DRAFT, 32)
    for n in range(33):
        ctr.retire(M, [jump(n)])
    ctr.access(Access(WRITE, 0x383, 1 << 15 | 1 << 14 | 3))
    before = ctr.state
    for access in (Access(WRITE, 0x281, 0x80), Access(WRITE, 0x281, 0x80, HS)):
        ctr.access(access)  # vsctrcontrol.CLR acts only if V = 1
        assert (ctr.state.wrptr, ctr.state.frozen, ctr.entry(0)[0]) == (before.wrptr, 1, True)
    ctr.access(Access(WRITE, 0x181, 0x80))  # DEPTH 0 with it: 16 entries
    assert (ctr.state.wrptr, ctr.state.wrap, ctr.state.frozen, ctr.state.depth, ctr.state.ctl) == (0, 0, 0, 16, 1)
    assert not any(ctr.recorder.source[:32])  # nothing stays above the smaller depth (2.1)
    assert ctr.access(Access(READ, 0x381)).rdata == 1  # CLR reads 0
    ctr.retire(M, [jump(1)])
    ctr.access(Access(WRITE, 0x181, 0x80, VS))
    assert ctr.state.wrptr == 0 and not ctr.entry(0).valid
