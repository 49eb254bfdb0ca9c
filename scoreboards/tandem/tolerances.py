# SPDX-License-Identifier: Apache-2.0
"""Tolerances: where legal tandem traces differ, what a check accepts.

The defaults are docs/reference/tandem-profile.md.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Tolerances:
    """Where a device may differ from the reference.

    bytes: "exact": the very bytes of the reference profile; "any": every form, order of items and end of groups that
    the format has, whatever is switched off. unchanged: a register or state that has the value last reported may be
    left out (chapter 3: fields may be omitted). interrupt_instruction: the group of an interrupt may have an
    instruction (TV-7: it should be omitted). open_end: the trace may end within a group whose end is implied (TV-4),
    whether or not a flush requested it.
    """

    bytes: str = "exact"
    unchanged: bool = False
    interrupt_instruction: bool = False
    open_end: bool = False

    @classmethod
    def free(cls) -> Tolerances:
        """What the specification leaves open is left open: for a device that does not declare the reference profile."""
        return cls(bytes="any", unchanged=True, interrupt_instruction=True, open_end=True)
