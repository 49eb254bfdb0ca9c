# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal CTR implementations differ, what a check accepts.

The defaults are docs/reference/ctr-profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tolerances:
    """Where a device may differ from the reference; each says what its values mean."""

    depth_unsupported: str = "keep"
    """With "keep", a DEPTH that is not supported leaves the field (draft: the next supported one below); "any": any
    supported depth may be there, it is read back and adopted.
    """
    depth_draft: bool = False
    """The draft, too, leaves open what WRPTR and entries hold after a change of depth (v1_0 says so, there it is
    always read back and adopted).
    """
    reset_zero: bool = True
    """Registers and entries are 0 after reset; False: the first read of what was not written or recorded shows what
    is there.
    """
    refused_zero: bool = True
    """A refused access gives 0."""
    refusal: str = "order"
    """With "order", of two rules that refuse an access the one that docs/reference/ctr-profile.md names first
    decides; "any": either, if both apply.
    """
    ras_policy: str = "config"
    """With "config", CC and CCV in RAS emulation follow Config.ras_policy; "any": one of the three (CTR-7), they are
    not compared.
    """
    ccv_extra: bool = False
    """CCV may be 0 where nothing asks for it ("other implementation-specific scenarios")."""
    cc_invalid: bool = True
    """CC is compared where CCV is 0, too."""
    cc_slack: int = 0
    """Cycles by which a count may be off, beyond its granularity."""
    select_bits: bool = True
    """An iselect keeps every bit that is written; False: it must hold what selects an entry, and siselect and
    vsiselect 0 to 0xFFF (Sscsrind); what another value leaves is read back and adopted.
    """
    type_reserved: bool = True
    """A reserved TYPE (6, 7) that software writes is kept; False: it may turn into another one (WARL)."""
    mode_edge: int = 0
    """Cycles by which a count may be off for each change between qualified and other cycles since the record
    before: the text does not say in which cycle the mode changes.
    """
    stateen_other: str = "zero"
    """With "zero", this block's state enables have the bits of CTR and of indirect access only; "any": a hart may
    have the others of Smstateen, which are not compared, and bit 63 of mstateen0 closes hstateen0.
    """
    popped: bool = True
    """An entry that was popped keeps what it held but V."""
    clear_grown: bool = True
    """CLR with a greater DEPTH clears the entries that are added, too; False: those may hold anything ("current CTR
    depth" may be the old one).
    """
    pc_bits: int = 64
    """An address is valid, and is kept by ctrsource and ctrtarget, if the bits above these are copies of the top
    one; of others a device may show any address. 64: every value is kept; 39: what is valid with Sv39.
    """
    miselect: str = "kept"
    """It is kept; "any" (v1_0): it may be read-only 0, or absent without Smcsrind, as nothing is after mireg*."""
    outside: str = "illegal"
    """How an ireg access ends while the iselect selects no entry; "any": the text leaves that open (v1_0: for mireg*
    too).
    """
    hstateen_closed: str = "zero"
    """With "zero", bits of hstateen0 that are written while mstateen0's are 0 are 0 after it; "any": they may keep
    what they were or take the value.
    """
    narrow_zero: bool = True
    """The draft, too, zero-extends what software writes into an entry at XLEN 32; False: bits 63:32 may stay."""
    ccv_inactive: bool = True
    """A write to the control register that is not active makes CCV 0, too (draft); False: it may do nothing to the
    counter.
    """

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            depth_unsupported="any",
            depth_draft=True,
            reset_zero=False,
            refused_zero=False,
            refusal="any",
            ras_policy="any",
            ccv_extra=True,
            cc_invalid=False,
            cc_slack=0,
            select_bits=False,
            type_reserved=False,
            mode_edge=1,
            stateen_other="any",
            popped=False,
            clear_grown=False,
            pc_bits=39,
            miselect="any",
            outside="any",
            hstateen_closed="any",
            narrow_zero=False,
            ccv_inactive=False,
        )
