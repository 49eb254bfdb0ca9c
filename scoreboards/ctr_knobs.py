"""Tolerances: where legal CTR implementations differ, what a device is held to. The defaults are docs/ctr-profile.md."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Knobs:
    """What a device may do otherwise than the reference.

    depth_unsupported: "keep": a DEPTH that is not supported leaves the field (draft: the next supported one below); "any": any
    supported depth may be there, it is read back and adopted. depth_draft: the draft, too, leaves open what WRPTR and entries
    hold behind a change of depth (v1_0 says so, there it is always read back and adopted).
    reset_zero: registers and entries are 0 behind reset; False: nothing is compared that was not written or recorded.
    refused_zero: a refused access gives 0.
    refusal: "order": of two rules that refuse an access the one that docs/ctr-profile.md names first decides; "any": either.
    ras_policy: "config": CC and CCV in RAS emulation follow Config.ras_policy; "any": one of the three (CTR-7), they are not compared.
    ccv_extra: CCV may be 0 where nothing asks for it ("other implementation-specific scenarios").
    cc_invalid: CC is compared where CCV is 0, too.
    cc_slack: cycles by which a count may be off, beyond its granularity.
    select_bits: an iselect keeps every bit that is written, not only those that select an entry.
    popped: an entry that was popped keeps what it held but V.
    """

    depth_unsupported: str = "keep"
    depth_draft: bool = False
    reset_zero: bool = True
    refused_zero: bool = True
    refusal: str = "order"
    ras_policy: str = "config"
    ccv_extra: bool = False
    cc_invalid: bool = True
    cc_slack: int = 0
    select_bits: bool = True
    popped: bool = True

    @classmethod
    def free(cls) -> Knobs:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            depth_unsupported="any", depth_draft=True, reset_zero=False, refused_zero=False, refusal="any", ras_policy="any",
            ccv_extra=True, cc_invalid=False, cc_slack=0, select_bits=False, popped=False,
        )  # fmt: skip
