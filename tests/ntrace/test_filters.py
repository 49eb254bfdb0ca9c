# SPDX-License-Identifier: Apache-2.0
"""Filters and comparators of the Trace Control Interface: the language and the registers."""

import pytest

from rvtrace.models.common.filters import FilterError, FilterSettings
from rvtrace.models.ntrace.config import Config, ConfigError


def test_registers_of_the_example() -> None:
    """Bit positions from the Trace Control Interface's tables."""
    text = "iaddr=0x80000100..0x800001ff&priv=M|context=5"
    registers = FilterSettings.parse(text).registers()
    comp_0 = 0 | 0 << 2 | 5 << 4 | 3 << 8 | 1 << 12  # iaddr >= P and iaddr <= S
    expected = {
        "trTeInstFilters": 0b11,
        "trTeFilter0Control": 1 | 1 << 1 | 1 << 4 | 0 << 5, "trTeFilter0MatchInst": 1 << 3,
        "trTeFilter1Control": 1 | 1 << 4 | 1 << 5, "trTeFilter1MatchInst": 0,
        "trTeComp0Control": comp_0, "trTeComp0PMatchLow": 0x8000_0100, "trTeComp0SMatchLow": 0x8000_01FF,
        "trTeComp1Control": 1, "trTeComp1PMatchLow": 5,
    }  # fmt: skip
    assert {name: value for name, value in registers.items() if value} == {k: v for k, v in expected.items() if v}
    assert len(registers) == 1 + 2 * 4 + 2 * 5


def test_registers_of_traps_and_watchpoints() -> None:
    text = "ecause=2+40&trap=interrupt&priv=VS+U; watch=0x1_0000_0040"
    registers = FilterSettings.parse(text).registers()
    assert {name: value for name, value in registers.items() if value} == {
        "trTeInstFilters": 1,
        "trTeFilter0Control": 0b1111, "trTeFilter0MatchInst": 1 << 8 | 1 << 6 | 1 << 0,
        "trTeFilter0MatchEcauseLow": 1 << 2, "trTeFilter0MatchEcauseHigh": 1 << 8,
        "trTeComp0Control": 1 << 14, "trTeComp0PMatchLow": 0x40, "trTeComp0PMatchHigh": 1,
    }  # fmt: skip


def test_registers_of_the_special_functions() -> None:
    """Primary function 6 sets the latch at first, secondary function 6 makes SMatch a mask (trTeCompControl)."""
    registers = FilterSettings.parse("context=->5|tval>=0x1_0000_0000/0xf_0000_0000").registers()
    assert {name: value for name, value in registers.items() if value and "Comp" in name} == {
        "trTeComp0Control": 1 | 1 << 2 | 6 << 4 | 0 << 8 | 3 << 12, "trTeComp0SMatchLow": 5,
        "trTeComp1Control": 2 | 5 << 4 | 6 << 8, "trTeComp1PMatchHigh": 1, "trTeComp1SMatchHigh": 0xF,
    }  # fmt: skip


def test_registers_of_what_is_configured_and_matches_nothing() -> None:
    """A filter without its bit of trTeInstFilters, and one without trTeFilterEnable, have all else."""
    registers = FilterSettings.parse("unselected:priv=M|disabled:ecause=2").registers()
    assert {name: value for name, value in registers.items() if value} == {
        "trTeInstFilters": 0b10,
        "trTeFilter0Control": 0b11, "trTeFilter0MatchInst": 1 << 3,
        "trTeFilter1Control": 1 << 2, "trTeFilter1MatchEcauseLow": 1 << 2,
    }  # fmt: skip


@pytest.mark.parametrize(
    "text, way_out",
    [
        ("iaddr", "write name, comparison and value"), ("pc=5", "iaddr"), ("iaddr=x", "give a number"),
        ("iaddr=9..5", "lower end first"), ("iaddr<1..5", "= or !="), ("priv=H", "M"), ("priv!=M", "priv="),
        ("ecause=64", "at most 6 bits"), ("context=0x100000000", "at most 32 bits"), ("iaddr=0x100000000", "32 bits"),
        ("trap=both", "interrupt"), ("iaddr=1|iaddr=3|iaddr=5", "leave"), ("priv=M|priv=S|priv=U", "leave"),
        ("iaddr=1;context=2", "|"), ("iaddr=2;watch=4;watch=6", "leave"), ("iaddr!=1->2", "number"),
        ("iaddr=1->", "number"), ("iaddr=/4", "number"), ("context=1/0x100000000", "at most 32 bits"),
        ("iaddr!=->2", "number"), ("off:priv=M", "unselected: and disabled:"),
    ],
)  # fmt: skip
def test_what_is_no_filter(text: str, way_out: str) -> None:
    """One sentence with the way out; a configuration refuses the same text."""
    with pytest.raises(FilterError) as error:
        FilterSettings.parse(text, xlen=32)
    assert way_out in str(error.value) and "\n" not in str(error.value)
    with pytest.raises(ConfigError, match="FILTER="):
        Config(filter=text, xlen=32)
