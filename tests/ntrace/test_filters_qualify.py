# SPDX-License-Identifier: Apache-2.0
"""Filters and comparators of the Trace Control Interface: which blocks qualify, and where watchpoints fire."""

import pytest

from rvtrace.models.common.filters import OURS, FilterReading, FilterSettings
from rvtrace.models.riscv.beats import Beats
from rvtrace.models.riscv.retired import IType, Priv
from tests.ntrace.encoder_stream import OFF, RESET, Block, Row, each, exception, linear, row, to_beats

XRET = Block(IType.XRET, 0x100, 2)
PLAIN = linear(0x100, 2)


def chosen(settings: FilterSettings | str, rows: list[Row] | Beats, reading: FilterReading = OURS) -> str:
    """1 for each block that qualifies, 0 for the others, in order."""
    if isinstance(settings, str):
        settings = FilterSettings.parse(settings)
    beats = rows if isinstance(rows, Beats) else to_beats(rows)
    qualified, _ = settings.qualify(beats, reading)
    return "".join("01"[int(bit)] for bit in qualified[beats.valid()])


def at(*addresses: int) -> list[Row]:
    """One block at each address."""
    return each(linear(address, 2) for address in addresses)


@pytest.mark.parametrize(
    "condition, expected",
    [
        ("=0x200", "010"), ("!=0x200", "101"), ("<0x200", "100"), ("<=0x200", "110"), (">0x200", "001"),
        (">=0x200", "011"), ("=0x101..0x200", "010"), ("=0x100..0x1ff", "100"), ("!=0x101..0x200", "101"),
    ],
)  # fmt: skip
def test_comparisons(condition: str, expected: str) -> None:
    assert chosen("iaddr" + condition, at(0x100, 0x200, 0x300)) == expected
    blocks = [PLAIN._replace(context=value, tval=value) for value in (0x100, 0x200, 0x300)]
    assert chosen("context" + condition, each(blocks)) == expected
    traps = [exception(0x100)._replace(tval=value) for value in (0x100, 0x200, 0x300)]
    assert chosen("tval" + condition, each(traps)) == expected


def test_unsigned() -> None:
    assert chosen("iaddr>0x7fffffffffffffff", at(0x1000, 0x8000_0000_0000_0000)) == "01"


def test_privileges_and_alternatives() -> None:
    """Conditions of one filter are all needed, of two filters one is enough."""
    privs = [Priv.U, Priv.S, Priv.M, Priv.VU, Priv.VS]
    rows = each(PLAIN._replace(priv=priv, context=index) for index, priv in enumerate(privs))
    assert chosen("priv=M+VU", rows) == "00110"
    assert chosen("priv=M+VU&context=3", rows) == "00010"
    assert chosen("priv=M&context=2|priv=VS", rows) == "00101"
    assert chosen("", rows) == "11111"


def test_filter_that_is_not_enabled() -> None:
    """trTeInstFilters names a filter that is off: nothing is traced."""
    assert chosen(FilterSettings(1, ((0, 0, 0),)), at(0x100)) == "0"
    assert chosen(FilterSettings(0, ((1, 0, 0),)), at(0x100)) == "1"


def test_from_here_to_there() -> None:
    """Both ends belong to it; it can begin again, and one block may be both ends."""
    assert chosen("iaddr=0x200->0x300", at(0x300, 0x200, 0x100, 0x300, 0x100, 0x200)) == "011101"
    assert chosen("iaddr=0x200->0x200", at(0x100, 0x200, 0x100)) == "010"


def test_primed_latch() -> None:
    """Primary function 6: matching from the beginning, until the secondary result."""
    primed = FilterSettings(1, ((1 | 1 << 4, 0, 0),), ((6 << 4 | 3 << 12, 0, 0x300),))
    assert chosen(primed, at(0x200, 0x300, 0x200)) == "110"
    assert chosen("iaddr=->0x300", at(0x200, 0x300, 0x200, 0x300)) == "1100"


def test_secondary_as_mask() -> None:
    """Secondary function 6: SMatch masks the primary comparison."""
    masked = FilterSettings(1, ((1 | 1 << 4, 0, 0),), ((6 << 8, 0xFF34, 0x00FF),))
    assert chosen(masked, at(0x1034, 0x2034, 0x2035)) == "110"
    assert chosen("iaddr=0x34/0xff", at(0x1034, 0x2034, 0x2035)) == "110"


