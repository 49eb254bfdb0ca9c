# SPDX-License-Identifier: Apache-2.0
"""System scenarios: what harts run, what a tool does with the registers of the trace system, where the trace goes.

`BY_IP[ip][name].build(job, rng)` gives a `TciStimulus`, with N-Trace or E-Trace encoders. The scenarios are in the
modules of this folder, which are found by themselves; scoreboards/tci/plan.toml says which clauses each of them
exercises.
"""

from __future__ import annotations

from rvtrace.tb.tci.stimulus.scenarios.base import BY_IP

__all__ = ["BY_IP"]

BY_IP["ntrace"].load(__name__)  # modules register in both
