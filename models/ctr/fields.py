# SPDX-License-Identifier: Apache-2.0
"""The fields of the control register in both variants, and the codes of DEPTH: what a configuration may name (chapter
CSRs of both texts).
"""

from __future__ import annotations

from functools import lru_cache

from rvtrace.models.csr.table import Field, either, row

DEPTH_CODES = {  # DEPTH to number of entries
    "v1_0": {0: 16, 1: 32, 2: 64, 3: 128, 4: 256},
    "v0_1_4": {0: 16, 1: 32, 3: 64, 7: 128, 15: 256},
}

_FILTERS = (
    ("EXCINH", "33", "inhibit exceptions"),
    ("INTRINH", "34", "inhibit interrupts"),
    ("TRETINH", "35", "inhibit trap returns"),
    ("NTBREN", "36", "record branches not taken"),
    ("TKBRINH", "37", "inhibit taken branches"),
    ("INDCALLINH", "40", "inhibit indirect calls"),
    ("DIRCALLINH", "41", "inhibit direct calls"),
    (("INDJMPINH", "INDJUMPINH"), "42", "inhibit indirect jumps without linkage"),
    (("DIRJMPINH", "DIRJUMPINH"), "43", "inhibit direct jumps without linkage"),
    ("CORSWAPINH", "44", "inhibit co-routine swaps"),
    ("RETINH", "45", "inhibit function returns"),
    (("INDLJMPINH", "INDOJMPINH"), "46", "inhibit other indirect jumps (with linkage)"),
    (("DIRLJMPINH", "DIROJMPINH"), "47", "inhibit other direct jumps (with linkage)"),
)
_PLACES = {  # name: bit in v1_0, bit in v0_1_4, meaning
    "M": ("2", "0", "record in M-mode"),
    "S": ("1", "1", "record in S-mode (HS)"),
    "U": ("0", "2", "record in U-mode"),
    "CLR": (None, "7", "written as 1: clear the entries and the status; reads 0"),
    "RASEMU": ("7", "10", "return address stack emulation"),
    "MTE": ("9", "8", "M-mode lets external traps to it be recorded"),
    "STE": ("8", "9", "S-mode lets external traps to it be recorded"),
    "BPFRZ": ("11", "11", "a breakpoint exception sets FROZEN"),
    "LCOFIFRZ": ("12", "12", "a local counter overflow interrupt sets FROZEN"),
    "DEPTH": (None, "19:16", "number of entries: 0 16, 1 32, 3 64, 7 128, 15 256"),
    "ETEN": (None, "38", "record external traps to modes whose TE bit is 1"),
}
_REQUIRED = {"v1_0": ("M", "S", "U", "BPFRZ"), "v0_1_4": ("M", "S", "U")}
_ALWAYS = ("CLR", "DEPTH")  # registers of their own, not in Config.fields


@lru_cache
def control_fields(variant: str) -> tuple[Field, ...]:
    """Every field that mctrctl (v1_0) or mctrcontrol (v0_1_4) can have, from bit 0 up; bits 63:60 (custom) are 0."""
    column = int(variant != "v1_0")
    found = [
        row(name, where, "W1" if name == "CLR" else "WARL", what, undefined=True)
        for name, (*places, what) in _PLACES.items()
        if (where := places[column])
    ]
    found += [row(n if isinstance(n, str) else n[column], where, "WARL", what) for n, where, what in _FILTERS]
    found.append(row("Custom", "63:60", "RO", "no custom extension", undefined=False))
    return tuple(sorted(found, key=lambda f: f.lsb))


def optional(variant: str) -> int:
    """Bits that `Config.fields` may have: all fields of the control register but CLR, DEPTH and custom bits."""
    return either(f.mask for f in control_fields(variant) if f.access == "WARL" and f.name not in _ALWAYS)


def required(variant: str, has_s: int = 1) -> int:
    """Bits that are always implemented (rows `required fields` of the contract; in the draft S if it exists)."""
    names = [name for name in _REQUIRED[variant] if name != "S" or has_s]
    return either(f.mask for f in control_fields(variant) if f.name in names)
