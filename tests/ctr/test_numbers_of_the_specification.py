# SPDX-License-Identifier: Apache-2.0
"""Numbers read a second time from the specification, not from the table: places, codes, CSR numbers and rules of
control transfer records.

Each number here was written down from the text alone: the draft 0.1.4 (chapters 2 to 5) and the ratified Smctr/Ssctr
1.0 with Smstateen and Smcsrind/Sscsrind. The register table, the model that uses it and the scoreboard's copy are
checked against them.
"""

from dataclasses import replace
from itertools import product

import pytest

from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.config import Config
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.records import Record, decode_cc, encode_cc, largest_count
from rvtrace.models.ctr.registers import DEPTH_CODES, csr, csrs, entries
from rvtrace.models.ctr.rules import FREEZE, NO_TARGET, NOTHING, WHOLE, Rules
from rvtrace.models.riscv.csr import DONE, HS, ILLEGAL, READ, VIRTUAL, VS, VU, WRITE, Access, M, U
from rvtrace.models.riscv.isa import decode, itype
from rvtrace.scoreboards.ctr.reasons import FILTERS

ONES = (1 << 64) - 1
DRAFT, V10 = "v0_1_4", "v1_0"
# name: address, then fields "name bits" from bit 0 up. RO fields have a star.
FILTER_FIELDS = {
    "v1_0": (
        "EXCINH 33|INTRINH 34|TRETINH 35|NTBREN 36|TKBRINH 37|INDCALLINH 40|DIRCALLINH 41|INDJMPINH 42|DIRJMPINH 43|"
        "CORSWAPINH 44|RETINH 45|INDLJMPINH 46|DIRLJMPINH 47|Custom* 63:60"
    ),
    "v0_1_4": (
        "EXCINH 33|INTRINH 34|TRETINH 35|NTBREN 36|TKBRINH 37|ETEN 38|INDCALLINH 40|DIRCALLINH 41|INDJUMPINH 42|"
        "DIRJUMPINH 43|CORSWAPINH 44|RETINH 45|INDOJMPINH 46|DIROJMPINH 47|Custom* 63:60"
    ),
}
FACTS = {
    "v1_0": {
        "mctrctl": (0x34E, "U 0|S 1|M 2|RASEMU 7|STE 8|MTE 9|BPFRZ 11|LCOFIFRZ 12|" + FILTER_FIELDS["v1_0"]),
        "sctrctl": (0x14E, "U 0|S 1|M* 2|RASEMU 7|STE 8|MTE* 9|BPFRZ 11|LCOFIFRZ 12|" + FILTER_FIELDS["v1_0"]),
        "vsctrctl": (0x24E, "U 0|S 1|RASEMU 7|STE 8|BPFRZ 11|LCOFIFRZ 12|" + FILTER_FIELDS["v1_0"]),
        "sctrstatus": (0x14F, "WRPTR 7:0|FROZEN 31"),
        "sctrdepth": (0x15F, "DEPTH 2:0"),
        "mstateen0": (0x30C, "CTR 54|CSRIND 60"),
        "hstateen0": (0x60C, "CTR 54|CSRIND 60"),
    },
    "v0_1_4": {
        "mctrcontrol": (
            0x381,
            "M 0|S 1|U 2|CLR 7|MTE 8|STE 9|RASEMU 10|BPFRZ 11|LCOFIFRZ 12|DEPTH 19:16|" + FILTER_FIELDS["v0_1_4"],
        ),
        "sctrcontrol": (
            0x181,
            "M* 0|S 1|U 2|CLR 7|MTE* 8|STE 9|RASEMU 10|BPFRZ 11|LCOFIFRZ 12|DEPTH 19:16|" + FILTER_FIELDS["v0_1_4"],
        ),
        "vsctrcontrol": (
            0x281,
            "VS 1|VU 2|CLR 7|VSTE 9|RASEMU 10|BPFRZ 11|LCOFIFRZ 12|DEPTH* 19:16|" + FILTER_FIELDS["v0_1_4"],
        ),
        "mctrstatus": (0x383, "WRPTR 7:0|WRAP 14|FROZEN 15"),
        "sctrstatus": (0x183, "WRPTR 7:0|WRAP 14|FROZEN 15"),
        "mstateen0": (0x30C, "CTR 55|CSRIND 60"),
        "hstateen0": (0x60C, "CTR 55|CSRIND 60"),
    },
}
HALVES = {"v1_0": {"mstateen0h": 0x31C, "hstateen0h": 0x61C}}
HALVES["v0_1_4"] = {**HALVES["v1_0"], "mctrcontrolh": 0x382, "sctrcontrolh": 0x182, "vsctrcontrolh": 0x282}
UPPER = {  # the fields of those registers: bits 63:32 of what they are the halves of
    "v1_0": dict.fromkeys(HALVES["v1_0"], "CTR 22|CSRIND 28"),
    "v0_1_4": {
        **dict.fromkeys(HALVES["v1_0"], "CTR 23|CSRIND 28"),
        **dict.fromkeys(
            ("mctrcontrolh", "sctrcontrolh", "vsctrcontrolh"),
            "EXCINH 1|INTRINH 2|TRETINH 3|NTBREN 4|TKBRINH 5|ETEN 6|INDCALLINH 8|DIRCALLINH 9|INDJUMPINH 10|"
            "DIRJUMPINH 11|CORSWAPINH 12|RETINH 13|INDOJMPINH 14|DIROJMPINH 15|Custom* 31:28",
        ),
    },
}
SELECTS = {
    f"{p}i{r}": base + at
    for p, base in (("m", 0x350), ("s", 0x150), ("vs", 0x250))
    for r, at in (("select", 0), ("reg", 1), ("reg2", 2), ("reg3", 3), ("reg4", 5), ("reg5", 6), ("reg6", 7))
}
# The bits of the control register of M-mode, by name
PLACES = {
    variant: {name: int(at) for name, at in (field.split() for field in fields.split("|")) if ":" not in at}
    for variant, fields in ((V10, FACTS[V10]["mctrctl"][1]), (DRAFT, FACTS[DRAFT]["mctrcontrol"][1]))
}
HIDDEN = {V10: (2, 9), DRAFT: (0, 8)}  # "Bits 2 and 9 in sctrctl are read-only 0"; draft 2.2: bits 0 and 8
# WRPTR 7:0, FROZEN 31; draft 2.4: WRPTR 7:0, WRAP 14, FROZEN 15
STATUS = {V10: 0xFF | 1 << 31, DRAFT: 0xFF | 1 << 14 | 1 << 15}
# mstateen0: C, FCSR, JVT, 51 reserved bits, CTR; draft 4: "bit 55 in mstateen0 and hstateen0"
CTR_BIT = {V10: 3 + 51, DRAFT: 55}
CODES = {
    V10: {0: 16, 1: 32, 2: 64, 3: 128, 4: 256},
    DRAFT: {0b0000: 16, 0b0001: 32, 0b0011: 64, 0b0111: 128, 0b1111: 256},
}  # sctrdepth; draft 2.1
# Control Transfer Type Definitions (draft 3.3), each with the filter bit whose name is the type's: 33 to 37, 40 to 47.
TYPES = {1: 33, 2: 34, 3: 35, 4: 36, 5: 37, 8: 40, 9: 41, 10: 42, 11: 43, 12: 44, 13: 45, 14: 46, 15: 47}
LARGEST = {0: 4095, 1: 8191, 2: 32764, 3: 524224, 4: 134201344}  # Cycle Counter Size Options
# External Trap Enable Requirements: source, target, MTE, STE of sctrctl, STE of vsctrctl.
EXTERNAL = (
    (U, HS, 0, 1, 0),
    (U, M, 1, 1, 0),
    (HS, M, 1, 0, 0),
    (VU, VS, 0, 0, 1),
    (VU, HS, 0, 1, 1),
    (VU, M, 1, 1, 1),
    (VS, HS, 0, 1, 0),
    (VS, M, 1, 1, 0),
)
both = pytest.mark.parametrize("variant", (V10, DRAFT))


