# SPDX-License-Identifier: Apache-2.0
"""Directed scenarios of the loop: which events are sampled, in which modes, and how often.

`SCENARIOS[name].build()` gives what the profiler samples.
"""

from __future__ import annotations

from typing import Any

from rvtrace.tb.common.stimulus.scenario import Scenario, Scenarios
from rvtrace.tb.loop.stimulus.profiler import BRANCHES, FILTERS, MISSES, Wanted

BUILDS: tuple[dict[str, Any], ...] = ({}, {"xlen": 32, "transfers": 1, "width": 40})
CLAUSES = (
    "LOOP.lcofi",
    "LOOP.freeze",
    "LOOP.path",
    "LOOP.scountovf",
    "LOOP.snapshot",
    "LOOP.bitmap",
    "LOOP.overflown",
    "LOOP.clear",
    "LOOP.thaw",
    "LOOP.again",
    "LOOP.counters",
    "LOOP.records",
    "LOOP.sbi",
    "LOOP.memory",
    "LOOP.same",
)


SCENARIOS = Scenarios(configs=BUILDS)


def _add(name: str, doc: str, *wanted: Wanted, **options: int) -> None:
    configs = tuple({**build, **options} for build in BUILDS)
    SCENARIOS.add(Scenario(name, doc, CLAUSES, lambda: wanted, configs, {"drive": "pins"}))


for _event, _name, _period in ((BRANCHES, "branches", 90), (MISSES, "misses", 30)):
    for _place in FILTERS:
        _add(f"{_name}_{_place}", f"Samples {_name}, counted in {_place}.", Wanted(_event, _place, _period))
_add(
    "two_at_once", "Two counters of one event overflow in the same cycle: one interrupt, two bits.",
    Wanted(BRANCHES, "all", 50), Wanted(BRANCHES, "all", 50),
)  # fmt: skip
_add(
    "fewer_than_entries", "Overflows follow each other so soon that records from before the last one are still there.",
    Wanted(BRANCHES, "all", 4), Wanted(MISSES, "all", 3), depth=32,
)  # fmt: skip
