# SPDX-License-Identifier: Apache-2.0
"""The SBI PMU extension: models/sbi_pmu as the firmware of a hart with the counters of rtl/hpm."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rvtrace.models.sbi_pmu.config import Config
from rvtrace.scoreboards.common.judge import RowsJudge
from rvtrace.scoreboards.hpm.judge import HpmJudge
from rvtrace.scoreboards.sbi_pmu.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.sbi_pmu.capture import SbiPmuCapture


class SbiPmuJudge(RowsJudge):
    """The SBI implementation, on counters in RTL."""

    ip, title, config, tolerances = "sbi_pmu", "SBI PMU", Config, Tolerances
    left = ("config.json", "calls.jsonl", "calls.txt", "rows.npz")
    more_words: ClassVar[dict[str, str]] = HpmJudge.more_words | {
        "FIRMWARE": "option firmware, logical indices of firmware counters, default 40+41+43",
        "POLICY": (
            "option policy, default strict; a named set and changes: opensbi,minh=asked (docs/reference/sbi-pmu.md)"
        ),
    }
    counted = "calls"
    summed = ("calls", "operations", "cycles")

    def described(self, config: Config) -> str:
        """Width, policy, counters."""
        return f"RV{config.xlen} {config.policy} {len(config.platform.counters)} counters"

    def check(self, capture: SbiPmuCapture, tolerances: Tolerances | None = None) -> Verdict:
        """Every answer, every operation, every view of the supervisor."""
        from rvtrace.scoreboards.sbi_pmu.check import check

        return check(capture, tolerances)


JUDGE = SbiPmuJudge()