def _open(variant: str) -> Ctr:
    """The model with mstateen0 (0x30C) and hstateen0 (0x60C) open: CTR, and bit 60 of Smcsrind/Sscsrind."""
    ctr = Ctr(Config(variant=variant))
    assert all(
        ctr.access(Access(WRITE, enable, 1 << 60 | 1 << CTR_BIT[variant])).outcome == DONE for enable in (0x30C, 0x60C)
    )
    return ctr


def _shown(found: Csr) -> str:
    fields = [replace(f, lsb=f.lsb - 32 * found.high) for f in found.fields]
    spans = [(f, f"{f.lsb + f.width - 1}:{f.lsb}" if f.width > 1 else f"{f.lsb}") for f in fields]
    return "|".join(f"{f.name}{'*' if f.access == 'RO' else ''} {where}" for f, where in spans)


@both
def test_addresses_and_fields(variant: str) -> None:
    config = Config(variant=variant)
    for name, (address, fields) in FACTS[variant].items():
        assert (csr(name, config).address, _shown(csr(name, config))) == (address, fields)
    expected = {**{n: a for n, (a, _) in FACTS[variant].items()}, **HALVES[variant], **SELECTS}
    assert {found.name: found.address for found in csrs(config)} == expected


@both
def test_fields_of_upper_halves(variant: str) -> None:
    config = Config(variant=variant, xlen=32)
    assert {found.name: _shown(found) for found in csrs(config) if found.high} == UPPER[variant]


