# SPDX-License-Identifier: Apache-2.0
"""Tandem trace in a bench that is not ours (tb/common/own_bench.py)."""

from __future__ import annotations

from rvtrace.scoreboards.tandem.judge import JUDGE
from rvtrace.tb.common import own_bench


class TraceMonitor(own_bench.TraceMonitor):
    """Watches a port with trace items."""


class Scoreboard(own_bench.Scoreboard):
    """Legal and lossless (scoreboards/tandem/check.py). hart: the retired instructions with their effects, of a log or
    of RVFI (rvtrace.models.riscv.rvfi); its `exact` is always off.
    """

    judge, cycles = JUDGE, "marks"
