"""Tolerances: where legal SBI PMU implementations differ beyond their policy, what a run is held to. The defaults are docs/sbi-pmu.md.

What firmware does at the points that the text leaves open is the policy of the record (models/sbi_pmu/policy.py), not a knob.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Knobs:
    """What an implementation may do otherwise than ours.

    order: of two reasons to refuse a call the one that docs/sbi-pmu.md names first decides; False: any.
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
    def free(cls) -> Knobs:
        """What the chapter leaves open is left open: for firmware that is not ours."""
        return cls(order=False, choice=False, zero=False, inhibited=False, together=False, csrs=False)
