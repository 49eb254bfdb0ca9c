# SPDX-License-Identifier: Apache-2.0
"""What is recorded of a transfer: privilege transitions, Debug Mode, filters and their register at a V transition
(CTR-3, 6, 9).
"""

from typing import Any

import pytest

from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Record, Transfer
from rvtrace.models.riscv.csr import DEBUG, HS, VS, VU, WRITE, Access, M, U

CTL, VSCTL = {"v1_0": 0x34E, "v0_1_4": 0x381}, {"v1_0": 0x24E, "v0_1_4": 0x281}
MODES = {"v1_0": {U: 1, HS: 2, M: 4, VU: 1, VS: 2}, "v0_1_4": {U: 4, HS: 2, M: 1, VU: 4, VS: 2}}
VARIANTS = list(CTL)
FILTER_BIT = {1: 33, 2: 34, 3: 35, 4: 36, 5: 37, 8: 40, 9: 41, 10: 42, 11: 43, 12: 44, 13: 45, 14: 46, 15: 47}


def after(
    variant: str, modes: tuple[int, ...], transfer: Transfer, ctl: int = 0, vsctl: int = 0, **options: Any
) -> Record | None:
    """The record that one transfer leaves with these modes enabled; None if it is not recorded."""
    ctr = Ctr(Config(variant=variant, **options))
    for mode in modes:
        bit = MODES[variant][mode]
        ctl, vsctl = (ctl, vsctl | bit) if mode in (VU, VS) else (ctl | bit, vsctl)
    ctr.access(Access(WRITE, CTL[variant], ctl))
    ctr.access(Access(WRITE, VSCTL[variant], vsctl))
    ctr.retire(transfer.from_, [transfer])
    return ctr.entry(0) if ctr.state.wrptr else None


def record(transfer: Transfer, source: int, target: int) -> Record:
    """A record after a control write: CCV 0, CC 0."""
    return Record(True, source, target, transfer.misp, transfer.type, False, 0)


# Table Trap and Trap Return Recording, between U and S and between VU and HS: enabled modes, source and target PC
# recorded.
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("low", "high"), [(U, HS), (U, M), (HS, M), (VU, VS), (VU, HS), (VS, M)])
def test_privilege_transitions(variant: str, low: int, high: int) -> None:
    trap, back = Transfer(2, 0x100, 0x200, 0, low, high, 5), Transfer(3, 0x200, 0x100, 0, high, low)
    assert after(variant, (low, high), trap) == record(trap, 0x100, 0x200)
    assert after(variant, (low,), trap) is None  # external trap
    assert after(variant, (high,), trap) == record(trap, 0, 0x200)
    assert after(variant, (), trap) is None
    assert after(variant, (low, high), back) == record(back, 0x200, 0x100)
    assert after(variant, (high,), back) == record(back, 0x200, 0)
    assert after(variant, (low,), back) is None
    assert after(variant, (), back) is None


@pytest.mark.parametrize("variant", VARIANTS)
def test_debug_mode_never(variant: str) -> None:
    for transfer in (
        Transfer(1, 2, 4, 0, M, DEBUG, 3),
        Transfer(3, 2, 4, 0, DEBUG, M),
        Transfer(5, 2, 4, 0, DEBUG, DEBUG),
    ):
        assert after(variant, (U, HS, M, VU, VS), transfer, ctl=3 << 11 | 3 << 8) is None


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("mode", [U, HS, M, VU, VS])
def test_each_mode_has_its_own_enable(variant: str, mode: int) -> None:
    jump = Transfer(11, 0x100, 0x200, 1, mode, mode)
    assert after(variant, (mode,), jump) == Record(True, 0x100, 0x200, 1, 11, False, 0)
    assert after(variant, tuple(m for m in (U, HS, M, VU, VS) if m != mode), jump) is None


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("type_", "bit"), FILTER_BIT.items())
def test_each_filter_stops_its_type_alone(variant: str, type_: int, bit: int) -> None:
    every = (U, HS, M, VU, VS)
    recorded = {t for t in FILTER_BIT if after(variant, every, Transfer(t, 2, 4, 0, M, M), ctl=1 << bit)}
    default = set(FILTER_BIT) - {4}
    assert recorded == (default | {4} if type_ == 4 else default - {type_})
    lean = {t for t in FILTER_BIT if after(variant, every, Transfer(t, 2, 4, 0, M, M), ctl=1 << bit, fields=0)}
    assert lean == default  # an unimplemented filter is the default


def test_types_that_do_not_exist_are_not_recorded() -> None:
    assert [after("v1_0", (M,), Transfer(t, 2, 4, 0, M, M)) for t in (0, 6, 7)] == [None] * 3


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(("from_", "to"), [(VU, HS), (VS, M), (VU, VS), (VS, VS)])
def test_the_guests_filters_rule_a_v_transition(variant: str, from_: int, to: int) -> None:
    every = (U, HS, M, VU, VS)
    trap, back = Transfer(1, 0x100, 0x200, 0, from_, to, 8), Transfer(3, 0x200, 0x100, 0, to, from_)
    exc, tret = 1 << 33, 1 << 35
    assert after(variant, every, trap, ctl=exc) == record(trap, 0x100, 0x200)
    assert after(variant, every, trap, vsctl=exc) is None
    assert after(variant, every, back, ctl=tret) == record(back, 0x200, 0x100)
    assert after(variant, every, back, vsctl=tret) is None
    assert after(variant, every, Transfer(1, 2, 4, 0, U, HS, 8), vsctl=exc) is not None


def test_addresses_have_no_bit_0_and_the_width_of_xlen() -> None:
    odd = Transfer(9, 0x1_2345_6789, 0xFFFF_FFFF_FFFF_FFFF, 0, M, M)
    assert after("v1_0", (M,), odd) == Record(True, 0x1_2345_6788, 0xFFFF_FFFF_FFFF_FFFE, 0, 9, False, 0)
    assert after("v1_0", (M,), odd, xlen=32) == Record(True, 0x2345_6788, 0xFFFF_FFFE, 0, 9, False, 0)


def test_fields_of_an_entry_that_are_not_there_stay_0() -> None:
    wrong = Transfer(9, 0x100, 0x200, 1, M, M)
    assert after("v1_0", (M,), wrong, has_misp=0, has_type=0, has_cc=0) == Record(True, 0x100, 0x200, 0, 0, False, 0)
