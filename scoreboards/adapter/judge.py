# SPDX-License-Identifier: Apache-2.0
"""The adapters between a core and trace sources: RVFI to the hart port, and the hart port to the ingress port."""

from __future__ import annotations

from typing import Any

from rvtrace.models.adapter.config import Config
from rvtrace.scoreboards.common.judge import RowsJudge


class AdapterJudge(RowsJudge):
    """Both adapters, one after the other."""

    ip, title, config, tolerances = "adapter", "Adapters of a core", Config, None
    port = "instructions"
    summed = ("instructions", "traps", "blocks")
    left = ("program.elf", "config.json", "retired.csv", "rows.npz")
    unread = "the adapters leave no trace; type `make run IP=adapter SOURCE=random SEED=1`"

    def described(self, config: Config) -> str:
        """Width, channels, lanes."""
        return f"RV{config.xlen} {config.channels} channels, {config.blocks} blocks a cycle"

    def check(self, capture: Any, tolerances: Any = None) -> Any:
        """Rows, blocks and errors."""
        from rvtrace.scoreboards.adapter.check import check

        return check(capture)


JUDGE = AdapterJudge()
