# SPDX-License-Identifier: Apache-2.0
"""The loop: counters, SBI PMU and control transfer records on one hart, from the event to the profiler's sample."""

from __future__ import annotations

from typing import Any

from rvtrace.models.loop.config import Config
from rvtrace.scoreboards.common.judge import RowsJudge
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances


class LoopJudge(RowsJudge):
    """One hart with both blocks."""

    ip, title, config, tolerances = "loop", "Counters and CTR in a loop", Config, Tolerances
    counted = "cycles"
    summed = ("overflows", "transfers", "cycles")
    unread = "the loop is checked while it runs and leaves no capture; type `make run IP=loop SOURCE=random SEED=1`"

    def described(self, config: Config) -> str:
        """Width, depth."""
        return f"RV{config.xlen} {config.depth} entries, counters of {config.width} bits"

    def check(self, capture: Any, tolerances: Any = None) -> Any:
        """Every step."""
        from rvtrace.scoreboards.loop.check import check

        return check(capture)


JUDGE = LoopJudge()
