# SPDX-License-Identifier: Apache-2.0
"""The register table against a second reading of the Trace Control Interface 1.0: offsets, bits, access, fixed values.

RTL, register model and checks are made from the one table; this page of the specification's facts is what holds the
table.
"""

from __future__ import annotations

import pytest

from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.registers import components, legalize, written

PARAMS, ETRACE = Params(), Params.etrace()
# component: type, then register: offset, and its fields as "name bits access"; the prefix of the component is left out.
FACTS = {
    "encoder": (
        1,
        "trTe",
        {
            "Control": (
                0x000,
                (
                    "Active 0 RW|Enable 1 RW|InstTracing 2 RW|Empty 3 RO|InstMode 6:4 WARL|Context 9"
                    " WARL|InstTrigEnable 11 WARL|InstStallOrOverflow 12 RW1C|InstStallEna 13 WARL|InhibitSrc 15"
                    " WARL|InstSyncMode 17:16 WARL|InstSyncMax 23:20 WARL|Format 26:24 WARL"
                ),
            ),
            "Impl": (
                0x004,
                (
                    "VerMajor 3:0 RO|VerMinor 7:4 RO|CompType 11:8 RO|ProtocolMajor 19:16 RO|ProtocolMinor 23:20"
                    " RO|Vendor 31:24 RO"
                ),
            ),
            "InstFeatures": (
                0x008,
                (
                    "InstNoAddrDiff 0 WARL|InstNoTrapAddr 1 WARL|InstEnSequentialJump 2 WARL|InstEnImplicitReturn 3"
                    " WARL|InstEnBranchPrediction 4 WARL|InstEnJumpTargetCache 5 WARL|InstImplicitReturnMode 7:6"
                    " WARL|InstEnRepeatedHistory 8 WARL|InstEnAllJumps 9 WARL|InstExtendAddrMSB 10 WARL|SrcID 27:16"
                    " WARL|SrcBits 31:28 WARL"
                ),
            ),
            "InstFilters": (0x00C, "InstFilters 15:0 WARL"),
            "TrigExtInControl": (0x054, "|".join(f"TrigExtInAction{n} {4 * n + 3}:{4 * n} WARL" for n in range(8))),
            "TrigExtOutControl": (0x058, "|".join(f"TrigExtOutEvent{n} {4 * n + 3}:{4 * n} WARL" for n in range(8))),
            "Filter1Control": (
                0x420,
                (
                    "FilterEnable 0 WARL|FilterMatchPrivilege 1 WARL|FilterMatchEcause 2 WARL|FilterMatchInterrupt 3"
                    " WARL|FilterMatchComp1 4 WARL|FilterComp1 7:5 WARL|FilterMatchComp2 8 WARL|FilterComp2 11:9"
                    " WARL|FilterMatchComp3 12 WARL|FilterComp3 15:13 WARL|FilterMatchImpdef 16 WARL|FilterMatchDtype"
                    " 24 WARL|FilterMatchDsize 25 WARL"
                ),
            ),
            "Filter1MatchInst": (0x424, "FilterMatchChoicePrivilege 7:0 WARL|FilterMatchValueInterrupt 8 WARL"),
            "Filter1MatchEcauseLow": (0x428, "FilterMatchChoiceEcauseLow 31:0 WARL"),
            "Filter1MatchEcauseHigh": (0x42C, "FilterMatchChoiceEcauseHigh 31:0 WARL"),
            "Comp1Control": (
                0x620,
                (
                    "CompPInput 1:0 WARL|CompSInput 3:2 WARL|CompPFunction 6:4 WARL|CompSFunction 10:8"
                    " WARL|CompMatchMode 13:12 WARL|CompPNotify 14 WARL|CompSNotify 15 WARL"
                ),
            ),
            "Comp1PMatchLow": (0x630, "CompPMatchLow 31:0 WARL"),
            "Comp1PMatchHigh": (0x634, "CompPMatchHigh 31:0 WARL"),
            "Comp1SMatchLow": (0x638, "CompSMatchLow 31:0 WARL"),
            "Comp1SMatchHigh": (0x63C, "CompSMatchHigh 31:0 WARL"),
        },
    ),
    "funnel": (
        8,
        "trFunnel",
        {
            "Control": (0x000, "Active 0 RW|Enable 1 RW|Empty 3 RO"),
            "Impl": (0x004, "VerMajor 3:0 RO|VerMinor 7:4 RO|CompType 11:8 RO|Vendor 31:24 RO"),
            "DisInput": (0x008, "DisInput 15:0 WARL"),
        },
    ),
    "ram_sink": (
        9,
        "trRam",
        {
            "Control": (
                0x000,
                (
                    "Active 0 RW|Enable 1 RW|Empty 3 RO|Mode 4 WARL|StopOnWrap 8 WARL|MemFormat 10:9 WARL|AsyncFreq"
                    " 14:12 WARL"
                ),
            ),
            "Impl": (
                0x004,
                "VerMajor 3:0 RO|VerMinor 7:4 RO|CompType 11:8 RO|HasSRAM 12 RO|HasSMEM 13 RO|Vendor 31:24 RO",
            ),
            "StartLow": (0x010, "StartLow 31:2 WARL"),
            "StartHigh": (0x014, "StartHigh 31:0 WARL"),
            "LimitLow": (0x018, "LimitLow 31:2 WARL"),
            "LimitHigh": (0x01C, "LimitHigh 31:0 WARL"),
            "WPLow": (0x020, "Wrap 0 WARL|WPLow 31:2 WARL"),
            "WPHigh": (0x024, "WPHigh 31:0 WARL"),
            "RPLow": (0x028, "RPLow 31:2 WARL"),
            "RPHigh": (0x02C, "RPHigh 31:0 WARL"),
            "Data": (0x040, "Data 31:0 RO"),
        },
    ),
    "pin_sink": (
        0xA,
        "trPib",
        {
            "Control": (
                0x000,
                (
                    "Active 0 RW|Enable 1 RW|Empty 3 RO|Mode 7:4 WARL|ClkCenter 8 WARL|Calibrate 9 WARL|AsyncFreq 14:12"
                    " WARL|Divider 31:16 WARL"
                ),
            ),
            "Impl": (0x004, "VerMajor 3:0 RO|VerMinor 7:4 RO|CompType 11:8 RO|Vendor 31:24 RO"),
        },
    ),
}
TIME = {
    "trTsControl": (
        0x040,
        (
            "Active 0 WARL|Count 1 WARL|Reset 2 W1|RunInDebug 3 WARL|Mode 6:4 WARL|Prescale 9:8 WARL|Enable 15"
            " WARL|Width 29:24 RO"
        ),
    ),
    "trTsCounterLow": (0x048, "CounterLow 31:0 RO"),
    "trTsCounterHigh": (0x04C, "CounterHigh 31:0 RO"),
}
ROWS = [(name, prefix + word, prefix, *row) for name, (_, prefix, rows) in FACTS.items() for word, row in rows.items()]
ROWS += [(name, register, "trTs", *row) for name in ("encoder", "funnel") for register, row in TIME.items()]


