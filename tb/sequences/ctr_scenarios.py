"""Directed CTR scenarios: one small story for each corner case, with the implementations it is told on.

`SCENARIOS[name].build(config, rng)` gives the rows to play. The stories are in the ctr_scenarios_*.py beside this file;
tests/plan/ctr.toml says which clause each of them serves.
"""

from __future__ import annotations

from tb.sequences import (
    ctr_scenarios_buffer,
    ctr_scenarios_clear,
    ctr_scenarios_csr,
    ctr_scenarios_cycles,
    ctr_scenarios_filters,
    ctr_scenarios_freeze,
    ctr_scenarios_modes,
    ctr_scenarios_ras,
)
from tb.sequences.ctr_scenarios_base import SCENARIOS, Scenario

__all__ = ["SCENARIOS", "STORIES", "Scenario"]

STORIES = (
    ctr_scenarios_filters, ctr_scenarios_modes, ctr_scenarios_freeze, ctr_scenarios_ras, ctr_scenarios_cycles, ctr_scenarios_csr,
    ctr_scenarios_buffer, ctr_scenarios_clear,
)  # fmt: skip
