"""Directed N-Trace scenarios: one small story for each corner case, with the configurations it is told in.

`SCENARIOS[name].build(config, rng)` gives a program and its retire stream, `.to_beats(...)` places them on the ingress
port. The stories are in the ntrace_scenarios_*.py beside this file; tests/plan/ntrace.toml says which clause each of
them serves.
"""

from __future__ import annotations

from tb.sequences import (
    ntrace_scenarios_control,
    ntrace_scenarios_counters,
    ntrace_scenarios_events,
    ntrace_scenarios_flow,
    ntrace_scenarios_options,
    ntrace_scenarios_pairs,
    ntrace_scenarios_repeats,
    ntrace_scenarios_returns,
    ntrace_scenarios_traps,
)
from tb.sequences.ntrace_scenarios_base import SCENARIOS, Scenario

__all__ = ["SCENARIOS", "STORIES", "Scenario"]

STORIES = (
    ntrace_scenarios_flow, ntrace_scenarios_traps, ntrace_scenarios_pairs, ntrace_scenarios_counters,
    ntrace_scenarios_control, ntrace_scenarios_returns, ntrace_scenarios_repeats, ntrace_scenarios_options, ntrace_scenarios_events,
)  # fmt: skip
