# SPDX-License-Identifier: Apache-2.0
"""Directed tandem-trace scenarios: one for each corner case, with the configurations it runs in.

`SCENARIOS[name].build(config, rng)` gives the rows of cycles that are driven.
"""

from __future__ import annotations

from rvtrace.tb.tandem.stimulus.scenarios.base import SCENARIOS

__all__ = ["SCENARIOS"]

SCENARIOS.load(__name__)