@pytest.mark.parametrize(
    "name,register,prefix,offset,fields", ROWS, ids=lambda value: value if isinstance(value, str) else ""
)
def test_register(name: str, register: str, prefix: str, offset: int, fields: str) -> None:
    row = {c.name: c for c in components(PARAMS)}[name].register(register)
    assert row.offset == offset
    found = [(f.name, f.lsb, f.width, f.access) for f in row.fields]
    wanted = []
    for text in fields.split("|"):
        word, where, access = text.split()
        msb, _, lsb = where.partition(":")
        wanted.append((prefix + word, int(lsb or msb), int(msb) - int(lsb or msb) + 1, access))
    assert found == wanted


def test_components_and_types() -> None:
    assert {c.name: c.comp_type for c in components(PARAMS)} == {name: facts[0] for name, facts in FACTS.items()}
    for c in components(PARAMS):
        assert c.register(4).reset & 0xFFF == c.comp_type << 8 | 1, "type and version 1.0"
        assert all(base % 0x1000 == 0 for base in c.bases)
        assert c.register(0).reset & 0b1011 == 0b1000, "Active and Enable 0, Empty 1"
        assert all(0xE00 <= r.offset < 0x1000 for r in c.registers if r.section == "ours"), "vendor range"


def test_what_ntrace_fixes() -> None:
    """N-Trace 1.0: format 1, protocol 1.0; what does not apply to it is hard 0."""
    encoder, *_ = components(PARAMS)
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
    assert [legalize("trTeInstFeatures", bits << 28, ETRACE) >> 28 for bits in (0, 1, 8, 12)] == [
        0,
        8,
        8,
        8,
    ], "no index, or a byte of it"
    assert {"trTeTrigExtInControl", "trTeTrigExtOutControl"}.isdisjoint(r.name for r in encoder.registers)
    bare = Params.etrace(
        implicit_return_modes=(), sequential_jump=False, branch_prediction=False, jump_target_cache=False, contexts=(0,)
    )
    assert legalize("trTeInstFeatures", 0x7FF, bare) == 0b11 and not legalize("trTeControl", 1 << 9, bare) >> 9 & 1


def test_rules_of_the_accesses() -> None:
    assert written("trTeControl", 0x100B, 0x1003) == legalize("trTeControl", 3), "1 clears, and the rest is taken"
    assert written("trTeControl", 0x1003, 0x0003) & 0x1000, "0 leaves it"
    assert written("trTeControl", 0xFFFF, 0xFFFE) == components(PARAMS)[0].register(0).reset, (
        "Active 0 clears Enable and all"
    )
    assert not legalize("trPibControl", 1 << 8) >> 8 & 1 and legalize("trPibControl", 1 << 8 | 8 << 4) >> 8 & 1, (
        "parallel modes only"
    )
    for offset in ("Start", "Limit", "WP", "RP"):
        assert not legalize(f"trRam{offset}Low", 0xFFFF_FFFF) & 2
