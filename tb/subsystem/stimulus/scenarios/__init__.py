# SPDX-License-Identifier: Apache-2.0
"""Directed scenarios of the subsystem: where the five trace sources of one hart could disagree.

`SCENARIOS[name].build(job, config, rng)` gives a `SubsystemStimulus`.
"""

from __future__ import annotations

from rvtrace.tb.subsystem.stimulus.scenarios.base import SCENARIOS

__all__ = ["SCENARIOS"]

SCENARIOS.load(__name__)
