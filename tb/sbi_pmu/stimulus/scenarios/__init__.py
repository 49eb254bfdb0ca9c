# SPDX-License-Identifier: Apache-2.0
"""Directed SBI PMU scenarios: one for each corner case, with the configurations it runs in.

`SCENARIOS[name].build(config, rng)` gives the script of a supervisor (`rvtrace.models.sbi_pmu.calls`).
"""

from __future__ import annotations

from rvtrace.tb.sbi_pmu.stimulus.scenarios.base import SCENARIOS

__all__ = ["SCENARIOS"]

SCENARIOS.load(__name__)
