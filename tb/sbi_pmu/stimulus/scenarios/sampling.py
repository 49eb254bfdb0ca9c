# SPDX-License-Identifier: Apache-2.0
"""A supervisor that samples counter overflows on a hart with control transfer records: which events, in which modes,
and how often. `build` gives what the profiler samples.
"""

from __future__ import annotations

from rvtrace.tb.common.stimulus.scenario import Scenario
from rvtrace.tb.sbi_pmu.stimulus.builds import SAMPLED
from rvtrace.tb.sbi_pmu.stimulus.profiler import BRANCHES, FILTERS, MISSES, Wanted
from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import SCENARIOS

CLAUSES = tuple(
    f"SBI.sample.{word}"
    for word in (
        "lcofi", "freeze", "path", "scountovf", "snapshot", "bitmap", "overflown", "clear", "thaw", "again", "records",
    )
)  # fmt: skip
_BASE = {"records": 16, "retired": 8}


def _add(name: str, doc: str, *wanted: Wanted, records: tuple[int, ...] = (_BASE["records"],)) -> None:
    configs = tuple({**build, "records": depth} for depth in records for build in SAMPLED)
    SCENARIOS.add(
        Scenario(
            f"sample_{name}", doc, CLAUSES, lambda *_: wanted, configs, {"drive": "pins"}, _BASE, needs=("records",)
        )
    )


for _event, _name, _period in ((BRANCHES, "branches", 90), (MISSES, "misses", 30)):
    for _place in FILTERS:
        _add(f"{_name}_{_place}", f"Samples {_name}, counted in {_place}.", Wanted(_event, _place, _period))
_add(
    "two_at_once", "Two counters of one event overflow in the same cycle: one interrupt, two bits.",
    Wanted(BRANCHES, "all", 50), Wanted(BRANCHES, "all", 50),
)  # fmt: skip
_add(
    "fewer_than_entries", "Overflows follow each other so soon that records from before the last one are still there.",
    Wanted(BRANCHES, "all", 4), Wanted(MISSES, "all", 3), records=(32, 16),
)  # fmt: skip