def test_match_bits_above_the_input() -> None:
    """They are ignored: context has 32 bits."""
    wide = FilterSettings(1, ((1 | 1 << 4, 0, 0),), ((1, 0x1_0000_0005, 0),))
    assert chosen(wide, each([PLAIN._replace(context=5)])) == "1"


def test_exception_codes() -> None:
    """From the handler of cause 2 to its xRET, nested traps and theirs included; cause 3 starts nothing."""
    two, three = exception(0x100)._replace(cause=2), exception(0x100)._replace(cause=3)
    stream = [PLAIN, three, PLAIN, XRET, two, PLAIN, three, PLAIN, XRET, PLAIN, XRET, PLAIN]
    assert chosen("ecause=2", each(stream)) == "000001111110"


def test_interrupts() -> None:
    """trap=interrupt starts with itype 2, trap=exception with itype 1."""
    stream = [exception(0x100), PLAIN, XRET, Block(IType.INTERRUPT, 0x100, 0), PLAIN, XRET, PLAIN]
    assert chosen("trap=interrupt", each(stream)) == "0000110"
    assert chosen("trap=exception", each(stream)) == "0110000"


@pytest.mark.parametrize("reading, expected", [(OURS, "0011001"), (FilterReading("true"), "1011011"),
                                               (FilterReading("compared"), "1010011")])  # fmt: skip
def test_interrupt_without_instructions_has_no_address(reading: FilterReading, expected: str) -> None:
    """It is where the block before is; a watchpoint at the address that the port carries is none."""
    here, there, plain = Block(IType.INTERRUPT, 0x200, 0), Block(IType.INTERRUPT, 0x100, 0), linear(0x200, 2)
    stream = each([here, PLAIN, plain, there, PLAIN, here, plain])
    assert chosen("iaddr=0x200;watch=0x200", stream, reading) == expected


def test_latch_goes_on_over_an_interrupt() -> None:
    alone = Block(IType.INTERRUPT, 0x300, 0)
    stream = each([linear(0x200, 2), alone, PLAIN, linear(0x300, 2), alone, PLAIN])
    assert chosen("iaddr=0x200->0x300", stream) == "111110"


def test_tval_means_something_with_a_trap_only() -> None:
    stream = each([PLAIN, exception(0x100)._replace(tval=5), PLAIN._replace(tval=5)])
    assert chosen("tval<9", stream) == "010" and chosen("tval!=1..2", stream) == "111"
    assert chosen("tval<9", stream, FilterReading(tval="always")) == "111"


def test_nesting_saturates() -> None:
    """The counter of 4 bits stays at 15: of 20 nested traps, the 16th xRET ends it."""
    traps, returns = [exception(0x100)] * 21, [XRET] * 20
    assert chosen("trap=exception", each([*traps, *returns])) == "0" + "1" * 20 + "1" * 16 + "0" * 4


def test_enable_resets() -> None:
    """trTeEnable=0 forgets the latch and the trap; trTeInstTracing=0 does not."""
    for text, first in (("iaddr=0x200->0x300", linear(0x200, 2)), ("trap=exception", exception(0x100))):
        first_bit = "1" if first.iretire else "0"
        assert chosen(text, [row(first), row(levels=OFF), row(PLAIN)]) == first_bit + "1"
        assert chosen(text, [row(first), row(levels=RESET), row(PLAIN)]) == first_bit + "0"
        assert chosen(text, [row(first, levels=OFF), row(PLAIN)]) == first_bit + "1"
    released = [row(linear(0x300, 2)), row(levels=RESET), row(PLAIN)]
    assert chosen("iaddr=->0x300", released) == "11"


def test_lanes_in_order() -> None:
    beats = to_beats([row(linear(0x100, 2), linear(0x200, 2)), row(linear(0x300, 2)), row(linear(0x100, 2))], lanes=2)
    assert chosen("iaddr=0x200->0x300", beats) == "0110"


def test_watchpoints() -> None:
    """A qualified block at the address; an input other than iaddr notifies nothing."""
    beats = to_beats(at(0x100, 0x200, 0x200))
    _, notify = FilterSettings.parse("watch=0x200").qualify(beats)
    assert notify[:, 0].tolist() == [False, True, True]
    _, notify = FilterSettings.parse("iaddr=0x100;watch=0x200").qualify(beats)
    assert not notify.any()
    secondary = FilterSettings(comps=((4 << 8 | 1 << 15, 0, 0x100), (1 | 1 << 14, 0, 0)))
    assert secondary.qualify(beats)[1][:, 0].tolist() == [False, True, True]
