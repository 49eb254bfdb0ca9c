# SPDX-License-Identifier: Apache-2.0
"""The numbers of the Trace Control Interface 1.0, taken a second time from its text and not from our table.

Every register is written down as the text prints it, reset column included, and held against `rvtrace.models.tci`; also
the codes of its enumerations.
"""

import pytest

from rvtrace.models.common import filters as f
from rvtrace.models.common.filters import FilterSettings
from rvtrace.models.csr.table import Register
from rvtrace.models.tci.layout import Params
from rvtrace.models.tci.pin_sink import CALIBRATION, MODES, samples
from rvtrace.models.tci.registers import components, legalize

# 0x400 to 0x5FF hold 16 filters; trTeFilterComp1 to 3 have 3 bits: 8 comparators
FULL = Params(filters=16, comparators=8)
# A field is "bits name access reset"; reset: a number, ? where the text says Undef, S where it says SD (system
# dependent), - where it says nothing.
CONTROL = "0 Active RW 0, 1 Enable RW 0, 3 Empty RO 1"
IMPL = "3:0 VerMajor RO 1, 7:4 VerMinor RO 0, 11:8 CompType RO {}, {}31:24 Vendor RO S"
ENCODER = {
    # Trace Encoder Control Interface
    0x000: (
        "0 Active RW 0, 1 Enable RW 0, 2 InstTracing RW ?, 3 Empty RO 1, 6:4 InstMode WARL ?, 9 Context WARL ?, 11"
        " InstTrigEnable WARL ?,12 InstStallOrOverflow RW1C ?, 13 InstStallEna WARL ?, 15 InhibitSrc WARL ?, 17:16"
        " InstSyncMode WARL ?, 23:20 InstSyncMax WARL ?,26:24 Format WARL ?"
    ),
    0x004: IMPL.format(1, "19:16 ProtocolMajor RO S, 23:20 ProtocolMinor RO S, "),
    0x008: (
        "0 InstNoAddrDiff WARL ?, 1 InstNoTrapAddr WARL ?, 2 InstEnSequentialJump WARL ?, 3 InstEnImplicitReturn WARL"
        " ?,4 InstEnBranchPrediction WARL ?, 5 InstEnJumpTargetCache WARL ?, 7:6 InstImplicitReturnMode WARL ?, 8"
        " InstEnRepeatedHistory WARL ?,9 InstEnAllJumps WARL ?, 10 InstExtendAddrMSB WARL ?, 27:16 SrcID WARL ?, 31:28"
        " SrcBits WARL ?"
    ),
    0x00C: "15:0 InstFilters WARL ?",
    # Trace Encoder Triggers: eight inputs, eight outputs, four bits each
    0x054: ",".join(f"{4 * n + 3}:{4 * n} TrigExtInAction{n} WARL ?" for n in range(8)),
    0x058: ",".join(f"{4 * n + 3}:{4 * n} TrigExtOutEvent{n} WARL ?" for n in range(8)),
}
FILTER = {  # Trace Encoder Filter Registers, 0x400 + 0x20 i
    0x00: (
        "0 Enable WARL ?, 1 MatchPrivilege WARL ?, 2 MatchEcause WARL ?, 3 MatchInterrupt WARL ?, 4 MatchComp1 WARL ?,"
        " 7:5 Comp1 WARL ?,8 MatchComp2 WARL ?, 11:9 Comp2 WARL ?, 12 MatchComp3 WARL ?, 15:13 Comp3 WARL ?, 16"
        " MatchImpdef WARL ?, 24 MatchDtype WARL ?,25 MatchDsize WARL ?"
    ),
    0x04: "7:0 MatchChoicePrivilege WARL ?, 8 MatchValueInterrupt WARL ?",
    0x08: "31:0 MatchChoiceEcauseLow WARL ?",
    0x0C: "31:0 MatchChoiceEcauseHigh WARL ?",
}
COMPARATOR = {  # 0x600 + 0x20 j
    0x00: (
        "1:0 PInput WARL ?, 3:2 SInput WARL ?, 6:4 PFunction WARL ?, 10:8 SFunction WARL ?, 13:12 MatchMode WARL ?, 14"
        " PNotify WARL ?, 15 SNotify WARL ?"
    ),
    0x10: "31:0 PMatchLow WARL ?",
    0x14: "31:0 PMatchHigh WARL ?",
    0x18: "31:0 SMatchLow WARL ?",
    0x1C: "31:0 SMatchHigh WARL ?",
}
TIMESTAMP = {  # Timestamp Unit, in encoder and funnel at the same offsets
    0x040: (
        "0 Active WARL S, 1 Count WARL ?, 2 Reset W1 -, 3 RunInDebug WARL ?, 6:4 Mode WARL ?, 9:8 Prescale WARL ?, 15"
        " Enable WARL ?, 29:24 Width RO S"
    ),
    0x048: "31:0 CounterLow RO 0",
    0x04C: "31:0 CounterHigh RO 0",
}
FUNNEL = {0x000: CONTROL, 0x004: IMPL.format(8, ""), 0x008: "15:0 DisInput WARL ?"}  # Trace Funnel
RAM = {  # Trace RAM Sink; the two lowest bits of addresses are always 0
    0x000: CONTROL + ", 4 Mode WARL ?, 8 StopOnWrap WARL ?, 10:9 MemFormat WARL ?, 14:12 AsyncFreq WARL ?",
    0x004: IMPL.format(9, "12 HasSRAM RO S, 13 HasSMEM RO S, "),
    0x010: "31:2 StartLow WARL ?",
    0x014: "31:0 StartHigh WARL ?",
    0x018: "31:2 LimitLow WARL ?",
    0x01C: "31:0 LimitHigh WARL ?",
    0x020: "0 Wrap WARL ?, 31:2 WPLow WARL ?",
    0x024: "31:0 WPHigh WARL ?",
    0x028: "31:2 RPLow WARL ?",
    0x02C: "31:0 RPHigh WARL ?",
    0x040: "31:0 Data RO ?",
}
PIB = {  # Trace PIB Sink
    0x000: (
        CONTROL
        + ", 7:4 Mode WARL ?, 8 ClkCenter WARL ?, 9 Calibrate WARL ?, 14:12 AsyncFreq WARL ?, 31:16 Divider WARL ?"
    ),
    0x004: IMPL.format(10, ""),
}
PLACES = [("encoder", "trTe", o, t) for o, t in ENCODER.items()]
PLACES += [("encoder", "trTeFilter", 0x400 + 0x20 * i + o, t) for i in range(16) for o, t in FILTER.items()]
PLACES += [("encoder", "trTeComp", 0x600 + 0x20 * j + o, t) for j in range(8) for o, t in COMPARATOR.items()]
PLACES += [(part, "trTs", o, t) for part in ("encoder", "funnel") for o, t in TIMESTAMP.items()]
PLACES += [
    (part, prefix, o, t)
    for part, prefix, rows in (("funnel", "trFunnel", FUNNEL), ("ram_sink", "trRam", RAM), ("pin_sink", "trPib", PIB))
    for o, t in rows.items()
]
TABLE = {(c.name, r.offset): r for c in components(FULL) for r in c.registers}


