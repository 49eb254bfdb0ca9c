# SPDX-License-Identifier: Apache-2.0
"""The subsystem: one hart, five trace sources, and which of them disagrees with the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from rvtrace.models.subsystem.config import Config
from rvtrace.scoreboards.common.judge import CaptureError, Judge
from rvtrace.scoreboards.tandem.tolerances import Tolerances


class SubsystemJudge(Judge):
    """All five on one hart port."""

    ip, title, config, tolerances = "subsystem", "Subsystem", Config, Tolerances
    port = "instructions"
    left = (
        "ntrace.trace",
        "etrace.trace",
        "tandem.trace",
        "program.elf",
        "config.json",
        "retired.csv",
        "rows.npz",
        "snapshots.json",
    )
    more_words: ClassVar[dict[str, str]] = {
        "EVENTS": (
            "option events, what counters 3 to 10 count, by name or selector, joined by commas"
            " (docs/reference/rtl-subsystem.md)"
        )
    }
    unread = (
        "a run of the subsystem leaves three traces; check each with `make check IP=ntrace|etrace|tandem "
        "TRACE=<file> ELF=<file>`, or all trace sources together in a run: `make run IP=subsystem PROGRAM=sort`"
    )

    def described(self, config: Config) -> str:
        """Width, retirements, modes."""
        return f"RV{config.xlen} {config.retire} a cycle, N-Trace {config.mode}, {config.ctr_depth} records"

    def capture(self, config: Config, program: Any, data: bytes, beats: Any, retired: Any, rerun: str) -> Any:
        """There is no one trace."""
        raise CaptureError(self.unread)

    def check(self, capture: Any, tolerances: Any = None) -> Any:
        """The cross-check."""
        from rvtrace.scoreboards.subsystem.check import check

        return check(capture)

    def summary(self, result: Mapping[str, Any]) -> str:
        """What the trace sources reported."""
        stats = result.get("stats", {})
        sizes = " ".join(f"{name} {int(stats.get(f'{name}_bytes', 0)):>7}" for name in ("ntrace", "etrace", "tandem"))
        return (
            f"{int(stats.get('instructions', 0)):>8} insns {int(stats.get('traps', 0)):>4} traps  bytes: {sizes} "
            f" {int(stats.get('entries', 0)):>3} entries"
        )


JUDGE = SubsystemJudge()
