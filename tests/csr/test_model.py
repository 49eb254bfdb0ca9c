# SPDX-License-Identifier: Apache-2.0
"""The model of a CSR file, on a group that is a table in this folder: values, legal values, rules, indirect access."""

import pytest

from rvtrace.models.csr import ControlError, Csr, CsrFile, CsrModel, Gates, joined
from rvtrace.models.csr.table import Register, row
from rvtrace.models.riscv.csr import CLEAR, DONE, HS, ILLEGAL, READ, SET, VIRTUAL, VS, VU, WRITE, Access, M, U
from tests.csr.group import LANES, example

ALL = (1 << 64) - 1
OPEN = 1 << 3 | 1 << 60


@pytest.fixture
def model() -> CsrModel:
    """The group with its state enables open."""
    made = CsrModel(example())
    for address in (0x30C, 0x60C):
        made.access(Access(WRITE, address, ALL))
    return made


def value(model: CsrModel, address: int, priv: int = M, xlen32: int = 0) -> int:
    """What a read gives, which must be done."""
    answer = model.access(Access(READ, address, 0, priv, xlen32))
    assert answer.outcome == DONE
    return answer.rdata


def test_a_write_leaves_what_is_legal(model: CsrModel) -> None:
    model.access(Access(WRITE, 0x7C0, ALL))
    assert value(model, 0x7C0) == 1 << 63  # MODE 3 is not legal and becomes 0, WPRI reads 0
    model.access(Access(SET, 0x7C0, 2))
    model.access(Access(CLEAR, 0x7C0, 1 << 63))
    assert value(model, 0x7C0) == 2
    assert value(model, 0x30C) == OPEN  # no other bits of mstateen0 exist


def test_a_read_only_address_refuses_writes(model: CsrModel) -> None:
    assert model.access(Access(WRITE, 0xCC0, 0)).outcome == ILLEGAL
    assert model.access(Access(SET, 0xCC0, 0)).outcome == DONE and value(model, 0xCC0) == 3


@pytest.mark.parametrize(
    ("address", "priv", "gates", "want"),
    [
        (0x7C0, HS, OPEN, ILLEGAL),
        (0x7C0, VS, OPEN, ILLEGAL),
        (0x5C0, U, OPEN, ILLEGAL),
        (0x5C0, VU, OPEN, VIRTUAL),
        (0x5C0, VS, OPEN, DONE),
        (0x6C0, VS, OPEN, VIRTUAL),
        (0x6C0, HS, OPEN, DONE),
        (0x5C0, HS, 0, ILLEGAL),
        (0x5C0, M, 0, DONE),
        (0x151, HS, OPEN, DONE),
        (0x151, HS, 1 << 60, ILLEGAL),  # the entry needs EX
        (0x151, HS, 1 << 3, ILLEGAL),  # and sireg CSRIND
        (0x7C1, M, OPEN, ILLEGAL),
    ],
)
def test_who_may(address: int, priv: int, gates: int, want: int) -> None:
    file = example()
    held = Gates(gates, gates, 0x40, 0x40, 0x40)
    assert file.outcome(held, file.at.get(address), Access(READ, address, 0, priv)) == want


def test_hstateen_decides_with_v_only(model: CsrModel) -> None:
    model.access(Access(WRITE, 0x60C, 0))
    assert model.peek(Access(READ, 0x5C0, 0, VS)).outcome == VIRTUAL
    assert model.peek(Access(READ, 0x5C0, 0, HS)).outcome == DONE


def test_with_v_the_vs_register_replaces_it(model: CsrModel) -> None:
    model.access(Access(WRITE, 0x5C0, 7, VS))
    assert value(model, 0x6C0) == 7 and value(model, 0x5C0, HS) == 0 and value(model, 0x5C0, VS) == 7


def test_each_value_of_an_iselect_is_a_register(model: CsrModel) -> None:
    for lane in range(4):
        model.access(Access(WRITE, 0x150, 0x40 + lane, HS))
        assert value(model, 0x151, HS) == 5 << 28  # reset
        model.access(Access(WRITE, 0x151, (8 if lane % 2 else 9) | ALL << 4 & ALL, HS))
    for lane in range(4):
        model.access(Access(WRITE, 0x250, 0x40 + lane))
        assert value(model, 0x151, VS) == value(model, 0x251) == (8 if lane % 2 else 0) | 5 << 28
    assert value(model, 0x152, HS) == 0  # no register of this lane
    model.access(Access(WRITE, 0x150, 0x44, HS))
    assert model.peek(Access(READ, 0x151, 0, HS)).outcome == ILLEGAL


def test_at_xlen_32_half_a_register_is_written(model: CsrModel) -> None:
    model.access(Access(WRITE, 0x5C0, 0x1_0000_0002, HS))
    model.access(Access(WRITE, 0x5C0, ALL, HS, 1))
    assert value(model, 0x5C0, HS) == 0x1_FFFF_FFFF and value(model, 0x5C0, HS, 1) == 0xFFFF_FFFF
    model.access(Access(WRITE, 0x150, 1 << 31 | 0x41, HS, 1))  # bit 31 is bit 63, and 62:31 are hidden
    assert value(model, 0x150, HS) == 1 << 63 | 0x41 and value(model, 0x150, HS, 1) == 1 << 31 | 0x41
    assert model.peek(Access(READ, 0x31C, 0, M)).outcome == ILLEGAL
    assert value(model, 0x31C, M, 1) == OPEN >> 32


def test_groups_join_to_one_file() -> None:
    other = CsrFile(64, (Csr(0x7D0, "mother", "other", "Other", (row("A", "0", "WARL", ""),), width=64),))
    model = CsrModel(joined(example(), other))
    model.access(Access(WRITE, 0x7D0, ALL))
    assert value(model, 0x7D0) == 1 and value(model, 0x7C0) == 0
    assert model.file.indirect == (LANES,) and model.file.csr("mother").address == 0x7D0
    with pytest.raises(ControlError, match="there is no CSR sother"):
        model.file.csr("sother")


def test_a_field_and_a_register_say_what_there_is() -> None:
    register = Register(0, "one", "", "", (row("A", "3", "WARL", ""), row("B", "2:0", "RW1C", "")))
    assert register.field("B").mask == 7 and register.mask == 15 and register.warl(15) == 8
    with pytest.raises(ControlError, match="has no field C; it has A, B"):
        register.field("C")
    with pytest.raises(ControlError, match="access RX"):
        row("A", "0", "RX", "")
