# SPDX-License-Identifier: Apache-2.0
"""N-Trace: Nexus messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rvtrace.models.ntrace.config import Config
from rvtrace.scoreboards.common.judge import Judge
from rvtrace.scoreboards.ntrace.tolerances import Tolerances

if TYPE_CHECKING:
    from rvtrace.scoreboards.common.verdict import Verdict
    from rvtrace.scoreboards.ntrace.capture import NtraceCapture


class NtraceJudge(Judge):
    """The N-Trace encoder, and the trace system around it."""

    ip, title, config, tolerances = "ntrace", "N-Trace", Config, Tolerances
    parts = ("tci",)

    def described(self, config: Config) -> str:
        """Variant, mode and width."""
        return f"{config.variant} {config.mode.upper()} RV{config.xlen}"

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> NtraceCapture:
        """One of files."""
        from rvtrace.scoreboards.ntrace.capture import NtraceCapture

        return NtraceCapture(config, program, data, beats, retired, rerun=rerun)

    def check(self, capture: NtraceCapture, tolerances: Tolerances) -> Verdict:
        """Exact, lossless and legal."""
        from rvtrace.scoreboards.ntrace.check import check

        return check(capture, tolerances)


JUDGE = NtraceJudge()
