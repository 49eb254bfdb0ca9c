# SPDX-License-Identifier: Apache-2.0
"""Registers that any group of CSRs may need: state enables (Smstateen), iselects and their ireg aliases
(Smcsrind/Sscsrind).
"""

from __future__ import annotations

from collections.abc import Mapping

from rvtrace.models.csr.file import Indirect
from rvtrace.models.csr.table import Csr, Field, pair, row

CSRIND_BIT = 60  # of mstateen0, hstateen0: siselect, sireg*, vsiselect, vsireg*
IREGS = {1: 1, 2: 2, 3: 3, 4: 5, 5: 6, 6: 7}  # number of an ireg alias to its distance from the iselect
_WINDOWS = (("m", "M", 0x350), ("s", "S", 0x150), ("vs", "H", 0x250))
_STATEENS = (("mstateen0", "M", 0x30C), ("hstateen0", "H", 0x60C))


def lower(fields: tuple[Field, ...], xlen: int) -> tuple[Field, ...]:
    """The fields that a register of XLEN bits has."""
    return tuple(f for f in fields if f.lsb < xlen)


def upper(fields: tuple[Field, ...]) -> tuple[Field, ...]:
    """The fields that its h register has."""
    return tuple(f for f in fields if f.lsb >= 32)


def state_enables(xlen: int, bits: Mapping[str, tuple[int, str]]) -> list[Csr]:
    """mstateen0 and hstateen0 with their h registers; bits: name of a field to its bit and what it opens."""
    made = []
    for name, level, address in _STATEENS:
        ands = "; reads 0 while mstateen0 has 0" if level == "H" else ""
        fields = tuple(
            row(field, str(bit), "WARL", f"{what}{ands}", undefined=False) for field, (bit, what) in bits.items()
        )
        low = Csr(address, name, "state enable", "State Enable Access Control", lower(fields, xlen), width=xlen,
                  level=level)  # fmt: skip
        made += pair(low, address + 0x10, upper(fields))
    return made


def indirect_csrs(xlen: int, values: str, given: Indirect, has_h: int = 1) -> list[Csr]:
    """iselect and its six ireg aliases of each level; values: what an iselect selects, in words.

    An ireg alias names the register that it gives (`state`), as far as one group alone has indirect registers.
    """
    made, section = [], "Smcsrind/Sscsrind"
    for prefix, level, base in _WINDOWS:
        virtual = "vs" if prefix == "s" and has_h else ""
        stateen = "" if prefix == "m" else "CSRIND"
        select = row("select", f"{xlen - 1}:0", "WARL", values, undefined=True)
        made.append(Csr(base, f"{prefix}iselect", "selects what the ireg aliases give", section, (select,), width=xlen,
                        level=level, virtual=virtual and "vsiselect", stateen=stateen))  # fmt: skip
        knows = prefix in given.levels
        for ireg, distance in IREGS.items():
            part = given.register(ireg) if knows else None
            what = f"{part.name} of the selected entry" if part else "read-only 0 for an entry"
            name = f"ireg{ireg if ireg > 1 else ''}"
            made.append(Csr(base + distance, f"{prefix}{name}", what if knows else "illegal: selects nothing", section,
                            width=xlen, level=level, state=part.name if part else "",
                            virtual=virtual and f"{virtual}{name}", stateen=stateen, ireg=ireg))  # fmt: skip
    return made
