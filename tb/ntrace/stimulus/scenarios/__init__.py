# SPDX-License-Identifier: Apache-2.0
"""Directed N-Trace scenarios: one for each corner case, with the configurations it runs in.

`SCENARIOS[name].build(config, rng)` gives a program and its retired instructions, `.to_beats(...)` places them on the
ingress port.
"""

from __future__ import annotations

from rvtrace.tb.ntrace.stimulus.scenarios.base import SCENARIOS

__all__ = ["SCENARIOS"]

SCENARIOS.load(__name__)
