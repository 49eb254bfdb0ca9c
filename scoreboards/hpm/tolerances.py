# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal counter blocks differ, what a check accepts.

The defaults are docs/reference/hpm-profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tolerances:
    """Where a device may differ from the reference.

    select: "zero": a SELECT that the counter cannot count becomes 0; "any": any value may be there, it is read back and
    adopted. reset_zero: registers are 0 after reset; False: what was not written is read back and adopted.
    refused_zero: a refused access gives 0. slack: counts by which a read may be off, if only reads are compared (a
    device that does not show its counters).
    """

    select: str = "zero"
    reset_zero: bool = True
    refused_zero: bool = True
    slack: int = 0

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(select="any", reset_zero=False, refused_zero=False)
