"""Directed counter scenarios: one small story for each corner case, with the implementations it is told on.

`SCENARIOS[name].build(config, rng)` gives the rows to play. The stories are in the hpm_scenarios_*.py beside this file;
tests/plan/hpm.toml says which clause each of them serves.
"""

from __future__ import annotations

from tb.sequences import hpm_scenarios_count, hpm_scenarios_csr, hpm_scenarios_overflow, hpm_scenarios_write
from tb.sequences.hpm_scenarios_base import SCENARIOS, Scenario

__all__ = ["SCENARIOS", "STORIES", "Scenario"]

STORIES = (hpm_scenarios_count, hpm_scenarios_write, hpm_scenarios_overflow, hpm_scenarios_csr)
