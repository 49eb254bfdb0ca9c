# SPDX-License-Identifier: Apache-2.0
"""The counter events of the subsystem: what each selector counts, in the order of `events_i` of rtl/hpm.

Selector `FIRST_EVENT + k` (3 + k) of mhpmeventN counts `EVENTS[k]`; those after `INTERNAL` come from outside
(`ext_event_i[0]` is `EVENTS[INTERNAL]`). How an instruction is classed: `classes` (docs/reference/rtl-subsystem.md,
"Events").
"""

from __future__ import annotations

from rvtrace.models.hpm.events import FIRST_EVENT

DERIVED = (
    "branch", "taken_branch", "jump", "call", "return", "exception", "interrupt", "load", "store", "mispredict",
)  # fmt: skip
EXTERNAL = ("external0", "external1", "external2", "external3")
EVENTS = (*DERIVED, *EXTERNAL)
SELECTOR = {name: FIRST_EVENT + place for place, name in enumerate(EVENTS)}

# Itypes (table 4.3 of E-Trace) that each event counts. An xRET is a return of no call and counts nowhere; a co-routine
# swap
# returns and calls, and counts as both.
ITYPES: dict[str, tuple[int, ...]] = {
    "branch": (4, 5), "taken_branch": (5,), "jump": (10, 11, 14, 15), "call": (8, 9, 12), "return": (12, 13),
    "exception": (1,), "interrupt": (2,),
}  # fmt: skip
