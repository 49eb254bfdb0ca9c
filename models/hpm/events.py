# SPDX-License-Identifier: Apache-2.0
"""What a hart does in a cycle that counters can count: selectors, and the inputs of one cycle.

A selector is the number in mhpmevent.SELECT: 0 nothing, 1 cycles, 2 instructions retired, 3 + k the external event k
(section Parameters of docs/reference/hpm-profile.md).
"""

from __future__ import annotations

from typing import NamedTuple

NOTHING, CYCLES, RETIRED, FIRST_EVENT = 0, 1, 2, 3
MOST_EVENTS = 61  # so that selectors fit in a mask of 64 bits


class Counts(NamedTuple):
    """Inputs of one cycle but privilege and access: `cycle_i`, `retired_i`, `events_i`, `stopcount_i`, `time_i`.

    events may be shorter than NEvents: the rest did not happen.
    """

    cycle: int = 1
    retired: int = 0
    events: tuple[int, ...] = ()
    stopcount: int = 0
    time: int = 0

    def of(self, selector: int) -> int:
        """How often what `selector` names happened in this cycle."""
        if selector >= FIRST_EVENT:
            return self.events[selector - FIRST_EVENT] if selector - FIRST_EVENT < len(self.events) else 0
        return (0, self.cycle, self.retired)[selector]


QUIET = Counts()


def selector_name(selector: int) -> str:
    """A selector in words."""
    return (
        ("nothing", "cycles", "instructions retired")[selector]
        if selector < FIRST_EVENT
        else f"event {selector - FIRST_EVENT}"
    )
