# SPDX-License-Identifier: Apache-2.0
"""Control registers, iselect and entries as software sees them: WARL of each field, M and MTE kept, set and clear, XLEN
32 (CTR-11, 15).
"""

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.registers import control_fields
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, READ, SET, VS, WRITE, Access, M

ONES = (1 << 64) - 1
ADDRESS = {"v1_0": (0x34E, 0x14E, 0x24E), "v0_1_4": (0x381, 0x181, 0x281)}
FIELDS = [
    (variant, f.name, f.lsb)
    for variant in ADDRESS
    for f in control_fields(variant)
    if f.access == "WARL" and f.name != "DEPTH"
]


def written(ctr: Ctr, address: int, value: int, priv: int = M, op: int = WRITE, xlen32: int = 0) -> int:
    """Write, and give what M then reads."""
    assert ctr.access(Access(op, address, value, priv, xlen32)).outcome == DONE
    return ctr.peek(Access(READ, address, 0, M)).rdata


@pytest.mark.parametrize(("variant", "name", "bit"), FIELDS)
def test_each_optional_field_is_kept_or_reads_0(variant: str, name: str, bit: int) -> None:
    machine, supervisor, guest = ADDRESS[variant]
    hidden = name in ("M", "MTE")
    full = Ctr(Config(variant=variant, has_stateen=0))
    assert written(full, machine, 1 << bit) == 1 << bit
    assert written(full, guest, 1 << bit) == (0 if hidden else 1 << bit)
    assert full.peek(Access(READ, supervisor, 0, HS)).rdata == (0 if hidden else 1 << bit)
    lean = Ctr(Config(variant=variant, fields=0, has_stateen=0))
    required = name in (("M", "S", "U", "BPFRZ") if variant == "v1_0" else ("M", "S", "U"))
    assert written(lean, machine, 1 << bit) == (1 << bit if required else 0)
    assert written(lean, guest, ONES) & ~(0xF << 16) == (0x803 if variant == "v1_0" else 0x6)


@pytest.mark.parametrize(
    ("variant", "mine", "both"),
    [("v1_0", 1 << 2 | 1 << 9, 0xFF3E00001983), ("v0_1_4", 1 << 0 | 1 << 8, 0xFF7E000F1E06)],
)
def test_a_supervisor_write_keeps_m_and_mte(variant: str, mine: int, both: int) -> None:
    machine, supervisor, _ = ADDRESS[variant]
    ctr = Ctr(Config(variant=variant, has_stateen=0))
    depth = 0 if variant == "v1_0" else 0xF << 16
    written(ctr, machine, mine | depth)
    for mode in (HS, M):
        written(ctr, supervisor, ONES & ~(1 << 7 if depth else 0), mode)
        assert ctr.peek(Access(READ, machine)).rdata == both | mine
        written(ctr, supervisor, depth, mode)
        assert ctr.peek(Access(READ, machine)).rdata == mine | depth
        assert ctr.peek(Access(READ, supervisor, 0, mode)).rdata == depth
    written(ctr, machine, 0)
    written(ctr, supervisor, ONES & ~(1 << 7 if depth else 0))
    assert ctr.peek(Access(READ, machine)).rdata == both


def test_the_guest_sees_the_vs_register() -> None:
    for variant, (machine, supervisor, guest) in ADDRESS.items():
        ctr = Ctr(Config(variant=variant, has_stateen=0))
        ctr.access(Access(WRITE, supervisor, 2, VS))
        assert ctr.peek(Access(READ, guest)).rdata == 2 and ctr.peek(Access(READ, machine)).rdata == 0
        assert (
            ctr.peek(Access(READ, supervisor, 0, VS)).rdata == 2
            and ctr.peek(Access(READ, supervisor, 0, HS)).rdata == 0
        )


def test_vsctrcontrol_depth_is_a_read_only_copy() -> None:
    ctr = Ctr(Config(variant="v0_1_4", has_stateen=0))
    assert written(ctr, 0x281, ONES) & 0xF0000 == 0
    written(ctr, 0x381, 7 << 16)
    assert ctr.peek(Access(READ, 0x281)).rdata & 0xF0000 == 7 << 16
    ctr.access(Access(WRITE, 0x181, 0xF << 16, VS))
    assert ctr.peek(Access(READ, 0x381)).rdata == 7 << 16 and ctr.state.depth == 128


def test_set_and_clear_work_on_what_is_read_and_0_does_not_write() -> None:
    ctr = Ctr(Config())
    assert ctr.access(Access(SET, 0x34E, 0x87))[:2] == (0, DONE)
    assert ctr.access(Access(CLEAR, 0x34E, 0x2))[:2] == (0x87, DONE)
    ctr.retire(M, [])
    ctr.recorder.invalid = False
    for op in (SET, CLEAR, READ):
        assert ctr.access(Access(op, 0x34E, 0 if op != READ else ONES))[:2] == (0x85, DONE)
    assert ctr.state.counter == 1 and ctr.state.ccv_next  # nothing was written
    ctr.access(Access(WRITE, 0x34E, 0x85))
    assert ctr.state.counter == 0 and not ctr.state.ccv_next  # a write that changes nothing


def test_rv32_reaches_the_upper_half_only_in_the_draft() -> None:
    ratified = Ctr(Config(xlen=32))
    assert written(ratified, 0x34E, ONES) == 0x1B87 and ratified.state.ctl == 0x1B87
    draft = Ctr(Config(variant="v0_1_4", xlen=32, has_stateen=0))
    assert written(draft, 0x382, ONES) == 0xFF7E and written(draft, 0x381, 7) == 7
    assert draft.state.ctl == 0xFF7E << 32 | 7
    assert written(draft, 0x182, 2, HS) == 2 and draft.state.ctl == 2 << 32 | 7  # M stays
    draft.access(Access(WRITE, 0x182, 6, VS))
    assert draft.state.vsctl == 6 << 32 and draft.state.ctl == 2 << 32 | 7


def test_an_access_at_xlen_32_on_rv64() -> None:
    ctr = Ctr(Config(has_stateen=0))
    ctr.access(Access(WRITE, 0x34E, 0xFF3E00001B87))
    assert ctr.access(Access(WRITE, 0x14E, 1, HS, 1))[:2] == (0x1983, DONE)
    assert ctr.state.ctl == 0xFF3E00000205  # bits 63:32, M and MTE stay
    ctr.access(Access(WRITE, 0x150, 0x200))
    ctr.access(Access(WRITE, 0x151, 0x1122334455667789))
    assert ctr.access(Access(READ, 0x151, 0, HS, 1)).rdata == 0x55667789
    ctr.access(Access(SET, 0x151, 2, HS, 1))
    assert ctr.peek(Access(READ, 0x151)).rdata == 0x5566778B  # zero-extended
    ctr.access(Access(WRITE, 0x150, 1 << 63 | 0x12345678_00000200))
    assert ctr.access(Access(READ, 0x150, 0, HS, 1)).rdata == 0x80000200
    ctr.access(Access(WRITE, 0x150, 0x80000201, HS, 1))
    assert ctr.peek(Access(READ, 0x150)).rdata == 1 << 63 | 0x201
