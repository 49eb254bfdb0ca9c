"""Directed E-Trace scenarios: one small story for each corner case, with the configurations it is told in.

`SCENARIOS[name].build(config, rng)` gives a program and its retire stream, `.to_beats(...)` places them on the ingress
port. The stories are in the etrace_scenarios_*.py beside this file; tests/plan/etrace.toml says which clause each of
them serves.
"""

from __future__ import annotations

from tb.sequences import (
    etrace_scenarios_blocks,
    etrace_scenarios_cache,
    etrace_scenarios_calls,
    etrace_scenarios_context,
    etrace_scenarios_control,
    etrace_scenarios_handlers,
    etrace_scenarios_jumps,
    etrace_scenarios_loops,
    etrace_scenarios_mutants,
    etrace_scenarios_packets,
    etrace_scenarios_pairs,
    etrace_scenarios_planted,
    etrace_scenarios_predictor,
    etrace_scenarios_pressure,
    etrace_scenarios_returns,
    etrace_scenarios_status,
    etrace_scenarios_sync,
    etrace_scenarios_traps,
)
from tb.sequences.etrace_scenarios_base import SCENARIOS
from tb.sequences.scenario import Scenario

__all__ = ["SCENARIOS", "STORIES", "Scenario"]

STORIES = (
    etrace_scenarios_packets, etrace_scenarios_jumps, etrace_scenarios_traps, etrace_scenarios_handlers, etrace_scenarios_loops,
    etrace_scenarios_returns, etrace_scenarios_calls, etrace_scenarios_predictor, etrace_scenarios_cache, etrace_scenarios_context,
    etrace_scenarios_sync, etrace_scenarios_control, etrace_scenarios_pressure, etrace_scenarios_blocks, etrace_scenarios_pairs, etrace_scenarios_status,
    etrace_scenarios_planted, etrace_scenarios_mutants,
)  # fmt: skip
