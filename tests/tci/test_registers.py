# SPDX-License-Identifier: Apache-2.0
"""The register table: consistent with the RTL package and the documentation, without overlaps,
and legal in what it says.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rvtrace.flow.generate.files import outdated
from rvtrace.models.csr.table import ControlError
from rvtrace.models.tci.registers import (
    Params,
    address,
    component,
    components,
    initial,
    legalize,
    reachable,
    registers,
    written,
)

SMALL = Params(
    harts=1,
    xlen=32,
    filters=0,
    comparators=0,
    triggers=False,
    ts_modes=(),
    funnel_ts_modes=(),
    sram_bytes=0,
    inst_modes=(3,),
    implicit_return_modes=(),
    vendor=False,
    pin_modes=(0, 10),
    smem_bits=32,
)
ALL = [(params, r) for params in (Params(), SMALL, Params.etrace()) for c in components(params) for r in c.registers]
ETRACE = Params.etrace()
WORDS = st.integers(0, 0xFFFFFFFF)


def test_generated_files_are_in_step() -> None:
    assert outdated() == [], "type `python -m rvtrace.flow.generate`"


def test_fields_do_not_overlap_and_fit() -> None:
    for _, register in ALL:
        seen = 0
        for field in register.fields:
            assert field.lsb + field.width <= 32 and not seen & field.mask, f"{register.name}.{field.name}"
            assert field.reset >> field.width == 0, f"{register.name}.{field.name}"
            seen |= field.mask


def test_names_and_offsets_are_unique() -> None:
    for params in (Params(), SMALL, Params.etrace()):
        for found in components(params):
            assert all(base % 0x1000 == 0 for base in found.bases)
            assert (
                len({r.offset for r in found.registers})
                == len({r.name for r in found.registers})
                == len(found.registers)
            )
            assert (
                found.register("trTeImpl" if found.name == "encoder" else 4).field(f"{found.prefix}CompType").reset
                == found.comp_type
            )


@given(st.sampled_from(ALL), WORDS)
def test_what_a_write_leaves_is_legal(case: tuple, value: int) -> None:
    params, register = case
    once = legalize(register, value, params)
    assert legalize(register, once, params) == once
    for field in register.fields:
        values = reachable(field)
        if field.access in ("RW", "WARL") and values is not None:
            assert field.get(once) in values
    assert once & ~sum(f.mask for f in register.fields) == 0


@given(st.sampled_from(ALL), WORDS, WORDS)
def test_inactive_registers_hold_their_reset_value(case: tuple, old: int, value: int) -> None:
    params, register = case
    if not register.active:
        return
    control = register.fields[0].name == register.active
    expected = register.reset | (value & 1) if control else register.reset
    assert written(register, old, value, params, active=False) == expected


def test_what_ntrace_fixes() -> None:
    """N-Trace 1.0: format 1, protocol 1.0; what does not apply to it is hard 0."""
    encoder, *_ = components(Params())
    impl = encoder.register("trTeImpl")
    assert impl.field("trTeProtocolMajor").reset == 1 and impl.field("trTeProtocolMinor").reset == 0
    assert legalize("trTeControl", 0xFFFF_FFFF) >> 24 & 7 == 1
    for bit in (0, 1, 4, 5):
        assert not legalize("trTeInstFeatures", 1 << bit) >> bit & 1
    for mode in range(8):
        assert legalize("trTeControl", mode << 4) >> 4 & 7 in (3, 6), "an unsupported mode never turns into 0"


def test_what_etrace_fixes() -> None:
    """E-Trace 2.0, Encoder Control: format and protocol 0, mode 6, what does not apply hard 0; the optional modes are
    those of the encoder.
    """
    encoder, *_ = components(ETRACE)
    assert encoder.register("trTeImpl").reset >> 16 == 0
    for value in (0, 0xFFFF_FFFF):
        control = legalize("trTeControl", value, ETRACE)
        assert (control >> 24 & 7, control >> 4 & 7, control >> 9 & 1) == (0, 6, 1)
    assert legalize("trTeInstFeatures", 0xFFFF_FFFF, ETRACE) & 0x7FF == 0b000_11_111111
    index = [legalize("trTeInstFeatures", bits << 28, ETRACE) >> 28 for bits in (0, 1, 8, 12)]
    assert index == [0, 8, 8, 8], "no index, or a byte of it"
    assert {"trTeTrigExtInControl", "trTeTrigExtOutControl"}.isdisjoint(r.name for r in encoder.registers)
    bare = Params.etrace(
        implicit_return_modes=(), sequential_jump=False, branch_prediction=False, jump_target_cache=False, contexts=(0,)
    )
    assert legalize("trTeInstFeatures", 0x7FF, bare) == 0b11 and not legalize("trTeControl", 1 << 9, bare) >> 9 & 1


def test_rules_of_the_accesses() -> None:
    assert written("trTeControl", 0x100B, 0x1003) == legalize("trTeControl", 3), "1 clears, and the rest is taken"
    assert written("trTeControl", 0x1003, 0x0003) & 0x1000, "0 leaves it"
    assert written("trTeControl", 0xFFFF, 0xFFFE) == initial("trTeControl"), "Active 0 clears Enable and all"
    assert not legalize("trPibControl", 1 << 8) >> 8 & 1 and legalize("trPibControl", 1 << 8 | 8 << 4) >> 8 & 1, (
        "parallel modes only"
    )
    for offset in ("Start", "Limit", "WP", "RP"):
        assert not legalize(f"trRam{offset}Low", 0xFFFF_FFFF) & 2


def test_modes_fall_back_as_the_specification_asks() -> None:
    assert [legalize("trTeControl", mode << 4) >> 4 & 7 for mode in range(8)] == [6, 6, 6, 3, 6, 6, 6, 6]
    assert legalize("trTeControl", 6 << 4, SMALL) >> 4 & 7 == 3
    assert legalize("trPibControl", 0x1A2) & 0x1F0 == 0x1A0
    assert legalize("trPibControl", 0x1E2) & 0x1F0 == 0  # no such mode: off, and then no ClkCenter
    assert legalize("trTeTrigExtInControl", 0x54321F40) == 0x04320040


def test_ram_addresses_follow_the_mode() -> None:
    assert legalize("trRamLimitLow", 0xFFFFFFFF) == 0xFFC
    assert legalize("trRamLimitLow", 0xFFFFFFFF, state={"trRamMode": 1}) == 0xFFFFFFFC
    assert legalize("trRamStartLow", 0xFFFFFFFF) == 0
    assert legalize("trRamWPLow", 0xFFFFFFFF) == 0xFFD
    assert legalize("trRamRPLow", 0xFFFFFFFF, state={"trRamMode": 1}) == 0
    assert legalize("trRamLimitHigh", 0xFFFFFFFF, state={"trRamMode": 1}) == 0xFF
    assert legalize("trRamRPLow", 0xFFFFFFFF, Params(sram_bytes=0)) == 0  # then the mode is 1


def test_sticky_bits_are_cleared_by_one() -> None:
    lost = 1 << 12
    assert written("trTeControl", initial("trTeControl") | 3 | lost, 3) & lost == lost
    assert written("trTeControl", initial("trTeControl") | 3 | lost, 3 | lost) & lost == 0
    assert written("trTeControl", initial("trTeControl") | 3 | lost, 0) == initial("trTeControl")


def test_addresses_and_sentences() -> None:
    assert address("encoder", "trTeComp1SMatchHigh", 1) == 0x1000 + 0x63C
    assert address("pin_sink", "trPibImpl") == 0xA004
    assert "trTeFilter0Control" not in {r.name for r in registers("encoder", SMALL)}
    for call in (lambda: component("sink"), lambda: address("encoder", "trTeControl", 2), lambda: initial("trTeX"),
                 lambda: component("funnel").register(0x10), lambda: Params(harts=9)):  # fmt: skip
        with pytest.raises(ControlError, match="give|has|there"):
            call()