@both
def test_entry_registers(variant: str) -> None:
    wide = [_shown(found) for found in entries(Config(variant=variant))]
    assert wide == ["V 0|PC 63:1", "MISP 0|PC 63:1", "TYPE 3:0|CCV 15|CCM 27:16|CCE 31:28"]
    narrow = Config(variant=variant, xlen=32, has_misp=0, has_type=0, has_cc=0)
    assert [found.mask for found in entries(narrow)] == [0xFFFFFFFF, 0xFFFFFFFE, 0]
    assert [entries(Config(variant=variant, cce_bits=n))[2].mask >> 28 for n in range(5)] == [0, 1, 3, 7, 15]


@both
def test_codes(variant: str) -> None:
    assert DEPTH_CODES[variant] == CODES[variant] and {type_: bit for type_, (bit, _) in FILTERS.items()} == TYPES


@both
def test_all_ones_leave_what_is_defined(variant: str) -> None:
    """Chapter Discovery of the draft; CLR reads 0; the deepest buffer. Entries {PC, V}, {PC, MISP}, CC 31:16, CCV 15,
    TYPE 3:0.
    """
    draft, ctr = variant == DRAFT, _open(variant)
    machine = sum(1 << place for name, place in PLACES[variant].items() if name != "CLR") | (0xF << 16) * draft
    below = machine & ~sum(1 << place for place in HIDDEN[variant])
    m, s, vs, status = (0x381, 0x181, 0x281, 0x383) if draft else (0x34E, 0x14E, 0x24E, 0x14F)
    if not draft:
        assert ctr.access(Access(WRITE, 0x15F, 4)) == (0, DONE, 0) and ctr.access(Access(READ, 0x15F)).rdata == 4
    for address, mode, kept in ((m, M, machine), (s, HS, below), (vs, HS, below), (s, VS, below)):
        ctr.access(Access(WRITE, address, ONES, mode))
        assert ctr.access(Access(READ, address, 0, mode)).rdata == kept
    ctr.access(Access(WRITE, s, 0, HS))
    assert ctr.access(Access(READ, m)).rdata == machine & ~below  # M and MTE stay
    assert all(ctr.access(Access(WRITE, *write)).outcome == DONE for write in ((m, machine), (status, ONES)))
    assert ctr.access(Access(READ, status)).rdata == STATUS[variant]
    for select, aliases in (
        (0x150, range(0x151, 0x158)),
        (0x250, range(0x251, 0x258)),
        *[(0x350, range(0x351, 0x358))] * draft,
    ):
        ctr.access(Access(WRITE, select, 0x2FF))
        for alias, kept in zip((a for a in aliases if a & 7 != 4), (ONES, ONES, 0xFFFF800F, 0, 0, 0)):
            assert ctr.access(Access(WRITE, alias, ONES)).outcome == DONE and ctr.access(Access(READ, alias)) == (
                kept,
                DONE,
                0,
            )
    assert Record.of_registers(0x1001, 0x2001, 0xABCD_800D) == (True, 0x1000, 0x2000, 1, 0xD, True, 0xABCD)


@both
def test_state_enable_bits(variant: str) -> None:
    """State Enable Access Control: closed above is illegal, closed by the hypervisor virtual; the entries need bit 60
    and CTR.
    """
    mine, ctr = 1 << CTR_BIT[variant], _open(variant)
    ctr.access(Access(WRITE, 0x250, 0x200))
    for address, needed in ((0x181 if variant == DRAFT else 0x14E, mine), (0x151, mine | 1 << 60), (0x150, 1 << 60)):
        for bit in (54, 55, 60, 63):
            for closing, refused in ((0x60C, VIRTUAL), (0x30C, ILLEGAL)):
                for enable in (0x30C, 0x60C):
                    ctr.access(Access(WRITE, enable, (mine | 1 << 60) & ~((enable == closing) << bit)))
                assert ctr.access(Access(READ, address, 0, VS)).outcome == (refused if needed >> bit & 1 else DONE)


@both
def test_filters_by_type(variant: str) -> None:
    """Transfer Type Filtering: each bit inhibits its type and no other; NTBREN enables."""
    m, config = 1 << PLACES[variant]["M"], Config(variant=variant)
    for type_, bit in product(range(16), (63, *TYPES.values())):
        recorded = type_ in TYPES and (TYPES[type_] == bit) == (type_ == 4)
        assert Rules(config, m | 1 << bit, 0).action(type_, M, M, 0) == (WHOLE if recorded else NOTHING)