@pytest.mark.parametrize("part", ["encoder", "funnel", "ram_sink", "pin_sink"])
def test_registers(part: str) -> None:
    for _, prefix, offset, text in (place for place in PLACES if place[0] == part):
        register = TABLE[part, offset]
        rows = [(w[0], prefix + w[1], w[2], w[3]) for w in (field.split() for field in text.split(","))]
        found = [
            (f"{x.lsb + x.width - 1}:{x.lsb}" if x.width > 1 else str(x.lsb), x.name, x.access) for x in register.fields
        ]
        assert sorted(found) == sorted(row[:3] for row in rows), register.name
        for _, name, _, reset in rows:
            field = register.field(name)
            assert field.undefined != reset.isdigit(), name
            assert field.undefined or field.reset == int(reset), name


def test_nothing_else_is_there() -> None:
    """Offsets of the summary tables only, and the vendor's own range 0xE00 to 0xFFF; data trace, impdef and dtype
    registers are left out.
    """
    assert {key for key in TABLE if key[1] < 0xE00} == {(part, offset) for part, _, offset, _ in PLACES}
    # Trace Components
    assert {c.name: c.comp_type for c in components()} == {"encoder": 1, "funnel": 8, "ram_sink": 9, "pin_sink": 0xA}


def reads(register: str | Register, name: str, width: int) -> set[int]:
    row = register if isinstance(register, Register) else next(r for r in TABLE.values() if r.name == register)
    field = row.field(name)
    return {field.get(legalize(row, value << field.lsb, FULL)) for value in range(1 << width)}


