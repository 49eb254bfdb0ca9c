# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal SBI PMU implementations differ beyond their policy, what a check accepts.

The defaults are docs/reference/sbi-pmu.md.

What firmware does at the points that the text leaves open is the policy of the record (models/sbi_pmu/policy.py), not a
tolerance.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tolerances:
    """Where an implementation may differ from ours.

    order: of two reasons to refuse a call the one that docs/reference/sbi-pmu.md names first decides; False: any.
    choice: of several counters config_matching takes the one that the policy names; False: any that is free and able.
    zero: value is 0 where a call has no value to return, failed or not.
    inhibited: a counter is written, and read for a snapshot, only while it is inhibited.
    together: all counters of a set start, and stop, in one write of mcountinhibit.
    csrs: no other CSRs are touched than those of the platform's counters.
    """

    order: bool = True
    choice: bool = True
    zero: bool = True
    inhibited: bool = True
    together: bool = True
    csrs: bool = True

    @classmethod
    def free(cls) -> Tolerances:
        """What the chapter leaves open is left open: for firmware that is not ours."""
        return cls(order=False, choice=False, zero=False, inhibited=False, together=False, csrs=False)
