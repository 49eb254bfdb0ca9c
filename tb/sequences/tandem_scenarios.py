"""Directed tandem-trace scenarios: one small story for each corner case, with the implementations it is told on.

`SCENARIOS[name].build(config, rng)` gives the rows to play. The stories are in the tandem_scenarios_*.py beside this file;
tests/plan/tandem.toml says which clause each of them serves.
"""

from __future__ import annotations

from tb.sequences import (
    tandem_scenarios_forms,
    tandem_scenarios_groups,
    tandem_scenarios_hart,
    tandem_scenarios_items,
)
from tb.sequences.tandem_scenarios_base import SCENARIOS, Scenario

__all__ = ["SCENARIOS", "STORIES", "Scenario"]

STORIES = (tandem_scenarios_items, tandem_scenarios_forms, tandem_scenarios_groups, tandem_scenarios_hart)
