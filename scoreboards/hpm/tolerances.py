# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal counter blocks differ, what a check accepts.

The defaults are docs/reference/hpm-profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass, replace


@dataclass
class Tolerances:
    """Where a device may differ from the reference.

    select: "zero": a SELECT that the counter cannot count becomes 0; "any": any value may be there, it is read back and
    adopted. reset_zero: registers are 0 after reset; False: what was not written is read back and adopted.
    refused_zero: a refused access gives 0. slack: counts by which a look at a counter may be off.

    Of a device that does not declare the profile only: enables: "claimed": mcountinhibit and the three enables keep the
    bits of the options; "any": those that are read back. csrs: "all": every CSR of the options is there and no other;
    "any": `time` and mcountinhibit may be absent, what is at other addresses and the other bits of the interrupt
    registers are not of this block. latency: cycles by which an event may be counted late, and OF and LCOFIP after it.
    timing: "profile", or "any": settings may apply in the cycle of their write or a cycle after the next, and of a
    counter that is written in half the other half counts on or not. wfi: "stops": where cycle_i is 0 cycles are not
    counted and all else is; "any": neither is judged. stopcount: "stops": nothing counts while stopcount_i is 1;
    "any": it is not judged. shown: counter_o, of_o and lcofi_o are looked at in each row, not only reads.
    """

    select: str = "zero"
    reset_zero: bool = True
    refused_zero: bool = True
    slack: int = 0
    enables: str = "claimed"
    csrs: str = "all"
    latency: int = 0
    timing: str = "profile"
    wfi: str = "stops"
    stopcount: str = "stops"
    shown: bool = False

    def readings(self) -> list[Tolerances]:
        """These tolerances, after stricter ones that many devices keep to: what they meet is judged more closely."""
        strict = replace(self, latency=0, timing="profile", wfi="stops", stopcount="stops")
        found = [strict, *(replace(self, latency=min(cycles, self.latency)) for cycles in (0, 2)), self]
        return [one for k, one in enumerate(found) if one not in found[:k]]

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(
            select="any",
            reset_zero=False,
            refused_zero=False,
            enables="any",
            csrs="any",
            latency=4,
            timing="any",
            wfi="any",
            stopcount="any",
        )