@both
def test_external_traps_and_freeze(variant: str) -> None:
    """1.0: the table. Draft 5.2.1: ETEN and the target's xTE. Freeze: breakpoint is cause 3, the local counter overflow
    interrupt 13.
    """
    at, config = PLACES[variant], Config(variant=variant)
    on = {
        M: (1 << at["M"], 0),
        HS: (1 << at["S"], 0),
        U: (1 << at["U"], 0),
        VS: (0, 1 << at["S"]),
        VU: (0, 1 << at["U"]),
    }
    for from_, to, *needed in EXTERNAL:
        for mte, ste, vste, eten, type_ in product((0, 1), (0, 1), (0, 1), (0, 1), (1, 2)):
            both_have = 3 << 33 | eten * (variant == DRAFT) << 38  # EXCINH and INTRINH do not matter
            rules = Rules(
                config,
                on[from_][0] | mte << at["MTE"] | ste << at["STE"] | both_have,
                on[from_][1] | vste << at["STE"] | both_have,
            )
            agreed = (
                eten and {M: mte, HS: ste, VS: vste}[to]
                if variant == DRAFT
                else all(map(int.__ge__, (mte, ste, vste), needed))
            )
            assert rules.action(type_, from_, to, 5) == (NO_TARGET if agreed else NOTHING)
    for type_, freezing, name in ((1, 3, "BPFRZ"), (2, 13, "LCOFIFRZ")):
        rules = Rules(config, 1 << at[name], 0)
        assert [cause for cause in range(64) if rules.action(type_, U, HS, cause) == FREEZE] == [freezing]


def test_cycle_counts() -> None:
    """Cycle Counting: CCE is 0 below 4096, else the index of the top one bit minus 11; CCM is
    CtrCycleCounter[CCE+10:CCE-1].
    """
    assert {bits: largest_count(bits) for bits in range(5)} == LARGEST
    edges = {edge + near for n in range(26) for edge in (1 << n, 3 << n) for near in (-1, 0, 1)} | {LARGEST[4]}
    for count in sorted(edge for edge in edges if edge <= LARGEST[4]):
        cce = 0 if count < 4096 else max(n for n in range(28) if count >> n & 1) - 11
        ccm = count if not cce else sum((count >> (cce - 1 + k) & 1) << k for k in range(12))
        assert encode_cc(count) == cce << 12 | ccm
        assert decode_cc(cce << 12 | ccm) == (ccm if cce == 0 else (2**12 + ccm) << cce - 1)
    for bits, most in LARGEST.items():
        assert encode_cc(most, bits) == encode_cc(1 << 27, bits) == ((1 << bits) - 1) << 12 | 0xFFF


def test_classes_of_jumps() -> None:
    """Control Transfer Type Definitions, second table: the opcodes of each class; xRET is 3, a branch 4 or 5."""
    jalr = {}
    for rd, rs in product(range(32), range(32)):
        rows = (
            (8, rd == 1 and rs != 5 or rd == 5 and rs != 1),
            (10, rd == 0 and rs not in (1, 5)),
            (12, (rd, rs) in ((1, 5), (5, 1))),
            (13, rs in (1, 5) and rd not in (1, 5)),
            (14, rs not in (1, 5) and rd not in (0, 1, 5)),
        )
        (jalr[rd, rs],) = (code for code, fits in rows if fits)
        assert itype(decode(0, rs << 15 | rd << 7 | 0x67, 64), V10) == jalr[rd, rs]
    assert [itype(decode(0, rd << 7 | 0x6F, 64), V10) for rd in range(7)] == [11, 9, 15, 15, 15, 9, 15]
    for rs in range(1, 32):
        assert (
            itype(decode(0, 0x8002 | rs << 7, 64), V10) == jalr[0, rs]
            and itype(decode(0, 0x9002 | rs << 7, 64), V10) == jalr[1, rs]
        )
    words = {
        0xA001: 11,
        0x2001: 9,
        0xA002: 11,
        0xA002 | 31 << 2: 11,
        0xA002 | 32 << 2: 9,
        0xBE42: 13,
        0xBC42: 13,
        0x10200073: 3,
        0x30200073: 3,
    }
    # c.j c.jal cm.jt cm.jt cm.jalt cm.popret(z) sret mret
    assert {word: itype(decode(0, word, 32), V10) for word in words} == words
    assert [itype(decode(0, 0x63, 64), V10, taken) for taken in (False, True)] == [4, 5]
