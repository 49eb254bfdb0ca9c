# SPDX-License-Identifier: Apache-2.0
"""N-Trace in a bench that is not ours (tb/common/own_bench.py)."""

from __future__ import annotations

from typing import Any

from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.ntrace.judge import JUDGE
from rvtrace.tb.common import own_bench
from rvtrace.tb.ntrace.agents.layout import pins
from rvtrace.tb.ntrace.env import MessageMonitor


class TraceMonitor(own_bench.TraceMonitor):
    """Watches a port with N-Trace messages."""

    monitor_class = MessageMonitor


class HartMonitor(own_bench.HartMonitor):
    """Watches the instruction trace interface of a hart."""

    def __init__(
        self, config: Config, clock: Any, reset: Any = None, reset_active_level: bool = True, **ports: Any
    ) -> None:
        super().__init__(pins(config), clock, reset, reset_active_level, **ports)


class Scoreboard(own_bench.Scoreboard):
    """Lossless and legal, and exact if asked for (scoreboards/ntrace/check.py)."""

    judge = JUDGE
