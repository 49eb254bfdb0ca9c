# SPDX-License-Identifier: Apache-2.0
"""The CTR register table against a second reading of both texts; the files made from it are in step; legal
configurations.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from rvtrace.flow.generate.files import outdated
from rvtrace.models.csr.table import Csr
from rvtrace.models.ctr.config import DEPTHS, Config, ConfigError
from rvtrace.models.ctr.model import Ctr
from rvtrace.models.ctr.registers import DEPTH_CODES, csr, csrs, entries
from rvtrace.models.riscv.csr import READ, Access
from rvtrace.tb.ctr.stimulus.software import Software

# name: address, then fields "name bits" from bit 0 up. RO fields have a star.
FILTERS = {
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
        "mctrctl": (0x34E, "U 0|S 1|M 2|RASEMU 7|STE 8|MTE 9|BPFRZ 11|LCOFIFRZ 12|" + FILTERS["v1_0"]),
        "sctrctl": (0x14E, "U 0|S 1|M* 2|RASEMU 7|STE 8|MTE* 9|BPFRZ 11|LCOFIFRZ 12|" + FILTERS["v1_0"]),
        "vsctrctl": (0x24E, "U 0|S 1|RASEMU 7|STE 8|BPFRZ 11|LCOFIFRZ 12|" + FILTERS["v1_0"]),
        "sctrstatus": (0x14F, "WRPTR 7:0|FROZEN 31"),
        "sctrdepth": (0x15F, "DEPTH 2:0"),
        "mstateen0": (0x30C, "CTR 54|CSRIND 60"),
        "hstateen0": (0x60C, "CTR 54|CSRIND 60"),
    },
    "v0_1_4": {
        "mctrcontrol": (
            0x381,
            "M 0|S 1|U 2|CLR 7|MTE 8|STE 9|RASEMU 10|BPFRZ 11|LCOFIFRZ 12|DEPTH 19:16|" + FILTERS["v0_1_4"],
        ),
        "sctrcontrol": (
            0x181,
            "M* 0|S 1|U 2|CLR 7|MTE* 8|STE 9|RASEMU 10|BPFRZ 11|LCOFIFRZ 12|DEPTH 19:16|" + FILTERS["v0_1_4"],
        ),
        "vsctrcontrol": (
            0x281,
            "VS 1|VU 2|CLR 7|VSTE 9|RASEMU 10|BPFRZ 11|LCOFIFRZ 12|DEPTH* 19:16|" + FILTERS["v0_1_4"],
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


def _shown(found: Csr) -> str:
    fields = [replace(f, lsb=f.lsb - 32 * found.high) for f in found.fields]
    spans = [(f, f"{f.lsb + f.width - 1}:{f.lsb}" if f.width > 1 else f"{f.lsb}") for f in fields]
    return "|".join(f"{f.name}{'*' if f.access == 'RO' else ''} {where}" for f, where in spans)


@pytest.mark.parametrize("variant", FACTS)
def test_addresses_and_fields(variant: str) -> None:
    config = Config(variant=variant)
    for name, (address, fields) in FACTS[variant].items():
        assert (csr(name, config).address, _shown(csr(name, config))) == (address, fields)
    expected = {**{n: a for n, (a, _) in FACTS[variant].items()}, **HALVES[variant], **SELECTS}
    assert {found.name: found.address for found in csrs(config)} == expected


@pytest.mark.parametrize("variant", FACTS)
def test_fields_of_upper_halves(variant: str) -> None:
    config = Config(variant=variant, xlen=32)
    assert {found.name: _shown(found) for found in csrs(config) if found.high} == UPPER[variant]


@pytest.mark.parametrize("variant", FACTS)
def test_entry_registers(variant: str) -> None:
    wide = [_shown(found) for found in entries(Config(variant=variant))]
    assert wide == ["V 0|PC 63:1", "MISP 0|PC 63:1", "TYPE 3:0|CCV 15|CCM 27:16|CCE 31:28"]
    narrow = Config(variant=variant, xlen=32, has_misp=0, has_type=0, has_cc=0)
    assert [found.mask for found in entries(narrow)] == [0xFFFFFFFF, 0xFFFFFFFE, 0]
    assert [entries(Config(variant=variant, cce_bits=n))[2].mask >> 28 for n in range(5)] == [0, 1, 3, 7, 15]


def test_depth_codes() -> None:
    assert DEPTH_CODES["v1_0"] == {0b000: 16, 0b001: 32, 0b010: 64, 0b011: 128, 0b100: 256}
    assert DEPTH_CODES["v0_1_4"] == {0b0000: 16, 0b0001: 32, 0b0011: 64, 0b0111: 128, 0b1111: 256}


def test_generated_files_are_in_step() -> None:
    assert outdated() == []


def test_what_is_not_there() -> None:
    names = {found.name for found in csrs(Config(has_h=0, has_stateen=0))}
    assert not [name for name in names if name.startswith("vs") or "stateen" in name]
    alone = {found.name for found in csrs(Config(variant="v0_1_4", has_s=0, has_h=0))}
    assert {"mctrcontrol", "mctrstatus", "miselect", "mireg"} <= alone and not [n for n in alone if n.startswith("s")]


REQUIRED = [("v1_0", 1, 0x807), ("v0_1_4", 1, 0x7), ("v0_1_4", 0, 0x5)]  # U S M BPFRZ; M S U; M U


@pytest.mark.parametrize(("variant", "has_s", "fields"), REQUIRED)
def test_required_fields_are_always_there(variant: str, has_s: int, fields: int) -> None:
    assert Config(variant=variant, fields=0, has_s=has_s, has_h=0).fields == fields


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"xlen": 16}, "XLEN=16"),
    ({"transfers": 5}, "TRANSFERS=5"),
    ({"depths": (16, 48)}, "48"),
    ({"depths": ()}, "nothing"),
    ({"variant": "v0_1_4", "depths": (16, 64)}, "16,32,64"),
    ({"depth": 32, "depths": (16, 64)}, "DEPTH=32"),
    ({"has_s": 0}, "HAS_S=1"),
    ({"fields": 1 << 38}, "FIELDS"),
    ({"fields": 1 << 9}, "STE"),
    ({"cce_bits": 5}, "CCE_BITS=5"),
    ({"variant": "v0_1_4", "fields": 1 << 38}, "MTE"),
    ({"ctl": -1}, "CTL=-1"),
    ({"variant": "v0_1_4", "ctl": 2 << 16}, "reserved DEPTH 2"),
]


@pytest.mark.parametrize(("given", "reported"), WRONG)
def test_illegal_configurations_are_reported(given: dict[str, Any], reported: str) -> None:
    with pytest.raises(ConfigError, match=reported):
        Config(**given)


def test_a_configuration_survives_json_and_text() -> None:
    config = Config(variant="v0_1_4", xlen=32, depths=(16, 32, 64), has_h=0, depth=32, ctl=0x7)
    assert Config.from_dict(config.to_dict()) == config
    text = {"variant": "v0_1_4", "xlen": "32", "depths": "16,32,64", "has_h": "0", "depth": "32", "ctl": "0x7"}
    assert Config.from_dict(text) == config
    assert Config.from_dict({"fields": "RASEMU,NTBREN"}).fields == 0x807 | 1 << 7 | 1 << 36
    for wrong in ({"colour": 1}, {"fields": "ETEN"}, {"xlen": "wide"}):
        with pytest.raises(ConfigError):
            Config.from_dict(wrong)


@pytest.mark.parametrize("depth", DEPTHS)
@pytest.mark.parametrize(
    "build",
    ({"variant": "v0_1_4"}, {"variant": "v0_1_4", "xlen": 32, "has_h": 0}, {}),
    ids=["draft", "draft32", "v1_0"],
)
def test_ctl_is_the_value_of_the_register(build: dict[str, Any], depth: int) -> None:
    """`config.json` gives for ctl what the first settings leave in the register; in the draft that includes DEPTH."""
    config, model = Config(**build, depth=depth, ctl=7), Ctr(Config(**build))
    for access in Software(config).set_up():
        model.access(access)
    register = model.access(Access(READ, 0x381 if config.draft else 0x34E))
    assert register.rdata == config.to_dict()["ctl"] and model.state.depth == depth
    assert Config.from_dict(config.to_dict()) == config
    if config.draft and depth > 16:  # without the option, a DEPTH in ctl selects the depth
        assert Config(**build, ctl=config.ctl) == config
