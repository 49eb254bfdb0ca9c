# SPDX-License-Identifier: Apache-2.0
"""E-Trace in a bench that is not ours (tb/common/own_bench.py)."""

from __future__ import annotations

from typing import Any

from rvtrace.models.etrace.config import Config
from rvtrace.scoreboards.etrace.judge import JUDGE
from rvtrace.tb.common import own_bench
from rvtrace.tb.etrace.agents.layout import pins


class TraceMonitor(own_bench.TraceMonitor):
    """Watches the transported bytes: packets with the headers of the encapsulation that the configuration names."""


class HartMonitor(own_bench.HartMonitor):
    """Watches the instruction trace interface of a hart."""

    def __init__(
        self, config: Config, clock: Any, reset: Any = None, reset_active_level: bool = True, **ports: Any
    ) -> None:
        super().__init__(pins(config, 0), clock, reset, reset_active_level, **ports)


class Scoreboard(own_bench.Scoreboard):
    """Lossless and legal, and exact if asked for (scoreboards/etrace/check.py)."""

    judge, cycles = JUDGE, "data_cycle"