def test_codes() -> None:
    assert reads("trTeControl", "trTeInstMode", 3) == {3, 6}  # 3 baseline, 6 optimized; N-Trace reserves 1, 2, 4, 5
    assert reads("trTeControl", "trTeInstSyncMode", 2) == {0, 1, 2, 3}  # off, messages, cycles, half-words
    assert reads("trTeControl", "trTeFormat", 3) == {1} and Params.etrace().format == 0
    assert reads("trTeInstFeatures", "trTeInstImplicitReturnMode", 2) <= {0, 1, 2, 3}
    assert reads("trTeInstFeatures", "trTeSrcBits", 4) == set(range(13))  # 0..12
    # none, trace-on, trace-off, trace-notify; others reserved
    assert reads("trTeTrigExtInControl", "trTeTrigExtInAction7", 4) == {0, 2, 3, 4}
    # bit 0 start, bit 1 stop, 2 and 3 vendor's
    assert reads("trTeTrigExtOutControl", "trTeTrigExtOutEvent7", 4) == {0, 1, 2, 3}
    # none, external, internal system, internal core, shared
    assert reads(TABLE["encoder", 0x40], "trTsMode", 3) <= {0, 1, 2, 3, 4}
    assert reads(TABLE["funnel", 0x40], "trTsMode", 3) <= {0, 1, 2, 4}  # internal core: encoders only
    assert reads(TABLE["funnel", 0x40], "trTsEnable", 1) == {0}  # for trace encoders only
    assert reads("trRamControl", "trRamMemFormat", 2) == {0}  # plain bytes; 1 and 2 reserved
    # off, Manchester, UART, 1, 2, 4, 8, 16 pins
    assert reads("trPibControl", "trPibMode", 4) <= {0, 4, 5, 8, 9, 10, 11, 12}
    impl = TABLE["encoder", 4]
    assert (impl.field("trTeProtocolMajor").reset, impl.field("trTeProtocolMinor").reset) == (1, 0)  # N-Trace 1.0
    # N-Trace table 7: 0
    hard = {"trTeInstNoAddrDiff", "trTeInstNoTrapAddr", "trTeInstEnBranchPrediction", "trTeInstEnJumpTargetCache"}
    assert all(reads("trTeInstFeatures", name, 1) == {0} for name in hard)


def test_pins() -> None:
    """Allowed PIB Configurations; PIB Calibration Patterns, their wire sequences too."""
    assert MODES == {8: 1, 9: 2, 10: 4, 11: 8, 12: 16}
    wires = {1: "0101010110101010" + "0" * 8 + "1" * 8, 2: "2121212103033030", 4: "A5A50FF0"}
    for width, text in wires.items():
        assert samples(CALIBRATION[width], width) == [int(digit, 16) for digit in text], width
    assert samples(CALIBRATION[8], 8) == [0xAA, 0x55, 0, 0xFF] and samples(CALIBRATION[16], 16) == [
        0xAAAA,
        0x5555,
        0,
        0xFFFF,
    ]


def test_comparators() -> None:
    """trTeComp_j_Control: inputs, functions (=, !=, <, <=, >, >=, special, always), match modes (P, P and S, not both,
    latch).
    """
    assert f.INPUTS == ("iaddr", "context", "tval")  # 0, 1, 2; 3 is daddr
    assert (f.EQ, f.NE, f.LT, f.LE, f.GT, f.GE, f.SPECIAL, f.ALWAYS) == (0, 1, 2, 3, 4, 5, 6, 7)
    assert (f.PRIMARY, f.BOTH, f.NOT_BOTH, f.LATCH) == (0, 1, 2, 3)
    control = [
        FilterSettings.parse(text).registers()["trTeComp0Control"]
        for text in ("tval>=1", "context=1..2", "iaddr=1->2", "watch=4")
    ]
    assert control == [2 | 5 << 4, 1 | 1 << 2 | 5 << 4 | 3 << 8 | 1 << 12, 3 << 12, 1 << 14]


@pytest.mark.parametrize("mode, bit", [("U", 0), ("S", 1), ("M", 3), ("VU", 5), ("VS", 6)])
def test_privilege_of_a_filter(mode: str, bit: int) -> None:
    """trTeFilterMatchChoicePrivilege: bit N matches if `priv` at the ingress port is N; E-Trace 2.0, table of priv: U
    0, S 1, M 3, D 4, VU 5, VS 6.
    """
    assert FilterSettings.parse(f"priv={mode}").registers()["trTeFilter0MatchInst"] == 1 << bit
